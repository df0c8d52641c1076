//! What files can do, and what they keep.

mod moves;

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use hewto_workstation::PageRequest;
use hewto_workstation::files::{self, Encoding, Form, LineEnds, Lines, ListOrder, WantedKind};

use crate::yard::{Yard, call, edit_request, read_request};

fn content(yard: &Yard, request: &files::Read) -> String {
    files::read(&yard.station, &call(), request).unwrap().view.content.unwrap()
}

fn write(yard: &Yard, path: &str, content: &str) -> files::WriteView {
    let request = files::Write { path: path.to_owned(), content: content.to_owned() };
    files::write(&yard.station, &call(), &request).unwrap()
}

#[test]
fn a_file_is_read_whole_or_in_part() {
    let yard = Yard::new();
    yard.put("f.txt", "l1\nl2\nl3\n");
    let part = |lines| content(&yard, &files::Read { lines, ..read_request("f.txt") });
    assert_eq!(part(Lines::All), "l1\nl2\nl3\n");
    assert_eq!(part(Lines::Head(2)), "l1\nl2\n");
    assert_eq!(part(Lines::Tail(2)), "l2\nl3\n");
    assert_eq!(part(Lines::Range { start: 2, end: Some(2) }), "l2\n");
    assert_eq!(part(Lines::Range { start: 3, end: None }), "l3\n");
    let numbered = files::Read { lines: Lines::Tail(1), line_numbers: true, ..read_request("f.txt") };
    assert_eq!(content(&yard, &numbered), "     3\tl3\n");
    let view = files::read(&yard.station, &call(), &read_request("f.txt")).unwrap().view;
    assert_eq!((view.start_line, view.end_line, view.total_lines), (Some(1), Some(3), Some(3)));
    assert_eq!((view.size, view.truncated, view.line_ends), (9, false, Some(LineEnds::Lf)));
}

#[test]
fn the_same_file_has_an_absolute_and_a_relative_name() {
    let yard = Yard::new();
    yard.put("a/f.txt", "hello");
    let absolute = yard.root().join("a/./f.txt");
    for path in ["a/f.txt", "./a/f.txt", "a/../a/f.txt", absolute.to_str().unwrap()] {
        assert_eq!(content(&yard, &read_request(path)), "hello", "{path}");
    }
}

#[test]
fn line_numbers_out_of_range_are_refused_with_the_number_of_lines() {
    let yard = Yard::new();
    yard.put("f.txt", "one\ntwo\n");
    let refused = |lines| {
        files::read(&yard.station, &call(), &files::Read { lines, ..read_request("f.txt") }).unwrap_err()
    };
    let beyond = refused(Lines::Range { start: 9, end: None });
    assert_eq!((beyond.key.as_str(), &beyond.details["total_lines"]), ("invalid_params", &2.into()));
    assert_eq!(refused(Lines::Range { start: 3, end: Some(2) }).key.as_str(), "invalid_params");
    assert_eq!(refused(Lines::Head(0)).key.as_str(), "invalid_params");
}

#[test]
fn a_long_file_is_cut_at_a_line_and_says_how_to_go_on() {
    let yard = Yard::new();
    let text = (1..=5_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    yard.put("long.txt", &text);
    let mut seen = String::new();
    let mut start = 1;
    loop {
        let lines = Lines::Range { start, end: None };
        let view = files::read(&yard.station, &call(), &files::Read { lines, ..read_request("long.txt") });
        let view = view.unwrap().view;
        assert!(serde_json::to_string(&view).unwrap().chars().count() <= 25_000);
        seen.push_str(view.content.as_deref().unwrap());
        assert_eq!(view.total_lines, Some(5_000));
        if !view.truncated {
            break;
        }
        start = view.end_line.unwrap() + 1;
        assert!(view.note.unwrap().contains(&format!("`start_line`: {start}")));
    }
    assert_eq!(seen, text);
    let tail = files::Read { lines: Lines::Tail(5_000), ..read_request("long.txt") };
    let view = files::read(&yard.station, &call(), &tail).unwrap().view;
    assert!(view.truncated && view.content.unwrap().ends_with("line 5000\n"));
    assert_eq!(view.end_line, Some(5_000));
}

#[test]
fn a_line_longer_than_the_answer_is_cut() {
    let yard = Yard::new();
    yard.put("one-line.txt", "é".repeat(100_000));
    let view = files::read(&yard.station, &call(), &read_request("one-line.txt")).unwrap().view;
    assert!(view.truncated && view.content.as_ref().unwrap().chars().all(|c| c == 'é'));
    let more = files::Read { max_chars: Some(200_000), ..read_request("one-line.txt") };
    assert_eq!(content(&yard, &more).chars().count(), 100_000);
}

#[test]
fn text_that_is_no_utf_8_is_shown_as_such() {
    let yard = Yard::new();
    yard.put("latin1.txt", b"caf\xe9\n");
    let view = files::read(&yard.station, &call(), &read_request("latin1.txt")).unwrap().view;
    assert_eq!(view.content.as_deref(), Some("caf\\xE9\n"));
    assert_eq!(view.encoding, Some(Encoding::Bytes));
}

#[test]
fn images_and_sounds_are_handed_out_as_such_and_other_binaries_are_refused() {
    let yard = Yard::new();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    yard.put("dot.png", png);
    let outcome = files::read(&yard.station, &call(), &read_request("dot.png")).unwrap();
    let media = outcome.view.media.unwrap();
    assert_eq!((media.kind, media.mime_type.as_str()), (files::MediaKind::Image, "image/png"));
    assert_eq!(outcome.data.unwrap(), "iVBORw0KGgoAAAANSUhEUg==");
    yard.put("blob.bin", b"\x01\0\x02");
    let error = files::read(&yard.station, &call(), &read_request("blob.bin")).unwrap_err();
    assert_eq!((error.key.as_str(), &error.details["size"]), ("binary_file", &3.into()));
    let blob = files::Read { form: Form::Media, ..read_request("blob.bin") };
    assert_eq!(files::read(&yard.station, &call(), &blob).unwrap().data.unwrap(), "AQAC");
}

#[test]
fn several_files_are_read_and_a_bad_one_does_not_spoil_the_others() {
    let yard = Yard::new();
    yard.put("a.txt", "A");
    yard.put("b.txt", "B");
    let paths = ["a.txt", "nope.txt", "../outside/secret.txt", "b.txt"].map(str::to_owned).to_vec();
    let request = files::ReadMany { paths, line_numbers: false, max_chars: None };
    let view = files::read_many(&yard.station, &call(), &request).unwrap().view;
    let json = serde_json::to_value(&view).unwrap();
    assert_eq!(json["failed"], 2);
    assert_eq!(json["files"][0]["content"], "A");
    assert_eq!(json["files"][1]["error"], "not_found");
    assert_eq!(json["files"][2]["error"], "path_outside_roots");
    assert_eq!(json["files"][3]["content"], "B");
}

#[test]
fn a_name_nearly_right_is_suggested() {
    let yard = Yard::new();
    yard.put("src/Main.rs", "");
    let error = files::read(&yard.station, &call(), &read_request("src/main.rs")).unwrap_err();
    assert_eq!(error.hint.unwrap().to_string(), "did you mean `src/Main.rs`?");
}

#[test]
fn writing_makes_folders_and_keeps_mode_byte_order_mark_and_line_ends() {
    let yard = Yard::new();
    let view = write(&yard, "new/deep/f.txt", "one\n");
    assert_eq!((view.created, view.size), (true, 4));
    yard.put("run.sh", b"\xef\xbb\xbfa\r\nb\r\n");
    let path = yard.root().join("run.sh");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    let view = write(&yard, "run.sh", "x\ny\n");
    assert_eq!((view.created, view.bom, view.line_ends), (false, true, LineEnds::Crlf));
    assert_eq!(yard.bytes("run.sh"), b"\xef\xbb\xbfx\r\ny\r\n");
    assert_eq!(fs_err::metadata(&path).unwrap().mode() & 0o7777, 0o750);
    assert_eq!(fs_err::read_dir(yard.root()).unwrap().count(), 2, "no temporary file stays");
}

#[test]
fn appending_adds_at_the_end_or_makes_the_file() {
    let yard = Yard::new();
    let append = |path: &str, content: &str| {
        let request = files::Append { path: path.to_owned(), content: content.to_owned() };
        files::append(&yard.station, &call(), &request).unwrap()
    };
    assert!(append("log.txt", "one\n").created);
    let view = append("log.txt", "two\n");
    assert_eq!((view.created, view.size, view.added), (false, 8, 4));
    assert_eq!(yard.bytes("log.txt"), b"one\ntwo\n");
    yard.put("dos.txt", "a\r\n");
    append("dos.txt", "b\n");
    assert_eq!(yard.bytes("dos.txt"), b"a\r\nb\r\n");
}

#[test]
fn edits_are_all_made_or_none_and_shown_as_a_diff() {
    let yard = Yard::new();
    yard.put("f.txt", "one\ntwo\nthree\n");
    let dry = files::EditFile { dry_run: true, ..edit_request("f.txt", &[("two", "TWO")]) };
    let view = files::edit(&yard.station, &call(), &dry).unwrap();
    assert_eq!(view.diff, "--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
    assert_eq!(yard.bytes("f.txt"), b"one\ntwo\nthree\n");
    let half = edit_request("f.txt", &[("one", "ONE"), ("four", "FOUR")]);
    assert_eq!(files::edit(&yard.station, &call(), &half).unwrap_err().key.as_str(), "no_match");
    assert_eq!(yard.bytes("f.txt"), b"one\ntwo\nthree\n");
    let both = edit_request("f.txt", &[("one", "ONE"), ("three\n", "THREE\n")]);
    assert!(files::edit(&yard.station, &call(), &both).unwrap().changed);
    assert_eq!(yard.bytes("f.txt"), b"ONE\ntwo\nTHREE\n");
}

#[test]
fn an_edit_that_cannot_be_made_says_why() {
    let yard = Yard::new();
    yard.put("f.rs", "fn main() {\n\tprintln!();\n}\nfn other() {\n\tprintln!();\n}\n");
    let refused = |edits: &[(&str, &str)]| {
        files::edit(&yard.station, &call(), &edit_request("f.rs", edits)).unwrap_err()
    };
    let several = refused(&[("println!();", "x")]);
    assert_eq!(
        (several.key.as_str(), &several.details["lines"]),
        ("several_matches", &serde_json::json!([2, 5]))
    );
    let none = refused(&[("fn main() {\n    println!();\n}", "x")]);
    assert_eq!(none.key.as_str(), "no_match");
    assert_eq!(none.hint.unwrap().to_string(), "line 2 is indented by 1 tab, `old_text` by 4 spaces");
    assert_eq!(none.details["nearest"]["content"], "fn main() {\n\tprintln!();\n}");
    assert_eq!(refused(&[]).key.as_str(), "invalid_params");
    assert_eq!(refused(&[("", "x")]).key.as_str(), "invalid_params");
}

#[test]
fn an_edit_keeps_every_byte_beside_it() {
    let yard = Yard::new();
    yard.put("odd.txt", b"\xef\xbb\xbfcaf\xe9\r\nold\r\n\xff\n");
    let request = edit_request("odd.txt", &[("old\n", "new\nline\n")]);
    let view = files::edit(&yard.station, &call(), &request).unwrap();
    assert!(view.diff.contains(" caf\\xE9\r\n") && view.diff.contains(" \\xFF\n"), "{}", view.diff);
    assert_eq!(yard.bytes("odd.txt"), b"\xef\xbb\xbfcaf\xe9\r\nnew\r\nline\r\n\xff\n");
}

#[test]
fn a_folder_is_listed_by_name_or_size_without_following_links() {
    let yard = Yard::new();
    yard.put("b.txt", "12345");
    yard.put("a/inner.txt", "");
    yard.put("c.txt", "1234567");
    yard.link(yard.base().join("outside/secret.txt"), "link");
    let list = |order, sizes| {
        let request = files::List { path: ".".to_owned(), order, sizes, page: PageRequest::default() };
        serde_json::to_value(files::list(&yard.station, &call(), &request).unwrap().entries).unwrap()
    };
    assert_eq!(
        list(ListOrder::Name, true),
        serde_json::json!([
            { "name": "a", "type": "directory" },
            { "name": "b.txt", "type": "file", "size": 5 },
            { "name": "c.txt", "type": "file", "size": 7 },
            { "name": "link", "type": "symlink" },
        ])
    );
    let by_size = list(ListOrder::Size, false);
    assert_eq!(by_size[0], serde_json::json!({ "name": "c.txt", "type": "file" }));
}

#[test]
fn facts_are_told_without_opening_anything() {
    let yard = Yard::new();
    yard.put("f.txt", "12345");
    yard.link("f.txt", "link");
    yard.pipe("pipe");
    let info =
        |path: &str| files::info(&yard.station, &call(), &files::Info { path: path.to_owned() }).unwrap();
    let facts = info("link");
    assert_eq!((facts.size, facts.link, facts.kind), (5, true, files::EntryKind::File));
    assert!(facts.modified.unwrap().ends_with('Z'));
    assert_eq!(info(".").kind, files::EntryKind::Directory);
    assert_eq!(info("pipe").kind, files::EntryKind::Special);
}

#[test]
fn whether_something_exists_can_depend_on_what_it_is() {
    let yard = Yard::new();
    yard.put("dir/f.txt", "");
    let exists = |path: &str, kind| {
        let request = files::Exists { path: path.to_owned(), kind };
        files::exists(&yard.station, &call(), &request).unwrap().exists
    };
    assert!(exists("dir/f.txt", WantedKind::Any) && exists("dir/f.txt", WantedKind::File));
    assert!(!exists("dir/f.txt", WantedKind::Directory) && exists("dir", WantedKind::Directory));
    assert!(!exists("no/such/file", WantedKind::Any) && !exists("dir/f.txt/x", WantedKind::Any));
}

#[test]
fn folders_are_made_with_those_on_the_way() {
    let yard = Yard::new();
    let make = |path: &str| {
        files::make_dir(&yard.station, &call(), &files::MakeDir { path: path.to_owned() }).unwrap().created
    };
    assert!(make("a/b/c"));
    assert!(!make("a/b/c"));
    assert!(yard.root().join("a/b/c").is_dir());
}
