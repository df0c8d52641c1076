//! Edits that change what they mean to and nothing else.

use super::super::*;
use super::{NOW, SEED, numbered, read, step};

#[test]
fn completing_a_step_changes_its_lines_alone() {
    let expected = SEED
        .replacen("updated_at: 2026-01-24T14:30:00Z", &format!("updated_at: {NOW}"), 1)
        .replacen("- **Status:** pending\n", "- **Status:** completed\n- **Notes:** fine\n  so\n", 1);
    assert_eq!(complete_step(SEED, 1, Some("fine\r\nso"), NOW).unwrap(), expected);
    for (text, notes, expected) in [
        ("### Step 1: A", None, "### Step 1: A\n- **Status:** completed\n"),
        (
            "### Step 1: A\ntext\n\n### Step 2: B\n",
            None,
            "### Step 1: A\ntext\n\n- **Status:** completed\n\n### Step 2: B\n",
        ),
        (
            "### Step 1: A\n\n*  __Status__:  in progress\n",
            Some("n"),
            "### Step 1: A\n\n*  __Status__: completed\n*  **Notes:** n\n",
        ),
        ("### Step 1: A\n- **Status:** done ✅\n", None, "### Step 1: A\n- **Status:** done ✅\n"),
        (
            "### Step 1: A\n- **Status:** done\n- **Notes:** old\n  more\n",
            None,
            "### Step 1: A\n- **Status:** done\n- **Notes:** old\n  more\n",
        ),
        (
            "### Step 1: A\n- **Notes:** old\n  more\n\n<!-- x -->\n",
            Some("new"),
            "### Step 1: A\n- **Status:** completed\n- **Notes:** new\n\n<!-- x -->\n",
        ),
        (
            "### Step 1: A\n- **Complexity:** simple",
            Some("n"),
            "### Step 1: A\n- **Complexity:** simple\n- **Status:** completed\n- **Notes:** n\n",
        ),
        (
            "### Step 1: A\r\n- **Status:** pending\r\n\r\nmine\r\n",
            Some("a\nb"),
            "### Step 1: A\r\n- **Status:** completed\r\n- **Notes:** a\r\n  b\r\n\r\nmine\r\n",
        ),
        ("### Step 1: A\n```\nopen\n", None, "### Step 1: A\n- **Status:** completed\n\n```\nopen\n"),
        ("### Step 1: A\n- **Status:** blocked\n", None, "### Step 1: A\n- **Status:** completed\n"),
    ] {
        assert_eq!(complete_step(text, 0, notes, NOW).as_deref(), Ok(expected), "{text}");
    }
    assert_eq!(complete_step(SEED, 2, None, NOW), Err(PlanEditError::NoSuchStep { index: 2, total: 2 }));
    let broken = "---\na: [\n---\n### Step 1: A\n";
    assert!(matches!(complete_step(broken, 0, None, NOW), Err(PlanEditError::FrontMatter(_))));
}

#[test]
fn replaced_steps_keep_what_a_person_wrote_beside_and_in_them() {
    let text = "# P\n\n## Steps\n\nread this first\n\n### Step 1:  Keep\n\n* **Status:** done <!-- -->\n\n### Step 2: Drop\n\n## Risks\n\nsome\n";
    let keep = read(text).steps[0].clone();
    let steps = numbered(vec![step("New", "text"), keep]);
    let edited = replace_steps(text, &steps).unwrap();
    assert_eq!(
        edited,
        "# P\n\n## Steps\n\nread this first\n\n### Step 1: New\n\ntext\n\n- **Complexity:** simple\n- **Status:** pending\n\n### Step 2:  Keep\n\n* **Status:** done <!-- -->\n\n## Risks\n\nsome\n"
    );
    for (text, expected) in [
        ("", "## Steps\n\n### Step 1: A\n- **Complexity:** simple\n- **Status:** pending\n"),
        ("## Steps", "## Steps\n\n### Step 1: A\n- **Complexity:** simple\n- **Status:** pending\n"),
        (
            "## Steps\n\n## Risks\n",
            "## Steps\n\n### Step 1: A\n- **Complexity:** simple\n- **Status:** pending\n\n## Risks\n",
        ),
        (
            "## Step 1: x\n\n## Mine\n\n## Step 2: y",
            "### Step 1: A\n- **Complexity:** simple\n- **Status:** pending\n\n## Mine\n\n",
        ),
        (
            "## Steps\r\n### Step 1: x\r\n",
            "## Steps\r\n### Step 1: A\r\n- **Complexity:** simple\r\n- **Status:** pending\r\n",
        ),
    ] {
        assert_eq!(replace_steps(text, &[step("A", "")]).as_deref(), Ok(expected), "{text:?}");
    }
}

#[test]
fn steps_that_move_leave_the_sections_between_them() {
    let text = "# P\n\n## Step 1: A\n\nx\n\n## Mine\n\nkeep\n\n## Step 2: B\n\ny\n\n## Step 3: C\n";
    let steps = read(text).steps;
    assert_eq!(replace_steps(text, &steps).unwrap(), text);
    let turned = numbered(vec![steps[1].clone(), steps[0].clone(), steps[2].clone()]);
    let edited = replace_steps(text, &turned).unwrap();
    assert_eq!(read(&edited).steps, turned);
    assert!(edited.contains("\n## Mine\n\nkeep\n\n"), "{edited}");
    let fewer = numbered(vec![steps[0].clone(), steps[2].clone()]);
    let expected = "# P\n\n## Step 1: A\n\nx\n\n## Mine\n\nkeep\n\n## Step 2: C\n";
    assert_eq!(replace_steps(text, &fewer).unwrap(), expected);
}

#[test]
fn a_step_is_opened_again_with_the_reason() {
    let text = "### Step 1: A\n- **Status:** completed\n- **Notes:** fine\n";
    let expected = "### Step 1: A\n- **Status:** pending\n- **Notes:** fine\n  Reopened: not on Windows\n";
    assert_eq!(reopen_step(text, 0, "not on Windows", NOW).unwrap(), expected);
    assert_eq!(reopen_step(text, 1, "x", NOW), Err(PlanEditError::NoSuchStep { index: 1, total: 1 }));
}

#[test]
fn a_new_approach_replaces_the_section_and_its_copy() {
    let expected = SEED
        .replacen("approach: Use JWT tokens with bcrypt password hashing", "approach: Better", 1)
        .replacen("\nUse JWT tokens with bcrypt password hashing\n", "\nBetter\n", 1);
    assert_eq!(set_approach(SEED, "Better\n").unwrap(), expected);
    for (text, expected) in [
        ("## Approach\nold\n\n\n## Steps\n", "## Approach\nnew\n\n\n## Steps\n"),
        ("## Approach\n## Steps\n", "## Approach\n\nnew\n\n## Steps\n"),
        ("# P\n\n## Steps\n", "# P\n\n## Approach\n\nnew\n\n## Steps\n"),
        ("---\napproach: old\n---\n\n## Steps\n", "---\napproach: new\n---\n\n## Steps\n"),
        ("", "## Approach\n\nnew\n"),
        ("# P", "# P\n\n## Approach\n\nnew\n"),
        ("## Approach\r\n\r\nold\r\n", "## Approach\r\n\r\nnew\r\n"),
    ] {
        assert_eq!(set_approach(text, "new").as_deref(), Ok(expected), "{text:?}");
    }
    let quoted = set_approach(SEED, "## Overview\n\nx").unwrap();
    assert!(quoted.contains("## Approach\n\n> ## Overview\n>\n> x\n\n## Steps\n"), "{quoted}");
}
