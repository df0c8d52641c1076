//! OpenSpec: specs and changes are in hewto's own grammar and stay to the byte.

use std::collections::{BTreeMap, HashSet};

use super::kiro::standard;
use super::model::{Bundle, ChangeCopy, Document, Item, SourceFile, SpecText};
use super::{ids, scan};
use crate::decision::uid::Uid;
use crate::id::{ChangeId, SpecId};

const SPECS: &str = "openspec/specs/";
const CHANGES: &str = "openspec/changes/";
const ARCHIVE: &str = "openspec/changes/archive/";

/// Where hewto's own export puts what OpenSpec has no place for.
pub(super) const COMPANIONS: [&str; 3] = ["docs/adr", "docs/standards", "docs/imported"];

pub(super) fn wants(path: &str) -> bool {
    path.starts_with("openspec/") || companion(path).is_some()
}

/// A file of such a place, as it is called below the documents. Records are known by their names.
fn companion(path: &str) -> Option<&str> {
    let folder = COMPANIONS
        .iter()
        .find(|folder| path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/')))?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_own = *folder != "docs/adr" || Uid::of_file_name(name).is_some();
    path.strip_prefix("docs/").filter(|_| is_own)
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    let mut changes: BTreeMap<(bool, &str), Vec<(&str, &SourceFile)>> = BTreeMap::new();
    let mut specs: BTreeMap<&str, Vec<(&str, &SourceFile)>> = BTreeMap::new();
    let paths: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for file in files {
        let change = |prefix: &str| file.path.strip_prefix(prefix).and_then(|below| below.split_once('/'));
        if let Some((name, below)) = change(ARCHIVE) {
            changes.entry((true, name)).or_default().push((below, file));
        } else if file.path.starts_with(ARCHIVE) {
            // Such as the file that keeps an empty folder in git.
            bundle.leave_out(&file.path, 1, "", "it is part of no change");
        } else if let Some((name, below)) = change(CHANGES) {
            changes.entry((false, name)).or_default().push((below, file));
        } else if let Some(below) = file.path.strip_prefix(SPECS).filter(|below| below.contains('/')) {
            let folder = spec_folder(below, &paths);
            specs.entry(folder).or_default().push((below[folder.len()..].trim_start_matches('/'), file));
        } else if file.path == "openspec/project.md" {
            standard(&mut bundle, file, "project.md");
        } else if let Some(below) = companion(&file.path) {
            let (from, to) = (file.path.clone(), below.to_owned());
            bundle.keep_file("", &from);
            bundle.documents.push(Document { from, to, text: file.text.clone() });
        } else {
            bundle.leave_out(&file.path, 1, "", "settings and instructions of the tool");
        }
    }
    for (name, files) in specs {
        let item = spec(&mut bundle, name, &files);
        bundle.items.extend(item);
    }
    for ((archived, name), files) in changes {
        let id = if ChangeId::parse(name).is_ok() && !name.starts_with('.') {
            name.to_owned()
        } else {
            ids::plain(name)
        };
        let copies = files.iter().map(|(below, file)| Document {
            from: file.path.clone(),
            to: (*below).to_owned(),
            text: file.text.clone(),
        });
        let key = format!("{}{name}", if archived { ARCHIVE } else { CHANGES });
        bundle.changes.push(ChangeCopy { key, id, archived, files: copies.collect() });
    }
    bundle
}

/// The deepest folder above a file that has a `spec.md`, else its first folder.
fn spec_folder<'f>(below: &'f str, paths: &HashSet<&str>) -> &'f str {
    let mut folder = below.rsplit_once('/').map_or(below, |(folder, _)| folder);
    loop {
        if paths.contains(format!("{SPECS}{folder}/spec.md").as_str()) {
            return folder;
        }
        match folder.rsplit_once('/') {
            Some((above, _)) => folder = above,
            None => return folder,
        }
    }
}

fn spec(bundle: &mut Bundle, name: &str, files: &[(&str, &SourceFile)]) -> Option<Item> {
    let Some((_, document)) = files.iter().find(|(below, _)| *below == "spec.md") else {
        for (_, file) in files {
            bundle.leave_out(&file.path, 1, "", "its folder has no spec.md");
        }
        return None;
    };
    let id = if SpecId::parse(name).is_ok() { name.to_owned() } else { ids::plain(name) };
    let title =
        scan::sections(&document.text, 1).iter().find(|one| one.level == 1).map(|one| one.title.to_owned());
    let mut item = Item {
        key: format!("{SPECS}{name}"),
        id,
        title: title.unwrap_or_else(|| ids::in_words(name)),
        text: SpecText::Whole(document.text.clone()),
        ..Item::default()
    };
    for (below, file) in files.iter().filter(|(below, _)| *below != "spec.md") {
        item.files.push(Document {
            from: file.path.clone(),
            to: (*below).to_owned(),
            text: file.text.clone(),
        });
    }
    Some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_keeps_an_empty_archive_is_no_change() {
        let kept =
            ["openspec/changes/archive/.gitkeep", "openspec/changes/.gitkeep", "openspec/specs/.gitkeep"];
        let files = kept.map(|path| SourceFile { path: path.to_owned(), text: String::new() });
        let bundle = read(&files);
        assert_eq!((bundle.changes.len(), bundle.left_out.len()), (0, 3));
    }
}
