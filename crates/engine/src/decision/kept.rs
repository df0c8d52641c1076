//! The command line's clarification: one interview for each repository, kept in a file between two commands.
//!
//! The file belongs to the machine (`.hewto/clarify/`, or the git folder of a repository that is no workspace). It
//! holds the whole interview, so what the intention said is not asked again in the next process.

use hewto_core::decision::answer::Answer;
use hewto_core::decision::interview::Interview;
use hewto_core::decision::question::{OTHER_SUFFIX, Question, companion_of};
use hewto_store::{Context, RelPath};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::clarify::{ClarifyRequest, Room, Turned};
use super::complete::{Done, Writes};
use super::failure;
use super::interviewer::{Fallback, Interviewer, ModelWish};
use super::repository::Repository;
use super::sessions::LIFETIME;
use crate::error::{Error, Kind, Result};
use crate::view::{
    AnswerValue, ClarificationProgress, ClarifyAnswer, ClarifyAsks, ClarifyCompleted, ClarifyFiles,
    ClarifyQuestion, ClarifyState, ClarifyTurn, Detected,
};

const SESSION_FILE: &str = "current_session.json";
const LAST_INTENTION: &str = "last_intention.txt";
const LAST_PROMPT: &str = "debug/last_llm_prompt.md";

/// Finds the interviewer that somebody wishes for. The environment is the caller's to read.
pub type Hire<'a> = dyn Fn(&ModelWish) -> Interviewer + 'a;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    session_id: String,
    started_at: Timestamp,
    expires_at: Timestamp,
    /// So that the next command asks the same model.
    #[serde(default)]
    wish: ModelWish,
    interview: Interview,
}

/// Begins an interview; refused while another one is open.
pub fn start(
    repository: &Repository,
    ctx: &Context,
    hire: &Hire<'_>,
    wish: &ModelWish,
    request: &ClarifyRequest,
) -> Result<ClarifyTurn> {
    if let Some(kept) = load(repository, ctx)? {
        return Err(Error::new(
            Kind::Refused,
            "session_already_active",
            None,
            format!("a clarification is under way: `{}`", shortened(kept.interview.intention())),
        )
        .hint("answer it (`hewto clarify answer`), or drop it (`hewto clarify reset --force`)"));
    }
    let room = Room::open(repository, ctx)?.writing(Writes::DecisionAndPrompt);
    let mut interview = room.interview(request)?;
    write(repository, LAST_INTENTION, interview.intention().as_bytes())?;
    let interviewer = hire(wish);
    let invited = room.invite_model(ctx, &interviewer, &mut interview);
    note_prompts(repository, &interviewer)?;
    let kept = Kept {
        session_id: format!("sess-{}", ctx.uuid().simple()),
        started_at: ctx.now(),
        expires_at: ctx.now() + LIFETIME,
        wish: wish.clone(),
        interview,
    };
    Turn { repository, ctx, room: &room, opens: Opens::Yes }.take(&interviewer, kept, invited?)
}

/// Answers questions of the interview.
pub fn answer(
    repository: &Repository,
    ctx: &Context,
    hire: &Hire<'_>,
    answers: &Map<String, Value>,
) -> Result<ClarifyTurn> {
    let mut kept = load_active(repository, ctx)?;
    let room = Room::open(repository, ctx)?.writing(Writes::DecisionAndPrompt);
    let faults = kept.interview.answer(&room.catalogue, answers);
    kept.expires_at = ctx.now() + LIFETIME;
    if !faults.is_empty() {
        save(repository, &kept)?;
        return Err(failure::invalid_answers(&faults));
    }
    Turn { repository, ctx, room: &room, opens: Opens::No }.take(&hire(&kept.wish), kept, None)
}

/// Where the interview stands.
pub fn status(repository: &Repository, ctx: &Context) -> Result<ClarifyState> {
    let kept = load_active(repository, ctx)?;
    let room = Room::open(repository, ctx)?;
    let asked = kept.interview.asked(&room.catalogue, &room.signals);
    Ok(ClarifyState {
        status: "active".to_owned(),
        intention: kept.interview.intention().to_owned(),
        expires_at: seconds(kept.expires_at),
        questions: asked.into_iter().map(|(question, answer)| kept_answer(question, answer)).collect(),
    })
}

/// The last intention, to be asked about again; an interview that is open simply goes on.
pub fn resume(
    repository: &Repository,
    ctx: &Context,
    hire: &Hire<'_>,
    wish: &ModelWish,
    request: &ClarifyRequest,
) -> Result<ClarifyTurn> {
    if let Some(kept) = load(repository, ctx)? {
        let room = Room::open(repository, ctx)?.writing(Writes::DecisionAndPrompt);
        let turn = Turn { repository, ctx, room: &room, opens: Opens::Yes };
        return turn.take(&hire(&kept.wish), kept, None);
    }
    let path = file(repository, LAST_INTENTION)?;
    let bytes = repository.store().read_state(&path).map_err(failure::filesystem)?;
    let intention = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        Error::new(Kind::Refused, "no_previous_session", None, "there is nothing to resume")
            .hint("begin with `hewto clarify \"INTENTION\"`")
    })?;
    start(repository, ctx, hire, wish, &ClarifyRequest { intention, ..request.clone() })
}

/// Drops the interview.
pub fn reset(repository: &Repository, ctx: &Context) -> Result<()> {
    let path = file(repository, SESSION_FILE)?;
    let there = repository.store().read_state(&path).map_err(failure::filesystem)?;
    if there.is_none() {
        return Err(no_active_session());
    }
    ctx.check()?;
    repository.store().remove_state(&path).map_err(failure::filesystem)
}

/// One step of a kept interview.
struct Turn<'a> {
    repository: &'a Repository,
    ctx: &'a Context,
    room: &'a Room<'a>,
    opens: Opens,
}

/// Whether the command opens an interview, or is a later word in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opens {
    Yes,
    No,
}

impl Turn<'_> {
    fn take(
        &self,
        interviewer: &Interviewer,
        mut kept: Kept,
        fallback: Option<Fallback>,
    ) -> Result<ClarifyTurn> {
        let asked_before = kept.interview.asked(&self.room.catalogue, &self.room.signals);
        let turned = self.room.turn(self.ctx, interviewer, &mut kept.interview, fallback);
        note_prompts(self.repository, interviewer)?;
        // What was answered is kept even when the end fails, so that it can be tried again.
        if matches!(turned, Ok(Turned::Done(..))) {
            let path = file(self.repository, SESSION_FILE)?;
            self.repository.store().remove_state(&path).map_err(failure::filesystem)?;
        } else {
            save(self.repository, &kept)?;
        }
        Ok(match turned? {
            Turned::Done(done, fallback) => ClarifyTurn::Completed(completed(done, fallback)),
            Turned::Asked(questions, fallback) => {
                let was_due = |question: &Question| {
                    let asked = question.id.strip_suffix(OTHER_SUFFIX).unwrap_or(&question.id);
                    !question.optional && asked_before.iter().any(|(known, _)| known.id == asked)
                };
                let status = match self.opens {
                    Opens::Yes => "started",
                    Opens::No if questions.iter().any(was_due) => "needs_more_answers",
                    Opens::No => "needs_clarification",
                };
                ClarifyTurn::Asks(self.asking(kept, status, questions, fallback))
            }
        })
    }

    fn asking(
        &self,
        kept: Kept,
        status: &str,
        questions: Vec<Question>,
        fallback: Option<Fallback>,
    ) -> ClarifyAsks {
        let progress = kept.interview.progress();
        let detected = kept.interview.detected(&self.room.catalogue);
        ClarifyAsks {
            status: status.to_owned(),
            session_id: kept.session_id,
            expires_at: seconds(kept.expires_at),
            questions: questions.into_iter().flat_map(with_companion).collect(),
            progress: ClarificationProgress {
                asked_so_far: progress.asked_so_far,
                answered: progress.answered,
            },
            detected_from_intent: detected
                .into_iter()
                .map(|(label, value)| Detected { label, value })
                .collect(),
            warning: fallback.as_ref().map(|_| "llm_fallback".to_owned()),
            message: fallback.map(|fallback| fallback.message),
        }
    }
}

/// Adds what a model was sent to a file, where somebody asked for that.
fn note_prompts(repository: &Repository, interviewer: &Interviewer) -> Result<()> {
    let Some(prompts) = interviewer.take_prompts() else { return Ok(()) };
    let path = file(repository, LAST_PROMPT)?;
    let mut text = repository.store().read_state(&path).map_err(failure::filesystem)?.unwrap_or_default();
    text.extend_from_slice(prompts.as_bytes());
    repository.store().write_state(&path, &text).map_err(failure::filesystem)
}

/// The interview that is open; an expired one is none, and one that cannot be read counts as none.
fn load(repository: &Repository, ctx: &Context) -> Result<Option<Kept>> {
    Ok(read(repository)?.filter(|kept| ctx.now() < kept.expires_at))
}

fn load_active(repository: &Repository, ctx: &Context) -> Result<Kept> {
    let kept = read(repository)?.ok_or_else(no_active_session)?;
    if ctx.now() >= kept.expires_at {
        let path = file(repository, SESSION_FILE)?;
        repository.store().remove_state(&path).map_err(failure::filesystem)?;
        return Err(failure::session_expired(&kept.session_id)
            .hint("begin again with `hewto clarify resume`, which asks about the same intention"));
    }
    Ok(kept)
}

fn read(repository: &Repository) -> Result<Option<Kept>> {
    let path = file(repository, SESSION_FILE)?;
    let bytes = repository.store().read_state(&path).map_err(failure::filesystem)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn save(repository: &Repository, kept: &Kept) -> Result<()> {
    let text = serde_json::to_vec_pretty(kept).map_err(|error| {
        Error::new(Kind::Machine, "internal_error", None, "the interview cannot be written").caused_by(error)
    })?;
    write(repository, SESSION_FILE, &text)
}

fn write(repository: &Repository, name: &str, bytes: &[u8]) -> Result<()> {
    let path = file(repository, name)?;
    repository.store().write_state(&path, bytes).map_err(failure::filesystem)
}

fn file(repository: &Repository, name: &str) -> Result<RelPath> {
    let folder = &repository.layout().places().clarify;
    folder.join(name).map_err(|error| failure::validation_failed("INVALID_PATH", error.to_string()))
}

fn no_active_session() -> Error {
    Error::new(Kind::Refused, "no_active_session", None, "no clarification is under way")
        .hint("begin one with `hewto clarify \"INTENTION\"`")
}

fn completed(done: Done, fallback: Option<Fallback>) -> ClarifyCompleted {
    let (prompt_path, prompt) = done.prompt.unzip();
    ClarifyCompleted {
        status: "completed".to_owned(),
        artifacts: ClarifyFiles {
            task: done.task,
            adr: done.adr.map(|(path, _)| path),
            architecture_state: done.state,
            agent_prompt: prompt_path,
        },
        agent_prompt: prompt.unwrap_or_default(),
        summary: done.summary,
        warning: fallback.as_ref().map(|_| "llm_fallback".to_owned()),
        message: fallback.map(|fallback| fallback.message),
    }
}

fn with_companion(question: Question) -> Vec<ClarifyQuestion> {
    let companion = companion_of(&question);
    std::iter::once(question).chain(companion).map(kept_question).collect()
}

fn kept_question(question: Question) -> ClarifyQuestion {
    let (depends_on_question_id, depends_on_value) =
        question.depends_on.map(|condition| (condition.question_id, condition.value)).unzip();
    ClarifyQuestion {
        id: question.id,
        kind: question.kind.as_str().to_owned(),
        question: question.question,
        options: question.options,
        min_selections: question.min_selections,
        max_selections: question.max_selections,
        optional: question.optional,
        depends_on_question_id,
        depends_on_value,
    }
}

fn kept_answer(question: Question, answer: Option<Answer>) -> ClarifyAnswer {
    let answered = answer.is_some();
    ClarifyAnswer {
        id: question.id,
        answered,
        value: answer.map(|answer| match answer {
            Answer::One(text) => AnswerValue::One(text),
            Answer::Many(texts) => AnswerValue::Many(texts),
        }),
        question: (!answered).then_some(question.question),
        options: if answered { Vec::new() } else { question.options },
    }
}

fn seconds(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

fn shortened(text: &str) -> String {
    hewto_core::decision::derive::title(text)
}
