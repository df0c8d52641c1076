//! `validate_spec` and `validate_change`: verdicts on requirements and deltas, as the repository's own tool gives them.

use hewto_core::check::{ChangeIssue, Issue, check_change, check_spec_text};
use hewto_core::diagnostic::{Finding, Severity};
use hewto_core::overlap::Overlap;
use hewto_core::rules::changes::{ARCHIVE_REFUSED, CHANGE_FOLDER};
use hewto_core::rules::dialect::Dialect;
use hewto_core::rules::workspace::UNREADABLE;
use hewto_store::{Context, Doc, DocKey, OddFolder, ReadError, SpecEntry};

use super::{Strictness, spec::dialect_of, workspace};
use crate::change::{ChangeFolder, Written, among, dialect, obstacles, oddity};
use crate::error::Result;
use crate::item::{parse_spec_id, spec_not_found};
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
        vec![ws.store().entry(ctx, &id)?.ok_or_else(|| spec_not_found(ws, ctx, name))?]
    } else {
        let snapshot = ws.store().snapshot(ctx)?;
        items.extend(workspace::met(&snapshot).map(|finding| from_finding(finding.clone(), "file")));
        snapshot.specs.clone()
    };
    for entry in &specs {
        ctx.check()?;
        items.extend(judge_spec(ws, ctx, entry)?);
    }
    Ok(verdict(items, specs.len(), "spec", strictness))
}

/// Judges one change, or all open ones.
pub fn validate_change(
    ws: &Workspace,
    ctx: &Context,
    id: Option<&str>,
    strictness: Strictness,
) -> Result<VerdictView> {
    let all = ChangeFolder::load_all(ws, ctx)?;
    let overlaps = among(&all);
    let folders = match id {
        Some(name) => vec![ChangeFolder::load(ws, ctx, name)?],
        None => all,
    };
    let written = Written::find(ws, ctx, &folders);
    let mut items = Vec::new();
    for folder in &folders {
        ctx.check()?;
        let issues = judge_change(ws, ctx, folder, &written, &overlaps)?;
        items.extend(issues.iter().map(|issue| item(&change_file(folder, issue), &issue.issue)));
        items.extend(in_the_way(ws, ctx, folder)?.into_iter().map(|finding| from_finding(finding, "deltas")));
    }
    if id.is_none() {
        items.extend(odd_folders(ws, ctx)?.into_iter().map(|finding| from_finding(finding, "file")));
    }
    Ok(verdict(items, folders.len(), "change", strictness))
}

/// How many errors each of all open changes has.
pub(crate) fn change_errors(ws: &Workspace, ctx: &Context, folders: &[ChangeFolder]) -> Result<Vec<usize>> {
    let overlaps = among(folders);
    let written = Written::find(ws, ctx, folders);
    let errors_of = |folder: &ChangeFolder| {
        ctx.check()?;
        let issues = judge_change(ws, ctx, folder, &written, &overlaps)?;
        let judged = issues.iter().map(|issue| issue.issue.diagnostic.severity);
        let found = in_the_way(ws, ctx, folder)?;
        let all = judged.chain(found.iter().map(|finding| finding.severity));
        Ok(all.filter(|severity| *severity == Severity::Error).count())
    };
    folders.iter().map(errors_of).collect()
}

/// What is wrong with all open changes, as findings of the whole workspace.
pub(super) fn change_findings(ws: &Workspace, ctx: &Context) -> Result<Vec<Finding>> {
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let overlaps = among(&folders);
    let written = Written::find(ws, ctx, &folders);
    let mut findings = odd_folders(ws, ctx)?;
    for folder in &folders {
        ctx.check()?;
        let issues = judge_change(ws, ctx, folder, &written, &overlaps)?;
        findings
            .extend(issues.iter().map(|issue| issue.issue.diagnostic.in_file(change_file(folder, issue))));
        findings.extend(in_the_way(ws, ctx, folder)?);
    }
    Ok(findings)
}

/// What stands in the place of a change and is none.
fn odd_folders(ws: &Workspace, ctx: &Context) -> Result<Vec<Finding>> {
    let odd = ws.store().changes(ctx)?.odd;
    let finding = |odd: &OddFolder| {
        let owner = ws.layout().change_roots()[odd.root].owner;
        let (why, hint) = oddity(odd);
        Some(CHANGE_FOLDER.under(dialect(owner))?.on(odd.path.as_str(), None, why, hint))
    };
    Ok(odd.iter().filter_map(finding).collect())
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

fn from_finding(finding: Finding, section: &str) -> (Severity, VerdictItem) {
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

pub(super) fn judge_change(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    written: &Written,
    overlaps: &[Overlap],
) -> Result<Vec<ChangeIssue>> {
    folder.with_files(ws, ctx, written, |files, _| check_change(files, overlaps, folder.dialect(ws)))
}

/// What would keep a change from being archived though its documents are fine, and files that nobody can read.
fn in_the_way(ws: &Workspace, ctx: &Context, folder: &ChangeFolder) -> Result<Vec<Finding>> {
    let file = |below: &str| format!("{}/{below}", folder.entry.folder).trim_end_matches('/').to_owned();
    let unreadable = folder.unreadable.iter();
    let mut findings: Vec<Finding> = unreadable
        .map(|one| UNREADABLE.on(file(&one.file), None, one.message.clone(), one.hint.clone()))
        .collect();
    if let Some(rule) = ARCHIVE_REFUSED.under(folder.dialect(ws)) {
        let found = obstacles(ws, ctx, folder)?.into_iter();
        findings.extend(found.map(|(below, message, hint)| rule.on(file(&below), None, message, hint)));
    }
    Ok(findings)
}

fn change_file(folder: &ChangeFolder, issue: &ChangeIssue) -> String {
    format!("{}/{}", folder.entry.folder, issue.file)
}

fn item(file: &str, issue: &Issue) -> (Severity, VerdictItem) {
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

fn verdict(
    items: Vec<(Severity, VerdictItem)>,
    judged: usize,
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
    let summary = format!(
        "{} {}: {}, {}",
        count(judged, what),
        if valid { "valid" } else { "not valid" },
        count(errors.len(), "error"),
        count(warnings.len(), "warning")
    );
    VerdictView { valid, errors, warnings, summary }
}
