//! Which promises somebody asks for.

use std::sync::Arc;

use hewto_core::id::{bare_change, bare_spec};
use hewto_core::near::near;
use hewto_core::proof::{Promise, Ref};
use hewto_store::Context;

use super::catalog::Catalog;
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// Promises, each with the file that it is in.
type Chosen<'c> = Vec<(&'c Arc<str>, &'c Promise)>;

/// What somebody asks for.
#[derive(Debug)]
pub(super) enum Target {
    All,
    Capability(String),
    Change(String),
    Named(Ref),
}

impl Target {
    pub(super) fn parse(ws: &Workspace, ctx: &Context, text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::All) };
        if text.contains('#') {
            let reference = Ref::named(text).map_err(|error| {
                Error::invalid_argument(
                    "ref",
                    "capability#requirement/scenario",
                    format!("`{text}` names no promise: {error}"),
                )
            })?;
            return Ok(Self::Named(reference));
        }
        if text.starts_with("change:") {
            return Ok(Self::Change(bare_change(text).into_owned()));
        }
        let text = &*bare_spec(text);
        let is_spec = hewto_core::id::SpecId::parse(text)
            .ok()
            .and_then(|id| ws.store().entry(ctx, &id).ok().flatten())
            .is_some();
        if is_spec {
            return Ok(Self::Capability(text.to_owned()));
        }
        let is_change = hewto_core::id::ChangeId::parse(text)
            .ok()
            .and_then(|id| ws.store().change(ctx, &id).ok().flatten())
            .is_some();
        if is_change {
            return Ok(Self::Change(text.to_owned()));
        }
        let snapshot = ws.store().snapshot(ctx)?;
        let near = near(text, snapshot.specs.iter().map(|entry| entry.id.as_str()), 3);
        Err(Error::spec_not_found(text, &near))
    }

    /// What is shown as the selection, and the promises with the files that they stand in.
    pub(super) fn choose<'c>(&self, catalog: &'c Catalog) -> Result<(String, Chosen<'c>)> {
        let of = |id: &str| -> Chosen<'c> {
            let found = catalog.capabilities.get(id).into_iter();
            found.flat_map(|one| one.promises.iter().map(|promise| (&one.file, promise))).collect()
        };
        match self {
            Self::All => {
                let all = catalog.capabilities.values();
                let all = all.flat_map(|one| one.promises.iter().map(|promise| (&one.file, promise)));
                Ok(("all".to_owned(), all.collect()))
            }
            Self::Capability(id) => Ok((id.clone(), of(id))),
            Self::Change(id) => {
                if let Some(promises) = catalog.changes.get(id) {
                    let all = promises.iter().map(|(file, promise)| (file, promise)).collect();
                    Ok((format!("change:{id}"), all))
                } else {
                    let near = near(id, catalog.changes.keys().map(String::as_str), 3);
                    let error =
                        Error::new(Kind::Refused, Key::ChangeNotFound, format!("no change named `{id}`"));
                    Err(match near.first() {
                        Some(first) => error.hint(format!("did you mean `{first}`?")),
                        None => error.hint("run `hewto change list` to see the open changes"),
                    })
                }
            }
            Self::Named(reference) => {
                let found = catalog.find(reference);
                if found.is_empty() {
                    let near = catalog.near(reference);
                    let error = Error::new(
                        Kind::Refused,
                        Key::PromiseNotFound,
                        format!("no spec promises `{reference}`"),
                    )
                    .detail("ref", reference.to_string())
                    .detail("near", near.clone());
                    return Err(match near.first() {
                        Some(first) => error.hint(format!("did you mean `{first}`?")),
                        None => error.hint(format!(
                            "run `hewto proof {}` to see its promises",
                            reference.capability()
                        )),
                    });
                }
                Ok((reference.to_string(), found))
            }
        }
    }
}
