//! Calls under way, in whichever process: each leaves a file of its own while it lasts. A file whose process is gone says
//! nothing, and the next look takes it away.

use hewto_store::{Context, LocalFolder, LocalKey, is_running};

use crate::view::RunningView;
use crate::workspace::Workspace;

/// A call that others can see until this is dropped.
#[derive(Debug)]
pub struct Presence {
    ws: Workspace,
    file: LocalKey,
}

impl Presence {
    /// Shows the call of this context. Where that cannot be, nobody sees it.
    pub fn show(ws: Workspace, ctx: &Context) -> Option<Self> {
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
        let file = LocalFolder::Running.file(&name);
        let bytes = serde_json::to_vec(&view).ok()?;
        ws.store().machine().write_local(&file, &bytes).ok()?;
        Some(Self { ws, file })
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // What stays is known to be over by its process, or by the next look.
        let _ = self.ws.store().machine().remove_local(&self.file);
    }
}

/// The calls under way, those that began first at the top.
pub fn running(ws: &Workspace) -> Vec<RunningView> {
    let files = ws.store().machine().local_keys(LocalFolder::Running).unwrap_or_default();
    let mut found: Vec<RunningView> = Vec::new();
    for file in files.iter().filter(|file| file.is_record()) {
        let bytes = ws.store().machine().read_local(file).ok().flatten().unwrap_or_default();
        match serde_json::from_slice::<RunningView>(&bytes) {
            Ok(view) if is_running(view.pid) => found.push(view),
            Ok(_) => drop(ws.store().machine().remove_local(file)),
            Err(_) => {}
        }
    }
    found.sort_by(|a, b| (&a.started_at, &a.operation_id).cmp(&(&b.started_at, &b.operation_id)));
    found
}
