//! Projects that were made with the tools themselves (`tests/tools`, each folder with the version), imported.

use std::path::Path;

use hewto_core::import::render::{SpecMeta, plan, spec};
use hewto_core::import::{Bundle, Format, SourceFile, superseding};

/// Reads all files of a fixture, at the paths that they have in a project.
fn read(format: Format, folder: &str, place: &str) -> Bundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools").join(folder);
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the fixture is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(&root).ok().and_then(Path::to_str).expect("a plain name");
            let text = std::fs::read_to_string(&path).expect("it can be read");
            files.extend(
                Some(SourceFile { path: format!("{place}/{below}"), text })
                    .filter(|file| format.wants(&file.path)),
            );
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    format.read(&files)
}

fn meta() -> SpecMeta<'static> {
    SpecMeta { id: "x", from: "a tool", dependencies: Vec::new(), now: "2026-01-24T10:00:00Z" }
}

#[test]
fn what_backlog_wrote_is_there_with_states_criteria_and_what_depends_on_what() {
    let bundle = read(Format::Backlog, "backlog-1.52.0", "backlog");
    let aliases: Vec<Option<&str>> = bundle.items.iter().map(|item| item.alias.as_deref()).collect();
    assert_eq!(aliases, [Some("TASK-1"), Some("TASK-2")]);
    let (first, second) = (&bundle.items[0], &bundle.items[1]);
    assert_eq!(second.depends_on, std::slice::from_ref(&first.key));
    let said = |at: usize| bundle.items[at].state.as_ref().map(|(state, _)| state.to_string());
    assert_eq!((said(0).as_deref(), said(1).as_deref()), (Some("draft"), Some("active")));
    let text = spec(first, &meta()).expect("it reads back");
    for wanted in ["People sign in with a passkey.", "A passkey opens a session", "A wrong one is refused"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let steps = plan(second, &meta()).expect("its definition of done");
    assert!(steps.contains("Docs say so"), "{steps}");
    assert_eq!((bundle.decisions.len(), bundle.documents.len()), (1, 1));
    assert!(bundle.left_out.iter().all(|one| !one.is_fault), "{:?}", bundle.left_out);
}

#[test]
fn what_adr_tools_wrote_keeps_its_numbers_and_what_replaces_what() {
    let bundle = read(Format::AdrTools, "adr-tools-3.0.0", "doc/adr");
    let aliases: Vec<&str> = bundle.decisions.iter().map(|one| one.alias.as_str()).collect();
    assert_eq!(aliases, ["0002", "0003", "0004"]);
    // The tool itself writes `Supercedes`.
    assert_eq!(superseding(&bundle.decisions), [(1, 0)]);
    let titles: Vec<&str> = bundle.decisions.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Use PostgreSQL", "Use SQLite", "Keep one writer"]);
    assert!(bundle.left_out.iter().all(|one| !one.is_fault), "{:?}", bundle.left_out);
}

#[test]
fn what_task_master_wrote_is_there_with_subtasks_and_dependencies() {
    let bundle = read(Format::TaskMaster, "task-master-0.43.1", ".taskmaster");
    let titles: Vec<&str> = bundle.items.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Sign in", "Sign out"]);
    assert_eq!(bundle.items[1].depends_on, [bundle.items[0].key.clone()]);
    let state = |at: usize| bundle.items[at].state.as_ref().map(|(state, _)| state.to_string());
    assert_eq!((state(0).as_deref(), state(1).as_deref()), (Some("done"), Some("draft")));
    let text = spec(&bundle.items[0], &meta()).expect("it reads back");
    assert!(text.contains("Keep the keys."), "{text}");
    let steps = plan(&bundle.items[1], &meta()).expect("its subtask");
    assert!(steps.contains("End it") && steps.contains("On both sides."), "{steps}");
    assert!(bundle.left_out.iter().all(|one| !one.is_fault), "{:?}", bundle.left_out);
}

#[test]
fn what_spec_workflow_wrote_keeps_its_approvals_and_logs_as_records() {
    let bundle = read(Format::SpecWorkflow, "spec-workflow-mcp-2.2.7", ".spec-workflow");
    let [item] = bundle.items.as_slice() else { panic!("{:?}", bundle.items) };
    let text = spec(item, &meta()).expect("it reads back");
    assert_eq!((text.matches("### Requirement:").count(), text.matches("#### Scenario:").count()), (1, 2));
    let steps = plan(item, &meta()).expect("its tasks");
    assert!(steps.contains("Reported in spec-workflow: Sessions are kept in a table"), "{steps}");
    assert!(steps.contains("- **Proves:** x#1/1.1") && steps.contains("- **Proves:** x#1/1.2"), "{steps}");
    let file = |name: &str| {
        let found = item.files.iter().find(|file| file.to.starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {:?}", item.files)).text.as_str()
    };
    let approval = file("imported/approval-approval");
    assert!(approval.contains("counts_at_gates: false\nverdict: \"approved\"\n"), "{approval}");
    // The tool notes a verdict behind its snapshot, which therefore still says `pending`.
    let snapshot = file("imported/approval-requirements-snapshot-003");
    assert!(snapshot.contains("taken_for: \"approved\"\n") && !snapshot.contains("pending"), "{snapshot}");
    assert!(
        file("imported/approval-requirements-snapshot-002").contains("taken_for: \"revision_requested\"")
    );
    assert!(file("imported/evidence-").contains("status: reported\n"));
    assert!(bundle.left_out.iter().all(|one| !one.is_fault), "{:?}", bundle.left_out);
}
