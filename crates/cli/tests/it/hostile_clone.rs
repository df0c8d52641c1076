//! A repository that somebody else made: neither its journal nor its manifest makes hewto write what its owner did not ask
//! for.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use hewto_store::ContentHash;
use serde_json::json;

use crate::sandbox::Sandbox;

const TX: &str = "11111111-1111-4111-8111-111111111111";
const HOOK: &str = "#!/bin/sh\necho PWNED\n";

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A clone with a record that would put a hook into the git folder, by way of a link.
fn planted(path: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    git(&sandbox.project(), &["init", "-q"]);
    sandbox.write(".hewto/config.toml", "[project]\nname = \"evil\"\n");
    sandbox.write("specs/a/spec.md", "# A\n");
    sandbox.write(&format!(".hewto/journal/{TX}/0"), HOOK);
    let blob = sandbox.project().join(format!(".hewto/journal/{TX}/0"));
    fs_err::set_permissions(blob, std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink(".git", sandbox.project().join("x")).unwrap();
    let new = ContentHash::of(HOOK.as_bytes()).to_string();
    let step = json!({ "do": "put", "path": path, "old": null, "new": new, "blob": "0" });
    let record =
        json!({ "version": 1, "tx": TX, "operation": "x", "at": "2026-01-01T00:00:00Z", "steps": [step] });
    sandbox.write(".hewto/journal/pending", &record.to_string());
    git(&sandbox.project(), &["add", "-fA"]);
    git(&sandbox.project(), &["commit", "-qm", "x"]);
    sandbox
}

#[test]
fn no_first_contact_with_a_clone_carries_out_the_journal_that_it_brought() {
    for path in ["x/hooks/post-checkout", ".git/hooks/post-checkout", "planted.md"] {
        let sandbox = planted(path);
        for command in [
            &["status"][..],
            &["validate"],
            &["spec", "list"],
            &["doctor"],
            &["log"],
            &["search", "x"],
            &["init", "--dry-run"],
            &["uninstall", "--dry-run"],
            &["spec", "new", "Hello", "--description", "x"],
        ] {
            sandbox.run(command);
            assert!(!sandbox.project().join(".git/hooks/post-checkout").exists(), "{command:?}");
            assert!(!sandbox.project().join("planted.md").exists(), "{command:?}");
        }
        let serve = sandbox.run_with_input(
            &["serve", "--read-only"],
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n",
        );
        assert!(!sandbox.project().join(".git/hooks/post-checkout").exists(), "{serve}");
    }
}

#[test]
fn a_record_that_is_not_believed_is_reported_and_removed_on_request() {
    let sandbox = planted("planted.md");
    let report = sandbox.run(&["validate"]);
    assert!(report.contains("this record of a write is ignored"), "{report}");
    let report = sandbox.run(&["doctor"]);
    assert!(report.contains(".hewto/journal/pending is ignored"), "{report}");
    assert!(sandbox.project().join(".hewto/journal/pending").exists());
    let report = sandbox.run(&["doctor", "--fix"]);
    assert!(report.contains(".hewto/journal/pending was removed"), "{report}");
    assert!(!sandbox.project().join(".hewto/journal/pending").exists());
    assert!(!sandbox.project().join(format!(".hewto/journal/{TX}")).exists());
    assert!(!sandbox.project().join("planted.md").exists());
}

#[test]
fn a_record_whose_content_has_an_impossible_name_is_no_panic() {
    let sandbox = planted("a.md");
    let record = sandbox.read(".hewto/journal/pending").replace("\"blob\":\"0\"", "\"blob\":\"..\"");
    sandbox.write(".hewto/journal/pending", &record);
    let listed = sandbox.run(&["spec", "list"]);
    assert!(listed.trim_end().ends_with("[exit 0]"), "{listed}");
    sandbox.ok(&["spec", "new", "Hello", "--description", "x"]);
}

#[test]
fn uninstall_gives_back_only_what_init_can_have_written() {
    let sandbox = Sandbox::empty();
    git(&sandbox.project(), &["init", "-q"]);
    sandbox.write(".hewto/config.toml", "[project]\nname = \"x\"\n");
    sandbox.write("src/main.rs", "fn main() {}\n");
    symlink(".git", sandbox.project().join("x")).unwrap();
    let config = sandbox.read(".git/config");
    let evil = "[core]\n\tfsmonitor = \"id > PWNED\"\n";
    let hash = |text: &str| ContentHash::of(text.as_bytes()).to_string();
    let rewrite = json!({ "before": hash(&format!("{config}{evil}")), "after": hash(&config),
        "edit": { "at": config.len(), "removed": evil, "inserted": "" } });
    let delete = json!({ "before": null, "after": hash("fn main() {}\n") });
    let manifest = json!({ "version": 1, "folders": [],
        "files": { "x/config": rewrite.clone(), ".git/config": rewrite, "src/main.rs": delete } });
    sandbox.write(".hewto/manifest.json", &manifest.to_string());
    let report = sandbox.run(&["uninstall", "--yes"]);
    assert_eq!(sandbox.read(".git/config"), config, "{report}");
    assert_eq!(sandbox.read("src/main.rs"), "fn main() {}\n", "{report}");
    for file in ["x/config", "src/main.rs"] {
        assert!(report.contains(file), "{report}");
    }
}

#[test]
fn purge_leaves_what_stood_there_before_and_what_others_put_beside() {
    let sandbox = Sandbox::empty();
    git(&sandbox.project(), &["init", "-q"]);
    sandbox.write("specs/petstore.yaml", "openapi: 3\n");
    sandbox.write("specs/old/spec.md", "# Before\n");
    sandbox.write("changes/12.bugfix", "fixed #12\n");
    sandbox.ok(&["init", "--yes"]);
    sandbox.ok(&["spec", "new", "Hello", "--description", "x"]);
    sandbox.write("specs/own/spec.md", "# Own\n");
    sandbox.write("specs/own/diagram.txt", "beside\n");
    sandbox.ok(&["uninstall", "--purge", "--yes"]);
    for (path, text) in [
        ("specs/petstore.yaml", "openapi: 3\n"),
        ("specs/old/spec.md", "# Before\n"),
        ("changes/12.bugfix", "fixed #12\n"),
        ("specs/own/diagram.txt", "beside\n"),
    ] {
        assert_eq!(sandbox.read(path), text);
    }
    let left: Vec<_> = fs_err::read_dir(sandbox.project().join("specs"))
        .unwrap()
        .map(|item| item.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(!sandbox.project().join("specs/own/spec.md").exists());
}

/// A text that waits in the journal of the git folder, from before the repository became a workspace.
#[test]
fn texts_that_wait_in_either_journal_survive_an_uninstall() {
    let sandbox = Sandbox::empty();
    git(&sandbox.project(), &["init", "-q"]);
    let stranded = json!([{ "path": "docs/CURRENT_TASK.md", "kept": format!("hewto/journal/{TX}/0"),
        "operation": "decision", "at": "2026-01-01T00:00:00Z" }]);
    sandbox.write(&format!(".git/hewto/journal/{TX}/0"), "could not be written\n");
    sandbox.write(&format!(".git/hewto/journal/{TX}/stranded.json"), &stranded.to_string());
    sandbox.ok(&["init", "--yes"]);
    let report = sandbox.run(&["uninstall", "--yes"]);
    assert_eq!(sandbox.read(&format!(".git/hewto/journal/{TX}/0")), "could not be written\n", "{report}");
    assert!(report.contains(".git/hewto/journal"), "{report}");
}
