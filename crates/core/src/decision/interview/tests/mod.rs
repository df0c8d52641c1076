//! Interviews as people lead them. Here stands what the tests share.

mod answers;
mod documents;
mod informed;
mod model;
mod topics;

use serde_json::json;

use super::*;
use crate::decision::architecture::{Architecture, Decided, Link};
use crate::decision::compose::{DecisionInputs, Documents, compose};
use crate::decision::signal::signals;
use crate::decision::uid::Uid;

/// An interview in a repository.
struct Talk {
    interview: Interview,
    catalogue: &'static Catalogue,
    files: Vec<String>,
    architecture: Snapshot,
}

impl Talk {
    fn about(intention: &str) -> Self {
        Self::with(intention, AdrPreference::ByRule)
    }

    fn with(intention: &str, preference: AdrPreference) -> Self {
        let catalogue = Catalogue::builtin();
        let interview = Interview::new(catalogue, intention, None, preference).unwrap();
        Self { interview, catalogue, files: Vec::new(), architecture: Snapshot::default() }
    }

    fn step(&mut self) -> Step {
        let signals = signals(self.files.iter().map(String::as_str));
        let facts = Facts { files: &self.files, signals: &signals, architecture: &self.architecture };
        self.interview.step(self.catalogue, &facts)
    }

    /// The ids of the questions of this turn.
    fn asks(&mut self) -> Vec<String> {
        match self.step() {
            Step::Ask(questions) => questions.into_iter().map(|question| question.id).collect(),
            other => panic!("expected questions, got {other:?}"),
        }
    }

    fn answer(&mut self, values: &Value) -> Vec<String> {
        let faults = self.interview.answer(self.catalogue, values.as_object().unwrap());
        faults.into_iter().map(|fault| fault.question_id).collect()
    }

    fn outcome(&mut self) -> Outcome {
        match self.step() {
            Step::Ready(outcome) => *outcome,
            other => panic!("expected an outcome, got {other:?}"),
        }
    }

    fn progress(&self) -> (usize, usize) {
        let progress = self.interview.progress();
        (progress.asked_so_far, progress.answered)
    }
}

fn fields(outcome: &Outcome) -> Vec<(&str, &str)> {
    let patch = outcome.patch.as_ref().expect("a decision");
    patch.fields.iter().map(|(field, value)| (field.as_str(), value.as_str())).collect()
}

fn uid(number: u16) -> Uid {
    Uid::parse(&format!("20250108T143512.000Z-{number:04X}")).unwrap()
}

fn documents(outcome: &Outcome, architecture: &Architecture) -> Documents {
    let inputs = DecisionInputs {
        architecture,
        previous_file: architecture.latest.as_ref().map(|uid| format!("{uid}_x.md")),
        adr_uid: uid(0x10),
        task_uid: uid(0x11),
        supersedes: None,
        created: "2025-01-08T14:35:12Z".into(),
    };
    compose(outcome, &inputs)
}
