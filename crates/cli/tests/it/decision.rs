//! `hewto decision` and `hewto architecture`.

use hewto_core::decision::link::decision_of;
use serde_json::json;

use crate::sandbox::Sandbox;

fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox
}

/// Records a decision; its UID.
fn decide(sandbox: &Sandbox, category: &str, field: &str) -> String {
    let args = ["decision", "new", category, field, "--context", "Because it was needed"];
    sandbox.json(&args)["uid"].as_str().unwrap().to_owned()
}

#[test]
fn a_decision_is_recorded_listed_and_shown() {
    let sandbox = repository();
    assert_eq!(sandbox.json(&["decision", "list"])["decisions"], json!([]));
    let first = decide(&sandbox, "database", "type=PostgreSQL");
    let second = decide(&sandbox, "Infra", "Hosting=Vercel");
    assert!(second > first);
    let list = sandbox.json(&["decision", "list"]);
    assert_eq!((&list["total"], &list["decisions"][1]["uid"]), (&json!(2), &json!(second)));
    let shown = sandbox.json(&["decision", "show", &second]);
    assert_eq!((&shown["previous"], &shown["category"]), (&json!(first), &json!("Infra")));
    assert_eq!(sandbox.ok(&["decision", "show", &second]), shown["text"].as_str().unwrap());
    let known = sandbox.json(&["architecture"]);
    assert_eq!(
        known["architecture"],
        json!({"uid": second, "categories": {"Database": {"Type": "PostgreSQL"}, "Infra": {"Hosting": "Vercel"}}})
    );
    // No task: nobody asked for work.
    assert!(!sandbox.project().join("docs/CURRENT_TASK.md").exists());
}

#[test]
fn what_was_decided_without_a_workspace_is_in_the_log_that_people_read() {
    let sandbox = repository();
    decide(&sandbox, "database", "type=PostgreSQL");
    sandbox.ok(&["trust", "--revoke"]);
    let done = sandbox.json(&["log"]);
    let tools: Vec<&str> =
        done["operations"].as_array().unwrap().iter().map(|one| one["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["hewto decision new", "hewto trust --revoke"]);
    assert_eq!(sandbox.json(&["ops"])["total"], 2);
    let elsewhere = Sandbox::empty();
    assert!(elsewhere.run(&["log"]).contains("no workspace at or above"));
}

#[test]
fn what_cannot_be_recorded_is_refused_and_nothing_is_written() {
    let sandbox = repository();
    let new = |more: &[&str]| {
        let args = [&["decision", "new"], more, &["--context", "Why", "--json"]].concat();
        let output = sandbox.output(&args);
        let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), error["reason"].as_str().map(str::to_owned))
    };
    assert_eq!(new(&["Nonsense", "a=b"]), (Some(1), Some("UNKNOWN_CATEGORY".to_owned())));
    assert_eq!(new(&["Database", "Type= "]), (Some(1), Some("MISSING_REQUIRED_FIELD".to_owned())));
    assert_eq!(new(&["Database", "stray"]), (Some(2), None));
    assert!(!sandbox.project().join("docs").exists());
    insta::assert_snapshot!(sandbox.run(&["decision", "show", "2025"]), @r"
    [stderr]
    error: no decision `2025`
    hint: run `hewto decision list` to see the UIDs
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["architecture"]), @r#"
    nothing has been decided yet; begin with `hewto clarify "INTENTION"`
    [exit 0]
    "#);
    // A field that no catalogue has is a free one.
    assert_eq!(new(&["Database", "Nonsense=b"]), (Some(0), None));
}

#[test]
fn people_read_tables() {
    let sandbox = repository();
    let uid = decide(&sandbox, "Database", "Type=PostgreSQL");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&uid.replace('.', "\\."), "[UID]");
    settings.add_filter(r"\d{4}-\d\d-\d\d", "[DATE]");
    settings.bind(|| {
        insta::assert_snapshot!(sandbox.run(&["decision", "list"]), @r"
        UID                        DATE        CATEGORY  TITLE
        [UID]  [DATE]  Database  Database: Type = PostgreSQL
        1 decision
        [exit 0]
        ");
        insta::assert_snapshot!(sandbox.run(&["architecture"]), @r"
        as of [UID]

        Database
          Type  PostgreSQL
        [exit 0]
        ");
    });
}

#[test]
fn a_spec_and_a_change_can_name_the_decision_that_they_follow_from() {
    let sandbox = Sandbox::workspace();
    sandbox.write(".git/HEAD", "");
    let uid = decide(&sandbox, "Database", "Type=PostgreSQL");
    let id = sandbox.spec("Store orders", &["--decision", &uid]);
    let text = sandbox.read(&format!("specs/{id}/spec.md"));
    assert_eq!(decision_of(&text).unwrap().as_str(), uid, "{text}");
    sandbox.ok(&["change", "new", "add-orders", "--why", "Sales", "--what", "- Orders", "--decision", &uid]);
    let text = sandbox.read("changes/add-orders/proposal.md");
    assert_eq!(decision_of(&text).unwrap().as_str(), uid, "{text}");
    assert_eq!(sandbox.json(&["change", "show", "add-orders"])["title"], "add orders");
    // Nothing is wrong with the front matter; the change only lacks the rest.
    let verdict = sandbox.run(&["validate"]);
    let lacks = ["delta-missing", "tasks-missing", "why-short", "requirements-absent"];
    let codes: Vec<&str> =
        verdict.lines().filter_map(|line| Some(line.strip_suffix(']')?.rsplit_once('[')?.1)).collect();
    assert!(codes.iter().all(|code| lacks.contains(code) || code.starts_with("exit")), "{verdict}");
    // Only this direction is written down; the graph knows the way back.
    let tree = sandbox.ok(&["graph", &format!("adr://{uid}")]);
    assert!(tree.contains("is needed by\n  relates (optional) change://add-orders"), "{tree}");
    assert!(tree.contains(&format!("relates (optional) spec://{id}")), "{tree}");
    let spec = sandbox.ok(&["graph", &format!("spec://{id}")]);
    assert!(spec.contains(&format!("needs\n  relates (optional) adr://{uid}")), "{spec}");
    sandbox.write("changes/add-orders/proposal.md", &text.replace(&uid, "later"));
    let tree = sandbox.ok(&["graph", &format!("adr://{uid}")]);
    assert!(!tree.contains("change://add-orders"), "{tree}");
    // A typo is no decision, and nothing is written.
    for near in [&uid[..20], "later", ""] {
        let args = ["spec", "new", "X", "--description", "d", "--decision", near, "--json"];
        let output = sandbox.output(&args);
        let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), &error["error"]),
            (Some(1), &json!("decision_not_found")),
            "{near}"
        );
        let args = ["change", "new", "x", "--why", "y", "--what", "z", "--decision", near];
        assert_eq!(sandbox.output(&args).status.code(), Some(1));
    }
    assert_eq!(sandbox.json(&["spec", "list"])["total"], 1);
}
