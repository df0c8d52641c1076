//! The stamp of a file: cheap evidence that it is the same as when it was read.
//!
//! File systems count time in ticks. A file that changed within the tick in which it was read may change again
//! without a new stamp; such a stamp is young, and a young stamp proves nothing.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;

/// The longest tick of a local file system's clock, with room to spare.
const LOCAL_TICK: Duration = Duration::from_millis(20);
/// Another machine's clock may be off, and its file system may count whole seconds.
const REMOTE_TICK: Duration = Duration::from_secs(10);

/// Size, times and identity of a file, as the file system tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stamp {
    pub size: u64,
    pub mtime_ns: i64,
    pub ctime_ns: i64,
    pub inode: u64,
}

/// When a look began, and how exact the clock of the file system is.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub(crate) now_ns: i64,
    pub(crate) tick_ns: i64,
}

/// Where a file system keeps its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disk {
    Local,
    Remote,
}

/// How long a change of a file may hide behind a former one, on the disks of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Ticks(pub(crate) Disk);

impl Ticks {
    /// The moment at which a look begins.
    pub fn moment(self) -> Moment {
        Moment::now(self.0)
    }

    /// Whether the file changed so long ago that from now on the same stamp means the same file.
    pub fn are_over(self, stamp: &Stamp) -> bool {
        !stamp.is_young(Moment::now(self.0))
    }
}

impl Stamp {
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        clippy::unnecessary_cast,
        reason = "the types of these fields differ between systems; a stamp is only compared"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos);
        Self {
            size: stat.st_size as u64,
            mtime_ns: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
        }
    }

    /// Whether the file had just changed when the look began, or has changed since.
    pub fn is_young(&self, moment: Moment) -> bool {
        self.mtime_ns.max(self.ctime_ns) >= moment.now_ns - moment.tick_ns
    }
}

impl Moment {
    /// Whether what changed up to the other moment is not young any more.
    pub fn is_past(self, other: Self) -> bool {
        other.now_ns < self.now_ns - self.tick_ns
    }

    pub(crate) fn now(disk: Disk) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let tick = match disk {
            Disk::Local => LOCAL_TICK,
            Disk::Remote => REMOTE_TICK,
        };
        let nanos = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        Self { now_ns: nanos(now), tick_ns: nanos(tick) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_young_while_its_tick_may_still_run() {
        let tick = 20_000_000;
        let moment = Moment { now_ns: 1_000_000_000, tick_ns: tick };
        let changed = |at| Stamp { mtime_ns: 0, ctime_ns: at, ..Stamp::default() };
        assert!(changed(1_000_000_000).is_young(moment));
        assert!(changed(1_000_000_000 - tick).is_young(moment));
        assert!(!changed(1_000_000_000 - tick - 1).is_young(moment));
        // A clock that runs ahead proves nothing either.
        assert!(changed(2_000_000_000).is_young(moment));
    }
}
