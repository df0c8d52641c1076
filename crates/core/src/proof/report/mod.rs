//! Reports of test runners, read into [`CaseResult`]s, and reports of executed lines, read into [`Coverage`].
//!
//! A report is written by whatever the project runs, so nothing in it is believed beyond its words: sizes, depth and
//! numbers are bounded, entities are not expanded, and what is no report of its kind is a [`ReportError`].

mod cobertura;
mod ctrf;
mod gotest;
mod jest;
mod junit;
mod lcov;
mod libtest;
mod nextest;
mod tap;
mod text;
mod trx;
mod xml;

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;

use thiserror::Error;

use super::settings::Format;
use super::{CaseOutcome, CaseResult, Coverage, Ref};
use text::decode;

/// A larger report is not read.
pub const MAX_BYTES: usize = 64 << 20;
/// A report with more cases is not read.
pub const MAX_CASES: usize = 1_000_000;
/// XML that is nested deeper is not read.
pub const MAX_DEPTH: usize = 256;
/// How much of a failure's message is kept.
const MESSAGE_CHARS: usize = 300;

/// Why a report cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReportError {
    #[error("it is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("it has more than {MAX_CASES} cases")]
    TooManyCases,
    #[error("line {line}: its elements are nested deeper than {MAX_DEPTH}")]
    TooDeep { line: usize },
    #[error("line {line}: it has a document type, which is not read")]
    DocumentType { line: usize },
    #[error("line {line}: it refers to the entity `{name}`, which is not expanded")]
    Entity { line: usize, name: String },
    #[error("line {line}: {problem}")]
    Malformed { line: usize, problem: String },
}

impl ReportError {
    fn malformed(line: usize, problem: impl Into<String>) -> Self {
        Self::Malformed { line, problem: problem.into() }
    }
}

/// The tests of a report, in its order.
pub fn read(format: Format, bytes: &[u8]) -> Result<Vec<CaseResult>, ReportError> {
    if bytes.len() > MAX_BYTES {
        return Err(ReportError::TooLarge);
    }
    let text = decode(bytes);
    let mut cases = Cases::default();
    match format {
        Format::Junit | Format::Pytest => junit::read(&text, &mut cases)?,
        Format::Libtest => libtest::read(&text, &mut cases)?,
        Format::Nextest => nextest::read(&text, &mut cases)?,
        Format::Gotest => gotest::read(&text, &mut cases)?,
        Format::Vitest | Format::Jest => jest::read(&text, &mut cases)?,
        Format::Tap => tap::read(&text, &mut cases)?,
        Format::Trx => trx::read(&text, &mut cases)?,
        Format::Ctrf => ctrf::read(&text, &mut cases)?,
        Format::Exit => {}
    }
    Ok(cases.0)
}

/// The executed lines of an LCOV or Cobertura report, whichever it is.
pub fn read_coverage(bytes: &[u8]) -> Result<Coverage, ReportError> {
    if bytes.len() > MAX_BYTES {
        return Err(ReportError::TooLarge);
    }
    let text = decode(bytes);
    if text.trim_start().starts_with('<') { cobertura::read(&text) } else { lcov::read(&text) }
}

/// What was read so far.
#[derive(Debug, Default)]
struct Cases(Vec<CaseResult>);

impl Cases {
    fn push(&mut self, mut case: CaseResult) -> Result<(), ReportError> {
        if self.0.len() == MAX_CASES {
            return Err(ReportError::TooManyCases);
        }
        text::refs_in(&case.title, &mut case.refs);
        self.0.push(case);
        Ok(())
    }
}

/// A case of which only its name and its end are known.
fn case(suites: Vec<String>, title: impl Into<String>, outcome: CaseOutcome) -> CaseResult {
    CaseResult { file: None, suites, title: title.into(), outcome, refs: Vec::new(), message: None }
}
