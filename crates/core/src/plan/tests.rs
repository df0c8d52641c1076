mod edits;
mod properties;

use super::*;

const SEED: &str = "---
spec_id: 1737734400-user-authentication
approach: Use JWT tokens with bcrypt password hashing
created_at: 2026-01-24T11:00:00Z
updated_at: 2026-01-24T14:30:00Z
---

# Implementation Plan

## Approach

Use JWT tokens with bcrypt password hashing

## Steps

### Step 1: Set up auth database schema
- **Complexity:** simple
- **Status:** completed
- **Notes:** Created users table with email, password_hash columns

### Step 2: Implement password hashing
- **Complexity:** moderate
- **Status:** pending
";

const NOW: &str = "2026-02-01T00:00:00Z";

fn step(title: &str, description: &str) -> PlanStep {
    PlanStep { title: title.to_owned(), description: description.to_owned(), ..PlanStep::default() }
}

fn numbered(steps: Vec<PlanStep>) -> Vec<PlanStep> {
    steps.into_iter().enumerate().map(|(index, step)| PlanStep { index, ..step }).collect()
}

fn read(text: &str) -> Plan {
    Plan::read(text).0
}

fn codes(text: &str) -> Vec<(&'static str, usize)> {
    Plan::read(text).1.iter().map(|diagnostic| (diagnostic.code, diagnostic.line)).collect()
}

#[test]
fn the_sample_of_seed_000_is_read_and_written_alike() {
    let (plan, diagnostics) = Plan::read(SEED);
    assert_eq!(plan.spec_id, "1737734400-user-authentication");
    assert_eq!(plan.approach, "Use JWT tokens with bcrypt password hashing");
    assert_eq!(plan.steps[0].notes.as_deref(), Some("Created users table with email, password_hash columns"));
    assert_eq!(plan.steps[1].complexity, Complexity::Moderate);
    assert_eq!(plan.progress(), PlanProgress { total: 2, completed: 1, percentage: 50 });
    assert_eq!(plan.current_step().unwrap().index, 1);
    assert!(diagnostics.is_empty());
    assert_eq!(plan.render(), SEED);
}

#[test]
fn a_step_shows_its_description_before_its_bullets_and_notes_as_one_bullet() {
    let plan = Plan {
        steps: vec![PlanStep { notes: Some("one\n\ntwo".into()), ..step("T", "Do this.\n\n- and\n- that") }],
        ..Plan::default()
    };
    let text = plan.render();
    assert!(text.ends_with(
        "### Step 1: T\n\nDo this.\n\n- and\n- that\n\n- **Complexity:** simple\n- **Status:** pending\n- **Notes:** one\n\n  two\n"
    ));
    assert_eq!(read(&text).steps, plan.steps);
}

#[test]
fn texts_that_look_like_structure_survive() {
    let texts = [
        "## Steps\n\n### Step 9: x\n- **Status:** completed",
        "```\n### Step 9: x\n- **Status:** completed\n```",
        "```\nnever closed",
        "<!-- never closed",
        "<!-- closed -->",
        "---\ntitle: x\n---",
        "# Heading",
        "Setext\n===\nand\n---",
        "- **Status:** completed",
        "- Status: done",
        "- **Notes:** mine",
        "> quoted",
        ">",
        "> half\nquoted",
        "#### Sub\n\n- a\n  - **Status:** nested",
        "    indented\n\n\ttab",
        "a\n\n\n\n   b",
        "<pre>\nopen",
        "1. one\n2. two",
        "| a |\n|---|",
        "[ref]: /url",
        "\u{feff}bom",
        "* * *",
        "~~~~\n```",
        "\\",
        "trailing  \nspaces",
    ];
    for text in texts {
        let steps = numbered(vec![
            PlanStep { notes: Some(text.to_owned()), ..step("First", text) },
            PlanStep { status: StepStatus::Completed, ..step("Second", "plain") },
        ]);
        let plan = Plan { approach: text.to_owned(), steps, ..Plan::default() };
        let rendered = plan.render();
        assert_eq!(read(&rendered), plan, "{rendered}");
        assert_eq!(read(&rendered.replace('\n', "\r\n")), plan, "{rendered}");
        let bare = Plan { approach: text.to_owned(), ..Plan::default() };
        assert_eq!(read(&bare.render()), bare);
    }
}

#[test]
fn titles_survive_marks_colons_and_numbers() {
    for title in [
        "a: b",
        "`code` *x*",
        "#",
        "C #",
        "C#",
        "a \\#",
        "a \\\\##",
        "# a #",
        "Step 2: b",
        "3. x",
        ": x",
        "- x",
        "",
        "[x](y)",
        "é 🎉",
    ] {
        let plan = Plan { steps: vec![step(title, "")], ..Plan::default() };
        assert_eq!(read(&plan.render()).steps, plan.steps, "{}", plan.render());
    }
    assert_eq!(normalised_title(" a\r\n  b "), "a b");
}

#[test]
fn what_people_make_of_a_plan_is_understood() {
    let completed = StepStatus::Completed;
    for (text, expected) in [
        // No front matter, no title, no approach.
        ("## Steps\n### Step 1: A\n", vec![step("A", "")]),
        // No `## Steps`.
        ("### Step 1: A\ntext\n### Step 2: B\n", vec![step("A", "text"), step("B", "")]),
        ("# Plan\n\n## Approach\nx\n\n### Step 1: A\n", vec![step("A", "")]),
        ("# Plan\n\n## Step 1: A\ntext\n\n## Step 2: B\n", vec![step("A", "text"), step("B", "")]),
        // Other headings.
        (
            "## steps\n\n### 1. A\n### 2) B\n### Step 3 - C\n### step 4 D\n",
            vec![step("A", ""), step("B", ""), step("C", ""), step("D", "")],
        ),
        ("## Steps\n\n### 2FA setup\n", vec![step("2FA setup", "")]),
        // Other bullets, other words.
        (
            "## Steps\n### Step 1: A\n* **status**: Done\n+ __Complexity:__ Trivial\n",
            vec![PlanStep { status: completed, complexity: Complexity::Trivial, ..step("A", "") }],
        ),
        (
            "## Steps\n### Step 1: A\n- Complexity: complex\n- Status: in-progress\n- Notes: n\n",
            vec![PlanStep {
                status: StepStatus::InProgress,
                complexity: Complexity::Complex,
                notes: Some("n".into()),
                ..step("A", "")
            }],
        ),
        (
            "## Steps\n### Step 1: A\n- **Status:** ✅ completed\n",
            vec![PlanStep { status: completed, ..step("A", "") }],
        ),
        // Text behind and between the bullets.
        (
            "## Steps\n### Step 1: A\nbefore\n- **Complexity:** simple\n\nbetween\n\n- **Status:** done\nlazy\n\nafter\n",
            vec![PlanStep { status: completed, ..step("A", "before\n\nbetween\n\nlazy\n\nafter") }],
        ),
        // Notes in several shapes.
        (
            "## Steps\n### Step 1: A\n- **Status:** done\n- **Notes:**\n  - one\n  - two\n",
            vec![PlanStep { status: completed, notes: Some("- one\n- two".into()), ..step("A", "") }],
        ),
        (
            "## Steps\n### Step 1: A\n-   **Notes:** one\n    two\nlazy\n",
            vec![PlanStep { notes: Some("one\ntwo\nlazy".into()), ..step("A", "") }],
        ),
        ("## Steps\n### Step 1: A\n- **Notes:**\n", vec![step("A", "")]),
        // A quote, a fence and a section of a person's own.
        (
            "## Steps\n### Step 1: A\n> said\n> so\n\n## Risks\n\n### Step 9: no\n",
            vec![step("A", "said\nso")],
        ),
        ("## Steps\n```\n### Step 9: no\n```\n### Step 1: A\n", vec![step("A", "")]),
        // A list in the description that is no field.
        ("## Steps\n### Step 1: A\n- status: of the request\n", vec![step("A", "- status: of the request")]),
        ("## Steps\n\n## Step 1: A\n", vec![step("A", "")]),
        ("## Approach\n\n### Step 1: of thought\n\n## Steps\n", vec![]),
        ("no plan at all", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(read(text).steps, numbered(expected), "{text}");
        assert_eq!(read(&text.replace('\n', "\r\n")).steps, read(text).steps, "{text}");
    }
}

#[test]
fn the_approach_section_wins_over_its_copy() {
    assert_eq!(read("---\napproach: old\n---\n## Approach\n\nnew\n").approach, "new");
    assert_eq!(read("---\napproach: old\n---\n## Approach\n\n## Steps\n").approach, "");
    assert_eq!(read("---\napproach: old\n---\n## Steps\n").approach, "old");
    assert_eq!(read("# Approach\n\na\n\n## b\n\n# Steps\n").approach, "a\n\n## b");
}

#[test]
fn odd_numbers_and_words_are_noted() {
    for (text, expected) in [
        ("## Steps\n### Step 1: a\n### Step 1: b\n", vec![("step-number", 3)]),
        ("## Steps\n### Step 1: a\n### Step 3: b\n### Step 4: c\n", vec![("step-number", 3)]),
        ("## Steps\n### a\n### Step 2: b\n", vec![("step-number", 2)]),
        ("## Steps\n### Step 1: a\n- **Status:** blocked\n", vec![("step-status-unknown", 3)]),
        ("## Steps\n### Step 1: a\n- **Complexity:** huge\n", vec![("step-complexity-unknown", 3)]),
        ("---\na: [\n---\n## Steps\n", vec![("front-matter-invalid", 2)]),
    ] {
        assert_eq!(codes(text), expected, "{text}");
    }
}

#[test]
fn progress_is_rounded_down() {
    let plan = |done: usize, total: usize| Plan {
        steps: (0..total)
            .map(|index| PlanStep {
                status: if index < done { StepStatus::Completed } else { StepStatus::Skipped },
                ..PlanStep::default()
            })
            .collect(),
        ..Plan::default()
    };
    for (done, total, percentage) in [(0, 0, 0), (1, 3, 33), (2, 3, 66), (3, 5, 60), (4, 4, 100)] {
        assert_eq!(plan(done, total).progress(), PlanProgress { total, completed: done, percentage });
    }
    assert_eq!(plan(1, 3).current_step(), None);
}
