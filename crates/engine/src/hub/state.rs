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

/// Where a pull of one work tree stopped, because there was more than it takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    url: String,
    repo: String,
    #[serde(default)]
    after: Option<String>,
}

impl Place {
    pub(super) fn of(ws: &Workspace, repo: &str) -> Self {
        let url = ws.hub().map(|settings| settings.url.clone()).unwrap_or_default();
        Self { url, repo: repo.to_owned(), after: None }
    }

    /// The last record that was fetched from this hub; `None` where the next pull begins at its beginning.
    pub(super) fn left_at(&self, ws: &Workspace) -> Option<String> {
        let bytes = ws.shared_folder().read(&outbox_file(ws)).ok()??;
        let left: Self = serde_json::from_slice(&bytes).ok()?;
        left.after.filter(|_| left.url == self.url && left.repo == self.repo)
    }

    pub(super) fn leave(&self, ws: &Workspace, after: Option<String>) -> Result<()> {
        let bytes = serde_json::to_vec(&Self { after, ..self.clone() }).unwrap_or_default();
        Ok(ws.shared_folder().write(&outbox_file(ws), &bytes)?)
    }

    pub(super) fn forget(&self, ws: &Workspace) {
        if self.left_at(ws).is_some() {
            let _ = ws.shared_folder().remove(&outbox_file(ws));
        }
    }
}

fn outbox_file(ws: &Workspace) -> String {
    let root = Digest::of(ws.root().to_string_lossy().as_bytes()).short();
    format!("hub/{root}-outbox.json")
}
