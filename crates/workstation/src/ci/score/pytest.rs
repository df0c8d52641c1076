//! pytest.

use super::{Tally, count_before};

pub(super) fn read(tally: &mut Tally, line: &str) {
    if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        // Only the name of a test has this; log lines may begin with ERROR too.
        if rest.contains("::") {
            tally.name(without_reason(rest));
        }
        return;
    }
    let text = line.trim_matches(|c| c == '=' || c == ' ');
    let Some((counts, time)) = text.rsplit_once(" in ") else { return };
    let is_time = time.starts_with(|c: char| c.is_ascii_digit()) && time.contains('s');
    let is_summary = |part: &str| part.split_once(' ').is_some_and(|(count, _)| count.parse::<u64>().is_ok());
    if !is_time || !counts.split(", ").all(is_summary) {
        return;
    }
    let count = |word| count_before(counts, word).unwrap_or(0);
    tally.conclusive = true;
    tally.passed += count(" passed") + count(" xpassed");
    tally.failed += count(" failed") + count(" error");
    tally.skipped += count(" skipped") + count(" xfailed");
}

/// `path::name[a - b] - reason` without the reason; the brackets of a parameter may hold anything.
fn without_reason(text: &str) -> &str {
    let from = match text.find('[') {
        Some(open) if !text[..open].contains(" - ") => {
            text.find("] - ").map_or(text.len(), |close| close + 1)
        }
        _ => 0,
    };
    match text[from..].find(" - ") {
        Some(at) => &text[..from + at],
        None => text,
    }
}
