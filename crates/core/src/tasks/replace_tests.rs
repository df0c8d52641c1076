//! Lists with prose between nested tasks, in any order.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Vec<(String, TaskStatus)> {
    let document = Document::parse(text);
    TasksDoc::read(&document).tasks().map(|task| (task.title.to_owned(), task.status)).collect()
}

fn step(title: &str) -> NewStep {
    NewStep { title: title.to_owned(), ..NewStep::default() }
}

/// Nested tasks, some done, some with prose behind them, as they or below them.
fn list(tasks: &[(usize, bool, Option<bool>)]) -> (String, Vec<String>) {
    let mut text = "# Tasks\n\nINTRO\n\n## 1. All\n\nFIRST\n\n".to_owned();
    let mut prose = vec!["INTRO".to_owned(), "FIRST".to_owned()];
    for (at, (depth, is_done, followed)) in tasks.iter().enumerate() {
        let (mark, indent) = (if *is_done { 'x' } else { ' ' }, "  ".repeat(*depth));
        let _ = writeln!(text, "{indent}- [{mark}] t{at}");
        if let Some(is_deep) = followed {
            prose.push(format!("PROSE{at}"));
            let _ = write!(text, "\n{}PROSE{at}\n\n", if *is_deep { indent.as_str() } else { "" });
        }
    }
    (text, prose)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn prose_between_steps_outlives_any_order_of_them(
        tasks in prop::collection::vec((0..3usize, any::<bool>(), any::<Option<bool>>()), 1..9),
        order in prop::sample::subsequence((0..9usize).collect::<Vec<_>>(), 1..9).prop_shuffle(),
    ) {
        let (text, prose) = list(&tasks);
        let steps: Vec<NewStep> = order.iter().map(|at| step(&format!("t{at}"))).collect();
        let before = read(&text);
        let replaced = replace_steps(&text, &steps).text;
        let after = read(&replaced);
        let titles: Vec<&str> = after.iter().map(|(title, _)| title.as_str()).collect();
        prop_assert_eq!(titles, steps.iter().map(|step| step.title.as_str()).collect::<Vec<_>>(), "{}\n->\n{}", text, replaced);
        for word in prose {
            prop_assert!(replaced.contains(&word), "{} is gone:\n{}\n->\n{}", word, text, replaced);
        }
        for (title, status) in before {
            let now = after.iter().find(|(new, _)| *new == title);
            prop_assert!(now.is_none_or(|(_, now)| *now == status), "{}", replaced);
        }
    }
}
