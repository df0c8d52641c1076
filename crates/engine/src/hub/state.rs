//! What this work tree has pushed last; lost, it is found out again.

use std::collections::BTreeMap;

use hewto_core::review::Digest;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::workspace::Workspace;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pushed {
    pub(super) url: String,
    pub(super) repo: String,
    pub(super) view: String,
    pub(super) version: u64,
    pub(super) documents: BTreeMap<String, String>,
}

fn file(ws: &Workspace) -> String {
    let root = Digest::of(ws.root().to_string_lossy().as_bytes()).short();
    format!("hub/{root}.json")
}

/// What was pushed to this hub under this name.
pub(super) fn read(ws: &Workspace, url: &str, repo: &str, view: &str) -> Option<Pushed> {
    let bytes = ws.shared_folder().read(&file(ws)).ok()??;
    let pushed: Pushed = serde_json::from_slice(&bytes).ok()?;
    (pushed.url == url && pushed.repo == repo && pushed.view == view).then_some(pushed)
}

pub(super) fn write(ws: &Workspace, pushed: &Pushed) -> Result<()> {
    let bytes = serde_json::to_vec(pushed).unwrap_or_default();
    Ok(ws.shared_folder().write(&file(ws), &bytes)?)
}

pub(super) fn forget(ws: &Workspace) {
    let _ = ws.shared_folder().remove(&file(ws));
}
