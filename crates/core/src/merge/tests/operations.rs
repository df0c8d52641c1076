//! The four operations on a spec that nobody else has changed.

use super::*;

#[test]
fn a_modified_requirement_changes_in_place_and_nothing_else_does() {
    let changed = LOGIN.replace("let users in", "let friends in");
    let delta = format!("## MODIFIED Requirements\n\n{changed}\n\n\n");
    assert_eq!(Case::new(SPEC, &delta).written(), SPEC.replace("let users in", "let friends in"));
    let windows = SPEC.replace('\n', "\r\n");
    assert_eq!(Case::new(&windows, &delta).written(), windows.replace("let users in", "let friends in"));
    let marked = format!("\u{feff}{SPEC}");
    assert_eq!(Case::new(&marked, &delta).written(), marked.replace("let users in", "let friends in"));
}

#[test]
fn requirements_are_added_behind_the_others_before_the_next_section() {
    let delta = "## ADDED Requirements\n### Requirement: New\nIt MUST.\n#### Scenario: S\n- x\n";
    let new = "### Requirement: New\nIt MUST.\n#### Scenario: S\n- x";
    assert_eq!(Case::new(SPEC, delta).written(), SPEC.replace("## Annex", &format!("{new}\n\n## Annex")));
    for (spec, expected) in [
        (
            "## Requirements\n### Requirement: A\nx",
            format!("## Requirements\n### Requirement: A\nx\n\n{new}\n"),
        ),
        (
            "## Requirements\n### Requirement: A\nx\n",
            format!("## Requirements\n### Requirement: A\nx\n\n{new}\n"),
        ),
        ("## Requirements\n", format!("## Requirements\n\n{new}\n")),
        ("# T\n\nSome text", format!("# T\n\nSome text\n\n## Requirements\n\n{new}\n")),
        (
            "## Requirements\n### Requirement: A\nx\n## Z\n",
            format!("## Requirements\n### Requirement: A\nx\n\n{new}\n\n## Z\n"),
        ),
    ] {
        assert_eq!(Case::new(spec, delta).written(), expected, "{spec:?}");
    }
}

#[test]
fn requirements_are_removed_with_the_gap_behind_them() {
    let delta = "## REMOVED Requirements\n- `### Requirement: Login`\n";
    assert_eq!(Case::new(SPEC, delta).written(), SPEC.replace(&format!("{LOGIN}\n"), ""));
    let delta = "## REMOVED Requirements\n### Requirement: Logout\n**Reason**: x\n";
    let short = SPEC.split("\n## Annex").next().unwrap();
    assert_eq!(Case::new(short, delta).written(), short.split("\n### Requirement: Logout").next().unwrap());
}

#[test]
fn a_renamed_requirement_keeps_its_place_and_its_dress() {
    let spec = SPEC.replace("### Requirement: Login", "###   requirement:  Login ##");
    let delta =
        "## RENAMED Requirements\n- FROM: `### Requirement: Login`\n- TO: `### Requirement: Sign-in`\n";
    assert_eq!(Case::new(&spec, delta).written(), spec.replace("Login", "Sign-in"));
    let arrow = "## RENAMED Requirements\n### Requirement: Login → Sign-in\n";
    assert_eq!(Case::new(&spec, arrow).written(), spec.replace("Login", "Sign-in"));
}

#[test]
fn a_rename_chain_with_a_modification_works_on_the_last_name() {
    let changed = LOGIN.replace("Login", "C").replace("let users in", "let friends in");
    let delta = format!(
        "## RENAMED Requirements\n### Requirement: Login -> B\n### Requirement: B -> C\n## MODIFIED Requirements\n{changed}"
    );
    let expected = SPEC.replace("Login", "C").replace("let users in", "let friends in");
    assert_eq!(Case::new(SPEC, &delta).written(), expected);
    assert_eq!(Case::new(SPEC, &delta).based_on(SPEC).written(), expected);
}

#[test]
fn what_is_already_so_is_left_alone() {
    for delta in [
        format!("## ADDED Requirements\n{LOGIN}"),
        format!("## MODIFIED Requirements\n{}", LOGIN.replace('\n', "  \r\n")),
        "## REMOVED Requirements\n- ### Requirement: Gone\n".to_owned(),
        "## RENAMED Requirements\n### Requirement: Old -> Login\n".to_owned(),
    ] {
        let applied = Case::new(SPEC, &delta).apply().unwrap();
        assert_eq!(applied.outcome, Outcome::Unchanged, "{delta}");
        assert_eq!(applied.counts.total(), 0);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_name() {
    for (delta, message, requirement) in [
        (
            "## MODIFIED Requirements\n### Requirement: Nope\nx\n",
            "`Nope` is to be modified, but it is not",
            "Nope",
        ),
        (
            "## MODIFIED Requirements\n### Requirement: login\nx\n",
            "`login` is not in the spec, but `Login` is",
            "login",
        ),
        ("## REMOVED Requirements\n- ### Requirement: LOGIN\n", "but `Login` is", "LOGIN"),
        ("## ADDED Requirements\n### Requirement: Login\nother\n", "`Login` is in the spec already", "Login"),
        (
            "## ADDED Requirements\n### Requirement: log  in\nx\n### Requirement: LOGIN\n",
            "differs from",
            "LOGIN",
        ),
        (
            "## RENAMED Requirements\n### Requirement: Login -> Logout\n",
            "`Logout` is in the spec already",
            "Logout",
        ),
        ("## RENAMED Requirements\n### Requirement: Login -> logout\n", "differs from", "logout"),
        ("## RENAMED Requirements\n### Requirement: A -> B\n", "`A` is to be renamed, but", "A"),
        ("## RENAMED Requirements\n- FROM: ### Requirement: Login\n", "has no `TO:`", "Login"),
        ("## ADDED Requirements\n### Requirement: A\n### Requirement: A\n", "appears twice under ADDED", "A"),
        (
            "## MODIFIED Requirements\n### Requirement: Login\n## REMOVED Requirements\n- ### Requirement: Login\n",
            "under MODIFIED and under REMOVED",
            "Login",
        ),
        (
            "## RENAMED Requirements\n### Requirement: Login -> X\n## MODIFIED Requirements\n### Requirement: Login\n",
            "modified under its old name",
            "Login",
        ),
        (
            "## RENAMED Requirements\n### Requirement: Login -> X\n## ADDED Requirements\n### Requirement: X\n",
            "under RENAMED (to) and under ADDED",
            "X",
        ),
    ] {
        let problem = Case::new(SPEC, delta).refused(message);
        assert_eq!(problem.requirement.as_deref(), Some(requirement), "{delta}");
        assert_eq!(problem.capability, "auth");
    }
    Case::new(SPEC, "## ADDED Requirements\n").refused("names no requirement");
    let case = Case { current: None, ..Case::new("", "## MODIFIED Requirements\n### Requirement: A\nx\n") };
    case.refused("there is no spec `auth`");
}

#[test]
fn all_problems_are_listed_at_once() {
    let delta = "## MODIFIED Requirements\n### Requirement: A\n### Requirement: B\n";
    assert_eq!(Case::new(SPEC, delta).apply().unwrap_err().len(), 2);
}

#[test]
fn a_spec_that_hides_requirements_is_not_updated() {
    let delta = "## ADDED Requirements\n### Requirement: New\nIt MUST.\n";
    for (spec, message) in [
        ("## ADDED Requirements\n### Requirement: A\nx\n", "the heading `## ADDED Requirements` of a delta"),
        ("## Notes\n### Requirement: A\nx\n", "outside the spec's `## Requirements`"),
        ("## Requirements\n### Requirement: A\nx\n### Requirement: A\ny\n", "`A` appears twice in the spec"),
    ] {
        Case::new(spec, delta).refused(message);
    }
}

#[test]
fn a_new_spec_has_the_purpose_of_the_delta_or_says_that_it_has_none() {
    let new = "### Requirement: A\nIt MUST.\n";
    for (purpose, expected) in [
        ("", "TBD - created by archiving change c. Update Purpose after archive."),
        ("## Purpose\n\n  To be.\n  And be.\n\n", "To be.\n  And be."),
        (
            "## Purpose\n<!-- fill in -->\n",
            "TBD - created by archiving change c. Update Purpose after archive.",
        ),
        (
            "## Purpose\nReal.\n<!-- x -->\n",
            "TBD - created by archiving change c. Update Purpose after archive.",
        ),
        (
            "<!-- ## Purpose\nNot this.\n-->\n",
            "TBD - created by archiving change c. Update Purpose after archive.",
        ),
    ] {
        let delta = format!("{purpose}## ADDED Requirements\n{new}");
        let case = Case { current: None, ..Case::new("", &delta) };
        let expected = format!("# auth Specification\n\n## Purpose\n{expected}\n\n## Requirements\n\n{new}");
        assert_eq!(case.written(), expected, "{purpose:?}");
    }
}

fn declared<'a>(spec: &'a str, delta: &'a str) -> Case<'a> {
    Case { retirement: Retirement::Declared, ..Case::new(spec, delta) }
}

#[test]
fn the_last_requirement_goes_only_when_the_change_says_so() {
    let delta = "## REMOVED Requirements\n- ### Requirement: Login\n";
    let spec = format!("# auth\n\n## Purpose\nx\n\n## Requirements\n\n{LOGIN}");
    Case::new(&spec, delta).refused("removes the last requirement");
    assert_eq!(declared(&spec, delta).apply().unwrap().outcome, Outcome::Retired);
    for more in ["\nA note.\n", "\n## Annex\nx\n", "\n### Notes\nx\n"] {
        declared(&format!("{spec}{more}"), delta).refused("holds more than requirements");
    }
    declared(&spec.replace("## Purpose", "Preface.\n\n## Purpose"), delta).refused("`Preface.`");
    let case = Case { current: None, ..declared("", delta) };
    assert_eq!(case.apply().unwrap().outcome, Outcome::Unchanged);
}

#[test]
fn foreign_headings_survive() {
    let spec = SPEC.replace("### Requirement: Logout", "### Notes\n\nKeep me.\n\n### Requirement: Logout");
    let delta = format!("## MODIFIED Requirements\n{}", LOGIN.replace("users", "friends"));
    let applied = Case::new(&spec, &delta).apply().unwrap();
    assert_eq!(applied.outcome, Outcome::Written(spec.replacen("users", "friends", 1)));
    assert!(
        applied.notes.iter().any(|note| note.kind == NoteKind::Kept && note.message.contains("`### Notes`"))
    );
    let delta = "## REMOVED Requirements\n- ### Requirement: Login\n";
    assert!(
        Case::new(&spec, delta)
            .written()
            .contains("## Requirements\n\n### Notes\n\nKeep me.\n\n### Requirement: Logout")
    );
    let delta =
        format!("## MODIFIED Requirements\n{}\n### Notes\n\nKeep me.\n", LOGIN.replace("users", "friends"));
    assert_eq!(Case::new(&spec, &delta).written(), spec.replacen("users", "friends", 1));
}

/// A requirement of the spec has changed since the change was written, and the change repeats what stands behind it.
#[test]
fn what_stands_behind_a_requirement_survives_a_merge_and_comes_with_the_change() {
    let notes = "### Notes\n\nKeep me.";
    let base = SPEC.replace("### Requirement: Logout", &format!("{notes}\n\n### Requirement: Logout"));
    let current = base.replacen(
        "#### Scenario: Wrong",
        "#### Scenario: Late\n\n- **WHEN** late\n\n#### Scenario: Wrong",
        1,
    );
    let login = LOGIN.trim_end();
    for extra in ["", "\n\n### More\n\nNew here."] {
        let delta = format!(
            "## MODIFIED Requirements\n{login}\n\n#### Scenario: Locked\n\n- **WHEN** locked\n\n{notes}{extra}\n"
        );
        let case = Case { base: Some((&base, Origin::Written)), ..Case::new(&current, &delta) };
        let text = case.written();
        for line in ["Keep me.", "#### Scenario: Late", "#### Scenario: Locked", extra.trim()] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert_eq!(text.matches("Keep me.").count(), 1, "{text}");
        // The spec says all of it now.
        assert_eq!(
            Case { base: Some((&base, Origin::Written)), ..Case::new(&text, &delta) }
                .apply()
                .unwrap()
                .outcome,
            Outcome::Unchanged
        );
    }
}
