//! A hub that means no good, or is broken: what a laptop believes of it, and how much it takes. Needs no PostgreSQL.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::team::Laptop;

/// What a push asks for besides records, answered as a hub does.
fn usual(path: &str) -> Value {
    match path.split(['?', '/']).next().unwrap_or_default() {
        "access" => json!({ "role": "agent" }),
        "view" => json!({ "version": 0 }),
        "push" => json!({ "repo": "shop", "view": "w", "version": 1, "documents": 1 }),
        _ => json!({ "records": [], "mark": "x" }),
    }
}

struct Impostor {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Impostor {
    /// Answers every call by its path behind `/api/v1/` for as long as the test lasts.
    fn start(answer: impl Fn(&str) -> Value + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let calls = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut first, mut length) = (String::new(), 0);
                reader.read_line(&mut first).unwrap();
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if line.trim().is_empty() {
                        break;
                    }
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                }
                std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).unwrap();
                let path = first.split(' ').nth(1).unwrap().trim_start_matches("/api/v1/").to_owned();
                let body = answer(&path).to_string();
                calls.lock().unwrap().push(path);
                let length = body.len();
                // A laptop that has gone needs no answer.
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
            }
        });
        Self { url, asked }
    }

    fn laptop(&self) -> Laptop {
        let laptop = Laptop::bare("shop");
        laptop.ok(&["init", "--yes", "--name", "shop", "--description", "For tests", "--agents", "none"]);
        laptop.change("c1", "Sign in", "let in");
        laptop.speaks_to(&self.url, "hewto_0123456789abcdef");
        laptop
    }

    /// The calls for records since the last time.
    fn pulls(&self) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap();
        asked.drain(..).filter(|path| path.starts_with("outbox")).collect()
    }
}

/// The number behind `after=R`.
fn after(path: &str) -> usize {
    path.split_once("after=R").map_or(0, |(_, number)| number.parse().unwrap())
}

fn page(from: usize, count: usize, has_more: bool) -> Value {
    let uid = |n: usize| format!("R{n:09}");
    let records: Vec<Value> =
        (from + 1..=from + count).map(|n| json!({ "uid": uid(n), "item": "x", "text": "x" })).collect();
    json!({ "records": records, "next": has_more.then(|| uid(from + count)), "mark": "m" })
}

#[test]
fn a_hub_that_leads_in_a_circle_is_left_at_once() {
    for (case, answer) in [
        ("the same again", json!({ "records": [], "next": "same", "mark": "x" })),
        (
            "no order",
            json!({ "records": [
            { "uid": "R2", "item": "x", "text": "x" }, { "uid": "R1", "item": "x", "text": "x" }], "mark": "x" }),
        ),
        ("a page that is not behind the last", page(0, 500, true)),
        (
            "more behind something else",
            json!({ "records": [{ "uid": "R1", "item": "x", "text": "x" }], "next": "R9" }),
        ),
    ] {
        let calls = Mutex::new(0);
        let hub = Impostor::start(move |path| {
            let mut calls = calls.lock().unwrap();
            *calls += 1;
            // It ends some time, for a laptop that would go on.
            if path.starts_with("outbox") && *calls < 100 { answer.clone() } else { usual(path) }
        });
        let error = hub.laptop().fails(&["hub", "push"]);
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("the hub does not answer as a hub does: "), "{case}: {error}");
        assert!(hub.pulls().len() <= 2, "{case}");
    }
}

#[test]
fn a_hub_without_an_end_is_fetched_from_in_parts_and_the_next_push_goes_on() {
    const END: usize = 12_000;
    let hub = Impostor::start(|path| {
        if !path.starts_with("outbox") {
            return usual(path);
        }
        let from = after(path);
        page(from, 500.min(END - from), from + 500 < END)
    });
    let laptop = hub.laptop();
    assert_eq!(laptop.json(&["hub", "push"])["more"], true);
    let pulls = hub.pulls();
    assert_eq!((pulls.len(), pulls[0].as_str(), after(&pulls[19])), (20, "outbox?repo=shop", 9_500));
    let second = laptop.json(&["hub", "push"]);
    assert_eq!(second.get("more"), None);
    let pulls = hub.pulls();
    assert_eq!((after(&pulls[0]), pulls.len()), (10_000, 4), "{pulls:?}");
    laptop.ok(&["hub", "push"]);
    assert_eq!(hub.pulls()[0], "outbox?repo=shop", "from the beginning again, once it was at the end");
}

#[test]
fn one_page_of_a_flood_is_cut_and_what_is_behind_the_cut_comes_next() {
    let hub = Impostor::start(|path| {
        if path.starts_with("outbox") { page(after(path), 15_000, true) } else { usual(path) }
    });
    let laptop = hub.laptop();
    for start in [0, 10_000, 20_000] {
        let shown = laptop.ok(&["hub", "push"]);
        assert!(shown.contains("there is more, push again"), "{shown}");
        let pulls = hub.pulls();
        assert_eq!((pulls.len(), after(&pulls[0])), (1, start));
    }
}

#[test]
fn a_claim_that_nobody_asked_for_is_refused_and_nothing_of_it_is_kept() {
    let lease = json!({
        "repo": "shop", "item": "change:c1", "fence": 7, "principal": "ann", "session": "s", "worktree": "w", "left_ms": 1_000,
    });
    let with = |name: &str, value: Value| {
        let mut lease = lease.clone();
        lease[name] = value;
        lease
    };
    for (answer, says) in [
        (with("item", json!("../../evil\u{1b}[31m")), "which nobody asked for"),
        (with("item", json!("change:c2")), "which nobody asked for"),
        (with("fence", json!(u64::MAX)), "the number 18446744073709551615"),
        (with("fence", json!(0)), "the number 0"),
        (with("left_ms", json!(u64::MAX)), "none is longer than 3600 seconds"),
        (with("repo", json!("other")), "`other`"),
    ] {
        let hub = Impostor::start(move |_| answer.clone());
        let laptop = hub.laptop();
        for args in [&["claim"][..], &["claim", "c1"]] {
            let error = laptop.fails(args);
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("does not answer as a hub does") && message.contains(says), "{error}");
        }
        assert_eq!(laptop.json(&["who"])["claims"], json!([]), "{says}");
    }
    let other = with("item", json!("change:c2"));
    let hub = Impostor::start(move |_| lease.clone());
    let laptop = hub.laptop();
    assert_eq!(laptop.json(&["claim", "c1"])["claim"], 7);
    assert_eq!(laptop.json(&["who"])["claims"][0]["spec_id"], "change:c1");
    // The same number for other work.
    laptop.change("c2", "Sign out", "let out");
    let twice = Impostor::start(move |_| other.clone());
    laptop.speaks_to(&twice.url, "hewto_0123456789abcdef");
    let error = laptop.fails(&["claim", "c2"]);
    assert!(error["message"].as_str().unwrap().contains("of other work here"), "{error}");
}

#[test]
fn a_record_of_days_to_come_is_not_written_down() {
    let text = "---\nitem: change:c1\ncomment: true\nby: mallory\nchannel: hub\nat: 2026-01-18T13:11:40Z\ncontent: 0000000000000000000000000000000000000000000000000000000000000000\nversion: 1\nform: 2\n---\n\nlast\n";
    let record = |uid: &str| json!({ "uid": uid, "item": "change:c1", "text": text });
    let records = json!([record("20260118T131140.350Z-0001"), record("99991231T235959.999Z-FFFF")]);
    let hub = Impostor::start(move |path| {
        if path.starts_with("outbox") { json!({ "records": records, "mark": "x" }) } else { usual(path) }
    });
    let laptop = hub.laptop();
    let brought = laptop.json(&["hub", "push"])["brought"].clone();
    assert_eq!(brought, json!(["changes/c1/review/20260118T131140.350Z-0001.md"]));
}
