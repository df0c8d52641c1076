//! Building and testing: what builds this folder, running it, and reading what came of it.
//!
//! A failing build is a result that a model can read, never a transport error. `ci_run` starts only what the user has
//! allowed by name; nothing ever goes through a shell.

mod build;
mod check;
mod command_line;
mod detect;
mod diagnostics;
mod job;
mod outcome;
mod run;
mod score;
mod toolchain;

pub use build::{Action, Build, build};
pub use check::{Check, CheckEnd, ReportFile, check, read_reports, remove_reports};
pub use detect::{Detect, DetectView, ToolchainView, detect};
pub use diagnostics::{DiagnosticsView, LimitsView, ProgramView, diagnostics};
pub use outcome::{RunView, TestsView};
pub use run::{Run, run};
pub use toolchain::Tool;
