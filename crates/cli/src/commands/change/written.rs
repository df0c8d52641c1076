//! A change as a person writes it: in arguments, or in one page in an editor.
//!
//! The page has a level-1 heading for each part (`# Why`, `# What changes`, `# Tasks`, `# Design`) and one for each
//! capability (`# Delta: auth`), below which stands the delta as its file has it.

use std::collections::BTreeMap;
use std::fmt::Write;

use hewto_engine::change::{AddedScenarios, NewDelta, NewRequirement, NewScenario, steps_in};
use hewto_engine::{Context, Result, Workspace, requirement};

use crate::failure::usage;

/// What a requirement is written as on the command line.
const REQUIREMENT: &str =
    "a requirement is written \"CAPABILITY: NAME: TEXT\", or \"NAME: TEXT\" with --spec CAPABILITY";
const SCENARIO: &str =
    "a scenario is written \"NAME: WHEN … THEN …\", or \"REQUIREMENT / NAME: WHEN … THEN …\"";

/// The arguments that say what specs promise.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Promises {
    /// The capability that --requirement and --scenario are about
    #[arg(long, value_name = "CAPABILITY")]
    spec: Option<String>,
    /// A requirement, as "NAME: TEXT" with --spec, else "CAPABILITY: NAME: TEXT"; repeat it for more. One that the
    /// spec has already is modified, any other added
    #[arg(long = "requirement", value_name = "TEXT", allow_hyphen_values = true)]
    requirements: Vec<String>,
    /// A scenario of the last requirement before it in the list, as "NAME: WHEN … THEN …"; "REQUIREMENT / NAME: …"
    /// names another, which may be one that the spec has
    #[arg(long = "scenario", value_name = "TEXT", allow_hyphen_values = true)]
    scenarios: Vec<String>,
    /// What a new capability is for
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) purpose: Option<String>,
}

impl Promises {
    pub(super) fn is_empty(&self) -> bool {
        self.requirements.is_empty() && self.scenarios.is_empty()
    }

    /// The deltas that these arguments ask for, or all that is wrong with them.
    pub(super) fn deltas(&self, ws: &Workspace, ctx: &Context) -> Result<BTreeMap<String, NewDelta>> {
        let mut faults: Vec<String> = Vec::new();
        let mut written: Vec<(String, NewRequirement)> = Vec::new();
        for text in &self.requirements {
            match self.requirement(text) {
                Some(requirement) => written.push(requirement),
                None => faults.push(format!("`{text}`: {REQUIREMENT}")),
            }
        }
        let mut added: Vec<(String, AddedScenarios)> = Vec::new();
        for text in &self.scenarios {
            let Some((owner, scenario)) = scenario(text) else {
                faults.push(format!("`{text}`: {SCENARIO}"));
                continue;
            };
            let place = match &owner {
                Some(owner) => written.iter_mut().find(|(_, requirement)| requirement.name == *owner),
                None => written.last_mut(),
            };
            match (place, owner, &self.spec) {
                (Some((_, requirement)), _, _) => requirement.scenarios.push(scenario),
                (None, Some(owner), Some(spec)) => {
                    added.push((
                        spec.clone(),
                        AddedScenarios { requirement: owner, scenarios: vec![scenario] },
                    ));
                }
                (None, Some(owner), None) => {
                    faults.push(format!("`{owner}` is in which spec? give --spec CAPABILITY"));
                }
                (None, None, _) => faults.push(format!("`{text}` belongs to no requirement: {SCENARIO}")),
            }
        }
        if !faults.is_empty() {
            return Err(
                usage(faults.join("; ")).hint("run the command with `--help` to see how they are written")
            );
        }
        let mut deltas: BTreeMap<String, NewDelta> = BTreeMap::new();
        for (capability, new) in written {
            // Whether it is there decides what it is; what else may be wrong is the engine's to say.
            let is_known = requirement::show(ws, ctx, &capability, &new.name).is_ok();
            let delta = deltas.entry(capability).or_default();
            if is_known { delta.modified.push(new) } else { delta.added.push(new) }
        }
        for (capability, scenarios) in added {
            deltas.entry(capability).or_default().add_scenarios.push(scenarios);
        }
        Ok(deltas)
    }

    fn requirement(&self, text: &str) -> Option<(String, NewRequirement)> {
        let (first, rest) = text.split_once(": ")?;
        let (capability, name, text) = match (&self.spec, rest.split_once(": ")) {
            (Some(spec), _) => (spec.as_str(), first, rest),
            (None, Some((name, text))) => (first, name, text),
            (None, None) => {
                let (capability, name) = first.rsplit_once('/')?;
                (capability, name, rest)
            }
        };
        let parts = [capability.trim(), name.trim(), text.trim()];
        let new = NewRequirement {
            name: parts[1].to_owned(),
            text: parts[2].to_owned(),
            ..NewRequirement::default()
        };
        parts.iter().all(|part| !part.is_empty()).then(|| (parts[0].to_owned(), new))
    }
}

/// A scenario, and the requirement that it names.
fn scenario(text: &str) -> Option<(Option<String>, NewScenario)> {
    let (name, steps) = text.split_once(": ")?;
    let steps = steps_in(steps)?;
    let (owner, name) = match name.split_once(" / ") {
        Some((owner, name)) => (Some(owner.trim().to_owned()), name),
        None => (None, name),
    };
    let name = name.trim().to_owned();
    (!name.is_empty()).then(|| (owner, NewScenario { name, steps, ..NewScenario::default() }))
}

/// The page of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) why: String,
    pub(super) what_changes: String,
    /// Titles.
    pub(super) tasks: Vec<String>,
    pub(super) design: Option<String>,
    /// The Markdown of each delta, by capability.
    pub(super) deltas: BTreeMap<String, String>,
}

/// What a new page shows where nothing is written yet.
pub(super) const SAMPLE: &str = "\
# Why

<!-- Which problem does it solve, and for whom? Two or three sentences. -->

# What changes

<!-- What will be different? -->

# Tasks

<!-- One line each: - Write the migration -->

# Delta: CAPABILITY

<!-- What the capability promises then. Take this part out, or give its real name. -->

## ADDED Requirements

### Requirement: NAME

The system SHALL …

#### Scenario: NAME

- **WHEN** …
- **THEN** …
";

impl Page {
    /// The page as it is shown in an editor.
    pub(super) fn render(&self) -> String {
        let mut out = format!(
            "# Why\n\n{}\n\n# What changes\n\n{}\n\n# Tasks\n\n",
            shifted(self.why.trim()),
            shifted(self.what_changes.trim())
        );
        for task in &self.tasks {
            let _ = writeln!(out, "- {task}");
        }
        if let Some(design) = &self.design {
            let _ = write!(out, "\n# Design\n\n{}\n", shifted(design.trim()));
        }
        for (capability, delta) in &self.deltas {
            let _ = write!(out, "\n# Delta: {capability}\n\n{}\n", shifted(delta.trim()));
        }
        out
    }

    /// The page that a person wrote, or all that is wrong with it.
    pub(super) fn read(text: &str) -> Result<Self> {
        let mut page = Self::default();
        let mut faults = Vec::new();
        for (title, body) in parts(text) {
            let own = without_sample(&body);
            match title.to_lowercase().as_str() {
                "why" => page.why = own,
                "what changes" => page.what_changes = own,
                "tasks" => page.tasks = tasks(&body),
                "design" => page.design = Some(own),
                _ => match title.strip_prefix("Delta:").map(str::trim) {
                    // The sample that nobody touched is no part of the change.
                    Some("CAPABILITY") => {}
                    Some("") => faults.push("`# Delta:` names no capability".to_owned()),
                    Some(capability) => {
                        page.deltas.insert(capability.to_owned(), format!("{own}\n"));
                    }
                    None => faults.push(format!(
                        "`# {title}` is not part of a change: use Why, What changes, Tasks, Design or Delta: CAPABILITY"
                    )),
                },
            }
        }
        if page.why.is_empty() {
            faults.push("`# Why` says nothing yet".to_owned());
        }
        if page.what_changes.is_empty() {
            faults.push("`# What changes` says nothing yet".to_owned());
        }
        match faults.as_slice() {
            [] => Ok(page),
            faults => Err(usage(faults.join("; "))),
        }
    }

    /// The deltas as the engine takes them.
    pub(super) fn new_deltas(&self) -> BTreeMap<String, NewDelta> {
        let raw = |text: &String| NewDelta { raw: Some(text.clone()), ..NewDelta::default() };
        self.deltas.iter().map(|(capability, text)| (capability.clone(), raw(text))).collect()
    }
}

/// The level-1 headings of a page and what stands below each; code is left alone.
fn parts(text: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        match line.strip_prefix("# ").filter(|_| fence.is_none()) {
            Some(title) => parts.push((title.trim().to_owned(), String::new())),
            None => {
                if let Some((_, body)) = parts.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    parts
}

/// What stands before a heading of a text's own, so that it does not end its part of the page.
const SHIFT: &str = "\\# ";

/// A text whose own level-1 headings do not end its part.
fn shifted(text: &str) -> String {
    let line =
        |line: &str| line.strip_prefix("# ").map_or_else(|| line.to_owned(), |rest| format!("{SHIFT}{rest}"));
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The text that a person wrote in a part: without what the sample explains, and with their own headings. Their
/// comments are theirs.
fn without_sample(text: &str) -> String {
    let explains = |line: &str| is_comment(line) && SAMPLE.lines().any(|known| known == line.trim());
    let line =
        |line: &str| line.strip_prefix(SHIFT).map_or_else(|| line.to_owned(), |rest| format!("# {rest}"));
    let lines = text.lines().filter(|one| !explains(one)).map(line);
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn is_comment(line: &str) -> bool {
    line.trim().starts_with("<!--") && line.trim().ends_with("-->")
}

fn tasks(text: &str) -> Vec<String> {
    let title = |line: &str| {
        let line = line.trim().trim_start_matches(['-', '*', '+']).trim();
        let line = line.strip_prefix("[ ]").or_else(|| line.strip_prefix("[x]")).unwrap_or(line).trim();
        (!line.is_empty()).then(|| line.to_owned())
    };
    text.lines().filter(|line| !is_comment(line)).filter_map(title).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_back_as_it_was_shown() {
        let page = Page {
            why: "Because.\n\n<!-- ask Ann -->\n\n## Really".into(),
            what_changes: "- x\n\n# Mine".into(),
            tasks: vec!["One".into(), "Two".into()],
            design: Some("# Title\n\ntext".into()),
            deltas: BTreeMap::from([(
                "a/b".to_owned(),
                "# Delta\n\n## ADDED Requirements\n\n### Requirement: R\n\n<!-- spec-id: r -->\n".to_owned(),
            )]),
        };
        assert_eq!(Page::read(&page.render()).unwrap(), page);
    }

    #[test]
    fn an_untouched_sample_says_everything_that_is_missing() {
        let error = Page::read(SAMPLE).unwrap_err();
        assert_eq!(error.message, "`# Why` says nothing yet; `# What changes` says nothing yet");
        let odd = Page::read("# Why\n\nx\n\n# What changes\n\ny\n\n# Whatever\n").unwrap_err();
        assert!(odd.message.contains("`# Whatever` is not part of a change"), "{odd}");
    }
}
