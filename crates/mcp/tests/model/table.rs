//! Every tool with the arguments that it is tried with, and what its success means.

use serde_json::Value;

use crate::dice::Dice;
use crate::state::Model;
use crate::{changes, decisions, files, git, graph, people, work};

/// A tool.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) tool: &'static str,
    /// How often it is tried, beside others.
    pub(crate) weight: usize,
    pub(crate) arguments: fn(&Model, &mut Dice<'_>) -> Value,
    /// Takes the model to its next state, and names what may have been touched, by the beginning of its path.
    pub(crate) then: fn(&mut Model, &Value, &Value) -> Vec<String>,
    /// Whether the call has to succeed or to fail, where the model knows.
    pub(crate) must: fn(&Model, &Value) -> Option<bool>,
}

impl Row {
    /// A tool that changes nothing.
    pub(crate) const fn reads(tool: &'static str, arguments: fn(&Model, &mut Dice<'_>) -> Value) -> Self {
        Self { tool, weight: 1, arguments, then: |_, _, _| Vec::new(), must: |_, _| None }
    }

    pub(crate) const fn writes(
        tool: &'static str,
        arguments: fn(&Model, &mut Dice<'_>) -> Value,
        then: fn(&mut Model, &Value, &Value) -> Vec<String>,
    ) -> Self {
        Self { tool, weight: 3, arguments, then, must: |_, _| None }
    }

    /// Looks at what a tool answers that changes nothing.
    pub(crate) const fn says(mut self, then: fn(&mut Model, &Value, &Value) -> Vec<String>) -> Self {
        self.then = then;
        self
    }

    /// Tries it as often as what writes, because others need what it answers.
    pub(crate) const fn often(mut self) -> Self {
        self.weight = 4;
        self
    }

    pub(crate) const fn must(mut self, must: fn(&Model, &Value) -> Option<bool>) -> Self {
        self.must = must;
        self
    }
}

/// All rows, by toolset.
pub(crate) fn rows() -> Vec<Row> {
    [work::ROWS, changes::ROWS, decisions::ROWS, graph::ROWS, files::ROWS, git::ROWS, people::ROWS].concat()
}
