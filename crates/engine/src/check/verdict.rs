//! `validate_spec`, and what it and `validate_change` have in common: verdicts as the repository's own tool gives them.

use hewto_core::check::{Issue, check_spec_text};
use hewto_core::diagnostic::{Finding, Severity};
use hewto_core::rules::dialect::Dialect;
use hewto_store::{Context, Doc, DocKey, ReadError, SpecEntry};

use super::{Strictness, spec::dialect_of, validate_change, workspace};
use crate::error::Result;
use crate::item::{change_meant, parse_spec_id, spec_not_found};
use crate::view::{VerdictItem, VerdictView};
use crate::workspace::Workspace;

/// Judges one spec, or all of them.
pub fn validate_spec(
    ws: &Workspace,
    ctx: &Context,
    id: Option<&str>,
    strictness: Strictness,
) -> Result<VerdictView> {
    let mut items = Vec::new();
    let specs = if let Some(name) = id {
        let id = parse_spec_id("spec_id", name)?;
        match ws.store().entry(ctx, &id)? {
            Some(entry) => vec![entry],
            None => match change_meant(ws, ctx, name)? {
                Some(change) => return validate_change(ws, ctx, Some(change.as_str()), strictness),
                None => return Err(spec_not_found(ws, ctx, name)),
            },
        }
    } else {
        let snapshot = ws.store().snapshot(ctx)?;
        items.extend(workspace::met(&snapshot).map(|finding| from_finding(finding.clone(), "file")));
        snapshot.specs.clone()
    };
    let mut invalid = 0;
    for entry in &specs {
        ctx.check()?;
        let found = judge_spec(ws, ctx, entry)?;
        invalid += usize::from(found.iter().any(|(severity, _)| strictness.refuses(*severity)));
        items.extend(found);
    }
    Ok(verdict(items, Tally { judged: specs.len(), invalid }, "spec", strictness))
}

/// How many were judged, and how many of them are not valid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tally {
    pub(super) judged: usize,
    pub(super) invalid: usize,
}

fn judge_spec(ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> Result<Vec<(Severity, VerdictItem)>> {
    match ws.store().read(ctx, &DocKey::Spec(entry.id.clone())) {
        Ok(Some(doc)) => {
            let mut items = about_the_file(ws, entry);
            items.extend(spec_issues(ws, entry, &doc).iter().map(|issue| item(doc.path.as_str(), issue)));
            Ok(items)
        }
        Ok(None) => Ok(Vec::new()),
        Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => Ok(vec![(
            Severity::Error,
            VerdictItem {
                file: entry.spec_path(),
                line: None,
                section: "file".to_owned(),
                description: error.to_string(),
                code: "file-unreadable".to_owned(),
                hint: error.hint().to_owned(),
            },
        )]),
        Err(error) => Err(error.into()),
    }
}

/// What is wrong with the file as a document: its front matter, its state, its id.
fn about_the_file(ws: &Workspace, entry: &SpecEntry) -> Vec<(Severity, VerdictItem)> {
    // Under `openspec/` the verdict stays OpenSpec's, which does not look at these.
    let most = if dialect_of(ws, entry) == Dialect::OpenSpec { Severity::Warning } else { Severity::Error };
    let findings = entry.findings().into_iter().map(|finding| from_finding(finding, "file"));
    findings.map(|(severity, item)| (severity.min(most), item)).collect()
}

pub(super) fn from_finding(finding: Finding, section: &str) -> (Severity, VerdictItem) {
    let item = VerdictItem {
        file: finding.file,
        line: finding.line,
        section: section.to_owned(),
        description: finding.message,
        code: finding.code.to_owned(),
        hint: finding.hint,
    };
    (finding.severity, item)
}

pub(super) fn spec_issues(ws: &Workspace, entry: &SpecEntry, doc: &Doc) -> Vec<Issue> {
    check_spec_text(&doc.text, dialect_of(ws, entry))
}

pub(super) fn item(file: &str, issue: &Issue) -> (Severity, VerdictItem) {
    let diagnostic = &issue.diagnostic;
    let item = VerdictItem {
        file: file.to_owned(),
        line: Some(diagnostic.line),
        section: issue.section.as_str().to_owned(),
        description: diagnostic.message.clone(),
        code: diagnostic.code.to_owned(),
        hint: diagnostic.hint.clone(),
    };
    (diagnostic.severity, item)
}

pub(super) fn verdict(
    items: Vec<(Severity, VerdictItem)>,
    tally: Tally,
    what: &str,
    strictness: Strictness,
) -> VerdictView {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (severity, item) in items {
        match severity {
            Severity::Error => errors.push(item),
            Severity::Warning => warnings.push(item),
            Severity::Info => {}
        }
    }
    let valid = errors.is_empty() && (strictness == Strictness::Normal || warnings.is_empty());
    let count = |n: usize, noun: &str| if n == 1 { format!("{n} {noun}") } else { format!("{n} {noun}s") };
    let Tally { judged, invalid } = tally;
    let judged = match invalid {
        _ if valid => format!("{} valid", count(judged, what)),
        // Something beside them all, or the only one.
        0 => format!("{} not valid", count(judged, what)),
        invalid if invalid == judged => format!("{} not valid", count(judged, what)),
        invalid => format!("{} valid, {invalid} not valid", count(judged - invalid, what)),
    };
    let summary = format!("{judged}: {}, {}", count(errors.len(), "error"), count(warnings.len(), "warning"));
    VerdictView { valid, errors, warnings, summary }
}
