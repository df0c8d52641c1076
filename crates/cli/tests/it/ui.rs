//! `hewto ui`: a link for a person on a terminal, and for nobody else.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::sandbox::{Sandbox, Terminal, whole};

/// The status of what a dashboard answers.
fn ask(port: u16, method: &str, path: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: hewto.localhost:{port}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The port and the key of a link that a terminal shows.
fn link(shown: &str) -> (u16, String) {
    let link = shown.split("open http://hewto.localhost:").last().unwrap();
    let (port, rest) = link.split_once("/login#").unwrap();
    (port.parse().unwrap(), rest.split_whitespace().next().unwrap().to_owned())
}

fn sign_in(port: u16, key: &str) -> String {
    let origin = format!(
        "Origin: http://hewto.localhost:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    );
    ask(port, "POST", "/login", &origin, &format!("key={key}"))
}

#[test]
fn a_terminal_shows_links_that_work_once_and_another_one_for_enter() {
    let sandbox = Sandbox::workspace();
    let mut terminal = Terminal::run(&sandbox, &["ui", "--no-open", "--port", "0"]);
    let shown = terminal.until("press Enter for another one");
    let (port, key) = link(&shown);
    let answer = sign_in(port, &key);
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    let board = ask(port, "GET", "/w/default/board", &cookie, "");
    assert!(board.starts_with("HTTP/1.1 200") && board.contains("<title>Board"), "{board}");
    assert!(sign_in(port, &key).starts_with("HTTP/1.1 403"), "a second time");
    terminal.enter("\n");
    let shown = terminal.until("/login#");
    let more = terminal.until("\n");
    let (_, another) = link(&format!("{shown}{more}"));
    assert_ne!(another, key);
    assert!(sign_in(port, &another).starts_with("HTTP/1.1 303"));
}

#[test]
fn no_pipe_and_no_agent_gets_a_link() {
    let sandbox = Sandbox::workspace();
    let piped = sandbox.output(&["ui", "--no-open", "--json"]);
    assert_eq!(piped.status.code(), Some(1), "{}", whole(&piped));
    assert!(whole(&piped).contains("terminal_required"), "{}", whole(&piped));
    assert!(!whole(&piped).contains("/login#"));
    let (shown, code) = Terminal::run_with(&sandbox, &["ui", "--no-open"], &[("CLAUDECODE", "1")]).end();
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("CLAUDECODE") && !shown.contains("/login#"), "{shown}");
}

#[test]
fn it_needs_a_workspace_and_serve_needs_a_port() {
    let sandbox = Sandbox::empty();
    let (shown, code) = Terminal::run(&sandbox, &["ui", "--no-open"]).end();
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("hewto init"), "{shown}");
    assert_eq!(sandbox.output(&["serve", "--ui"]).status.code(), Some(2));
}
