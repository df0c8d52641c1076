//! The workspace graph and the operation log, both large.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::Outcome;
use crate::client::Client;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{median, time};

/// 50,000 artifacts with four references each.
const ARTIFACTS: usize = 50_000;
const REFERENCES: usize = 4;
/// References reach this far back, so that trees are neither tiny nor everything.
const REACH: usize = 40;
const TREES: usize = 200;

/// 1,000,000 envelopes in 20 rotated files.
const LOGS: usize = 20;
const RECORDS: usize = 50_000;

pub(super) fn tree(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    artifacts(folder.path())?;
    let mut hewto = Client::start(&programs.hewto, &["serve", "--toolsets", "graph"], folder.path())?;
    // The first call reads everything, the second sets the watches.
    for _ in 0..3 {
        hewto.call("specman_dependency_tree", &json!({ "locator": handle(ARTIFACTS / 2) }))?;
    }
    let mut times: Vec<Duration> = Vec::new();
    for n in 0..TREES {
        let locator = json!({ "locator": handle(n * (ARTIFACTS / TREES)) });
        let mut outcome = Ok(());
        times.push(time(|| outcome = hewto.call("specman_dependency_tree", &locator)));
        outcome?;
    }
    let name = "`dependency.tree` among 50,000 artifacts, 200,000 edges";
    report.times(name, median(&mut times), None, "p50 ≤ 10 ms");
    Ok(())
}

pub(super) fn operations(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    logs(folder.path())?;
    let mut hewto = Client::start(&programs.hewto, &["serve", "--toolsets", "graph"], folder.path())?;
    let newest = json!({ "limit": 100, "max_chars": 1_000_000 });
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..report.rounds {
        let mut outcome = Ok(());
        times.push(time(|| outcome = hewto.call("specman_operations_inspect", &newest)));
        outcome?;
    }
    let name = "`operations.inspect`, newest 100 of 1,000,000";
    report.times(name, median(&mut times), None, "≤ 200 ms");
    Ok(())
}

/// Specs, implementations and scratch pads by turns of ten.
fn name(n: usize) -> (&'static str, &'static str, String) {
    match n % 10 {
        8 => ("impl", "impl.md", format!("n{n:05}-rust")),
        9 => (".specman/scratchpad", "scratch.md", format!("n{n:05}")),
        _ => ("spec", "spec.md", format!("n{n:05}")),
    }
}

fn handle(n: usize) -> String {
    let (_, document, name) = name(n);
    format!("{}://{name}", document.trim_end_matches(".md"))
}

fn artifacts(root: &Path) -> std::io::Result<()> {
    fs_err::create_dir_all(root.join(".specman"))?;
    for n in 0..ARTIFACTS {
        let (shelf, document, own) = name(n);
        let mut text = format!("---\nname: {own}\nversion: \"1.0.0\"\n");
        let key = if document == "impl.md" { "references" } else { "dependencies" };
        let _ = writeln!(text, "{key}:");
        for r in 1..=REFERENCES {
            // The first ones have nobody to refer to: an artifact that refers to itself is a circle.
            if let Some(to) = n.checked_sub(1 + (n * 7 + r * 13) % REACH) {
                let _ = writeln!(text, "  - ref: {}", handle(to));
            }
        }
        let _ = write!(text, "---\n\n# {own}\n");
        let folder = root.join(shelf).join(&own);
        fs_err::create_dir_all(&folder)?;
        fs_err::write(folder.join(document), text)?;
    }
    Ok(())
}

fn logs(root: &Path) -> std::io::Result<()> {
    let folder = root.join(".specman/logs");
    fs_err::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for log in 0..LOGS {
        let file = format!("specman-mcp.jsonl.202601{:02}T000000Z", log + 1);
        let mut out = std::io::BufWriter::new(fs_err::File::create(folder.join(&file))?);
        for record in 0..RECORDS {
            let at = format!(
                "2026-01-{:02}T{:02}:{:02}:{:02}Z",
                log + 1,
                record / 3600 % 24,
                record / 60 % 60,
                record % 60
            );
            let number = log * RECORDS + record;
            writeln!(
                out,
                "{{\"operation_id\":\"00000000-0000-4000-8000-{number:012}\",\"session_id\":\"s{}\",\"capability_id\":\"spec_list\",\"started_at\":\"{at}\",\"finished_at\":\"{at}\",\"duration_ms\":1,\"inputs\":{{\"limit\":50}},\"artifacts\":[],\"lock_intent\":\"read\",\"transcript\":[],\"status\":\"succeeded\"}}",
                record % 7
            )?;
        }
        out.flush()?;
        files.push(json!({ "file": file, "records": RECORDS, "bytes": 0, "start": null, "end": null }));
    }
    let manifest = json!({ "version": 1, "files": files });
    fs_err::write(folder.join("specman-mcp.jsonl.manifest.json"), manifest.to_string())
}
