//! Random commits with random faults.

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Expect, Transaction};
use proptest::prelude::*;

use super::EIO;
use crate::support::{Workspace, context, file};

#[derive(Debug, Clone)]
enum Op {
    Put(usize, String),
    Delete(usize),
}

/// A few files that a random commit touches, some of them in folders that do not exist.
const PATHS: [&str; 6] =
    ["a.md", "b.md", "specs/x/spec.md", "specs/x/plan.md", "specs/y/spec.md", "new/deep/c.md"];

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        4 => (0..PATHS.len(), "[a-z]{0,40}").prop_map(|(path, text)| Op::Put(path, text)),
        1 => (0..PATHS.len()).prop_map(Op::Delete),
    ];
    proptest::collection::vec(op, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    // @spec store#commits-are-atomic/killed-in-the-middle
    #[test]
    fn random_commits_with_random_faults_are_all_or_nothing(
        initial in proptest::collection::vec(proptest::option::of("[a-z]{0,40}"), PATHS.len()),
        ops in ops(),
        at in 0_usize..60,
        lasting in any::<bool>(),
    ) {
        let workspace = Workspace::native();
        for (path, text) in PATHS.iter().zip(&initial) {
            if let Some(text) = text {
                workspace.write(path, text);
            }
        }
        let read = || PATHS.map(|path| workspace.text(path));
        let old = read();
        let mut new = old.clone();
        let mut transaction = Transaction::new();
        let mut used = std::collections::BTreeSet::new();
        for op in ops {
            match op {
                Op::Put(index, text) if used.insert(index) => {
                    transaction.put(file(PATHS[index]), text.as_str(), Expect::Any);
                    new[index] = Some(text);
                }
                Op::Delete(index) if used.insert(index) => {
                    transaction.delete(file(PATHS[index]), Expect::Any);
                    new[index] = None;
                }
                Op::Put(..) | Op::Delete(_) => {}
            }
        }
        let store = workspace.store();
        let context = context();
        let guard = store.lock(&context).unwrap();
        let fault = if lasting { Fault::FailFromHere(EIO) } else { Fault::Fail(EIO) };
        fault::inject(Some(FaultPlan { at, fault }));
        let result = guard.commit(&context, transaction);
        drop(guard);
        fault::inject(None);
        drop(workspace.store().lock(&context).unwrap());
        let now = read();
        match result {
            Ok(_) => prop_assert_eq!(&now, &new),
            Err(CommitError::Unfinished(_)) => prop_assert!(now == old || now == new),
            Err(_) => prop_assert_eq!(&now, &old),
        }
    }
}
