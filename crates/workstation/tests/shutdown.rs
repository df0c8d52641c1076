//! The end of the server is the end of everything that it started. A process of its own, because nothing starts after.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hewto_workstation::{Call, Protected, Roots, RunPlace, Settings, Workstation, ci, shut_down};

#[expect(clippy::disallowed_methods, reason = "a test stands in for the command line")]
fn search_path() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect()
}

fn is_alive(pid: &str) -> bool {
    let Ok(stat) = fs_err::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")) else {
        return false;
    };
    !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

#[test]
fn nothing_outlives_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(dir.path()).unwrap();
    let commands = BTreeMap::from([("sh".to_owned(), vec![])]);
    let settings = Settings {
        commands,
        search_path: search_path(),
        run_places: vec![RunPlace::allowed("/")],
        ..Settings::default()
    };
    let station =
        Workstation::new(Roots::open(std::slice::from_ref(&root), Protected::default()).unwrap(), settings);
    let command = "sh -c \"echo $$ > pid; echo started; sleep 300\"".to_owned();
    let request = ci::Run { command, cwd: None, timeout_s: Some(300), max_chars: None };
    let end = |_: &str| shut_down();
    let view = ci::run(&station, &Call::unbounded().with_progress(&end), &request).unwrap();
    assert!(view.exit_code.is_none() && view.signal == Some(9));
    assert!(!is_alive(&fs_err::read_to_string(root.join("pid")).unwrap()));
    let late = ci::run(&station, &Call::unbounded(), &request).unwrap_err();
    assert_eq!(late.key.as_str(), "cancelled");
}
