//! A push of one document to the hub, beside an insert of the same and nothing else.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::Outcome;
use super::http::percentiles;
use super::hub::{Bench, client, manifest, post, spec};
use crate::programs::Programs;
use crate::report::Report;

/// How often pushes and bare inserts take turns, and how many of each are in a turn.
const TURNS: usize = 10;
const EACH: usize = 40;

pub(super) fn push(programs: &Programs, report: &mut Report) -> Outcome {
    let bench = Bench::start(programs)?;
    let (_server, address) = bench.replica()?;
    let client = client(&address, &bench.token("pusher")?)?;
    let texts: Vec<String> = (0..1_000).map(|number| spec(0, number, "first")).collect();
    let mut version =
        post(&client, "push", &manifest("shop", &texts, 0, true, 0..1_000))?["version"].as_u64().unwrap_or(1);
    let bare = BareInserts::prepare(&bench)?;
    // In turns, so that whatever else the machine does meets both.
    let (mut pushes, mut inserts) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        for round in turn * EACH..(turn + 1) * EACH {
            let text = vec![spec(0, round, &format!("changed{round}"))];
            let request = manifest("shop", &text, version, false, std::iter::once(round % 1_000));
            let began = Instant::now();
            version = post(&client, "push", &request)?["version"].as_u64().unwrap_or(version + 1);
            pushes.push(began.elapsed());
        }
        inserts.extend(bare.insert(turn, &spec(0, turn, &format!("bare{turn}")))?);
    }
    let ((median, _), (bare, _)) = (percentiles(pushes), percentiles(inserts));
    report.add(
        "hub: push of 1 document among 1,000",
        median,
        Some((bare, "a bare durable insert of such a document, pgbench, in turns")),
        "ms",
        "≤ 3 ×",
    );
    Ok(())
}

/// Inserts of a document and nothing else, by a prepared statement, committed and flushed.
struct BareInserts<'b> {
    bench: &'b Bench<'b>,
    script: PathBuf,
}

impl<'b> BareInserts<'b> {
    fn prepare(bench: &'b Bench<'_>) -> Result<Self, Box<dyn std::error::Error>> {
        bench.cluster.sql(
            &bench.database,
            "CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY, body text); GRANT ALL ON bare TO hub",
        );
        let script = bench.cluster.folder().join("bare.sql");
        fs_err::write(&script, "INSERT INTO bare (body) VALUES (:body);\n")?;
        Ok(Self { bench, script })
    }

    /// What each of a turn took.
    fn insert(&self, turn: usize, text: &str) -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
        let (cluster, url) = (&self.bench.cluster, &self.bench.database);
        let name = url.split_once("localhost/").and_then(|(_, rest)| rest.split('?').next());
        let log = format!("bare{turn}");
        let output = Command::new(cluster.programs().join("pgbench"))
            .current_dir(cluster.folder())
            .args(["-n", "-c", "1", "-M", "prepared", "-U", "hub", "-t", &EACH.to_string()])
            .args(["-l", "--log-prefix", &log, "-D", &format!("body={text}"), "-h"])
            .arg(cluster.folder())
            .arg("-f")
            .arg(&self.script)
            .arg(name.unwrap_or_default())
            .output()?;
        if !output.status.success() {
            return Err(format!("pgbench said: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let mut times = Vec::new();
        for entry in fs_err::read_dir(cluster.folder())? {
            let path = entry?.path();
            if path.extension().is_some() && path.file_stem().is_some_and(|stem| stem == log.as_str()) {
                // Client, transaction, microseconds, and what is of no interest here.
                let lines = fs_err::read_to_string(&path)?;
                let took = lines.lines().filter_map(|line| line.split(' ').nth(2)?.parse().ok());
                times.extend(took.map(Duration::from_micros));
            }
        }
        Ok(times)
    }
}
