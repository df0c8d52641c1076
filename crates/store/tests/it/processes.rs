//! Many processes on one workspace: no lost update, nothing torn, nothing acknowledged lost.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::time::Duration;

use hewto_core::id::WorkItem;
use hewto_store::{DocKey, Expect, SpecEntry, StateRead, Store, Transaction};

use crate::support::{Workspace, child, child_arguments, context, file, id, layout};

const FILES: [&str; 3] = ["specs/a/spec.md", "specs/a/plan.md", "specs/a/state.toon"];

/// Adds one to the number in each of three files, in one commit.
fn increment(store: &Store) -> u64 {
    let context = context().with_timeout(Duration::from_mins(1));
    let guard = store.lock(&context).unwrap();
    let mut transaction = Transaction::new();
    let mut next = 0;
    for name in FILES {
        let doc = guard.read(&context, &file(name)).unwrap().unwrap();
        next = doc.text.parse::<u64>().unwrap() + 1;
        transaction.put(file(name), next.to_string(), Expect::Hash(doc.hash));
    }
    guard.commit(&context, transaction).unwrap();
    next
}

fn setting() -> Workspace {
    let workspace = Workspace::native();
    for name in FILES {
        workspace.write(name, "0");
    }
    workspace
}

/// The child of the tests below.
#[test]
#[ignore = "the tests below start it as processes of its own"]
fn child_that_increments() {
    let arguments = child_arguments();
    let [root, times] = arguments.as_slice() else { panic!("{arguments:?}") };
    let store = Store::open(layout(root.as_ref())).unwrap();
    for _ in 0..times.parse().unwrap() {
        println!("acknowledged {}", increment(&store));
    }
}

// @spec store#writers-queue/eight-processes-write-one-workspace
#[test]
fn eight_processes_lose_no_update() {
    let workspace = setting();
    let root = workspace.root();
    let arguments = [root.to_str().unwrap(), "12"];
    let children: Vec<_> =
        (0..8).map(|_| child("processes::child_that_increments", &arguments).spawn().unwrap()).collect();
    for running in children {
        let output = running.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    for name in FILES {
        assert_eq!(workspace.text(name).as_deref(), Some("96"));
    }
}

#[test]
fn eight_threads_lose_no_update() {
    let workspace = setting();
    let store = workspace.store();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    increment(&store);
                }
            });
        }
    });
    assert_eq!(workspace.text(FILES[0]).as_deref(), Some("40"));
}

/// A spec whose title and state carry one number.
fn write_number(store: &Store, number: u64) {
    let context = context();
    let item = WorkItem::Spec(id("n"));
    let state = format!(
        "spec_id: \"{number}\"\nlifecycle: draft\nphase: spec\nbuild_progress:\n  percentage: 0\n  current_step: null\n  \
         notes: null\nupdated_at: \"2026-01-24T14:30:00Z\"\n"
    );
    let mut transaction = Transaction::new();
    transaction.put(DocKey::Spec(id("n")), format!("# {number}\n"), Expect::Any);
    transaction.put(DocKey::State(item), state, Expect::Any);
    store.lock(&context).unwrap().commit(&context, transaction).unwrap();
}

/// The child of the test below.
#[test]
#[ignore = "the tests below start it as processes of its own"]
fn child_that_numbers() {
    let arguments = child_arguments();
    let [root, times] = arguments.as_slice() else { panic!("{arguments:?}") };
    let store = Store::open(layout(root.as_ref())).unwrap();
    for number in 1..=times.parse().unwrap() {
        write_number(&store, number);
    }
}

#[test]
fn a_reader_never_sees_two_files_of_different_commits() {
    let workspace = Workspace::native();
    let [watched, scanned] = [workspace.store(), Store::open_scanning(workspace.layout()).unwrap()];
    write_number(&watched, 0);
    let root = workspace.root();
    let mut writer =
        child("processes::child_that_numbers", &[root.to_str().unwrap(), "300"]).spawn().unwrap();
    let agree = |entry: &SpecEntry| {
        let StateRead::Valid(state) = &entry.state else { panic!("{entry:?}") };
        assert_eq!(entry.title(), state.spec_id);
        state.spec_id.parse::<u64>().unwrap()
    };
    let context = context();
    let mut seen = BTreeSet::new();
    while writer.try_wait().unwrap().is_none() {
        for store in [&watched, &scanned] {
            seen.insert(agree(&store.entry(&context, &id("n")).unwrap().unwrap()));
            seen.insert(agree(&store.snapshot(&context).unwrap().specs[0]));
        }
    }
    assert!(writer.wait().unwrap().success());
    // The first and the last alone would not show that it read while the other wrote.
    assert!(seen.len() > 2, "{seen:?}");
}

/// How often a process is killed in the middle of its work.
const KILLS: u64 = 300;

#[test]
fn kill_9_loses_nothing_that_was_acknowledged() {
    let workspace = setting();
    let root = workspace.root();
    let mut floor = 0;
    for round in 0_u64..KILLS {
        let mut running =
            child("processes::child_that_increments", &[root.to_str().unwrap(), "100000"]).spawn().unwrap();
        // Somewhere in the middle of some commit; a different place each time.
        let mut output = running.stdout.take().unwrap();
        let mut first = [0; 64];
        let mut heard = output.read(&mut first).unwrap();
        std::thread::sleep(Duration::from_micros(500 + (1_733 * round) % 20_000));
        running.kill().unwrap();
        running.wait().unwrap();
        let mut text = first[..std::mem::take(&mut heard)].to_vec();
        output.read_to_end(&mut text).unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        let acknowledged =
            text.lines().filter_map(|line| line.split_once("acknowledged ")?.1.parse().ok()).max();
        floor = acknowledged.unwrap_or(floor).max(floor);
        drop(workspace.store().lock(&context()).unwrap());
        let numbers: Vec<u64> =
            FILES.iter().map(|name| workspace.text(name).unwrap().parse().unwrap()).collect();
        assert!(numbers.iter().all(|number| *number == numbers[0]), "torn: {numbers:?}");
        assert!(numbers[0] >= floor, "{numbers:?} < {floor}");
    }
    assert!(floor > 0);
}
