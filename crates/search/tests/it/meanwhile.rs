//! What is committed while the model reads a question.

use std::sync::Arc;

use hewto_search::{Embedder, Embedding, Identity, Index, ModelError};
use tempfile::tempdir;

use crate::stand_in::{StandIn, fill, found, spec};

const QUESTION: &str = "vouchers replace money";

/// Somebody else commits a document while it reads the question.
#[derive(Debug)]
struct Interrupted {
    reader: StandIn,
    other: Index,
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
            self.other.apply([spec("shop", &[("Exchange", "Vouchers replace money")])], &[]).unwrap();
        }
        self.reader.embed(texts)
    }
}

#[test]
fn what_is_committed_while_the_model_reads_the_question_is_found_by_its_words() {
    let folder = tempdir().unwrap();
    let other = Index::open(folder.path(), None).unwrap();
    let reader = Interrupted { reader: StandIn::default(), other };
    let index = Index::open(folder.path(), Some(Arc::new(reader))).unwrap();
    fill(
        &index,
        vec![spec("refunds", &[("Label", "A label is printed"), ("Money", "It goes back to the card")])],
    );
    assert_eq!(found(&index, QUESTION)[0], "shop/Exchange");
}
