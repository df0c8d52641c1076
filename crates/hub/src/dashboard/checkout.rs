//! A view as a workspace on this replica's disk, so that the pages of the dashboard read it as they read any other.
//!
//! It is derived from the database and disposable. Documents stand where a native workspace has them, whatever layout they came
//! from: nothing that was pushed decides where a file is written, or what a workspace is configured to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hewto_core::decision::uid::Uid;
use hewto_core::hub::{OutboxRecord, Reason, is_safe_path};
use hewto_core::id::WorkItem;
use hewto_engine::{Context, Project, ProjectOptions};
use tokio::sync::Mutex;

use super::View;
use crate::access::Granted;
use crate::database::{Database, Sees};
use crate::error::{Error, Result};

/// So many views are kept open; the one that was looked at longest ago goes first.
const MOST_OPEN: usize = 24;
/// Views with more bytes are not written down.
const MOST_BYTES: i64 = 256 * 1024 * 1024;
/// A page that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the pages need to know of a workspace: that a person decides, and does so here.
const SETTINGS: [(&str, &str); 4] = [
    (".hewto/config.toml", "[project]\nname = \"hub\"\ndescription = \"A view of the hub\"\n"),
    (".hewto/proof.toml", "[gates]\nplan = \"hub\"\n"),
    // A repository of its own, so that nothing around this folder is taken for the one that it belongs to.
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];

#[derive(Debug)]
pub(crate) struct Checkouts {
    folder: PathBuf,
    context: Context,
    open: Mutex<Vec<Open>>,
}

/// A view as it stands on disk.
#[derive(Debug, Clone)]
struct Open {
    view: i64,
    made_of: Mark,
    /// What is written, by the hash of its text.
    files: BTreeMap<String, String>,
    project: Arc<Project>,
}

/// What a checkout was made of: the version of its view, and what was said of its repository.
type Mark = (i64, i64, Option<String>);

impl Checkouts {
    /// Whatever an earlier process left in the folder is made anew.
    pub(crate) fn new(folder: PathBuf) -> Self {
        let _ = fs_err::remove_dir_all(&folder);
        Self { folder, context: Context::background(), open: Mutex::default() }
    }

    /// The context of one request.
    pub(crate) fn context(&self) -> Context {
        self.context.clone().with_timeout(PATIENCE)
    }

    /// The view as it is now.
    pub(crate) async fn open(
        &self,
        database: &Database,
        repo: &Granted,
        view: &View,
    ) -> Result<Arc<Project>> {
        type Row = (String, String, String, Option<String>, String);
        let mut open = self.open.lock().await;
        let mut tx = database.begin(Sees::These(&[repo.id])).await?;
        let made_of: Mark = sqlx::query_as(
            "SELECT v.version, (SELECT count(*) FROM review r WHERE r.repo = v.repo),
                    (SELECT max(uid) FROM review r WHERE r.repo = v.repo)
             FROM view v WHERE v.id = $1 AND v.repo = $2",
        )
        .bind(view.id)
        .bind(repo.id)
        .fetch_one(&mut *tx)
        .await?;
        let known = open.iter().position(|one| one.view == view.id).map(|at| open.remove(at));
        if let Some(one) = known.clone().filter(|one| one.made_of == made_of) {
            let project = Arc::clone(&one.project);
            open.push(one);
            return Ok(project);
        }
        let bytes: i64 = sqlx::query_scalar(
            "SELECT coalesce(sum(octet_length(b.body)), 0)::bigint FROM entry e
             JOIN blob b ON b.repo = e.repo AND b.hash = e.hash WHERE e.view = $1 AND e.repo = $2",
        )
        .bind(view.id)
        .bind(repo.id)
        .fetch_one(&mut *tx)
        .await?;
        if bytes > MOST_BYTES {
            return Err(Error::bad(Reason::ViewTooLarge, "this view holds more than pages can show")
                .hint("look at it in a checkout, with `hewto ui`"));
        }
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT e.path, e.kind, e.item, e.capability, b.body FROM entry e
             JOIN blob b ON b.repo = e.repo AND b.hash = e.hash WHERE e.view = $1 AND e.repo = $2",
        )
        .bind(view.id)
        .bind(repo.id)
        .fetch_all(&mut *tx)
        .await?;
        let records: Vec<(String, String, String)> =
            sqlx::query_as("SELECT uid, item, record FROM review WHERE repo = $1 ORDER BY uid")
                .bind(repo.id)
                .fetch_all(&mut *tx)
                .await?;
        drop(tx);
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for (path, kind, item, capability, body) in rows {
            if let Some(place) = place_of(&kind, &item, capability.as_deref(), &path) {
                texts.insert(place, body);
            }
        }
        let records: Vec<OutboxRecord> =
            records.into_iter().map(|(uid, item, text)| OutboxRecord { uid, item, text }).collect();
        for record in &records {
            // Only beside what this view has: a folder with nothing but records would be a change of its own.
            let place = place_of("review", &record.item, None, &format!("{}.md", record.uid));
            let folder = place
                .as_deref()
                .and_then(|place| place.split_once("/review/"))
                .map(|(folder, _)| format!("{folder}/"));
            if let (Some(place), Some(folder)) = (place, folder)
                && texts.range(folder.clone()..).next().is_some_and(|(name, _)| name.starts_with(&folder))
            {
                texts.insert(place, record.text.clone());
            }
        }
        let (root, context) = (self.folder.join(view.id.to_string()), self.context());
        let before = known.map(|one| (one.files, one.project));
        let written = tokio::task::spawn_blocking(move || write(&root, before, texts, &records, &context));
        let (files, project) = written.await.map_err(|_| Error::unavailable())?.map_err(unwritable)?;
        if open.len() >= MOST_OPEN {
            let oldest = open.remove(0);
            let _ = fs_err::remove_dir_all(self.folder.join(oldest.view.to_string()));
        }
        open.push(Open { view: view.id, made_of, files, project: Arc::clone(&project) });
        Ok(project)
    }
}

type Written = (BTreeMap<String, String>, Arc<Project>);

/// Brings the folder to these texts.
fn write(
    root: &Path,
    before: Option<Written>,
    texts: BTreeMap<String, String>,
    records: &[OutboxRecord],
    context: &Context,
) -> std::io::Result<Written> {
    let (mut files, project) = if let Some((files, project)) = before {
        (files, Some(project))
    } else {
        let _ = fs_err::remove_dir_all(root);
        for (name, text) in SETTINGS {
            put(&root.join(name), text)?;
        }
        fs_err::create_dir_all(root.join("specs"))?;
        (BTreeMap::new(), None)
    };
    let gone: Vec<String> = files.keys().filter(|name| !texts.contains_key(*name)).cloned().collect();
    for name in gone {
        let path = root.join(&name);
        let _ = fs_err::remove_file(&path);
        // Folders that hold nothing any more go with it; the first that holds something stays.
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
            if fs_err::remove_dir(folder).is_err() {
                break;
            }
        }
        files.remove(&name);
    }
    for (name, text) in texts {
        let hash = hewto_core::review::Digest::of(text.as_bytes()).to_string();
        if files.get(&name) != Some(&hash) {
            put(&root.join(&name), &text)?;
            files.insert(name, hash);
        }
    }
    let project = project.unwrap_or_else(|| {
        Arc::new(Project::new(ProjectOptions {
            start: root.to_owned(),
            named_by: Some("the hub".to_owned()),
            ..ProjectOptions::default()
        }))
    });
    let workspace = project.workspace().map_err(std::io::Error::other)?;
    hewto_engine::hub::vouch(workspace, context, records).map_err(std::io::Error::other)?;
    Ok((files, project))
}

fn put(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    fs_err::write(path, text)
}

/// Where a document stands in a native workspace; `None` for what has no place there.
fn place_of(kind: &str, item: &str, capability: Option<&str>, path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let place = if kind == "decision" {
        format!("docs/adr/{name}")
    } else {
        let folder = match WorkItem::parse(item).ok()? {
            WorkItem::Spec(id) => format!("specs/{id}"),
            WorkItem::Change(id) => format!("changes/{id}"),
        };
        match kind {
            "delta" => format!("{folder}/specs/{}/spec.md", capability?),
            "review" => {
                Uid::parse(name.strip_suffix(".md")?).ok()?;
                format!("{folder}/review/{name}")
            }
            "state" if name == "state.toon" => format!("{folder}/{name}"),
            "spec" | "plan" | "proposal" | "design" | "tasks" => format!("{folder}/{kind}.md"),
            _ => return None,
        }
    };
    let is_plain = is_safe_path(&place) && !place.split('/').any(|part| part.starts_with('.'));
    is_plain.then_some(place)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn unwritable(error: std::io::Error) -> Error {
    tracing::warn!(%error, "a view cannot be written down for its pages");
    Error::new(
        hewto_http::hyper::StatusCode::SERVICE_UNAVAILABLE,
        Reason::PageUnavailable,
        "this page cannot be made at the moment",
    )
    .hint("look at the folder of the index (`--index`): is there room on its disk?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pushed_decides_neither_where_a_file_stands_nor_what_it_configures() {
        let of = |kind: &str, item: &str, capability: Option<&str>, path: &str| {
            place_of(kind, item, capability, path)
        };
        assert_eq!(
            of("spec", "accounts", None, ".hewto/config.toml").as_deref(),
            Some("specs/accounts/spec.md")
        );
        assert_eq!(
            of("delta", "change:c1", Some("accounts"), "x").as_deref(),
            Some("changes/c1/specs/accounts/spec.md")
        );
        assert_eq!(
            of("state", "accounts", None, "specs/accounts/state.toon").as_deref(),
            Some("specs/accounts/state.toon")
        );
        for (kind, item, capability, path) in [
            ("delta", "change:c1", Some("../../../.hewto"), "x"),
            ("delta", "change:c1", Some(".git"), "x"),
            ("delta", "change:c1", None, "x"),
            ("state", "accounts", None, "specs/accounts/config.toml"),
            ("review", "change:c1", None, "changes/c1/review/config.toml"),
            ("review", "change:c1", None, "changes/c1/review/x.md"),
            ("decision", "d", None, "docs/adr/.gitignore"),
            ("spec", "../x", None, "specs/x/spec.md"),
            ("spec", ".hewto", None, "specs/x/spec.md"),
        ] {
            assert_eq!(of(kind, item, capability, path), None, "{kind} {item} {capability:?} {path}");
        }
    }
}
