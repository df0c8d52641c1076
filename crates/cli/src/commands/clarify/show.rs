//! What people see of an interview.

use std::fmt::Write;

use hewto_engine::view::{ClarifyAsks, ClarifyCompleted, ClarifyQuestion};

use crate::ui::{Cell, DIM, GOOD, HEADING, NAME, Table, WARN, one_line, paint, visible};

const RULE: &str = "────────────────────────────────────────";

/// What is known before the questions of a round.
pub(super) fn opening(asks: &ClarifyAsks) -> String {
    let mut out = String::new();
    if let Some(message) = &asks.message {
        let _ = writeln!(out, "{}", paint(WARN, &one_line(message)));
    }
    if asks.status == "started" {
        for known in &asks.detected_from_intent {
            let _ = writeln!(
                out,
                "{} {}",
                paint(DIM, &format!("{}:", one_line(&known.label))),
                one_line(&known.value)
            );
        }
    }
    if asks.status == "started" && !asks.known.is_empty() {
        let facts: Vec<String> =
            asks.known.iter().map(|known| format!("{} {}", known.about, known.value)).collect();
        let _ = writeln!(out, "{} {}", paint(DIM, "known already:"), one_line(&facts.join(", ")));
    }
    out.trim_end().to_owned()
}

/// The open questions, for somebody who answers with another command.
pub(super) fn asks(asks: &ClarifyAsks) -> String {
    let mut out = opening(asks);
    if !out.is_empty() {
        out.push('\n');
    }
    // Behind a choice comes the text that "Other" would ask for; it is shown once somebody has chosen that.
    let waits = |question: &ClarifyQuestion| question.optional && question.depends_on_question_id.is_some();
    for question in asks.questions.iter().filter(|question| !waits(question)) {
        let _ = write!(out, "\n{}", paint(HEADING, &one_line(&question.asked.question)));
        let mut table = Table::indented();
        table.row([Cell::styled("id", DIM), Cell::styled(&question.asked.id, NAME)]);
        if !question.asked.options.is_empty() {
            table.row([Cell::styled("options", DIM), Cell::plain(question.asked.options.join(", "))]);
        }
        if question.optional {
            table.row([Cell::styled("optional", DIM), Cell::plain("yes")]);
        }
        let _ = write!(out, "\n{}", table.render());
    }
    let _ = write!(out, "\n{}", how_to_answer(&asks.questions));
    out.trim_start().to_owned()
}

/// The input ended before the questions did.
pub(super) fn left_open(open: &ClarifyAsks) -> String {
    format!("the interview is kept, with questions open:\n\n{}", asks(open))
}

fn how_to_answer(questions: &[ClarifyQuestion]) -> String {
    let required = questions.iter().filter(|question| !question.optional);
    let pairs: Vec<String> = required.map(|question| format!("{}=…", question.asked.id)).collect();
    format!("answer with `hewto clarify answer {}`\n", pairs.join(" "))
}

/// The end: what was written, and the prompt between two rules.
pub(super) fn completed(done: &ClarifyCompleted) -> String {
    let mut out = String::new();
    if let Some(message) = &done.message {
        let _ = writeln!(out, "{}", paint(WARN, &one_line(message)));
    }
    let _ = writeln!(out, "{}\n", paint(GOOD, &one_line(&done.summary)));
    let files = &done.artifacts;
    let mut table = Table::indented();
    for (name, path) in [
        ("ADR", files.adr.as_ref()),
        ("Task", Some(&files.task)),
        ("State", files.architecture_state.as_ref()),
        ("Prompt", files.agent_prompt.as_ref()),
    ] {
        if let Some(path) = path {
            table.row([Cell::styled(name, DIM), Cell::styled(path, NAME)]);
        }
    }
    let rule = paint(DIM, RULE);
    let _ = write!(out, "{}\n{rule}\n{}\n{rule}\n", table.render(), visible(&done.agent_prompt));
    out.push_str("\nHand this prompt to your coding agent.\n");
    out
}
