//! Annotations and the step summary of a GitHub workflow.

use std::fmt::Write;

use super::sentence;
use crate::view::{MatrixView, ProblemSeverity};

/// GitHub shows no more of one level for a step.
const MOST: usize = 10;
/// GitHub takes no larger summary of a step.
const SUMMARY_BYTES: usize = 1_000_000;

/// One command a line: at most ten of a level, then how many more there are.
pub fn annotations(view: &MatrixView) -> String {
    let mut errors = Vec::new();
    let mut warnings = Vec::new();
    for problem in &view.problems {
        let text = format!("{}; {}", problem.message, problem.hint);
        let one = (problem.path.as_str(), problem.line, problem.error.clone(), text);
        match problem.severity {
            ProblemSeverity::Error => errors.push(one),
            ProblemSeverity::Warning => warnings.push(one),
            ProblemSeverity::Info => {}
        }
    }
    for row in view.rows.iter().filter(|row| row.red) {
        errors.push((
            row.file.as_str(),
            row.line,
            super::rule(row),
            format!("{}; {}", sentence(row), row.tag),
        ));
    }
    let mut out = String::new();
    for (level, all) in [("error", &errors), ("warning", &warnings)] {
        for (file, line, title, text) in all.iter().take(MOST) {
            let _ = writeln!(
                out,
                "::{level} file={},line={line},title={}::{}",
                property(file),
                property(title),
                data(text)
            );
        }
        if all.len() > MOST {
            let _ = writeln!(
                out,
                "{} more of this level; the step summary and `hewto proof` name all",
                all.len() - MOST
            );
        }
    }
    let _ = writeln!(out, "{}", data(&view.summary.line));
    out
}

/// What goes into the file that `GITHUB_STEP_SUMMARY` names.
pub fn step_summary(view: &MatrixView) -> String {
    let mut text = super::markdown(view);
    if text.len() > SUMMARY_BYTES {
        let cut = (0..=SUMMARY_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(text[..cut].rfind('\n').map_or(cut, |at| at + 1));
        text.push_str(
            "\nThe table is longer than a summary may be; `hewto proof --format md` has all of it.\n",
        );
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
