//! The golden path: a person at a terminal.

use rustix::process::{Pid, Signal, kill_process};

use crate::sandbox::{Sandbox, Terminal};

fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox
}

#[test]
fn a_person_answers_and_gets_the_files_and_the_prompt() {
    let sandbox = repository();
    let mut terminal = Terminal::run(&sandbox, &["clarify", "Add authentication"]);
    terminal.until("Which authentication strategy?");
    terminal.until("> ");
    // A mistyped choice is asked again, by number or by text.
    terminal.enter("Oath\n");
    terminal.until("`Oath` is not one of the options");
    terminal.until("> ");
    terminal.enter("oauth\n");
    terminal.until("Which authentication library?");
    terminal.until("> ");
    terminal.enter("6\n");
    terminal.until("please specify");
    terminal.until("> ");
    // "Other" needs words.
    terminal.enter("\n");
    terminal.until("an answer is needed");
    terminal.enter("Ory Kratos\n");
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    for part in ["ADR ", "Task ", "State ", "Prompt ", "You are a coding agent", "Hand this prompt"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let known = sandbox.json(&["architecture"]);
    assert_eq!(
        known["architecture"]["categories"]["Authentication"],
        serde_json::json!({"Library": "Ory Kratos", "Strategy": "OAuth"})
    );
    let page = sandbox.read("docs/AGENT_PROMPT.md");
    let fenced = page.split("```").nth(1).unwrap().trim();
    let on_screen = shown.replace("\r\n", "\n");
    assert!(fenced.contains("docs/CURRENT_TASK.md") && on_screen.contains(fenced), "{page}");
}

#[test]
fn an_answer_that_only_the_engine_can_judge_is_asked_again() {
    let sandbox = repository();
    let mut terminal = Terminal::run(&sandbox, &["clarify", "Improve everything"]);
    terminal.until("> ");
    terminal.enter("other\n");
    terminal.until("please specify");
    terminal.enter("Billing\n");
    terminal.until("> ");
    terminal.enter("Invoices are sent by e-mail\n");
    terminal.until("files");
    terminal.until("> ");
    terminal.enter("/etc/passwd\n");
    terminal.until("> ");
    terminal.enter("Invoices arrive\n");
    terminal.until("not a path inside the repository");
    terminal.until("> ");
    terminal.enter("src/billing/\n");
    let shown = terminal.until("coding agent.");
    assert!(shown.contains("Task "), "{shown}");
    assert!(sandbox.read("docs/CURRENT_TASK.md").contains("- `src/billing/`"));
    assert_eq!(terminal.end().1, Some(0));
}

#[test]
fn an_interrupt_keeps_the_interview() {
    let sandbox = repository();
    let mut terminal = Terminal::run(&sandbox, &["clarify", "Add authentication"]);
    terminal.until("> ");
    let pid = Pid::from_raw(terminal.pid().cast_signed()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("hewto clarify resume"), "{shown}");
    assert_eq!(sandbox.json(&["clarify", "status"])["status"], "active");
    // The end of the input is no interrupt.
    let mut terminal = Terminal::run(&sandbox, &["clarify", "resume"]);
    terminal.until("> ");
    terminal.enter("OAuth\n");
    terminal.until("> ");
    terminal.enter("\u{4}");
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(sandbox.json(&["clarify", "status"])["questions"][0]["value"], "OAuth");
}

#[test]
fn a_person_is_asked_before_the_answers_are_dropped() {
    let sandbox = repository();
    sandbox.ok(&["clarify", "start", "Add authentication", "--non-interactive"]);
    let mut terminal = Terminal::run(&sandbox, &["clarify", "reset"]);
    terminal.until("Drop the answers");
    terminal.enter("no\n");
    assert_eq!(terminal.end().1, Some(1));
    sandbox.json(&["clarify", "status"]);
    let mut terminal = Terminal::run(&sandbox, &["clarify", "reset"]);
    terminal.enter("yes\n");
    assert_eq!(terminal.end().1, Some(0));
    assert_eq!(sandbox.output(&["clarify", "status"]).status.code(), Some(1));
}
