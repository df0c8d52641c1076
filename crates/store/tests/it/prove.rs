//! Long mode: several processes write to one workspace and die, or meet a fault, at a random call; a model knows what may be
//! there afterwards. Runs for `HEWTO_PROVE_SECONDS` (a few by default; `scripts/prove.sh` asks for more).
//!
//! Each worker owns a few files and moves them together from one number to the next. What was acknowledged is there, the
//! rest is there whole or not at all, and the next write works.

#![expect(clippy::needless_pass_by_value, reason = "a process owns what it was given")]

use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant};

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Context, DocKey, Expect, RelPath, Store, Transaction};

use crate::support::{Workspace, child, child_arguments, context, file, layout};

const WORKERS: usize = 3;
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

fn key(worker: &str, name: &str) -> DocKey {
    file(&format!("specs/{worker}/{name}"))
}

fn rel(text: String) -> RelPath {
    RelPath::parse(&text).unwrap()
}

/// The number that a worker's files agree on; panics when they do not agree.
fn number(store: &Store, context: &Context, worker: &str) -> u64 {
    let read = |name: &str| store.read(context, &key(worker, name)).unwrap().map(|doc| doc.text);
    let now: u64 = read("spec.md").unwrap_or_else(|| "0".to_owned()).parse().unwrap();
    assert_eq!(read("plan.md").unwrap_or_else(|| "0".to_owned()), now.to_string(), "{worker} is torn");
    // Every other time a file comes or goes, and a folder is moved there or back.
    assert_eq!(read("odd.md").is_some(), now % 2 == 1, "{worker} at {now}: odd.md");
    let places = ["here", "there"].map(|place| store.stands(&rel(format!("pads/{worker}/{place}/note.md"))));
    if now > 0 && !store.is_interrupted(context) {
        assert_eq!(places, [now.is_multiple_of(2), now % 2 == 1], "{worker} at {now}: the folder");
    }
    now
}

fn step(store: &Store, context: &Context, worker: &str) -> Result<u64, String> {
    let guard = store.lock(context).map_err(|error| error.to_string())?;
    let next = number(store, context, worker) + 1;
    let mut transaction = Transaction::new();
    for name in ["spec.md", "plan.md"] {
        transaction.put(key(worker, name), next.to_string(), Expect::Any);
    }
    let [here, there] = ["here", "there"].map(|place| rel(format!("pads/{worker}/{place}")));
    if next % 2 == 1 {
        transaction.put(key(worker, "odd.md"), "odd", Expect::Absent).move_dir(here, there);
    } else {
        transaction.delete(key(worker, "odd.md"), Expect::Any).move_dir(there, here);
    }
    match guard.commit(context, transaction) {
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

/// One worker until it dies or has done its share. Tells what it is about to do and what is done.
#[test]
fn child_that_works() {
    let Some(arguments) = child_arguments() else { return };
    let [root, worker, seed] = arguments.as_slice() else { panic!("{arguments:?}") };
    let mut dice = Dice(seed.parse().unwrap());
    let store = Store::open(layout(root.as_ref())).unwrap();
    let context = context();
    for _ in 0..4 {
        let at = usize::try_from(dice.below(70)).unwrap();
        let fault = match dice.below(8) {
            0..4 => Fault::Kill,
            4..6 => Fault::Fail(FAULTS[usize::try_from(dice.below(6)).unwrap()]),
            _ => Fault::FailFromHere(FAULTS[usize::try_from(dice.below(3)).unwrap()]),
        };
        fault::inject(Some(FaultPlan { at, fault }));
        let done = step(&store, &context, worker);
        fault::inject(None);
        if let Ok(number) = done {
            println!("\nacknowledged {number}");
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
    let names: Vec<String> = (0..WORKERS).map(|worker| format!("w{worker}")).collect();
    for name in &names {
        workspace.write(&format!("pads/{name}/here/note.md"), "a note");
    }
    let (mut kills, mut faults, mut commits) = (0_u64, 0_u64, 0_u64);
    let mut acknowledged = vec![0_u64; WORKERS];
    while Instant::now() < until {
        let root = workspace.root();
        let mut children: Vec<_> = names
            .iter()
            .map(|name| {
                let seed = dice.below(1 << 30).to_string();
                child("prove::child_that_works", &[root.to_str().unwrap(), name, &seed]).spawn().unwrap()
            })
            .collect();
        for (at, child) in children.iter_mut().enumerate() {
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let told: Vec<u64> = lines
                .map_while(Result::ok)
                .filter_map(|line| line.strip_prefix("acknowledged ")?.parse().ok())
                .collect();
            commits += told.len() as u64;
            acknowledged[at] = told.last().copied().unwrap_or(acknowledged[at]).max(acknowledged[at]);
            let status = child.wait().unwrap();
            if status.success() {
                faults += 1;
            } else {
                kills += 1;
            }
            // A panic of the child is a finding; a kill is not.
            assert_ne!(status.code(), Some(101), "{} found something; seed {seed}", names[at]);
        }
        let store = workspace.store();
        let context = context();
        // As a reader sees it, before and after the next writer has finished what was begun.
        for pass in ["read", "finished"] {
            for (name, acknowledged) in names.iter().zip(&acknowledged) {
                let now = number(&store, &context, name);
                assert!(now >= *acknowledged, "{pass}: {name} is at {now}, {acknowledged} was acknowledged");
            }
            drop(store.lock(&context).unwrap());
        }
        assert_eq!(store.stranded(&context).unwrap(), []);
        for (at, name) in names.iter().enumerate() {
            acknowledged[at] = step(&store, &context, name).unwrap();
        }
    }
    println!("{kills} kills, {faults} processes with faults, {commits} acknowledged commits");
    assert!(kills > 0);
}
