//! `hewto proof [TARGET]`: the table of promises.

use std::fmt::Write as _;
use std::io::Write as _;

use hewto_engine::proof::{self, Query, format};
use hewto_engine::view::{
    CaseOutcome, MatrixView, PlaceView, ProblemSeverity, PromiseView, RunStatus, State,
};

use super::run as runs;
use crate::env;
use crate::failure::{Outcome, Verdict, machine, usage};
use crate::place::{Place, context};
use crate::ui::{BAD, Cell, DIM, GOOD, NAME, Table, Ui, WARN, count, one_line, paint};

#[derive(Debug, clap::Args)]
#[group(id = "status")]
pub(crate) struct Args {
    /// A capability, a change (change:ID) or a reference; everything unless named
    #[arg(value_name = "CAPABILITY|CHANGE|REF")]
    target: Option<String>,
    /// Only what this branch moved since it left a revision
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Show only promises in this state; whether all is green is asked of the others too
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Form>,
    /// Run the declared checks first
    #[arg(long)]
    run: bool,
    /// Trust `.hewto/proof.toml` for this run if this is its SHA-256; for machines without a terminal
    #[arg(long, value_name = "DIGEST", requires = "run")]
    trust: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// A table in Markdown
    Md,
    /// One page that stands alone
    Html,
    /// JUnit XML
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations and the step summary of a GitHub workflow
    Github,
    /// A badge in SVG
    Badge,
    /// The versioned view in JSON
    Json,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace =
        if args.run { place.workspace_that_runs(args.trust.as_deref())? } else { place.workspace()? };
    let ran = if args.run { Some(runs::all(place, args.trust.as_deref())?) } else { None };
    let state = match &args.state {
        Some(name) => Some(State::parse(name).ok_or_else(|| {
            let known: Vec<&str> = State::ALL.iter().map(|state| state.as_str()).collect();
            usage(format!("`{name}` is not a state")).hint(format!("one of {}", known.join(", ")))
        })?),
        None => None,
    };
    let query = Query { target: args.target.clone(), since: args.since.clone(), state, ..Query::default() };
    let view = proof::matrix(&workspace, &context(), &query)?;
    if let Some(ran) = ran.as_ref().filter(|ran| ran.status != RunStatus::Passed) {
        ui.notes(&runs::shown(ran))?;
    }
    show(ui, &view, args.format)?;
    // A check that could not run is no answer; one that failed makes its scenarios red, if they are nobody's debt.
    if let Some(ran) = &ran {
        runs::verdict(ran)?;
    }
    Ok(if view.green { Verdict::Yes } else { Verdict::No })
}

fn show(ui: &mut Ui, view: &MatrixView, form: Option<Form>) -> Outcome<()> {
    match form {
        None => ui.answer(view, table)?,
        Some(Form::Json) => ui.json(view)?,
        Some(Form::Md) => ui.verbatim(&format::markdown(view))?,
        Some(Form::Html) => ui.verbatim(&format::html(view))?,
        Some(Form::Junit) => ui.verbatim(&format::junit(view))?,
        Some(Form::Sarif) => ui.verbatim(&format::sarif(view))?,
        Some(Form::Badge) => ui.verbatim(&format::badge(view))?,
        Some(Form::Github) => {
            ui.verbatim(&format::annotations(view))?;
            if let Some(path) = env::step_summary() {
                let append = || -> std::io::Result<()> {
                    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path)?;
                    file.write_all(format::step_summary(view).as_bytes())
                };
                append().map_err(|error| machine("cannot write the step summary", error))?;
            }
        }
    }
    Ok(())
}

fn table(view: &MatrixView) -> String {
    let mut out = String::new();
    if !view.rows.is_empty() {
        let mut table = Table::with_header(["REF", "CODE", "TEST", "RESULT", "STATE"]);
        // In one capability its name would only repeat.
        let one =
            view.rows.iter().all(|row| row.reference.capability() == view.rows[0].reference.capability());
        for row in &view.rows {
            let name = if one { row.reference.within_capability() } else { row.reference.to_string() };
            table.row([
                Cell::styled(name, NAME),
                Cell::plain(place(&row.code)),
                Cell::plain(place(&row.tests)),
                Cell::plain(result(row)),
                state(row),
            ]);
        }
        out.push_str(&table.render());
    }
    for problem in &view.problems {
        let (style, word) = match problem.severity {
            ProblemSeverity::Error => (BAD, "error"),
            ProblemSeverity::Warning => (WARN, "warning"),
            ProblemSeverity::Info => (DIM, "info"),
        };
        let _ = writeln!(
            out,
            "{} {}:{}: {} {}",
            paint(style, &format!("{word}:")),
            one_line(&problem.path),
            problem.line,
            one_line(&problem.message),
            paint(DIM, &format!("[{}]", problem.error))
        );
        let _ = writeln!(out, "  hint: {}", one_line(&problem.hint));
    }
    for row in &view.rows {
        for note in &row.notes {
            let _ = writeln!(out, "{} {}: {}", paint(DIM, "info:"), row.reference, one_line(note));
        }
    }
    if let Some(row) = view.rows.iter().find(|row| row.red && row.tests.is_empty()) {
        let _ = writeln!(out, "{} link a test: {}", paint(NAME, "next:"), row.tag);
        if !row.similar.is_empty() {
            let names: Vec<String> = row.similar.iter().map(|name| one_line(name)).collect();
            let _ = writeln!(out, "  perhaps {}", names.join(", "));
        }
    } else if view.rows.iter().any(|row| row.red && matches!(row.state, State::Linked | State::Stale)) {
        let _ = writeln!(out, "{} hewto proof run", paint(NAME, "next:"));
    }
    if !view.paid.is_empty() {
        let _ = writeln!(
            out,
            "{} of the baseline {} paid: run `hewto proof baseline --tighten`",
            count(view.paid.len(), "name"),
            if view.paid.len() == 1 { "is" } else { "are" }
        );
    }
    if view.untagged_tests > 0 {
        let _ =
            writeln!(out, "{}", paint(DIM, &format!("{} without a tag", count(view.untagged_tests, "test"))));
    }
    if view.red_left_out > 0 {
        let _ = writeln!(
            out,
            "{}",
            paint(BAD, &format!("{} not shown and red", count(view.red_left_out, "other promise")))
        );
    }
    let style = if view.green { GOOD } else { BAD };
    let _ = writeln!(out, "{}", paint(style, &view.summary.line));
    out
}

fn place(places: &[PlaceView]) -> String {
    match places {
        [] => "–".to_owned(),
        [one] => format!("{}:{}", one.path, one.line),
        [first, rest @ ..] => format!("{}:{} +{}", first.path, first.line, rest.len()),
    }
}

fn result(row: &PromiseView) -> &'static str {
    match row.result {
        Some(CaseOutcome::Passed) => "passed",
        Some(CaseOutcome::Failed) => "failed",
        Some(CaseOutcome::Skipped) => "skipped",
        None => "–",
    }
}

fn state(row: &PromiseView) -> Cell {
    let word = row.state.as_str();
    if let Some(debt) = &row.debt {
        return Cell::styled(format!("{word} ({debt})"), WARN);
    }
    if row.state.is_proven() {
        return Cell::styled(word, GOOD);
    }
    let why = if row.reason.is_empty() || row.state == State::Uncovered {
        String::new()
    } else {
        format!(": {}", row.reason)
    };
    Cell::styled(format!("{word}{why}"), BAD)
}
