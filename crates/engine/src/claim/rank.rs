//! How far each spec is, made once for as long as the specs stay the same.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_store::{Snapshot, SpecEntry, StateRead};

use crate::spec::open_hard_dependencies;

/// The ranking of the specs as they were last seen.
#[derive(Debug, Default)]
pub(crate) struct Ranks(Mutex<Option<(Weak<Snapshot>, Arc<Ranked>)>>);

/// The places of the specs in their snapshot, by how far they are. Those for which nothing is to do are left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ranked {
    pub(super) building: Vec<usize>,
    pub(super) planned: Vec<usize>,
    pub(super) unplanned: Vec<usize>,
    /// Whether each spec waits for another, as far as somebody has asked.
    waiting: Vec<OnceLock<bool>>,
}

impl Ranks {
    pub(super) fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<Ranked> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            // A snapshot that is still held by somebody is no other one in the same place.
            Some((of, ranked)) if of.upgrade().is_some_and(|of| Arc::ptr_eq(&of, snapshot)) => {
                Arc::clone(ranked)
            }
            _ => {
                let ranked = Arc::new(Ranked::of(&snapshot.specs));
                *known = Some((Arc::downgrade(snapshot), Arc::clone(&ranked)));
                ranked
            }
        }
    }
}

impl Ranked {
    /// Whether the spec at a place waits for the work of another. `snapshot` is the one that was ranked.
    pub(super) fn is_waiting(&self, snapshot: &Snapshot, place: usize) -> bool {
        let look = || open_hard_dependencies(snapshot, &snapshot.specs[place]).next().is_some();
        *self.waiting[place].get_or_init(look)
    }

    fn of(specs: &[Arc<SpecEntry>]) -> Self {
        let waiting = specs.iter().map(|_| OnceLock::new()).collect();
        let mut ranked = Self { waiting, ..Self::default() };
        for (place, entry) in specs.iter().enumerate() {
            // By its state alone: whether a plan without one is work is asked of those that it is worth it for.
            let (lifecycle, phase) = match &entry.state {
                StateRead::Valid(state) => (state.lifecycle, state.phase),
                StateRead::Absent if entry.has_plan() => (Lifecycle::Draft, Phase::Spec),
                StateRead::Absent | StateRead::Broken(_) => continue,
            };
            let rank = match (lifecycle, phase) {
                (Lifecycle::Active, Phase::Build) => &mut ranked.building,
                (Lifecycle::Draft | Lifecycle::Active, _) if entry.has_plan() => &mut ranked.planned,
                (Lifecycle::Draft | Lifecycle::Active, _) => &mut ranked.unplanned,
                (Lifecycle::Done | Lifecycle::Blocked | Lifecycle::Cancelled | Lifecycle::Archived, _) => {
                    continue;
                }
            };
            rank.push(place);
        }
        ranked
    }
}
