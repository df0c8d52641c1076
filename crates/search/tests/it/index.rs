use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hewto_search::{Document, Fingerprint, Index, Kind, Leftover, Progress, Query, Ranker, SearchError};
use tempfile::tempdir;

use crate::stand_in::{StandIn, fill, found, key, open, spec};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_mins(1);

fn shop() -> Vec<Document> {
    vec![
        spec(
            "refunds",
            &[
                ("Return Window", "Parcels may be returned within thirty days"),
                ("Label", "A label is printed"),
            ],
        ),
        spec(
            "cart",
            &[("Merge", "Two carts become one at sign-in"), ("Limit", "No line exceeds `max_per_order`")],
        ),
    ]
}

#[test]
fn what_was_taken_in_is_found_with_its_place_and_a_marked_snippet() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, shop());
    let answer = index.search(&Query::new("returning a parcel within days")).unwrap();
    let best = &answer.hits[0];
    assert_eq!((best.document.id.as_str(), best.requirement.as_deref()), ("refunds", Some("Return Window")));
    assert_eq!(
        (best.kind, best.title.as_str(), answer.mode.as_str()),
        (Kind::Requirement, "refunds", "fused")
    );
    let marked: Vec<&str> =
        best.snippet.highlights.iter().map(|range| &best.snippet.text[range.clone()]).collect();
    assert_eq!(marked, ["Parcels", "returned", "within", "days"]);
    assert!(best.score > 0.25 && best.score <= 1.0);
    assert_eq!(answer.total, answer.hits.len());
}

#[test]
fn words_in_quotes_are_found_as_they_stand_or_it_is_said_that_they_are_nowhere() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, shop());
    let ask = |text: &str| index.search(&Query::new(text)).unwrap();
    let names = |text: &str| -> Vec<Option<String>> {
        ask(text).hits.into_iter().map(|hit| hit.requirement).collect()
    };
    assert!(names("returned parcels").len() > 1, "without quotes others come near");
    assert_eq!(names("\"parcels may be returned\""), [Some("Return Window".to_owned())]);
    assert_eq!(names("\"parcels\" within \"thirty days\""), [Some("Return Window".to_owned())]);
    assert_eq!(ask("\"thirty days\"").mode, "fused");
    for nowhere in ["\"returned may parcels\"", "\"parcels\" and \"two carts\""] {
        let answer = ask(nowhere);
        assert!(answer.hits.len() > 1, "{nowhere}");
        assert_eq!(answer.mode, "fused (what stands in quotes is nowhere as it stands)", "{nowhere}");
    }
}

#[test]
fn a_changed_document_is_found_by_its_new_words_only_and_a_removed_one_not_at_all() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, shop());
    let edited = spec("refunds", &[("Exchange", "Vouchers replace money")]);
    index.apply([edited], &[key("cart")]).unwrap();
    index.catch_up(LONG, Leftover::NextCall).unwrap();
    assert!(found(&index, "parcels returned").is_empty());
    assert!(found(&index, "carts merge sign-in").is_empty());
    assert_eq!(found(&index, "vouchers replace money")[0], "refunds/Exchange");
}

#[test]
fn stale_names_what_changed_what_is_new_and_what_is_gone() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, shop());
    let now = [("refunds", shop()[0].fingerprint), ("cart", Fingerprint(1)), ("fresh", Fingerprint(2))];
    let stale = index.stale(now.map(|(id, print)| (key(id), print))).unwrap();
    assert_eq!((stale.changed, stale.removed), (vec![key("cart"), key("fresh")], vec![]));
    let stale = index.stale([(key("cart"), shop()[1].fingerprint)]).unwrap();
    assert_eq!((stale.changed, stale.removed), (vec![], vec![key("refunds")]));
    let same = shop().into_iter().map(|document| (document.key, document.fingerprint));
    assert!(index.stale(same).unwrap().is_empty());
}

#[test]
fn a_document_that_is_current_is_passed_over() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    assert_eq!(index.apply(shop(), &[]).unwrap(), 2);
    assert_eq!(index.apply(shop(), &[key("nobody")]).unwrap(), 0);
}

#[test]
fn only_changed_passages_are_embedded_again() {
    let folder = tempdir().unwrap();
    let embedder = Arc::new(StandIn::default());
    let index = Index::open(folder.path(), Some(embedder.clone())).unwrap();
    fill(&index, shop());
    assert_eq!(embedder.embedded.load(Ordering::Relaxed), 6);
    let mut edited = shop();
    edited[0].entries[1].text.push_str(" of delivery");
    edited[0].fingerprint = Fingerprint(7);
    fill(&index, edited);
    assert_eq!(embedder.embedded.load(Ordering::Relaxed), 7);
    index.apply([], &[key("refunds")]).unwrap();
    let mut back = shop();
    back.truncate(1);
    fill(&index, back);
    assert_eq!(embedder.embedded.load(Ordering::Relaxed), 7, "its vectors were still there");
}

#[test]
fn an_index_outlives_its_process() {
    let folder = tempdir().unwrap();
    fill(&open(folder.path()), shop());
    let embedder = Arc::new(StandIn::default());
    let again = Index::open(folder.path(), Some(embedder.clone())).unwrap();
    assert_eq!(again.progress().unwrap(), Progress { done: 6, total: 6 });
    assert_eq!(found(&again, "parcels returned within thirty days")[0], "refunds/Return Window");
    assert_eq!(embedder.embedded.load(Ordering::Relaxed), 1, "the query alone");
}

#[test]
fn without_a_model_words_serve_and_the_mode_says_so() {
    let folder = tempdir().unwrap();
    let index = Index::open(folder.path(), None).unwrap();
    index.apply(shop(), &[]).unwrap();
    let answer = index.search(&Query::new("returned parcels")).unwrap();
    assert_eq!(answer.mode, "lexical (no model)");
    assert_eq!(answer.hits[0].requirement.as_deref(), Some("Return Window"));
    assert_eq!(index.catch_up(LONG, Leftover::NextCall).unwrap().done, 0);
}

#[test]
fn while_vectors_are_missing_words_serve_and_the_mode_counts() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    let many = |count: usize| -> Vec<Document> {
        (0..count).map(|n| spec(&format!("s{n}"), &[("Only", "the same words")])).collect()
    };
    index.apply(many(600), &[]).unwrap();
    index.embed_all(|progress| progress.done == 0).unwrap();
    let answer = index.search(&Query::new("same words")).unwrap();
    assert_eq!(answer.mode, "lexical (embedding 256 of 1,200)");
    assert_eq!(answer.total, 600);
    let gone: Vec<_> = (140..600).map(|n| key(&format!("s{n}"))).collect();
    index.apply([], &gone).unwrap();
    let answer = index.search(&Query::new("same words")).unwrap();
    assert_eq!(answer.mode, "fused (embedding 256 of 280)");
    assert!(answer.total >= 140, "those without a vector are found by their words");
}

#[test]
fn what_is_made_in_a_call_is_kept_for_the_next() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    index.apply((0..100).map(|n| spec(&format!("s{n}"), &[("Only", "words")])), &[]).unwrap();
    assert_eq!(index.catch_up(Duration::ZERO, Leftover::NextCall).unwrap().done, 0);
    assert_eq!(index.catch_up(LONG, Leftover::NextCall).unwrap().done, 200);
    assert_eq!(open(folder.path()).progress().unwrap().done, 200);
}

#[test]
fn an_index_in_memory_answers_like_one_in_a_folder_and_leaves_nothing() {
    let index = Index::in_memory(Some(Arc::new(StandIn::default()))).unwrap();
    fill(&index, shop());
    assert_eq!(found(&index, "parcels returned within thirty days")[0], "refunds/Return Window");
    let answer = index.search(&Query::new("returning a parcel within days")).unwrap();
    assert_eq!(answer.mode, "fused");
    index.apply([spec("refunds", &[("Exchange", "Vouchers replace money")])], &[key("cart")]).unwrap();
    index.catch_up(LONG, Leftover::NextCall).unwrap();
    assert_eq!(found(&index, "vouchers replace money")[0], "refunds/Exchange");
    assert!(found(&index, "carts merge sign-in").is_empty());
    assert_eq!(index.status().unwrap().bytes, 0);
    assert!(!std::path::Path::new("(in memory)").exists());
}

#[test]
fn many_missing_vectors_are_made_in_the_background() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    index.apply((0..100).map(|n| spec(&format!("s{n}"), &[("Only", "words")])), &[]).unwrap();
    let before = index.catch_up(Duration::ZERO, Leftover::Background).unwrap();
    assert_eq!(before, Progress { done: 0, total: 200 });
    while index.progress().unwrap().done < 200 {
        std::thread::yield_now();
    }
    assert_eq!(index.search(&Query::new("words")).unwrap().mode, "fused");
}

#[test]
fn a_model_that_fails_leaves_the_words() {
    let folder = tempdir().unwrap();
    let embedder = Arc::new(StandIn::default());
    let index = Index::open(folder.path(), Some(embedder.clone())).unwrap();
    fill(&index, shop());
    embedder.broken.store(true, Ordering::Relaxed);
    let answer = index.search(&Query::new("returned parcels")).unwrap();
    assert_eq!(answer.mode, "lexical (the model failed: it is broken)");
    assert_eq!(answer.hits[0].requirement.as_deref(), Some("Return Window"));
    index.apply([spec("new", &[("One", "text")])], &[]).unwrap();
    assert!(matches!(index.catch_up(LONG, Leftover::NextCall), Err(SearchError::Model(_))));
    assert!(index.status().unwrap().model_failure.is_some());
    embedder.broken.store(false, Ordering::Relaxed);
    index.catch_up(LONG, Leftover::NextCall).unwrap();
    assert_eq!(index.search(&Query::new("returned parcels")).unwrap().mode, "fused");
}

#[test]
fn rankers_kinds_thresholds_and_pages_are_respected() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    let mut documents = shop();
    let mut decision = spec("0001-returns", &[]);
    decision.key.kind = Kind::Decision;
    decision.entries[0].kind = Kind::Decision;
    decision.entries[0].text = "Parcels are returned by post".to_owned();
    documents.push(decision);
    fill(&index, documents);
    let query = Query { threshold: Some(0.0), ..Query::new("parcels returned") };
    for ranker in Ranker::ALL {
        let answer = index.search(&Query { ranker, ..query.clone() }).unwrap();
        assert_eq!(answer.mode, ranker.as_str());
        assert!(answer.hits.iter().any(|hit| hit.kind == Kind::Decision), "{ranker:?}");
        let only = index.search(&Query { ranker, kinds: vec![Kind::Decision], ..query.clone() }).unwrap();
        assert!(only.hits.iter().all(|hit| hit.kind == Kind::Decision) && only.total == 1, "{ranker:?}");
    }
    let all = index.search(&query).unwrap();
    let first = index.search(&Query { limit: 1, ..query.clone() }).unwrap();
    let second = index.search(&Query { limit: 1, skip: 1, ..query.clone() }).unwrap();
    assert_eq!((first.total, second.total), (all.total, all.total));
    assert_eq!([first.hits, second.hits].concat(), all.hits[..2]);
    assert!(index.search(&Query { limit: 0, ..query.clone() }).unwrap().hits.is_empty());
    assert!(index.search(&Query { threshold: Some(1.1), ..query.clone() }).unwrap().hits.is_empty());
}

#[test]
fn equal_scores_stand_in_the_order_of_their_names_whatever_the_order_of_arrival() {
    let same = |id: &str| {
        let mut document = spec(id, &[("B", "same words"), ("A", "same words")]);
        document.title = "Title".to_owned();
        document.entries.iter_mut().skip(1).for_each(|entry| entry.scenarios.clear());
        document
    };
    let expected = ["a/B", "b/B", "c/B", "a/A", "b/A", "c/A"];
    for order in [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]] {
        let folder = tempdir().unwrap();
        let index = Index::open(folder.path(), None).unwrap();
        for id in order {
            index.apply([same(id)], &[]).unwrap();
        }
        let mut hits = found(&index, "same words");
        hits.sort_by_key(|hit| !hit.ends_with('B'));
        assert_eq!(hits, expected, "{order:?}");
        let limited = index.search(&Query { limit: 2, ..Query::new("same words") }).unwrap();
        assert_eq!(limited.hits.len(), 2);
        assert!(limited.hits.iter().all(|hit| hit.document.id == "a"), "{order:?}");
    }
}

#[test]
fn an_exact_identifier_is_found_though_its_meaning_is_far() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, shop());
    assert_eq!(found(&index, "max_per_order").first().map(String::as_str), Some("cart/Limit"));
    let confidence = |words| index.search(&Query::new(words)).unwrap().confidence;
    let (exact, unknown) = (confidence("max_per_order"), confidence("min_per_order_xyz"));
    assert!(exact > 0.7 && unknown < 0.5, "{exact} {unknown}");
}

#[test]
fn a_missing_index_says_so_until_it_is_made() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("cache/search");
    assert!(!Index::exists(&place));
    let index = open(&place);
    assert!(Index::exists(&place));
    fill(&index, shop());
    Index::clear(&place).unwrap();
    assert!(!Index::exists(&place));
    let error = index.search(&Query::new("parcels")).unwrap_err();
    assert!(matches!(error, SearchError::Missing { .. }));
    assert_eq!((error.code(), error.hint()), ("index-missing", "run `hewto index build`"));
    fill(&index, shop());
    assert_eq!(found(&index, "parcels returned within thirty days")[0], "refunds/Return Window");
    Index::clear(&folder.path().join("nowhere")).unwrap();
}

#[test]
fn the_status_tells_what_is_there() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, shop());
    let status = index.status().unwrap();
    assert_eq!((status.documents, status.entries, status.embedded.done), (2, 6, 6));
    assert!(status.has_model && !status.embedding && status.model_failure.is_none());
    assert!(status.bytes > 1_000);
}

#[test]
fn vectors_of_texts_long_gone_are_dropped() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    fill(&index, (0..1_500).map(|n| spec(&format!("s{n}"), &[])).collect());
    let before = index.status().unwrap().bytes;
    let gone: Vec<_> = (1..1_500).map(|n| key(&format!("s{n}"))).collect();
    index.apply([], &gone).unwrap();
    let after = index.status().unwrap();
    assert_eq!((after.entries, after.embedded.done), (1, 1));
    assert!(after.bytes < before / 2, "{before} became {}", after.bytes);
}
