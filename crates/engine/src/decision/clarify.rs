//! `require_clarification`: starts an interview or goes on with one, and commits at its end.

use std::borrow::Cow;

use hewto_core::decision::brought::{self, Brought};
use hewto_core::decision::catalogue::Catalogue;
use hewto_core::decision::interview::{Facts, Flow, Interview, Step, UnfitIntention};
use hewto_core::decision::question::Question;
use hewto_core::decision::scenario;
use hewto_core::decision::signal::{Signal, signals};
use hewto_core::decision::trigger::AdrPreference;
use hewto_store::Context;
use serde_json::{Map, Value};

use super::complete::{Done, Writes, complete};
use super::failure;
use super::interviewer::{Fallback, Interviewer};
use super::known;
use super::records::Records;
use super::repository::{Repository, Where};
use super::sessions::{Next, Sessions};
use crate::error::Result;
use crate::faults::Faults;
use crate::view::{
    Asked, ClarificationProgress, ClarificationStatus, ClarificationView, QuestionView, ScenarioDraft,
};

/// What a refusal gives as its reason when the intention says nothing.
pub const EMPTY_INTENTION: &str = "EMPTY_INTENTION";

/// What a server keeps between the calls of a clarification.
#[derive(Debug, Default)]
pub struct Interviews {
    sessions: Sessions,
    interviewer: Interviewer,
}

/// One call of `require_clarification`.
#[derive(Debug, Clone)]
pub struct ClarifyRequest {
    /// Ignored when there is a session.
    pub intention: String,
    pub context: Option<String>,
    pub session_id: Option<String>,
    pub answers: Map<String, Value>,
    /// Questions that the caller wants to have asked: objects with `id`, `text`, `options` and `why`.
    pub questions: Vec<Value>,
    pub preference: AdrPreference,
    pub flow: Flow,
    pub place: Where,
}

impl Interviews {
    /// Who asks.
    pub(crate) fn interviewer(&self) -> &Interviewer {
        &self.interviewer
    }

    pub fn new(interviewer: Interviewer) -> Self {
        Self { sessions: Sessions::default(), interviewer }
    }
}

/// Asks the next questions, or writes the decision and the task.
pub fn clarify(
    interviews: &Interviews,
    ctx: &Context,
    request: &ClarifyRequest,
) -> Result<ClarificationView> {
    match request.session_id.as_deref().filter(|id| !id.is_empty()) {
        None => start(interviews, ctx, request),
        Some(id) => go_on(interviews, ctx, request, id),
    }
}

fn start(interviews: &Interviews, ctx: &Context, request: &ClarifyRequest) -> Result<ClarificationView> {
    let repository = Repository::find(&request.place)?;
    let room = Room::open(&repository, ctx)?;
    let mut interview = room.interview(ctx, request)?;
    let fallback = room.invite_model(ctx, &interviews.interviewer, &mut interview)?;
    let strange = room.strange_answers(&interview, request);
    let view = match room.turn(ctx, &interviews.interviewer, &mut interview, fallback)? {
        Turned::Asked(questions, fallback) => {
            let view = room.asking(&interview, questions, fallback);
            let id = interviews.sessions.keep(ctx, repository.root().to_owned(), interview);
            ClarificationView { session_id: Some(id), ..view }
        }
        Turned::Done(done, fallback) => completed(done, fallback),
    };
    Ok(warned(view, strange))
}

fn go_on(
    interviews: &Interviews,
    ctx: &Context,
    request: &ClarifyRequest,
    id: &str,
) -> Result<ClarificationView> {
    let session = interviews.sessions.find(ctx, id)?;
    if request.place.named.is_some() {
        let named = Repository::find(&request.place)?;
        if named.root() != session.root {
            let own = session.root.display().to_string();
            return Err(failure::session_not_found(id).detail("session_repo_path", own.as_str()).hint(
                format!("the session belongs to `{own}`: leave out `repo_path`, or start a new session"),
            ));
        }
    }
    // The session knows its repository, wherever the server stands.
    let place = Where { named: None, start: session.root.clone(), ..request.place.clone() };
    let repository = Repository::find(&place)?;
    session.work(ctx, id, |interview| {
        let room = Room::open(&repository, ctx)?;
        room.inform(ctx, interview);
        let mut faults = Faults::begin(ctx);
        // A call that was not read whole is judged, and leaves no answers behind.
        let mut judged = interview.clone();
        let interview = if ctx.misread().is_empty() { interview } else { &mut judged };
        interview.bring(faults.take(room.brought(request)).unwrap_or_default());
        room.answer(request, interview, &mut faults);
        faults.finish()?;
        let strange = room.strange_answers(interview, request);
        Ok(match room.turn(ctx, &interviews.interviewer, interview, None)? {
            Turned::Asked(questions, fallback) => {
                // What is known was told when the interview began.
                let view = ClarificationView { known: None, ..room.asking(interview, questions, fallback) };
                let view = ClarificationView { session_id: Some(id.to_owned()), ..view };
                (Next::GoesOn, warned(view, strange))
            }
            Turned::Done(done, fallback) => (Next::Over, warned(completed(done, fallback), strange)),
        })
    })
}

/// A repository with what an interview needs to know of it.
pub(super) struct Room<'r> {
    repository: &'r Repository,
    pub(super) catalogue: Cow<'static, Catalogue>,
    files: Vec<String>,
    pub(super) signals: Vec<Signal>,
    writes: Writes,
}

/// What a turn comes to.
pub(super) enum Turned {
    Asked(Vec<Question>, Option<Fallback>),
    Done(Done, Option<Fallback>),
}

impl<'r> Room<'r> {
    pub(super) fn open(repository: &'r Repository, ctx: &Context) -> Result<Self> {
        let catalogue = repository.catalogue(ctx)?;
        let files = repository.files(ctx)?;
        let signals = signals(files.iter().map(String::as_str));
        Ok(Self { repository, catalogue, files, signals, writes: Writes::Decision })
    }

    /// Sets what is written at the end.
    pub(super) fn writing(mut self, writes: Writes) -> Self {
        self.writes = writes;
        self
    }

    /// A new interview, with the answers that came along.
    pub(super) fn interview(&self, ctx: &Context, request: &ClarifyRequest) -> Result<Interview> {
        let context = request.context.as_deref();
        let mut faults = Faults::begin(ctx);
        let started = Interview::new(&self.catalogue, &request.intention, context, request.preference);
        let started = started.map_err(|error| {
            let (reason, hint) = match error {
                UnfitIntention::Empty => (EMPTY_INTENTION, "say in `user_intention` what is to be done"),
                UnfitIntention::TooLong => {
                    ("INTENTION_TOO_LONG", "say it in fewer words, and name the files that say more")
                }
            };
            let refusal = failure::not_accepted(reason, error.to_string()).hint(hint);
            // A seed's client is told nothing that its seed does not tell.
            if request.flow == Flow::Seed { refusal } else { refusal.detail("field", "user_intention") }
        });
        let started = faults.take(started);
        let questions = faults.take(self.brought(request));
        let Some(interview) = started else {
            return Err(faults.finish().err().unwrap_or_else(failure::extraction_failed));
        };
        let mut interview = interview.talking_to(&self.catalogue, request.flow);
        self.inform(ctx, &mut interview);
        interview.bring(questions.unwrap_or_default());
        self.answer(request, &mut interview, &mut faults);
        faults.finish()?;
        Ok(interview)
    }

    /// Hands an interview the answers of a call.
    fn answer(&self, request: &ClarifyRequest, interview: &mut Interview, faults: &mut Faults) {
        let wrong = interview.answer(&self.catalogue, &request.answers);
        if !wrong.is_empty() {
            faults.push(failure::invalid_answers(&wrong));
        }
    }

    /// Tells an interview what nobody has to be asked about. What cannot be read is simply not known.
    pub(super) fn inform(&self, ctx: &Context, interview: &mut Interview) {
        if interview.flow() != Flow::Seed {
            interview.learn(known::known(self.repository, ctx, &self.catalogue, &self.files));
        }
    }

    /// The questions that a call brings along.
    fn brought(&self, request: &ClarifyRequest) -> Result<Vec<Brought>> {
        let questions = brought::read(&self.catalogue, &request.questions);
        questions.map_err(|faults| failure::invalid_questions(&faults))
    }

    /// What is said of answers that belong to no question. A seed's client is told nothing that its seed does not tell.
    fn strange_answers(&self, interview: &Interview, request: &ClarifyRequest) -> Option<String> {
        let ids = interview.strange_ids(&self.catalogue, &request.answers);
        let is_told = interview.flow() != Flow::Seed && !ids.is_empty();
        is_told.then(|| {
            format!("no question has the id `{}`: what was answered there is not kept", ids.join("`, `"))
        })
    }

    /// Lets a model ask, where there is one and something to ask.
    pub(super) fn invite_model(
        &self,
        ctx: &Context,
        interviewer: &Interviewer,
        interview: &mut Interview,
    ) -> Result<Option<Fallback>> {
        let has_questions = matches!(self.step(ctx, &mut interview.clone()), Step::Ask(_));
        if has_questions { interviewer.begin(ctx, &self.catalogue, interview) } else { Ok(None) }
    }

    /// Goes on until there is something to ask or everything is written.
    pub(super) fn turn(
        &self,
        ctx: &Context,
        interviewer: &Interviewer,
        interview: &mut Interview,
        mut fallback: Option<Fallback>,
    ) -> Result<Turned> {
        loop {
            match self.step(ctx, interview) {
                Step::Ask(questions) => return Ok(Turned::Asked(questions, fallback)),
                Step::Extract => {
                    let failed = interviewer.conclude(ctx, &self.catalogue, interview)?;
                    fallback = fallback.or(failed);
                }
                Step::Undecided => return Err(failure::extraction_failed()),
                Step::Ready(_) => {
                    let done = complete(self.repository, ctx, self.writes, |architecture| {
                        let facts = self.facts(architecture);
                        match interview.step(&self.catalogue, &facts) {
                            Step::Ready(outcome) => Ok(*outcome),
                            _ => Err(failure::extraction_failed()),
                        }
                    })?;
                    return Ok(Turned::Done(done, fallback));
                }
            }
        }
    }

    /// One step. Records that cannot be read do not keep anybody from answering; the end is strict about them.
    fn step(&self, ctx: &Context, interview: &mut Interview) -> Step {
        let records = Records::read(self.repository, ctx).unwrap_or_default();
        interview.step(&self.catalogue, &self.facts(&records.architecture.snapshot))
    }

    fn asking(
        &self,
        interview: &Interview,
        questions: Vec<Question>,
        fallback: Option<Fallback>,
    ) -> ClarificationView {
        let why = |id: &str| {
            let brought = interview.brought().iter().find(|brought| brought.question.id == id);
            brought.and_then(|brought| brought.why.clone())
        };
        let view = |question: Question| QuestionView {
            optional: question.optional,
            why: why(&question.id),
            asked: asked(question),
        };
        let progress = interview.progress();
        let (warning, message) = Fallback::told(fallback);
        let advice = interview.advice(&self.catalogue);
        ClarificationView {
            status: ClarificationStatus::NeedsClarification,
            session_id: None,
            questions: Some(questions.into_iter().map(view).collect()),
            progress: Some(ClarificationProgress {
                asked_so_far: progress.asked_so_far,
                answered: progress.answered,
            }),
            known: (!interview.known().is_empty())
                .then(|| interview.known().iter().map(known::view).collect()),
            might_ask: advice.as_ref().map(|advice| advice.might_ask.clone()),
            message: message.or(advice.map(|advice| advice.message)),
            warning,
            ..ClarificationView::default()
        }
    }

    fn facts<'a>(&'a self, architecture: &'a hewto_core::decision::architecture::Snapshot) -> Facts<'a> {
        Facts { files: &self.files, signals: &self.signals, architecture }
    }
}

fn warned(mut view: ClarificationView, strange: Option<String>) -> ClarificationView {
    view.warning = view.warning.or(strange);
    view
}

fn completed(done: Done, fallback: Option<Fallback>) -> ClarificationView {
    let (warning, message) = Fallback::told(fallback);
    let drafts = done.criteria.iter().filter_map(|criterion| scenario::draft(criterion, &done.title));
    let scenarios: Vec<ScenarioDraft> = drafts.map(ScenarioDraft::from).collect();
    ClarificationView {
        status: ClarificationStatus::Completed,
        artifacts_created: Some(done.artifacts()),
        summary: Some(done.summary),
        scenarios: (!scenarios.is_empty()).then_some(scenarios),
        warning,
        message,
        ..ClarificationView::default()
    }
}

/// What is asked, as every view of a question has it.
pub(super) fn asked(question: Question) -> Asked {
    Asked {
        id: question.id,
        kind: question.kind.as_str().to_owned(),
        question: question.question,
        options: question.options,
        min_selections: question.min_selections,
        max_selections: question.max_selections,
    }
}
