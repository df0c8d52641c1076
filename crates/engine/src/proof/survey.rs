//! All links of a workspace with today's names, and what is wrong with them.

use std::collections::BTreeSet;
use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};
use hewto_core::proof::ledger::{Aliases, Sidecar};
use hewto_core::proof::{Link, LinkKind, Ref, RefError};
use hewto_store::{Context, DocKey, Own, TreeWatcher};

use super::catalog::Catalog;
use super::run::{has_records, tree};
use super::settings::{Loaded, believed_checks};
use super::sidecar::sidecar_link;
use super::walk::{Scope, walk};
use crate::error::Result;
use crate::view::{LinkProblemView, ProblemSeverity};
use crate::workspace::Workspace;

/// For so many links that name nothing it is looked for what may have been meant.
const GUESSED: usize = 100;

/// Links and their problems.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// By today's names; those that name nothing are left out.
    pub(crate) links: Vec<Link>,
    pub(crate) problems: Vec<LinkProblemView>,
    pub(crate) files: usize,
}

/// What is in the files, before anybody asks what the names mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    links: Vec<Link>,
    /// Those of the sidecar, each with the line there that names its promise.
    declared: Vec<(Link, u32)>,
    problems: Vec<LinkProblemView>,
    /// Words behind `@spec` without a `#`.
    words: Vec<(String, u32, String)>,
    aliases: Aliases,
    files: usize,
    /// The digest of the tree, where it was asked for.
    pub(crate) tree: Option<String>,
}

/// Whether the digest of the tree is wanted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Links,
    LinksAndTree,
}

impl Look {
    /// Without a run nobody asks what it was about.
    pub(crate) fn that_is_needed(ws: &Workspace) -> Result<Self> {
        Ok(if has_records(ws)? { Self::LinksAndTree } else { Self::Links })
    }
}

/// What a walk depends on beside the files.
fn walk_key(ws: &Workspace, look: Look, loaded: &Loaded) -> Result<String> {
    let believed = believed_checks(ws, loaded)?;
    let believed: Vec<&str> = believed.iter().map(|check| check.name.as_str()).collect();
    Ok(format!("{look:?} {believed:?} {}", loaded.text.as_deref().unwrap_or_default()))
}

impl Found {
    /// Looks at every file of the tree and at the sidecar.
    pub(crate) fn look(ws: &Workspace, ctx: &Context, look: Look) -> Result<Self> {
        let loaded = super::load(ws, ctx)?;
        Self::in_files(ws, ctx, look, &loaded, None)?.with_ledgers(ws, ctx)
    }

    /// The same for whoever only wants to know: what was found last counts as long as nothing has happened since.
    pub(crate) fn recall(ws: &Workspace, ctx: &Context, look: Look) -> Result<Self> {
        let loaded = super::load(ws, ctx)?;
        let key = walk_key(ws, look, &loaded)?;
        let found =
            ws.walks().recall(ws.root(), &key, |quiet| Self::in_files(ws, ctx, look, &loaded, quiet))?;
        found.with_ledgers(ws, ctx)
    }

    /// The number of the last walk, if nothing has happened in the files since.
    pub(crate) fn last_walk(ws: &Workspace, ctx: &Context) -> Result<Option<u64>> {
        let look = Look::that_is_needed(ws)?;
        let loaded = super::load(ws, ctx)?;
        Ok(ws.walks().last(ws.root(), &walk_key(ws, look, &loaded)?))
    }

    fn in_files(
        ws: &Workspace,
        ctx: &Context,
        look: Look,
        loaded: &Loaded,
        quiet: Option<&Arc<TreeWatcher>>,
    ) -> Result<Self> {
        let walked = match look {
            Look::Links => walk(ws, ctx, &scope(&loaded.settings.tests), None, quiet)?,
            Look::LinksAndTree => tree::read_with_tags(ws, ctx, loaded, quiet)?,
        };
        let tree = (look == Look::LinksAndTree).then(|| tree::hex(&walked.tree));
        let mut found = Self { files: walked.files, tree, ..Self::default() };
        for (path, tags) in walked.tagged {
            if tags.generated {
                let hint = "tag the source that it is made from";
                let message = "its tags are in generated code and count for nothing".to_owned();
                found.problem("link_generated", ProblemSeverity::Info, &path, 1, message, hint);
            }
            if tags.cut {
                let message = "it has more than 1,000 tags; the rest was not read".to_owned();
                found.problem("link_too_many", ProblemSeverity::Warning, &path, 1, message, "split the file");
            }
            for fault in tags.faults {
                if fault.error == RefError::NoRequirement {
                    found.words.push((path.clone(), fault.line, fault.text));
                } else {
                    let message = format!("`{}` names no promise: {}", fault.text, fault.error);
                    found.problem(
                        "link_malformed",
                        ProblemSeverity::Error,
                        &path,
                        fault.line,
                        message,
                        HOW_TO_WRITE,
                    );
                }
            }
            found.links.extend(tags.links);
        }
        Ok(found)
    }

    fn with_ledgers(self, ws: &Workspace, ctx: &Context) -> Result<Self> {
        let mut found = self;
        found.sidecar(ws, ctx)?;
        found.aliases = read(ws, ctx, Own::Aliases)?.map(|text| Aliases::read(&text)).unwrap_or_default();
        for fault in std::mem::take(&mut found.aliases.faults) {
            let hint = "correct the entry; until then it counts for nothing";
            found.problem(
                "aliases_invalid",
                ProblemSeverity::Warning,
                Own::Aliases.path(),
                fault.line,
                fault.message,
                hint,
            );
        }
        Ok(found)
    }

    /// The capabilities that any of the links names, by its old or new name.
    pub(crate) fn capabilities(&self) -> BTreeSet<String> {
        let links = self.links.iter().chain(self.declared.iter().map(|(link, _)| link));
        let names = links.flat_map(|link| {
            let now = self.aliases.resolve(&link.reference);
            [Some(link.reference.capability().to_owned()), now.map(|now| now.capability().to_owned())]
        });
        names.flatten().chain(self.words.iter().map(|(_, _, word)| word.clone())).collect()
    }

    /// Old names of promises.
    pub(crate) fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// Holds the names against what the specs promise.
    pub(crate) fn settle(mut self, catalog: &Catalog) -> Survey {
        for (path, line, word) in std::mem::take(&mut self.words) {
            if catalog.capabilities.contains_key(&word) {
                let message = format!("`{word}` is a capability; which of its requirements is meant?");
                self.problem("link_malformed", ProblemSeverity::Error, &path, line, message, HOW_TO_WRITE);
            }
        }
        let mut links = Vec::with_capacity(self.links.len());
        for link in std::mem::take(&mut self.links) {
            let (path, line) = (link.path.clone(), link.line);
            links.extend(self.named(link, &path, line, catalog));
        }
        for (link, line) in std::mem::take(&mut self.declared) {
            links.extend(self.named(link, SIDECAR, line, catalog));
        }
        self.problems.sort_by(|a, b| (&a.path, a.line, &a.error).cmp(&(&b.path, b.line, &b.error)));
        Survey { links, problems: self.problems, files: self.files }
    }

    /// The link by today's name of its promise, which stands at this place; none where it names nothing.
    fn named(&mut self, link: Link, path: &str, line: u32, catalog: &Catalog) -> Option<Link> {
        if catalog.knows(&link.reference) {
            self.broad(&link, path, line, catalog);
            return Some(link);
        }
        if let Some(now) = self.aliases.resolve(&link.reference).filter(|now| catalog.knows(now)) {
            self.renamed(&link, path, line, &now);
            return Some(Link { reference: now, ..link });
        }
        self.dangling(&link, path, line, catalog);
        None
    }

    fn broad(&mut self, link: &Link, path: &str, line: u32, catalog: &Catalog) {
        let several = link.reference.scenario().is_none() && catalog.siblings(&link.reference) > 1;
        if several && link.kind == LinkKind::Test {
            let message =
                format!("`{}` has several scenarios; a test proves those that it names", link.reference);
            let found = catalog.find(&link.reference);
            let near = found.iter().map(|(_, promise)| promise.reference.to_string()).take(3);
            let problem = LinkProblemView {
                reference: Some(link.reference.clone()),
                near: near.collect(),
                ..problem("link_broad", ProblemSeverity::Info, path, line, message, "name the scenario")
            };
            self.problems.push(problem);
        }
    }

    fn renamed(&mut self, link: &Link, path: &str, line: u32, now: &Ref) {
        let message = format!("`{}` is called `{now}` now", link.reference);
        let hint = "run `hewto link fix` to rewrite old names";
        let problem = LinkProblemView {
            reference: Some(link.reference.clone()),
            now: Some(now.clone()),
            ..problem("link_renamed", ProblemSeverity::Info, path, line, message, hint)
        };
        self.problems.push(problem);
    }

    fn dangling(&mut self, link: &Link, path: &str, line: u32, catalog: &Catalog) {
        // Each look is at all names of a capability or two; whoever has misnamed so many has other worries.
        let near = if self.problems.len() < GUESSED { catalog.near(&link.reference) } else { Vec::new() };
        let hint = match near.first() {
            Some(first) => format!("did you mean `{first}`?"),
            None if catalog.capabilities.contains_key(link.reference.capability()) => {
                format!("run `hewto proof {}` to see its promises", link.reference.capability())
            }
            None => "run `hewto spec list` to see the capabilities".to_owned(),
        };
        let message = format!("no spec promises `{}`", link.reference);
        let problem = LinkProblemView {
            reference: Some(link.reference.clone()),
            near,
            ..problem("link_dangling", ProblemSeverity::Error, path, line, message, &hint)
        };
        self.problems.push(problem);
    }

    fn problem(
        &mut self,
        key: &str,
        severity: ProblemSeverity,
        path: &str,
        line: u32,
        message: String,
        hint: &str,
    ) {
        self.problems.push(problem(key, severity, path, line, message, hint));
    }

    fn sidecar(&mut self, ws: &Workspace, ctx: &Context) -> Result<()> {
        let Some(text) = read(ws, ctx, Own::Links)? else { return Ok(()) };
        let sidecar = Sidecar::read(&text);
        for fault in sidecar.faults {
            let hint = "write `[[link]]` with `ref` and one of `test`, `code`, `file`";
            self.problem("link_malformed", ProblemSeverity::Error, SIDECAR, fault.line, fault.message, hint);
        }
        for entry in sidecar.entries {
            ctx.check()?;
            if let Some(link) = sidecar_link(ws, ctx, &entry) {
                self.declared.push((link, entry.line));
            } else {
                let message = format!("`{}` has no such place", entry.path);
                let hint = "correct the path, the title or the lines";
                self.problem(
                    "link_target_missing",
                    ProblemSeverity::Error,
                    SIDECAR,
                    entry.line,
                    message,
                    hint,
                );
            }
        }
        Ok(())
    }
}

impl Survey {
    /// Everything at once: files, specs, changes.
    pub(crate) fn make(ws: &Workspace, ctx: &Context) -> Result<(Self, Catalog)> {
        let found = Found::look(ws, ctx, Look::Links)?;
        let catalog = Catalog::load(ws, ctx, None)?;
        Ok((found.settle(&catalog), catalog))
    }
}

const HOW_TO_WRITE: &str = "write `@spec capability#requirement/scenario`";
const SIDECAR: &str = Own::Links.path();

/// The text of one of our small files.
pub(crate) fn read(ws: &Workspace, ctx: &Context, own: Own) -> Result<Option<String>> {
    Ok(ws.store().read(ctx, &DocKey::Own(own))?.map(|doc| doc.text))
}

fn problem(
    key: &str,
    severity: ProblemSeverity,
    path: &str,
    line: u32,
    message: String,
    hint: &str,
) -> LinkProblemView {
    LinkProblemView {
        error: key.to_owned(),
        severity,
        path: path.to_owned(),
        line,
        message,
        hint: hint.to_owned(),
        ..LinkProblemView::default()
    }
}

pub(crate) fn scope(globs: &[String]) -> Scope {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        // A pattern that is none is told by whoever reads the settings.
        if let Ok(glob) = Glob::new(glob) {
            builder.add(glob);
        }
    }
    let key = hewto_store::ContentHash::of(globs.join("\n").as_bytes()).to_string();
    Scope { tests: builder.build().unwrap_or_else(|_| GlobSet::empty()), key }
}
