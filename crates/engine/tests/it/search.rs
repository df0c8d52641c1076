//! The index of a workspace: kept current, shared, thrown away, and never a reason to fail a question.

use hewto_engine::search::{self, ContextRequest, FindRequest, SearchRequest};
use hewto_engine::{Cancellation, LayoutKind};

use crate::support::Fixture;

fn spec(name: &str, text: &str) -> String {
    format!("# {name}\n\n## Requirements\n\n### Requirement: {name}\n\n{text}\n")
}

fn shop(layout: LayoutKind, specs: &str) -> Fixture {
    let fixture = Fixture::with_layout(layout);
    fixture.write(
        &format!("{specs}/refunds/spec.md"),
        spec("Return Window", "Parcels come back within thirty days."),
    );
    search::build(&fixture.ws, &fixture.ctx).unwrap();
    fixture
}

fn found(fixture: &Fixture, query: &str) -> (Vec<String>, String) {
    let request = SearchRequest { query: query.to_owned(), ..SearchRequest::default() };
    let view = search::search(&fixture.ws, &fixture.ctx, &request).unwrap();
    (view.results.into_iter().filter_map(|hit| hit.requirement).collect(), view.mode)
}

#[test]
fn every_layout_has_an_index_out_of_git() {
    for (layout, specs) in [
        (LayoutKind::Native, "specs"),
        (LayoutKind::Spox, "specs"),
        (LayoutKind::Openspec, "openspec/specs"),
        (LayoutKind::Airsspec, ".airsspec/specs"),
        (LayoutKind::Specman, "spec"),
    ] {
        let fixture = shop(layout, specs);
        assert_eq!(found(&fixture, "parcels").0, ["Return Window"], "{layout}");
        assert!(fixture.read(".hewto/.gitignore").contains("/cache/"), "{layout}");
    }
}

#[test]
fn edits_within_one_tick_of_the_clock_are_seen() {
    let fixture = shop(LayoutKind::Native, "specs");
    for n in 0..20 {
        // The same length each time: only the contents differ.
        let word = format!("zebra{n:02}");
        fixture.write("specs/refunds/spec.md", spec("Return Window", &format!("A {word} crosses.")));
        assert_eq!(found(&fixture, &word).0, ["Return Window"], "{word}");
    }
}

#[test]
fn an_index_that_cannot_be_written_serves_as_it_was_and_says_so() {
    let fixture = shop(LayoutKind::Native, "specs");
    assert_eq!(found(&fixture, "parcels").0, ["Return Window"]);
    let lock = fixture.path(".hewto/cache/search/lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Vouchers replace money."));
    let (names, mode) = found(&fixture, "parcels");
    assert_eq!(names, ["Return Window"]);
    assert!(mode.contains("(not current: "), "{mode}");
    std::fs::remove_dir(&lock).unwrap();
    assert!(found(&fixture, "parcels").0.is_empty());
    assert_eq!(found(&fixture, "vouchers").0, ["Return Window"]);
}

#[test]
fn documents_that_cannot_be_read_hide_nobody() {
    let fixture = shop(LayoutKind::Native, "specs");
    fixture.write("specs/binary/spec.md", b"# Binary \xff\xfe\n\nA walrus.\n");
    fixture.write("docs/adr/0001-odd.md", [0_u8, 159, 146, 150]);
    std::fs::create_dir_all(fixture.path("docs/adr/0002-folder.md")).unwrap();
    assert_eq!(found(&fixture, "parcels").0, ["Return Window"]);
    let request = FindRequest { query: "walrus".to_owned(), ..FindRequest::default() };
    let view = search::find(&fixture.ws, &fixture.ctx, &request).unwrap();
    assert_eq!(view.results[0].id, "binary");
}

#[test]
fn a_cleared_index_is_missing_until_it_is_built_and_a_task_makes_it() {
    let fixture = shop(LayoutKind::Native, "specs");
    assert!(search::clear(&fixture.ws, &fixture.ctx).unwrap());
    assert!(!search::clear(&fixture.ws, &fixture.ctx).unwrap());
    let request = SearchRequest { query: "parcels".to_owned(), ..SearchRequest::default() };
    let missing = search::search(&fixture.ws, &fixture.ctx, &request).unwrap_err();
    assert_eq!(missing.key, "index_missing");
    assert!(!search::status(&fixture.ws, &fixture.ctx).unwrap().exists);
    let task =
        ContextRequest { text: Some("parcels that come back".to_owned()), ..ContextRequest::default() };
    let context = search::context_for(&fixture.ws, &fixture.ctx, &task).unwrap();
    assert_eq!(context.items[0].handle, "spec://refunds#return-window");
    assert_eq!(found(&fixture, "parcels").0, ["Return Window"]);
}

#[test]
fn a_cancelled_build_is_told_and_can_be_gone_on_with() {
    let fixture = shop(LayoutKind::Native, "specs");
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let ctx = fixture.ctx.clone().with_cancellation(cancellation);
    assert_eq!(search::build(&fixture.ws, &ctx).unwrap_err().key, "cancelled");
    assert_eq!(search::build(&fixture.ws, &fixture.ctx).unwrap().documents, 1);
}
