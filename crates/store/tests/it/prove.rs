//! Long mode: several processes write to one workspace and die, or meet a fault, at a random call; a model knows what may be
//! there afterwards. Runs for `HEWTO_PROVE_SECONDS` (a few by default; `scripts/prove.sh` asks for more).
//!
//! Each worker owns a few files and moves them together from one number to the next. What was acknowledged is there, the
//! rest is there whole or not at all, and the next write works. In every process one worker also moves a folder, and the
//! others are threads whose commits share a record where they can.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant};

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Context, DocKey, Expect, Store, Transaction};

use crate::support::{Workspace, child, child_arguments, context, file, folder, layout};

const PROCESSES: usize = 3;
const THREADS: usize = 3;
/// ENOSPC, EIO, EROFS, EMFILE, EXDEV and EACCES.
const FAULTS: [i32; 6] = [28, 5, 30, 24, 18, 13];

/// A small generator, so that a run can be repeated by its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Whether a worker moves a folder too, which it does under a lock of its own.
fn moves(worker: &str) -> bool {
    worker.ends_with('0')
}

/// Whether a worker writes one file at a time, which needs no durable record.
fn is_alone(worker: &str) -> bool {
    worker.ends_with('1')
}

fn key(worker: &str, name: &str) -> DocKey {
    file(&format!("specs/{worker}/{name}"))
}

/// The number that a worker's files agree on; panics when they do not agree.
fn number(store: &Store, context: &Context, worker: &str) -> u64 {
    let read = |name: &str| store.read(context, &key(worker, name)).unwrap().map(|doc| doc.text);
    let now: u64 = read("spec.md").unwrap_or_else(|| "0".to_owned()).parse().unwrap();
    if is_alone(worker) {
        return now;
    }
    assert_eq!(read("plan.md").unwrap_or_else(|| "0".to_owned()), now.to_string(), "{worker} is torn");
    // Every other time a file comes or goes, and a folder is moved there or back.
    assert_eq!(read("odd.md").is_some(), now % 2 == 1, "{worker} at {now}: odd.md");
    let places =
        ["here", "there"].map(|place| store.stands(&file(&format!("pads/{worker}/{place}/note.md"))));
    if moves(worker) && now > 0 && !store.machine().is_interrupted(context) {
        assert_eq!(places, [now.is_multiple_of(2), now % 2 == 1], "{worker} at {now}: the folder");
    }
    now
}

fn step(store: &Store, context: &Context, worker: &str) -> Result<u64, String> {
    let guard = if moves(worker) { store.lock(context) } else { store.lock_together(context) };
    let guard = guard.map_err(|error| error.to_string())?;
    let next = number(&guard, context, worker) + 1;
    let is_odd = next % 2 == 1;
    let mut transaction = Transaction::new();
    transaction.put(key(worker, "spec.md"), next.to_string(), Expect::Any);
    if !is_alone(worker) {
        transaction.put(key(worker, "plan.md"), next.to_string(), Expect::Any);
        if is_odd {
            transaction.put(key(worker, "odd.md"), "odd", Expect::Absent);
        } else {
            transaction.delete(key(worker, "odd.md"), Expect::Any);
        }
    }
    if moves(worker) {
        let [here, there] = ["here", "there"].map(|place| folder(&format!("pads/{worker}/{place}")));
        let (from, to) = if is_odd { (here, there) } else { (there, here) };
        transaction.move_dir(&from, &to);
    }
    match guard.finish(context, transaction) {
        Ok(_) => Ok(next),
        Err(
            CommitError::Changed { path }
            | CommitError::Gone { path }
            | CommitError::Exists { path }
            | CommitError::Stranded { path },
        ) => panic!("{worker}: nobody else touches {path}"),
        Err(error) => Err(error.to_string()),
    }
}

/// The workers of one process until it dies or they have done their share. Tells what is done.
#[test]
#[ignore = "`whatever_dies_or_fails…` starts it as processes of its own"]
fn child_that_works() {
    let arguments = child_arguments();
    let [root, process, seed] = arguments.as_slice() else { panic!("{arguments:?}") };
    let seed: u64 = seed.parse().unwrap();
    let store = Store::open(layout(root.as_ref())).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS as u64 {
            let (store, worker) = (&store, format!("{process}-{thread}"));
            scope.spawn(move || work(store, &worker, Dice(seed.wrapping_mul(31) ^ (thread << 40))));
        }
    });
}

#[expect(clippy::print_stdout, reason = "the parent reads what was acknowledged")]
fn work(store: &Store, worker: &str, mut dice: Dice) {
    let context = context();
    for _ in 0..4 {
        let at = usize::try_from(dice.below(70)).unwrap();
        let mut one_of = |some: usize| FAULTS[usize::try_from(dice.below(some as u64)).unwrap()];
        let (lasting, passing) = (one_of(3), one_of(6));
        let fault = match dice.below(10) {
            0..4 => Fault::Kill,
            4..6 => Fault::Fail(passing),
            6..8 => Fault::FailFromHere(lasting),
            8 => Fault::Short,
            _ => Fault::Slow(Duration::from_millis(3)),
        };
        // Some calls are one among many, and say more than others: those that close a record, and those of a recovery.
        match dice.below(8) {
            0 => fault::inject_at("rename last", fault),
            1 => fault::inject_at("fsync-dir ", fault),
            _ => fault::inject(Some(FaultPlan { at, fault })),
        }
        let done = step(store, &context, worker);
        fault::inject(None);
        if let Ok(number) = done {
            println!("\nacknowledged {worker} {number}");
        }
    }
}

#[test]
fn whatever_dies_or_fails_what_was_acknowledged_is_there_and_nothing_is_half() {
    let seconds = std::env::var("HEWTO_PROVE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let seed = std::env::var("HEWTO_PROVE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(17);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut dice = Dice(seed);
    let workspace = Workspace::native();
    let processes: Vec<String> = (0..PROCESSES).map(|process| format!("w{process}")).collect();
    let workers = processes.iter().flat_map(|process| (0..THREADS).map(move |n| format!("{process}-{n}")));
    let mut acknowledged: BTreeMap<String, u64> = workers.map(|worker| (worker, 0)).collect();
    for worker in acknowledged.keys().filter(|worker| moves(worker)) {
        workspace.write(&format!("pads/{worker}/here/note.md"), "a note");
    }
    let (mut kills, mut faults, mut commits) = (0_u64, 0_u64, 0_u64);
    while Instant::now() < until {
        let root = workspace.root();
        let mut children: Vec<_> = processes
            .iter()
            .map(|process| {
                let seed = dice.below(1 << 30).to_string();
                child("prove::child_that_works", &[root.to_str().unwrap(), process, &seed]).spawn().unwrap()
            })
            .collect();
        for (process, child) in processes.iter().zip(&mut children) {
            for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
                let told = line.strip_prefix("acknowledged ").and_then(|told| told.split_once(' '));
                // A line that the process could not finish tells nothing.
                let Some((worker, Ok(number))) = told.map(|(worker, number)| (worker, number.parse::<u64>()))
                else {
                    continue;
                };
                commits += 1;
                let known = acknowledged.get_mut(worker).unwrap();
                *known = number.max(*known);
            }
            let status = child.wait().unwrap();
            if status.success() {
                faults += 1;
            } else {
                kills += 1;
            }
            // A panic of the child is a finding; a kill is not.
            assert_ne!(status.code(), Some(101), "{process} found something; seed {seed}");
        }
        let store = workspace.store();
        let context = context();
        // As a reader sees it, before and after the next writer has finished what was begun.
        for pass in ["read", "finished"] {
            for (worker, acknowledged) in &acknowledged {
                let now = number(&store, &context, worker);
                assert!(
                    now >= *acknowledged,
                    "{pass}: {worker} is at {now}, {acknowledged} was acknowledged"
                );
            }
            drop(store.lock(&context).unwrap());
        }
        assert_eq!(store.machine().journal_remains(&context).unwrap().stranded, []);
        for (worker, acknowledged) in &mut acknowledged {
            *acknowledged = step(&store, &context, worker).unwrap();
        }
    }
    println!("{kills} kills, {faults} processes with faults, {commits} acknowledged commits");
    assert!(kills > 0);
}
