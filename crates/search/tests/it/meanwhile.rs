//! What is committed while the model reads a question.

use std::path::Path;
use std::sync::Arc;

use hewto_search::{Document, Embedder, Embedding, Identity, Index, ModelError, Query};
use tempfile::tempdir;

use crate::stand_in::{StandIn, fill, found, spec};

const QUESTION: &str = "vouchers replace money";

/// Somebody else commits documents while it reads the question.
#[derive(Debug)]
struct Interrupted {
    reader: StandIn,
    other: Index,
    documents: Vec<Document>,
}

impl Embedder for Interrupted {
    fn identity(&self) -> Identity {
        self.reader.identity()
    }

    fn dimensions(&self) -> usize {
        self.reader.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        if texts == [QUESTION] {
            self.other.apply(self.documents.clone(), &[]).unwrap();
        }
        self.reader.embed(texts)
    }
}

/// An index of one document that becomes one of more while it is asked.
fn interrupted_by(folder: &Path, documents: Vec<Document>) -> Index {
    let other = Index::open(folder, None).unwrap();
    let reader = Interrupted { reader: StandIn::default(), other, documents };
    let index = Index::open(folder, Some(Arc::new(reader))).unwrap();
    fill(
        &index,
        vec![spec("refunds", &[("Label", "A label is printed"), ("Money", "It goes back to the card")])],
    );
    index
}

#[test]
fn what_is_committed_while_the_model_reads_the_question_is_found_by_its_words() {
    let folder = tempdir().unwrap();
    let shop = spec("shop", &[("Exchange", "Vouchers replace money")]);
    assert_eq!(found(&interrupted_by(folder.path(), vec![shop]), QUESTION)[0], "shop/Exchange");
}

#[test]
fn where_most_vectors_are_missing_once_the_model_has_read_the_question_words_rank_and_say_so() {
    let folder = tempdir().unwrap();
    let many = (0..20).map(|n| spec(&format!("s{n}"), &[("Only", "Vouchers replace money")])).collect();
    let index = interrupted_by(folder.path(), many);
    let answer = index.search(&Query::new(QUESTION)).unwrap();
    assert_eq!(answer.mode, "lexical (embedding 3 of 43)");
    assert!(answer.total >= 20, "those without a vector are found");
}
