use std::sync::Arc;

use hewto_search::{Embedder, Embedding, Identity, Index, Model, ModelError, Query, Ranker};
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

/// The bundled model with a reader who says the same of every text.
#[derive(Debug)]
struct Told {
    model: Model,
    odds: Option<f32>,
}

impl Embedder for Told {
    fn identity(&self) -> Identity {
        self.model.identity()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.model.embed(texts)
    }

    fn has_tokens(&self) -> bool {
        self.model.has_tokens()
    }

    fn read(&self, _question: &str, texts: &[&str]) -> Option<Vec<f32>> {
        self.odds.map(|odds| vec![odds; texts.len()])
    }
}

#[test]
fn what_only_sounds_as_if_it_answered_is_read_together_with_the_question() {
    let ask = |model: Arc<dyn Embedder>, question: &str| {
        let index = Index::in_memory(Some(model)).unwrap();
        let seat = "A visitor holds a seat of a concert for ten minutes before it is paid for";
        fill(
            &index,
            vec![
                spec("seats", &[("Reserving a Seat", seat)]),
                spec(
                    "sign-in",
                    &[("Idle Expiry", "A session ends after thirty minutes without any request")],
                ),
            ],
        );
        index.search(&Query::new(question)).unwrap()
    };
    let told = |odds: Option<f32>, question: &str| {
        let answer = ask(Arc::new(Told { model: Model::bundled(), odds }), question);
        (answer.hits.len(), answer.confidence)
    };
    let doubtful = "book a table at a restaurant";
    let ((shown, sure), (_, unread), (silent, doubted)) =
        (told(Some(2.0), doubtful), told(None, doubtful), told(Some(-9.0), doubtful));
    assert!(shown > 0 && silent == 0 && sure > unread && unread > doubted, "{sure} {unread} {doubted}");
    let clear = "how long is a seat of a concert held before it is paid for";
    assert_eq!(told(Some(-9.0), clear), told(Some(2.0), clear), "nothing is in doubt");
    let really = ask(Arc::new(Model::bundled()), doubtful);
    assert!(really.hits.is_empty() && really.confidence < sure, "{really:?}");
}

#[test]
fn words_that_neither_documents_nor_model_know_find_nothing() {
    let index = Index::in_memory(Some(Arc::new(Model::bundled()))).unwrap();
    let requirements = [
        ("Typo Tolerance", "A search for a word with one wrong letter finds what the right word finds"),
        ("Emoji Reactions", "A reader may answer a comment with one of six signs"),
        ("Idle Expiry", "A session ends after thirty minutes without any request"),
        ("Checked Bags", "A traveller may hand in one suitcase of up to 23 kilograms"),
        ("Sign-in by Others", "People may sign in with the account that they have at Google"),
    ];
    fill(
        &index,
        vec![
            spec("things", &requirements),
            spec("parts", &[("Serial Numbers", "Every flurbogast carries a serial number")]),
        ],
    );
    for strange in ["asdfgh qwertz", "xyzzy", "zzzz", "Kündigungsfrist", "zwrotu pieniędzy"] {
        let answer = index.search(&Query::new(strange)).unwrap();
        assert!(answer.hits.is_empty(), "{strange}: {answer:?}");
        let insisting = index.search(&Query { threshold: Some(0.0), ..Query::new(strange) }).unwrap();
        assert!(!insisting.hits.is_empty(), "{strange}");
    }
    let known = [
        ("flurbogast", "Serial Numbers"),
        ("typo", "Typo Tolerance"),
        ("loggedout", "Idle Expiry"),
        ("luggage", "Checked Bags"),
        ("oauth", "Sign-in by Others"),
    ];
    for (known, found) in known {
        let answer = index.search(&Query::new(known)).unwrap();
        let first = answer.hits.first().and_then(|hit| hit.requirement.as_deref());
        assert_eq!(first, Some(found), "{known}: {answer:?}");
    }
}

#[test]
fn what_a_reader_of_english_says_of_a_question_in_another_language_does_not_count() {
    let confidence = |odds: f32, question: &str| {
        let index =
            Index::in_memory(Some(Arc::new(Told { model: Model::bundled(), odds: Some(odds) }))).unwrap();
        let seat = "A visitor holds a seat of a concert for ten minutes before it is paid for";
        fill(&index, vec![spec("seats", &[("Reserving a Seat", seat)])]);
        index.search(&Query { threshold: Some(0.0), ..Query::new(question) }).unwrap().confidence
    };
    let (english, german) =
        ("is there a table for us at the restaurant", "wie lange ist die Sitzung noch gültig");
    assert!(confidence(9.0, english) > confidence(-9.0, english));
    assert!((confidence(9.0, german) - confidence(-9.0, german)).abs() < 1e-6);
}
