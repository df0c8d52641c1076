//! maven's surefire and gradle.

use super::{Tally, count_after, count_before};

pub(super) fn read_maven(tally: &mut Tally, line: &str) {
    let text = ["[INFO] ", "[WARNING] ", "[ERROR] "]
        .iter()
        .find_map(|level| line.strip_prefix(level))
        .unwrap_or(line);
    if text.starts_with("Tests run:") {
        // Each class reports too, with its time; the sum of a module has none.
        if !text.contains("Time elapsed") {
            let count = |word| count_after(text, word).unwrap_or(0);
            let failed = count("Failures:") + count("Errors:");
            tally.conclusive = true;
            tally.passed += count("Tests run:").saturating_sub(failed + count("Skipped:"));
            tally.failed += failed;
            tally.skipped += count("Skipped:");
        }
    } else if text.ends_with("<<< FAILURE!") || text.ends_with("<<< ERROR!") {
        let name = text.split("Time elapsed").next().unwrap_or_default();
        tally.name(name.trim_end_matches([' ', '-']));
    }
}

pub(super) fn read_gradle(tally: &mut Tally, line: &str) {
    if let Some(name) = line.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
        tally.name(name);
    } else if let Some(completed) =
        count_before(line, " tests completed").or(count_before(line, " test completed"))
    {
        let failed = count_before(line, " failed").unwrap_or(0);
        let skipped = count_before(line, " skipped").unwrap_or(0);
        tally.conclusive = true;
        tally.passed += completed.saturating_sub(failed + skipped);
        tally.failed += failed;
        tally.skipped += skipped;
    }
}
