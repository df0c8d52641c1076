//! The command line and OpenSpec on the same repositories: `hewto validate`, `change validate` and `change archive`
//! against the released npm package.
//!
//! The cases are those of the comparison in `hewto-core`; here they are files in a repository, and hewto is the binary.

#![expect(
    clippy::disallowed_methods,
    reason = "the test builds a workspace and asks whether it runs under CI"
)]
#![expect(clippy::print_stderr, reason = "a skipped comparison says so")]

#[path = "../../../core/tests/openspec/cases.rs"]
mod cases;
#[path = "../../../core/tests/openspec/reference.rs"]
mod reference;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use cases::{Difference, Shows};
use hewto_core::rules::{changes, requirements};
use reference::{Reference, Verdict, Workspace};
use serde_json::Value;

/// Warnings of ours that have no counterpart.
const OURS_ALONE: [&str; 3] = ["change-overlap", "removal-absent", "rename-arrow"];
/// An error of ours that is a remark of OpenSpec's, or is not told at all.
const ONLY_A_REMARK: &str = "archive-refused";
/// Where the two read a file differently, which is told as an issue of its own, their archives need not agree.
const READ_DIFFERENTLY: [&str; 3] = ["openspec-reads-differently", "requirement-heading", "scenario-level"];

#[test]
fn validate_gives_the_verdicts_of_openspec_on_specs() {
    let Some(reference) = Reference::find() else { return };
    let workspace = Workspace::new("cli-specs");
    let cases = cases::specs();
    for case in &cases {
        workspace.write(&format!("openspec/specs/{}/spec.md", case.id), &case.text);
    }
    workspace.folder("openspec/changes");
    let theirs = reference.validate(&workspace).specs;
    let ours = Issues::of(&hewto(&workspace, &["validate"]).1["issues"]);
    let mut wrong = Vec::new();
    for case in &cases {
        let place = format!("openspec/specs/{}/", case.id);
        wrong.extend(ours.compare(&case.id, &place, case.difference, &theirs[&case.id]));
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

#[test]
fn changes_are_judged_and_archived_as_by_openspec() {
    let Some(reference) = Reference::find() else { return };
    let (theirs, ours) = (Workspace::new("cli-theirs"), Workspace::new("cli-ours"));
    let cases = cases::changes();
    for workspace in [&theirs, &ours] {
        workspace.folder("openspec/specs");
        for (path, text) in cases.iter().flat_map(cases::ChangeCase::files) {
            workspace.write(&path, text);
        }
    }
    let verdicts = reference.validate(&theirs).changes;
    let archived = reference.archive(&theirs);
    let before = Issues::of(&hewto(&ours, &["validate"]).1["issues"]);
    let mut wrong = Vec::new();
    for case in &cases {
        let place = format!("openspec/changes/{}/", case.id);
        wrong.extend(before.compare(&case.id, &place, case.difference, &verdicts[&case.id]));
        let (done, answer) = hewto(&ours, &["change", "archive", &case.id, "--yes"]);
        let spec = format!("openspec/specs/{}/spec.md", case.id);
        let is_comparable = ![&spec, &place].iter().any(|place| before.has(place, &READ_DIFFERENTLY));
        if case.difference.is_none() && !is_comparable {
            continue;
        }
        let shown = match (done, archived[&case.id].archived) {
            (true, true) if text(&ours, &spec) == text(&theirs, &spec) => None,
            (true, true) => Some(Shows::Text),
            (false, false) => None,
            _ => Some(Shows::Archive),
        };
        if shown != case.difference.map(Difference::shows_in_archive) {
            wrong.push(format!("{}: {shown:?}\n{answer}\n{:?}", case.id, archived[&case.id]));
        }
        // What is refused writes nothing, what is archived is moved.
        let stays = ours.read(&format!("openspec/changes/{}/specs/{}/spec.md", case.id, case.id)).is_some();
        if case.delta.is_some() && done == stays {
            wrong.push(format!("{}: archived {done}, and the folder stays: {stays}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

/// What a run of hewto answers, and whether with yes.
fn hewto(workspace: &Workspace, args: &[&str]) -> (bool, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hewto"));
    command.args(args).arg("--json").current_dir(workspace.root()).env_clear().stdin(Stdio::null());
    let output = command.output().expect("hewto runs");
    let said = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
    let answer = serde_json::from_slice(said).unwrap_or_else(|error| {
        panic!("{args:?}: {error}\n{}", String::from_utf8_lossy(said));
    });
    (output.status.success(), answer)
}

/// The issues of a whole workspace, by file.
struct Issues {
    by_file: BTreeMap<String, Vec<(String, String)>>,
}

impl Issues {
    fn of(issues: &Value) -> Self {
        let mut by_file: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for issue in issues.as_array().expect("a list of issues") {
            let field = |name: &str| issue[name].as_str().unwrap_or_default().to_owned();
            by_file.entry(field("file")).or_default().push((field("severity"), field("code")));
        }
        Self { by_file }
    }

    fn at(&self, place: &str) -> impl Iterator<Item = &(String, String)> {
        let files = self.by_file.iter().filter(move |(file, _)| file.starts_with(place));
        files.flat_map(|(_, issues)| issues)
    }

    /// How the verdicts on one thing differ though they should not, or agree though they should not.
    fn compare(
        &self,
        id: &str,
        place: &str,
        difference: Option<Difference>,
        theirs: &Verdict,
    ) -> Option<String> {
        let is_error = |issue: &&(String, String)| issue.0 == "error" && issue.1 != ONLY_A_REMARK;
        let counts_when_strict = |issue: &&(String, String)| {
            let judged = requirements::ALL.iter().chain(changes::ALL).any(|rule| rule.code == issue.1);
            issue.0 == "warning" && judged && !OURS_ALONE.contains(&issue.1.as_str())
        };
        let valid = !self.at(place).any(|issue| is_error(&issue));
        let strict = valid && !self.at(place).any(|issue| counts_when_strict(&issue));
        let differs = (valid, strict) != (theirs.valid, theirs.strict);
        let expected = difference.is_some_and(Difference::shows_in_verdict);
        let ours: Vec<_> = self.at(place).collect();
        (differs != expected).then(|| format!("{id}: ours {ours:?}, theirs {}", theirs.issues.join(", ")))
    }

    fn has(&self, place: &str, codes: &[&str]) -> bool {
        self.at(place).any(|(_, code)| codes.contains(&code.as_str()))
    }
}

/// A file with line feeds and without blank lines: OpenSpec sets them as it likes, we leave them.
fn text(workspace: &Workspace, path: &str) -> Option<String> {
    let text = workspace.read(path)?.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    Some(lines.map(without_placeholder).collect::<Vec<_>>().join("\n"))
}

/// OpenSpec gives a new spec a placeholder for its purpose, hewto a sentence: a named difference
/// (docs/compatibility.md).
fn without_placeholder(line: &str) -> &str {
    let is_ours = line.starts_with("What is promised about ");
    let is_theirs = line.starts_with("TBD - created by archiving change ");
    if is_ours || is_theirs { "(purpose)" } else { line }
}
