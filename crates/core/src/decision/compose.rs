//! From an outcome to the texts of the documents: the last step before something is written.

use super::architecture::Architecture;
use super::interview::Outcome;
use super::record::{Adr, ArchitectureState, KNOWN, Passage, Task};
use super::text::one_line;
use super::trigger::Patch;
use super::uid::Uid;

/// Longest title of a record, in characters.
const MAX_TITLE: usize = 120;

/// What the documents are built on.
#[derive(Debug, Clone)]
pub struct DecisionInputs<'a> {
    pub architecture: &'a Architecture,
    /// The file name of the latest record.
    pub previous_file: Option<String>,
    /// The UID of the new record; needed when one is due.
    pub adr_uid: Uid,
    pub task_uid: Uid,
    /// The record that the new one takes the place of, where somebody said so.
    pub supersedes: Option<Uid>,
    /// RFC 3339, whole seconds.
    pub created: String,
}

/// The documents of a finished interview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    pub adr: Option<Adr>,
    /// Written together with a record only.
    pub state: Option<ArchitectureState>,
    pub task: Task,
}

pub fn compose(outcome: &Outcome, inputs: &DecisionInputs<'_>) -> Documents {
    let adr =
        outcome.patch.as_ref().filter(|_| outcome.verdict.record).map(|patch| record(outcome, patch, inputs));
    let state =
        adr.as_ref().map(|adr| ArchitectureState { uid: adr.uid.clone(), snapshot: adr.snapshot.clone() });
    let task = task(outcome, inputs, adr.as_ref().map(|adr| adr.uid.clone()));
    Documents { adr, state, task }
}

/// What happened, in one sentence.
pub fn summary(outcome: &Outcome) -> String {
    match &outcome.patch {
        Some(patch) if outcome.verdict.record => {
            format!("{} decision documented ({}) and task created.", patch.category, fields(patch))
        }
        Some(patch) => {
            format!("Task created ({}: {}); no decision record was needed.", patch.category, fields(patch))
        }
        None => "Task created; no decision record was needed.".to_owned(),
    }
}

fn fields(patch: &Patch) -> String {
    patch.fields.iter().map(|(field, value)| format!("{field} = {value}")).collect::<Vec<_>>().join(", ")
}

fn record(outcome: &Outcome, patch: &Patch, inputs: &DecisionInputs<'_>) -> Adr {
    let uid = inputs.adr_uid.clone();
    let (snapshot, mut changes) = inputs.architecture.snapshot.decide(patch, &uid);
    let decided = |key: &str| changes.iter().any(|change| change.key() == key);
    let merged = inputs.architecture.merged_changes().into_iter().filter(|change| !decided(change.key()));
    let merged: Vec<_> = merged.collect();
    changes.extend(merged);
    let lead = format!("A decision on {} was needed. The intention was:", patch.category);
    let mut context = vec![Passage { lead, text: outcome.intention.clone() }];
    let more = [("Context given with it:", &outcome.given_context), ("In more words:", &outcome.description)];
    for (lead, text) in more {
        context.extend(text.iter().map(|text| Passage { lead: lead.to_owned(), text: text.clone() }));
    }
    context.extend(known(outcome).map(|text| Passage { lead: KNOWN.to_owned(), text }));
    let asked = outcome.asked_by_agent.iter().map(|(question, why, answer)| match why {
        Some(why) => format!("{question} {answer} (it matters because: {why})"),
        None => format!("{question} {answer}"),
    });
    let asked: Vec<String> = asked.collect();
    if !asked.is_empty() {
        context
            .push(Passage { lead: "Asked by the agent, and answered:".to_owned(), text: asked.join("\n\n") });
    }
    let first = patch.fields.first().map(|(field, value)| format!("{field} = {value}")).unwrap_or_default();
    let mut alternatives: Vec<String> = outcome
        .alternatives
        .iter()
        .map(|(field, options)| format!("{field}: {} (offered, not chosen)", options.join(", ")))
        .collect();
    if alternatives.is_empty() {
        alternatives.push("No alternative was considered".to_owned());
    }
    Adr {
        title: cut(&one_line(&format!("{}: {first}", patch.category))),
        category: patch.category.clone(),
        date: super::record::date_of(&uid),
        previous: inputs.architecture.latest.clone(),
        previous_file: inputs.previous_file.clone(),
        merged: inputs.architecture.merged_heads(),
        supersedes: inputs.supersedes.iter().cloned().collect(),
        alias: None,
        changes: changes.iter().map(super::architecture::Change::to_line).collect(),
        snapshot,
        context,
        decision: patch.fields.iter().chain(&outcome.details).cloned().collect(),
        rationale: "The values are in the intention or were given in answer to questions; no further rationale was given."
            .to_owned(),
        alternatives,
        positive: vec!["The decision is written down, and the current task carries it out".to_owned()],
        negative: Vec::new(),
        neutral: Vec::new(),
        uid,
    }
}

/// What was known without asking, a line each; `None` when nothing was.
fn known(outcome: &Outcome) -> Option<String> {
    let lines = outcome
        .known
        .iter()
        .map(|known| format!("{}: {} ({})", label(&known.about), one_line(&known.value), known.seen_in));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// `backend_language` as people write it.
pub fn label(about: &str) -> String {
    let words: Vec<&str> = about
        .split(['_', '.'])
        .map(|word| match word {
            "api" => "API",
            "ci" => "CI",
            "cd" => "CD",
            "db" => "database",
            "orm" => "ORM",
            "ui" => "UI",
            other => other,
        })
        .collect();
    let words = words.join(" ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn task(outcome: &Outcome, inputs: &DecisionInputs<'_>, related_adr: Option<Uid>) -> Task {
    let fields = outcome.patch.iter().flat_map(|patch| &patch.fields);
    let fields = fields.map(|(field, value)| format!("Use {value} for {field}"));
    let details = outcome.details.iter().map(|(label, value)| format!("{label}: {value}"));
    Task {
        uid: inputs.task_uid.clone(),
        created: inputs.created.clone(),
        related_adr,
        title: outcome.title.clone(),
        intention: outcome.intention.clone(),
        decision: outcome.patch.as_ref().map(|patch| {
            let pairs: Vec<String> =
                patch.fields.iter().map(|(field, value)| format!("{field}={value}")).collect();
            format!("{} - {}", patch.category, pairs.join(", "))
        }),
        given_context: outcome.given_context.clone(),
        description: outcome.description.clone(),
        allowlist: outcome.allowlist.clone(),
        forbidden: outcome.forbidden.clone(),
        known: known(outcome),
        constraints: fields.chain(details).collect(),
        criteria: outcome.criteria.clone(),
    }
}

fn cut(title: &str) -> String {
    if title.chars().count() <= MAX_TITLE {
        return title.to_owned();
    }
    let kept: String = title.chars().take(MAX_TITLE - 3).collect();
    format!("{}...", kept.trim_end())
}
