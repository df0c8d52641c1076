//! Writes a delta from its parts.
//!
//! Texts come from outside and may hold anything; whoever writes a delta reads it back ([`DeltaDoc::read`]) and
//! refuses it when something else comes out.

use std::fmt::Write as _;

/// A delta to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewDelta {
    pub purpose: Option<String>,
    pub added: Vec<NewRequirement>,
    pub modified: Vec<NewRequirement>,
    pub removed: Vec<NewRemoval>,
    pub renamed: Vec<NewRename>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRequirement {
    pub name: String,
    pub text: String,
    pub scenarios: Vec<NewScenario>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewScenario {
    pub name: String,
    pub given: Option<String>,
    pub when: Option<String>,
    pub then: Vec<String>,
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
                    requirement.write(&mut out);
                }
            }
        }
        if !self.removed.is_empty() {
            out.push_str("## REMOVED Requirements\n\n");
            for removal in &self.removed {
                let _ = write!(out, "### Requirement: {}\n\n", removal.name.trim());
                if let Some(reason) = &removal.reason {
                    let _ = write!(out, "**Reason:** {}\n\n", reason.trim());
                }
            }
        }
        if !self.renamed.is_empty() {
            out.push_str("## RENAMED Requirements\n\n");
            for rename in &self.renamed {
                let _ = write!(
                    out,
                    "- FROM: `### Requirement: {}`\n- TO: `### Requirement: {}`\n\n",
                    rename.from.trim(),
                    rename.to.trim()
                );
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

impl NewRequirement {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "### Requirement: {}\n\n", self.name.trim());
        if !self.text.trim().is_empty() {
            let _ = write!(out, "{}\n\n", self.text.trim());
        }
        for scenario in &self.scenarios {
            let _ = write!(out, "#### Scenario: {}\n\n", scenario.name.trim());
            let mut clause = |keyword: &str, text: &str| {
                let _ = writeln!(out, "- **{keyword}** {}", text.trim().replace('\n', "\n  "));
            };
            if let Some(given) = &scenario.given {
                clause("GIVEN", given);
            }
            if let Some(when) = &scenario.when {
                clause("WHEN", when);
            }
            for (n, then) in scenario.then.iter().enumerate() {
                clause(if n == 0 { "THEN" } else { "AND" }, then);
            }
            out.push('\n');
        }
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
            }],
        };
        let delta = NewDelta {
            purpose: Some("Let people in.".into()),
            added: vec![requirement.clone()],
            modified: vec![NewRequirement { name: "Other".into(), ..requirement }],
            removed: vec![NewRemoval { name: "Old".into(), reason: Some("unused".into()) }],
            renamed: vec![NewRename { from: "A".into(), to: "B".into() }],
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
