//! Memory that cannot be exhausted, shown in a process that is not given much.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use hewto_workstation::{Call, PageRequest, Protected, Roots, RunPlace, Settings, Workstation, ci, files};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const GIGABYTE: u64 = 1 << 30;

fn read(path: &str, lines: files::Lines) -> files::Read {
    files::Read {
        path: path.to_owned(),
        lines,
        form: files::Form::Auto,
        line_numbers: false,
        max_chars: None,
    }
}

#[expect(clippy::disallowed_methods, reason = "a test stands in for the command line")]
fn search_path() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect()
}

/// One test for all, because the limit is the process's.
#[test]
fn huge_files_and_endless_output_fit_into_little_memory() {
    let limit = Rlimit { current: Some(GIGABYTE), maximum: getrlimit(Resource::As).maximum };
    setrlimit(Resource::As, limit).unwrap();

    let dir = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(dir.path()).unwrap();
    // Four gigabytes, of which nearly all is a hole: one endless line between some short ones.
    let mut file = fs_err::File::create(root.join("huge.txt")).unwrap();
    for number in 1..=2_000 {
        writeln!(file, "line {number}").unwrap();
    }
    file.seek(SeekFrom::Start(4 * GIGABYTE)).unwrap();
    write!(file, "\nlast but one\nlast\n").unwrap();
    drop(file);
    let sparse = fs_err::File::create(root.join("middle.txt")).unwrap();
    (&sparse).write_all(&b"text\n".repeat(2_000)).unwrap();
    sparse.set_len(200_000_000).unwrap();

    let commands = BTreeMap::from([("yes".to_owned(), vec![])]);
    let settings = Settings {
        commands,
        search_path: search_path(),
        run_places: vec![RunPlace::allowed("/")],
        ..Settings::default()
    };
    let station = Workstation::new(Roots::open(&[root], Protected::default()).unwrap(), settings);
    let call = Call::unbounded();

    for path in ["huge.txt", "middle.txt"] {
        let error = files::read(&station, &call, &read(path, files::Lines::All)).unwrap_err();
        assert_eq!(error.key.as_str(), "file_too_large");
        assert!(error.details["size"].as_u64().unwrap() >= 200_000_000);
    }
    let part = |lines| files::read(&station, &call, &read("huge.txt", lines)).unwrap().view.content.unwrap();
    assert_eq!(part(files::Lines::Head(1)), "line 1\n");
    assert_eq!(part(files::Lines::Tail(2)), "last but one\nlast\n");
    let range = files::Lines::Range { start: 2_000, end: Some(2_000) };
    assert_eq!(part(range), "line 2000\n");
    assert!(part(files::Lines::Tail(3)).ends_with("last but one\nlast\n"));

    let edit = files::EditFile {
        path: "huge.txt".into(),
        edits: vec![files::Edit { old_text: "last".into(), new_text: "x".into() }],
        dry_run: false,
        max_chars: None,
    };
    assert_eq!(files::edit(&station, &call, &edit).unwrap_err().key.as_str(), "file_too_large");

    let search = files::Search {
        path: ".".into(),
        query: "last".into(),
        syntax: files::SearchSyntax::Literal,
        pattern: None,
        exclude: vec![],
        ignored: files::Ignored::Skip,
        page: PageRequest::default(),
    };
    let found = files::search(&station, &call, &search).unwrap();
    assert_eq!(found.page.total, 0, "a file with a hole in it is binary");

    let request = ci::Run { command: "yes".into(), cwd: None, timeout_s: Some(4), max_chars: Some(100_000) };
    let view = ci::run(&station, &call, &request).unwrap();
    assert!(view.timed_out && view.truncated);
    assert!(view.stdout.len() <= 100_000 && view.stdout.ends_with("y\ny\n"));
}
