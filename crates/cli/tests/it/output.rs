//! How output looks: colour only where it is wanted, pipes that close, text that must not drive the terminal.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::sandbox::{Sandbox, Terminal};

const ESCAPE: u8 = 0x1b;

#[test]
fn piped_output_has_no_colour_unless_it_is_forced() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("Login", &[]);
    let commands: [&[&str]; 5] =
        [&["spec", "list"], &["validate"], &[], &["spec", "show", "nothing"], &["--help"]];
    for args in commands {
        let coloured = |variables: &[(&str, &str)]| {
            let output = sandbox.hewto(args).envs(variables.iter().copied()).output().unwrap();
            output.stdout.contains(&ESCAPE) || output.stderr.contains(&ESCAPE)
        };
        assert!(!coloured(&[]), "{args:?}");
        assert!(!coloured(&[("NO_COLOR", "1")]), "{args:?}");
        if args != ["validate"] {
            assert!(coloured(&[("CLICOLOR_FORCE", "1")]), "{args:?}");
        }
    }
}

#[test]
fn a_piped_warning_has_no_colour() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Login", &[]);
    sandbox.ok(&["plan", "new", &id, "--approach", "so", "--step", "One: do it"]);
    sandbox.ok(&["claim", &id]);
    let output = sandbox.hewto(&["plan", "done", &id, "1"]).env("USER", "somebody-else").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("warning: ") && !text.as_bytes().contains(&ESCAPE), "{text:?}");
}

#[test]
fn json_is_never_coloured() {
    let sandbox = Sandbox::workspace();
    sandbox.spec("Login", &[]);
    let output = sandbox.hewto(&["spec", "list", "--json"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!output.stdout.contains(&ESCAPE));
}

#[test]
fn json_carries_every_character_as_it_is() {
    let sandbox = Sandbox::workspace();
    let title = "Odd \u{7f} \u{9b}31m and größe";
    sandbox.write("specs/odd/spec.md", &format!("# {title}\n"));
    assert_eq!(sandbox.json(&["spec", "list"])["specs"][0]["title"], title);
}

#[test]
fn a_title_cannot_drive_the_terminal() {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/evil/spec.md", "# Red \u{1b}[31malert\u{7}\n\nBody \u{1b}]0;owned\u{7}\n");
    sandbox.ok(&["spec", "move", "evil", "active"]);
    for args in [&["spec", "list"][..], &["spec", "show", "evil"], &[]] {
        let output = sandbox.hewto(args).env("CLICOLOR_FORCE", "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("\\u{1b}[31malert\\u{7}"), "{text}");
        assert!(
            !text.contains("\u{1b}[31malert") && !text.contains('\u{7}') && !text.contains("\u{1b}]"),
            "{text:?}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::workspace();
    for number in 0..200 {
        sandbox.write(&format!("specs/spec-{number:04}/spec.md"), &format!("# {}\n", "long ".repeat(400)));
    }
    for args in [&["spec", "list"][..], &["spec", "list", "--json"], &["--help"]] {
        let mut child = sandbox.hewto(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8(output.stderr).unwrap()),
            (Some(0), String::new()),
            "{args:?}"
        );
    }
}

#[test]
fn a_verdict_counts_though_nobody_reads_it_to_its_end() {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/broken/spec.md", "---\n[not: a map\n---\n# Broken\n");
    sandbox.write("specs/accounts/spec.md", "# Accounts\n\n## Requirements\n\n### Requirement: Sign in\nIt SHALL let people in.\n\n#### Scenario: Known\n- **WHEN** they come\n- **THEN** they are in\n");
    sandbox.write("src/lib.rs", "// @spec accounts#no-such-promise\nfn sign_in() {}\n");
    let commands: [&[&str]; 9] = [
        &["validate"],
        &["validate", "--json"],
        &["validate", "broken"],
        &["proof", "status"],
        &["proof", "status", "--format", "sarif"],
        &["link", "--problems"],
        &["why", "not/there.rs"],
        &["mcp-check", "--patience", "1", "--", "/bin/echo", "hello"],
        &["spec", "show", "nothing", "--json"],
    ];
    for args in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let unread = sandbox.hewto(args).stdout(writer.try_clone().unwrap()).stderr(writer).output().unwrap();
        let read = sandbox.output(args);
        assert_eq!(read.status.code(), Some(1), "{args:?}: {}", crate::sandbox::whole(&read));
        assert_eq!(unread.status.code(), Some(1), "{args:?}, which nobody read");
    }
}

#[test]
fn what_a_command_has_to_do_is_done_though_nobody_reads_what_it_says_before() {
    let sandbox = Sandbox::empty();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = sandbox.hewto(&["init", "--yes", "--agents", "none"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    assert!(sandbox.project().join(".hewto/config.toml").exists());
}

// Only Linux has a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_the_machines_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let sandbox = Sandbox::workspace();
    let output = sandbox.hewto(&["spec", "list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: cannot write to standard output: "), "{stderr}");
}

#[test]
fn a_log_filter_that_makes_no_sense_is_a_remark_and_no_failure() {
    let sandbox = Sandbox::workspace();
    let output = sandbox.hewto(&["spec", "list"]).env("HEWTO_LOG", "a=b=c").output().unwrap();
    assert!(output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("warning: `HEWTO_LOG` is ignored: "), "{stderr}");
}

#[test]
fn a_workspace_that_cannot_be_written_is_the_machines_failure() {
    let sandbox = Sandbox::workspace();
    // Root may write anywhere, so a file stands where the folder of specs has to be.
    fs_err::remove_dir_all(sandbox.project().join("specs")).unwrap();
    sandbox.write("specs", "in the way");
    let output = sandbox.output(&["spec", "new", "x", "--description", "x"]);
    assert_eq!(output.status.code(), Some(3), "{}", crate::sandbox::whole(&output));
}

#[test]
fn work_over_a_second_shows_a_bar_on_a_terminal_and_nowhere_else() {
    let sandbox = Sandbox::workspace();
    let mut requirements = String::new();
    for n in 0..300 {
        requirements += "### Requirement: Number ";
        requirements += &n.to_string();
        requirements += "\n\n";
        requirements += "It SHALL hold.\n\n#### Scenario: S\n\n- **WHEN** a\n- **THEN** b\n\n";
    }
    let text = format!(
        "# Large\n\n## Purpose\n\nSomething to read that takes longer than a moment.\n\n## Requirements\n\n{requirements}"
    );
    let mut specs = 0;
    // As many as this machine needs a while for; a process that only starts slowly has no work to show.
    let (shown, at) = loop {
        let more = specs.max(64);
        for n in specs..specs + more {
            sandbox.write(&format!("specs/s{n}/spec.md"), &text);
        }
        specs += more;
        let begun = Instant::now();
        let (shown, code) = Terminal::run(&sandbox, &["validate"]).end();
        assert_eq!(code, Some(0), "{shown}");
        if let Some((_, at)) = shown.find("] ").zip(shown.find(" % checking specs")) {
            break (shown, at);
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "no bar: {shown:?}");
    };
    // It is taken off the screen before the report comes.
    let report = shown.find("Workspace is valid").unwrap();
    assert!(at < report && shown[..report].contains("\r\u{1b}[K"), "{shown:?}");
    let piped = sandbox.output(&["validate"]);
    assert!(piped.stderr.is_empty(), "{}", crate::sandbox::whole(&piped));
}

#[test]
fn nothing_that_nobody_sees_reaches_the_terminal() {
    let sandbox = Sandbox::workspace();
    let evil = "The system SHALL deny access to \u{202e}stseug \u{2066}admins\u{2069}\u{202c}. \u{200b}\u{feff}\u{e0041}\u{9b}31m";
    let because = "because ".repeat(20);
    sandbox
        .write("changes/c/proposal.md", &format!("# C\n\n## Why\n{because}{evil}\n\n## What Changes\n- y\n"));
    sandbox.write(
        "changes/c/specs/cap/spec.md",
        &format!(
            "## ADDED Requirements\n\n### Requirement: R\n{evil}\n\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n"
        ),
    );
    sandbox.write("specs/plain/spec.md", &format!("# {evil}\n\nText.\n"));
    sandbox.write(
        "specs/plain/plan.md",
        &format!("# Plan\n\n## Approach\n{evil}\n\n## Steps\n### Step 1: {evil}\n{evil}\n"),
    );
    let hidden = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{e0041}', '\u{9b}', '\u{1b}'];
    for command in [
        "change diff c",
        "change show c",
        "change archive c --dry-run",
        "change show c --json",
        "change diff c --json",
        "validate --strict",
        "spec show plain",
        "spec list",
        "plan show plain",
        "plan show plain --json",
        "status",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let output = sandbox.output(&words);
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(!text.contains(hidden), "{command}: {text:?}");
        }
    }
    for command in [&["change", "show", "c"][..], &["change", "archive", "c", "--dry-run"]] {
        let shown = sandbox.ok(command);
        assert!(shown.contains("\\u{202e}stseug"), "{shown}");
    }
    // As JSON it is the same text.
    let shown = sandbox.json(&["change", "show", "c"]).to_string();
    assert!(shown.contains('\u{202e}'), "{shown}");
}

#[test]
fn every_cut_off_falls_between_characters() {
    let word = "日本語🙂é̂".repeat(60);
    let spec = format!(
        "# {word}\n\n## Purpose\n{word}\n\n## Requirements\n\n### Requirement: {word}\n{word} SHALL {word}\n\n#### Scenario: {word}\n- **WHEN** {word}\n- **THEN** {word}\n"
    );
    let sandbox = Sandbox::empty();
    sandbox.write("openspec/specs/auth/spec.md", &spec);
    sandbox.write(
        "openspec/changes/c/specs/auth/spec.md",
        &format!(
            "## ADDED Requirements\n\n### Requirement: {word}\nIt SHALL do it.\n\n#### Scenario: S\n- **WHEN** w\n- **THEN** t\n"
        ),
    );
    sandbox.write(
        "openspec/changes/c/proposal.md",
        &format!("# Change: {word}\n\n## Why\n{word}\n\n## What Changes\n{word}\n"),
    );
    sandbox.write("openspec/changes/c/tasks.md", &format!("- [ ] {word}\n- [ ] 1.1 {word}\n"));
    for args in [
        &["validate"][..],
        &["change", "list"],
        &["change", "show", "c"],
        &["change", "diff", "c"],
        &["change", "validate", "c"],
        &["requirement", "list", "auth"],
        &["requirement", "show", "auth", &word],
        &["change", "archive", "c", "--dry-run"],
        &["status"],
    ] {
        let output = sandbox.output(args);
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code().is_some_and(|code| code < 2) && !shown.contains("panicked"),
            "{args:?}: {shown}"
        );
        assert!(std::str::from_utf8(&output.stdout).is_ok(), "{args:?}");
    }
}

#[test]
fn a_check_that_cannot_run_leaves_one_json_document_on_standard_output() {
    let sandbox = Sandbox::workspace();
    sandbox.write(
        ".hewto/proof.toml",
        "policy = \"warn\"\n[check.unit]\nrun = [\"./nowhere\"]\nreport = \"r.tap\"\nformat = \"tap\"\n",
    );
    let trusted = hewto_core::proof::settings::digest(sandbox.read(".hewto/proof.toml").as_bytes());
    for command in [&["proof", "run"][..], &["proof", "--run"]] {
        let args = [command, &["--json", "--trust", &trusted]].concat();
        let output = sandbox.output(&args);
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("the check `unit` cannot run"), "{told}");
    }
}
