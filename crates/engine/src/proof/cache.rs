//! What the tags of each file said when it was last read, and its digest, by the file's stamp. Derived; may be deleted.
//!
//! It is sealed with the machine's key: whoever writes another one shows nothing by it, and it is made anew. A line a file.
//! A stamp from within a moment of the walk proves nothing: the file may have changed again without
//! a new one, so it is read again (as git does with its index).

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

use hewto_core::proof::FileTags;
use hewto_store::secret::Seal;
use hewto_store::{Context, LocalKey, MachineKey};
use hewto_workstation::tree::FileDigest;

use crate::workspace::Workspace;

/// Changes whenever tags are read otherwise than before.
const VERSION: &str = "hewto links 3";
const PURPOSE: &str = "proof-cache";
/// How long a change may hide behind a former one.
const TICK_NS: i64 = 2_000_000_000;

/// What the file system says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    pub(super) size: u64,
    mtime_ns: i64,
    ctime_ns: i64,
}

/// One file as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) stamp: Stamp,
    /// Absent where nobody has asked for it yet.
    pub(crate) digest: Option<FileDigest>,
    /// Absent where it has no tags.
    pub(crate) tags: Option<Box<FileTags>>,
}

/// What is known of the files from the last walk.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    entries: HashMap<String, Entry>,
    /// When that walk began.
    began_ns: i64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos);
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            mtime_ns: nanos(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: nanos(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The wall clock, by which young stamps are known.
    pub(crate) fn now() -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }
}

impl Cache {
    /// Reads the cache; one that is not there, or not ours, is empty.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, key: &str) -> Self {
        let text = ws.store().machine().read_local(&LocalKey::Tags).ok().flatten();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        let own = ctx.secret().known_key().ok().flatten();
        text.and_then(|text| Self::parse(unsealed(&text, own.as_ref())?, key)).unwrap_or_default()
    }

    /// Keeps what a walk has found; a cache that cannot be written is none.
    pub(crate) fn save(ws: &Workspace, ctx: &Context, key: &str, began_ns: i64, found: &[(String, Entry)]) {
        if !ws.store().machine().stands_state() {
            return;
        }
        let text = Self::text(key, began_ns, found);
        // A machine without a key has no runs that such a file could vouch for.
        let own = ctx.secret().known_key().ok().flatten();
        let seal = own.map(|own| own.seal(PURPOSE, &[text.as_bytes()]).to_string()).unwrap_or_default();
        if let Err(error) =
            ws.store().machine().write_local(&LocalKey::Tags, format!("{seal}\n{text}").as_bytes())
        {
            tracing::debug!(%error, "the cache of links cannot be kept");
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The file, if it is beyond doubt the one that was read.
    pub(crate) fn get(&self, path: &str, stamp: Stamp) -> Option<&Entry> {
        let entry = self.entries.get(path).filter(|entry| entry.stamp == stamp)?;
        (stamp.mtime_ns.max(stamp.ctime_ns) < self.began_ns - TICK_NS).then_some(entry)
    }

    fn text(key: &str, began_ns: i64, found: &[(String, Entry)]) -> String {
        let mut out = String::with_capacity(found.len() * 176);
        let _ = writeln!(out, "{VERSION}\t{key}\t{began_ns}");
        for (path, entry) in found.iter().filter(|(path, _)| !path.contains(['\n', '\t'])) {
            let Stamp { inode, size, mtime_ns, ctime_ns } = entry.stamp;
            let _ = write!(out, "{path}\t{inode}\t{size}\t{mtime_ns}\t{ctime_ns}\t");
            if let Some(digest) = &entry.digest {
                push_hex(&mut out, digest);
            }
            if let Some(tags) = &entry.tags
                && let Ok(tags) = serde_json::to_string(&**tags)
            {
                let _ = write!(out, "\t{tags}");
            }
            out.push('\n');
        }
        out
    }

    fn parse(text: &str, key: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut head = lines.next()?.split('\t');
        if head.next()? != VERSION || head.next()? != key {
            return None;
        }
        let began_ns = head.next()?.parse().ok()?;
        let mut entries = HashMap::with_capacity(text.len() / 96);
        for line in lines {
            let mut parts = line.splitn(7, '\t');
            let path = parts.next()?;
            let stamp = Stamp {
                inode: parts.next()?.parse().ok()?,
                size: parts.next()?.parse().ok()?,
                mtime_ns: parts.next()?.parse().ok()?,
                ctime_ns: parts.next()?.parse().ok()?,
            };
            let digest = parts.next()?;
            let digest = if digest.is_empty() { None } else { Some(from_hex(digest)?) };
            let tags = match parts.next() {
                Some(tags) => Some(serde_json::from_str(tags).ok()?),
                None => None,
            };
            entries.insert(path.to_owned(), Entry { stamp, digest, tags });
        }
        Some(Self { entries, began_ns })
    }
}

/// The text behind a seal that is ours.
fn unsealed<'t>(text: &'t str, own: Option<&MachineKey>) -> Option<&'t str> {
    let (seal, text) = text.split_once('\n')?;
    let is_ours = match own {
        Some(own) => own.is_sealed(PURPOSE, &[text.as_bytes()], &Seal::parse(seal)?),
        None => seal.is_empty(),
    };
    is_ours.then_some(text)
}

fn push_hex(out: &mut String, digest: &FileDigest) {
    let mut digits = [0; 64];
    let (pairs, _) = digits.as_chunks_mut::<2>();
    for (pair, byte) in pairs.iter_mut().zip(digest) {
        *pair = [byte >> 4, byte & 15].map(|value| b"0123456789abcdef"[usize::from(value)]);
    }
    out.push_str(std::str::from_utf8(&digits).unwrap_or_default());
}

fn from_hex(text: &str) -> Option<FileDigest> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let value = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(|[a, b]| Some(value(*a)? << 4 | value(*b)?)).collect();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use hewto_core::proof::{FileRole, read_file_tags};

    use super::*;

    fn entry(mtime_ns: i64) -> Entry {
        let tags = read_file_tags("a.rs", "// @spec a#b\nfn x() {}\n// @spec a#\n", FileRole::Other);
        let stamp = Stamp { inode: 1, size: 2, mtime_ns, ctime_ns: 0 };
        Entry { stamp, digest: Some([0xa7; 32]), tags: Some(Box::new(tags)) }
    }

    #[test]
    fn what_is_kept_is_found_again_unless_it_is_young_or_changed() {
        let began = 10 * TICK_NS;
        let old = entry(TICK_NS);
        let young = entry(began - 1);
        let text =
            Cache::text("k", began, &[("a.rs".to_owned(), old.clone()), ("b.rs".to_owned(), young.clone())]);
        let cache = Cache::parse(&text, "k").unwrap();
        let known = cache.get("a.rs", old.stamp).unwrap();
        assert_eq!((&known.tags, known.digest), (&old.tags, old.digest));
        assert!(cache.get("b.rs", young.stamp).is_none());
        assert!(cache.get("a.rs", Stamp { size: 3, ..old.stamp }).is_none());
        assert!(cache.get("c.rs", old.stamp).is_none());
    }

    #[test]
    fn another_version_or_other_globs_are_nothing() {
        assert!(Cache::parse(&Cache::text("k", 1, &[]), "other").is_none());
        assert!(Cache::parse("hewto links 1\tk\t1\n", "k").is_none());
        assert!(Cache::parse("hewto links 3\tk\t1\na.rs\tx\n", "k").is_none());
        assert!(unsealed("\nhewto links 3\tk\t1\n", None).is_some());
        assert!(unsealed("abc\nhewto links 3\tk\t1\n", None).is_none());
    }
}
