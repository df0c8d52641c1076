use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::change::Origin;

const SPEC: &str = "\
# auth Specification

## Purpose

Keep strangers out.

## Requirements

### Requirement: Login

The system SHALL let users in.

#### Scenario: Right

- **WHEN** right
- **THEN** in

#### Scenario: Wrong

- **WHEN** wrong
- **THEN** out

### Requirement: Logout

The system SHALL let users out.

#### Scenario: Out

- **WHEN** out
- **THEN** gone

## Annex

Free text.
";

const LOGIN: &str = "\
### Requirement: Login

The system SHALL let users in.

#### Scenario: Right

- **WHEN** right
- **THEN** in

#### Scenario: Wrong

- **WHEN** wrong
- **THEN** out
";

struct Case<'a> {
    current: Option<&'a str>,
    delta: &'a str,
    base: Option<(&'a str, Origin)>,
    drops: Drops,
    retirement: Retirement<'a>,
}

impl<'a> Case<'a> {
    fn new(current: &'a str, delta: &'a str) -> Self {
        let current = Some(current);
        Self { current, delta, base: None, drops: Drops::Deliberate, retirement: Retirement::Undeclared }
    }

    fn based_on(mut self, spec: &'a str) -> Self {
        self.base = Some((spec, Origin::Written));
        self
    }

    fn apply(&self) -> Result<Applied, Vec<ArchiveProblem>> {
        let document = Document::parse(self.delta);
        let delta = DeltaDoc::read(&document);
        let base = self.base.map(|(spec, origin)| CapabilityBase::take(&delta, Some(spec), origin));
        apply(&Application {
            capability: "auth",
            change: "c",
            current: self.current,
            delta: &delta,
            delta_text: self.delta,
            base: base.as_ref(),
            drops: self.drops,
            retirement: self.retirement,
        })
    }

    fn written(&self) -> String {
        match self.apply() {
            Ok(Applied { outcome: Outcome::Written(text), .. }) => text,
            other => panic!("{other:#?}"),
        }
    }

    fn refused(&self, message: &str) -> ArchiveProblem {
        let problems = self.apply().expect_err(message);
        let found = problems.iter().find(|problem| problem.message.contains(message));
        found.unwrap_or_else(|| panic!("{message}: {problems:#?}")).clone()
    }
}

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
        ("## ADDED Requirements\n### Requirement: A\n### Requirement: A\n", "stands twice under ADDED", "A"),
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
        ("## Requirements\n### Requirement: A\nx\n### Requirement: A\ny\n", "`A` stands twice in the spec"),
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

fn anything() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# T\n"),
        Just("## Purpose\n"),
        Just("## Requirements\n"),
        Just("## ADDED Requirements\n"),
        Just("## MODIFIED Requirements\r\n"),
        Just("## REMOVED Requirements\n"),
        Just("## RENAMED Requirements\n"),
        Just("### Requirement: A\n"),
        Just("### Requirement: B ä\n"),
        Just("### Requirement: A -> C\n"),
        Just("### Notes\n"),
        Just("#### Scenario: X\n"),
        Just("#### Scenario: 🙂\n"),
        Just("- **WHEN** x\n"),
        Just("text\n"),
        Just("```\n"),
        Just("<!--\n"),
        Just("\n"),
        Just("  "),
    ];
    prop_oneof![9 => prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn whatever_the_texts_what_is_not_touched_stays(spec in anything(), delta in anything(), base in anything()) {
        let case = Case { base: Some((&base, Origin::Written)), ..Case::new(&spec, &delta) };
        let Ok(applied) = case.apply() else { return Ok(()) };
        let Outcome::Written(text) = applied.outcome else { return Ok(()) };
        let delta_document = Document::parse(&delta);
        let delta = DeltaDoc::read(&delta_document);
        let (before, after) = (Document::parse(&spec), Document::parse(&text));
        let (before, after) = (crate::requirement::SpecDoc::read(&before), crate::requirement::SpecDoc::read(&after));
        let is_touched = |name: &str| {
            delta.modified.iter().any(|r| r.name == name)
                || delta.removed.iter().any(|r| r.name == name)
                || delta.renamed.iter().any(|r| r.from == name || r.to == name)
        };
        for requirement in before.requirements.iter().filter(|r| !is_touched(r.name)) {
            let found = after.requirements.iter().find(|theirs| theirs.name == requirement.name);
            prop_assert_eq!(found.map(|theirs| theirs.raw), Some(requirement.raw));
        }
    }

    #[test]
    fn applying_twice_changes_nothing_more(spec in anything(), delta in anything()) {
        if let Ok(Applied { outcome: Outcome::Written(text), .. }) = Case::new(&spec, &delta).apply()
            && let Ok(Applied { outcome: Outcome::Written(again), .. }) = Case::new(&text, &delta).apply()
        {
            prop_assert_eq!(again, text);
        }
    }

    #[test]
    fn renaming_there_and_back_gives_the_same_bytes(spec in anything()) {
        let there = "## RENAMED Requirements\n### Requirement: A -> Zz\n";
        let back = "## RENAMED Requirements\n### Requirement: Zz -> A\n";
        if let Ok(Applied { outcome: Outcome::Written(text), .. }) = Case::new(&spec, there).apply() {
            prop_assert_eq!(Case::new(&text, back).written(), spec);
        }
    }

    #[test]
    fn adding_and_removing_leaves_at_most_blank_lines(spec in anything()) {
        let add = "## ADDED Requirements\n### Requirement: Zz\nIt MUST.\n";
        let remove = "## REMOVED Requirements\n- ### Requirement: Zz\n";
        let has_other = crate::requirement::SpecDoc::read(&Document::parse(&spec)).requirements.len();
        if let Ok(Applied { outcome: Outcome::Written(text), .. }) = Case::new(&spec, add).apply()
            && has_other > 0
        {
            let lines = |text: &str| {
                let lines = text.lines().filter(|line| !line.trim().is_empty());
                lines.map(str::to_owned).collect::<Vec<_>>()
            };
            prop_assert_eq!(lines(&Case::new(&text, remove).written()), lines(&spec));
        }
    }

    #[test]
    fn cutting_and_joining_gives_the_same_bytes(spec in anything()) {
        let document = Document::parse(&spec);
        if crate::requirement::SpecDoc::read(&document).requirements_heading.is_some() {
            prop_assert_eq!(slots::Slots::cut(&spec, &document).join(), spec);
        }
    }
}
