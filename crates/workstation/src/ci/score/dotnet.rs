//! `dotnet test`, with the old console and the new one.

use super::{Tally, count_after};

pub(super) fn read(tally: &mut Tally, line: &str) {
    let text = line.trim_start();
    if text.starts_with("Failed!  - ") || text.starts_with("Passed!  - ") || text.starts_with("Skipped! - ") {
        tally.conclusive = true;
        tally.passed += count_after(text, "Passed:").unwrap_or(0);
        tally.failed += count_after(text, "Failed:").unwrap_or(0);
        tally.skipped += count_after(text, "Skipped:").unwrap_or(0);
    } else if let Some(counts) = text.strip_prefix("Test summary:") {
        tally.conclusive = true;
        tally.passed += count_after(counts, "succeeded:").unwrap_or(0);
        tally.failed += count_after(counts, "failed:").unwrap_or(0);
        tally.skipped += count_after(counts, "skipped:").unwrap_or(0);
    } else if let Some(rest) = text.strip_prefix("Failed ") {
        if let Some((name, _)) = rest.rsplit_once(" [").filter(|(_, time)| time.ends_with("s]")) {
            tally.name(name);
        }
    } else if let Some(rest) = text.strip_prefix("failed ")
        && let Some((name, _)) = rest.rsplit_once(" (").filter(|(_, time)| time.ends_with("s)"))
    {
        tally.name(name);
    }
}
