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
fn hits_that_say_each_word_of_a_question_go_first_and_without_any_nothing_answers() {
    let asked = |near: f32, text: &str, threshold: Option<f32>| {
        let index =
            Index::in_memory(Some(Arc::new(StandIn { near: Some(near), ..StandIn::default() }))).unwrap();
        let documents = [("Return Window", "Parcels may be returned within thirty days")];
        fill(
            &index,
            vec![spec("refunds", &documents), spec("other", &[("Days", "Thirty days, precisely counted")])],
        );
        index.search(&Query { threshold, ..Query::new(text) }).unwrap()
    };
    let first = |answer: &hewto_search::Answer| answer.hits[0].requirement.clone();
    let question = "parcels returned within thirty days";
    assert_eq!(first(&asked(0.95, question, None)).as_deref(), Some("Return Window"));
    assert_eq!(first(&asked(0.0, question, Some(0.0))).as_deref(), Some("Days"));
    let insisting = asked(0.0, "zebra crossing", Some(0.0));
    assert!(
        !insisting.hits.is_empty() && asked(0.0, "zebra crossing", None).hits.is_empty(),
        "{insisting:?}"
    );
}
