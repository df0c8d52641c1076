//! `hewto clarify`: questions before code, asked on a terminal, line by line, or one command at a time.
//!
//! The engine keeps the interview between two commands. Error codes, shapes and exit codes are those of the original
//! command (seed 003), which differ from the rest of the command line.

mod answer;
mod dialog;
mod interrupt;
mod reset;
mod show;
mod start;
mod status;

use hewto_engine::decision::{self, Climb, Repository};
use hewto_engine::view::{ClarifyAsks, ClarifyTurn};
use hewto_engine::{Error, Key, Kind};
use serde_json::{Map, Value, json};

use self::dialog::Dialog;
use crate::act;
use crate::env;
use crate::failure::{Failure, Outcome, Verdict, usage};
use crate::place::Place;
use crate::ui::Ui;

/// Answer questions before code is written; writes decision, task and prompt
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On a terminal the questions are asked there; with piped input each line is an answer; with --json or --non-interactive \
they are printed, and `hewto clarify answer` answers them.\n\n\
Exit codes: 0 ok (also while questions are open), 1 the call is wrong, 2 usage or the machine failed")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// What you want, in your own words
    intention: Option<String>,
    #[command(flatten)]
    how: start::How,
    #[command(flatten)]
    repo: RepoArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Start(start::Args),
    Answer(answer::Args),
    Status(status::Args),
    Resume(start::ResumeArgs),
    Reset(reset::Args),
}

const SAY_WHAT: &str = "say what you want: `hewto clarify \"Add authentication\"`";

/// Which repository.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RepoArgs {
    /// Work in this repository, which must itself have a `.git` [default: the nearest one]
    #[arg(long, global = true, value_name = "PATH")]
    repo_path: Option<String>,
}

impl RepoArgs {
    pub(crate) fn open(&self, place: &Place) -> Result<Repository, Error> {
        let climb = if self.repo_path.is_some() { Climb::Never } else { Climb::Up };
        place.repository(self.repo_path.clone(), climb).map_err(|error| match error.key {
            Key::RepoNotFound => error.hint("run it inside a git repository, or name one with `--repo-path`"),
            _ => error,
        })
    }
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    dispatch(ui, place, args).map_err(|failure| match failure {
        Failure::Told(error) => Failure::Clarify(Box::new(in_own_words(*error))),
        other => other,
    })
}

fn dispatch(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let command = match (args.command, args.intention) {
        (Some(command), None) if args.how == start::How::default() => command,
        (Some(_), _) => {
            return Err(usage("an intention or a flag comes before the command")
                .hint("put it after the command: `hewto clarify start \"INTENTION\"`")
                .into());
        }
        (None, Some(intention)) => Command::Start(start::Args { intention, how: args.how }),
        (None, None) => {
            return Err(usage("there is no intention to clarify").hint(SAY_WHAT).into());
        }
    };
    let repository = args.repo.open(place)?;
    match command {
        Command::Start(args) => start::run(ui, &repository, args),
        Command::Answer(args) => answer::run(ui, &repository, &args),
        Command::Status(_) => status::run(ui, &repository),
        Command::Resume(args) => start::resume(ui, &repository, &args),
        Command::Reset(args) => reset::run(ui, &repository, &args),
    }
}

/// The interview up to its end, or to the point where somebody else has to answer.
struct Conversation<'a> {
    repository: &'a Repository,
    /// `None` when questions are only printed.
    dialog: Option<Dialog>,
}

impl Conversation<'_> {
    fn go_on(mut self, ui: &mut Ui, mut turn: ClarifyTurn) -> Outcome {
        loop {
            let asks = match (turn, &mut self.dialog) {
                (ClarifyTurn::Completed(done), _) => {
                    ui.answer(&done, show::completed)?;
                    return Ok(Verdict::Yes);
                }
                (ClarifyTurn::Asks(asks), None) => {
                    ui.answer(&asks, show::asks)?;
                    return Ok(Verdict::Yes);
                }
                (ClarifyTurn::Asks(asks), Some(_)) => asks,
            };
            let heard = self.ask(ui, &asks)?;
            match (heard.turn, heard.ended) {
                (Some(next @ ClarifyTurn::Completed(_)), _) | (Some(next), false) => turn = next,
                (Some(ClarifyTurn::Asks(open)), true) => return left_open(ui, &open),
                (None, _) => return left_open(ui, &asks),
            }
        }
    }

    /// One round of questions.
    fn ask(&mut self, ui: &mut Ui, asks: &ClarifyAsks) -> Outcome<Round> {
        let Some(dialog) = &mut self.dialog else { return Ok(Round { turn: None, ended: true }) };
        let opening = show::opening(asks);
        if !opening.is_empty() {
            ui.note(opening)?;
        }
        let mut questions = asks.questions.clone();
        let mut answers = Map::new();
        loop {
            let heard = dialog.ask(ui, &questions)?;
            answers.extend(heard.answers);
            if heard.ended && answers.is_empty() {
                return Ok(Round { turn: None, ended: true });
            }
            match answer(self.repository, &answers) {
                Ok(next) => return Ok(Round { turn: Some(next), ended: heard.ended }),
                // What was wrong is asked again; from a pipe the next line would answer something else.
                Err(error)
                    if error.key == Key::InvalidAnswer && dialog.is_with_a_person() && !heard.ended =>
                {
                    ui.clarify_error(&Error::new(error.kind, error.key, error.full_message()))?;
                    let wrong = faulty_questions(&error);
                    questions.retain(|question| {
                        let asked = question.depends_on_question_id.as_ref().unwrap_or(&question.asked.id);
                        wrong.contains(&question.asked.id) || wrong.contains(asked)
                    });
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What a round of questions came to.
struct Round {
    /// `None` when nothing was answered.
    turn: Option<ClarifyTurn>,
    /// Whether the input ended.
    ended: bool,
}

fn left_open(ui: &mut Ui, asks: &ClarifyAsks) -> Outcome {
    ui.print(&show::left_open(asks))?;
    Ok(Verdict::Yes)
}

fn answer(repository: &Repository, answers: &Map<String, Value>) -> Result<ClarifyTurn, Error> {
    act::in_repository(repository, "clarify answer", json!({ "answers": answers }), |ctx| {
        decision::answer(repository, ctx, &env::interviewer, answers)
    })
}

fn faulty_questions(error: &Error) -> Vec<String> {
    let faults = error.details.get("answers").and_then(Value::as_array);
    let ids = faults.into_iter().flatten().filter_map(|fault| fault["question_id"].as_str());
    ids.map(str::to_owned).collect()
}

/// The engine speaks to agents; people have commands and flags, and the original's codes.
fn in_own_words(mut error: Error) -> Error {
    let said = match error.key {
        Key::RepoNotFound => {
            error.key = Key::NotARepository;
            None
        }
        Key::InvalidAnswer if error.details.contains_key("answers") => {
            Some("correct these answers with `hewto clarify answer`; the others are kept")
        }
        Key::PatchExtractionFailed => Some(
            "answer more precisely with `hewto clarify answer`, or begin again with `hewto clarify reset`",
        ),
        Key::IoError | Key::InternalError => {
            error.key = Key::SystemError;
            None
        }
        Key::ValidationFailed
            if error.details.get("reason").is_some_and(|why| why == decision::EMPTY_INTENTION) =>
        {
            Some(SAY_WHAT)
        }
        _ => None,
    };
    match said {
        Some(hint) if error.hint.is_some() => error.hint(hint),
        _ => error,
    }
}

/// Answers that cannot even be read.
fn unreadable_answers(message: impl Into<String>) -> Error {
    Error::new(Kind::Refused, Key::InvalidAnswer, message)
        .hint("give answers as `id=value`, `--answers-json '{\"id\": \"value\"}'` or `--answers-file FILE`")
}
