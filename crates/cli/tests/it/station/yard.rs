//! A folder with a root, and something outside of it that must never be seen or touched.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use hewto_engine::trust::{self, Request, Trust};
use hewto_engine::{Context, Start, Workspace};
use hewto_testkit::{Era, McpSession, ToolReply};
use serde_json::{Value, json};

pub(crate) const SECRET: &str = "the secret outside";

pub(crate) struct Yard {
    base: PathBuf,
    /// Whether the owner trusts the root before a server is started.
    trusted: bool,
    _dir: tempfile::TempDir,
}

/// Ends the race also when an assertion fails; the scope would wait for it for ever.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Yard {
    pub(crate) fn new() -> Self {
        Self::made_in(tempfile::tempdir().unwrap())
    }

    /// In memory where the machine offers that, for tests with very many files.
    pub(crate) fn in_memory() -> Self {
        Self::made_in(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn made_in(dir: tempfile::TempDir) -> Self {
        let base = fs_err::canonicalize(dir.path()).unwrap();
        for name in ["root", "outside", "root_evil", "home", "state"] {
            fs_err::create_dir(base.join(name)).unwrap();
        }
        fs_err::write(base.join("outside/secret.txt"), SECRET).unwrap();
        fs_err::write(base.join("root_evil/x"), SECRET).unwrap();
        let identity = "[user]\n\tname = Ann\n\temail = ann@example.org\n";
        fs_err::write(base.join("home/.gitconfig"), identity).unwrap();
        Self { base, trusted: true, _dir: dir }
    }

    /// A repository at the root with one commit.
    pub(crate) fn repository() -> Self {
        let yard = Self::new();
        yard.git(".", &["init", "--quiet", "--initial-branch=main"]);
        yard.put("README.md", "one\ntwo\nthree\n");
        yard.put("src/lib.rs", "fn one() {}\n");
        yard.git(".", &["add", "."]);
        yard.git(".", &["commit", "--quiet", "--message=First"]);
        yard
    }

    /// The same with settings of our own; the root is then a workspace.
    pub(crate) fn configured(self, settings: &str) -> Self {
        self.put(".hewto/config.toml", format!("[project]\nname = \"yard\"\n{settings}"));
        self
    }

    /// Nobody has run `hewto trust` here.
    pub(crate) fn untrusted(mut self) -> Self {
        self.trusted = false;
        self
    }

    /// What `hewto trust` does once the person has agreed.
    pub(crate) fn trust(&self) {
        trust_folder(&self.base.join("state"), &self.root());
    }

    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("root")
    }

    /// Does something while `prize` in the root is now a file, now a link to the secret.
    pub(crate) fn while_swapping(&self, work: impl FnOnce()) {
        self.put("prize", "inside");
        let (swap, prize) = (self.root().join("swap"), self.root().join("prize"));
        let secret = self.base.join("outside/secret.txt");
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    symlink(&secret, &swap).unwrap();
                    fs_err::rename(&swap, &prize).unwrap();
                    fs_err::write(&swap, "inside").unwrap();
                    fs_err::rename(&swap, &prize).unwrap();
                }
            });
            let _stops = StopAtEnd(&stop);
            work();
        });
    }

    /// A server that is allowed the root.
    pub(crate) fn serve(&self) -> McpSession {
        self.serve_with(&["--toolsets", "workstation"])
    }

    pub(crate) fn serve_with(&self, flags: &[&str]) -> McpSession {
        self.serve_in_era(flags, Era::Legacy)
    }

    pub(crate) fn serve_in_era(&self, flags: &[&str], era: Era) -> McpSession {
        let root = self.root();
        let args = [&["serve", "--root", root.to_str().unwrap()], flags].concat();
        self.start(&args, &[], era)
    }

    /// `hewto` with these arguments, outside of the root.
    pub(crate) fn start(&self, args: &[&str], more: &[(&str, &str)], era: Era) -> McpSession {
        if self.trusted {
            self.trust();
        }
        let (home, state) = (self.base.join("home"), self.base.join("state"));
        let mut env = vec![
            ("HOME", home.to_str().unwrap()),
            ("XDG_STATE_HOME", state.to_str().unwrap()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("DATABASE_URL", "postgres://user:hunter2@db/x"),
            ("AUTHORIZATION", "Bearer abc"),
        ];
        env.extend(more);
        McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), args, &self.base, &env, era)
    }

    pub(crate) fn put(&self, path: &str, contents: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, contents).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs_err::read(self.root().join(path)).unwrap()
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) {
        symlink(target, self.root().join(path)).unwrap();
    }

    /// A script in a folder that is on no `PATH`.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.base.join("bin").join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A program that leaves a mark when it is run, and passes on what it reads.
    pub(crate) fn trap(&self, name: &str) -> PathBuf {
        let marks = self.base.join("marks");
        fs_err::create_dir_all(&marks).unwrap();
        let name = name.replace('.', "-");
        self.script(&name, &format!("touch '{}/{name}'; cat", marks.display()))
    }

    /// The traps that were run.
    pub(crate) fn sprung(&self) -> Vec<String> {
        let marks = fs_err::read_dir(self.base.join("marks")).unwrap();
        marks.map(|mark| mark.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Runs git as a user would, to prepare something.
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.root().join(folder))
            .env("HOME", self.base.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {text}{said}");
        text.trim_end().to_owned()
    }

    /// Everything outside is as it was made.
    pub(crate) fn assert_outside_untouched(&self) {
        for (folder, file) in [("outside", "secret.txt"), ("root_evil", "x")] {
            let folder = self.base.join(folder);
            let names: Vec<_> =
                fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, [file]);
            assert_eq!(fs_err::read_to_string(folder.join(file)).unwrap(), SECRET);
        }
    }
}

/// Trusts a folder, with this `XDG_STATE_HOME`.
pub(crate) fn trust_folder(state_home: &Path, root: &Path) {
    let (trust, context) = (Trust::in_state_dir(state_home.join("hewto")), Context::background());
    let request = match Workspace::discover(Start::Here(root)) {
        Ok(workspace) => Request::of(&workspace, &context),
        Err(_) => Ok(Request::of_folder(root)),
    };
    // Settings that cannot be read cannot be trusted either.
    if let Ok(request) = request {
        trust::accept(&trust, &request, &[], &context).unwrap();
    }
}

/// The answer of a call that has to succeed.
#[track_caller]
pub(crate) fn ok(session: &mut McpSession, tool: &str, arguments: Value) -> Value {
    session.call(tool, arguments).ok()
}

/// The key of the error of a call that has to fail.
#[track_caller]
pub(crate) fn refused(session: &mut McpSession, tool: &str, arguments: Value) -> String {
    let error = session.call(tool, arguments).error();
    error["error"].as_str().unwrap().to_owned()
}

/// Calls a tool by a name that need not be listed; its structured content.
#[track_caller]
pub(crate) fn call_as(session: &mut McpSession, name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    let result = session.request("tools/call", params).unwrap();
    assert_ne!(result["isError"], true, "{name}: {result}");
    result["structuredContent"].clone()
}

/// Every tool that takes a path, applied to one.
pub(crate) fn every_file_call(session: &mut McpSession, path: &str) -> Vec<(&'static str, ToolReply)> {
    let edits = json!([{ "old_text": "secret", "new_text": "public" }]);
    [
        ("fs_read", json!({ "path": path })),
        ("fs_list", json!({ "path": path })),
        ("fs_tree", json!({ "path": path })),
        ("fs_find", json!({ "path": path, "pattern": "*" })),
        ("fs_search", json!({ "path": path, "query": "secret" })),
        ("fs_info", json!({ "path": path })),
        ("fs_exists", json!({ "path": path })),
        ("fs_copy", json!({ "source": path, "destination": "copies/copy", "recursive": true })),
        ("fs_edit", json!({ "path": path, "edits": edits })),
        ("fs_append", json!({ "path": path, "content": "appended" })),
        ("fs_write", json!({ "path": path, "content": "written" })),
        ("fs_mkdir", json!({ "path": path })),
        ("fs_move", json!({ "source": path, "destination": "copies/moved" })),
        ("fs_delete", json!({ "path": path, "recursive": true })),
        ("ci_detect", json!({ "path": path })),
        ("git_status", json!({ "repo": path })),
    ]
    .map(|(tool, arguments)| (tool, session.call(tool, arguments)))
    .into()
}
