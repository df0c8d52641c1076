use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;
use crate::fault;

/// The line before is another process's: cutting off half of a line must not take any of it.
#[test]
fn a_line_that_could_not_be_written_whole_is_taken_back_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
    let log = RelPath::known("logs/operations.jsonl");
    let rotation = Rotation { max_bytes: u64::MAX, max_records: u64::MAX };
    let add =
        |line: &str| append(&root, &log, line.as_bytes(), Growth::Rotating(&rotation, Timestamp::UNIX_EPOCH));
    add("{\"theirs\":1}\n").unwrap();
    fault::inject(None);
    add("{\"theirs\":2}\n").unwrap();
    for at in 0..fault::trace().len() {
        for fault in [fault::Fault::Fail(28), fault::Fault::Short] {
            fault::inject(Some(fault::FaultPlan { at, fault }));
            let added = add("{\"mine\":1}\n");
            fault::inject(None);
            let text = fs_err::read_to_string(dir.path().join(log.as_str())).unwrap();
            assert!(text.starts_with("{\"theirs\":1}\n{\"theirs\":2}\n") && text.ends_with("}\n"), "{text}");
            assert!(added.is_err() || text.ends_with("{\"mine\":1}\n"), "at {at}, {fault:?}: {text}");
            let whole = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
            assert!(text.lines().all(whole), "at {at}, {fault:?}: {text}");
        }
    }
}

/// A write of several pages stops between two of them when its process is killed.
#[test]
fn half_a_line_of_a_process_that_died_is_gone_with_the_next_line_in_any_log_of_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
    let rotation = Rotation { max_bytes: u64::MAX, max_records: u64::MAX };
    let add = |log: &RelPath, lines: &str| {
        append(&root, log, lines.as_bytes(), Growth::BySize(&rotation, Timestamp::UNIX_EPOCH)).unwrap();
    };
    let (theirs, other) = (RelPath::known("logs/session-a.jsonl"), RelPath::known("logs/session-b.jsonl"));
    let text = || fs_err::read_to_string(dir.path().join(theirs.as_str())).unwrap();
    add(&theirs, "{\"n\":1}\n");
    let dies = |rest: &str| {
        let from = text().len() as u64;
        fs_err::write(dir.path().join(theirs.as_str()), text() + rest).unwrap();
        let lock = fs_err::OpenOptions::new().write(true).open(dir.path().join("logs/.lock")).unwrap();
        let writing = Some(Writing { log: theirs.file_name().to_owned(), from });
        Note { tally: Tally::default(), writing }.write(lock.file()).unwrap();
    };
    for (rest, stays) in [("{\"n\":2}\n{\"n", "{\"n\":1}\n{\"n\":2}\n"), ("{\"n", "{\"n\":1}\n{\"n\":2}\n")] {
        dies(rest);
        add(&other, "{\"n\":9}\n");
        assert_eq!(text(), stays);
    }
    dies("{\"n\":3}\n");
    add(&theirs, "{\"n\":4}\n");
    assert_eq!(text(), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n");
}

#[test]
fn a_lock_that_somebody_planted_cuts_no_file_but_a_log_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
    let log = RelPath::known("logs/session-a.jsonl");
    fs_err::create_dir(dir.path().join("logs")).unwrap();
    for (name, path) in [("../notes.jsonl", "notes.jsonl"), ("notes.md", "logs/notes.md")] {
        fs_err::write(dir.path().join(path), "half").unwrap();
        let note = serde_json::json!({ "bytes": 0, "records": 0, "writing": { "log": name, "from": 0 } });
        fs_err::write(dir.path().join("logs/.lock"), note.to_string()).unwrap();
        let rotation = Rotation::STANDARD;
        let growth = Growth::BySize(&rotation, Timestamp::UNIX_EPOCH);
        append(&root, &log, b"{}\n", growth).unwrap();
        assert_eq!(fs_err::read_to_string(dir.path().join(path)).unwrap(), "half");
    }
}

/// A repository brings whatever it likes, and a sparse file costs it nothing.
#[test]
fn logs_that_somebody_planted_are_put_aside_unread_whatever_their_size_and_count() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
    let log = RelPath::known("logs/operations.jsonl");
    fs_err::create_dir(dir.path().join("logs")).unwrap();
    let planted = |name: &str| {
        let file = fs_err::File::create(dir.path().join("logs").join(name)).unwrap();
        file.set_len(1 << 33).unwrap();
    };
    let rotation = Rotation::STANDARD;
    let add = || append(&root, &log, b"{}\n", Growth::Rotating(&rotation, Timestamp::UNIX_EPOCH));
    planted("operations.jsonl");
    planted("operations.jsonl.manifest.json");
    planted("operations.jsonl.20200101T000000Z");
    assert_eq!(add().unwrap(), Appended::WithNewFile);
    assert!(!dir.path().join(log.as_str()).exists(), "it was full");
    add().unwrap();
    assert_eq!(fs_err::read_to_string(dir.path().join(log.as_str())).unwrap(), "{}\n");
    let count = format!("{{\"bytes\":3,\"records\":{}}}", u64::MAX);
    fs_err::write(dir.path().join("logs/.lock"), count).unwrap();
    assert_eq!(add().unwrap(), Appended::WithNewFile, "as many as can be are enough");
}

#[test]
fn nobody_rotates_a_log_while_a_line_is_being_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = fs_err::canonicalize(dir.path()).unwrap();
    let log = RelPath::known("logs/operations.jsonl");
    let append_one = {
        let (path, log) = (path.clone(), log.clone());
        move |line: &str| {
            let rotation = Rotation { max_bytes: u64::MAX, max_records: 2 };
            let growth = Growth::Rotating(&rotation, Timestamp::UNIX_EPOCH);
            append(&Root::open(&path).unwrap(), &log, line.as_bytes(), growth).unwrap();
        }
    };
    append_one("{\"n\":1}\n");
    fault::inject(None);
    append_one("{\"n\":2}\n");
    let write = fault::trace().iter().position(|call| call == "write operations.jsonl").unwrap();
    append_one("{\"n\":3}\n");
    let (done, wait) = channel();
    let other = append_one.clone();
    fault::meanwhile(write, move || {
        let (other_done, other_wait) = channel();
        let thread = std::thread::spawn(move || {
            other("{\"n\":4}\n");
            let _ = other_done.send(());
        });
        // Without the lock the other one is through long before this ends.
        let _ = other_wait.recv_timeout(Duration::from_millis(50));
        done.send(thread).unwrap();
    });
    append_one("{\"n\":5}\n");
    wait.recv().unwrap().join().unwrap();
    let logs = path.join("logs");
    let manifest = fs_err::read_to_string(logs.join("operations.jsonl.manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let mut lines = fs_err::read_to_string(logs.join("operations.jsonl")).unwrap().lines().count() as u64;
    for file in manifest["files"].as_array().unwrap() {
        let text = fs_err::read_to_string(logs.join(file["file"].as_str().unwrap())).unwrap();
        assert_eq!(text.lines().count() as u64, file["records"].as_u64().unwrap(), "{manifest}");
        lines += file["records"].as_u64().unwrap();
    }
    assert_eq!(lines, 5);
}

#[test]
fn logs_of_a_folder_share_a_lock_and_stay_whole_when_their_writer_dies_between_two_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
    let [a, b, c] =
        ["a", "b", "c"].map(|name| RelPath::parse(&format!("logs/session-{name}.jsonl")).unwrap());
    let rotation = Rotation::STANDARD;
    let growth = Growth::BySize(&rotation, Timestamp::UNIX_EPOCH);
    fault::inject(None);
    let mut logs = LockedLogs::open(&root, Some(&RelPath::known("logs"))).unwrap();
    for log in [&a, &b] {
        assert_eq!(logs.append(log, b"{\"n\":1}\n", growth).unwrap(), Appended::WithNewFile);
    }
    assert_eq!(fault::trace().iter().filter(|call| *call == "open-lock .lock").count(), 1);
    let lock = fs_err::OpenOptions::new().read(true).open(dir.path().join("logs/.lock")).unwrap();
    assert!(lock.file().try_lock().is_err(), "somebody else has to wait");
    // It dies: the lock goes, and its note stays.
    drop(logs);
    assert_eq!(Note::read(lock.file()).unwrap().writing.unwrap().log, "session-b.jsonl");
    append(&root, &c, b"{\"n\":1}\n", growth).unwrap();
    assert_eq!(Note::read(lock.file()).unwrap().writing, None);
    for log in [&a, &b, &c] {
        assert_eq!(fs_err::read_to_string(dir.path().join(log.as_str())).unwrap(), "{\"n\":1}\n");
    }
}

/// Logs are not synced. Whatever of them a loss of power takes, what is left is whole, in order, and nothing stands there twice;
/// and the next line is written.
#[test]
fn what_a_loss_of_power_leaves_of_logs_is_whole_and_the_next_line_is_written() {
    let rotation = Rotation { max_bytes: u64::MAX, max_records: 3 };
    let log = RelPath::known("logs/operations.jsonl");
    let numbers = |folder: &std::path::Path| -> Vec<u64> {
        let mut names: Vec<String> = fs_err::read_dir(folder.join("logs"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| {
                let rest = name.strip_prefix("operations.jsonl");
                // The manifest, and what is left of one, are none.
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(".1970"))
            })
            .collect();
        // The one that is written to is the last.
        names.sort_by_key(|name| (name == "operations.jsonl", name.clone()));
        let texts = names.iter().map(|name| fs_err::read_to_string(folder.join("logs").join(name)).unwrap());
        let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        let number =
            |line: String| serde_json::from_str::<serde_json::Value>(&line).expect(&line)["n"].as_u64();
        lines.map(|line| number(line).unwrap()).collect()
    };
    let mut at = 0;
    loop {
        let mut is_over = false;
        for (everything, rest) in
            [(true, ""), (false, ""), (false, "{\"n\":"), (false, "\0\0\0"), (false, "{\"n\":99}")]
        {
            let dir = tempfile::tempdir().unwrap();
            let path = fs_err::canonicalize(dir.path()).unwrap();
            let add = |n: u64, second: i64| {
                let growth = Growth::Rotating(&rotation, Timestamp::from_second(second).unwrap());
                append(&Root::open(&path).unwrap(), &log, format!("{{\"n\":{n}}}\n").as_bytes(), growth)
            };
            fs_err::create_dir(path.join("logs")).unwrap();
            fault::inject_and_remember(Some(fault::FaultPlan { at, fault: fault::Fault::FailFromHere(5) }));
            let told = (1..9).take_while(|n| add(*n, i64::try_from(*n).unwrap()).is_ok()).count();
            is_over = told == 8;
            fault::inject(None);
            fault::lose_power(everything);
            // A write that had reached the disk in part, while its note had not.
            if !rest.is_empty() && path.join(log.as_str()).exists() {
                let _ = fs_err::remove_file(path.join("logs/.lock"));
                let text = fs_err::read_to_string(path.join(log.as_str())).unwrap();
                fs_err::write(path.join(log.as_str()), text + rest).unwrap();
            }
            add(100, 100).unwrap();
            let left = numbers(&path);
            assert_eq!(left.last(), Some(&100), "at {at}: {left:?}");
            assert!(left.is_sorted_by(|a, b| a < b), "at {at}, {everything}, {rest:?}: {left:?}");
        }
        if is_over {
            break;
        }
        at += 1;
    }
}
