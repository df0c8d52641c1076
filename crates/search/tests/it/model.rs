use std::sync::Arc;

use hewto_search::{Index, Model, Query, Ranker};
use tempfile::tempdir;

use crate::stand_in::{fill, spec};

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
