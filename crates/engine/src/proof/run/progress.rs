//! How far a runner has come, as far as its lines tell.

use crate::Progress;

/// What was counted in a runner's output.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    passed: u64,
    failed: u64,
    total: Option<u64>,
    last: String,
}

impl Tally {
    /// Reads a line that the runner printed.
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        match outcome(line) {
            Some(true) => self.passed += 1,
            Some(false) => self.failed += 1,
            None => {
                if let Some(total) = announced(line) {
                    *self.total.get_or_insert(0) += total;
                }
            }
        }
        self.last = line.chars().take(120).collect();
    }

    pub(super) fn progress(&self, check: &str) -> Progress {
        let done = self.passed + self.failed;
        let message = match done {
            0 => format!("{check}: {}", self.last),
            _ => format!("{check}: {} passed, {} failed", self.passed, self.failed),
        };
        Progress { done, total: self.total.filter(|total| *total >= done), message }
    }
}

/// Whether a line is the end of one test, and a good one.
fn outcome(line: &str) -> Option<bool> {
    // Rust's harness.
    if let Some((_, end)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) {
        return match end {
            "ok" => Some(true),
            "FAILED" => Some(false),
            _ => None,
        };
    }
    // nextest.
    for (mark, passed) in [("PASS [", true), ("FAIL [", false), ("SIGABRT [", false), ("TIMEOUT [", false)] {
        if line.starts_with(mark) {
            return Some(passed);
        }
    }
    // go test -json, and the harness's JSON.
    if line.starts_with('{') {
        let has = |text: &str| line.contains(text);
        if has("\"Test\":") {
            return [("\"Action\":\"pass\"", true), ("\"Action\":\"fail\"", false)]
                .into_iter()
                .find_map(|(mark, passed)| has(mark).then_some(passed));
        }
        return None;
    }
    // TAP, pytest -v, vitest and jest in words.
    if line.starts_with("ok ") || line.starts_with("✓ ") || line.contains(" PASSED") {
        return Some(true);
    }
    if line.starts_with("not ok ")
        || line.starts_with("× ")
        || line.starts_with("✕ ")
        || line.contains(" FAILED")
    {
        return Some(false);
    }
    None
}

/// How many tests a runner says it will run.
fn announced(line: &str) -> Option<u64> {
    let number = |text: &str| text.split(' ').next().and_then(|number| number.parse().ok());
    line.strip_prefix("running ")
        .filter(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
        .and_then(number)
        .or_else(|| line.strip_prefix("Starting ").filter(|rest| rest.contains(" test")).and_then(number))
        .or_else(|| line.strip_prefix("collected ").and_then(number))
        .or_else(|| line.strip_prefix("1..").and_then(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_as_they_end() {
        let mut tally = Tally::default();
        for line in
            ["   Compiling x", "running 3 tests", "test a ... ok", "test b ... FAILED", "test c ... ignored"]
        {
            tally.line(line);
        }
        let progress = tally.progress("unit");
        assert_eq!((progress.done, progress.total), (2, Some(3)));
        assert_eq!(progress.message, "unit: 1 passed, 1 failed");
        let mut quiet = Tally::default();
        quiet.line("   Compiling x v1");
        assert_eq!(quiet.progress("unit").message, "unit: Compiling x v1");
    }

    #[test]
    fn each_runner_is_understood() {
        for (line, expected) in [
            ("PASS [   0.003s] (1/3) shop::it cart", Some(true)),
            ("{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"T\"}", Some(false)),
            ("{\"Action\":\"fail\",\"Package\":\"p\"}", None),
            ("ok 1 - a", Some(true)),
            ("not ok 2 - b", Some(false)),
            ("tests/test_a.py::test_b PASSED [ 50%]", Some(true)),
            ("okay", None),
        ] {
            assert_eq!(outcome(line), expected, "{line}");
        }
        assert_eq!(announced("Starting 12 tests across 2 binaries"), Some(12));
        assert_eq!(announced("collected 7 items"), Some(7));
    }
}
