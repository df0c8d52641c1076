//! How every promise stands: links, runs, debt and drift in one table.

mod cases;
mod evaluate;
mod history;
mod row;
mod similar;
mod verdict;

pub use cases::{CaseIndex, Matched, case_name, together};
pub use evaluate::{Known, Matrix};
pub use history::{Accepted, History};
pub use row::{Debt, Row, Summary, Waiver};
pub use similar::UntaggedTests;
