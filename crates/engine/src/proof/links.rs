//! `hewto link`, `proof_links`: every tag and what it stands at, what is wrong, and old names rewritten.

use std::collections::BTreeMap;

use hewto_core::page;
use hewto_core::proof::{Link, Ref, rename_tags};
use hewto_core::schema::unstated;
use hewto_store::{Context, DocKey, Expect, Own, Transaction};
use schemars::JsonSchema;
use serde::Deserialize;

use super::catalog::Catalog;
use super::survey::{Found, Look, Survey};
use crate::error::{Error, Key, Kind, Result};
use crate::page::{PageRequest, paginate};
use crate::view::{LinkFix, LinkFixView, LinkProblemView, LinkView, LinksView, PlaceView};
use crate::workspace::Workspace;

/// Which links are wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false), transform = page::without_max_chars)]
pub struct LinkQuery {
    /// A reference, a requirement or a capability.
    #[serde(rename = "ref")]
    #[schemars(description = "")]
    pub reference: Option<String>,
    /// A file or folder
    pub path: Option<String>,
    /// Only what is wrong
    #[serde(default)]
    #[schemars(skip_serializing_if = "unstated")]
    pub problems: bool,
    /// All at once when absent.
    #[serde(flatten)]
    pub page: Option<PageRequest>,
}

/// Whether a fix is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixMode {
    DryRun,
    Write,
}

/// The links of a workspace, sorted by reference and place.
pub fn links(ws: &Workspace, ctx: &Context, query: &LinkQuery) -> Result<LinksView> {
    let (survey, _) = Survey::make(ws, ctx)?;
    let of_path = |path: &str| {
        let wanted = query.path.as_deref().map(|path| path.trim_start_matches("./").trim_end_matches('/'));
        wanted.is_none_or(|wanted| {
            path == wanted || path.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let of_ref = |reference: Option<&Ref>| match (&query.reference, reference) {
        (None, _) => true,
        (Some(wanted), Some(reference)) => match Ref::parse(wanted) {
            Ok(wanted) => wanted.covers(reference),
            Err(_) => wanted == reference.capability(),
        },
        (Some(_), None) => false,
    };
    let mut problems: Vec<LinkProblemView> = survey.problems;
    problems.retain(|problem| of_path(&problem.path) && of_ref(problem.reference.as_ref()));
    let mut found: Vec<(String, LinkView)> = survey
        .links
        .iter()
        .filter(|link| !query.problems && of_path(&link.path) && of_ref(Some(&link.reference)))
        .map(|link| {
            let view = LinkView {
                reference: link.reference.clone(),
                kind: link.kind,
                place: PlaceView::from(link),
                suites: link.suites.clone(),
                title: link.title.clone(),
            };
            (format!("{}\u{1}{}\u{1}{:08}", link.reference, link.path, link.line), view)
        })
        .collect();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let (links, page) = match &query.page {
        Some(request) => {
            let list = ("proof_links", ws.root(), &query.reference, &query.path, query.problems);
            let (links, page) = paginate(&found, request, &list, |(key, _)| key, |(_, view)| view.clone())?;
            (links, Some(page))
        }
        None => (found.into_iter().map(|(_, view)| view).collect(), None),
    };
    Ok(LinksView { links, problems, files: survey.files, page })
}

/// Rewrites tags that carry old names of renamed promises.
pub fn fix(ws: &Workspace, ctx: &Context, mode: FixMode) -> Result<LinkFixView> {
    let ws = &ws.foreseeing(|ws| Survey::make(ws, ctx));
    let (lock, ref ws) = match mode {
        FixMode::Write => ws.lock(ctx).map(|(lock, held)| (Some(lock), held))?,
        FixMode::DryRun => (None, ws.clone()),
    };
    let (survey, _) = Survey::make(ws, ctx)?;
    let (renamed, left): (Vec<_>, Vec<_>) =
        survey.problems.into_iter().partition(|problem| problem.now.is_some());
    let mut fixed = Vec::new();
    let mut by_file: BTreeMap<String, BTreeMap<Ref, Ref>> = BTreeMap::new();
    for problem in renamed {
        let (Some(from), Some(to)) = (problem.reference, problem.now) else { continue };
        by_file.entry(problem.path.clone()).or_default().insert(from.clone(), to.clone());
        fixed.push(LinkFix { path: problem.path, line: problem.line, from, to });
    }
    if let Some(lock) = lock {
        let mut transaction = Transaction::new();
        for (file, names) in &by_file {
            let key = DocKey::named(file).ok_or_else(|| unwritable(file))?;
            let doc = ws.store().read(ctx, &key)?.ok_or_else(|| unwritable(file))?;
            let is_sidecar = file == Own::Links.path();
            let text =
                if is_sidecar { rename_quoted(&doc.text, names) } else { rename_tags(&doc.text, names) };
            transaction.put(key, text, Expect::Hash(doc.hash));
        }
        lock.commit(ctx, transaction)?;
    }
    let left = left.into_iter().filter(|problem| problem.severity == crate::view::ProblemSeverity::Error);
    Ok(LinkFixView { dry_run: mode == FixMode::DryRun, fixed, left: left.collect() })
}

fn rename_quoted(text: &str, names: &BTreeMap<Ref, Ref>) -> String {
    names.iter().fold(text.to_owned(), |text, (from, to)| {
        text.replace(&format!("\"{from}\""), &format!("\"{to}\""))
            .replace(&format!("'{from}'"), &format!("'{to}'"))
    })
}

fn unwritable(file: &str) -> Error {
    Error::new(Kind::Refused, Key::Conflict, format!("no longer there: `{file}`"))
        .detail("file", file)
        .hint("run the command again; nothing was written")
}

/// The promises that the declarations of a file are linked to.
pub(crate) fn promises_at(ws: &Workspace, ctx: &Context, path: &str) -> Result<Vec<LinkView>> {
    let query = LinkQuery { path: Some(path.to_owned()), ..LinkQuery::default() };
    Ok(links(ws, ctx, &query)?.links)
}

/// All links of the project, by today's names.
pub(crate) fn all_links(ws: &Workspace, ctx: &Context) -> Result<Vec<Link>> {
    let found = Found::recall(ws, ctx, Look::that_is_needed(ws)?)?;
    let named = found.capabilities();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let catalog = Catalog::load(ws, ctx, Some(&named))?;
    Ok(found.settle(&catalog).links)
}
