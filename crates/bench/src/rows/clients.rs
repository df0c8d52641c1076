//! Many clients on one workspace: does a second core help, and is every update kept?

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use crate::client::Client;
use crate::generate;
use crate::http::{Connection, Server};
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::median;

const CLIENTS: usize = 8;
/// Calls of all clients together in one round; one in ten writes.
const CALLS: usize = 2_000;
/// Enough specs that a list is no triviality.
const SPECS: usize = 200;

/// One of several clients at work: a process of its own, or a connection to the one that all share.
trait Caller: Send {
    fn ask(&mut self, tool: &str, arguments: &Value) -> io::Result<()>;
}

impl Caller for Client {
    fn ask(&mut self, tool: &str, arguments: &Value) -> io::Result<()> {
        self.call(tool, arguments)
    }
}

impl Caller for Connection {
    fn ask(&mut self, tool: &str, arguments: &Value) -> io::Result<()> {
        self.call(tool, arguments)
    }
}

pub(super) fn clients(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = super::http::workspace(SPECS)?;
    let start = |count: usize| -> io::Result<Vec<Client>> {
        (0..count).map(|_| Client::start(&programs.hewto, &["serve"], folder.path())).collect()
    };
    let (mut many, mut one) = (Vec::new(), Vec::new());
    for _ in 0..report.rounds {
        many.push(time(start(CLIENTS)?)?);
        one.push(time(start(1)?)?);
    }
    add("8 clients, 90 % reads", many, one, report);

    let server = Server::start(&programs.hewto, &super::http::ARGUMENTS, folder.path())?;
    let connect =
        |count: usize| -> io::Result<Vec<Connection>> { (0..count).map(|_| server.connect()).collect() };
    let (mut many, mut one) = (Vec::new(), Vec::new());
    for _ in 0..report.rounds {
        many.push(time(connect(CLIENTS)?)?);
        one.push(time(connect(1)?)?);
    }
    add("8 clients of one server, 90 % reads", many, one, report);
    Ok(())
}

fn add(name: &'static str, mut many: Vec<Duration>, mut one: Vec<Duration>, report: &mut Report) {
    let per_second = |time: Duration| CALLS as f64 / time.as_secs_f64();
    let (many, one) = (per_second(median(&mut many)), per_second(median(&mut one)));
    report.add(name, many, Some((one, "one client")), "calls/s", "≥ 1.5 × on two cores");
}

/// How long it takes them to make all calls together. Each has been answered once before.
fn time<C: Caller>(mut clients: Vec<C>) -> io::Result<Duration> {
    let share = CALLS / clients.len();
    for client in &mut clients {
        client.ask("spec_list", &json!({ "limit": 20 }))?;
    }
    let begin = Instant::now();
    thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(n, client)| scope.spawn(move || work(client, n, share)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a client panicked"))?)
    })?;
    Ok(begin.elapsed())
}

fn work(client: &mut impl Caller, n: usize, calls: usize) -> io::Result<()> {
    for call in 0..calls {
        let id = generate::id((n * 31 + call * 7) % SPECS);
        match call % 10 {
            0 => {
                client.ask("spec_update", &json!({ "spec_id": id, "description": format!("{n} {call}") }))?;
            }
            1..=3 => client.ask("spec_list", &json!({ "limit": 20 }))?,
            _ => client.ask("spec_status", &json!({ "spec_id": id }))?,
        }
    }
    Ok(())
}
