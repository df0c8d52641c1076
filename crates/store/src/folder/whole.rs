//! Reads the documents of one spec without remembering anything of them.

use std::io;
use std::sync::OnceLock;

use hewto_core::id::SpecId;
use rustix::fs::Stat;

use super::summary::{read_head, read_state};
use crate::beneath::{Root, is_missing};
use crate::doc::MAX_BYTES;
use crate::layout::{PLAN_FILE, STATE_FILE, SpecRoot};
use crate::path::RelPath;
use crate::snapshot::{SpecEntry, Stamps, StateRead};
use crate::stamp::{Disk, Moment, Stamp};

/// One spec as the root shows it now; `None` when it has no document.
pub(crate) fn read_entry(
    root: &Root,
    spec_root: &SpecRoot,
    root_index: usize,
    id: &SpecId,
    folder: RelPath,
) -> Option<SpecEntry> {
    let read = |name: &str| {
        let path = folder.join(name).ok()?;
        match root.read_within(path.as_str(), MAX_BYTES) {
            Err(error) if is_missing(&error) => None,
            Err(error) => {
                let stat = root.look(&path).ok().flatten()?;
                Some((Err(error), stat))
            }
            Ok((bytes, stat)) => Some((Ok(bytes), stat)),
        }
    };
    let stamp = |file: &Option<(io::Result<Vec<u8>>, Stat)>| file.as_ref().map(|(_, stat)| Stamp::of(stat));
    let (bytes, stat) = read(spec_root.document)?;
    let (plan, state) = (read(PLAN_FILE), read(STATE_FILE));
    let stamps = Stamps { spec: Stamp::of(&stat), plan: stamp(&plan), state: stamp(&state) };
    let (head, diagnostics) = read_head(id, bytes);
    Some(SpecEntry {
        id: id.clone(),
        root: root_index,
        folder: folder.into(),
        stamps,
        head,
        state: state.map_or(StateRead::Absent, |(bytes, _)| read_state(bytes)),
        diagnostics,
        plan_progress: OnceLock::new(),
        read_at_ns: Moment::now(Disk::Local).now_ns,
    })
}
