//! A workspace with some life in it, its dashboard on a port, and somebody who asks for pages.

use std::fmt::Write as _;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hewto_call::{AuditLog, Feed, LogFolders, Pipeline, Pool, TimeLimit};
use hewto_engine::decision::{Climb, Interviewer, RepositoryScope, Where};
use hewto_engine::trust::Trust;
use hewto_engine::{Clock, Context, MachineSecret, Project, ProjectOptions};
use hewto_http::{Authenticator, HttpOptions, HttpServer};
use hewto_testkit::TestWorkspace;
use hewto_web::{SignInLinks, Site, WebOptions, WebRoutes};
use tokio::sync::oneshot;

use crate::wire::{Events, encode, unchunked};

/// A shop that changes how people sign in.
pub(crate) const SHOP: &str = "\
//- .hewto/config.toml
[project]
name = \"shop\"
description = \"A shop\"
//- .hewto/proof.toml
policy = \"off\"
[gates]
plan = \"web\"
//- specs/accounts/spec.md
# Accounts

## Purpose

People have accounts, and come back to them.

## Requirements

### Requirement: Sign in
The system SHALL let a customer in who knows the password.

#### Scenario: Known
- **WHEN** the password is right
- **THEN** the customer is in

#### Scenario: Expired
- **WHEN** the account is expired
- **THEN** the customer is told

### Requirement: Remember me
The system SHALL remember a device for thirty days.

#### Scenario: Same device
- **WHEN** the customer returns within thirty days
- **THEN** no password is asked for
//- changes/sign-in-by-mail/proposal.md
# Change: Sign in by mail

## Why

Passwords are forgotten every week, and people leave because of it.

## What Changes

- a link by mail
//- changes/sign-in-by-mail/tasks.md
Send a link that works once.

## 1. All
- [ ] 1.1 Token
- [ ] 1.2 Mail
//- changes/sign-in-by-mail/specs/accounts/spec.md
## MODIFIED Requirements

### Requirement: Sign in
The system SHALL let a member in who knows the password.

#### Scenario: Known
- **WHEN** the password is right
- **THEN** the member is in

#### Scenario: Expired
- **WHEN** the account is expired
- **THEN** the customer is told

#### Scenario: Fresh link
- **WHEN** a link is asked for
- **THEN** a mail is sent

## REMOVED Requirements

### Requirement: Remember me
**Reason**: a link is quicker
**Migration**: none
//- changes/fast-login/proposal.md
# Change: Fast login

## Why

People wait too long at the door, and some of them leave before they are in.

## What Changes

- a shorter way
//- changes/fast-login/specs/accounts/spec.md
## MODIFIED Requirements

### Requirement: Sign in
The system SHALL let a customer in at once who knows the password.

#### Scenario: Known
- **WHEN** the password is right
- **THEN** the customer is in at once
";

/// A running dashboard.
pub(crate) struct Shop {
    pub(crate) workspace: TestWorkspace,
    pub(crate) address: SocketAddr,
    pub(crate) sign_in_links: SignInLinks,
    /// The clock and the machine that the pages stand on.
    pub(crate) context: Context,
    _machine: tempfile::TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Long, because test machines are busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The content of the page.
    pub(crate) fn main(&self) -> &str {
        let start = self.body.find("<main").expect("a page has a main part");
        let end = self.body.find("</main>").expect("which ends");
        &self.body[start..end]
    }
}

impl Shop {
    /// Where its decisions are.
    pub(crate) fn decisions(&self) -> Where {
        Where {
            named: None,
            start: self.workspace.root().to_owned(),
            climb: Climb::Up,
            reach: RepositoryScope::Anywhere,
            trust: Trust::nothing(),
            search_path: Vec::new(),
        }
    }

    pub(crate) fn open(fixture: &str) -> Self {
        Self::serve(TestWorkspace::from_fixture(fixture), 0, Vec::new())
    }

    /// The same on a port, as a server that was started again.
    pub(crate) fn serve(
        workspace: TestWorkspace,
        port: u16,
        authenticators: Vec<Arc<dyn Authenticator>>,
    ) -> Self {
        if !workspace.exists(".git") {
            let made =
                std::process::Command::new("git").args(["init", "-q"]).current_dir(workspace.root()).status();
            assert!(made.expect("git can be run").success());
        }
        let options = HttpOptions { authenticators: authenticators.clone(), ..HttpOptions::default() };
        let mut server = HttpServer::bind(&format!("127.0.0.1:{port}"), options).expect("a port is free");
        let address = server.address();
        let machine = tempfile::tempdir().expect("a folder");
        let context = Context::background()
            .with_clock(Clock::system())
            .with_secret(MachineSecret::keeping_in([machine.path().join("hewto")]));
        let mut routes = WebRoutes::new(WebOptions {
            owner: "ana".to_owned(),
            scheme: "http",
            is_local: true,
            port: address.port(),
            authenticators,
            find_interviewer: Arc::new(|_| Interviewer::default()),
            context: context.clone(),
        });
        let project = Arc::new(Project::new(ProjectOptions {
            start: workspace.root().to_owned(),
            ..ProjectOptions::default()
        }));
        let feed = Arc::new(Feed::new(Arc::clone(&project), context.clone()));
        let audit = AuditLog::new(context.uuid().to_string());
        let pool = Pool::new(TimeLimit::new(None));
        let pipeline = Arc::new(Pipeline::new(project, LogFolders::default(), pool, audit));
        pipeline.open_logs(&context);
        routes.add(Site::new("shop", pipeline, feed, context.clone()));
        let sign_in_links = routes.sign_in_links();
        server.mount(routes);
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let stop = async { drop(stopped.await) };
                server.run(stop).await.expect("the server runs");
            });
        });
        Self {
            workspace,
            address,
            sign_in_links,
            context,
            _machine: machine,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends");
        }
    }

    pub(crate) fn host(&self) -> String {
        format!("hewto.localhost:{}", self.address.port())
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    /// Sends a request as it is written here; `Host` is the pages' own unless a header names another.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time can be set");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            let _ = write!(head, "Host: {}\r\n", self.host());
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if method == "POST" {
            head += "Content-Type: application/x-www-form-urlencoded\r\n";
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("a request can be sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer comes");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        Answer { status, head: head.to_owned(), body }
    }

    /// Signs in by a link, as a browser does.
    pub(crate) fn sign_in(&self) -> Guest<'_> {
        let link = self.sign_in_links.link();
        let key = link.split_once('#').expect("the key stands in the fragment").1;
        let answer = self.ask("POST", "/login", &[("Origin", &self.origin())], &format!("key={key}"));
        assert_eq!(answer.status, 303, "{}", answer.head);
        let cookie = answer.header("set-cookie").expect("a cookie");
        Guest { shop: self, cookie: cookie.split(';').next().expect("a value").to_owned() }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.end();
    }
}

/// Somebody who is signed in.
pub(crate) struct Guest<'s> {
    pub(crate) shop: &'s Shop,
    pub(crate) cookie: String,
}

impl Guest<'_> {
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.shop.ask("GET", path, &[("Cookie", &self.cookie)], "")
    }

    /// Opens the events of a page, and waits until they are there.
    pub(crate) fn listen(&self, path: &str) -> Events {
        let mut stream = TcpStream::connect(self.shop.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time can be set");
        let host = self.shop.host();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nConnection: close\r\n\r\n",
            self.cookie
        );
        stream.write_all(head.as_bytes()).expect("a request can be sent");
        let mut events = Events(BufReader::new(stream));
        events.wait_for(": hello");
        events
    }

    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        let headers = [("Cookie", self.cookie.as_str()), ("Origin", &self.shop.origin())];
        self.shop.ask("POST", path, &headers, &body.join("&"))
    }
}
