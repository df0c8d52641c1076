//! Any sequence of edits is seen, as a fresh look would see it.

use std::collections::BTreeMap;

use hewto_store::{Snapshot, StateRead};
use proptest::prelude::*;

use super::{both, snapshot};
use crate::support::Workspace;

#[derive(Debug, Clone)]
enum Op {
    Write(usize, usize, u8),
    Remove(usize, usize),
    RemoveFolder(usize),
    Rename(usize, usize),
    Look,
}

const FOLDERS: [&str; 7] = ["a", "b", "a/x", "a/x/y", "b/x", "c", "_d"];

const NAMES: [&str; 4] = ["spec.md", "plan.md", "state.toon", "other.md"];

fn op() -> impl Strategy<Value = Op> {
    let folder = 0..FOLDERS.len();
    prop_oneof![
        5 => (folder.clone(), 0..NAMES.len(), 0_u8..4).prop_map(|(folder, name, text)| Op::Write(folder, name, text)),
        2 => (folder.clone(), 0..NAMES.len()).prop_map(|(folder, name)| Op::Remove(folder, name)),
        1 => folder.clone().prop_map(Op::RemoveFolder),
        2 => (folder.clone(), folder).prop_map(|(from, to)| Op::Rename(from, to)),
        3 => Just(Op::Look),
    ]
}

fn apply(workspace: &Workspace, op: &Op) {
    let folder = |index: usize| workspace.path(&format!("specs/{}", FOLDERS[index]));
    match op {
        Op::Write(at, name, text) => {
            workspace.write(&format!("specs/{}/{}", FOLDERS[*at], NAMES[*name]), format!("# Text {text}\n"));
        }
        Op::Remove(at, name) => drop(std::fs::remove_file(folder(*at).join(NAMES[*name]))),
        Op::RemoveFolder(at) => drop(std::fs::remove_dir_all(folder(*at))),
        Op::Rename(from, to) => drop(std::fs::rename(folder(*from), folder(*to))),
        Op::Look => {}
    }
}

/// What can be told of a snapshot without knowing how it came about.
fn facts(snapshot: &Snapshot) -> BTreeMap<String, (String, bool, bool)> {
    let facts = snapshot.specs.iter().map(|entry| {
        let has_state = entry.state != StateRead::Absent;
        (entry.folder.to_string(), (entry.title().to_owned(), entry.has_plan(), has_state))
    });
    facts.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_store_that_follows_edits_agrees_with_one_that_starts_anew(
        ops in proptest::collection::vec(op(), 1..40),
        flat in any::<bool>(),
    ) {
        let marker = if flat { ".spox/config.toml" } else { ".hewto/config.toml" };
        let workspace = Workspace::with(&[(marker, ""), ("specs/a/spec.md", "# A\n")]);
        let stores = both(&workspace);
        for (index, op) in ops.iter().enumerate() {
            apply(&workspace, op);
            if !matches!(op, Op::Look) && index + 1 < ops.len() {
                continue;
            }
            let expected = facts(&snapshot(&workspace.store()));
            for store in &stores {
                prop_assert_eq!(&facts(&snapshot(store)), &expected);
            }
        }
    }
}
