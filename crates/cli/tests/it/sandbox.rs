//! A hermetic folder: its own home, its own temporary folder, nothing inherited from whoever runs the tests.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
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
        settings.add_filter(r"answers with \d+ tools", "answers with [N] tools");
        settings.add_filter(r"sess-[0-9a-f]{32}", "sess-[RANDOM]");
        settings.add_filter(r"\b\d{8}T\d{6}\.\d{3}Z-[0-9A-F]{4}", "[UID]");
        settings.add_filter(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b", "[RUN]");
        settings.add_filter(r"\b\d{4}-\d\d-\d\d-", "[DATE]-");
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
            .env("USER", "ann")
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

    /// Runs a command on a pseudo terminal without colours and types the input; what the terminal showed.
    pub(crate) fn on_a_terminal(&self, args: &[&str], input: &str) -> String {
        let mut terminal = Terminal::run(self, args);
        terminal.enter(input);
        let (shown, code) = terminal.end();
        assert_eq!(code, Some(0), "{shown}");
        shown
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

/// A command on a pseudo terminal.
pub(crate) struct Terminal {
    master: std::fs::File,
    child: Child,
    shown: Vec<u8>,
}

impl Terminal {
    pub(crate) fn run(sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::run_with(sandbox, args, &[])
    }

    /// The same with further variables.
    pub(crate) fn run_with(sandbox: &Sandbox, args: &[&str], more: &[(&str, &str)]) -> Self {
        Self::start(sandbox, args, more, None)
    }

    /// The same with so many columns.
    pub(crate) fn of_width(columns: u16, sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::start(sandbox, args, &[], Some(columns))
    }

    /// Makes the terminal wider or narrower.
    pub(crate) fn resize(&self, columns: u16) {
        tcsetwinsize(&self.master, size(columns)).unwrap();
    }

    fn start(sandbox: &Sandbox, args: &[&str], more: &[(&str, &str)], columns: Option<u16>) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        if let Some(columns) = columns {
            tcsetwinsize(&master, size(columns)).unwrap();
        }
        let name = ptsname(&master, Vec::new()).unwrap();
        let terminal =
            fs_err::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let terminal = terminal.into_parts().0;
        let mut command = sandbox.hewto(args);
        command
            .env("NO_COLOR", "1")
            .envs(more.iter().copied())
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap())
            .stderr(Stdio::from(terminal));
        // The child has to hold the only open ends of the terminal, or reading would never end.
        let child = command.spawn().unwrap();
        Self { master: master.into(), child, shown: Vec::new() }
    }

    pub(crate) fn enter(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).unwrap();
    }

    /// Reads until the terminal shows this; everything that was shown since the last time.
    pub(crate) fn until(&mut self, expected: &str) -> String {
        loop {
            let text = String::from_utf8_lossy(&self.shown).into_owned();
            if let Some(at) = text.find(expected) {
                return String::from_utf8(self.shown.drain(..at + expected.len()).collect()).unwrap();
            }
            assert!(self.read_more(), "the command ended without `{expected}`: {text}");
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end; what was shown since the last time, and the exit code.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        while self.read_more() {}
        let code = self.child.wait().unwrap().code();
        (String::from_utf8(std::mem::take(&mut self.shown)).unwrap(), code)
    }

    /// Reads what the terminal shows next; false when its other end was closed.
    fn read_more(&mut self) -> bool {
        let mut waiting = [PollFd::new(&self.master, PollFlags::IN)];
        let patience = Timespec { tv_sec: 60, tv_nsec: 0 };
        let ready = poll(&mut waiting, Some(&patience)).unwrap();
        assert!(ready > 0, "nothing more comes: {}", String::from_utf8_lossy(&self.shown));
        let mut buffer = [0; 4096];
        // Reading a terminal whose other end was closed is an error.
        let read = self.master.read(&mut buffer).unwrap_or(0);
        self.shown.extend_from_slice(&buffer[..read]);
        read > 0
    }
}

impl Drop for Terminal {
    /// A test that failed leaves nobody waiting at a prompt.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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

/// A terminal of so many columns, and of more lines than a test shows.
fn size(columns: u16) -> Winsize {
    Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
