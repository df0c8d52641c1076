//! What `context_for` says of its own answer: what it left out, how sure it is, what ranked, and what is not there.

use hewto_engine::search::{self, ContextRequest};
use hewto_engine::view::ContextView;

use crate::support::Fixture;

fn spec(name: &str, text: &str) -> String {
    format!("# {name}\n\n## Requirements\n\n### Requirement: {name}\n\n{text}\n")
}

fn shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Parcels come back within thirty days."));
    fixture
}

fn context(fixture: &Fixture, request: &ContextRequest) -> ContextView {
    search::context_for(&fixture.ws, &fixture.ctx, request).unwrap()
}

fn task(text: &str) -> ContextRequest {
    ContextRequest { text: Some(text.to_owned()), ..ContextRequest::default() }
}

fn files(paths: &[&str]) -> ContextRequest {
    let files = paths.iter().map(|path| (*path).to_owned()).collect();
    ContextRequest { files, ..ContextRequest::default() }
}

fn handles(view: &ContextView) -> Vec<&str> {
    view.items.iter().map(|item| item.handle.as_str()).collect()
}

#[test]
fn what_is_shown_and_named_and_counted_is_all_that_bears_on_the_task() {
    let fixture = shop();
    let requirements: Vec<String> = (0..30)
        .map(|n| format!("### Requirement: Parcel Rule {n}\n\nParcels of kind {n} SHALL come back.\n"))
        .collect();
    let text = format!("# Parcels\n\n## Requirements\n\n{}", requirements.join("\n"));
    fixture.write("specs/parcels/spec.md", text);
    for (request, total) in [(task("parcels come back"), 20), (files(&["specs/parcels/spec.md"]), 30)] {
        for budget in [200, 1_000, 6_000, 100_000] {
            let view = context(&fixture, &ContextRequest { budget: Some(budget), ..request.clone() });
            assert!(view.total >= total, "{view:?}");
            assert_eq!(view.items.len() + view.left_out.len() + view.more, view.total, "{budget}: {view:?}");
            let chars = serde_json::to_string(&view).unwrap().chars().count();
            assert!(chars <= budget, "{chars} of {budget}");
        }
    }
}

#[test]
fn an_answer_is_as_sure_as_the_link_that_brought_its_best_item() {
    let fixture = shop();
    fixture.write("src/zz.rs", "// @spec refunds#return-window\nfn accept() {}\n");
    let view = context(&fixture, &files(&["src/zz.rs"]));
    assert_eq!(handles(&view), ["spec://refunds#return-window"]);
    assert!(view.confidence >= view.items[0].score, "{view:?}");
    let alone = context(&fixture, &files(&["specs/refunds/spec.md"]));
    assert!(alone.confidence >= alone.items[0].score, "{alone:?}");
}

#[test]
fn an_answer_without_any_question_says_that_links_ranked_it() {
    let fixture = shop();
    fixture.write("src/main.rs", "// @spec refunds#return-window\nfn main() {}\n");
    for path in ["src", "src/main.rs"] {
        let view = context(&fixture, &files(&[path]));
        assert_eq!(handles(&view), ["spec://refunds#return-window"], "{path}");
        assert_eq!(view.mode, "linked", "{path}");
    }
    assert_ne!(context(&fixture, &task("parcels come back")).mode, "linked");
}

#[test]
fn the_name_of_a_file_that_finds_nothing_does_not_change_how_the_task_was_ranked() {
    let fixture = shop();
    let asked = task("parcels come back");
    let mode = context(&fixture, &asked).mode;
    let name = "会议";
    assert_ne!(context(&fixture, &files(&[name])).mode, mode);
    let beside = ContextRequest { files: vec![name.to_owned()], ..asked };
    assert_eq!(context(&fixture, &beside).mode, mode);
}

#[test]
fn a_file_that_is_not_there_is_asked_for_by_its_name_and_noted() {
    let fixture = shop();
    fixture.write("src/zz.rs", "fn accept() {}\n");
    let view = context(&fixture, &files(&["src/zz.rs", "missing.rs", "specs/refunds"]));
    assert_eq!(view.notes, ["there is no file `missing.rs`"]);
    assert_eq!(handles(&view), ["spec://refunds#return-window"]);
    assert!(context(&fixture, &files(&["src/zz.rs"])).notes.is_empty());
}

/// A change whose words fit the task better than the requirement that it alters.
fn propose(fixture: &Fixture, chars: usize) {
    let why = "Parcels come back within thirty days, and islands are far. ".repeat(chars / 59);
    fixture.write(
        "changes/longer/proposal.md",
        format!("# Parcels come back\n\n## Why\n\n{why}\n\n## What Changes\n\n- sixty\n"),
    );
    fixture.write(
        "changes/longer/specs/refunds/spec.md",
        "## MODIFIED Requirements\n\n### Requirement: Return Window\n\nParcels come back within sixty days.\n",
    );
}

#[test]
fn a_requirement_comes_before_the_change_that_alters_it() {
    let fixture = shop();
    propose(&fixture, 300);
    let view = context(&fixture, &task("parcels come back within thirty days, islands"));
    assert_eq!(handles(&view), ["spec://refunds#return-window", "change:longer"], "{view:?}");
    assert!(view.items[1].why.contains("is about to alter Return Window"), "{view:?}");
    assert!(view.items[1].text.contains("## Why") && view.items[1].left_out.is_none(), "{view:?}");
    assert!(view.items[0].score >= view.items[1].score, "{view:?}");
}

#[test]
fn a_large_change_leaves_room_for_the_rest_and_says_how_to_read_it() {
    let fixture = shop();
    propose(&fixture, 5_000);
    let long = |n: usize| format!("{} Kind {n}.", "Parcels come back within thirty days. ".repeat(20));
    for n in 0..3 {
        fixture.write(&format!("specs/kind-{n}/spec.md"), spec(&format!("Return Window {n}"), &long(n)));
    }
    let asked = task("parcels come back within thirty days");
    let view = context(&fixture, &asked);
    assert_eq!((view.items.len(), view.more), (view.total, 0), "{view:?}");
    let change = view.items.iter().find(|item| item.handle == "change:longer").unwrap();
    assert_eq!(change.text, "Alters `refunds`:\n- modifies Return Window");
    assert!(change.left_out.as_deref().is_some_and(|how| how.contains("longer")), "{change:?}");
    let roomy = context(&fixture, &ContextRequest { budget: Some(20_000), ..asked });
    let change = roomy.items.iter().find(|item| item.handle == "change:longer").unwrap();
    assert!(change.text.contains("islands are far") && change.left_out.is_none(), "{change:?}");
}

/// A question in quotes is put as it stands; a task only mentions what it quotes.
#[test]
fn what_a_task_quotes_keeps_nothing_else_away() {
    let fixture = shop();
    fixture.write("specs/labels/spec.md", spec("Labels", "The text is printed in black."));
    let view = context(&fixture, &task("parcels that come back show \"the text is printed\" once"));
    assert!(handles(&view).contains(&"spec://refunds#return-window"), "{view:?}");
}
