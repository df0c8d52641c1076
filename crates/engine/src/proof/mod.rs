//! Proof: what the specs promise, where code and tests for it stand, and which of it a run of the project's own tests
//! has shown.

mod authentic;
mod baseline;
mod cache;
mod catalog;
mod declare;
mod drift;
mod fill;
pub mod format;
mod health;
mod house;
mod known_runs;
mod lacking;
mod links;
mod mark;
mod page;
mod person;
mod preset;
mod receipt;
mod records;
mod rename_ledger;
pub mod run;
mod settings;
mod since;
mod standing;
mod status;
mod survey;
mod target;
mod then_words;
mod told;
mod waive;
mod walk;
mod walks;

pub use baseline::{BaselineMode, baseline};
pub use drift::{accept, drift};
pub use links::{FixMode, LinkQuery, fix, links};
pub use mark::code_mark;
pub use page::{KeptProof, page};
pub use person::{Concession, Person};
pub use preset::{Trial, init};
pub use settings::{Loaded, load, policy};
pub use standing::{Query, matrix};
pub use status::{StatusQuery, status};
pub use waive::waive;

pub(crate) use fill::fill_in;
pub(crate) use health::{findings, findings_here};
pub(crate) use house::house_file;
pub(crate) use lacking::{Lacks, is_proven, lacks_of_item, lacks_of_step};
pub(crate) use links::{all_links, promises_at};
pub(crate) use receipt::{RECEIPT, receipt};
pub(crate) use rename_ledger::{Renamed, put_aliases};
pub(crate) use since::PROOF_FOLDER;
pub(crate) use standing::linked;
pub(crate) use told::tell_states;
pub(crate) use walks::Walks;
