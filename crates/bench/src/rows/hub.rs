//! The hub on a real PostgreSQL: what its rows share, claims and overlaps.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use hewto_core::review::Digest;
use hewto_net::HubClient;
use hewto_testkit::Cluster;
use serde_json::{Map, Value, json};

use super::Outcome;
use super::http::percentiles;
use crate::http::Server;
use crate::programs::Programs;
use crate::report::Report;

const AGENTS: usize = 200;
const CLAIMS: usize = 5;
/// In a spec.
pub(super) const REQUIREMENTS: usize = 10;

/// What `--specs` says in full size; less makes everything here smaller.
const FULL: usize = 10_000;

/// A number of the full size, or a smaller one for a look at whether the rows run.
pub(super) fn scaled(full: usize, report: &Report) -> usize {
    (full * report.specs / FULL).clamp(full.min(4), full)
}

pub(super) struct Bench<'p> {
    programs: &'p Programs,
    pub(super) cluster: Cluster,
    pub(super) database: String,
}

impl<'p> Bench<'p> {
    pub(super) fn start(programs: &'p Programs) -> Result<Self, Box<dyn std::error::Error>> {
        let cluster = Cluster::start(&[]).ok_or("PostgreSQL is not installed (Debian: postgresql)")?;
        let database = cluster.database();
        Ok(Self { programs, cluster, database })
    }

    pub(super) fn replica(&self) -> Result<(Server, String), Box<dyn std::error::Error>> {
        self.replica_with(&["--words-only"])
    }

    pub(super) fn replica_with(&self, more: &[&str]) -> Result<(Server, String), Box<dyn std::error::Error>> {
        let usual = ["hub", "serve", "--listen", "127.0.0.1:0", "--database", &self.database];
        let arguments: Vec<&str> = usual.into_iter().chain(more.iter().copied()).collect();
        let server = Server::start(&self.programs.hewto, &arguments, self.cluster.folder())?;
        let address = format!("http://{}", server.address());
        Ok((server, address))
    }

    pub(super) fn token(&self, name: &str) -> Result<String, Box<dyn std::error::Error>> {
        let arguments = [
            "hub",
            "token",
            "create",
            name,
            "--role",
            "agent",
            "--all-repos",
            "--json",
            "--database",
            &self.database,
        ];
        let output = Command::new(&self.programs.hewto).args(arguments).output()?;
        let made: Value = serde_json::from_slice(&output.stdout)?;
        Ok(made["token"].as_str().ok_or("no token was made")?.to_owned())
    }
}

pub(super) fn client(address: &str, token: &str) -> Result<HubClient, String> {
    HubClient::new(address, token, None, Duration::from_mins(2))
}

pub(super) fn post(
    client: &HubClient,
    path: &str,
    body: &Value,
) -> Result<Value, Box<dyn std::error::Error>> {
    let reply = client.post(path, body.to_string().as_bytes())?;
    if reply.status != 200 {
        return Err(format!("{path}: {} {}", reply.status, reply.body).into());
    }
    Ok(serde_json::from_str(&reply.body)?)
}

pub(super) fn spec(repo: usize, number: usize, word: &str) -> String {
    let mut text = format!(
        "# Spec {number} of {repo}\n\n## Purpose\nWhat {word} customers of {repo} need.\n\n## Requirements\n"
    );
    for requirement in 0..REQUIREMENTS {
        let _ = write!(
            text,
            "\n### Requirement: Rule {requirement} about {word} {number}\nThe system SHALL keep promise {requirement} of repository {repo} about {word} parcels.\n\n#### Scenario: Kept\n- **WHEN** case {requirement} comes up\n- **THEN** parcel {number} is kept\n"
        );
    }
    text
}

/// A whole push of so many specs.
pub(super) fn manifest(
    repo: &str,
    texts: &[String],
    base: u64,
    whole: bool,
    places: impl Iterator<Item = usize>,
) -> Value {
    let (mut set, mut blobs) = (Map::new(), Map::new());
    for (place, text) in places.zip(texts) {
        let hash = Digest::of(text.as_bytes()).to_string();
        set.insert(
            format!("specs/s{place}/spec.md"),
            json!({ "sha256": hash, "kind": "spec", "item": format!("s{place}") }),
        );
        blobs.insert(hash, json!(text));
    }
    let key = format!("bench-{}-{base}", repo.replace('/', "-"));
    json!({ "protocol": 1, "repo": repo, "view": { "kind": "worktree", "name": "w" }, "base": base, "key": key,
            "whole": whole, "set": set, "blobs": blobs })
}

pub(super) fn claims(programs: &Programs, report: &mut Report) -> Outcome {
    let bench = Bench::start(programs)?;
    let (_server, address) = bench.replica()?;
    let token = bench.token("agents")?;
    let agents = scaled(AGENTS, report);
    let items: Vec<String> = (0..agents * CLAIMS).map(|number| format!("change:c{number}")).collect();
    let (address, token, items) = (&address, &token, &items);
    let taken = thread::scope(|scope| {
        let agents: Vec<_> = (0..agents)
            .map(|agent| {
                scope.spawn(move || -> Result<Vec<(String, Duration)>, String> {
                    let client = client(address, token)?;
                    let mut taken = Vec::new();
                    while taken.len() < CLAIMS {
                        let ask = json!({ "repo": "shop", "items": items, "lease_s": 600,
                            "session": format!("{agent}-{}", taken.len()), "worktree": "w" });
                        let began = Instant::now();
                        match post(&client, "claims", &ask) {
                            Ok(lease) => taken.push((
                                lease["item"].as_str().unwrap_or_default().to_owned(),
                                began.elapsed(),
                            )),
                            Err(error) if error.to_string().contains("nothing_ready") => {}
                            Err(error)
                                if error.to_string().contains(" 429 ")
                                    || error.to_string().contains(" 503 ") => {}
                            Err(error) => return Err(error.to_string()),
                        }
                    }
                    Ok(taken)
                })
            })
            .collect();
        agents
            .into_iter()
            .map(|agent| agent.join().map_err(|_| "an agent panicked".to_owned())?)
            .collect::<Result<Vec<_>, _>>()
    })?;
    let taken: Vec<(String, Duration)> = taken.into_iter().flatten().collect();
    let different = taken.iter().map(|(item, _)| item).collect::<HashSet<_>>().len();
    let doubles = taken.len() - different;
    let (median, p99) = percentiles(taken.into_iter().map(|(_, time)| time).collect());
    report.add(
        &format!("hub: claim_next, {agents} agents, p99"),
        p99,
        Some((median, "p50 of the same calls")),
        "ms",
        "≤ 10 ×",
    );
    report.add("hub: the same, given twice", doubles as f64, None, "items", "0");
    Ok(())
}

pub(super) fn overlaps(programs: &Programs, report: &mut Report) -> Outcome {
    let bench = Bench::start(programs)?;
    let ((_one, first), (_two, second)) = (bench.replica()?, bench.replica()?);
    let (ann, bob) = (client(&first, &bench.token("ann")?)?, client(&second, &bench.token("bob")?)?);
    let mut times = Vec::new();
    for round in 0..20 {
        let push = |who: &HubClient, change: &str| {
            let text = format!(
                "## MODIFIED Requirements\n\n### Requirement: R{round}\nThe system SHALL {change}.\n"
            );
            let hash = Digest::of(text.as_bytes()).to_string();
            let path = format!("changes/{change}/specs/accounts/spec.md");
            let listed = json!({ "sha256": hash, "kind": "delta", "item": format!("change:{change}"), "capability": "accounts" });
            post(
                who,
                "push",
                &json!({ "protocol": 1, "repo": "shop", "view": { "kind": "worktree", "name": format!("w{round}") },
                "base": 0, "key": format!("overlap-{change}"), "whole": true, "set": { path: listed }, "blobs": { hash: text } }),
            )
        };
        push(&ann, &format!("a{round}"))?;
        push(&bob, &format!("b{round}"))?;
        let began = Instant::now();
        while !ann
            .get(&format!("overlaps?repo=shop&change=a{round}"))?
            .body
            .contains(&format!("\"b{round}\""))
        {}
        times.push(began.elapsed());
    }
    let (_, slowest) = percentiles(times);
    report.add(
        "hub: overlap visible at another replica after the push, slowest of 20",
        slowest,
        None,
        "ms",
        "≤ 2,000",
    );
    Ok(())
}
