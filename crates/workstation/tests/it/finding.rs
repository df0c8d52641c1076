//! Trees, names and contents.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use hewto_workstation::files::{self, Ignored, SearchSyntax};
use hewto_workstation::{Call, PageRequest};

use crate::yard::{Yard, call, find_request, search_request, tree_request};

fn project() -> Yard {
    let yard = Yard::new();
    yard.put(".gitignore", "target/\n*.log\n!keep.log\n");
    yard.put("src/main.rs", "fn main() {\n    needle();\n}\n");
    yard.put("src/lib.rs", "// needle one\n// nothing\n// needle two\n");
    yard.put("src/.gitignore", "/generated\n");
    yard.put("src/generated/x.rs", "needle");
    yard.put("src/deep/generated/y.rs", "needle");
    yard.put("target/debug/out.rs", "needle");
    yard.put("noise.log", "needle");
    yard.put("keep.log", "needle");
    yard.put(".git/config", "needle");
    yard
}

fn paths(yard: &Yard, request: &files::Tree) -> Vec<String> {
    let view = files::tree(&yard.station, &call(), request).unwrap();
    view.entries.into_iter().map(|entry| entry.path).collect()
}

#[test]
fn a_tree_honours_gitignore_and_excludes_and_depth() {
    let yard = project();
    let all = [
        ".gitignore",
        "keep.log",
        "src",
        "src/.gitignore",
        "src/deep",
        "src/deep/generated",
        "src/deep/generated/y.rs",
        "src/lib.rs",
        "src/main.rs",
    ];
    assert_eq!(paths(&yard, &tree_request(".")), all);
    let shallow = files::Tree { depth: Some(1), ..tree_request(".") };
    assert_eq!(paths(&yard, &shallow), [".gitignore", "keep.log", "src"]);
    let exclude = vec!["deep".to_owned(), "*.log".to_owned(), "/src/lib.rs".to_owned()];
    let excluded = files::Tree { exclude, ..tree_request(".") };
    assert_eq!(paths(&yard, &excluded), [".gitignore", "src", "src/.gitignore", "src/main.rs"]);
    assert_eq!(paths(&yard, &tree_request("src/deep")), ["generated", "generated/y.rs"]);
    let ignored = files::Tree { ignored: Ignored::Show, ..tree_request(".") };
    assert!(paths(&yard, &ignored).contains(&"target/debug/out.rs".to_owned()));
}

#[test]
fn rules_of_folders_above_hold_below_too() {
    let yard = project();
    yard.put("src/deep/noise.log", "");
    assert_eq!(paths(&yard, &tree_request("src/deep")), ["generated", "generated/y.rs"]);
}

#[test]
fn names_are_found_by_glob() {
    let yard = project();
    let found = |pattern: &str| -> Vec<String> {
        let view = files::find(&yard.station, &call(), &find_request(".", pattern)).unwrap();
        view.found.into_iter().map(|found| found.path).collect()
    };
    assert_eq!(found("*.rs"), ["src/deep/generated/y.rs", "src/lib.rs", "src/main.rs"]);
    assert_eq!(found("src/*.rs"), ["src/lib.rs", "src/main.rs"]);
    assert_eq!(found("**/generated"), ["src/deep/generated"]);
    assert_eq!(found("{lib,main}.rs"), ["src/lib.rs", "src/main.rs"]);
    let error = files::find(&yard.station, &call(), &find_request(".", "[")).unwrap_err();
    assert_eq!(error.key.as_str(), "invalid_params");
}

#[test]
fn contents_are_found_with_line_and_column() {
    let yard = project();
    let view = files::search(&yard.station, &call(), &search_request(".", "needle")).unwrap();
    let found: Vec<_> =
        view.matches.iter().map(|found| (found.path.as_str(), found.line, found.column)).collect();
    assert_eq!(
        found,
        [
            ("keep.log", 1, 1),
            ("src/deep/generated/y.rs", 1, 1),
            ("src/lib.rs", 1, 4),
            ("src/lib.rs", 3, 4),
            ("src/main.rs", 2, 5),
        ]
    );
    assert_eq!((view.files, view.page.total, view.page.remaining), (4, 5, 0));
    assert_eq!(view.matches[4].content, "    needle();");
}

#[test]
fn a_query_is_literal_unless_it_is_said_to_be_a_pattern() {
    let yard = Yard::new();
    yard.put("f.txt", "a.c\nabc\n");
    let lines = |query: &str, syntax| -> Vec<u64> {
        let request = files::Search { syntax, ..search_request(".", query) };
        let view = files::search(&yard.station, &call(), &request).unwrap();
        view.matches.iter().map(|found| found.line).collect()
    };
    assert_eq!(lines("a.c", SearchSyntax::Literal), [1]);
    assert_eq!(lines("a.c", SearchSyntax::Regex), [1, 2]);
    assert_eq!(lines("(?i)ABC$", SearchSyntax::Regex), [2]);
    let bad = files::Search { syntax: SearchSyntax::Regex, ..search_request(".", "(") };
    assert_eq!(files::search(&yard.station, &call(), &bad).unwrap_err().key.as_str(), "invalid_params");
}

#[test]
fn matches_are_paged_to_the_last() {
    let yard = Yard::new();
    for file in 0..7 {
        yard.put(&format!("f{file}.txt"), "hit\nmiss\nhit\nhit\n");
    }
    let mut page = PageRequest { limit: Some(4), ..PageRequest::default() };
    let mut seen = Vec::new();
    loop {
        let request = files::Search { page: page.clone(), ..search_request(".", "hit") };
        let view = files::search(&yard.station, &call(), &request).unwrap();
        assert_eq!(view.page.total, 21);
        seen.extend(view.matches.iter().map(|found| (found.path.clone(), found.line)));
        assert_eq!(view.page.remaining, 21 - seen.len());
        match view.page.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => break,
        }
    }
    let expected: Vec<(String, u64)> =
        (0..7).flat_map(|file| [1, 3, 4].map(|line| (format!("f{file}.txt"), line))).collect();
    assert_eq!(seen, expected);
}

#[test]
fn long_lines_are_shown_round_the_match_and_binaries_are_not_searched() {
    let yard = Yard::new();
    yard.put("long.txt", format!("{}needle{}", "x".repeat(5_000), "y".repeat(5_000)));
    yard.put("image.bin", b"needle\0");
    let view = files::search(&yard.station, &call(), &search_request(".", "needle")).unwrap();
    assert_eq!(view.page.total, 1);
    let found = &view.matches[0];
    assert!(found.column == 5_001 && found.content.contains("needle") && found.content.chars().count() < 310);
}

#[test]
fn one_file_can_be_searched_too() {
    let yard = project();
    let view = files::search(&yard.station, &call(), &search_request("src/lib.rs", "needle")).unwrap();
    assert_eq!(view.matches.iter().map(|found| found.line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(view.matches[0].path, "src/lib.rs");
}

#[test]
fn names_that_are_no_utf_8_are_shown_as_such() {
    let yard = Yard::new();
    let name = OsStr::from_bytes(b"caf\xe9.txt");
    fs_err::write(yard.root().join(name), "needle").unwrap();
    assert_eq!(paths(&yard, &tree_request(".")), [r"caf\xE9.txt"]);
    let view = files::search(&yard.station, &call(), &search_request(".", "needle")).unwrap();
    assert_eq!(view.matches[0].path, r"caf\xE9.txt");
}

#[test]
fn a_folder_of_a_hundred_thousand_entries_is_paged() {
    let yard = Yard::in_memory();
    let folder = yard.root().join("many");
    fs_err::create_dir(&folder).unwrap();
    let first = folder.join("000000");
    fs_err::write(&first, "").unwrap();
    // Hard links are the quickest way to a hundred thousand names; a file system may allow fewer per file.
    let mut source = first;
    for number in 1..100_000 {
        let path = folder.join(format!("{number:06}"));
        if fs_err::hard_link(&source, &path).is_err() {
            fs_err::write(&path, "").unwrap();
            source = path;
        }
    }
    let mut page = PageRequest { limit: Some(1_000), max_chars: Some(100_000), ..PageRequest::default() };
    let mut next = 0;
    for _ in 0..5 {
        let request = files::List {
            path: "many".to_owned(),
            order: files::ListOrder::Name,
            sizes: true,
            page: page.clone(),
        };
        let view = files::list(&yard.station, &call(), &request).unwrap();
        assert_eq!(view.page.total, 100_000);
        for entry in &view.entries {
            assert_eq!(entry.name, format!("{next:06}"));
            next += 1;
        }
        assert_eq!(view.page.remaining, 100_000 - next);
        page.cursor = view.page.next_cursor;
    }
    assert_eq!(next, 5_000);
    let view = files::find(&yard.station, &call(), &find_request(".", "09999*")).unwrap();
    assert_eq!(view.page.total, 10);
}

#[test]
fn a_walk_stops_when_the_call_is_cancelled() {
    let yard = project();
    let cancelled = || true;
    let call = Call::unbounded().with_cancellation(&cancelled);
    let error = files::search(&yard.station, &call, &search_request(".", "needle")).unwrap_err();
    assert_eq!(error.key.as_str(), "cancelled");
    assert_eq!(files::tree(&yard.station, &call, &tree_request(".")).unwrap_err().key.as_str(), "cancelled");
}
