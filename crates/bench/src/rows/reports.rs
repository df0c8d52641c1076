//! Reports of test runners, as large as they come.

use std::fmt::Write as _;

use hewto_core::proof::report::read;
use hewto_core::proof::settings::Format;

use super::Outcome;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{in_turns, time};

const CASES: usize = 100_000;

/// A JUnit report of 100,000 cases, beside looking at each of its bytes once.
pub(super) fn junit(_: &Programs, report: &mut Report) -> Outcome {
    let text = junit_text()?;
    let before = resident_mb();
    let (ours, control) = in_turns(
        report.rounds,
        || Ok(time(|| read(Format::Junit, text.as_bytes()).map(|cases| cases.len()))),
        || Ok(time(|| text.bytes().filter(|byte| *byte == b'<').count())),
    )?;
    let cases = read(Format::Junit, text.as_bytes())?;
    let grown = resident_mb() - before;
    let megabytes = text.len() / 1_000_000;
    let name = format!("a JUnit report of {} cases ({megabytes} MB)", cases.len());
    report.times(&name, ours, Some((control, "counting its `<`")), "≤ 1 s");
    report.add(&format!("{name}: memory"), grown, None, "MB", "≤ 200 MB");
    Ok(())
}

fn junit_text() -> Result<String, std::fmt::Error> {
    let mut text = String::from("<?xml version=\"1.0\"?>\n<testsuites>\n");
    for suite in 0..CASES / 100 {
        writeln!(text, "<testsuite name=\"com.acme.shop.Suite{suite}\" tests=\"100\">")?;
        for case in 0..100 {
            write!(
                text,
                "<testcase classname=\"com.acme.shop.Suite{suite}\" name=\"keeps promise {case} &amp; more\" time=\"0.012\""
            )?;
            match case % 25 {
                0 => writeln!(
                    text,
                    "><failure message=\"expected {case}\">at line {case}\nat line 2</failure></testcase>"
                )?,
                1 => writeln!(text, "><skipped/></testcase>")?,
                _ => writeln!(text, "/>")?,
            }
        }
        text.push_str("</testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    Ok(text)
}

/// The memory of this process.
fn resident_mb() -> f64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
