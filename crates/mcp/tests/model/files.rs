//! Plain files: `fs_*` of the toolset `workstation`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::state::{Model, text, texts};
use crate::table::Row;

/// What leads out, or into what is not a tool's.
const FORBIDDEN: [&str; 7] = [
    ".git/config",
    "../outside.txt",
    "/etc/hostname",
    "yard/../../outside.txt",
    ".hewto/journal/x",
    ".git/hooks/post-commit",
    "yard/\u{0}",
];

pub(crate) const ROWS: &[Row] = &[
    Row::writes(
        "fs_write",
        |model, dice| json!({ "path": path(model, dice), "content": dice.text() }),
        |model, asked, _| {
            let bytes = model.ends_as_in(text(asked, "path"), text(asked, "content"));
            model.put(text(asked, "path"), bytes)
        },
    )
    .must(stays_inside),
    Row::writes(
        "fs_append",
        |model, dice| json!({ "path": path(model, dice), "content": dice.text() }),
        |model, asked, said| {
            let key = model.key(text(asked, "path"));
            let mut bytes = model.files.get(&key).cloned().flatten().unwrap_or_default();
            bytes.extend(model.ends_as_in(text(asked, "path"), text(asked, "content")));
            assert_eq!(said["size"], bytes.len());
            model.put(text(asked, "path"), bytes)
        },
    )
    .must(stays_inside),
    Row::writes("fs_edit", edit, |model, asked, said| {
        if asked["dry_run"] == true {
            return Vec::new();
        }
        let key = model.key(text(asked, "path"));
        let bytes = model.files.get(&key).cloned().flatten().expect("a file that was edited");
        let mut content = String::from_utf8(bytes).unwrap();
        for edit in asked["edits"].as_array().unwrap() {
            let [old, new] = ["old_text", "new_text"].map(|name| {
                String::from_utf8(model.ends_as_in(text(asked, "path"), text(edit, name))).unwrap()
            });
            assert_eq!(content.matches(&old).count(), 1, "{old:?} in {content:?}");
            content = content.replacen(&old, &new, 1);
        }
        assert_eq!(said["changed"], model.files[&key].as_deref() != Some(content.as_bytes()));
        model.put(text(asked, "path"), content.into())
    })
    .must(stays_inside),
    Row::writes(
        "fs_mkdir",
        |model, dice| json!({ "path": path(model, dice) }),
        |model, asked, _| {
            let key = model.key(text(asked, "path"));
            model.folders_above(&format!("{key}/x"));
            vec![key]
        },
    )
    .must(stays_inside),
    Row::writes(
        "fs_copy",
        |model, dice| json!({ "source": path(model, dice), "destination": path(model, dice), "recursive": dice.once_in(2) }),
        |model, asked, _| model.carry(asked, false),
    ),
    Row::writes(
        "fs_move",
        |model, dice| json!({ "source": path(model, dice), "destination": path(model, dice) }),
        |model, asked, _| model.carry(asked, true),
    ),
    Row::writes(
        "fs_delete",
        |model, dice| {
            let path = match dice.below(8) {
                6 => format!("specs/{}", dice.known(model.work.keys(), &[])),
                7 => format!("changes/{}", dice.known(model.changes.keys(), &[])),
                _ => path(model, dice),
            };
            json!({ "path": path, "recursive": dice.once_in(2), "kind": dice.pick(&["any", "file", "directory"]) })
        },
        |model, asked, _| {
            let path = text(asked, "path").trim_end_matches('/');
            if let Some(id) = path.strip_prefix("specs/") {
                model.work.remove(id);
            } else if let Some(id) = path.strip_prefix("changes/") {
                model.changes.remove(id);
            }
            let key = model.key(path);
            let below = format!("{key}/");
            model.files.retain(|path, _| *path != key && !path.starts_with(&below));
            vec![key, below]
        },
    )
    .must(stays_inside),
    Row::reads("fs_read", |model, dice| {
        let mut asked = json!({ "path": look(model, dice) });
        match dice.below(5) {
            1 => asked["head"] = json!(dice.below(3)),
            2 => asked["start_line"] = json!(1 + dice.below(3)),
            3 => asked["line_numbers"] = json!(true),
            _ => {}
        }
        asked
    })
    .says(|model, asked, said| {
        let bytes = model.files.get(&model.key(text(asked, "path"))).cloned().flatten();
        let whole = asked.as_object().unwrap().len() == 1;
        if let (Some(bytes), Some(content), true) = (bytes, said["content"].as_str(), whole) {
            assert_eq!(said["size"], bytes.len());
            if said["truncated"] == false {
                assert_eq!(content.as_bytes(), bytes);
            }
        }
        Vec::new()
    })
    .must(stays_inside),
    Row::reads("fs_read_many", |model, dice| json!({ "paths": [look(model, dice), look(model, dice)] })),
    Row::reads("fs_exists", |model, dice| json!({ "path": look(model, dice) })).says(|model, asked, said| {
        let key = model.key(text(asked, "path"));
        if key.starts_with("ws/yard/") && !text(asked, "path").contains("..") && !key.contains("/out") {
            assert_eq!(said["exists"], model.files.contains_key(key.trim_end_matches('/')), "{asked}");
        }
        Vec::new()
    }),
    Row::reads("fs_info", |model, dice| json!({ "path": look(model, dice) })),
    Row::reads("fs_list", |model, dice| json!({ "path": folder(model, dice), "sizes": dice.once_in(2), "limit": 1 + dice.below(5) })),
    Row::reads("fs_tree", |model, dice| json!({ "path": folder(model, dice), "depth": 1 + dice.below(3) })),
    Row::reads("fs_find", |model, dice| {
        json!({ "path": folder(model, dice), "pattern": dice.pick(&["**", "*.txt", "[", "**/*.md", ""]), "include_ignored": dice.once_in(2) })
    }),
    Row::reads("fs_search", |model, dice| {
        json!({ "path": folder(model, dice), "query": dice.text(), "regex": dice.once_in(3) })
    }),
    Row::reads("fs_roots", |_, _| json!({})).must(|_, _| Some(true)),
];

/// A path in the yard or in the repository, mostly.
fn path(model: &Model, dice: &mut Dice<'_>) -> String {
    let known: Vec<String> = model.files.keys().map(|key| model.path_of(key)).collect();
    match dice.below(12) {
        0..=5 if !known.is_empty() => dice.pick(&known).clone(),
        6 | 7 => format!("yard/{}.txt", dice.below(4)),
        8 => format!("yard/folder {}/ä日.txt", dice.below(2)),
        9 => format!("{}/repo/{}.txt", model.base, dice.below(4)),
        10 => (*dice.pick(&FORBIDDEN)).to_owned(),
        _ => match dice.below(6) {
            0 => "yard".to_owned(),
            1 => format!("yard/{}", "long".repeat(80)),
            2 => (*dice.pick(&["yard/out", "yard/out/x", "yard/0.txt/x"])).to_owned(),
            3 => String::new(),
            4 => "yard/./0.txt".to_owned(),
            _ => format!("yard/{}", dice.text()),
        },
    }
}

/// The same, or a path of what is no plain file.
fn look(model: &Model, dice: &mut Dice<'_>) -> String {
    if dice.once_in(5) {
        (*dice.pick(&["specs", "specs/cap/spec.md", ".hewto/config.toml", "changes", "docs"])).to_owned()
    } else {
        path(model, dice)
    }
}

/// A folder, mostly.
fn folder(model: &Model, dice: &mut Dice<'_>) -> String {
    if dice.once_in(4) {
        look(model, dice)
    } else {
        (*dice.pick(&[".", "yard", "specs", "changes", "specs/cap"])).to_owned()
    }
}

fn edit(model: &Model, dice: &mut Dice<'_>) -> Value {
    let path = path(model, dice);
    let bytes = model.files.get(&model.key(&path)).cloned().flatten().unwrap_or_default();
    let lines: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
    let old = if lines.is_empty() || dice.once_in(5) { dice.text() } else { dice.pick(&lines).clone() };
    json!({ "path": path, "edits": [{ "old_text": old, "new_text": dice.text() }], "dry_run": dice.once_in(5) })
}

fn stays_inside(_: &Model, asked: &Value) -> Option<bool> {
    FORBIDDEN.contains(&text(asked, "path")).then_some(false)
}

impl Model {
    /// Where a path leads, seen from the folder of everything.
    pub(crate) fn key(&self, path: &str) -> String {
        let path = path.trim_end_matches('/');
        match path.strip_prefix(&self.base) {
            Some(inside) => inside.trim_start_matches('/').to_owned(),
            None => format!("ws/{}", path.replace("/./", "/")),
        }
    }

    fn path_of(&self, key: &str) -> String {
        match key.strip_prefix("ws/") {
            Some(inside) => inside.to_owned(),
            None => format!("{}/{key}", self.base),
        }
    }

    /// A text with the line ends that the file has, where it has one kind of them.
    fn ends_as_in(&self, path: &str, text: &str) -> Vec<u8> {
        let held = self.files.get(&self.key(path)).cloned().flatten().unwrap_or_default();
        let held = String::from_utf8(held).unwrap();
        let (all, windows) = (held.matches('\n').count(), held.matches("\r\n").count());
        let text = match (all, windows) {
            (0, _) => text.to_owned(),
            (_, 0) => text.replace("\r\n", "\n"),
            (all, windows) if all == windows => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            _ => text.to_owned(),
        };
        text.into_bytes()
    }

    fn put(&mut self, path: &str, bytes: Vec<u8>) -> Vec<String> {
        let key = self.key(path);
        self.folders_above(&key);
        self.files.insert(key.clone(), Some(bytes));
        vec![key]
    }

    fn folders_above(&mut self, key: &str) {
        for (at, _) in key.match_indices('/') {
            if key[..at].matches('/').count() >= 1 && !matches!(&key[..at], "ws/yard") {
                self.files.entry(key[..at].to_owned()).or_insert(None);
            }
        }
    }

    /// Copies or moves what is at one path to another.
    fn carry(&mut self, asked: &Value, away: bool) -> Vec<String> {
        let (source, destination) = (self.key(text(asked, "source")), self.key(text(asked, "destination")));
        if source == destination {
            return Vec::new();
        }
        let below = format!("{source}/");
        let mut carried = BTreeMap::new();
        for (path, bytes) in &self.files {
            if *path == source || path.starts_with(&below) {
                carried.insert(format!("{destination}{}", &path[source.len()..]), bytes.clone());
            }
        }
        if carried.is_empty() && source.contains("/.git") {
            // What git keeps is not among them.
            carried.insert(destination.clone(), fs_err::read(Path::new(&self.base).join(&destination)).ok());
        }
        if away {
            self.files.retain(|path, _| *path != source && !path.starts_with(&below));
        }
        self.folders_above(&destination);
        self.files.extend(carried);
        if away { vec![source, destination] } else { vec![destination] }
    }

    /// What is on the disk of what the model knows as plain files.
    pub(crate) fn files_below(base: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut waiting = texts(&json!(["ws/yard", "repo"]));
        while let Some(folder) = waiting.pop() {
            // The yard itself can be deleted, or moved away.
            let Ok(entries) = fs_err::read_dir(base.join(&folder)) else { continue };
            for entry in entries {
                let entry = entry.unwrap();
                let key = format!("{folder}/{}", entry.file_name().to_string_lossy());
                let kind = entry.file_type().unwrap();
                if kind.is_dir() && key != "repo/.git" {
                    found.insert(key.clone(), None);
                    waiting.push(key);
                } else if kind.is_file() {
                    found.insert(key, Some(fs_err::read(entry.path()).unwrap()));
                }
            }
        }
        found
    }
}
