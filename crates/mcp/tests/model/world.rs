//! A folder with a workspace, a repository beside it and something outside of both; what is done to it, and what has to hold.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::dice::{Dice, spoil};
use crate::server::{Answer, Server};
use crate::state::{Model, Requirement};
use crate::table::{Row, rows};
use crate::tree::{belongs, difference, tree, tree_of};
use crate::{changes, decisions, graph, people, work_read};

/// One call: which tool, what its arguments come from, and what is wrong with them.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    pub(crate) tool: usize,
    pub(crate) dice: Vec<u16>,
    pub(crate) spoilt: Option<u16>,
}

/// How many calls of each tool were made, and how many of them were not refused.
static CALLS: Mutex<BTreeMap<&str, (usize, usize)>> = Mutex::new(BTreeMap::new());

pub(crate) fn calls() -> String {
    let calls = CALLS.lock().unwrap();
    let (made, done) = calls.values().fold((0, 0), |sum, (made, done)| (sum.0 + made, sum.1 + done));
    let never: Vec<&&str> = calls.iter().filter(|(_, (_, done))| *done == 0).map(|(tool, _)| tool).collect();
    format!("{made} calls, {done} of them done and the others refused; always refused: {never:?}")
}

/// A server at work, beside what should be.
pub(crate) struct World {
    // Ends before its folder goes.
    server: Server,
    pub(crate) model: Model,
    rows: Vec<Row>,
    /// What was asked and answered, to show when something does not hold.
    log: Vec<String>,
    folder: TempDir,
}

const FIXTURE: &[(&str, &str)] = &[
    (
        "ws/.hewto/config.toml",
        "[project]\nname = \"sample\"\n\n[workstation.commands]\ngit = [[\"--version\"]]\n\n[workstation.rate]\nread = 0\nwrite = 0\nrun = 0\n",
    ),
    (
        "ws/.hewto/.gitignore",
        "/logs/\n/cache/\n/lock\n/journal/\n/clarify/\n/claims.json\n/claims.lock\n/claims.high\n/proof/runs/\n/proof/locks/\n/live/\n",
    ),
    (
        "ws/.hewto/proof.toml",
        "policy = \"warn\"\n\n[check.unit]\nrun = [\"cat\", \"made/report.tap\"]\nformat = \"tap\"\n",
    ),
    (
        "ws/specs/cap/spec.md",
        "# cap Specification\n\n## Purpose\n\nWhat everybody relies on, day and night.\n\n## Requirements\n\n### Requirement: R0\n\nThe system SHALL show first.\n\n#### Scenario: S0\n\n- **WHEN** asked\n- **THEN** done\n\n### Requirement: R1\n\nThe system SHALL show second.\n\n#### Scenario: S0\n\n- **WHEN** asked\n- **THEN** done\n",
    ),
    ("ws/changes/.keep", ""),
    ("ws/made/Makefile", "build:\n\t@echo built\ntest:\n\t@echo tested\n"),
    ("ws/made/report.tap", "1..1\nok 1 - shows first\n"),
    ("ws/made/test.py", "# @spec cap#r0/s0\ndef test_shows_first():\n    pass\n"),
    ("ws/yard/0.txt", "one\ntwo\nthree\n"),
    ("ws/yard/folder/deep.txt", "deep\n"),
    ("ws/yard/template.md", "# {{output_name}}\n\n{{title}}\n"),
    ("repo/0.txt", "one\ntwo\n"),
    ("repo/folder/1.txt", "one\n"),
    ("outside.txt", "nobody's\n"),
    ("home/.keep", ""),
    ("state/.keep", ""),
];

/// The folder that all others are copies of.
fn template() -> &'static Path {
    static TEMPLATE: OnceLock<TempDir> = OnceLock::new();
    let folder = TEMPLATE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in FIXTURE {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        for repository in ["ws", "repo"] {
            let git = |words: &[&str]| {
                let mut git = Command::new("git");
                git.current_dir(folder.path().join(repository)).args(words);
                git.env("HOME", folder.path().join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
                assert!(git.output().unwrap().status.success(), "git {words:?}");
            };
            git(&["init", "-q", "-b", "main", "--template="]);
            git(&["config", "user.name", "Ann"]);
            git(&["config", "user.email", "ann@example.org"]);
            git(&["add", "-A"]);
            git(&["commit", "-q", "-m", "first"]);
            if repository == "repo" {
                // So that there is something to commit.
                fs_err::write(folder.path().join("repo/staged.txt"), "staged\n").unwrap();
                git(&["add", "staged.txt"]);
            }
        }
        fs_err::create_dir(folder.path().join("ws/.git/hewto")).unwrap();
        folder
    });
    folder.path()
}

fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs_err::copy(entry.path(), to).unwrap();
        }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("hewto-model-").tempdir().unwrap();
        copy(template(), folder.path());
        symlink("../../outside.txt", folder.path().join("ws/yard/out")).unwrap();
        let base = fs_err::canonicalize(folder.path()).unwrap();
        let first = |word: &str| Requirement {
            text: format!("The system SHALL show {word}."),
            scenarios: vec!["S0".to_owned()],
        };
        let requirements =
            BTreeMap::from([("R0".to_owned(), first("first")), ("R1".to_owned(), first("second"))]);
        let model = Model {
            base: base.to_str().unwrap().to_owned(),
            living: BTreeMap::from([("cap".to_owned(), requirements)]),
            files: Model::files_below(&base),
            branches: vec!["main".to_owned()],
            ..Model::default()
        };
        Self { server: Server::start(&base), model, rows: rows(), log: Vec::new(), folder }
    }

    /// The same with a plan, a change, a decision and a comment.
    pub(crate) fn furnished() -> Self {
        let mut world = Self::new();
        let steps =
            json!([{ "title": "Step 0", "description": "One" }, { "title": "Step 1", "description": "Two" }]);
        let scenario = json!({ "name": "S0", "when": "asked", "then": ["done"] });
        let added = json!({ "name": "R2", "text": "The system SHALL show word.", "scenarios": [scenario] });
        let change = json!({
            "change_id": "c0", "why": "Because people ask for it.", "what_changes": "- it", "tasks": ["Task 0"],
            "deltas": { "cap": { "added": [added] } },
        });
        world.must("spec_create", &json!({ "title": "Work 0", "description": "Because it is needed" }));
        let id = world.model.work.keys().next().cloned().unwrap();
        world.must("plan_create", &json!({ "spec_id": id, "approach": "In steps", "steps": steps }));
        world.must("change_create", &change);
        let fields = json!({ "Strategy": "Sessions" });
        world.must(
            "decision_create",
            &json!({ "category": "Backend", "fields": fields, "context": "Asked for" }),
        );
        world.must("review_comment", &json!({ "spec_id": id, "text": "Why?" }));
        world
    }

    /// Makes a call that has to succeed.
    #[track_caller]
    pub(crate) fn must(&mut self, tool: &str, arguments: &Value) {
        assert!(self.ask(tool, arguments), "{:?}", self.log.last());
    }

    fn base(&self) -> PathBuf {
        PathBuf::from(&self.model.base)
    }

    /// Makes a call of the dice.
    pub(crate) fn act(&mut self, act: &Act) {
        let row = self.rows[act.tool % self.rows.len()];
        let mut arguments = (row.arguments)(&self.model, &mut Dice::new(&act.dice));
        if let Some(number) = act.spoilt {
            spoil(&mut arguments, number);
        }
        self.call(row, &arguments, act.spoilt.is_none());
    }

    /// Makes a call by name; whether it was done.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Value) -> bool {
        let row = *self.rows.iter().find(|row| row.tool == tool).expect("a tool of the table");
        self.call(row, arguments, true)
    }

    fn call(&mut self, row: Row, arguments: &Value, well_formed: bool) -> bool {
        let must = if well_formed { (row.must)(&self.model, arguments) } else { None };
        let before = tree(&self.base());
        self.log.push(format!("{} {arguments}", row.tool));
        let answer = self.server.call(row.tool, arguments);
        let changed = difference(&before, &tree(&self.base()));
        self.log.push(format!("    {answer}"));
        {
            let mut calls = CALLS.lock().unwrap();
            let (made, done) = calls.entry(row.tool).or_default();
            *made += 1;
            *done += usize::from(matches!(answer, Answer::Done(_)));
        }
        let reads = Server::tools()[row.tool].read_only;
        let said = match &answer {
            Answer::Refused(error) => {
                assert!(changed.is_empty(), "refused, and changed {changed:?}: {error}");
                assert_ne!(must, Some(true), "refused: {error}");
                return false;
            }
            Answer::Done(said) => said.clone(),
        };
        assert_ne!(must, Some(false), "not refused");
        // What is null might as well have been left out.
        let mut asked = arguments.clone();
        asked.as_object_mut().expect("arguments are an object").retain(|_, value| !value.is_null());
        let touched = (row.then)(&mut self.model, &asked, &said);
        if reads {
            assert!(changed.is_empty(), "a tool that reads changed {changed:?}");
            return true;
        }
        let strangers: Vec<&String> = changed.iter().filter(|path| !belongs(path, &touched)).collect();
        assert!(strangers.is_empty(), "changed {strangers:?} beside {touched:?}");
        self.model.made += 1;
        self.compare(&changed);
        true
    }

    /// What the readers say of what has changed is what the model says.
    fn compare(&mut self, changed: &[String]) {
        let base = self.base();
        let within = |place: &str| changed.iter().any(|path| path.starts_with(place));
        if within("ws/specs/") || within("ws/changes/") {
            work_read::compare(&self.model, &mut self.server, &base);
            changes::compare(&self.model, &mut self.server);
            people::compare(&self.model, &mut self.server);
        }
        if within("ws/specs/") || within("ws/impl/") || within("ws/.hewto/") {
            graph::compare(&self.model, &mut self.server);
        }
        if within("ws/docs/") {
            decisions::compare(&self.model, &mut self.server);
        }
        assert_eq!(Model::files_below(&base), self.model.files, "plain files");
    }

    /// Everything holds at the end, and somebody who starts now sees the same.
    pub(crate) fn end(&mut self) {
        let everything = ["ws/specs/", "ws/docs/", "ws/.hewto/"].map(str::to_owned);
        self.compare(&everything);
        let mut fresh = Server::start(&self.base());
        for (tool, arguments) in self.readings() {
            let (old, new) = (self.server.read(tool, &arguments), fresh.read(tool, &arguments));
            assert_eq!(old, new, "`{tool}` {arguments} says another thing to a server that has just started");
        }
        // `last` is the number of the last record.
        let mut left = tree_of(&self.base(), "ws/.hewto/journal");
        left.remove("ws/.hewto/journal/last");
        assert!(left.is_empty(), "left in the journal: {:?}", left.keys());
    }

    fn readings(&self) -> Vec<(&'static str, Value)> {
        let mut readings = vec![
            ("spec_list", json!({ "include_archived": true, "limit": 1000 })),
            ("list_specs", json!({ "limit": 1000 })),
            ("list_changes", json!({ "include_archived": true, "limit": 1000 })),
            ("specman_workspace_list_artifacts", json!({ "limit": 1000 })),
            ("workspace_status", json!({})),
            ("change_overlaps", json!({})),
            ("read_architecture", json!({})),
            ("validate_spec", json!({})),
            ("validate_change", json!({})),
            ("search_specs", json!({ "query": "system shows", "mode": "lexical" })),
            ("proof_links", json!({})),
        ];
        let changes = self.model.changes.keys();
        readings.extend(changes.map(|id| ("get_change", json!({ "change_id": id }))));
        readings.extend(self.model.work.keys().map(|id| ("spec_status", json!({ "spec_id": id }))));
        readings
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let folder = self.folder.path().display();
            println!("in {folder}:\n{}", self.log.join("\n"));
        }
    }
}
