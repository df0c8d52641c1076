//! A process that dies at any call, and one that dies while it finishes what another left.

use std::os::unix::process::ExitStatusExt as _;

use hewto_store::Store;
use hewto_store::fault::{self, Fault, FaultPlan};

use super::{Found, calls_of_a_commit, recovered, setting, standard_commit};
use crate::support::{Workspace, child, child_arguments, context, layout};

/// The child of the two tests below: commits, or only recovers, and dies on the way.
#[test]
#[ignore = "the tests below start it as a process of its own and kill it"]
fn child_that_dies() {
    let arguments = child_arguments();
    let [what, root, at] = arguments.as_slice() else { panic!("{arguments:?}") };
    let store = Store::open(layout(root.as_ref())).unwrap();
    fault::inject(Some(FaultPlan { at: at.parse().unwrap(), fault: Fault::Kill }));
    match what.as_str() {
        "commit" => standard_commit(&store).unwrap(),
        "recover" => drop(store.lock(&context()).unwrap()),
        other => panic!("{other}"),
    }
    println!("acknowledged");
}

/// Whether the child lived to the end.
fn run_child(what: &str, workspace: &Workspace, at: usize) -> bool {
    let root = workspace.root();
    let output = child("crash::death::child_that_dies", &[what, root.to_str().unwrap(), &at.to_string()])
        .output()
        .unwrap();
    let lived = String::from_utf8_lossy(&output.stdout).contains("acknowledged");
    assert_eq!(lived, output.status.success(), "{output:?}");
    assert!(lived || output.status.signal().is_some(), "{output:?}");
    lived
}

#[test]
fn death_at_any_call_leaves_all_or_nothing() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0];
    for at in 0..=calls {
        let workspace = setting();
        let lived = run_child("commit", &workspace, at);
        assert_eq!(lived, at == calls, "at {at}");
        let found = recovered(&workspace);
        assert!(!lived || found == Found::New);
        outcomes[usize::from(found == Found::New)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 5), "{outcomes:?}");
}

#[test]
fn death_during_recovery_is_recovered_from() {
    let calls = calls_of_a_commit();
    // Right after the commit point, in the middle of the renames, and before there is a record.
    for first in [calls / 3, calls * 5 / 9, calls * 2 / 3, calls * 7 / 9] {
        for second in 0..calls {
            let workspace = setting();
            run_child("commit", &workspace, first);
            let lived = run_child("recover", &workspace, second);
            recovered(&workspace);
            if lived {
                break;
            }
        }
    }
}
