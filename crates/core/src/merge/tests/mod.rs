//! What applying a delta does: the four operations, the merge of three, and what holds for any text.

mod merging;
mod operations;
mod properties;

use super::*;
use crate::change::Origin;

const SPEC: &str = "\
# auth Specification

## Purpose

Keep strangers out.

## Requirements

### Requirement: Login

The system SHALL let users in.

#### Scenario: Right

- **WHEN** right
- **THEN** in

#### Scenario: Wrong

- **WHEN** wrong
- **THEN** out

### Requirement: Logout

The system SHALL let users out.

#### Scenario: Out

- **WHEN** out
- **THEN** gone

## Annex

Free text.
";

const LOGIN: &str = "\
### Requirement: Login

The system SHALL let users in.

#### Scenario: Right

- **WHEN** right
- **THEN** in

#### Scenario: Wrong

- **WHEN** wrong
- **THEN** out
";

struct Case<'a> {
    current: Option<&'a str>,
    delta: &'a str,
    base: Option<(&'a str, Origin)>,
    drops: Drops,
    retirement: Retirement<'a>,
}

impl<'a> Case<'a> {
    fn new(current: &'a str, delta: &'a str) -> Self {
        let current = Some(current);
        Self { current, delta, base: None, drops: Drops::Deliberate, retirement: Retirement::Undeclared }
    }

    fn based_on(mut self, spec: &'a str) -> Self {
        self.base = Some((spec, Origin::Written));
        self
    }

    fn apply(&self) -> Result<Applied, Vec<ArchiveProblem>> {
        let document = Document::parse(self.delta);
        let delta = DeltaDoc::read(&document);
        let base = self.base.map(|(spec, origin)| CapabilityBase::take(&delta, Some(spec), origin));
        apply(&Application {
            capability: "auth",
            change: "c",
            rebase: "rebase `c`",
            current: self.current,
            delta: &delta,
            delta_text: self.delta,
            base: base.as_ref(),
            drops: self.drops,
            retirement: self.retirement,
        })
    }

    fn written(&self) -> String {
        match self.apply() {
            Ok(Applied { outcome: Outcome::Written(text), .. }) => text,
            other => panic!("{other:#?}"),
        }
    }

    fn refused(&self, message: &str) -> ArchiveProblem {
        let problems = self.apply().expect_err(message);
        let found = problems.iter().find(|problem| problem.message.contains(message));
        found.unwrap_or_else(|| panic!("{message}: {problems:#?}")).clone()
    }
}
