//! The index of a workspace: kept current, shared, thrown away, and never a reason to fail a question.

use hewto_engine::search::{self, ContextRequest, FindRequest, IndexCare, ModelChoice, SearchRequest};
use hewto_engine::{Cancellation, LayoutKind, ProgressSink, Start, Workspace};
use hewto_store::DocKey;

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

/// Waits until the stamp of the spec proves what it says.
fn let_the_clock_tick(fixture: &Fixture) {
    let store = fixture.ws.store();
    let path = DocKey::named("specs/refunds/spec.md").unwrap();
    let stamp = store.stamp(&fixture.ctx, &path).unwrap().unwrap();
    while !store.ticks().are_over(&stamp) {
        std::thread::yield_now();
    }
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
fn where_the_index_cannot_be_written_one_in_memory_is_asked() {
    let fixture = shop(LayoutKind::Native, "specs");
    assert_eq!(found(&fixture, "parcels").0, ["Return Window"]);
    let lock = fixture.path(".hewto/cache/search/lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Vouchers replace money."));
    let (names, mode) = found(&fixture, "vouchers");
    assert_eq!(names, ["Return Window"], "{mode}");
    assert!(mode.starts_with("fused (the index cannot be written: "), "{mode}");
    assert!(found(&fixture, "parcels").0.is_empty(), "what was deleted is not found");
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
fn what_a_task_needs_is_shown_beside_a_file_that_cannot_be_read() {
    let fixture = shop(LayoutKind::Native, "specs");
    fixture.write("specs/broken/spec.md", b"\xff\xfe");
    let files = vec!["specs/broken/spec.md".to_owned(), "specs/refunds/spec.md".to_owned()];
    let request = ContextRequest { files, ..ContextRequest::default() };
    let context = search::context_for(&fixture.ws, &fixture.ctx, &request).unwrap();
    assert_eq!(context.items[0].handle, "spec://refunds#return-window");
}

// @spec search#what-is-indexed-is-what-is-there/the-index-is-deleted
#[test]
fn a_cleared_index_is_made_again_by_the_next_question() {
    let fixture = shop(LayoutKind::Native, "specs");
    assert!(search::clear(&fixture.ws, &fixture.ctx).unwrap().cleared);
    assert!(!search::clear(&fixture.ws, &fixture.ctx).unwrap().cleared);
    assert!(!search::status(&fixture.ws, &fixture.ctx).unwrap().exists);
    assert_eq!(found(&fixture, "parcels"), (vec!["Return Window".to_owned()], "fused".to_owned()));
    assert!(search::clear(&fixture.ws, &fixture.ctx).unwrap().cleared);
    let task =
        ContextRequest { text: Some("parcels that come back".to_owned()), ..ContextRequest::default() };
    let context = search::context_for(&fixture.ws, &fixture.ctx, &task).unwrap();
    assert_eq!(context.items[0].handle, "spec://refunds#return-window");
    assert_eq!(found(&fixture, "parcels").0, ["Return Window"]);
}

#[test]
fn the_seed_of_search_refuses_without_an_index() {
    let fixture = shop(LayoutKind::Native, "specs");
    search::clear(&fixture.ws, &fixture.ctx).unwrap();
    let care = IndexCare { refuses_without: true, ..IndexCare::default() };
    let ws = fixture.ws.clone().with_search(ModelChoice::default(), care);
    let request = SearchRequest { query: "parcels".to_owned(), ..SearchRequest::default() };
    let missing = search::search(&ws, &fixture.ctx, &request).unwrap_err();
    assert_eq!(missing.key.as_str(), "index_missing");
    let in_memory =
        fixture.ws.clone().with_search(ModelChoice::default(), IndexCare { in_memory: true, ..care });
    assert!(
        search::search(&in_memory, &fixture.ctx, &request).unwrap().total > 0,
        "nobody is told to make one"
    );
    search::build(&ws, &fixture.ctx).unwrap();
    assert!(search::search(&ws, &fixture.ctx, &request).unwrap().total > 0);
}

/// A file where the folder of the index should be refuses every write.
#[test]
fn one_in_memory_answers_where_no_index_can_be_made() {
    let fixture = shop(LayoutKind::Native, "specs");
    let folder = fixture.path(".hewto/cache/search");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a file").unwrap();
    let ws = Workspace::discover(Start::Here(fixture.root())).unwrap();
    let request = SearchRequest { query: "parcels".to_owned(), ..SearchRequest::default() };
    let view = search::search(&ws, &fixture.ctx, &request).unwrap();
    assert_eq!(view.results[0].requirement.as_deref(), Some("Return Window"));
    assert!(view.mode.starts_with("fused (no index: "), "{}", view.mode);
}

#[test]
fn a_cancelled_build_is_told_and_can_be_gone_on_with() {
    let fixture = shop(LayoutKind::Native, "specs");
    let cancellation = Cancellation::default();
    cancellation.cancel();
    // Another call: the one that made the fixture is past its commit point.
    let ctx = fixture.ctx.clone().with_caller(fixture.ctx.caller().clone()).with_cancellation(cancellation);
    assert_eq!(search::build(&fixture.ws, &ctx).unwrap_err().key.as_str(), "cancelled");
    assert_eq!(search::build(&fixture.ws, &fixture.ctx).unwrap().documents, 1);
}

#[test]
fn a_document_that_is_deleted_while_it_is_being_indexed_is_not_there() {
    let fixture = Fixture::new();
    fixture.write("specs/cart/spec.md", spec("Merge", "Two baskets become one."));
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Parcels come back."));
    let doomed = fixture.path("specs/refunds");
    // The first report comes after the look at the files and before the first of them is read.
    let sink = ProgressSink::new(move |_| {
        let _ = std::fs::remove_dir_all(&doomed);
    });
    let built = search::build(&fixture.ws, &fixture.ctx.clone().with_progress(sink)).unwrap();
    assert_eq!(built.documents, 1);
    assert_eq!(found(&fixture, "baskets").0, ["Merge"]);
    assert!(!found(&fixture, "parcels").0.contains(&"Return Window".to_owned()));
}

#[test]
fn an_index_that_is_cut_off_while_it_is_open_is_filled_again() {
    let fixture = shop(LayoutKind::Native, "specs");
    let_the_clock_tick(&fixture);
    assert_eq!(found(&fixture, "parcels").0, ["Return Window"]);
    let words = std::fs::read_dir(fixture.path(".hewto/cache/search/words-1")).unwrap();
    for path in words.map(|file| file.unwrap().path()) {
        if path.extension().is_some_and(|ending| ending == "idx") {
            std::fs::File::options().write(true).open(path).unwrap().set_len(1).unwrap();
        }
    }
    let (names, mode) = found(&fixture, "parcels");
    assert_eq!((names, mode.as_str()), (vec!["Return Window".to_owned()], "fused"));
}

/// Another process knows nothing of what this one saw: the stamps of the files have to be proof enough.
#[test]
fn an_index_of_settled_files_is_taken_over_as_it_is() {
    let fixture = Fixture::new();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Parcels come back."));
    let_the_clock_tick(&fixture);
    search::build(&fixture.ws, &fixture.ctx).unwrap();
    let another = Workspace::discover(Start::Here(fixture.root())).unwrap();
    assert_eq!(search::build(&another, &fixture.ctx).unwrap().changed, Some(0));
}

fn read_first(fixture: &Fixture, request: &ContextRequest) -> Vec<(String, String)> {
    let view = search::context_for(&fixture.ws, &fixture.ctx, request).unwrap();
    view.items.into_iter().map(|item| (item.handle, item.why)).collect()
}

#[test]
fn a_file_brings_what_its_tags_name_and_says_so() {
    let fixture = shop(LayoutKind::Native, "specs");
    fixture.write("src/zz.rs", "// @spec refunds#return-window\nfn accept() {}\n");
    let files = ContextRequest { files: vec!["src/zz.rs".to_owned()], ..ContextRequest::default() };
    let items = read_first(&fixture, &files);
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0].0, "spec://refunds#return-window");
    assert!(items[0].1.contains("`src/zz.rs` is linked to it at line 2"), "{items:?}");
}

#[test]
fn what_depends_on_a_spec_and_what_is_about_to_change_it_join_it() {
    let fixture = shop(LayoutKind::Native, "specs");
    fixture.write(
        "specs/ledger/spec.md",
        "---\ndependencies:\n  - refunds\n---\n# Ledger\n\n## Requirements\n\n### Requirement: Double Entry\n\nBooks balance.\n",
    );
    fixture.write(
        "changes/longer/proposal.md",
        "# Longer\n\n## Why\n\nIslands.\n\n## What Changes\n\n- sixty\n",
    );
    fixture.write(
        "changes/longer/specs/refunds/spec.md",
        "## MODIFIED Requirements\n\n### Requirement: Return Window\n\nParcels come back within sixty days.\n",
    );
    let task = ContextRequest {
        text: Some("parcels come back within thirty days".to_owned()),
        ..ContextRequest::default()
    };
    let items = read_first(&fixture, &task);
    let why = |handle: &str| items.iter().find(|(own, _)| own == handle).map(|(_, why)| why.as_str());
    assert_eq!(why("spec://refunds#return-window"), Some("bears on the task"), "{items:?}");
    assert!(
        why("change:longer").is_some_and(|why| why.contains("is about to alter Return Window")),
        "{items:?}"
    );
    assert_eq!(why("spec://ledger"), Some("depends on `refunds`"), "{items:?}");
}

#[test]
fn a_task_that_nothing_answers_is_given_nothing_to_read() {
    let fixture = shop(LayoutKind::Native, "specs");
    let task = ContextRequest {
        text: Some("kerning of the headline font in the brochure".to_owned()),
        ..ContextRequest::default()
    };
    assert_eq!(read_first(&fixture, &task), []);
}

/// A second work tree finds the vectors of the first one made.
#[test]
fn work_trees_of_a_repository_share_their_vectors() {
    let fixture = shop(LayoutKind::Native, "main/specs");
    for (path, text) in [
        ("main/.hewto/config.toml", ""),
        ("main/.git/HEAD", ""),
        ("main/.git/objects/x", ""),
        ("main/.git/worktrees/feature/HEAD", ""),
        ("main/.git/worktrees/feature/commondir", "../.."),
        ("feature/.git", "gitdir: ../main/.git/worktrees/feature\n"),
        ("feature/.hewto/config.toml", ""),
    ] {
        fixture.write(path, text);
    }
    let text = spec("Return Window", "Parcels come back within thirty days.");
    fixture.write("main/specs/refunds/spec.md", text.clone());
    fixture.write("feature/specs/refunds/spec.md", text);
    let open = |name: &str| Workspace::discover(Start::Here(&fixture.path(name))).unwrap();
    search::build(&open("main"), &fixture.ctx).unwrap();
    let vectors = fixture.path("main/.git/hewto/search");
    let size = |path: &std::path::Path| -> u64 {
        std::fs::read_dir(path).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    let before = size(&vectors);
    assert!(before > 0);
    let view = search::build(&open("feature"), &fixture.ctx).unwrap();
    assert_eq!((view.embedded, view.passages), (view.passages, view.embedded));
    assert_eq!(size(&vectors), before);
}

#[test]
fn what_was_archived_does_not_take_the_place_of_what_is_promised() {
    let fixture = shop(LayoutKind::Native, "specs");
    for n in 0..40 {
        let scenario = |m: usize| {
            format!(
                "#### Scenario: Parcels come back {m}\n- **WHEN** parcels come back\n- **THEN** parcels come back\n\n"
            )
        };
        let delta = format!(
            "## ADDED Requirements\n\n### Requirement: Parcels come back {n}\n\nParcels SHALL come back.\n\n{}{}",
            scenario(1),
            scenario(2)
        );
        fixture.write(&format!("changes/archive/2026-01-01-parcels-{n}/specs/refunds/spec.md"), delta);
    }
    search::build(&fixture.ws, &fixture.ctx).unwrap();
    let request = ContextRequest { text: Some("parcels come back".to_owned()), ..ContextRequest::default() };
    let view = search::context_for(&fixture.ws, &fixture.ctx, &request).unwrap();
    let handles: Vec<&str> = view.items.iter().map(|item| item.handle.as_str()).collect();
    assert_eq!(handles, ["spec://refunds#return-window"]);
}
