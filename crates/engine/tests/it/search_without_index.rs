//! Questions to a workspace that has no index on the disk: in memory, or by words while one is made.

use hewto_engine::search::{self, IndexCare, ModelChoice, SearchRequest};

use crate::support::Fixture;

fn spec(name: &str, text: &str) -> String {
    format!("# {name}\n\n## Requirements\n\n### Requirement: {name}\n\n{text}\n")
}

#[test]
fn an_index_in_memory_leaves_no_file() {
    let fixture = Fixture::new();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Parcels come back within thirty days."));
    let care = IndexCare { in_memory: true, ..IndexCare::default() };
    let ws = fixture.ws.clone().with_search(ModelChoice::default(), care);
    let request = SearchRequest { query: "parcels".to_owned(), ..SearchRequest::default() };
    let view = search::search(&ws, &fixture.ctx, &request).unwrap();
    assert_eq!((view.total > 0, view.mode.as_str()), (true, "fused"));
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Vouchers replace money."));
    assert_eq!(search::search(&ws, &fixture.ctx, &request).unwrap().total, 0);
    assert!(!search::status(&fixture.ws, &fixture.ctx).unwrap().exists);
}

/// A large workspace is looked through by words at once, and the index is made meanwhile.
#[test]
fn a_large_workspace_is_answered_by_words_while_its_index_is_built() {
    let fixture = Fixture::new();
    for n in 0..1_001 {
        fixture.write(&format!("specs/s{n:04}/spec.md"), spec(&format!("Thing {n}"), "It stays."));
    }
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Parcels come back."));
    let request = SearchRequest { query: "parcels".to_owned(), ..SearchRequest::default() };
    let command = search::search(&fixture.ws, &fixture.ctx, &request).unwrap();
    assert_eq!(command.results[0].requirement.as_deref(), Some("Return Window"));
    assert!(command.mode.starts_with("lexical (no index yet: "), "{}", command.mode);
    let care = IndexCare { in_memory: true, ..IndexCare::default() };
    let in_memory = fixture.ws.clone().with_search(ModelChoice::default(), care);
    let view = search::search(&in_memory, &fixture.ctx, &request).unwrap();
    assert!(
        view.mode.starts_with("lexical (too many documents to index them for one question: "),
        "{}",
        view.mode
    );
    let care = IndexCare { in_background: true, ..IndexCare::default() };
    let ws = fixture.ws.clone().with_search(ModelChoice::default(), care);
    let mut modes = Vec::new();
    loop {
        let view = search::search(&ws, &fixture.ctx, &request).unwrap();
        assert_eq!(view.results[0].requirement.as_deref(), Some("Return Window"), "{}", view.mode);
        modes.push(view.mode);
        if modes.last().is_some_and(|mode| mode != "lexical (the index is being built)") {
            break;
        }
    }
    assert_eq!(modes[0], "lexical (the index is being built)");
}
