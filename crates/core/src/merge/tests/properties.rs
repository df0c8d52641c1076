//! What holds whatever the texts are.

use proptest::prelude::*;

use super::*;

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

/// Sections behind a requirement, by number.
fn notes(numbers: &[usize]) -> String {
    numbers
        .iter()
        .map(|number| format!("### Note {number}\n\nline {number}\n\n"))
        .collect::<Vec<_>>()
        .concat()
}

fn scenarios(numbers: &[usize]) -> String {
    numbers
        .iter()
        .map(|number| format!("#### Scenario: S{number}\n\n- **WHEN** w{number}\n\n"))
        .collect::<Vec<_>>()
        .concat()
}

fn block(own: &[usize], foreign: &[usize]) -> String {
    format!(
        "### Requirement: A\n\nIt SHALL be.\n\n#### Scenario: S\n\n- **WHEN** w\n\n{}{}",
        scenarios(own),
        notes(foreign)
    )
}

fn some() -> impl Strategy<Value = Vec<usize>> {
    prop::sample::subsequence((0..5).collect::<Vec<_>>(), 0..5)
}

proptest! {
    /// Three sides with scenarios and notes: a line goes only if one side had it from the base and left it out.
    #[test]
    fn every_line_that_nobody_deleted_is_in_the_result(
        base in some(), current in some(), change in some(),
        base_notes in some(), current_notes in some(), change_notes in some(),
        is_last in any::<bool>(),
    ) {
        let rest = if is_last { "" } else { "### Requirement: B\n\nIt SHALL too.\n\n#### Scenario: S\n\n- **WHEN** w\n" };
        let spec = |own: &[usize], foreign: &[usize]| format!("# T\n\n## Purpose\n\nTo be.\n\n## Requirements\n\n{}{rest}", block(own, foreign));
        let (before, now) = (spec(&base, &base_notes), spec(&current, &current_notes));
        let delta = format!("## MODIFIED Requirements\n\n{}", block(&change, &change_notes));
        let case = Case { base: Some((&before, Origin::Written)), ..Case::new(&now, &delta) };
        let Ok(applied) = case.apply() else { return Ok(()) };
        let text = match applied.outcome {
            Outcome::Written(text) => text,
            _ => now.clone(),
        };
        for number in 0..5 {
            let has = |list: &[usize]| list.contains(&number);
            let deleted = has(&base) && !(has(&current) && has(&change));
            if (has(&current) || has(&change)) && !deleted {
                prop_assert!(text.contains(&format!("w{number}")), "scenario {} in {}", number, text);
            }
            if has(&current_notes) || has(&change_notes) {
                prop_assert_eq!(text.matches(&format!("line {number}")).count(), 1, "note {} in {}", number, &text);
            }
        }
        if !is_last {
            prop_assert!(text.contains("### Requirement: B"));
        }
    }
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
