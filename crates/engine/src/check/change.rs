//! `validate_change`: what is wrong with a change, and all that archiving it would refuse.

use hewto_core::check::{ChangeIssue, check_change};
use hewto_core::diagnostic::{Finding, Severity};
use hewto_core::overlap::Overlap;
use hewto_core::rules::Rule;
use hewto_core::rules::changes::{ARCHIVE_REFUSED, BUILD_OPEN, CHANGE_FOLDER, DELTA_MISSING};
use hewto_core::rules::dialect::Dialect;
use hewto_core::rules::workspace::{STATE_INVALID, UNREADABLE};
use hewto_store::change_files::{DESIGN, PROPOSAL, TASKS};
use hewto_store::{Context, OddFolder};

use super::Strictness;
use super::verdict::{Tally, from_finding, item, verdict};
use crate::change::{ChangeFolder, GitBases, ObstacleKind, among, dialect, obstacles, oddity};
use crate::error::Result;
use crate::view::{VerdictItem, VerdictView};
use crate::workspace::Workspace;

/// Judges one change, or all open ones.
pub fn validate_change(
    ws: &Workspace,
    ctx: &Context,
    id: Option<&str>,
    strictness: Strictness,
) -> Result<VerdictView> {
    // What several changes touch is compared spec by spec, so one change is compared with few.
    if let Some(name) = id {
        let (named, mut all) = ChangeFolder::load_with_rivals(ws, ctx, name)?;
        all.insert(0, named);
        return verdict_on(ws, ctx, &all[..1], &among(&all), strictness);
    }
    let all = ChangeFolder::load_all(ws, ctx)?;
    let odd = odd_folders(ws, ctx)?.into_iter().map(|finding| from_finding(finding, "file"));
    let (mut items, tally) = judged(ws, ctx, &all, &among(&all), strictness)?;
    items.extend(odd);
    Ok(verdict(items, tally, "change", strictness))
}

/// Judges changes that somebody has read, with what they and others touch.
pub(crate) fn verdict_on(
    ws: &Workspace,
    ctx: &Context,
    folders: &[ChangeFolder],
    overlaps: &[Overlap],
    strictness: Strictness,
) -> Result<VerdictView> {
    let (items, tally) = judged(ws, ctx, folders, overlaps, strictness)?;
    Ok(verdict(items, tally, "change", strictness))
}

fn judged(
    ws: &Workspace,
    ctx: &Context,
    folders: &[ChangeFolder],
    overlaps: &[Overlap],
    strictness: Strictness,
) -> Result<(Vec<(Severity, VerdictItem)>, Tally)> {
    let written = GitBases::find(ws, ctx, folders);
    let mut items = Vec::new();
    let mut invalid = 0;
    for folder in folders {
        ctx.check()?;
        let judged = judge(ws, ctx, folder, &written, overlaps)?;
        let before = items.len();
        items.extend(judged.issues.iter().map(|issue| item(&file_of(folder, issue), &issue.issue)));
        let found = judged.found.into_iter();
        items.extend(found.map(|finding| {
            let section = section_of(folder, &finding.file);
            from_finding(finding, section)
        }));
        invalid += usize::from(items[before..].iter().any(|(severity, _)| strictness.refuses(*severity)));
    }
    Ok((items, Tally { judged: folders.len(), invalid }))
}

/// What is wrong with all open changes, as findings of the whole workspace.
pub(super) fn findings(ws: &Workspace, ctx: &Context) -> Result<Vec<Finding>> {
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let overlaps = among(&folders);
    let written = GitBases::find(ws, ctx, &folders);
    let mut findings = odd_folders(ws, ctx)?;
    for folder in &folders {
        ctx.check()?;
        let judged = judge(ws, ctx, folder, &written, &overlaps)?;
        let in_file = |issue: &ChangeIssue| issue.issue.diagnostic.in_file(file_of(folder, issue));
        findings.extend(judged.issues.iter().map(in_file));
        // A build under way is nothing to mend: it makes no workspace invalid, only its change not ready for the archive.
        findings.extend(judged.found.into_iter().filter(|finding| finding.code != BUILD_OPEN.code));
    }
    Ok(findings)
}

/// What is wrong with one change.
pub(super) struct Judged {
    /// In its documents.
    pub(super) issues: Vec<ChangeIssue>,
    /// Beside what they say.
    found: Vec<Finding>,
}

pub(super) fn judge(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    written: &GitBases,
    overlaps: &[Overlap],
) -> Result<Judged> {
    let dialect = folder.dialect();
    let mut judged = folder.with_texts(ws, ctx, &folder.bases(written), |texts| {
        let mut issues = check_change(texts.files, overlaps, dialect);
        // Nothing can be said about what cannot be read, not even that it is missing.
        let is_hidden = |file: &str| texts.unreadable.iter().any(|one| one.file == file);
        let hides_deltas = texts.unreadable.iter().any(|one| section_of(folder, &one.file) == DELTAS);
        issues.retain(|issue| {
            let is_missing_delta = issue.issue.diagnostic.code == DELTA_MISSING.code;
            let is_doubtful = is_hidden(&file_of(folder, issue)) || (hides_deltas && is_missing_delta);
            !is_doubtful
        });
        let unreadable = texts.unreadable.iter();
        let found =
            unreadable.map(|one| UNREADABLE.on(&one.file, None, one.message.clone(), one.hint.clone()));
        Judged { issues, found: found.collect() }
    })?;
    for obstacle in obstacles(ws, ctx, folder)? {
        if judged.found.iter().any(|finding| finding.message == obstacle.message) {
            continue;
        }
        if let Some(rule) = rule_for(obstacle.kind, dialect) {
            judged.found.push(rule.on(obstacle.file, obstacle.line, obstacle.message, obstacle.hint));
        }
    }
    Ok(judged)
}

fn rule_for(kind: ObstacleKind, dialect: Dialect) -> Option<Rule> {
    let refused = ARCHIVE_REFUSED.under(dialect)?;
    Some(match kind {
        ObstacleKind::Link | ObstacleKind::Taken | ObstacleKind::Place => refused,
        ObstacleKind::State => Rule { severity: refused.severity, ..STATE_INVALID },
        ObstacleKind::Build => BUILD_OPEN.under(dialect)?,
    })
}

/// What stands in the place of a change and is none.
fn odd_folders(ws: &Workspace, ctx: &Context) -> Result<Vec<Finding>> {
    let odd = ws.store().changes(ctx)?.odd;
    let finding = |odd: &OddFolder| {
        let (why, hint) = oddity(odd);
        Some(CHANGE_FOLDER.under(dialect(odd.owner))?.on(odd.path.as_str(), None, why, hint))
    };
    Ok(odd.iter().filter_map(finding).collect())
}

const DELTAS: &str = "deltas";

/// The part of a change that a file is; whatever is no document of it concerns its deltas.
fn section_of(folder: &ChangeFolder, file: &str) -> &'static str {
    let below = file.strip_prefix(folder.entry.folder.as_str()).and_then(|below| below.strip_prefix('/'));
    match below {
        Some(PROPOSAL) => "proposal",
        Some(TASKS) => "tasks",
        Some(DESIGN) => "design",
        _ => DELTAS,
    }
}

fn file_of(folder: &ChangeFolder, issue: &ChangeIssue) -> String {
    format!("{}/{}", folder.entry.folder, issue.file)
}
