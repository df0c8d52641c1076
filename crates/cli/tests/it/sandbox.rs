//! A hermetic folder: its own home, its own temporary folder, nothing inherited from whoever runs the tests.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder to run `hewto` in. While it lives, snapshots show its path, ids and times in a stable form.
pub(crate) struct Sandbox {
    root: PathBuf,
    _folder: TempDir,
    _filters: insta::internals::SettingsBindDropGuard,
}

impl Sandbox {
    /// A folder that is in no workspace.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "tmp", "project"] {
            fs_err::create_dir(root.join(name)).unwrap();
        }
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(&regex_of(&root), "[DIR]");
        settings.add_filter(&regex_of(Path::new(env!("CARGO_BIN_EXE_hewto"))), "[HEWTO]");
        settings.add_filter(r"\b\d{10}-", "1700000000-");
        settings.add_filter(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]");
        settings.add_filter(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[UUID]");
        settings.add_filter(r"\b\d+ ms\b", "[MS]");
        settings.add_filter(r#""duration_ms": \d+"#, r#""duration_ms": [MS]"#);
        settings.add_filter(r"hewto-demo-\w{6}", "hewto-demo-[RANDOM]");
        settings.add_filter(r"hewto \d+\.\d+\.\d+", "hewto [VERSION]");
        let filters = settings.bind_to_scope();
        Self { root, _folder: folder, _filters: filters }
    }

    /// A native workspace called `sample`.
    pub(crate) fn workspace() -> Self {
        let sandbox = Self::empty();
        sandbox.ok(&["init", "--yes", "--name", "sample", "--description", "For tests"]);
        sandbox
    }

    /// Where commands run.
    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The folder around the project.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs_err::read_to_string(self.project().join(path)).unwrap()
    }

    /// `hewto` in the project, with nothing on its input.
    pub(crate) fn hewto(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hewto"));
        command
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("tmp"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn output(&self, args: &[&str]) -> Output {
        self.hewto(args).output().unwrap()
    }

    /// Everything a run shows: standard output, standard error, exit code.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        whole(&self.output(args))
    }

    /// The same with something on its input.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> String {
        let path = self.root.join("input");
        fs_err::write(&path, input).unwrap();
        let file = fs_err::File::open(path).unwrap();
        whole(&self.hewto(args).stdin(file.into_parts().0).output().unwrap())
    }

    /// Standard output of a run that has to succeed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.output(args);
        assert!(output.status.success(), "{args:?}\n{}", whole(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The JSON answer of a run that has to succeed.
    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.ok(&[args, &["--json"]].concat())).unwrap()
    }

    /// A new spec with this title; its id.
    pub(crate) fn spec(&self, title: &str, more: &[&str]) -> String {
        let args = [&["spec", "new", title, "--description", "What it is about"], more].concat();
        self.json(&args)["spec_id"].as_str().unwrap().to_owned()
    }

    /// A new spec with a plan of two steps; its id.
    pub(crate) fn planned_spec(&self, title: &str, more: &[&str]) -> String {
        let id = self.spec(title, more);
        let steps = ["--step", "First: do this", "--step", "Second: do that"];
        self.ok(&[&["plan", "new", &id, "--approach", "Straight on"], &steps[..]].concat());
        id
    }

    /// Every file of the project but those of one machine, with its text.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        collect(&self.project(), &self.project(), &mut files);
        files.sort();
        files
    }
}

pub(crate) fn whole(output: &Output) -> String {
    let mut text = String::from_utf8(output.stdout.clone()).unwrap();
    let stderr = std::str::from_utf8(&output.stderr).unwrap();
    if !stderr.is_empty() {
        let _ = write!(text, "[stderr]\n{stderr}");
    }
    let code = output.status.code().expect("the process was not killed");
    let _ = write!(text, "[exit {code}]");
    text
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        match name.as_str() {
            ".hewto/logs" | ".hewto/cache" | ".hewto/lock" | ".hewto/journal" => {}
            _ if path.is_dir() => collect(root, &path, files),
            _ => files.push((name, fs_err::read(&path).unwrap())),
        }
    }
}

fn regex_of(path: &Path) -> String {
    path.to_str().unwrap().replace('.', r"\.")
}
