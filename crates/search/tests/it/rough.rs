//! What ranks until most vectors are there.

use std::path::Path;
use std::sync::Arc;

use hewto_search::{Document, Index, Query};
use tempfile::tempdir;

use crate::stand_in::{StandIn, found, key, open, spec};

fn quick(folder: &Path) -> Index {
    Index::open(folder, Some(Arc::new(StandIn { in_bulk: true, ..StandIn::default() }))).unwrap()
}

/// Two entries each, with one passage each.
fn many(count: usize) -> Vec<Document> {
    let text = |n: usize| format!("word{n} says what is promised");
    (0..count).map(|n| spec(&format!("s{n}"), &[("Only", text(n).as_str())])).collect()
}

fn mode(index: &Index) -> String {
    index.search(&Query::new("word7 says")).unwrap().mode
}

/// Makes as much as so many steps do.
fn steps(index: &Index, mut count: usize) {
    let go_on = |_| {
        count = count.wrapping_sub(1);
        count != usize::MAX
    };
    index.embed_all(go_on).unwrap();
}

#[test]
fn vectors_made_in_bulk_rank_until_the_others_are_there() {
    let folder = tempdir().unwrap();
    let index = quick(folder.path());
    index.apply(many(600), &[]).unwrap();
    assert_eq!(mode(&index), "lexical (embedding 0 of 1,200)");
    steps(&index, 2);
    assert_eq!(mode(&index), "fused (roughly: embedding 0 of 1,200)");
    assert_eq!(found(&index, "says what is word7")[0], "s7/Only");
    steps(&index, 2);
    assert_eq!(mode(&index), "fused (roughly: embedding 512 of 1,200)");
    assert_eq!(mode(&quick(folder.path())), mode(&index), "another process says the same");
    steps(&index, 3);
    assert_eq!(mode(&index), "fused");
}

#[test]
fn once_all_vectors_are_there_nothing_tells_what_ranked_before() {
    let (rough, plain) = (tempdir().unwrap(), tempdir().unwrap());
    let (rough, plain) = (quick(rough.path()), open(plain.path()));
    for index in [&rough, &plain] {
        index.apply(many(300), &[]).unwrap();
        index.embed_all(|_| true).unwrap();
    }
    for question in ["word7 says", "what is promised", "promised word120 word121"] {
        let ask = |index: &Index| index.search(&Query::new(question)).unwrap();
        assert_eq!(ask(&rough), ask(&plain));
    }
}

#[test]
fn what_is_rough_ranks_until_nine_in_ten_are_there_however_few_are_missing() {
    let folder = tempdir().unwrap();
    let index = quick(folder.path());
    index.apply(many(150), &[]).unwrap();
    steps(&index, 2);
    assert_eq!(mode(&index), "fused (roughly: embedding 256 of 300)");
    assert_eq!(mode(&quick(folder.path())), mode(&index), "another process says the same");
    steps(&index, 1);
    assert_eq!(mode(&index), "fused");
}

#[test]
fn few_missing_vectors_are_made_at_once_and_nothing_stands_in_for_them() {
    let folder = tempdir().unwrap();
    let index = quick(folder.path());
    index.apply(many(30), &[]).unwrap();
    assert_eq!(mode(&index), "lexical (embedding 0 of 60)");
    steps(&index, 1);
    assert_eq!(mode(&index), "fused");
}

#[test]
fn documents_that_come_and_go_meanwhile_are_followed() {
    let folder = tempdir().unwrap();
    let index = quick(folder.path());
    index.apply(many(600), &[]).unwrap();
    steps(&index, 2);
    let gone: Vec<_> = (0..100).map(|n| key(&format!("s{n}"))).collect();
    index.apply([spec("new", &[("Exchange", "vouchers replace money")])], &gone).unwrap();
    assert_eq!(mode(&index), "fused (roughly: embedding 0 of 1,002)");
    assert_eq!(found(&index, "vouchers replace money")[0], "new/Exchange");
    assert!(found(&index, "word7 says").iter().all(|hit| hit != "s7/Only"));
}
