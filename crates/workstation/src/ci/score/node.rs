//! jest, vitest, mocha and node's own runner.

use super::{Tally, count_before};

/// Headings of jest that look like the name of a failing test.
const JEST_HEADINGS: [&str; 4] = ["Console", "Validation Warning", "Deprecation Warning", "Cannot log after"];

pub(super) fn read_jest(tally: &mut Tally, line: &str) {
    if let Some(counts) = line.strip_prefix("Tests:").filter(|counts| counts.contains(" total")) {
        tally.conclusive = true;
        tally.passed += count_before(counts, " passed").unwrap_or(0);
        tally.failed += count_before(counts, " failed").unwrap_or(0);
        tally.skipped +=
            count_before(counts, " skipped").unwrap_or(0) + count_before(counts, " todo").unwrap_or(0);
    } else if let Some(name) = line.strip_prefix("  ● ")
        && !JEST_HEADINGS.iter().any(|heading| name.starts_with(heading))
    {
        tally.name(name);
    }
}

pub(super) fn read_vitest(tally: &mut Tally, line: &str) {
    let text = line.trim_start();
    if let Some(counts) = text.strip_prefix("Tests  ").filter(|counts| counts.ends_with(')')) {
        tally.conclusive = true;
        tally.passed += count_before(counts, " passed").unwrap_or(0);
        tally.failed += count_before(counts, " failed").unwrap_or(0);
        tally.skipped += count_before(counts, " skipped").unwrap_or(0);
    } else if let Some(name) = text.strip_prefix("FAIL  ").filter(|name| name.contains(" > ")) {
        tally.name(name);
    }
}

pub(super) fn read_mocha(tally: &mut Tally, line: &str) {
    let text = line.trim();
    let count = |word: &str| {
        let (number, rest) = text.split_once(' ')?;
        let fits = rest == word || rest.starts_with(&format!("{word} ("));
        super::count(number).filter(|_| fits)
    };
    if let Some(passed) = count("passing") {
        tally.conclusive = true;
        tally.passed += passed;
    } else if let Some(pending) = count("pending") {
        tally.skipped += pending;
    } else if let Some(failed) = count("failing") {
        tally.failed += failed;
        tally.in_failures = true;
    } else if tally.in_failures {
        read_mocha_failure(tally, text);
    }
}

/// `1) suite`, then one line for each level, the last with a colon.
fn read_mocha_failure(tally: &mut Tally, text: &str) {
    let begins = text.split_once(") ").filter(|(number, _)| number.parse::<u64>().is_ok());
    let name = match (begins, tally.partial.take()) {
        (Some((_, name)), _) => name.to_owned(),
        (None, Some(above)) if !text.is_empty() => format!("{above} {text}"),
        _ => return,
    };
    match name.strip_suffix(':') {
        Some(name) => tally.name(name),
        None => tally.partial = Some(name),
    }
}

pub(super) fn read_node_test(tally: &mut Tally, line: &str) {
    let text = line.trim_start();
    let summary = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "));
    if let Some((word, count)) = summary.and_then(|rest| rest.split_once(' ')) {
        let Some(count) = super::count(count) else { return };
        match word {
            "pass" => {
                tally.conclusive = true;
                tally.passed += count;
            }
            "fail" | "cancelled" => tally.failed += count,
            "skipped" | "todo" => tally.skipped += count,
            _ => {}
        }
    } else if let Some(rest) = text.strip_prefix("✖ ") {
        if let Some((name, _)) = rest.rsplit_once(" (").filter(|(_, time)| time.ends_with("ms)")) {
            tally.name(name);
        }
    } else if let Some((_, name)) = text.strip_prefix("not ok ").and_then(|rest| rest.split_once(" - ")) {
        tally.name(name);
    }
}
