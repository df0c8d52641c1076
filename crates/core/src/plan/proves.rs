//! What a step proves: `- **Proves:** ref, ref` below it, or `_Requirements: ref_` as task lists have it, below or behind its title.
//!
//! The line is part of the step's description, so that it travels with it, and is read from there.

use crate::proof::Ref;

/// The promises that a step names; words that are no references are passed over.
pub fn proves(title: &str, description: &str) -> Vec<Ref> {
    let mut refs: Vec<Ref> = Vec::new();
    for list in emphasised(title).into_iter().chain(description.lines().filter_map(labelled)) {
        for word in list.split([',', ' ', '\t']) {
            let word = word.trim_matches(['`', '_', '*', '.', ';', '(', ')', '[', ']']);
            if let Ok(reference) = Ref::parse(word)
                && !refs.contains(&reference)
            {
                refs.push(reference);
            }
        }
    }
    refs
}

/// A description with a line that names what the step proves.
pub fn with_proves(description: &str, refs: &[Ref], style: ProvesStyle) -> String {
    if refs.is_empty() {
        return description.to_owned();
    }
    let list = refs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let line = match style {
        ProvesStyle::Bullet => format!("- **Proves:** {list}"),
        ProvesStyle::Emphasis => format!("_Requirements: {list}_"),
    };
    match description.trim_end() {
        "" => line,
        text => format!("{text}\n\n{line}"),
    }
}

/// How the line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvesStyle {
    /// `- **Proves:** ref`, as in `plan.md`.
    Bullet,
    /// `_Requirements: ref_`, as in `tasks.md`.
    Emphasis,
}

/// What follows `_Requirements:` or `_Proves:` behind the words of a title: a task of one line has no other place for it.
fn emphasised(title: &str) -> Option<&str> {
    let mut at = title.match_indices('_').map(|(at, _)| &title[at..]);
    at.find_map(labelled)
}

/// What follows the label, where a line has it.
fn labelled(line: &str) -> Option<&str> {
    let bare = line.trim().trim_start_matches(['-', '*', '+', '_', ' ', '>']);
    ["proves:", "requirements:"].into_iter().find_map(|label| {
        let start = bare.get(..label.len())?;
        start.eq_ignore_ascii_case(label).then(|| &bare[label.len()..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, PlanStep};

    fn names(text: &str) -> Vec<String> {
        proves("", text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_task_of_one_line_says_it_behind_its_title() {
        let named = |title: &str| proves(title, "").iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            named("Lock it _Requirements: accounts#lockout/third-try_"),
            ["accounts#lockout/third-try"]
        );
        assert_eq!(named("Lock_it (_Proves: a#b, a#c_)"), ["a#b", "a#c"]);
        assert_eq!(named("Requirements: a#b are read by nobody here"), [""; 0]);
    }

    #[test]
    fn both_spellings_are_read() {
        assert_eq!(
            names("Do it.\n- **Proves:** accounts#sign-in/known, `accounts#lockout`"),
            ["accounts#sign-in/known", "accounts#lockout"]
        );
        assert_eq!(names("Do it.\n\n_Requirements: accounts#mail_"), ["accounts#mail"]);
        assert_eq!(names("_Requirements: 1.1, 2.3_"), [""; 0], "numbers of other tools are not references");
        assert_eq!(names("It proves: nothing"), [""; 0]);
    }

    #[test]
    fn what_is_written_is_read_back_from_a_plan() {
        let refs = [Ref::parse("a#b/c").unwrap(), Ref::parse("d#e").unwrap()];
        for description in ["", "Write the table.", "One.\n\n- a list\n- of things"] {
            for style in [ProvesStyle::Bullet, ProvesStyle::Emphasis] {
                let step = PlanStep {
                    title: "Step".to_owned(),
                    description: with_proves(description, &refs, style),
                    ..PlanStep::default()
                };
                assert_eq!(proves("", &step.description), refs);
                let plan = Plan { approach: "x".to_owned(), steps: vec![step], ..Plan::default() };
                let read = Plan::read(&plan.render()).0;
                assert_eq!(proves("", &read.steps[0].description), refs, "{}", plan.render());
            }
        }
    }
}
