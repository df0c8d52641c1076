//! `templates.pointer_update`: sets, clears or shows the file that names a template.

use hewto_core::artifact::{Locator, is_url};
use hewto_core::template::Pointer;
use hewto_store::{Context, DocKey, Expect, Transaction};

use super::resolve::{bad_pointer, embedded, overriding, read_pointer, require_file, resolve};
use crate::concept;
use crate::error::{Error, Key, Kind, Result};
use crate::remote::{self, NamedBy, Wanted};
use crate::view::{PointerView, TemplateProvenance};
use crate::workspace::Workspace;

/// What to do with a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PointerAction {
    Set { locator: String },
    Clear,
    Inspect,
}

/// Changes or shows a pointer.
pub fn update_pointer(
    ws: &Workspace,
    ctx: &Context,
    pointer: Pointer,
    action: &PointerAction,
) -> Result<PointerView> {
    match action {
        PointerAction::Inspect => view(ws, ctx, pointer, "inspect", false),
        PointerAction::Set { locator } => set(ws, ctx, pointer, locator.trim()),
        PointerAction::Clear => clear(ws, ctx, pointer),
    }
}

fn set(ws: &Workspace, ctx: &Context, pointer: Pointer, locator: &str) -> Result<PointerView> {
    // Fetched before the lock is taken: nobody waits for the web.
    let written = if locator.contains("://") {
        match Locator::parse(locator) {
            Ok(Locator::Url(url)) => {
                remote::fetch_and_keep(ws, ctx, &url, Wanted::Template, NamedBy::Caller)?;
                url
            }
            Ok(_) => return Err(bad_pointer(locator, "a handle is not a template")),
            Err(error) => return Err(bad_pointer(locator, &error.to_string()).hint(error.hint())),
        }
    } else {
        let key = require_file(ws, locator)?;
        ws.store().read(ctx, &key)?.ok_or_else(|| bad_pointer(locator, "the file is not there"))?;
        key.to_string()
    };
    let (lock, ref ws) = ws.lock(ctx)?;
    let before = read_pointer(ws, ctx, pointer).ok().flatten();
    let changed = before.as_deref() != Some(written.as_str());
    if changed {
        let mut transaction = Transaction::new();
        let key = DocKey::TemplatePointer(pointer);
        transaction.put(key, format!("{written}\n"), Expect::Any);
        lock.commit(ctx, transaction)?;
        forget_url(ws, ctx, before.as_deref())?;
    }
    drop(lock);
    view(ws, ctx, pointer, "set", changed)
}

fn clear(ws: &Workspace, ctx: &Context, pointer: Pointer) -> Result<PointerView> {
    let (lock, ref ws) = ws.lock(ctx)?;
    let key = DocKey::TemplatePointer(pointer);
    let Some(doc) = lock.read(ctx, &key)? else {
        return Err(Error::new(
            Kind::Refused,
            Key::PointerAbsent,
            format!("the pointer `{}` is not set", pointer.as_str()),
        )
        .detail("concept_ref", concept::TEMPLATE_ORCHESTRATION)
        .hint("there is nothing to clear"));
    };
    let mut transaction = Transaction::new();
    transaction.delete(key, Expect::Hash(doc.hash));
    lock.commit(ctx, transaction)?;
    forget_url(ws, ctx, Some(doc.text.trim()))?;
    drop(lock);
    view(ws, ctx, pointer, "clear", true)
}

/// A copy of an address that no pointer names any more is of no use.
fn forget_url(ws: &Workspace, ctx: &Context, locator: Option<&str>) -> Result<()> {
    let Some(url) = locator.filter(|locator| is_url(locator)) else { return Ok(()) };
    let names_it = |pointer| read_pointer(ws, ctx, pointer).is_ok_and(|says| says.as_deref() == Some(url));
    if Pointer::ALL.into_iter().any(names_it) { Ok(()) } else { remote::forget(ws, url) }
}

fn view(ws: &Workspace, ctx: &Context, pointer: Pointer, action: &str, changed: bool) -> Result<PointerView> {
    let scenario = pointer.scenario();
    let fallback = match overriding(ws, ctx, scenario)? {
        Some(resolved) => resolved.provenance.locator,
        None => embedded(scenario).provenance.locator,
    };
    // A pointer that leads nowhere is shown, not hidden behind an error.
    let (provenance, problem) = match resolve(ws, ctx, scenario) {
        Ok(resolved) => (Some(resolved.provenance), None),
        Err(error) => (None, Some(error.full_message())),
    };
    let says = read_pointer(ws, ctx, pointer).ok().flatten();
    let problem = problem.or_else(|| provenance.as_ref().and_then(|provenance| provenance.problem.clone()));
    let TemplateProvenance { tier, locator, cache_path, .. } = provenance
        .unwrap_or_else(|| TemplateProvenance::new("Unresolved", says.as_deref().unwrap_or_default()));
    Ok(PointerView {
        pointer: pointer.as_str().to_owned(),
        action: action.to_owned(),
        changed,
        target: says,
        tier,
        locator,
        cache_path,
        fallback,
        problem,
    })
}
