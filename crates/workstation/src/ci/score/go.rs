//! `go test`, best with `-v`.

use super::Tally;

pub(super) fn read(tally: &mut Tally, line: &str) {
    let text = line.trim_start();
    let name = |rest: &str| rest.rsplit_once(" (").map_or(rest, |(name, _)| name).to_owned();
    if let Some(rest) = text.strip_prefix("--- FAIL: ") {
        tally.conclusive = true;
        tally.failed += 1;
        tally.name(&name(rest));
    } else if text.starts_with("--- PASS: ") {
        tally.conclusive = true;
        tally.passed += 1;
    } else if text.starts_with("--- SKIP: ") {
        tally.conclusive = true;
        tally.skipped += 1;
    } else if let Some(package) = line.strip_prefix("FAIL\t").filter(|rest| rest.ends_with(" failed]")) {
        tally.conclusive = true;
        tally.failed += 1;
        tally.name(package);
    }
}
