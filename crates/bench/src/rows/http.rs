//! The server on a port: many clients for a minute, and how much a small read costs beside an echo.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use crate::generate;
use crate::http::Server;
use crate::programs::Programs;
use crate::report::Report;

const CLIENTS: usize = 200;
const LOAD_TIME: Duration = Duration::from_mins(1);
/// When memory is looked at first: everything is warm by then.
const WARM_TIME: Duration = Duration::from_secs(20);
const SPECS: usize = 200;

/// How many clients read at once when throughput is compared, and how often each.
const READERS: usize = 8;
const READS: usize = 1_000;

/// One call in so many writes. A commit waits for the disk; agents read far more than that, and a team that drafts does not.
const SELDOM: usize = 50;
const OFTEN: usize = 10;

pub(super) const ARGUMENTS: [&str; 3] = ["serve", "--http", "127.0.0.1:0"];

/// All clients are one principal here, which is not to be held to one agent's rate.
const NO_RATE: &str = "\n[rate]\nper_second = 1000000\nburst = 1000000000\n";

pub(super) fn load(programs: &Programs, report: &mut Report) -> Outcome {
    let (times, warm, now) = clients(programs, SELDOM)?;
    let per_second = times.len() as f64 / LOAD_TIME.as_secs_f64();
    let (reads, writes) = (of(&times, Kind::Read), of(&times, Kind::Write));
    for (name, (median, p99)) in [
        ("200 HTTP clients, 60 s, p99", percentiles(times.iter().map(|call| call.1).collect())),
        ("their reads, p99", percentiles(reads)),
        ("their writes, one in 50, p99", percentiles(writes)),
    ] {
        report.add(name, p99, Some((median, "p50 of the same calls")), "ms", "≤ 10 ×");
    }
    report.add("memory at their end", now, Some((warm, "after 20 s")), "MiB", "flat");
    report.add("their calls, none failed", per_second, None, "calls/s", "no error");
    Ok(())
}

/// The same with one write in ten: writers that wait together share their record.
pub(super) fn writers(programs: &Programs, report: &mut Report) -> Outcome {
    let (times, _, _) = clients(programs, OFTEN)?;
    let per_second = times.len() as f64 / LOAD_TIME.as_secs_f64();
    let (median, p99) = percentiles(times.iter().map(|call| call.1).collect());
    let control = Some((median, "p50 of the same calls"));
    report.add("200 HTTP clients, one write in 10, p99", p99, control, "ms", "≤ 10 ×");
    let (median, p99) = percentiles(of(&times, Kind::Write));
    let control = Some((median, "p50 of the same calls"));
    report.add("writes among one in 10, p99", p99, control, "ms", "≤ 10 ×");
    report.add("calls with one write in 10, none failed", per_second, None, "calls/s", "no error");
    Ok(())
}

/// The times of all calls by kind, and the memory of the server at two moments.
type Served = (Vec<(Kind, Duration)>, f64, f64);

/// What the calls of all clients took, and what the server held in memory when it was warm and at the end.
fn clients(programs: &Programs, write_every: usize) -> io::Result<Served> {
    let folder = workspace(SPECS)?;
    let server = Server::start(&programs.hewto, &ARGUMENTS, folder.path())?;
    let begin = Instant::now();
    let (times, warm) = thread::scope(|scope| {
        let server = &server;
        let clients: Vec<_> =
            (0..CLIENTS).map(|n| scope.spawn(move || mixed(server, n, write_every, begin))).collect();
        thread::sleep(WARM_TIME);
        let warm = resident_mib(server.pid());
        let mut times = Vec::new();
        for client in clients {
            times.extend(client.join().map_err(|_| io::Error::other("a client panicked"))??);
        }
        Ok::<_, io::Error>((times, warm?))
    })?;
    Ok((times, warm, resident_mib(server.pid())?))
}

fn of(times: &[(Kind, Duration)], kind: Kind) -> Vec<Duration> {
    times.iter().filter(|call| call.0 == kind).map(|call| call.1).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
}

/// Reads and now and then a write, without a pause.
fn mixed(server: &Server, n: usize, write_every: usize, begin: Instant) -> io::Result<Vec<(Kind, Duration)>> {
    let mut client = server.connect()?;
    let mut times = Vec::new();
    for call in 0.. {
        let id = generate::id((n * 31 + call * 7) % SPECS);
        let (kind, tool, arguments) = match (n + call) % write_every {
            0 => (Kind::Write, "spec_update", json!({ "spec_id": id, "description": format!("{n} {call}") })),
            turn if turn % 3 == 1 => (Kind::Read, "spec_list", json!({ "limit": 20 })),
            _ => (Kind::Read, "spec_status", json!({ "spec_id": id })),
        };
        let start = Instant::now();
        if start.duration_since(begin) >= LOAD_TIME {
            break;
        }
        client.call(tool, &arguments)?;
        times.push((kind, start.elapsed()));
    }
    Ok(times)
}

/// The median and the 99th of a hundred, in milliseconds.
pub(super) fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |percent: usize| {
        let place = times.len().saturating_sub(1) * percent / 100;
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    (at(50), at(99))
}

pub(super) fn workspace(specs: usize) -> io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), specs)?;
    let config = folder.path().join(".hewto/config.toml");
    fs_err::write(&config, fs_err::read_to_string(&config)? + NO_RATE)?;
    Ok(folder)
}

pub(super) fn throughput(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = workspace(3)?;
    let hewto = Server::start(&programs.hewto, &ARGUMENTS, folder.path())?;
    let bare = Server::start(&programs.bare_http, &[], folder.path())?;
    let small_read = json!({ "spec_id": generate::id(1) });
    let echo = json!({ "text": "spec" });
    let (mut ours, mut control) = (Vec::new(), Vec::new());
    for _ in 0..report.rounds {
        ours.push(reads(&hewto, "spec_status", &small_read)?);
        control.push(reads(&bare, "echo", &echo)?);
    }
    let per_second =
        |times: &mut [Duration]| (READERS * READS) as f64 / crate::sample::median(times).as_secs_f64();
    let (ours, control) = (per_second(&mut ours), per_second(&mut control));
    report.add("HTTP, small read", ours, Some((control, "bare rmcp + axum echo")), "calls/s", "≥ 0.5 ×");
    Ok(())
}

fn reads(server: &Server, tool: &str, arguments: &Value) -> io::Result<Duration> {
    let mut clients = (0..READERS).map(|_| server.connect()).collect::<io::Result<Vec<_>>>()?;
    let begin = Instant::now();
    thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| scope.spawn(|| (0..READS).try_for_each(|_| client.call(tool, arguments))))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a client panicked"))?)
    })?;
    Ok(begin.elapsed())
}

/// What a process holds in memory.
pub(super) fn resident_mib(pid: u32) -> io::Result<f64> {
    let status = fs_err::read_to_string(Path::new("/proc").join(pid.to_string()).join("status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| io::Error::other("the process does not say how large it is"))
}
