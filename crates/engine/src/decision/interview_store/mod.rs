//! The command line's clarification: one interview for each repository, kept in a file between two commands.
//!
//! The file belongs to the machine (`.hewto/clarify/`, or the git folder of a repository that is no workspace). It
//! holds the whole interview, so what the intention said is not asked again in the next process. Commands that change
//! it wait for each other, so an interview ends once, whoever answers at the same time.

mod file;
mod shown;

use hewto_core::decision::derive;
use hewto_core::decision::question::{OTHER_SUFFIX, Question};
use hewto_store::{Context, rfc3339_seconds};
use serde_json::{Map, Value};

use self::file::{InterviewFile, Kept};
use super::clarify::{ClarifyRequest, Room, Turned};
use super::complete::Writes;
use super::failure;
use super::interviewer::{Fallback, Interviewer, ModelWish};
use super::repository::Repository;
use super::sessions::LIFETIME;
use crate::error::{Error, Key, Kind, Result};
use crate::view::{ClarifyState, ClarifyTurn};

/// Finds the interviewer that somebody wishes for. The environment is the caller's to read.
pub type FindInterviewer<'a> = dyn Fn(&ModelWish) -> Interviewer + 'a;

/// Begins an interview; refused while another one is open.
pub fn start(
    repository: &Repository,
    ctx: &Context,
    find_interviewer: &FindInterviewer<'_>,
    wish: &ModelWish,
    request: &ClarifyRequest,
) -> Result<ClarifyTurn> {
    let file = InterviewFile::of(repository);
    let _alone = file.lock(ctx)?;
    match open(file, ctx)? {
        Some(kept) => Err(already_active(&kept)),
        None => begin(repository, ctx, find_interviewer, wish, request),
    }
}

/// Answers questions of the interview.
pub fn answer(
    repository: &Repository,
    ctx: &Context,
    find_interviewer: &FindInterviewer<'_>,
    answers: &Map<String, Value>,
) -> Result<ClarifyTurn> {
    let file = InterviewFile::of(repository);
    let _alone = file.lock(ctx)?;
    let mut kept = file.load()?.ok_or_else(no_active_session)?;
    if ctx.now() >= kept.expires_at {
        file.clear()?;
        return Err(expired(&kept));
    }
    let room = Room::open(repository, ctx)?.writing(Writes::DecisionAndPrompt);
    room.inform(ctx, &mut kept.interview);
    let faults = kept.interview.answer(&room.catalogue, answers);
    kept.expires_at = ctx.now() + LIFETIME;
    if !faults.is_empty() {
        file.save(&kept)?;
        return Err(failure::invalid_answers(&faults));
    }
    Turn { file, ctx, room: &room, opens: Opens::No }.take(&find_interviewer(&kept.wish), kept, None)
}

/// Where the interview stands.
pub fn status(repository: &Repository, ctx: &Context) -> Result<ClarifyState> {
    let kept = InterviewFile::of(repository).load()?.ok_or_else(no_active_session)?;
    if ctx.now() >= kept.expires_at {
        return Err(expired(&kept));
    }
    let room = Room::open(repository, ctx)?;
    let asked = kept.interview.asked(&room.catalogue, &room.signals);
    Ok(ClarifyState {
        status: "active".to_owned(),
        intention: kept.interview.intention().to_owned(),
        expires_at: rfc3339_seconds(kept.expires_at),
        questions: asked.into_iter().map(|(question, answer)| shown::answered(question, answer)).collect(),
    })
}

/// The last intention, to be asked about again; an interview that is open simply goes on.
pub fn resume(
    repository: &Repository,
    ctx: &Context,
    find_interviewer: &FindInterviewer<'_>,
    wish: &ModelWish,
    request: &ClarifyRequest,
) -> Result<ClarifyTurn> {
    let file = InterviewFile::of(repository);
    let _alone = file.lock(ctx)?;
    if let Some(mut kept) = open(file, ctx)? {
        kept.expires_at = ctx.now() + LIFETIME;
        let room = Room::open(repository, ctx)?.writing(Writes::DecisionAndPrompt);
        let turn = Turn { file, ctx, room: &room, opens: Opens::Yes };
        return turn.take(&find_interviewer(&kept.wish), kept, None);
    }
    let intention = file.last_intention()?.ok_or_else(|| {
        Error::new(Kind::Refused, Key::NoPreviousSession, "there is nothing to resume")
            .hint("begin with `hewto clarify \"INTENTION\"`")
    })?;
    begin(repository, ctx, find_interviewer, wish, &ClarifyRequest { intention, ..request.clone() })
}

/// Drops the interview.
pub fn reset(repository: &Repository, ctx: &Context) -> Result<()> {
    let file = InterviewFile::of(repository);
    let _alone = file.lock(ctx)?;
    if !file.holds_something()? {
        return Err(no_active_session());
    }
    file.clear()
}

/// The interview that is open; an expired one is none.
fn open(file: InterviewFile<'_>, ctx: &Context) -> Result<Option<Kept>> {
    Ok(file.load()?.filter(|kept| ctx.now() < kept.expires_at))
}

fn begin(
    repository: &Repository,
    ctx: &Context,
    find_interviewer: &FindInterviewer<'_>,
    wish: &ModelWish,
    request: &ClarifyRequest,
) -> Result<ClarifyTurn> {
    let file = InterviewFile::of(repository);
    let room = Room::open(repository, ctx)?.writing(Writes::DecisionAndPrompt);
    let mut interview = room.interview(ctx, request)?;
    file.note_intention(interview.intention())?;
    let interviewer = find_interviewer(wish);
    let invited = room.invite_model(ctx, &interviewer, &mut interview);
    file.note_prompts(&interviewer)?;
    let kept = Kept {
        session_id: format!("sess-{}", ctx.uuid().simple()),
        started_at: ctx.now(),
        expires_at: ctx.now() + LIFETIME,
        wish: wish.clone(),
        interview,
    };
    Turn { file, ctx, room: &room, opens: Opens::Yes }.take(&interviewer, kept, invited?)
}

/// One step of a kept interview. Whoever takes it holds the lock.
struct Turn<'a> {
    file: InterviewFile<'a>,
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
        self.file.note_prompts(interviewer)?;
        // What was answered is kept even when the end fails, so that it can be tried again.
        if matches!(turned, Ok(Turned::Done(..))) {
            self.file.clear()?;
        } else {
            self.file.save(&kept)?;
        }
        Ok(match turned? {
            Turned::Done(done, fallback) => ClarifyTurn::Completed(shown::completed(done, fallback)),
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
                let detected = kept.interview.detected(&self.room.catalogue);
                ClarifyTurn::Asks(shown::asking(kept, status, questions, detected, fallback))
            }
        })
    }
}

fn no_active_session() -> Error {
    Error::new(Kind::Refused, Key::NoActiveSession, "no clarification is under way")
        .hint("begin one with `hewto clarify \"INTENTION\"`")
}

fn already_active(kept: &Kept) -> Error {
    let intention = derive::title(kept.interview.intention());
    Error::new(
        Kind::Refused,
        Key::SessionAlreadyActive,
        format!("a clarification is under way: `{intention}`"),
    )
    .hint("answer it (`hewto clarify answer`), or drop it (`hewto clarify reset --force`)")
}

fn expired(kept: &Kept) -> Error {
    failure::session_expired(&kept.session_id)
        .hint("begin again with `hewto clarify resume`, which asks about the same intention")
}
