//! What people said about a piece of work: verdicts and comments, each bound to the text that was shown.
//!
//! A [`Record`] is one small file beside the item it is about. It names the SHA-256 of the item's [`Meaning`], so an
//! approval counts exactly as long as what was approved is what is there. Whether a record is authentic is for the
//! caller to find out ([`Proven`]); what follows from the records of an item is decided by `standing`.

mod anchor;
mod around;
mod diff;
mod digest;
mod meaning;
mod plain;
mod read;
mod record;
mod standing;
mod units;
mod verdict;

pub use anchor::{Anchor, AnchorIndex, Found};
pub use diff::{Difference, DifferenceKind, differences};
pub use digest::{Digest, NoDigest};
pub use meaning::{Dependence, FORM, Meaning, Step};
pub use record::{Head, MAX_NAME_BYTES, MAX_RECORD_BYTES, MAX_TEXT_BYTES, Permission, Record, What, is_name};
pub use standing::{Demand, Doubt, Proven, Standing, Voice, Weighed, weigh};
pub use units::{Part, Unit, UnitPlace};
pub use verdict::Verdict;

pub use crate::proof::settings::Channel;

#[cfg(test)]
mod blanks_tests;
#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod tests;
