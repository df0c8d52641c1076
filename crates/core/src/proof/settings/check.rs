//! `[check.NAME]`: a program whose report says which tests passed.

/// How long a check may take unless it says otherwise.
pub const DEFAULT_TIMEOUT_S: u64 = 900;
/// The most a check can ask for.
pub const LONGEST_TIMEOUT_S: u64 = 86_400;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JUnit XML, of any writer.
    Junit,
    /// What Rust's own test harness prints, as lines of text or of JSON.
    Libtest,
    /// cargo-nextest: its JUnit file, or its messages in JSON.
    Nextest,
    /// `go test -json`.
    Gotest,
    /// `vitest run --reporter=json`.
    Vitest,
    /// `jest --json`.
    Jest,
    /// `pytest --junitxml`.
    Pytest,
    /// The Test Anything Protocol.
    Tap,
    /// Visual Studio test results.
    Trx,
    /// Common Test Report Format.
    Ctrf,
    /// The exit code alone, which says nothing of any scenario.
    Exit,
}

impl Format {
    pub const ALL: [Self; 11] = [
        Self::Junit,
        Self::Libtest,
        Self::Nextest,
        Self::Gotest,
        Self::Vitest,
        Self::Jest,
        Self::Pytest,
        Self::Tap,
        Self::Trx,
        Self::Ctrf,
        Self::Exit,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::Libtest => "libtest",
            Self::Nextest => "nextest",
            Self::Gotest => "gotest",
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::Pytest => "pytest",
            Self::Tap => "tap",
            Self::Trx => "trx",
            Self::Ctrf => "ctrf",
            Self::Exit => "exit",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Whether the runner writes this to its standard output, so that a check needs no file.
    pub(crate) fn is_printed(self) -> bool {
        matches!(self, Self::Libtest | Self::Nextest | Self::Gotest | Self::Vitest | Self::Jest | Self::Tap)
    }

    /// Whether a test that passed says anything about the scenario it is linked to.
    pub fn names_tests(self) -> bool {
        self != Self::Exit
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    /// The program and its arguments; no shell reads them.
    pub run: Vec<String>,
    /// The file that the runner writes, relative to the root; absent where its standard output is the report.
    pub report: Option<String>,
    pub format: Format,
    /// Globs of the files whose change makes a result old.
    pub inputs: Vec<String>,
    /// Files that decide how tests are run and judged.
    pub harness: Vec<String>,
    pub timeout_s: u64,
    /// Whether it runs in a worktree of its own.
    pub isolate: bool,
    /// A report of executed lines (LCOV or Cobertura) that the same run writes.
    pub coverage: Option<String>,
    /// Where it stands in the file.
    pub line: usize,
}
