//! One spec: what its documents say by themselves, and whether they agree with each other.

use hewto_core::diagnostic::Finding;
use hewto_core::id::WorkItem;
use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::plan::Plan;
use hewto_core::rules::Rule;
use hewto_core::rules::dialect::Dialect;
use hewto_core::rules::workspace as rules;
use hewto_core::spec::body;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Doc, DocKey, ReadError, SpecEntry, StateRead};

use super::verdict::spec_issues;
use crate::change::dialect;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// Longest title that is not worth a warning.
const LONG_TITLE_CHARS: usize = 200;
/// Longest title of a step that is not worth a warning.
const LONG_STEP_TITLE_CHARS: usize = 100;

pub(super) fn findings(ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> Result<Vec<Finding>> {
    let mut findings = entry.findings();
    match read(ws, ctx, &DocKey::Spec(entry.id.clone()))? {
        Read::Text(doc) => {
            of_document(entry, &doc, &mut findings);
            let issues = spec_issues(ws, entry, &doc);
            findings.extend(issues.iter().map(|issue| issue.diagnostic.in_file(doc.path.as_str())));
        }
        // The entry itself says what is wrong with a file that cannot be read.
        Read::Nothing | Read::Unreadable(_) => {}
    }
    if let StateRead::Valid(state) = &entry.state {
        of_state(entry, state, &mut findings);
    }
    if entry.has_plan() {
        match read(ws, ctx, &DocKey::Plan(WorkItem::Spec(entry.id.clone())))? {
            Read::Text(doc) => of_plan(entry, &doc, &mut findings),
            Read::Nothing => {}
            Read::Unreadable(finding) => findings.push(finding),
        }
    }
    Ok(findings)
}

/// Whose verdicts count for a spec: those of the first tool that owns its root.
///
/// A spec with a state is a work item of ours, whoever owns the folder: it is held to requirements where it states any.
pub(super) fn dialect_of(ws: &Workspace, entry: &SpecEntry) -> Dialect {
    if entry.state != StateRead::Absent {
        return Dialect::Native;
    }
    ws.owners_of(entry.folder.as_str()).first().map_or(Dialect::Native, |owner| dialect(*owner))
}

enum Read {
    Text(Doc),
    Nothing,
    Unreadable(Finding),
}

/// Reads a document; what cannot be read as text is a finding, what stops the whole check an error.
fn read(ws: &Workspace, ctx: &Context, key: &DocKey) -> Result<Read> {
    match ws.store().read(ctx, key) {
        Ok(Some(doc)) => Ok(Read::Text(doc)),
        Ok(None) => Ok(Read::Nothing),
        Err(ReadError::NotUtf8 { path, offset }) => Ok(Read::Unreadable(rules::UNREADABLE.on(
            path.as_str(),
            None,
            format!("not UTF-8 from byte {offset} on"),
            "save the file as UTF-8",
        ))),
        Err(ReadError::File(error)) => {
            let hint = error.hint();
            let path = error.path.clone();
            Ok(Read::Unreadable(rules::UNREADABLE.on(path, None, Error::from(error).to_string(), hint)))
        }
        Err(error) => Err(error.into()),
    }
}

fn of_document(entry: &SpecEntry, doc: &Doc, findings: &mut Vec<Finding>) {
    let mut add = |rule: &Rule, message: String, hint: &str| {
        findings.push(rule.on(doc.path.as_str(), Some(1), message, hint));
    };
    let head = &entry.head;
    if let Some(title) = &head.title {
        let length = title.chars().count();
        if title.trim().is_empty() {
            add(&rules::TITLE_EMPTY, "the title is empty".into(), "write a title into the front matter");
        } else if length > LONG_TITLE_CHARS {
            add(&rules::TITLE_LONG, format!("the title has {length} characters"), "shorten the title");
        } else if title.trim() != title {
            add(&rules::TITLE_PADDED, "the title begins or ends with spaces".into(), "remove the spaces");
        }
    }
    // Only a spec that carries workflow metadata is expected to say why it is needed there.
    let has_metadata = head.category.is_some() || head.created_at.is_some() || head.description.is_some();
    if has_metadata && head.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
        add(&rules::DESCRIPTION_EMPTY, "the description is empty".into(), "say why the spec is needed");
    }
    if body(&doc.text).trim().is_empty() {
        add(&rules::CONTENT_EMPTY, "there is no text under the front matter".into(), "write the spec");
    }
    match (head.state, &entry.state) {
        (Some(shown), StateRead::Valid(state)) if shown != state.lifecycle => add(
            &rules::STATE_MISMATCH,
            format!("the front matter says `{shown}`, `state.toon` says `{}`", state.lifecycle),
            "`state.toon` counts; run `hewto validate --fix` to correct the front matter",
        ),
        (Some(shown), StateRead::Absent) if shown != Lifecycle::Draft => add(
            &rules::STATE_MISMATCH,
            format!("the front matter says `{shown}`, but there is no `state.toon`, which means `draft`"),
            "run `hewto validate --fix` to correct the front matter, or move the spec with `hewto spec move`",
        ),
        _ => {}
    }
}

fn of_state(entry: &SpecEntry, state: &WorkflowState, findings: &mut Vec<Finding>) {
    let mut add = |rule: &Rule, message: String, hint: &str| {
        findings.push(rule.on(entry.state_path(), Some(1), message, hint));
    };
    if state.spec_id != entry.id.as_str() {
        add(
            &rules::STATE_OWNER,
            format!("the state says it belongs to `{}`", state.spec_id),
            "correct `spec_id`, or move the file to where it belongs",
        );
    }
    if state.phase == Phase::Build && !entry.has_plan() {
        add(
            &rules::BUILD_WITHOUT_PLAN,
            "the build has no plan".into(),
            "restore `plan.md`, or make a new plan",
        );
    }
    if state.lifecycle == Lifecycle::Blocked && state.reason.is_none() && entry.head.dependencies.is_empty() {
        add(
            &rules::BLOCKED_WITHOUT_CAUSE,
            "the spec is blocked, and nothing says by what".into(),
            "name the dependency, or move it again with a reason",
        );
    }
}

fn of_plan(entry: &SpecEntry, doc: &Doc, findings: &mut Vec<Finding>) {
    let (plan, diagnostics) = Plan::read(&doc.text);
    findings.extend(diagnostics.iter().map(|diagnostic| diagnostic.in_file(doc.path.as_str())));
    let mut add = |rule: &Rule, line: usize, message: String, hint: &str| {
        findings.push(rule.on(doc.path.as_str(), Some(line), message, hint));
    };
    if !plan.spec_id.is_empty() && plan.spec_id != entry.id.as_str() {
        add(
            &rules::PLAN_OWNER,
            1,
            format!("the plan says it belongs to `{}`", plan.spec_id),
            "correct `spec_id`, or move the file to where it belongs",
        );
    }
    if plan.approach.trim().is_empty() {
        add(
            &rules::PLAN_APPROACH_EMPTY,
            1,
            "the plan has no approach".into(),
            "write a section `## Approach`",
        );
    }
    if plan.steps.is_empty() {
        add(
            &rules::PLAN_EMPTY,
            1,
            "the plan has no steps".into(),
            "add `### Step 1: <title>` under `## Steps`",
        );
    }
    let lines = Plan::step_lines(&doc.text);
    for step in &plan.steps {
        let line = lines.get(step.index).copied().unwrap_or(1);
        let number = step.index + 1;
        if step.title.trim().is_empty() {
            add(
                &rules::STEP_TITLE_EMPTY,
                line,
                format!("step {number} has no title"),
                "write `### Step N: <title>`",
            );
        } else if step.title.chars().count() > LONG_STEP_TITLE_CHARS {
            add(
                &rules::STEP_TITLE_LONG,
                line,
                format!("the title of step {number} is long"),
                "shorten the title",
            );
        }
        if step.description.trim().is_empty() {
            add(
                &rules::STEP_DESCRIPTION_EMPTY,
                line,
                format!("step {number} has no description"),
                "say under the heading what is to be done",
            );
        }
    }
}
