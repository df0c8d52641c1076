//! Runs of declared checks: what counts as evidence, and what never does.

mod cheats;
mod gates;
mod promises;
mod sharing;
mod ticks;
mod told;

use std::time::Duration;

use hewto_core::proof::settings::digest;
use hewto_engine::proof::run::{self, Reuse, RunRequest};
use hewto_engine::view::{CheckRunView, ProofRunView};
use hewto_engine::{Context, Key, MachineSecret, Result, Start, Workspace};
use hewto_testkit::TestWorkspace;

/// A repository with one check, `unit`: a script of the project that writes TAP to `report.tap`.
pub(crate) struct Yard {
    pub(crate) files: TestWorkspace,
    state: tempfile::TempDir,
}

impl Yard {
    pub(crate) fn new(script: &str) -> Self {
        Self::with("report = \"report.tap\"\nformat = \"tap\"\n", script)
    }

    pub(crate) fn with(check: &str, script: &str) -> Self {
        let files = TestWorkspace::native();
        files.add("//- .git/HEAD\nref: refs/heads/main\n//- .git/objects/\n//- src/lib.txt\none\n");
        files.add(&format!("//- .hewto/proof.toml\npolicy = \"enforce\"\n[check.unit]\nrun = [\"./check.sh\"]\ntimeout_s = 20\n{check}"));
        let yard = Self { files, state: tempfile::tempdir().unwrap() };
        yard.script(script);
        yard
    }

    pub(crate) fn script(&self, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.files.path("check.sh");
        fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn context(&self) -> Context {
        Context::background().with_secret(MachineSecret::keeping_in([self.state.path().join("hewto")]))
    }

    /// The workspace as its owner opens it: what it declares now is trusted.
    pub(crate) fn workspace(&self) -> Workspace {
        let trusted = digest(self.files.read(".hewto/proof.toml").as_bytes()).parse().ok();
        self.untrusted().with_children(search_path(), vec![], trusted)
    }

    pub(crate) fn untrusted(&self) -> Workspace {
        Workspace::discover(Start::Here(self.files.root())).unwrap().with_children(
            search_path(),
            vec![],
            None,
        )
    }

    pub(crate) fn run(&self) -> Result<ProofRunView> {
        self.run_as(Reuse::Passed)
    }

    pub(crate) fn run_as(&self, reuse: Reuse) -> Result<ProofRunView> {
        let request = RunRequest { reuse, ..RunRequest::default() };
        run::run(&self.workspace(), &self.context(), &request)
    }

    /// The one check of a run that could be made.
    pub(crate) fn check(&self) -> CheckRunView {
        self.run().unwrap().checks.remove(0)
    }
}

fn search_path() -> Vec<std::path::PathBuf> {
    vec!["/usr/bin".into(), "/bin".into()]
}

#[test]
fn a_run_is_recorded_and_answers_again_without_being_run() {
    let yard =
        Yard::new("echo x >> ../ran-$(basename $PWD); printf 'ok 1 - a\\nok 2 - b # SKIP\\n' > report.tap");
    let first = yard.run().unwrap();
    assert_eq!(first.status.as_str(), "passed", "{first:#?}");
    let check = &first.checks[0];
    assert_eq!((check.passed, check.failed, check.skipped, check.counts), (1, 0, 1, true));
    assert!(!check.cached && !check.shared);
    let second = yard.check();
    assert!(second.cached);
    assert_eq!(second.run, check.run);
    let again = yard.run_as(Reuse::Never).unwrap();
    assert!(!again.checks[0].cached);
    assert_ne!(again.checks[0].run, check.run);
    let shown = run::show(&yard.workspace(), &yard.context(), check.run.as_deref().unwrap()).unwrap();
    assert_eq!(shown.record.argv, ["./check.sh"]);
    assert!(yard.files.exists(".git/hewto/proof/runs/head.json"));
}

#[test]
fn an_edit_makes_another_tree_and_a_failure_is_tried_again() {
    let yard = Yard::new(
        "grep -q one src/lib.txt && echo 'ok 1 - a' > report.tap || { printf 'not ok 1 - a\\n  ---\\n  message: no one\\n  ...\\n' > report.tap; exit 1; }",
    );
    assert_eq!(yard.check().status.as_str(), "passed");
    yard.files.add("//- src/lib.txt\ntwo\n");
    let failed = yard.check();
    assert_eq!((failed.status.as_str(), failed.failed, failed.exit), ("failed", 1, Some(1)));
    assert_eq!(
        (failed.failing[0].test.as_str(), failed.failing[0].message.as_deref()),
        ("a", Some("no one"))
    );
    assert!(!yard.check().cached, "what failed is tried again");
    yard.files.add("//- src/lib.txt\none\n");
    assert!(yard.check().cached, "the first tree is there again");
}

#[test]
fn ticks_and_states_are_no_part_of_the_tree() {
    let yard = Yard::new("echo 'ok 1 - a' > report.tap");
    yard.files.add("//- specs/a/spec.md\n# A\n");
    assert_eq!(yard.check().status.as_str(), "passed");
    yard.files.add("//- specs/a/plan.md\n# Plan\n//- specs/a/state.toon\nx: 1\n//- changes/c/tasks.md\n- [x] 1.1 done\n//- specs/a/review/1.md\nyes\n");
    assert!(yard.check().cached);
    yard.files.add("//- specs/a/spec.md\n# B\n");
    assert!(!yard.check().cached, "what is promised is part of it");
}

#[test]
fn a_printed_report_several_files_and_an_exit_code_are_read() {
    let printed = Yard::with("format = \"libtest\"\n", "echo 'running 1 test'; echo 'test m::a ... ok'");
    assert_eq!((printed.check().passed, printed.check().cached), (1, true));
    let many = Yard::with(
        "report = \"**/out/TEST-*.xml\"\nformat = \"junit\"\n",
        "for n in a b; do mkdir -p $n/out; echo \"<testsuite><testcase name='$n'/></testsuite>\" > $n/out/TEST-$n.xml; done",
    );
    assert_eq!(many.check().passed, 2);
    let exit = Yard::with("format = \"exit\"\n", "exit 0");
    let check = exit.check();
    assert_eq!((check.status.as_str(), check.passed), ("passed", 0));
}

#[test]
fn an_isolated_run_sees_the_edits_and_leaves_nothing() {
    let yard = Yard::with(
        "report = \"report.tap\"\nformat = \"tap\"\nisolate = true\n",
        "test -e ignored.txt && exit 3; grep -q two src/lib.txt || exit 4; echo scribble > src/new.txt; echo 'ok 1 - a' > report.tap",
    );
    yard.files.add("//- .gitignore\nignored.txt\n//- ignored.txt\nx\n//- src/lib.txt\ntwo\n");
    let check = yard.check();
    assert_eq!(check.status.as_str(), "passed", "{check:#?}");
    assert!(!yard.files.exists("src/new.txt") && !yard.files.exists("report.tap"));
    assert!(yard.files.names_in(".git/hewto/proof/trees").is_empty());
}

#[test]
fn a_changed_harness_is_told() {
    let yard = Yard::with(
        "report = \"report.tap\"\nformat = \"tap\"\nharness = [\"conftest.txt\"]\n",
        "echo 'ok 1 - a' > report.tap",
    );
    yard.files.add("//- conftest.txt\n1\n");
    assert!(yard.check().harness_changed.is_empty());
    yard.files.add("//- conftest.txt\n2\n");
    assert_eq!(yard.check().harness_changed, ["conftest.txt"]);
}

#[test]
fn executed_lines_are_kept_and_a_broken_report_on_them_breaks_nothing() {
    let check = "report = \"report.tap\"\nformat = \"tap\"\ncoverage = \"lcov.info\"\n";
    let yard = Yard::with(
        check,
        "echo 'ok 1 - a' > report.tap; printf 'SF:src/a.rs\\nDA:1,1\\nend_of_record\\n' > lcov.info",
    );
    let run = yard.check().run.unwrap();
    let shown = run::show(&yard.workspace(), &yard.context(), &run).unwrap();
    assert_eq!(shown.record.coverage.unwrap()["src/a.rs"], [(1, 1)]);
    yard.script("echo 'ok 1 - a' > report.tap; echo nonsense > lcov.info");
    let check = yard.check();
    assert_eq!(check.status.as_str(), "passed");
    assert!(check.coverage_problem.is_some());
}

#[test]
fn a_waiting_call_may_leave_and_come_back() {
    let yard = Yard::new(
        "while ! test -e ../go-$(basename $PWD); do sleep 0.05; done; rm ../go-$(basename $PWD); echo 'ok 1 - a' > report.tap",
    );
    let (workspace, context) = (yard.workspace(), yard.context());
    let request = RunRequest { wait: Some(Duration::from_millis(100)), ..RunRequest::default() };
    let running = run::run(&workspace, &context, &request).unwrap();
    assert_eq!(running.status.as_str(), "running");
    let name = yard.files.root().file_name().unwrap().to_string_lossy().into_owned();
    fs_err::write(yard.files.root().parent().unwrap().join(format!("go-{name}")), "").unwrap();
    let ended = run::resume(&workspace, &context, &running.run, None).unwrap();
    assert_eq!(ended.status.as_str(), "passed", "{ended:#?}");
    assert_eq!(run::resume(&workspace, &context, "01KNOBODY", None).unwrap_err().key, Key::RunUnknown);
}

#[test]
fn cancelling_kills_leaves_nothing_and_is_for_who_started_it() {
    let yard = Yard::new("echo 'ok 1 - a' > report.tap; sleep 600");
    let (workspace, context) = (yard.workspace(), yard.context());
    let request = RunRequest { wait: Some(Duration::from_millis(10)), ..RunRequest::default() };
    let running = run::run(&workspace, &context, &request).unwrap();
    assert_eq!(run::cancel(&workspace, &yard.context(), &running.run).unwrap_err().key, Key::RunNotYours);
    let cancelled = run::cancel(&workspace, &context, &running.run).unwrap();
    assert_eq!(cancelled.status.as_str(), "cancelled");
    assert!(!yard.files.exists("report.tap"));
    assert!(yard.files.names_in(".git/hewto/proof/runs").is_empty());
}
