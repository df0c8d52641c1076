//! Many clients on one workspace: does a second core help, and is every update kept?

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Outcome;
use crate::client::Client;
use crate::generate;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::median;

const CLIENTS: usize = 8;
/// Calls of all clients together in one round; one in ten writes.
const CALLS: usize = 2_000;
/// Enough specs that a list is no triviality.
const SPECS: usize = 200;

pub(super) fn clients(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), SPECS)?;
    let (mut many, mut one) = (Vec::new(), Vec::new());
    for _ in 0..report.rounds {
        many.push(throughput(programs, folder.path(), CLIENTS)?);
        one.push(throughput(programs, folder.path(), 1)?);
    }
    let per_second = |time: Duration| CALLS as f64 / time.as_secs_f64();
    let (many, one) = (per_second(median(&mut many)), per_second(median(&mut one)));
    report.add("8 clients, 90 % reads", many, Some((one, "one client")), "calls/s", "≥ 1.5 × on two cores");
    Ok(())
}

fn throughput(
    programs: &Programs,
    folder: &Path,
    clients: usize,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut started = Vec::new();
    for _ in 0..clients {
        started.push(Client::start(&programs.hewto, &["serve"], folder)?);
    }
    let begin = Instant::now();
    let outcome: Result<Vec<()>, std::io::Error> = std::thread::scope(|scope| {
        let threads: Vec<_> = started
            .iter_mut()
            .enumerate()
            .map(|(n, client)| scope.spawn(move || work(client, n, CALLS / clients)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(std::io::Error::other("a client panicked"))))
            .collect()
    });
    outcome?;
    Ok(begin.elapsed())
}

fn work(client: &mut Client, n: usize, calls: usize) -> std::io::Result<()> {
    for call in 0..calls {
        let id = generate::id((n * 31 + call * 7) % SPECS);
        match call % 10 {
            0 => {
                client
                    .call("spec_update", &json!({ "spec_id": id, "description": format!("{n} {call}") }))?;
            }
            1..=3 => client.call("spec_list", &json!({ "limit": 20 }))?,
            _ => client.call("spec_status", &json!({ "spec_id": id }))?,
        }
    }
    Ok(())
}
