use std::sync::Arc;

use hewto_search::{Index, Model, Query, Ranker};
use tempfile::tempdir;

use crate::stand_in::{StandIn, fill, spec};

#[test]
fn a_requirement_is_found_by_what_it_means() {
    let folder = tempdir().unwrap();
    let index = Index::open(folder.path(), Some(Arc::new(Model::bundled()))).unwrap();
    fill(
        &index,
        vec![
            spec(
                "refunds",
                &[("Return Window", "A customer may send goods back within thirty days of delivery")],
            ),
            spec("sign-in", &[("Idle Expiry", "A session ends after thirty minutes without any request")]),
        ],
    );
    let query = Query::new("user gets logged out when inactive");
    let answer = index.search(&query).unwrap();
    assert_eq!(answer.hits[0].requirement.as_deref(), Some("Idle Expiry"));
    let lexical = index.search(&Query { ranker: Ranker::Lexical, ..query }).unwrap();
    assert!(lexical.hits.is_empty(), "{lexical:?}");
    let nothing = index.search(&Query::new("recipe for sourdough bread")).unwrap();
    assert!(nothing.hits.is_empty(), "{nothing:?}");
}

#[test]
fn in_doubt_only_hits_that_come_near_to_the_words_of_a_query_answer_it() {
    let asked = |near: Option<f32>, text: &str, threshold: Option<f32>| {
        let folder = tempdir().unwrap();
        let index =
            Index::open(folder.path(), Some(Arc::new(StandIn { near, ..StandIn::default() }))).unwrap();
        fill(
            &index,
            vec![spec("refunds", &[("Return Window", "Parcels may be returned within thirty days")])],
        );
        index.search(&Query { threshold, ..Query::new(text) }).unwrap()
    };
    let doubtful = "thirty days zebra";
    let before = asked(None, doubtful, None);
    assert!((0.40..0.55).contains(&before.confidence) && !before.hits.is_empty(), "{before:?}");
    let far = asked(Some(0.1), doubtful, None);
    assert!(far.hits.is_empty() && far.total == 0 && far.confidence < before.confidence, "{far:?}");
    assert_eq!(asked(Some(0.8), doubtful, None).hits, before.hits);
    assert_eq!(asked(Some(0.1), doubtful, Some(0.0)).hits.len(), before.hits.len());
}
