use proptest::prelude::*;

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

fn any_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "text",
        "",
        " ",
        "   indented",
        "\ttab",
        "# H",
        "## Steps",
        "## Approach",
        "### Step 2: x",
        "#### sub",
        "===",
        "---",
        "```",
        "~~~",
        "- item",
        "- **Status:** completed",
        "- **Notes:** n",
        "* **Complexity:** trivial",
        "  - nested",
        "> quote",
        ">",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "<div>",
        "1. one",
        "[a]: /b",
        "| a |",
        "|---|",
        "\\",
        "...",
        "status: x",
        "é🎉",
        "- [ ] task",
        "+",
        "-",
    ]);
    prop_oneof![
        2 => prop::collection::vec(line, 0..7).prop_map(|lines| lines.join("\n")),
        1 => any::<String>(),
        1 => "[ \\-#>*`~<!\n\r\t:a-z\\[\\]\\\\]{0,24}",
    ]
}

fn any_title() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ #\\\\:.\\-a-z0-9`*\n]{0,12}"]
}

fn any_step() -> impl Strategy<Value = PlanStep> {
    let status = prop::sample::select(StepStatus::ALL.to_vec());
    let complexity = prop::sample::select(Complexity::ALL.to_vec());
    (any_title(), any_text(), complexity, status, prop::option::of(any_text())).prop_map(
        |(title, description, complexity, status, notes)| PlanStep {
            index: 0,
            title,
            description,
            complexity,
            status,
            notes,
        },
    )
}

fn any_plan(count: std::ops::Range<usize>) -> impl Strategy<Value = Plan> {
    let steps = prop::collection::vec(any_step(), count).prop_map(numbered);
    (any::<String>(), any_text(), steps, prop::option::of("2026-0[1-9]-01")).prop_map(
        |(spec_id, approach, steps, moment)| Plan {
            spec_id,
            approach,
            steps,
            created_at: moment.clone(),
            updated_at: moment,
        },
    )
}

fn normal(plan: &Plan) -> Plan {
    Plan { approach: normalised(&plan.approach), steps: render::kept(&plan.steps), ..plan.clone() }
}

proptest! {
    #[test]
    fn any_plan_reads_back_as_it_was_given(plan in any_plan(0..4)) {
        let text = plan.render();
        prop_assert_eq!(read(&text), normal(&plan), "{}", text);
    }

    #[test]
    fn completing_touches_only_that_step_and_the_moment(plan in any_plan(1..4), pick in 0usize..4, notes in prop::option::of(any_text())) {
        let text = plan.render();
        let pick = pick % plan.steps.len();
        let edited = complete_step(&text, pick, notes.as_deref(), NOW).unwrap();
        let mut expected = normal(&plan);
        expected.steps[pick].status = StepStatus::Completed;
        let notes = notes.as_deref().map(normalised).filter(|notes| !notes.is_empty());
        if notes.is_some() {
            expected.steps[pick].notes = notes;
        }
        expected.updated_at = Some(NOW.to_owned());
        prop_assert_eq!(read(&edited), expected);
        let spans = |text: &str| {
            let document = Document::parse(text);
            let spans = places::Places::of(&document).steps.iter().map(|place| place.span.clone()).collect::<Vec<_>>();
            (document.body_start(), spans)
        };
        let ((body, old), (new_body, new)) = (spans(&text), spans(&edited));
        prop_assert_eq!(&text[body..old[pick].start], &edited[new_body..new[pick].start]);
        prop_assert_eq!(&text[old[pick].end..], &edited[new[pick].end..]);
        prop_assert_eq!(complete_step(&edited, pick, None, NOW).unwrap(), edited);
    }

    #[test]
    fn steps_and_approach_can_be_replaced_in_any_plan(plan in any_plan(0..4), other in any_plan(0..4)) {
        let text = plan.render();
        let edited = replace_steps(&text, &other.steps).unwrap();
        prop_assert_eq!(read(&edited), Plan { steps: render::kept(&other.steps), ..normal(&plan) });
        let edited = set_approach(&text, &other.approach).unwrap();
        prop_assert_eq!(read(&edited), Plan { approach: normalised(&other.approach), ..normal(&plan) });
        prop_assert_eq!(replace_steps(&text, &plan.steps).unwrap(), text);
    }

    #[test]
    fn any_text_is_a_plan_and_edits_of_it_keep_the_rest(text in any_text(), steps in prop::collection::vec(any_step(), 0..2)) {
        let (plan, _) = Plan::read(&text);
        for index in 0..plan.steps.len() {
            if let Ok(edited) = complete_step(&text, index, Some("n"), NOW) {
                let mut expected = plan.clone();
                expected.steps[index].status = StepStatus::Completed;
                expected.steps[index].notes = Some("n".to_owned());
                prop_assert_eq!(read(&edited).steps, expected.steps);
            }
        }
        if let Ok(edited) = replace_steps(&text, &steps) {
            prop_assert_eq!(read(&edited).approach, plan.approach);
        }
        if let Ok(edited) = set_approach(&text, "new") {
            prop_assert_eq!(read(&edited).steps, plan.steps);
        }
    }
}
