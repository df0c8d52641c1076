//! Reads what test runners print: how many tests passed and failed, and the names of those that failed.
//!
//! Each runner has a reader that looks at one line at a time and keeps little. A run whose runner is not known is
//! shown to all readers; the first that recognised a summary is believed.

mod cargo;
mod dotnet;
mod go;
mod jvm;
mod node;
mod pytest;

use super::outcome::TestsView;

/// More names than this are counted but not kept.
const MAX_NAMES: usize = 1000;
const MAX_NAME_CHARS: usize = 300;

/// A test runner whose reports can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    Cargo,
    Pytest,
    Go,
    Jest,
    Vitest,
    Mocha,
    NodeTest,
    Dotnet,
    Maven,
    Gradle,
}

impl Runner {
    pub(super) const NODE: &[Self] = &[Self::Jest, Self::Vitest, Self::Mocha, Self::NodeTest];
    pub(super) const ALL: &[Self] = &[
        Self::Cargo,
        Self::Pytest,
        Self::Jest,
        Self::Vitest,
        Self::Mocha,
        Self::NodeTest,
        Self::Dotnet,
        Self::Maven,
        Self::Gradle,
        Self::Go,
    ];
}

/// The runners that a command may start.
pub(super) fn runners_of(command: &[String]) -> &'static [Runner] {
    let name = command.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    match name {
        "cargo" => &[Runner::Cargo],
        "pytest" | "py.test" => &[Runner::Pytest],
        "go" => &[Runner::Go],
        "dotnet" => &[Runner::Dotnet],
        "mvn" => &[Runner::Maven],
        "gradle" => &[Runner::Gradle],
        "npm" | "npx" | "pnpm" | "yarn" | "node" | "jest" | "vitest" | "mocha" => Runner::NODE,
        "make" | "gmake" | "just" | "python" | "python3" | "uv" | "tox" | "nox" | "bazel" => Runner::ALL,
        _ => &[],
    }
}

/// What one reader has seen so far.
#[derive(Debug, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
    names: Vec<String>,
    /// Whether a summary was seen, so that the counts mean something.
    conclusive: bool,
    /// Whether the reader is in the part of the report that lists failures.
    in_failures: bool,
    /// A name that goes on in the next lines.
    partial: Option<String>,
}

impl Tally {
    fn name(&mut self, name: &str) {
        let name: String = name.trim().chars().take(MAX_NAME_CHARS).collect();
        if !name.is_empty() && self.names.len() < MAX_NAMES && !self.names.contains(&name) {
            self.names.push(name);
        }
    }
}

/// The readers of one run.
#[derive(Debug)]
pub(super) struct Scoreboard(Vec<(Runner, Tally)>);

impl Scoreboard {
    pub(super) fn new(runners: &[Runner]) -> Self {
        Self(runners.iter().map(|runner| (*runner, Tally::default())).collect())
    }

    /// Reads one line, without colours and without its end.
    pub(super) fn line(&mut self, line: &str) {
        for (runner, tally) in &mut self.0 {
            match runner {
                Runner::Cargo => cargo::read(tally, line),
                Runner::Pytest => pytest::read(tally, line),
                Runner::Go => go::read(tally, line),
                Runner::Jest => node::read_jest(tally, line),
                Runner::Vitest => node::read_vitest(tally, line),
                Runner::Mocha => node::read_mocha(tally, line),
                Runner::NodeTest => node::read_node_test(tally, line),
                Runner::Dotnet => dotnet::read(tally, line),
                Runner::Maven => jvm::read_maven(tally, line),
                Runner::Gradle => jvm::read_gradle(tally, line),
            }
        }
    }

    pub(super) fn finish(self) -> Option<TestsView> {
        let (_, tally) = self.0.into_iter().find(|(_, tally)| tally.conclusive)?;
        Some(TestsView {
            passed: tally.passed,
            failed: tally.failed,
            skipped: tally.skipped,
            failed_names: tally.names,
        })
    }
}

/// The number before a word: `3 passed`.
fn count_before(text: &str, word: &str) -> Option<u64> {
    let at = text.find(word)?;
    text[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next().and_then(count)
}

/// The number after a word: `Failed: 3`.
fn count_after(text: &str, word: &str) -> Option<u64> {
    let at = text.find(word)? + word.len();
    let rest = text[at..].trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next().and_then(count)
}

/// A number of tests. A program may print any; what no run has is cut off, so that sums stay within bounds.
fn count(digits: &str) -> Option<u64> {
    digits.parse::<u64>().ok().map(|number| number.min(u32::MAX.into()))
}

#[cfg(test)]
mod tests;
