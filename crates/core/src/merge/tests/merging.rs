//! A requirement from its base, the spec and the change.

use std::fmt::Write;

use super::*;

/// The login requirement with scenarios, each a name and its words.
fn login(text: &str, scenarios: &[(&str, &str)]) -> String {
    let mut out = format!("### Requirement: Login\n\n{text}\n");
    for (name, words) in scenarios {
        let _ = write!(out, "\n#### Scenario: {name}\n\n- **WHEN** {words}\n- **THEN** ok\n");
    }
    out
}

fn spec_with(login: &str) -> String {
    format!("## Purpose\nx\n\n## Requirements\n\n{login}")
}

#[test]
fn base_spec_and_change_are_merged_by_scenario() {
    let base = &[("A", "a"), ("B", "b")][..];
    for (what, current, proposed, merged) in [
        (
            "unchanged base: the change's order",
            base,
            &[("C", "c"), ("B", "b"), ("A", "a")][..],
            &[("C", "c"), ("B", "b"), ("A", "a")][..],
        ),
        (
            "both add",
            &[("A", "a"), ("B", "b"), ("S", "s")],
            &[("A", "a"), ("B", "b"), ("P", "p")],
            &[("A", "a"), ("B", "b"), ("S", "s"), ("P", "p")],
        ),
        (
            "spec order stays",
            &[("S", "s"), ("B", "b"), ("A", "a")],
            &[("P", "p"), ("A", "a2"), ("B", "b")],
            &[("S", "s"), ("B", "b"), ("A", "a2"), ("P", "p")],
        ),
        (
            "each changes another",
            &[("A", "a2"), ("B", "b")],
            &[("A", "a"), ("B", "b2")],
            &[("A", "a2"), ("B", "b2")],
        ),
        (
            "both change alike",
            &[("A", "a2"), ("B", "b")],
            &[("A", "a2"), ("B", "b2")],
            &[("A", "a2"), ("B", "b2")],
        ),
        (
            "both add alike",
            &[("A", "a"), ("B", "b"), ("N", "n")],
            &[("A", "a"), ("B", "b"), ("N", "n")],
            &[("A", "a"), ("B", "b"), ("N", "n")],
        ),
        ("the change drops", &[("A", "a"), ("B", "b"), ("S", "s")], &[("A", "a")], &[("A", "a"), ("S", "s")]),
        ("the spec dropped", &[("A", "a")], &[("A", "a2"), ("B", "b")], &[("A", "a2")]),
    ] {
        let (base, current) = (spec_with(&login("T.", base)), spec_with(&login("T.", current)));
        let delta = format!("## MODIFIED Requirements\n{}", login("T.", proposed));
        let expected = spec_with(&login("T.", merged));
        let applied = Case::new(&current, &delta).based_on(&base).apply().unwrap();
        match applied.outcome {
            Outcome::Written(text) => assert_eq!(text, expected, "{what}"),
            _ => assert_eq!(current, expected, "{what}"),
        }
        let windows = current.replace('\n', "\r\n");
        if let Outcome::Written(text) = Case::new(&windows, &delta).based_on(&base).apply().unwrap().outcome {
            assert_eq!(text, expected.replace('\n', "\r\n"), "{what}");
        }
    }
}

#[test]
fn a_true_conflict_names_requirement_and_scenario() {
    let base = &[("A", "a"), ("B", "b")][..];
    for (current, proposed, scenario, message) in [
        (
            &[("A", "s"), ("B", "b")][..],
            &[("A", "p"), ("B", "b")][..],
            "A",
            "changed in the spec and differently in the change",
        ),
        (
            &[("A", "a"), ("B", "b"), ("N", "s")],
            &[("A", "a"), ("B", "b"), ("N", "p")],
            "N",
            "added to the spec and differently",
        ),
        (&[("A", "s"), ("B", "b")], &[("B", "b")], "A", "left out by the change"),
        (&[("B", "b")], &[("A", "p"), ("B", "b")], "A", "left the spec and was changed"),
    ] {
        let (base, current) = (spec_with(&login("T.", base)), spec_with(&login("T.", current)));
        let delta = format!("## MODIFIED Requirements\n{}", login("T.", proposed));
        let problem = Case::new(&current, &delta).based_on(&base).refused(message);
        assert_eq!(problem.requirement.as_deref(), Some("Login"));
        assert_eq!(problem.scenario.as_deref(), Some(scenario));
    }
    let specs = ["T.", "S."].map(|text| spec_with(&login(text, base)));
    let delta = format!("## MODIFIED Requirements\n{}", login("P.", base));
    Case::new(&specs[1], &delta).based_on(&specs[0]).refused("the text of the requirement was changed");
    let removal = "## REMOVED Requirements\n- ### Requirement: Login\n";
    Case::new(&specs[1], removal).based_on(&specs[0]).refused("`Login` was changed in the spec since");
    let grown = spec_with(&login("T.", &[("A", "a"), ("B", "b"), ("N", "n")]));
    let problem =
        Case::new(&grown, removal).based_on(&specs[0]).refused("scenario `N` of `Login` came or changed");
    assert_eq!(problem.scenario.as_deref(), Some("N"));
}

#[test]
fn without_a_known_base_no_scenario_is_dropped() {
    let spec = spec_with(&login("T.", &[("A", "a"), ("B", "b")]));
    let delta = format!("## MODIFIED Requirements\n{}", login("T.", &[("A", "a")]));
    let problem = Case::new(&spec, &delta).refused("not known that this is on purpose");
    assert_eq!(problem.scenario.as_deref(), Some("B"));
    // A base that was taken when the scenario was already missing says nothing.
    let observed = Case { base: Some((&spec, Origin::Observed)), ..Case::new(&spec, &delta) };
    observed.refused("not known that this is on purpose");
    // With a base from when the change was written it goes, and is told.
    let applied = Case::new(&spec, &delta).based_on(&spec).apply().unwrap();
    assert!(
        applied
            .notes
            .iter()
            .any(|note| note.kind == NoteKind::Dropped && note.scenario.as_deref() == Some("B"))
    );
    let strict = Case { drops: Drops::Never, ..Case::new(&spec, &delta).based_on(&spec) };
    strict.refused("a modified requirement keeps all its scenarios");
}

#[test]
fn scenarios_with_the_same_name_are_counted() {
    let spec = spec_with(&login("T.", &[("A", "1"), ("A", "2")]));
    let delta = format!("## MODIFIED Requirements\n{}", login("T.", &[("A", "1")]));
    Case::new(&spec, &delta).refused("scenario `A` of the spec is not in the change");
}

#[test]
fn a_requirement_that_was_renamed_meanwhile_is_pointed_at() {
    let base = spec_with(&login("T.", &[("A", "a")]));
    let current = base.replace("Login", "Sign-in");
    let delta = format!("## MODIFIED Requirements\n{}", login("P.", &[("A", "a")]));
    let problem = Case::new(&current, &delta).based_on(&base).refused("`Login` is to be modified, but");
    assert!(problem.hint.contains("`Sign-in`"), "{}", problem.hint);
    let removal = "## REMOVED Requirements\n- ### Requirement: Login\n";
    Case::new(&current, removal).based_on(&base).refused("`Login` is to be removed, but");
}

#[test]
fn a_name_that_another_requirement_took_is_not_taken_for_the_old_one() {
    let two = "## Purpose\np\n## Requirements\n### Requirement: A\nIt SHALL a.\n#### Scenario: S\n- x\n\
               ### Requirement: B\nIt SHALL b.\n#### Scenario: S\n- x\n";
    let swapped = two.replace(": A\n", ": X\n").replace(": B\n", ": A\n").replace(": X\n", ": B\n");
    let rename = "## RENAMED Requirements\n### Requirement: A -> C\n";
    let taken = two.replace(": A\n", ": D\n").replace(": B\n", ": C\n");
    let problem = Case::new(&taken, rename).based_on(two).refused("`C` is another requirement");
    assert_eq!(problem.hint, "it looks renamed to `D`: rename that, or take the entry out");
    let modify = "## MODIFIED Requirements\n### Requirement: A\nIt SHALL a.\n#### Scenario: S\n- x\n#### Scenario: N\n- n\n";
    let problem = Case::new(&swapped, modify).based_on(two).refused("no longer the one");
    assert!(problem.hint.starts_with("its text is now that of `B`"), "{}", problem.hint);
    let same = Case::new(two.replace(": A\n", ": C\n").leak(), rename).based_on(two).apply().unwrap();
    assert_eq!(same.outcome, Outcome::Unchanged);
}

#[test]
fn a_requirement_that_was_renamed_and_modified_at_once_is_pointed_at() {
    let before = login("It SHALL log in.", &[("A", "1"), ("B", "2"), ("C", "3")]);
    let after =
        login("It SHALL sign in.", &[("A", "1"), ("B", "2"), ("D", "4")]).replace(": Login", ": Sign in");
    let delta =
        format!("## MODIFIED Requirements\n{}", login("It SHALL.", &[("A", "1"), ("B", "2"), ("C", "3")]));
    let (spec, base) = (spec_with(&after), spec_with(&before));
    let problem =
        Case::new(&spec, &delta).based_on(&base).refused("is to be modified, but it is not in the spec");
    assert_eq!(problem.hint, "it looks renamed: most of its scenarios are now in `Sign in`");
}

#[test]
fn a_scenario_written_back_with_its_clauses_joined_is_no_edit() {
    let apart = "- **GIVEN** a\n- **AND** b\n- **WHEN** c\n- **THEN** d";
    let spec = |body: &str| {
        spec_with(&format!("### Requirement: Login\nIt SHALL\nlog in.\n\n#### Scenario: S\n{body}\n"))
    };
    let delta = "## MODIFIED Requirements\n### Requirement: Login\nIt SHALL log in.\n\n#### Scenario: S\n\
                 - **GIVEN** a and b\n- **WHEN** c\n- **THEN** d\n\n#### Scenario: N\n- **WHEN** n\n- **THEN** m\n";
    let (base, current) = (spec(apart), spec(&apart.replace("THEN** d", "THEN** e")));
    let written = Case::new(&current, delta).based_on(&base).written();
    assert!(written.contains("- **AND** b\n") && written.contains("- **THEN** e"), "{written}");
    assert!(written.contains("#### Scenario: N"), "{written}");
}

/// The login requirement with scenarios, each an id, a name and its words.
fn pinned(scenarios: &[(&str, &str, &str)]) -> String {
    let mut out = "### Requirement: Login\n\nT.\n".to_owned();
    for (id, name, words) in scenarios {
        let _ = write!(
            out,
            "\n#### Scenario: {name}\n\n<!-- spec-id: {id} -->\n\n- **WHEN** {words}\n- **THEN** ok\n"
        );
    }
    out
}

#[test]
fn a_scenario_with_an_id_is_the_same_whatever_it_is_called() {
    let spec = |scenarios: &[(&str, &str, &str)]| spec_with(&pinned(scenarios));
    let delta = |scenarios: &[(&str, &str, &str)]| format!("## MODIFIED Requirements\n{}", pinned(scenarios));
    let base = spec(&[("1.1", "1.1 in", "a"), ("1.2", "1.2 out", "b")]);

    // Both sides edit it, and its heading carries the sentence: a conflict, not two scenarios.
    let here = spec(&[("1.1", "1.1 in red", "a red"), ("1.2", "1.2 out", "b")]);
    let change = delta(&[("1.1", "1.1 in twice", "a twice"), ("1.2", "1.2 out", "b")]);
    let problem = Case::new(&here, &change).based_on(&base).refused("changed in the spec and differently");
    assert_eq!(problem.scenario.as_deref(), Some("1.1 in red"));

    // Each edits another one.
    let change = delta(&[("1.1", "1.1 in", "a"), ("1.2", "1.2 away", "c")]);
    let merged = Case::new(&here, &change).based_on(&base).written();
    assert_eq!(merged, spec(&[("1.1", "1.1 in red", "a red"), ("1.2", "1.2 away", "c")]));

    // One that was taken away is found by its id, and a namesake with another id is another one.
    let problem = Case::new(&here, &delta(&[("1.2", "1.2 out", "b"), ("1.3", "1.1 in", "n")]))
        .based_on(&base)
        .refused("left out by the change");
    assert_eq!(problem.scenario.as_deref(), Some("1.1 in red"));

    // An id that one side alone has written down changes nothing of what it is.
    let bare = spec_with(&login("T.", &[("1.1 in", "a"), ("1.2 out", "b")]));
    let change = delta(&[("1.1", "1.1 in", "a"), ("1.2", "1.2 out", "c")]);
    let merged = Case::new(&bare, &change).based_on(&bare).written();
    assert_eq!(merged, spec(&[("1.1", "1.1 in", "a"), ("1.2", "1.2 out", "c")]));
}
