//! The machine's part of a workspace: logs, lock, journal, index, and what git makes of it.

use std::path::Path;

use hewto_store::{Context, DocKey, LockState, Own, STATE_GITIGNORE, repository_root};

use super::{Examiner, Findings};
use crate::check::distrust;
use crate::error::Result;
use crate::install::Manifest;
use crate::search;
use crate::workspace::Workspace;

pub(super) fn look(ws: &Workspace, ctx: &Context, examiner: &Examiner<'_>, findings: &mut Findings) {
    look_at_logs(ws, findings);
    look_at_lock(ws, findings);
    look_at_journal(ws, ctx, findings);
    look_at_index(ws, ctx, findings);
    look_at_git(ws, ctx, examiner, findings);
    look_at_installation(ws, ctx, findings);
}

/// Finishes what a crash interrupted; with it come the lock, its folder and the `.gitignore`.
pub(super) fn mend(ws: &Workspace, ctx: &Context) -> Result<Vec<String>> {
    let mut fixed = Vec::new();
    let was_interrupted = ws.store().machine().is_interrupted(ctx);
    let was_missing = !ws.store().stands(&DocKey::Own(Own::Gitignore));
    let (guard, _) = ws.lock(ctx)?;
    let (distrusted, leftovers) = guard.tidy_journal(ctx)?;
    fixed.extend(distrusted.into_iter().map(|path| format!("{path} was removed")));
    if leftovers > 0 {
        fixed.push(format!("{leftovers} left-over folders were removed from the journal"));
    }
    drop(guard);
    if was_interrupted {
        fixed.push("an interrupted write was finished".to_owned());
    }
    if was_missing {
        fixed.push(format!("{} was written", Own::Gitignore.path()));
    }
    Ok(fixed)
}

fn look_at_logs(ws: &Workspace, findings: &mut Findings) {
    let places = ws.places();
    match ws.store().machine().check_writable(&places.operation_log) {
        Ok(()) => findings.ok("logs", format!("{} takes writes", places.operation_log)),
        Err(error) => findings.error("logs", error.to_string(), error.hint()),
    }
}

fn look_at_lock(ws: &Workspace, findings: &mut Findings) {
    match ws.store().machine().tenure() {
        Ok(LockState::Free) => findings.ok("lock", "nobody holds it"),
        Ok(LockState::Held(holder)) => findings.warning(
            "lock",
            format!(
                "process {} on {} holds it (`{}`, since {})",
                holder.pid, holder.host, holder.operation, holder.since
            ),
            "wait for it; if it hangs, end that process: its lock goes with it",
        ),
        Ok(LockState::Unknown) => {
            findings.warning("lock", "another process holds it", "wait for it to finish");
        }
        Err(error) => findings.error("lock", error.to_string(), error.hint()),
    }
}

fn look_at_journal(ws: &Workspace, ctx: &Context, findings: &mut Findings) {
    if let Some(error) = ctx.secret().trouble() {
        let message = format!("{error}; a write that is interrupted could not be finished later");
        findings.warning("journal", message, error.hint());
    }
    let remains = ws.store().machine().journal_remains(ctx);
    for (path, why) in remains.iter().flat_map(|remains| &remains.distrusted) {
        findings.warning(
            "journal",
            format!("{path} is ignored: {}", distrust(*why)),
            "run `hewto doctor --fix` to remove it",
        );
    }
    for path in remains.iter().flat_map(|remains| &remains.leftovers) {
        findings.warning("journal", format!("{path} is left over"), "run `hewto doctor --fix` to remove it");
    }
    if ws.store().machine().is_interrupted(ctx) {
        findings.warning(
            "journal",
            "a write was interrupted and waits to be finished",
            "run `hewto doctor --fix`; every other command that writes finishes it too",
        );
        return;
    }
    match remains {
        Err(error) => findings.error("journal", error.to_string(), error.hint()),
        Ok(remains) if remains.stranded.is_empty() => findings.ok("journal", "no write is unfinished"),
        Ok(remains) => {
            for write in remains.stranded {
                let kept = write.kept.map(|path| format!("; the text is in {path}")).unwrap_or_default();
                let why = match write.because_of {
                    None => "which somebody else had changed".to_owned(),
                    Some(other) => format!("which may rest on {other}, and that somebody else had changed"),
                };
                findings.error(
                    "journal",
                    format!("`{}` could not write {}, {why}{kept}", write.operation, write.path),
                    "put the text in its place by hand, or drop it; then delete its folder in the journal",
                );
            }
        }
    }
}

/// The index is derived: whatever is wrong with it, it can be thrown away and made anew.
fn look_at_index(ws: &Workspace, ctx: &Context, findings: &mut Findings) {
    let places = ws.places();
    if let Err(error) = ws.store().machine().check_writable_folder(&places.search_index) {
        let hint = format!(
            "give this user the right to write there, or delete {}: it is rebuilt from the documents",
            places.cache
        );
        findings.error("index", error.to_string(), &hint);
        return;
    }
    match search::status(ws, ctx) {
        Ok(index) if index.exists => {
            findings.ok("index", format!("entries: {}, documents: {}", index.entries, index.documents));
        }
        Ok(_) => findings.ok("index", "none yet; `hewto index build` makes it"),
        Err(error) => {
            findings.warning("index", error.to_string(), "run `hewto index clear`, then `hewto index build`");
        }
    }
}

fn look_at_git(ws: &Workspace, ctx: &Context, examiner: &Examiner<'_>, findings: &mut Findings) {
    let Some(repository) = repository_root(ws.root()) else {
        findings.ok("git", "no repository here; hewto does not need one");
        return;
    };
    let gitignore = Own::Gitignore.path();
    let there = ws.store().read(ctx, &DocKey::Own(Own::Gitignore)).ok().flatten();
    let missing: Vec<&str> = match &there {
        None => Vec::new(),
        Some(doc) => STATE_GITIGNORE
            .lines()
            .filter(|line| line.starts_with('/') && !doc.text.contains(*line))
            .collect(),
    };
    if there.is_none() && ws.store().machine().stands_state() {
        let message = format!("{gitignore} is missing, so git would take in logs and caches");
        findings.warning("git", message, "run `hewto doctor --fix`");
    } else if !missing.is_empty() {
        let message = format!("{gitignore} does not leave out {}", missing.join(", "));
        findings.warning("git", message, "add these lines, or delete the file and run `hewto doctor --fix`");
    } else if !examiner.has_git {
        findings.warning(
            "git",
            "the git program is not on the search path",
            "install git, or add it to PATH",
        );
    } else {
        findings.ok("git", describe(&repository, ws.root()));
    }
}

fn describe(repository: &Path, root: &Path) -> String {
    let kind =
        if repository.join(".git").is_file() { "a linked work tree or submodule" } else { "a repository" };
    if repository == root {
        format!("the workspace is {kind}")
    } else {
        format!("the workspace is inside {kind}: {}", repository.display())
    }
}

fn look_at_installation(ws: &Workspace, ctx: &Context, findings: &mut Findings) {
    let manifest = ws
        .store()
        .read(ctx, &DocKey::Own(Own::Manifest))
        .map_err(crate::Error::from)
        .and_then(|doc| Manifest::read(doc.as_ref().map(|doc| doc.text.as_str())));
    match manifest {
        Err(error) => findings.failed("installation", &error),
        Ok(manifest) if manifest.is_empty() => {
            findings.ok("installation", "`hewto init` has not written anything that it knows of");
        }
        Ok(manifest) => {
            let gone: Vec<String> = manifest
                .files
                .keys()
                .filter(|path| !ws.store().stands(&DocKey::File((*path).clone())))
                .map(ToString::to_string)
                .collect();
            if gone.is_empty() {
                findings.ok(
                    "installation",
                    format!("{} files, as `hewto uninstall` needs them", manifest.files.len()),
                );
            } else {
                let message = format!("{} is gone", gone.join(", "));
                findings.warning("installation", message, "run `hewto init` to write it again, or leave it");
            }
        }
    }
}
