use hewto_store::{Context, Start};

use super::ChangeFolder;
use crate::workspace::Workspace;

fn delta(name: &str) -> String {
    format!(
        "## ADDED Requirements\n\n### Requirement: {name}\nThe system SHALL do it.\n\n#### Scenario: Plain\n- **WHEN** a\n- **THEN** b\n"
    )
}

#[test]
fn a_change_is_compared_with_those_that_touch_the_same_specs_and_no_others_are_read() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = home.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    write(".hewto/config.toml", "[project]\nname = \"shop\"\n");
    for (change, spec) in
        [("one", "accounts"), ("two", "accounts"), ("three", "orders"), ("four", "mail/sent")]
    {
        write(&format!("changes/{change}/proposal.md"), "# Change: It\n");
        write(&format!("changes/{change}/specs/{spec}/spec.md"), &delta(change));
    }
    write("changes/one/specs/mail/sent/spec.md", &delta("five"));
    let ws = Workspace::discover_with(Start::Here(home.path()), None).unwrap();
    let ctx = Context::background();
    let rivals = |name: &str| -> Vec<String> {
        let (named, rivals) = ChangeFolder::load_with_rivals(&ws, &ctx, name).unwrap();
        assert_eq!(named.id(), name);
        rivals.iter().map(|folder| folder.id().to_owned()).collect()
    };
    assert_eq!(rivals("one"), ["four", "two"]);
    assert_eq!(rivals("two"), ["one"]);
    assert!(rivals("three").is_empty());
}
