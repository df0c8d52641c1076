//! What the protocol costs: start, one small call, the list of tools.

use std::time::Duration;

use serde_json::json;

use super::Outcome;
use crate::client::Client;
use crate::generate;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{in_turns, median, time};

/// Calls in one round of a round-trip measurement.
const CALLS: usize = 500;
/// Starts in one round.
const STARTS: usize = 10;

pub(super) fn first_reply(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), 3)?;
    let start = |program: &std::path::Path, arguments: &[&str]| {
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let mut client = None;
            times.push(time(|| client = Some(Client::start(program, arguments, folder.path()))));
            drop(client.expect("the closure ran")?);
        }
        Ok(median(&mut times))
    };
    let (ours, bare) =
        in_turns(report.rounds, || start(&programs.hewto, &["serve"]), || start(&programs.bare, &[]))?;
    report.times("spawn → first reply", ours, Some((bare, "bare rmcp server")), "≤ 2 ×");
    Ok(())
}

pub(super) fn round_trip(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), 3)?;
    let mut hewto = Client::start(&programs.hewto, &["serve"], folder.path())?;
    let mut bare = Client::start(&programs.bare, &[], folder.path())?;
    let small_read = json!({ "spec_id": generate::id(1) });
    let (ours, control) = in_turns(
        report.rounds,
        || calls(&mut hewto, "spec_status", &small_read),
        || calls(&mut bare, "echo", &json!({ "text": "spec" })),
    )?;
    report.times("`tools/call` round trip, small read", ours, Some((control, "bare rmcp echo")), "≤ 2 ×");
    Ok(())
}

fn calls(
    client: &mut Client,
    tool: &str,
    arguments: &serde_json::Value,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let mut outcome = Ok(());
        times.push(time(|| outcome = client.call(tool, arguments)));
        outcome?;
    }
    Ok(median(&mut times))
}

pub(super) fn tools_list(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), 3)?;
    let mut hewto = Client::start(&programs.hewto, &["serve", "--toolsets", "all"], folder.path())?;
    let mut times = Vec::new();
    for _ in 0..report.rounds * 20 {
        let mut outcome = Ok(());
        times.push(time(|| outcome = hewto.request("tools/list", &json!({}))));
        outcome?;
    }
    report.times("`tools/list`, all toolsets", median(&mut times), None, "< 100 ms");
    Ok(())
}
