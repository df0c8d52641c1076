//! libtest and nextest.

use super::{Tally, count_before};

pub(super) fn read(tally: &mut Tally, line: &str) {
    let text = line.trim_start();
    if let Some(counts) = text.strip_prefix("test result: ") {
        tally.conclusive = true;
        tally.passed += count_before(counts, " passed").unwrap_or(0);
        tally.failed += count_before(counts, " failed").unwrap_or(0);
        tally.skipped += count_before(counts, " ignored").unwrap_or(0);
    } else if let Some(name) = text.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
        tally.name(name);
    } else if let Some(name) = text.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
        tally.name(name);
    } else if let Some(counts) = text.strip_prefix("Summary [") {
        tally.conclusive = true;
        tally.passed += count_before(counts, " passed").unwrap_or(0);
        tally.failed += count_before(counts, " failed").unwrap_or(0);
        tally.skipped += count_before(counts, " skipped").unwrap_or(0);
    } else if let Some((_, name)) = text.strip_prefix("FAIL [").and_then(|rest| rest.split_once("] ")) {
        tally.name(name);
    }
}
