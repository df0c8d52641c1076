//! No line is wider than the terminal, whatever the command and however long the names; what goes into a pipe is not folded.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use crate::sandbox::{Sandbox, Terminal};

const SPEC: &str = "accounts-and-whatever-else-belongs-to-people-who-sign-in-with-a-key";
const REQUIREMENT: &str = "Every single call carries a key that belongs to a person who is known to us";
const CHANGE: &str = "add-a-limit-to-the-number-of-calls-that-one-key-makes-in-a-single-minute";

/// A workspace in which everything has a long name.
fn workspace() -> (Sandbox, String) {
    let sandbox = Sandbox::empty();
    let git = |args: &[&str]| {
        let done =
            std::process::Command::new("git").args(args).current_dir(sandbox.project()).output().unwrap();
        assert!(done.status.success(), "{args:?}");
    };
    git(&["init", "--quiet"]);
    sandbox.ok(&["init", "--yes", "--name", "sample", "--description", "For tests"]);
    sandbox.write(
        &format!("specs/{SPEC}/spec.md"),
        "# A specification of everything that people who sign in with a key can rely on at any time\n\n## Purpose\n\
         What the interface promises to the programs that call it, and to the people who have written those programs.\n\n\
         ## Requirements\n\n### Requirement: Every single call carries a key that belongs to a person who is known to us\n\
         Every call SHALL carry a key that belongs to a person, and no call without such a key SHALL be answered at all.\n\n\
         #### Scenario: A call without any key at all comes in from somewhere outside of the company\n\
         - **WHEN** a call has no key and nobody can tell from which of the many known people it has come to us\n\
         - **THEN** it is refused with a message that says where a key can be had and what it costs in a month\n",
    );
    let mut new = vec![
        "change",
        "new",
        CHANGE,
        "--why",
        "Because one client can flood the interface and take it away from everybody else",
    ];
    new.extend([
        "--what",
        "- a limit for each key",
        "--task",
        "Count the calls of each key in a window that slides over the last minute",
    ]);
    let requirement =
        "Rate limit: The API SHALL refuse more than one hundred calls in a minute that carry the same key.";
    let scenario = "Too many: WHEN a key makes its 101st call within a minute THEN it is refused with 429";
    new.extend(["--spec", SPEC, "--requirement", requirement, "--scenario", scenario]);
    sandbox.ok(&new);
    let work = sandbox
        .planned_spec("Somewhere to look up what each of the many keys has done in the last month", &[]);
    let fields =
        ["Strategy=Sessions that are kept on the server and end after thirty minutes without a call"];
    let context = [
        "--context",
        "Browsers and phones sign in to the same service and neither should have to do so twice a day",
    ];
    sandbox.ok(&[&["decision", "new", "Authentication"], &fields[..], &context[..]].concat());
    (sandbox, work)
}

/// A line that is too wide although it could have been folded: it has several words, and is no command.
fn is_too_wide(line: &str, columns: usize) -> bool {
    let line = line.trim();
    let is_command = line.trim_matches('`').starts_with("hewto ") && !line.contains("  ");
    line.width() > columns && line.contains(' ') && !is_command
}

#[test]
fn no_command_writes_a_line_that_is_wider_than_the_terminal() {
    let (sandbox, work) = workspace();
    let work = work.as_str();
    let change = format!("change:{CHANGE}");
    let commands: &[&[&str]] = &[
        &["--help"],
        &["nonsense"],
        &["status"],
        &["status", "--all"],
        &["next"],
        &["list"],
        &["validate"],
        &["validate", "--strict"],
        &["validate", CHANGE],
        &["doctor"],
        &["log"],
        &["ops"],
        &["index", "build", "--model", "lexical"],
        &["index", "status"],
        &["index", "clear"],
        &["search", "--model", "lexical", "a call without a key"],
        &["trust", "--status"],
        &["gate"],
        &["who"],
        &["claim", work],
        &["release", work],
        &["review", "list"],
        &["review", "show", &change],
        &[
            "review",
            "comment",
            work,
            "Is a month long enough for everybody who looks up what their key has done?",
        ],
        &["approve", "no-such-thing-anywhere-in-this-workspace-whatever-its-name-may-be"],
        &["spec", "list"],
        &["spec", "show", SPEC],
        &["spec", "status", work],
        &["spec", "deps", work],
        &["spec", "show", "no-such-spec-anywhere-in-this-workspace"],
        &["requirement", "list"],
        &["requirement", "list", SPEC],
        &["requirement", "show", SPEC, REQUIREMENT],
        &["plan", "show", work],
        &["plan", "done", work, "1"],
        &["build", "start", work, "--plan-approved"],
        &["change", "list"],
        &["change", "show", CHANGE],
        &["change", "diff", CHANGE],
        &["change", "overlaps"],
        &["change", "validate"],
        &["change", "archive", CHANGE],
        &["archive", CHANGE, "--dry-run"],
        &["decision", "list"],
        &["architecture"],
        &["clarify", "status"],
        &["proof"],
        &["link"],
        &["drift"],
        &["graph"],
        &["artifact", "list"],
        &["template", "list"],
        &["why", &format!("specs/{SPEC}/spec.md")],
        &["adopt", "--dry-run"],
        &["import", "openspec", "no-such-folder-to-import-anything-from-in-this-workspace"],
        &["export", "--format", "openspec", "--dry-run"],
        &["upgrade", "--dry-run"],
        &["uninstall", "--dry-run"],
        &["init", "--dry-run"],
        &["hub", "push"],
        &["mcp-check", "no-such-program-that-anybody-could-start-as-a-server"],
        &["ui", "--help"],
        &["serve", "--help"],
        &["demo", "--help"],
        // These write for other programs: they are started, and nothing is folded.
        &["completions", "bash"],
        &["client-config", "cursor"],
        &["man"],
    ];
    let verbatim = ["completions", "client-config", "man"];
    let mut wide = Vec::new();
    for columns in [80, 40] {
        for args in commands {
            let (shown, _) = Terminal::of_width(columns, &sandbox, args).end();
            let lines =
                shown.lines().map(|line| line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or(""));
            let lines = lines.filter(|line| is_too_wide(line, usize::from(columns)));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            if !lines.is_empty() && !verbatim.contains(&args[0]) {
                wide.push(format!("{columns} columns, hewto {}:\n{}", args.join(" "), lines.join("\n")));
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n\n"));

    let help = sandbox.ok(&["--help"]);
    let named = help
        .lines()
        .skip_while(|line| !line.starts_with("Start"))
        .take_while(|line| !line.starts_with("Options"));
    let names: BTreeSet<&str> = named
        .filter(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let tried: BTreeSet<&str> = commands.iter().map(|args| args[0]).collect();
    let untried: Vec<&&str> = names.difference(&tried).collect();
    assert!(names.len() > 40 && untried.is_empty(), "{untried:?}");
}

#[test]
fn ids_and_commands_are_shown_in_one_piece_on_the_narrowest_terminal() {
    let (sandbox, work) = workspace();
    let on_40 = |args: &[&str]| Terminal::of_width(40, &sandbox, args).end().0.replace("\r\n", "\n");
    let list = on_40(&["list"]);
    assert!(list.lines().any(|line| line == CHANGE) && list.lines().any(|line| line == SPEC), "{list}");
    let command = format!("hewto build start {work} --plan-approved");
    let next = on_40(&["next"]);
    assert!(
        next.contains(&command) || next.contains(&format!("hewto plan done change:{CHANGE} 1")),
        "{next}"
    );
    let refused = on_40(&["archive", CHANGE]);
    assert!(refused.contains(&format!("`hewto change archive {CHANGE} --yes`")), "{refused}");
}

#[test]
fn what_goes_into_a_pipe_is_not_folded() {
    let (sandbox, _) = workspace();
    let shown = sandbox.ok(&["requirement", "show", SPEC, REQUIREMENT]);
    assert!(shown.contains("no call without such a key SHALL be answered at all."), "{shown}");
    assert!(shown.lines().any(|line| line.width() > 100), "{shown}");
}
