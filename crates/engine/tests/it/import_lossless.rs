//! OpenSpec in, out, and in again: no byte is lost on the way, whatever the files say.

use std::collections::BTreeMap;

use hewto_engine::export::{self, Shape};
use hewto_engine::import::{ImportOptions, import};
use proptest::prelude::*;

use crate::support::Fixture;

type Tree = BTreeMap<String, String>;

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zäß ]{0,30}",
        1 => Just("#### Scenario: One".to_owned()),
        1 => Just("### Requirement: Other".to_owned()),
        1 => Just("<!-- spec-id: x -->".to_owned()),
        1 => Just("```".to_owned()),
        1 => Just("---".to_owned()),
        1 => Just("- [ ] 1.1 Do it".to_owned()),
        1 => Just("  | a | b |".to_owned()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let ends = prop_oneof![Just("\n"), Just("\r\n")];
    let mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    (proptest::collection::vec(line(), 0..12), ends, mark).prop_map(|(lines, end, mark)| {
        let body: String = lines.iter().map(|line| format!("{line}{end}")).collect();
        format!("{mark}# Title{end}{end}## Purpose{end}Words that say what it is for.{end}{end}## Requirements{end}{end}### Requirement: A{end}It SHALL.{end}{body}")
    })
}

fn tree() -> impl Strategy<Value = Tree> {
    let name = "[a-z]{2,6}(-[a-z]{2,6})?";
    let specs = proptest::collection::btree_map(name, text(), 1..4);
    let open = proptest::collection::btree_map(name, (text(), text()), 0..3);
    let old = proptest::collection::btree_map("2026-01-0[1-9]-[a-z]{3,6}", text(), 0..2);
    (specs, open, old, proptest::option::of(text())).prop_map(|(specs, open, old, project)| {
        let mut tree = Tree::new();
        for (name, text) in specs {
            tree.insert(format!("openspec/specs/{name}/spec.md"), text.clone());
            tree.insert(format!("openspec/specs/{name}/design.md"), text);
        }
        for (name, (proposal, delta)) in open {
            tree.insert(format!("openspec/changes/{name}/proposal.md"), proposal);
            tree.insert(format!("openspec/changes/{name}/specs/some/spec.md"), delta);
        }
        for (name, text) in old {
            tree.insert(format!("openspec/changes/archive/{name}/proposal.md"), text);
        }
        tree.extend(project.map(|text| ("openspec/project.md".to_owned(), text)));
        tree
    })
}

/// Imports a tree into a new workspace, and exports that.
fn through(tree: &Tree) -> Tree {
    let source = tempfile::tempdir().unwrap();
    for (path, text) in tree {
        let path = source.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let f = Fixture::new();
    let options = ImportOptions { format: "openspec".to_owned(), path: Some(source.path().to_owned()) };
    let view = import(f.ws.store(), &f.ctx, &options).unwrap();
    assert!(view.complete, "{:?}", view.left_out);
    export::export(&f.ws, &f.ctx, "openspec", Shape::Tree).unwrap().files.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn openspec_comes_back_to_the_byte(tree in tree()) {
        let once = through(&tree);
        prop_assert_eq!(&once, &tree);
        prop_assert_eq!(through(&once), once);
    }
}
