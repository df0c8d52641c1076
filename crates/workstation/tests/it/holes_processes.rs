//! Holes that other command runners had, each shown closed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hewto_workstation::ci;
use hewto_workstation::{Call, Protected, Roots, Settings, Workstation};

use crate::ci::{allowing, command};
use crate::yard::{Yard, call};

fn refused(yard: &Yard, text: &str) -> hewto_workstation::Error {
    ci::run(&yard.station, &call(), &command(text)).expect_err(text)
}

/// Whether a process is there and no zombie.
fn is_alive(pid: &str) -> bool {
    let Ok(stat) = fs_err::read_to_string(format!("/proc/{}/stat", pid.trim())) else { return false };
    !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

/// Waits for the kernel to bury what was killed.
fn is_gone(pid: &str) -> bool {
    let until = Instant::now() + Duration::from_mins(1);
    while is_alive(pid) && Instant::now() < until {
        std::thread::yield_now();
    }
    !is_alive(pid)
}

#[test]
fn nothing_runs_unless_it_is_allowed() {
    let yard = allowing(&[]);
    for text in ["ls", "git --version", "sh -c id", "/bin/ls", "./ls"] {
        let error = refused(&yard, text);
        assert_eq!(error.key.as_str(), "command_not_allowed", "{text}");
        assert!(error.hint.unwrap().to_string().contains("[workstation.commands]"));
    }
}

#[test]
fn only_the_allowed_arguments_are_allowed() {
    let yard = allowing(&[("git", &[&["--version"], &["log", "--oneline"]])]);
    assert!(ci::run(&yard.station, &call(), &command("git --version")).unwrap().succeeded());
    for text in ["git", "git log", "git status", "git -c core.pager=x --version", r#"git "" --version"#] {
        assert_eq!(refused(&yard, text).key.as_str(), "command_not_allowed", "{text}");
    }
}

#[test]
fn no_shell_ever_sees_a_command() {
    let yard = allowing(&[("echo", &[])]);
    let mark = yard.root().join("x");
    for text in [
        "echo a; touch x",
        "echo a && touch x",
        "echo a | touch x",
        "echo $(touch x)",
        "echo `touch x`",
        "echo a\ntouch x",
        "echo a > x",
        "echo a & touch x",
        "echo ${IFS}touch${IFS}x",
    ] {
        let view = ci::run(&yard.station, &call(), &command(text)).unwrap();
        assert_eq!(view.stdout.trim_end(), text.trim_start_matches("echo "), "{text}");
        assert!(!mark.exists(), "{text}");
    }
    for text in ["; touch x", "$(touch x)", "`touch x`", "\ntouch x", "| touch x", "touch x; echo"] {
        assert_eq!(refused(&yard, text).key.as_str(), "command_not_allowed", "{text}");
        assert!(!mark.exists(), "{text}");
    }
}

#[test]
fn a_program_in_the_working_folder_or_in_a_root_is_never_started() {
    let yard = allowing(&[("git", &[]), ("tool", &[])]);
    let trap = yard.trap("program");
    for path in ["git", "bin/git", "bin/tool"] {
        yard.put(path, "");
        fs_err::copy(&trap, yard.root().join(path)).unwrap();
    }
    // Also when it is only a link from outside into the root.
    let links = yard.base().join("links");
    fs_err::create_dir(&links).unwrap();
    std::os::unix::fs::symlink(yard.root().join("bin/tool"), links.join("tool")).unwrap();
    let mut search_path = vec![".".into(), "".into(), "bin".into(), yard.root().join("bin"), links];
    search_path.extend(yard.station.settings().search_path.iter().cloned());
    let settings = Settings { search_path, ..yard.station.settings().clone() };
    let station = Workstation::new(Roots::open(&[yard.root()], Protected::default()).unwrap(), settings);
    let view = ci::run(&station, &call(), &command("git --version")).unwrap();
    assert!(view.stdout.starts_with("git version"));
    let error = ci::run(&station, &call(), &command("tool")).unwrap_err();
    assert_eq!(error.key.as_str(), "program_not_found");
    assert!(error.details.contains_key("refused"));
    for text in ["./git --version", "bin/git", "../git"] {
        assert_eq!(
            ci::run(&station, &call(), &command(text)).unwrap_err().key.as_str(),
            "command_not_allowed"
        );
    }
    assert_eq!(yard.marks(), [""; 0]);
}

#[test]
fn a_child_finds_no_program_inside_a_root_either() {
    let yard = allowing(&[("sh", &[])]);
    let settings = Settings {
        search_path: [yard.root().join("bin"), ".".into()]
            .into_iter()
            .chain(yard.station.settings().search_path.iter().cloned())
            .collect(),
        ..yard.station.settings().clone()
    };
    fs_err::create_dir(yard.root().join("bin")).unwrap();
    let station = Workstation::new(Roots::open(&[yard.root()], Protected::default()).unwrap(), settings);
    let view = ci::run(&station, &call(), &command(r#"sh -c 'echo "$PATH"'"#)).unwrap();
    let entries: Vec<&str> = view.stdout.trim_end().split(':').collect();
    assert!(entries.iter().all(|entry| entry.starts_with('/')));
    assert!(!entries.contains(&yard.root().join("bin").to_str().unwrap()));
}

#[test]
fn a_child_has_no_input() {
    let yard = allowing(&[("cat", &[])]);
    let began = Instant::now();
    let view = ci::run(&yard.station, &call(), &command("cat")).unwrap();
    assert_eq!((view.exit_code, view.stdout.as_str()), (Some(0), ""));
    assert!(began.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_child_sees_no_secret_of_the_server() {
    let yard = allowing(&[("env", &[])]);
    let view = ci::run(&yard.station, &call(), &command("env")).unwrap();
    for secret in ["DATABASE_URL", "hunter2", "AUTHORIZATION", "Bearer", "GIT_EXTERNAL_DIFF"] {
        assert!(!view.stdout.contains(secret), "{}", view.stdout);
    }
    assert!(view.stdout.contains("PATH=") && view.stdout.contains("HOME="));
    let settings =
        Settings { pass_environment: vec!["DATABASE_URL".into()], ..yard.station.settings().clone() };
    let station = Workstation::new(Roots::open(&[yard.root()], Protected::default()).unwrap(), settings);
    let view = ci::run(&station, &call(), &command("env")).unwrap();
    assert!(view.stdout.contains("DATABASE_URL=postgres"), "what the user passes on is passed on");
}

#[test]
fn the_working_folder_cannot_be_outside() {
    let yard = allowing(&[("pwd", &[])]);
    yard.link("../outside", "linked");
    for cwd in ["..", "../outside", "linked", "/", "/tmp"] {
        let request = ci::Run { cwd: Some(cwd.to_owned()), ..command("pwd") };
        assert_eq!(
            ci::run(&yard.station, &call(), &request).unwrap_err().key.as_str(),
            "path_outside_roots",
            "{cwd}"
        );
        let request = ci::Detect { path: cwd.to_owned() };
        assert_eq!(
            ci::detect(&yard.station, &call(), &request).unwrap_err().key.as_str(),
            "path_outside_roots"
        );
    }
}

#[test]
fn everything_a_command_started_ends_at_the_time_limit_and_its_output_is_kept() {
    let yard = allowing(&[("sh", &[])]);
    // One in the group, one in a session of its own, and one that nobody is the parent of any more.
    let script = "sleep 300 & echo $! > group; setsid sleep 300 & sleep 0.2; \
                  (setsid sh -c 'echo $$ > orphan; exec sleep 300' &) ; \
                  echo before the limit; sleep 300";
    let request = ci::Run { timeout_s: Some(6), ..command(&format!("sh -c \"{script}\"")) };
    let began = Instant::now();
    let view = ci::run(&yard.station, &call(), &request).unwrap();
    assert!(view.timed_out && view.exit_code.is_none());
    assert_eq!(view.stdout, "before the limit\n");
    assert!(began.elapsed() < Duration::from_mins(2));
    for name in ["group", "orphan"] {
        let pid = String::from_utf8(yard.bytes(name)).unwrap();
        assert!(is_gone(&pid), "{name} {pid}");
    }
    assert_eq!(view.into_result().unwrap_err().key.as_str(), "timeout");
}

#[test]
fn what_a_command_leaves_behind_ends_with_it_and_does_not_hold_up_the_answer() {
    let yard = allowing(&[("sh", &[])]);
    let began = Instant::now();
    let request = command("sh -c \"sleep 300 & echo $! > left; echo done\"");
    let view = ci::run(&yard.station, &call(), &request).unwrap();
    assert_eq!((view.exit_code, view.stdout.as_str()), (Some(0), "done\n"));
    assert!(began.elapsed() < Duration::from_mins(2));
    assert!(is_gone(&String::from_utf8(yard.bytes("left")).unwrap()));
}

#[test]
fn a_cancelled_command_is_killed_at_once() {
    let yard = allowing(&[("sh", &[])]);
    let cancelled = AtomicBool::new(false);
    let is_cancelled = || cancelled.load(Ordering::Relaxed);
    let tell = |_: &str| cancelled.store(true, Ordering::Relaxed);
    let call = Call::unbounded().with_cancellation(&is_cancelled).with_progress(&tell);
    let began = Instant::now();
    let request =
        ci::Run { timeout_s: Some(300), ..command("sh -c \"echo $$ > pid; echo started; sleep 300\"") };
    let error = ci::run(&yard.station, &call, &request).unwrap_err();
    assert_eq!(error.key.as_str(), "cancelled");
    assert!(began.elapsed() < Duration::from_mins(2));
    assert!(is_gone(&String::from_utf8(yard.bytes("pid")).unwrap()));
}

#[test]
fn the_deadline_of_the_call_counts_too() {
    let yard = allowing(&[("sleep", &[])]);
    let call = Call::unbounded().with_deadline(Some(Instant::now() + Duration::from_secs(2)));
    let view = ci::run(&yard.station, &call, &command("sleep 300")).unwrap();
    assert!(view.timed_out);
}
