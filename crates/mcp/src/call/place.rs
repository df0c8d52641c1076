//! Which workspace a call is for: the one that it names, by a `workspace` argument, in `_meta`, or before an id; else that of
//! the client's roots; else the one of the folder in which the server was started.
//!
//! No tool lists the argument: it would cost bytes in each of them. The instructions say it once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hewto_engine::{Error, Key, Kind, Project, Result, neighbours};
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::handler::is_modern;
use crate::options::Toolset;
use crate::state::ServerState;
use crate::table::ToolDef;

tokio::task_local! {
    /// The project of the call under way, where it is not that of the server.
    static ELSEWHERE: Arc<Project>;
}

/// How the argument is called.
const WORKSPACE: &str = "workspace";
/// A client that does not say its roots by then says none.
const PATIENCE: Duration = Duration::from_secs(2);
/// Arguments that hold an id.
const IDS: [&str; 9] =
    ["spec_id", "change_id", "item", "id", "spec", "change", "capability", "spec_ids", "requirement"];
/// More than this nobody works in at once.
const MOST_OPEN: usize = 32;

/// The projects beside that of the server, and the client's roots.
#[derive(Debug, Default)]
pub(crate) struct Places {
    open: Mutex<Vec<(PathBuf, Arc<Project>)>>,
    /// Asked for when they are needed, and again when the client says that they have changed; `None` until then.
    roots: tokio::sync::Mutex<Option<Vec<PathBuf>>>,
}

impl ServerState {
    /// The project of the call under way.
    pub(crate) fn project(&self) -> Arc<Project> {
        ELSEWHERE.try_with(Arc::clone).unwrap_or_else(|_| Arc::clone(self.pipeline.project()))
    }

    /// Does `work` in this project.
    pub(crate) async fn within<T>(place: Option<Arc<Project>>, work: impl Future<Output = T>) -> T {
        match place {
            Some(project) => ELSEWHERE.scope(project, work).await,
            None => work.await,
        }
    }

    /// Takes the name of a workspace out of a call; `None` when it is that of the server.
    pub(crate) async fn place_of(
        &self,
        tool: &ToolDef,
        arguments: &mut JsonObject,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Option<Arc<Project>>> {
        if self.options.profile.is_some() || tool.about.toolset == Toolset::Workstation {
            return Ok(None);
        }
        let given = arguments.remove(WORKSPACE);
        let given = given.or_else(|| of_meta(cx)).filter(|given| !given.is_null());
        let start = self.pipeline.project().root().to_owned();
        let named = match given {
            Some(Value::String(name)) if !name.trim().is_empty() => Some(name.trim().to_owned()),
            Some(_) => {
                return Err(Error::invalid_argument(
                    WORKSPACE,
                    "a path or a name",
                    "`workspace` is not text",
                ));
            }
            None => None,
        };
        if let Some(name) = named {
            let roots = self.roots(cx).await;
            let root = neighbours::named(&start, &name, &roots)?;
            if self.is_confined() && !root.starts_with(&start) {
                return Err(Error::new(
                    Kind::Refused,
                    Key::OutsideWorkspace,
                    "over HTTP no call leaves its workspace",
                )
                .hint("ask the server for the other workspace by its own address"));
            }
            return Ok(self.open(root));
        }
        if let Some(root) = qualified(&start, arguments, self.is_confined())? {
            return Ok(self.open(root));
        }
        Ok(self.of_roots(cx).await)
    }

    /// The workspace of the client's roots, unless the server was told where its own is.
    async fn of_roots(&self, cx: &RequestContext<RoleServer>) -> Option<Arc<Project>> {
        if self.pipeline.project().is_named() || self.is_confined() {
            return None;
        }
        let roots = self.roots(cx).await;
        let root = roots.iter().find_map(|root| neighbours::at(root))?;
        self.open(root)
    }

    /// The client works in other folders now.
    pub(crate) async fn forget_roots(&self) {
        *self.places.roots.lock().await = None;
    }

    /// The folders that the client works in, asked once. Clients of the new era are not asked anything.
    #[allow(deprecated, reason = "clients of the old era have roots")]
    async fn roots(&self, cx: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        let has_roots = cx.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if !has_roots || is_modern(cx) || self.is_confined() {
            return Vec::new();
        }
        let ask = || async {
            let listed = tokio::time::timeout(PATIENCE, cx.peer.list_roots()).await;
            let roots =
                listed.ok().and_then(std::result::Result::ok).map(|listed| listed.roots).unwrap_or_default();
            roots.iter().filter_map(|root| path_of(&root.uri)).collect::<Vec<PathBuf>>()
        };
        let mut known = self.places.roots.lock().await;
        if let Some(roots) = &*known {
            return roots.clone();
        }
        let roots = ask().await;
        *known = Some(roots.clone());
        roots
    }

    /// Over HTTP a call does not leave its workspace (D-15).
    fn is_confined(&self) -> bool {
        self.pipeline.project().is_confined()
    }

    fn open(&self, root: PathBuf) -> Option<Arc<Project>> {
        let own = self.pipeline.project();
        if own.workspace().is_ok_and(|workspace| same(workspace.root(), &root)) {
            return None;
        }
        let mut open = self.places.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, project)) = open.iter().find(|(known, _)| *known == root) {
            return Some(Arc::clone(project));
        }
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        let project = Arc::new(own.beside(root.clone()));
        if self.is_confined() {
            project.confine();
        }
        open.push((root, Arc::clone(&project)));
        Some(project)
    }
}

fn same(a: &Path, b: &Path) -> bool {
    a == b
}

/// Takes the workspace off ids that name it. All of them have to name the same.
fn qualified(start: &Path, arguments: &mut JsonObject, confined: bool) -> Result<Option<PathBuf>> {
    let mut chosen: Option<PathBuf> = None;
    for key in IDS {
        let Some(Value::String(id)) = arguments.get(key) else { continue };
        let Some((root, rest)) = neighbours::qualified(start, id) else { continue };
        if confined && !root.starts_with(start) {
            continue;
        }
        if chosen.as_ref().is_some_and(|chosen| *chosen != root) {
            return Err(Error::new(
                Kind::Refused,
                Key::InvalidParams,
                "the ids of one call are in different workspaces",
            )
            .hint("call once for each workspace"));
        }
        chosen = Some(root);
        arguments.insert(key.to_owned(), rest.into());
    }
    Ok(chosen)
}

/// `_meta`: `workspace`, with whatever prefix.
fn of_meta(cx: &RequestContext<RoleServer>) -> Option<Value> {
    let is_it = |name: &str| name.rsplit('/').next() == Some(WORKSPACE);
    cx.meta.iter().find(|(name, _)| is_it(name)).map(|(_, value)| value.clone())
}

fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    Some(PathBuf::from(unescaped(path))).filter(|path| path.is_absolute())
}

/// `%20` as what it stands for.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()))
            .flatten();
        if let Some(byte) = code {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_a_path_however_it_is_escaped() {
        assert_eq!(path_of("file:///home/a%20b"), Some(PathBuf::from("/home/a b")));
        assert_eq!(path_of("https://example.com"), None);
        assert_eq!(path_of("file:///50%"), Some(PathBuf::from("/50%")));
    }
}
