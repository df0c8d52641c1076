//! The word index on its own.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek as _, Write as _};

use super::*;
use crate::document::{Entry, Fingerprint, Kind};

fn document(id: &str, text: &str) -> Document {
    Document {
        key: DocumentKey::new(Kind::Spec, id),
        fingerprint: Fingerprint::of(text.as_bytes()),
        title: id.to_owned(),
        heading: id.to_owned(),
        entries: vec![Entry {
            kind: Kind::Requirement,
            requirement: Some("Only".to_owned()),
            text: text.to_owned(),
            scenarios: Vec::new(),
        }],
    }
}

fn found(lexical: &Lexical, query: &str) -> Vec<String> {
    let view = lexical.view().unwrap();
    let searcher = view.searcher();
    let matches = Asked::parse(query).matches(&view.living(), lexical.fields(), &[]).unwrap();
    let mut found: Vec<(String, f32)> = matches
        .into_iter()
        .map(|(address, word)| {
            let stored = lexical.fields().stored(searcher, address).unwrap().unwrap();
            (stored.title, word.share + word.exact)
        })
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.into_iter().map(|(title, _)| title).collect()
}

#[test]
fn documents_are_replaced_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    let two = [document("a", "parcels are returned"), document("b", "coupons expire")];
    assert_eq!(lexical.commit(&mut two.into_iter(), &[]).unwrap(), 2);
    assert_eq!(found(&lexical, "return parcel"), ["a"]);
    lexical
        .commit(&mut [document("a", "coupons only")].into_iter(), &[DocumentKey::new(Kind::Spec, "b")])
        .unwrap();
    assert!(found(&lexical, "parcel").is_empty());
    assert_eq!(found(&lexical, "coupon"), ["a"]);
    let known = lexical.view().unwrap().documents().unwrap();
    let a = DocumentKey::new(Kind::Spec, "a");
    assert_eq!(known, HashMap::from([(a.code(), Fingerprint::of(b"coupons only"))]));
    assert_eq!(lexical.view().unwrap().names(|code| known.contains_key(&code)).unwrap(), [a]);
}

#[test]
fn a_document_without_entries_is_known_and_never_found() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    let empty = Document { entries: Vec::new(), ..document("a", "nothing") };
    lexical.commit(&mut [empty].into_iter(), &[]).unwrap();
    assert_eq!(lexical.view().unwrap().documents().unwrap().len(), 1);
    assert!(found(&lexical, "nothing a only").is_empty());
}

#[test]
fn many_small_commits_stay_few_segments_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    for n in 0..20 {
        lexical.commit(&mut [document(&format!("d{n}"), "common word")].into_iter(), &[]).unwrap();
    }
    assert!(lexical.view().unwrap().searcher().segment_readers().len() <= MANY_SEGMENTS + 1);
    assert_eq!(found(&lexical, "common").len(), 20);
}

#[test]
fn a_document_that_is_edited_again_and_again_is_there_once() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    lexical.commit(&mut [document("b", "parcels")].into_iter(), &[]).unwrap();
    let a = DocumentKey::new(Kind::Spec, "a");
    for n in 0..30 {
        let removed = if n % 3 == 0 { vec![a.clone()] } else { Vec::new() };
        lexical.commit(&mut [document("a", &format!("parcels {n}"))].into_iter(), &removed).unwrap();
    }
    assert_eq!(found(&lexical, "parcel").len(), 2);
    assert_eq!((found(&lexical, "29").len(), found(&lexical, "28").len()), (1, 0));
    assert!(lexical.view().unwrap().searcher().segment_readers().len() <= MANY_SEGMENTS + 1);
}

#[test]
fn two_writers_that_take_turns_leave_no_files_behind_and_check_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let one = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    let other = Lexical::open(folder.path(), Reading::Pieces).unwrap();
    for name in [".tmpAb12", "0123456789abcdef0123456789abcdef.store"] {
        fs_err::write(folder.path().join(name), "of a process that died").unwrap();
    }
    for n in 0..30 {
        let writer = if n % 2 == 0 { &one } else { &other };
        writer.reload().unwrap();
        writer
            .commit(&mut [document(&format!("d{}", n % 7), &format!("parcels {n}"))].into_iter(), &[])
            .unwrap();
    }
    let files = || fs_err::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    // Six files a segment, or seven with what was removed from it, and what belongs to all of them.
    let most = 7 * (MANY_SEGMENTS + 1) + 4;
    assert!(files().count() <= most, "{:?}", files().collect::<Vec<_>>());
    assert!(
        !files().any(
            |path| path.ends_with(".tmpAb12") || path.ends_with("0123456789abcdef0123456789abcdef.store")
        )
    );
    drop((one, other));
    for path in files().filter(|path| path.file_stem().is_some_and(|stem| stem.len() == 32)) {
        let whole = fs_err::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[0] ^= 1;
        fs_err::write(&path, &changed).unwrap();
        assert!(Lexical::open(folder.path(), Reading::Pieces).is_none(), "{}", path.display());
        fs_err::write(&path, &whole).unwrap();
    }
    assert_eq!(found(&Lexical::open(folder.path(), Reading::Pieces).unwrap(), "parcel").len(), 7);
}

#[test]
fn of_a_document_that_is_given_twice_the_last_counts() {
    for others in [0, few::FEW] {
        let folder = tempfile::tempdir().unwrap();
        let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
        let given = [document("a", "parcels"), document("a", "coupons")].into_iter();
        let others = (0..others).map(|n| document(&format!("o{n}"), "other"));
        lexical.commit(&mut given.chain(others), &[]).unwrap();
        assert_eq!((found(&lexical, "parcel").len(), found(&lexical, "coupon").len()), (0, 1));
    }
}

#[test]
fn a_byte_that_changed_anywhere_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    // Words that do not repeat, so that the files are longer than one piece of them.
    let text: String =
        (0..40_000_u64).map(|n| format!("{:x} ", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    lexical.commit(&mut [document("a", &text)].into_iter(), &[]).unwrap();
    drop(lexical);
    assert!(Lexical::open(folder.path(), Reading::Pieces).is_some());
    let files = fs_err::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let (mut store, whole) = files
        .map(|path| (path.clone(), fs_err::read(&path).unwrap()))
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "store"))
        .map(|(path, bytes)| (fs_err::OpenOptions::new().write(true).open(path).unwrap(), bytes))
        .next()
        .unwrap();
    assert!(whole.len() > 3 << 16, "{}", whole.len());
    for at in [0, 1 << 16, whole.len() / 2] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        for (bytes, is_whole) in [(&changed, false), (&whole, true)] {
            store.rewind().unwrap();
            store.write_all(bytes).unwrap();
            assert_eq!(Lexical::open(folder.path(), Reading::Pieces).is_some(), is_whole, "{at}");
        }
    }
}

#[test]
fn another_reader_sees_a_commit_after_it_reloads() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    let reader = Lexical::open(folder.path(), Reading::Pieces).unwrap();
    let before = reader.stamp();
    writer.commit(&mut [document("a", "parcel")].into_iter(), &[]).unwrap();
    assert_ne!(reader.stamp(), before);
    assert!(found(&reader, "parcel").is_empty());
    reader.reload().unwrap();
    assert_eq!(found(&reader, "parcel"), ["a"]);
}

#[test]
fn an_identifier_and_a_phrase_are_found_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    let texts = [
        ("whole", "set session_ttl first"),
        ("parts", "ttl of the session"),
        ("phrase", "first out, last in"),
    ];
    lexical.commit(&mut texts.into_iter().map(|(id, text)| document(id, text)), &[]).unwrap();
    let view = lexical.view().unwrap();
    let searcher = view.searcher();
    for (query, expected) in [("session_ttl", "whole"), ("\"first out\"", "phrase"), ("First Out", "phrase")]
    {
        let matches = Asked::parse(query).matches(&view.living(), lexical.fields(), &[]).unwrap();
        let exact: Vec<String> = matches
            .iter()
            .filter(|(_, word)| word.exact > 0.0)
            .map(|(address, _)| lexical.fields().stored(searcher, *address).unwrap().unwrap().title)
            .collect();
        assert_eq!(exact, [expected], "{query}");
    }
}

#[test]
fn only_the_kinds_asked_for_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    lexical.commit(&mut [document("a", "parcel")].into_iter(), &[]).unwrap();
    let view = lexical.view().unwrap();
    let count = |kinds: &[Kind]| {
        Asked::parse("parcel").matches(&view.living(), lexical.fields(), kinds).unwrap().len()
    };
    assert_eq!((count(&[Kind::Requirement]), count(&[Kind::Plan]), count(&Kind::ALL)), (1, 0, 1));
}

/// Every file cut at every byte: a new index, never a panic and never half an index.
#[test]
fn a_torn_index_is_no_index() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    lexical.commit(&mut (0..5).map(|n| document(&format!("d{n}"), "parcels are returned")), &[]).unwrap();
    drop(lexical);
    let files: Vec<PathBuf> = fs_err::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_none_or(|ending| ending != "lock"))
        .collect();
    assert!(files.len() >= 5, "{files:?}");
    for path in files {
        let bytes = fs_err::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs_err::write(&path, &bytes[..length]).unwrap();
            if let Some(lexical) = Lexical::open(folder.path(), Reading::Pieces) {
                assert_eq!(found(&lexical, "return").len(), 5, "{} cut at {length}", path.display());
            }
        }
        fs_err::write(&path, &bytes).unwrap();
        assert!(Lexical::open(folder.path(), Reading::Pieces).is_some(), "{}", path.display());
    }
}

#[test]
fn what_a_failed_commit_left_behind_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    let two = [document("a", "parcels are returned"), document("b", "seats are kept")];
    lexical.commit(&mut two.into_iter(), &[]).unwrap();
    for name in ["00000000000000000000000000000000.store", "00000000000000000000000000000001.idx"] {
        fs_err::write(folder.path().join(name), "cut").unwrap();
    }
    // What says that an entry is removed, of a commit that ended before it was written down.
    let meta = lexical.index.load_metas().unwrap();
    for number in 0..4 {
        let removed = format!("{}.{}.del", meta.segments[0].id().uuid_string(), meta.opstamp + number);
        fs_err::write(folder.path().join(removed), "cut").unwrap();
    }
    let again = Lexical::open(folder.path(), Reading::Pieces).expect("the index itself is whole");
    assert_eq!(found(&again, "parcel"), ["a"]);
    for text in ["coupons are sent", "invoices are sent"] {
        again.commit(&mut [document("a", text)].into_iter(), &[]).unwrap();
    }
    assert_eq!((found(&again, "parcel").len(), found(&again, "invoice").len()), (0, 1));
    assert!(!folder.path().join("00000000000000000000000000000000.store").exists());
}

/// A file that is cut while it is open: errors, never the end of the process.
#[test]
fn an_index_that_is_cut_while_it_is_open_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    lexical.commit(&mut (0..5).map(|n| document(&format!("d{n}"), "parcels are returned")), &[]).unwrap();
    let view = lexical.view().unwrap();
    for file in fs_err::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "store" || ending == "idx") {
            File::options().write(true).open(path).unwrap().set_len(0).unwrap();
        }
    }
    assert!(Asked::parse("parcel").matches(&view.living(), lexical.fields(), &[]).is_err());
    let address = tantivy::DocAddress { segment_ord: 0, doc_id: 0 };
    assert!(lexical.fields().stored(view.searcher(), address).is_err());
}

/// Several segments, many entries that score the same, some of them deleted.
#[test]
fn the_best_of_all_segments_are_those_that_tantivy_would_find() {
    use tantivy::collector::TopDocs;
    use tantivy::query::{BooleanQuery, Query, TermQuery};
    use tantivy::schema::IndexRecordOption;

    let folder = tempfile::tempdir().unwrap();
    let lexical = Lexical::create(folder.path(), Reading::Pieces).unwrap();
    for commit in 0..5_u32 {
        let text = |n: u32| format!("parcels {} refund {}", "coupon ".repeat((n % 7) as usize), n % 3);
        let mut documents = (0..40).map(|n| document(&format!("d{commit}-{n}"), &text(commit * 40 + n)));
        lexical.commit(&mut documents, &[]).unwrap();
    }
    let gone: Vec<DocumentKey> =
        (0..40).step_by(3).map(|n| DocumentKey::new(Kind::Spec, format!("d2-{n}"))).collect();
    lexical.commit(&mut std::iter::empty(), &gone).unwrap();
    let view = lexical.view().unwrap();
    assert!(view.searcher().segment_readers().len() > 1);
    let term = |word: &str| {
        let term = Term::from_field_text(lexical.fields().words, word);
        Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Box<dyn Query>
    };
    let query = BooleanQuery::union(vec![term("coupon"), term("refund"), term("2")]);
    for most in [1, 3, 10, 100, 1_000] {
        let living = view.living();
        let top = TopDocs::with_limit(most).order_by_score();
        let expected = view.searcher().search_with_statistics_provider(&query, &top, &living).unwrap();
        assert_eq!(top::best(&living, &[], &query, most).unwrap(), expected, "{most}");
        assert_eq!(top::best(&living, &[Kind::Requirement], &query, most).unwrap(), expected, "{most}");
        assert_eq!(top::best(&living, &[Kind::Plan], &query, most).unwrap(), []);
    }
}
