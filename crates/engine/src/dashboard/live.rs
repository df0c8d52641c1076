//! Calls under way, in whichever process: each leaves a file of its own while it lasts. A file whose process is gone says
//! nothing, and the next look takes it away.

use hewto_store::{Context, RelPath, is_running};

use crate::view::RunningView;
use crate::workspace::Workspace;

/// A call that others can see until this is dropped.
#[derive(Debug)]
pub struct Presence<'w> {
    ws: &'w Workspace,
    path: RelPath,
}

impl<'w> Presence<'w> {
    /// Shows the call of this context. Where that cannot be, nobody sees it.
    pub fn show(ws: &'w Workspace, ctx: &Context) -> Option<Self> {
        let caller = ctx.caller();
        let view = RunningView {
            operation_id: caller.operation_id.clone(),
            session_id: caller.session_id.clone(),
            principal: caller.principal.clone(),
            channel: caller.channel.as_str().to_owned(),
            tool: caller.operation.clone(),
            started_at: ctx.now_rfc3339(),
            pid: std::process::id(),
        };
        let is_plain = |ch: char| ch.is_ascii_alphanumeric() || ch == '-';
        let name: String = caller.operation_id.chars().filter(|ch| is_plain(*ch)).take(64).collect();
        let path = folder(ws)?.join(&format!("{name}.json")).ok()?;
        let bytes = serde_json::to_vec(&view).ok()?;
        ws.store().write_local(&path, &bytes).ok()?;
        Some(Self { ws, path })
    }
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        // What stays is known to be over by its process, or by the next look.
        let _ = self.ws.store().remove_local(&self.path);
    }
}

/// The calls under way, those that began first at the top.
pub fn running(ws: &Workspace) -> Vec<RunningView> {
    let Some(folder) = folder(ws) else { return Vec::new() };
    let names = ws.store().local_names(&folder).unwrap_or_default();
    let mut found: Vec<RunningView> = Vec::new();
    for name in names.iter().filter(|name| name.strip_suffix(".json").is_some()) {
        let Ok(path) = folder.join(name) else { continue };
        let bytes = ws.store().read_local(&path).ok().flatten().unwrap_or_default();
        match serde_json::from_slice::<RunningView>(&bytes) {
            Ok(view) if is_running(view.pid) => found.push(view),
            Ok(_) => drop(ws.store().remove_local(&path)),
            Err(_) => {}
        }
    }
    found.sort_by(|a, b| (&a.started_at, &a.operation_id).cmp(&(&b.started_at, &b.operation_id)));
    found
}

fn folder(ws: &Workspace) -> Option<RelPath> {
    ws.places().cache.parent()?.join("live").ok()
}
