//! `hewto clarify status`.

use hewto_engine::decision::{self, Repository};
use hewto_engine::view::{AnswerValue, ClarifyAnswer, ClarifyState};

use crate::failure::{Outcome, Verdict};
use crate::place::context;
use crate::ui::{Cell, DIM, GOOD, NAME, Table, Ui, facts};

/// Show the interview that is open
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ui: &mut Ui, repository: &Repository) -> Outcome {
    let state = decision::status(repository, &context())?;
    ui.answer(&state, render)?;
    Ok(Verdict::Yes)
}

fn render(state: &ClarifyState) -> String {
    let mut table = Table::indented();
    for question in &state.questions {
        let mark = if question.answered { Cell::styled("answered", GOOD) } else { Cell::styled("open", DIM) };
        table.row([Cell::styled(&question.id, NAME), mark, Cell::plain(said(question))]);
    }
    let about = [("intention", Cell::plain(&state.intention)), ("until", Cell::plain(&state.expires_at))];
    format!("{}\n{}", facts(about), table.render())
}

fn said(question: &ClarifyAnswer) -> String {
    match &question.value {
        Some(AnswerValue::One(text)) => text.clone(),
        Some(AnswerValue::Many(texts)) => texts.join(", "),
        None => question.question.clone().unwrap_or_default(),
    }
}
