//! `docs/cli.md`: its second half is the program's own help, and stays so.

use std::fmt::Write;
use std::path::Path;

use hewto_core::failure::key_table;

use crate::sandbox::Sandbox;

const MARK: &str = "Generated from the program (`HEWTO_REGENERATE=1 cargo test -p hewto reference`).\n";

#[test]
fn the_command_reference_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let text = fs_err::read_to_string(&path).unwrap();
    let (head, _) = text.split_once(MARK).expect("the mark stands where the generated part begins");
    let fresh = format!("{head}{MARK}{}", generated());
    #[expect(clippy::disallowed_methods, reason = "a switch of this test, not of the program")]
    if std::env::var_os("HEWTO_REGENERATE").is_some() {
        fs_err::write(&path, &fresh).unwrap();
        return;
    }
    assert!(text == fresh, "docs/cli.md is stale: {MARK}");
}

/// The help page of every command that has no commands of its own, or runs without one too.
fn generated() -> String {
    let sandbox = Sandbox::empty();
    let mut out = String::new();
    let mut waiting: Vec<Vec<String>> = vec![vec![]];
    while let Some(path) = waiting.pop() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let page = sandbox.ok(&args);
        let commands = commands(&page);
        if commands.is_empty() || runs_without_one(&page) {
            let _ = write!(out, "\n### hewto {}\n\n```text\n{page}```\n", path.join(" "));
        }
        waiting.extend(commands.into_iter().rev().map(|name| [path.as_slice(), &[name]].concat()));
    }
    out.push_str("\n### Errors\n\nWhat `error` can be in an answer of `--json`:\n\n");
    out.push_str(&key_table());
    out
}

/// Whether a command that has commands is shown in a second way of usage, without one.
fn runs_without_one(page: &str) -> bool {
    let usage = page.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    usage.take_while(|line| !line.trim().is_empty()).any(|line| line.trim_start().starts_with("hewto "))
}

/// What a help page lists before its options and arguments: lines that are indented by two blanks.
fn commands(page: &str) -> Vec<String> {
    page.lines()
        .take_while(|line| !line.starts_with("Options:") && !line.starts_with("Arguments:"))
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        // The second way of usage of a command that has commands and runs without one too.
        .filter(|name| *name != "hewto")
        .map(str::to_owned)
        .collect()
}
