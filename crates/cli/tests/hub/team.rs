//! A hub, and machines around it.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use hewto_net::{HubClient, HubReply};
use hewto_testkit::Cluster;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Long, because test machines are busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// The hub's database and what speaks to it.
pub(crate) struct Team {
    pub(crate) database: String,
}

/// One replica.
pub(crate) struct Replica {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    stderr: BufReader<std::process::ChildStderr>,
    /// Its index is there, which a replica that is killed leaves behind.
    pub(crate) temporary: TempDir,
}

/// What a page answered.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Team {
    /// A new database on the shared cluster; `None` where there is none.
    pub(crate) fn new() -> Option<Self> {
        Some(Self { database: Cluster::shared()?.database() })
    }

    pub(crate) fn on(cluster: &Cluster) -> Self {
        Self { database: cluster.database() }
    }

    pub(crate) fn sql(&self, statement: &str) -> String {
        Cluster::shared().unwrap().sql(&self.database, statement)
    }

    /// `hewto hub …` with this database.
    pub(crate) fn hub(&self, args: &[&str]) -> Output {
        hewto(Path::new("/"), &[&["hub"], args].concat())
            .env("HEWTO_HUB_DATABASE", &self.database)
            .output()
            .unwrap()
    }

    pub(crate) fn token(&self, name: &str, role: &str, repos: &[&str]) -> String {
        let mut args = vec!["token", "create", name, "--role", role, "--json"];
        for repo in repos {
            args.extend(["--repo", repo]);
        }
        if repos.is_empty() {
            args.push("--all-repos");
        }
        let output = self.hub(&args);
        assert!(output.status.success(), "{}", shown(&output));
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        made["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn replica(&self) -> Replica {
        self.replica_with(&["--words-only"])
    }

    pub(crate) fn replica_with(&self, flags: &[&str]) -> Replica {
        let args = [&["hub", "serve", "--listen", "127.0.0.1:0"], flags].concat();
        let temporary = tempfile::tempdir().unwrap();
        let mut child = hewto(Path::new("/"), &args)
            .env("HEWTO_HUB_DATABASE", &self.database)
            .env("TMPDIR", temporary.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the hub ended: {said}");
            if let Some((_, rest)) = line.split_once("serving http://") {
                break rest.trim().parse().unwrap();
            }
            said += &line;
        };
        Replica { child, address, stderr, temporary }
    }
}

impl Replica {
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn client(&self, token: &str) -> HubClient {
        HubClient::new(&self.url(), token, None, PATIENCE).unwrap()
    }

    /// Sends bytes as they are, and reads to the end.
    pub(crate) fn raw(&self, request: &str) -> Page {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Page { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn get(&self, path: &str, headers: &str) -> Page {
        let host = self.address;
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"))
    }

    pub(crate) fn post_form(&self, path: &str, headers: &str, form: &str) -> Page {
        let (host, length) = (self.address, form.len());
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n{headers}\r\n{form}"
        ))
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, and what it said in the end.
    pub(crate) fn end(mut self) -> (std::process::ExitStatus, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        let _ = self.stderr.read_to_string(&mut said);
        (status, said)
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A machine of somebody, with a checkout.
pub(crate) struct Laptop {
    folder: TempDir,
    pub(crate) project: PathBuf,
}

impl Laptop {
    /// With a workspace of this name, that speaks to this hub.
    pub(crate) fn new(repo: &str, replica: &Replica, token: &str) -> Self {
        let laptop = Self::bare(repo);
        laptop.speaks_to(&replica.url(), token);
        laptop.ok(&["init", "--yes", "--name", repo, "--description", "For tests", "--agents", "none"]);
        laptop
    }

    pub(crate) fn bare(repo: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().canonicalize().unwrap().join(repo);
        fs_err::create_dir_all(&project).unwrap();
        fs_err::create_dir_all(folder.path().join("home/.config/hewto")).unwrap();
        Self { folder, project }
    }

    /// Another checkout of the same repository, on another machine.
    pub(crate) fn cloned(&self, replica: &Replica, token: &str) -> Self {
        let other = Self::bare(self.project.file_name().unwrap().to_str().unwrap());
        fs_err::remove_dir(&other.project).unwrap();
        let (from, to) = (self.project.to_str().unwrap(), other.project.to_str().unwrap());
        self.git(&["clone", "-q", from, to]);
        other.speaks_to(&replica.url(), token);
        other
    }

    pub(crate) fn speaks_to(&self, url: &str, token: &str) {
        let config = self.home().join(".config/hewto");
        fs_err::write(
            config.join("config.toml"),
            format!("[hub]\nurl = \"{url}\"\ntoken_file = \"hub-token\"\n"),
        )
        .unwrap();
        fs_err::write(config.join("hub-token"), format!("{token}\n")).unwrap();
        fs_err::set_permissions(config.join("hub-token"), std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = hewto(&self.project, args);
        command.env("HOME", self.home()).env("USER", "ann").env("TMPDIR", self.folder.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}\n{}", shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[args, &["--json"]].concat())).unwrap()
    }

    /// The error object of a run that has to fail.
    pub(crate) fn fails(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        assert!(!output.status.success(), "{args:?}\n{}", shown(&output));
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let start = text.find('{').unwrap_or_else(|| panic!("{text}"));
        serde_json::from_str(text[start..].trim()).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=ann",
                "-c",
                "user.email=ann@example.com",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(args)
            .current_dir(if self.project.is_dir() { &self.project } else { self.folder.path() })
            .env("HOME", self.home())
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A repository with everything committed on `main`.
    pub(crate) fn git_init(&self) {
        self.git(&["init", "-q", "-b", "main"]);
        self.commit("first");
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// A change that says something about a requirement of `accounts`.
    pub(crate) fn change(&self, id: &str, requirement: &str, says: &str) {
        self.write(
            &format!("changes/{id}/proposal.md"),
            &format!("# {id}\n\n## Why\nSomebody asked for it, and it is cheap.\n\n## What Changes\n- {requirement}\n"),
        );
        self.write(&format!("changes/{id}/tasks.md"), "## 1. Work\n- [ ] 1.1 Do it\n");
        self.write(
            &format!("changes/{id}/specs/accounts/spec.md"),
            &format!("## ADDED Requirements\n\n### Requirement: {requirement}\nThe system SHALL {says}.\n\n#### Scenario: It happens\n- **WHEN** somebody tries\n- **THEN** it works\n"),
        );
    }
}

#[expect(clippy::disallowed_methods, reason = "a test stands in for the shell")]
fn hewto(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hewto"));
    command
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn shown(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The status and the name of the error, or nothing for success.
pub(crate) fn reason(reply: &HubReply) -> (u16, String) {
    let value: Value = serde_json::from_str(&reply.body).unwrap_or(Value::Null);
    (reply.status, value["error"]["data"]["error"].as_str().unwrap_or_default().to_owned())
}

pub(crate) fn body(reply: HubReply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.body);
    serde_json::from_str(&reply.body).unwrap()
}

pub(crate) fn hash(text: &str) -> String {
    hewto_core::review::Digest::of(text.as_bytes()).to_string()
}

/// A push of one delta of a work tree, as a program would send it.
pub(crate) fn small_push(repo: &str, view: &str, base: u64, change: &str, text: &str) -> Value {
    let hash = hash(text);
    json!({
        "protocol": 1, "repo": repo, "view": { "kind": "worktree", "name": view }, "base": base,
        "key": format!("{change}-{base}-{}", &hash[..20]), "whole": base == 0,
        "set": { format!("changes/{change}/specs/accounts/spec.md"): {
            "sha256": hash, "kind": "delta", "item": format!("change:{change}"), "capability": "accounts" } },
        "blobs": { hash.clone(): text },
    })
}

pub(crate) fn delta(requirement: &str, says: &str) -> String {
    format!(
        "## MODIFIED Requirements\n\n### Requirement: {requirement}\nThe system SHALL {says}.\n\n#### Scenario: It happens\n- **WHEN** somebody tries\n- **THEN** it works\n"
    )
}

pub(crate) fn post(client: &HubClient, path: &str, body: &Value) -> HubReply {
    client.post(path, body.to_string().as_bytes()).unwrap()
}

/// Waits until it is so, for as long as anybody would.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "still not: {what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}
