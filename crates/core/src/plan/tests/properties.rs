//! What holds of every plan.

use proptest::prelude::*;

use super::super::*;
use super::{NOW, numbered, read};

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
