//! Writes a delta from its parts.
//!
//! Texts come from outside and may hold anything; whoever writes a delta reads it back ([`DeltaDoc::read`]) and
//! refuses it when something else comes out.

use std::fmt::Write as _;

use crate::document::EolStyle;
use crate::requirement::{Clauses, Step};

/// A delta to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewDelta {
    pub purpose: Option<String>,
    pub added: Vec<NewRequirement>,
    pub modified: Vec<NewRequirement>,
    pub removed: Vec<NewRemoval>,
    pub renamed: Vec<NewRename>,
    /// Scenarios for requirements that are not repeated; whoever writes the delta puts them where they belong.
    pub add_scenarios: Vec<AddedScenarios>,
    /// The whole delta as Markdown, in place of everything else.
    pub raw: Option<String>,
}

/// Scenarios that a requirement gets beside those it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedScenarios {
    pub requirement: String,
    pub scenarios: Vec<NewScenario>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRequirement {
    pub name: String,
    pub text: String,
    pub scenarios: Vec<NewScenario>,
    /// The whole requirement as Markdown, heading included; written as it is.
    pub raw: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewScenario {
    pub name: String,
    pub given: Option<String>,
    pub when: Option<String>,
    pub then: Vec<String>,
    /// The same clause by clause; written in place of the three where there are some.
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRemoval {
    pub name: String,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRename {
    pub from: String,
    pub to: String,
}

impl NewDelta {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.modified.is_empty()
            && self.removed.is_empty()
            && self.renamed.is_empty()
            && self.add_scenarios.is_empty()
            && self.raw.is_none()
    }

    /// The Markdown of the delta, ended by a line feed.
    pub fn render(&self) -> String {
        let mut out = String::new();
        if let Some(purpose) = &self.purpose {
            let _ = write!(out, "## Purpose\n\n{}\n\n", purpose.trim());
        }
        for (heading, requirements) in [("ADDED", &self.added), ("MODIFIED", &self.modified)] {
            if !requirements.is_empty() {
                let _ = write!(out, "## {heading} Requirements\n\n");
                for requirement in requirements {
                    out.push_str(&requirement.render());
                    out.push_str("\n\n");
                }
            }
        }
        if !self.removed.is_empty() {
            out.push_str("## REMOVED Requirements\n\n");
            for removal in &self.removed {
                let _ = write!(out, "{}\n\n", removal.render());
            }
        }
        if !self.renamed.is_empty() {
            out.push_str("## RENAMED Requirements\n\n");
            for rename in &self.renamed {
                let _ = write!(out, "{}\n\n", rename.render());
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

impl NewRequirement {
    /// The Markdown of the requirement, without a line end.
    pub fn render(&self) -> String {
        if let Some(raw) = &self.raw {
            return EolStyle::Lf.applied_to(raw.trim());
        }
        let mut parts = vec![heading(&self.name)];
        if !self.text.trim().is_empty() {
            parts.push(self.text.trim().to_owned());
        }
        parts.extend(self.scenarios.iter().map(NewScenario::render));
        parts.join("\n\n")
    }
}

pub(super) fn heading(name: &str) -> String {
    format!("### Requirement: {}", name.trim())
}

impl NewScenario {
    /// The Markdown of the scenario, without a line end.
    pub fn render(&self) -> String {
        let mut lines = vec![format!("#### Scenario: {}", self.name.trim()), String::new()];
        let mut clause = |keyword: &str, text: &str| {
            lines.push(format!("- **{keyword}** {}", text.trim().replace('\n', "\n  ")));
        };
        if self.steps.is_empty() {
            if let Some(given) = &self.given {
                clause("GIVEN", given);
            }
            if let Some(when) = &self.when {
                clause("WHEN", when);
            }
            for (n, then) in self.then.iter().enumerate() {
                clause(if n == 0 { "THEN" } else { "AND" }, then);
            }
        }
        for step in &self.steps {
            clause(step.keyword.as_str(), &step.text);
        }
        lines.join("\n").trim_end().to_owned()
    }

    /// What the three fields say, where one of them is given.
    pub(super) fn clauses(&self) -> Option<Clauses> {
        let is_given = self.given.is_some() || self.when.is_some() || !self.then.is_empty();
        is_given.then(|| Clauses {
            given: self.given.clone(),
            when: self.when.clone(),
            then: self.then.clone(),
        })
    }
}

impl NewRemoval {
    /// The Markdown of the removal, without a line end.
    pub fn render(&self) -> String {
        let heading = heading(&self.name);
        match self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) {
            None => heading,
            // As `get_change` shows it: the text below the heading.
            Some(text) if text.starts_with("**") => format!("{heading}\n\n{text}"),
            Some(reason) => format!("{heading}\n\n**Reason:** {reason}"),
        }
    }
}

impl NewRename {
    /// The Markdown of the rename, without a line end.
    pub fn render(&self) -> String {
        format!(
            "- FROM: `### Requirement: {}`\n- TO: `### Requirement: {}`",
            self.from.trim(),
            self.to.trim()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delta::DeltaDoc;
    use crate::document::Document;

    #[test]
    fn a_written_delta_reads_back() {
        let requirement = NewRequirement {
            name: "Login".into(),
            text: "The system SHALL log in.".into(),
            scenarios: vec![NewScenario {
                name: "Good password".into(),
                given: Some("a user".into()),
                when: Some("the password fits".into()),
                then: vec!["a session\nstarts".into(), "it is logged".into()],
                steps: Vec::new(),
            }],
            raw: None,
        };
        let delta = NewDelta {
            purpose: Some("Let people in.".into()),
            added: vec![requirement.clone()],
            modified: vec![NewRequirement { name: "Other".into(), ..requirement }],
            removed: vec![NewRemoval { name: "Old".into(), reason: Some("unused".into()) }],
            renamed: vec![NewRename { from: "A".into(), to: "B".into() }],
            ..NewDelta::default()
        };
        let text = delta.render();
        let document = Document::parse(&text);
        let read = DeltaDoc::read(&document);
        assert!(read.oddities.is_empty(), "{text}");
        assert_eq!(read.added[0].name, "Login");
        assert_eq!(read.added[0].text, "The system SHALL log in.");
        let clauses = read.added[0].scenarios[0].clauses(&document);
        assert_eq!(clauses.given.as_deref(), Some("a user"));
        assert_eq!(clauses.then, ["a session starts", "it is logged"]);
        assert_eq!(read.modified[0].name, "Other");
        assert_eq!(read.removed[0].name, "Old");
        assert_eq!((read.renamed[0].from, read.renamed[0].to), ("A", "B"));
        assert_eq!(read.purpose.unwrap().text, "Let people in.");
    }
}
