//! Several changes of one file at once, and somebody else's in between: nothing is lost, and a loser hears of it.

#![expect(clippy::format_collect, reason = "short texts of a test")]

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use hewto_core::failure::Key;
use hewto_workstation::files::{self, WantedKind};
use hewto_workstation::{Call, Settings, Workstation};

use crate::yard::{Yard, call, edit_request};

/// Everybody at the same moment.
fn all_at_once(number: usize, work: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(number);
    std::thread::scope(|scope| {
        for at in 0..number {
            let (barrier, work) = (&barrier, &work);
            scope.spawn(move || {
                barrier.wait();
                work(at);
            });
        }
    });
}

fn edit(path: &str, old: &str, new: &str) -> files::EditFile {
    edit_request(path, &[(old, new)])
}

#[test]
fn edits_of_one_file_at_once_are_all_in_it() {
    let yard = Yard::new();
    for number in [2, 4, 16] {
        let lines: String = (0..number).map(|at| format!("line {at:02}\n")).collect();
        yard.put("f.txt", &lines);
        all_at_once(number, |at| {
            let request = edit("f.txt", &format!("line {at:02}\n"), &format!("LINE {at:02}\n"));
            assert!(files::edit(&yard.station, &call(), &request).unwrap().changed);
        });
        assert_eq!(yard.text("f.txt"), lines.replace("line", "LINE"));
    }
}

#[test]
fn an_edit_and_an_appended_line_at_once_are_both_there() {
    let yard = Yard::new();
    for _ in 0..20 {
        yard.put("a.txt", "head\n");
        all_at_once(2, |at| {
            if at == 0 {
                files::edit(&yard.station, &call(), &edit("a.txt", "head", "HEAD")).unwrap();
            } else {
                let request = files::Append { path: "a.txt".to_owned(), content: "tail\n".to_owned() };
                files::append(&yard.station, &call(), &request).unwrap();
            }
        });
        assert_eq!(yard.text("a.txt"), "HEAD\ntail\n");
    }
}

#[test]
fn a_move_and_an_edit_at_once_leave_one_file_with_what_was_done() {
    let yard = Yard::new();
    for _ in 0..20 {
        yard.put("m.txt", "old\n");
        let edited = AtomicUsize::new(0);
        all_at_once(2, |at| {
            if at == 0 {
                let done = files::edit(&yard.station, &call(), &edit("m.txt", "old", "new"));
                match done {
                    Ok(_) => drop(edited.fetch_add(1, Ordering::Relaxed)),
                    Err(error) => assert!([Key::NotFound, Key::Changed].contains(&error.key), "{error:?}"),
                }
            } else {
                let request = files::Move { source: "m.txt".to_owned(), destination: "n.txt".to_owned() };
                files::relocate(&yard.station, &call(), &request).unwrap();
            }
        });
        assert!(!yard.root().join("m.txt").exists(), "an edit must not bring the file back");
        let expected = if edited.load(Ordering::Relaxed) == 1 { "new\n" } else { "old\n" };
        assert_eq!(yard.text("n.txt"), expected);
        fs_err::remove_file(yard.root().join("n.txt")).unwrap();
    }
}

#[test]
fn somebody_elses_change_between_reading_and_replacing_is_not_undone() {
    let yard = Yard::new();
    yard.put("f.txt", "one\ntwo\n");
    let theirs = || yard.put("f.txt", "ONE\ntwo\n");
    // The last look of the call is just before the file is compared and replaced.
    let looks = AtomicUsize::new(0);
    let commit = || {
        if looks.fetch_add(1, Ordering::Relaxed) == 0 {
            theirs();
        }
        Ok(())
    };
    let call = Call::unbounded().with_commit_point(&commit);
    let error = files::edit(&yard.station, &call, &edit("f.txt", "two", "2")).unwrap_err();
    assert_eq!(error.key, Key::Changed);
    assert_eq!(yard.text("f.txt"), "ONE\ntwo\n");
    files::edit(&yard.station, &call, &edit("f.txt", "two", "2")).unwrap();
    assert_eq!(yard.text("f.txt"), "ONE\n2\n");
    // A file that came meanwhile is not replaced by one that was to be new.
    let commit = || {
        yard.put("new.txt", "theirs");
        Ok(())
    };
    let call = Call::unbounded().with_commit_point(&commit);
    let request = files::Write { path: "new.txt".to_owned(), content: "ours".to_owned() };
    assert_eq!(files::write(&yard.station, &call, &request).unwrap_err().key, Key::Changed);
    assert_eq!(yard.text("new.txt"), "theirs");
}

#[test]
fn another_server_on_the_same_folder_waits_its_turn() {
    let yard = Yard::new();
    let other = Workstation::new(yard.roots(), Settings::default());
    let (edits, stations) = (8, [&yard.station, &other]);
    let lines: String = (0..edits).map(|at| format!("line {at:02}\n")).collect();
    for _ in 0..5 {
        yard.put("f.txt", &lines);
        all_at_once(edits, |at| {
            let request = edit("f.txt", &format!("line {at:02}\n"), &format!("LINE {at:02}\n"));
            files::edit(stations[at % 2], &call(), &request).unwrap();
        });
        assert_eq!(yard.text("f.txt"), lines.replace("line", "LINE"));
    }
}

#[test]
fn what_can_be_made_can_be_deleted_and_no_deeper() {
    let yard = Yard::new();
    let path = |depth: usize| format!("{}f.txt", "d/".repeat(depth));
    let write =
        |path: String| files::write(&yard.station, &call(), &files::Write { path, content: "x".to_owned() });
    let delete = || {
        let request = files::Delete { path: "d".to_owned(), recursive: true, kind: WantedKind::Any };
        files::delete(&yard.station, &call(), &request)
    };
    write(path(199)).unwrap();
    assert_eq!(delete().unwrap().deleted, 200);
    for depth in [200, 3_000] {
        assert_eq!(write(path(depth)).unwrap_err().key, Key::TooDeep, "{depth}");
        assert!(!yard.root().join("d").exists(), "nothing is left of a path that was refused");
    }
    // Nor can it be put together by moving.
    write(path(150)).unwrap();
    let deep = format!("{}e", "e/".repeat(100));
    let request = files::Move { source: "d".to_owned(), destination: deep };
    assert_eq!(files::relocate(&yard.station, &call(), &request).unwrap_err().key, Key::TooDeep);
    delete().unwrap();
}
