//! Writing a view down: documents stand where a native workspace has them, whatever layout they came from. Nothing that was
//! pushed decides where a file is written, or what a workspace is configured to.

use std::collections::BTreeMap;
use std::path::Path;

use hewto_core::decision::uid::Uid;
use hewto_core::hub::{OutboxRecord, is_safe_path};
use hewto_core::id::WorkItem;
use hewto_engine::{Context, Project, ProjectOptions};

use super::shelf::Folder;

/// The least that a file takes on disk.
const BLOCK: u64 = 4096;
/// What the pages need to know of a workspace: that a person decides, and does so here.
const SETTINGS: [(&str, &str); 4] = [
    (".hewto/config.toml", "[project]\nname = \"hub\"\ndescription = \"A view of the hub\"\n"),
    (".hewto/proof.toml", "[gates]\nplan = \"hub\"\n"),
    // A repository of its own, so that nothing around this folder is taken for the one that it belongs to.
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];

/// A document as it was pushed: path, kind, item, capability and text.
pub(super) type Row = (String, String, String, Option<String>, String);

/// The texts of a view by their places, with the records that the hub has of what is in it.
pub(super) fn texts_of(rows: Vec<Row>, records: &[OutboxRecord]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (path, kind, item, capability, body) in rows {
        if let Some(place) = place_of(&kind, &item, capability.as_deref(), &path) {
            texts.insert(place, body);
        }
    }
    for record in records {
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
    texts
}

/// What these take on disk.
pub(super) fn size_of(texts: &BTreeMap<String, String>) -> u64 {
    texts.values().map(|text| (text.len() as u64).next_multiple_of(BLOCK).max(BLOCK)).sum()
}

/// Makes a folder a workspace without documents.
pub(super) fn begin(root: &Folder) -> std::io::Result<Project> {
    for (name, text) in SETTINGS {
        put(&root.0.join(name), text)?;
    }
    fs_err::create_dir_all(root.0.join("specs"))?;
    Ok(Project::new(ProjectOptions {
        start: root.0.clone(),
        named_by: Some("the hub".to_owned()),
        ..ProjectOptions::default()
    }))
}

/// Brings a folder that holds these files to these texts.
pub(super) fn write(
    root: &Folder,
    files: &mut BTreeMap<String, String>,
    texts: BTreeMap<String, String>,
    context: &Context,
) -> std::io::Result<()> {
    let root = &root.0;
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
        context.check().map_err(std::io::Error::other)?;
        let hash = hewto_core::review::Digest::of(text.as_bytes()).to_string();
        if files.get(&name) != Some(&hash) {
            put(&root.join(&name), &text)?;
            files.insert(name, hash);
        }
    }
    Ok(())
}

/// Remembers which records are the hub's own.
pub(super) fn vouch(project: &Project, context: &Context, records: &[OutboxRecord]) -> std::io::Result<()> {
    let workspace = project.workspace().map_err(std::io::Error::other)?;
    hewto_engine::hub::vouch(workspace, context, records).map_err(std::io::Error::other)
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
