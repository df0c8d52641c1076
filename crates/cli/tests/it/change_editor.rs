//! A change as a person writes it in an editor.

use crate::sandbox::{Sandbox, whole};

const SPEC: &str = "# api Specification\n\n## Purpose\n\nWhat the interface promises to the programs that call it.\n\n## Requirements\n\n### Requirement: Keys\n\nEvery call SHALL carry a key.\n\n#### Scenario: None\n\n- **WHEN** a call has none\n- **THEN** it is refused\n";
const WHY: &str = "Because one client can flood the interface and take it away from all.";

fn workspace() -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write("specs/api/spec.md", SPEC);
    sandbox
}

/// Runs a command whose editor is this shell script; the page is `$1`, and what it showed is added to `pages`.
fn edited(sandbox: &Sandbox, args: &[&str], script: &str) -> String {
    let file = sandbox.root().join("editor.sh");
    let pages = sandbox.root().join("pages");
    fs_err::write(&file, format!("cat \"$1\" >> '{}'\n{script}\n", pages.display())).unwrap();
    let editor = format!("/bin/sh {}", file.display());
    whole(&sandbox.hewto(args).env("PATH", "/usr/bin:/bin").env("EDITOR", editor).output().unwrap())
}

#[test]
fn a_page_is_opened_again_with_its_faults_until_it_is_right() {
    let sandbox = workspace();
    let page = sandbox.root().join("good.md");
    let good = format!(
        "# Why\n\n{WHY}\n\n# What changes\n\n- a limit\n\n# Tasks\n\n<!-- one line each -->\n- Count\n\n# Delta: api\n\n## ADDED Requirements\n\n### Requirement: Limit\n\nThe API SHALL refuse more.\n\n<!-- ask Ann -->\n\n#### Scenario: Many\n\n- **WHEN** many\n- **THEN** none\n"
    );
    fs_err::write(&page, good).unwrap();
    // The first time a part is added that there is not, the second time all is well.
    let script = format!(
        "if grep -q '✗' \"$1\"; then cp '{}' \"$1\"; else printf '\\n# Whatever\\n' >> \"$1\"; fi",
        page.display()
    );
    let shown = edited(&sandbox, &["change", "new", "add-limit", "--edit"], &script);
    assert!(shown.contains("add-limit") && shown.ends_with("[exit 0]"), "{shown}");
    let pages = fs_err::read_to_string(sandbox.root().join("pages")).unwrap();
    assert!(pages.contains("<!-- ✗ ") && pages.contains("`# Whatever` is not part of a change"), "{pages}");
    let delta = sandbox.read("changes/add-limit/specs/api/spec.md");
    assert!(delta.contains("<!-- ask Ann -->\n"), "{delta}");
    assert!(sandbox.read("changes/add-limit/tasks.md").contains("- [ ] 1.1 Count\n"));
}

#[test]
fn editing_one_part_leaves_comments_headings_and_line_ends_of_the_others() {
    let sandbox = workspace();
    sandbox.ok(&["change", "new", "add-limit", "--why", WHY, "--what", "- a limit", "--task", "Count"]);
    let delta = "# Delta for api\r\n\r\n## ADDED Requirements\r\n\r\n### Requirement: Limit\r\n\r\n<!-- spec-id: limit -->\r\n\r\nThe API SHALL refuse more.\r\n\r\n<!-- ask Ann -->\r\n\r\n#### Scenario: Many\r\n\r\n- **WHEN** many\r\n- **THEN** none\r\n";
    sandbox.write("changes/add-limit/specs/api/spec.md", delta);
    let edit = ["change", "edit", "add-limit"];
    let shown = edited(&sandbox, &edit, "sed -i 's/one client/two clients/' \"$1\"");
    assert!(shown.ends_with("[exit 0]"), "{shown}");
    assert!(sandbox.read("changes/add-limit/proposal.md").contains("two clients"));
    assert_eq!(sandbox.read("changes/add-limit/specs/api/spec.md"), delta);
    let shown = edited(&sandbox, &edit, "sed -i 's/refuse more/refuse much more/' \"$1\"");
    assert!(shown.ends_with("[exit 0]"), "{shown}");
    let expected = delta.replace("refuse more", "refuse much more");
    assert_eq!(sandbox.read("changes/add-limit/specs/api/spec.md"), expected);
}

#[test]
fn what_was_half_written_is_kept_and_its_place_told() {
    let sandbox = workspace();
    let shown = edited(
        &sandbox,
        &["change", "new", "add-limit", "--edit"],
        "printf '# Why\\n\\nHalf a tho' > \"$1\"; exit 7",
    );
    let (_, place) = shown.split_once("what you wrote is in ").unwrap_or_else(|| panic!("{shown}"));
    let path = place.split_whitespace().next().unwrap();
    assert_eq!(fs_err::read_to_string(path).unwrap(), "# Why\n\nHalf a tho");
    fs_err::remove_file(path).unwrap();
    assert!(!sandbox.project().join("changes/add-limit").exists());
}

#[test]
fn a_page_that_is_left_as_it_was_changes_nothing_and_is_no_fault() {
    let sandbox = workspace();
    sandbox.ok(&["change", "new", "add-limit", "--why", WHY, "--what", "- a limit", "--task", "Count"]);
    let shown = edited(&sandbox, &["change", "edit", "add-limit"], "true");
    assert!(shown.contains("everything is as it was") && shown.ends_with("[exit 0]"), "{shown}");
}
