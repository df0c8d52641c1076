//! What a command shows of a kept interview.

use hewto_core::decision::answer::Answer;
use hewto_core::decision::question::{Question, companion_of};
use hewto_store::rfc3339_seconds;

use super::super::clarify::asked;
use super::super::complete::Done;
use super::super::interviewer::Fallback;
use super::super::known;
use super::file::Kept;
use crate::view::{
    AnswerValue, ClarificationProgress, ClarifyAnswer, ClarifyAsks, ClarifyCompleted, ClarifyFiles,
    ClarifyQuestion, Detected,
};

pub(super) fn asking(
    kept: Kept,
    status: &str,
    questions: Vec<Question>,
    detected: Vec<(String, String)>,
    fallback: Option<Fallback>,
) -> ClarifyAsks {
    let progress = kept.interview.progress();
    let known = kept.interview.known().iter().map(known::view).collect();
    let (warning, message) = Fallback::told(fallback);
    ClarifyAsks {
        status: status.to_owned(),
        session_id: kept.session_id,
        expires_at: rfc3339_seconds(kept.expires_at),
        questions: questions.into_iter().flat_map(with_companion).collect(),
        progress: ClarificationProgress { asked_so_far: progress.asked_so_far, answered: progress.answered },
        detected_from_intent: detected.into_iter().map(|(label, value)| Detected { label, value }).collect(),
        known,
        warning,
        message,
    }
}

pub(super) fn completed(done: Done, fallback: Option<Fallback>) -> ClarifyCompleted {
    let (prompt_path, prompt) = done.prompt.unzip();
    let (warning, message) = Fallback::told(fallback);
    ClarifyCompleted {
        status: "completed".to_owned(),
        artifacts: ClarifyFiles {
            task: done.task,
            adr: done.adr.map(|(path, _)| path),
            architecture_state: done.state,
            agent_prompt: prompt_path.flatten(),
        },
        agent_prompt: prompt.unwrap_or_default(),
        summary: done.summary,
        warning,
        message,
    }
}

pub(super) fn answered(question: Question, answer: Option<Answer>) -> ClarifyAnswer {
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

/// A question and, behind a choice, the text that "Other" asks for. As long as nobody has chosen that, nobody has to
/// answer it.
fn with_companion(question: Question) -> Vec<ClarifyQuestion> {
    let companion = companion_of(&question).map(|companion| Question { optional: true, ..companion });
    std::iter::once(question).chain(companion).map(shown).collect()
}

fn shown(mut question: Question) -> ClarifyQuestion {
    let condition = question.depends_on.take();
    let (depends_on_question_id, depends_on_value) =
        condition.map(|condition| (condition.question_id, condition.value)).unzip();
    let optional = question.optional;
    ClarifyQuestion { asked: asked(question), optional, depends_on_question_id, depends_on_value }
}
