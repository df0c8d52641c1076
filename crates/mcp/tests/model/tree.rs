//! What is on the disk, and what is different.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What is at each path: the mode, and the bytes of a file or the target of a link.
pub(crate) type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// What is nobody's text: logs, locks, the journal, what can be made again, and the owner's own record.
const MACHINERY: [&str; 9] = [
    "ws/.hewto/logs",
    "ws/.hewto/journal",
    "ws/.hewto/lock",
    "ws/.hewto/cache",
    "ws/.hewto/live",
    "ws/.git/hewto/claims.lock",
    "ws/.git/hewto/search",
    "state",
    "home",
];

/// Everything below a folder, without machinery.
pub(crate) fn tree(base: &Path) -> Tree {
    let mut found = Tree::new();
    gather(base, "", &mut found);
    found
}

/// Everything in one folder, whatever it is.
pub(crate) fn tree_of(base: &Path, folder: &str) -> Tree {
    let mut found = Tree::new();
    if base.join(folder).exists() {
        gather(base, folder, &mut found);
    }
    found
}

fn gather(base: &Path, folder: &str, found: &mut Tree) {
    for entry in fs_err::read_dir(base.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if MACHINERY.contains(&path.as_str()) {
            continue;
        }
        let metadata = fs_err::symlink_metadata(entry.path()).unwrap();
        let mode = metadata.permissions().mode();
        let bytes = if metadata.is_dir() {
            gather(base, &path, found);
            Vec::new()
        } else if metadata.is_symlink() {
            fs_err::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes()
        } else {
            fs_err::read(entry.path()).unwrap()
        };
        found.insert(path, (mode, bytes));
    }
}

/// Paths that are there in one only, or not the same in both.
pub(crate) fn difference(before: &Tree, after: &Tree) -> Vec<String> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let other = after.iter().filter(|(path, now)| before.get(*path) != Some(now)).map(|(path, _)| path);
    gone.chain(other).cloned().collect()
}

/// Whether a path is, is below or is a folder above one of those that were to be touched.
pub(crate) fn belongs(path: &str, touched: &[String]) -> bool {
    // Whoever writes to claimed work renews the claim.
    path.starts_with("ws/.git/hewto/claims")
        || touched.iter().any(|own| {
            let own = own.trim_end_matches('/');
            own == path || path.starts_with(&format!("{own}/")) || own.starts_with(&format!("{path}/"))
        })
}
