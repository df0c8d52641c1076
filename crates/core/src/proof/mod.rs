//! Which promises the code keeps: links from code and tests to scenarios, and what runs say about them.
//!
//! A [`Ref`] names a promise, a [`Link`] says where the code or the test for it stands, a [`RunEvidence`] is what one run
//! of hewto's own has shown, and a [`State`] is what follows. Nothing here reads a file or starts a program.

mod comment;
mod evidence;
mod file_tags;
pub mod ledger;
mod link;
pub mod matrix;
mod place;
mod promise;
mod reference;
mod renames;
pub mod report;
pub mod settings;
pub(crate) mod source;
mod state;
pub mod statement;
mod tag;

pub use comment::{is_code, tag_line};
pub use evidence::{CaseOutcome, CaseResult, Coverage, LineHits, LinkHashes, RunEvidence};
pub use file_tags::{FileRole, FileTags, TagFault, read_file_tags};
pub(crate) use link::combined_hash;
pub use link::{Anchor, Link, LinkKind};
pub use place::{anchor_file, anchor_lines, anchor_title};
pub use promise::{Promise, promises_of, read_promises};
pub use reference::{Ref, RefError};
pub use renames::renames;
pub use state::State;
pub use tag::{MARK as TAG_MARK, rename_tags};
