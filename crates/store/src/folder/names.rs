//! Finds the folders inside a folder. A list that is still the same is not read again; where only some names
//! are news, only these are looked at.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use hewto_core::diagnostic::Finding;
use hewto_core::id::SpecId;
use hewto_core::rules::workspace as rules;
use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;

use super::{Child, Folder, Looker, News, join};
use crate::stamp::Stamp;

/// What a look at the names in a folder found.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) are_news: bool,
    /// Its documents, where all names were read.
    pub(super) documents: Option<[Listed; 3]>,
}

/// What stands under the name of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    Nothing,
    File,
    /// A link, a folder, a pipe.
    Other,
}

/// All names in a folder.
struct List {
    children: Vec<Child>,
    findings: Vec<Finding>,
    dangling: Vec<String>,
    documents: [Listed; 3],
}

impl Looker<'_> {
    /// Finds out which folders are inside.
    pub(super) fn look_at_names(
        &self,
        below: &str,
        news: &News,
        known: Option<&Folder>,
        folder: &mut Folder,
    ) -> io::Result<Names> {
        let path = if below.is_empty() { "." } else { below };
        let stat = rustix::fs::statat(self.fd, path, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(io::ErrorKind::NotFound.into());
        }
        let stamp = Stamp::of(&stat);
        folder.inode = Some(stamp.inode);
        let mut documents = None;
        let (children, findings, dangling) = match (known, news) {
            (Some(known), News::Names(names)) if known.inode == folder.inode => {
                // What else happens meanwhile is reported by name too, so this stamp vouches for nothing.
                self.mend(below, names, known)
            }
            (known, _) => {
                folder.names = if stamp.is_young(self.moment) { None } else { Some(stamp) };
                let same = known.filter(|known| known.names == Some(stamp) && known.dangling.is_empty());
                if let Some(known) = same {
                    (None, known.findings.clone(), Vec::new())
                } else {
                    let list = self.list(below)?;
                    // Names do not tell of a commit that is still to be finished.
                    documents = Some(list.documents).filter(|_| self.root.overlay().is_none());
                    (Some(list.children), list.findings, list.dangling)
                }
            }
        };
        folder.restless |= !dangling.is_empty();
        folder.dangling = dangling;
        let before = known.map(|known| &known.children);
        let same_findings = known.is_some_and(|known| known.findings == findings);
        folder.findings = findings;
        let same_children = match (children, before) {
            (Some(children), Some(before)) if **before != *children => {
                folder.children = children.into();
                false
            }
            (Some(children), None) => {
                folder.children = children.into();
                false
            }
            (_, before) => {
                folder.children = before.map(Arc::clone).unwrap_or_default();
                true
            }
        };
        Ok(Names { are_news: !(same_children && same_findings), documents })
    }

    /// The known list with some names looked at again; `None` when no folder is among them.
    fn mend(
        &self,
        below: &str,
        names: &BTreeSet<String>,
        known: &Folder,
    ) -> (Option<Vec<Child>>, Vec<Finding>, Vec<String>) {
        let mut findings = known.findings.clone();
        let mut dangling = known.dangling.clone();
        dangling.retain(|name| !names.contains(name));
        let mut children: Option<Vec<Child>> = None;
        for name in names {
            let path = join(below, name);
            let full = self.full(&path);
            findings.retain(|finding| finding.file != full);
            let kind = match rustix::fs::statat(self.fd, &path, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => Some(FileType::from_raw_mode(stat.st_mode)),
                Err(Errno::NOENT | Errno::NOTDIR) => None,
                // It is there, whatever it is; looking at it will tell.
                Err(_) => Some(FileType::Directory),
            };
            let child = kind.and_then(|kind| self.child(below, name, kind, &mut findings, &mut dangling));
            let current = children.as_deref().unwrap_or(&known.children);
            let place = current.binary_search_by(|other| (*other.name).cmp(name));
            if place.is_err() && child.is_none() {
                continue;
            }
            let list = children.get_or_insert_with(|| known.children.to_vec());
            match (place, child) {
                (Ok(index), Some(child)) => list[index] = child,
                (Ok(index), None) => drop(list.remove(index)),
                (Err(index), Some(child)) => list.insert(index, child),
                (Err(_), None) => {}
            }
        }
        findings.sort();
        (children, findings, dangling)
    }

    fn list(&self, below: &str) -> io::Result<List> {
        let mut open = Dir::new(self.root.open_dir_at(&self.full(below))?)?;
        let (mut children, mut findings, mut dangling) = (Vec::new(), Vec::new(), Vec::new());
        let mut documents = [Listed::Nothing; 3];
        while let Some(item) = open.read() {
            let item = item?;
            let kind = match item.file_type() {
                FileType::Unknown => {
                    let stat = rustix::fs::statat(open.fd()?, item.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                    stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
                }
                kind => kind,
            };
            let name = item.file_name().to_str();
            if let Some(index) = self.documents().iter().position(|document| name == Ok(*document)) {
                documents[index] = if kind == FileType::RegularFile { Listed::File } else { Listed::Other };
            }
            if !matches!(kind, FileType::Directory | FileType::Symlink) {
                continue;
            }
            if let Ok(name) = name {
                children.extend(self.child(below, name, kind, &mut findings, &mut dangling));
            } else {
                let shown = item.file_name().to_string_lossy();
                findings.push(left_out(self.full(&join(below, &shown)), "its name is not UTF-8"));
            }
        }
        children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        findings.sort();
        Ok(List { children, findings, dangling, documents })
    }

    /// What is found under a name, if that is a folder which may hold a spec.
    fn child(
        &self,
        below: &str,
        name: &str,
        kind: FileType,
        findings: &mut Vec<Finding>,
        dangling: &mut Vec<String>,
    ) -> Option<Child> {
        if matches!(name, "." | "..") || !self.spec_root.admits_name(name) {
            return None;
        }
        let path = join(below, name);
        if self.spec_root.skips(&path) {
            return None;
        }
        let linked = match kind {
            FileType::Directory => false,
            FileType::Symlink if self.root.open_dir_at(&self.full(&path)).is_ok() => true,
            _ => {
                // A link to a file or to nothing is no folder; one to a folder out of reach may be meant as one.
                let target = rustix::fs::statat(self.fd, path.as_str(), AtFlags::empty());
                if target.is_err() {
                    dangling.push(name.to_owned());
                }
                if target.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory) {
                    findings.push(leads_out(self.full(&path)));
                }
                return None;
            }
        };
        if let Err(error) = SpecId::parse(&path) {
            findings.push(left_out(self.full(&path), &error.to_string()));
            return None;
        }
        Some(Child { name: name.into(), linked })
    }
}

fn leads_out(path: String) -> Finding {
    let message = "this folder is left out: it is a link that leads out of the workspace";
    rules::SPEC_LINKED.on(path, None, message, "put the folder inside the workspace")
}

fn left_out(path: String, why: &str) -> Finding {
    rules::ID_STYLE.on(path, None, format!("this folder is left out: {why}"), "rename the folder")
}
