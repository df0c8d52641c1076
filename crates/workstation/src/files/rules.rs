//! What a walk leaves out: `.gitignore` files, git's own exclude file, and the patterns of the call.

use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::confine::{Folder, Roots, open_child_folder, open_child_regular};
use crate::error::{Error, Result};

/// A longer ignore file is not read to its end.
const MAX_RULES_BYTES: u64 = 1 << 20;

/// The rules of one folder, and through it those of the folders above.
#[derive(Debug)]
pub(crate) struct Rules {
    above: Option<Arc<Self>>,
    /// How many bytes of a path lead to this folder, the slash included.
    depth: Depth,
    patterns: Gitignore,
}

/// Where a folder stands, seen from the start of the walk.
#[derive(Debug, Clone)]
enum Depth {
    /// At or below the start: so much of a path is cut off.
    Below(usize),
    /// Above the start: this has to be put before a path.
    Above(Vec<u8>),
}

impl Rules {
    /// The rules that hold at the start of a walk: those of every folder from its root down.
    pub(crate) fn above(roots: &Roots, start: &Folder) -> Option<Arc<Self>> {
        let parts = &start.place.parts;
        let mut rules = None;
        let mut folder: OwnedFd = roots.fd(start.place.root).try_clone_to_owned().ok()?;
        for (index, part) in parts.iter().enumerate() {
            let mut way = Vec::new();
            for part in &parts[index..] {
                way.extend_from_slice(part.as_encoded_bytes());
                way.push(b'/');
            }
            rules = Self::extend(rules, &folder, Depth::Above(way));
            folder = open_child_folder(&folder, part).ok()?;
        }
        rules
    }

    /// The rules below a folder that the walk has come to.
    pub(crate) fn enter(above: Option<&Arc<Self>>, folder: &impl AsFd, path: &[u8]) -> Option<Arc<Self>> {
        let cut = if path.is_empty() { 0 } else { path.len() + 1 };
        Self::extend(above.cloned(), folder, Depth::Below(cut))
    }

    fn extend(above: Option<Arc<Self>>, folder: &impl AsFd, depth: Depth) -> Option<Arc<Self>> {
        let mut builder = GitignoreBuilder::new("");
        let mut found = false;
        if let Ok(git) = open_child_folder(folder, ".git".as_ref())
            && let Ok(info) = open_child_folder(&git, "info".as_ref())
        {
            found |= add_file(&mut builder, &info, "exclude");
        }
        found |= add_file(&mut builder, folder, ".gitignore");
        if !found {
            return above;
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => Some(Arc::new(Self { above, depth, patterns: rules })),
            _ => above,
        }
    }

    /// Whether a path below the start of the walk is left out.
    pub(crate) fn ignore(&self, path: &[u8], is_folder: bool) -> bool {
        let mut level = Some(self);
        while let Some(rules) = level {
            let verdict = match &rules.depth {
                Depth::Below(cut) => rules.patterns.matched(as_path(&path[*cut..]), is_folder),
                Depth::Above(way) => rules.patterns.matched(as_path(&[way, path].concat()), is_folder),
            };
            match verdict {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => level = rules.above.as_deref(),
            }
        }
        false
    }
}

/// The patterns of a call, written as in a `.gitignore`.
pub(crate) fn excludes(patterns: &[String]) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for (index, pattern) in patterns.iter().enumerate() {
        let field = format!("exclude/{index}");
        let expected = "a pattern as in a .gitignore";
        builder
            .add_line(None, pattern)
            .map_err(|error| Error::invalid_argument(&field, expected, error.to_string()))?;
    }
    builder.build().map_err(|error| Error::invalid_argument("exclude", "patterns", error.to_string()))
}

pub(crate) fn as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

/// Adds the lines of an ignore file; one that cannot be read, or a line that makes no sense, is passed over.
fn add_file(builder: &mut GitignoreBuilder, folder: &impl AsFd, name: &str) -> bool {
    let Ok(open) = open_child_regular(folder, name.as_ref(), name) else { return false };
    let mut bytes = Vec::new();
    if open.file.take(MAX_RULES_BYTES).read_to_end(&mut bytes).is_err() {
        return false;
    }
    for line in String::from_utf8_lossy(&bytes).lines() {
        let _ = builder.add_line(None, line);
    }
    true
}
