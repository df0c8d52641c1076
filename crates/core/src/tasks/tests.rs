use proptest::prelude::*;

use super::edit::{TasksError, complete, reopen, replace_approach, tick};
use super::*;

const TASKS: &str = "\
# Tasks

Slowly, then all at once.

## 1. Prepare

- [x] 1.1 Read
- [ ] 1.2 Think
  hard, and
  - [X] 1.2.1 again
* [-] odd
+ [ ] plus
1. [x] ordered
2) [ ] paren
-[ ] no blank
- [] empty
- [x](link) no task
- [xx] no task
- plain

```
- [ ] fenced
```

<!-- - [ ] hidden -->

### 2. Act

- [ ] 2.1 Do it

  With care.

  - **Complexity:** moderate
  - **Notes:** first
    second
";

fn read(text: &str) -> Vec<(String, TaskStatus)> {
    let document = Document::parse(text);
    TasksDoc::read(&document).tasks().map(|task| (task.text.to_owned(), task.status)).collect()
}

#[test]
fn checkboxes_count_with_any_marker_and_mark_outside_code() {
    for text in [TASKS.to_owned(), TASKS.replace('\n', "\r\n"), format!("\u{feff}{TASKS}")] {
        let document = Document::parse(&text);
        let tasks = TasksDoc::read(&document);
        assert_eq!(text[tasks.intro.clone()].trim(), "Slowly, then all at once.");
        let groups: Vec<_> =
            tasks.groups.iter().map(|g| (g.title.unwrap(), g.number, g.tasks.len())).collect();
        assert_eq!(groups, [("1. Prepare", Some("1"), 9), ("2. Act", Some("2"), 1)]);
        assert_eq!(tasks.progress(), Progress { completed: 3, total: 10 });
        let think = tasks.tasks().nth(1).unwrap();
        assert_eq!((think.number, think.title), (Some("1.2"), "Think"));
        assert_eq!(detail(&text, think).description, "hard, and");
        let act = tasks.tasks().last().unwrap();
        let expected = Detail {
            description: "With care.".to_owned(),
            complexity: Some("moderate".to_owned()),
            notes: Some("first\nsecond".to_owned()),
        };
        assert_eq!(detail(&text, act), expected);
    }
}

#[test]
fn the_list_of_the_reference_counts_as_there() {
    let text = "- [x] a\n* [X] b\n+ [x] c\n1. [x] d\n2) [x] e\n- [-] f\n-[ ] g\n- [ ] h\n[x] bare\n";
    let document = Document::parse(text);
    assert_eq!(TasksDoc::read(&document).progress(), Progress { completed: 5, total: 8 });
}

#[test]
fn ticking_touches_one_byte() {
    let ticked = tick(TASKS, 1).unwrap();
    let changed: Vec<_> = TASKS.bytes().zip(ticked.bytes()).filter(|(a, b)| a != b).collect();
    assert_eq!(changed, [(b' ', b'x')]);
    assert_eq!(ticked.len(), TASKS.len());
    assert_eq!(tick(TASKS, 10), Err(TasksError::NoTask { index: 10, total: 10 }));
}

#[test]
fn notes_are_written_below_the_task_and_replace_older_ones() {
    let text = "- [ ] a\r\n- [ ] b\r\n";
    assert_eq!(
        complete(text, 0, Some("went\nwell")).unwrap(),
        "- [x] a\r\n  - **Notes:** went\r\n    well\r\n- [ ] b\r\n"
    );
    let again = complete(TASKS, 9, Some("new")).unwrap();
    assert!(
        again.ends_with(
            "- [x] 2.1 Do it\n\n  With care.\n\n  - **Complexity:** moderate\n  - **Notes:** new\n"
        )
    );
}

fn step(title: &str) -> NewStep {
    NewStep { title: title.to_owned(), ..NewStep::default() }
}

#[test]
fn a_rendered_list_is_read_back() {
    let tasks = NewTasks {
        approach: Some("# Not a group\n- [ ] not a task\n```\nopen".to_owned()),
        groups: vec![NewGroup {
            name: "Build".to_owned(),
            steps: vec![
                NewStep {
                    title: "One".to_owned(),
                    description: "Why.\n\n- [ ] not a task\n## no group".to_owned(),
                    complexity: Some("complex".to_owned()),
                },
                step("Two"),
            ],
        }],
    };
    let text = render(&tasks);
    assert_eq!(
        read(&text),
        [("1.1 One".to_owned(), TaskStatus::Open), ("1.2 Two".to_owned(), TaskStatus::Open)]
    );
    let document = Document::parse(&text);
    let read = TasksDoc::read(&document);
    assert_eq!(read.groups[0].title, Some("1. Build"));
    assert_eq!(detail(&text, &read.groups[0].tasks[0]).complexity.as_deref(), Some("complex"));
}

#[test]
fn replacing_steps_keeps_what_stays_byte_for_byte() {
    let text =
        "# T\n\n## 1. A\n* [x] 1.1 One\n  why\n* [ ] 1.2 Two\n* [ ] 1.3 Three\n\n## Notes\nfree text\n";
    let replaced = replace_steps(text, &[step("one"), step("New"), step("Three")]);
    assert_eq!(
        replaced.text,
        "# T\n\n## 1. A\n* [x] 1.1 One\n  why\n- [ ] 1.4 New\n* [ ] 1.3 Three\n\n## Notes\nfree text\n"
    );
    assert_eq!(replaced.kept, ["One", "Three"]);
    assert_eq!(replaced.dropped, ["Two"]);
}

#[test]
fn another_order_is_written_anew_with_marks_and_notes() {
    let text = "# T\n\nHow.\n\n## 1. A\n\n- [x] 1.1 One\n  - **Notes:** n\n- [ ] 1.2 Two\n";
    let replaced = replace_steps(text, &[step("Two"), step("One")]);
    assert_eq!(replaced.text, "# T\n\nHow.\n\n## 1. A\n\n- [ ] 1.1 Two\n- [x] 1.2 One\n  - **Notes:** n\n");
}

#[test]
fn what_stands_between_the_steps_stays_when_they_change_places() {
    let text = "# Tasks\n\n## 1. Frontend\n\nProse one.\n\n- [x] 1.1 Alpha\n  - **Notes:** n\n- [ ] 1.2 Beta\n\n## 2. Backend\n\nProse two.\n\n<!-- a comment -->\n\n- [ ] 2.1 Gamma\n\n## Annex\n\nEnd.\n";
    let replaced = replace_steps(text, &[step("Beta"), step("Alpha"), step("Gamma")]);
    assert_eq!(
        replaced.text,
        "# Tasks\n\n## 1. Frontend\n\nProse one.\n\n- [ ] 1.1 Beta\n- [x] 1.2 Alpha\n  - **Notes:** n\n\n## 2. Backend\n\nProse two.\n\n<!-- a comment -->\n\n- [ ] 2.1 Gamma\n\n## Annex\n\nEnd.\n"
    );
    let more = replace_steps(text, &[step("Gamma"), step("New"), step("Alpha"), step("Last")]);
    assert_eq!(more.dropped, ["Beta"]);
    for line in text.lines().filter(|line| !line.contains(['[', '-'])) {
        assert!(more.text.contains(line), "{line} in {}", more.text);
    }
}

const NESTED: &str = "## 1. A\n\n- [ ] 1.1 Store\n  - [x] 1.1.1 Table\n  - [ ] 1.1.2 Index\n\n    slowly\n- [ ] 1.2 Page\n\n## 2. B\n\n- [ ] 2.1 Text\n";

#[test]
fn a_new_task_among_nested_ones_is_nested_and_counted_there() {
    let titles = ["Store", "Table", "Key", "Index", "Page", "Style", "Text", "More"];
    let replaced = replace_steps(NESTED, &titles.map(step));
    assert_eq!(
        replaced.text,
        "## 1. A\n\n- [ ] 1.1 Store\n  - [x] 1.1.1 Table\n  - [ ] 1.1.3 Key\n  - [ ] 1.1.2 Index\n\n    slowly\n- [ ] 1.2 Page\n- [ ] 1.3 Style\n\n## 2. B\n\n- [ ] 2.1 Text\n- [ ] 2.2 More\n"
    );
    // Where the nested ones have no numbers, a new one has none either.
    let plain = "- [ ] 1.1 Store\n  - [ ] Table\n  - [ ] Index\n";
    let replaced = replace_steps(plain, &["Store", "Table", "Key", "Index"].map(step));
    assert_eq!(replaced.text, "- [ ] 1.1 Store\n  - [ ] Table\n  - [ ] Key\n  - [ ] Index\n");
}

#[test]
fn a_task_moves_with_what_is_nested_below_it_and_all_are_counted_where_they_stand() {
    let replaced = replace_steps(NESTED, &["Page", "Store", "Table", "Index", "Text"].map(step));
    assert_eq!(
        replaced.text,
        "## 1. A\n\n- [ ] 1.1 Page\n- [ ] 1.2 Store\n  - [x] 1.2.1 Table\n  - [ ] 1.2.2 Index\n\n    slowly\n\n## 2. B\n\n- [ ] 2.1 Text\n"
    );
    let swapped = replace_steps(NESTED, &["Store", "Index", "Table", "Page", "Text"].map(step));
    assert_eq!(
        swapped.text,
        "## 1. A\n\n- [ ] 1.1 Store\n  - [ ] 1.1.1 Index\n\n    slowly\n  - [x] 1.1.2 Table\n- [ ] 1.2 Page\n\n## 2. B\n\n- [ ] 2.1 Text\n"
    );
    let across = replace_steps(NESTED, &["Text", "Table", "Store", "Index", "Page"].map(step));
    assert_eq!(
        across.text,
        "## 1. A\n\n- [ ] 1.1 Text\n  - [x] 1.1.1 Table\n- [ ] 1.2 Store\n  - [ ] 1.2.1 Index\n\n    slowly\n\n## 2. B\n\n- [ ] 2.1 Page\n"
    );
}

#[test]
fn a_task_is_opened_again_with_the_reason() {
    let text = "- [x] a\n  - **Notes:** went well\n- [ ] b\n";
    assert_eq!(
        reopen(text, 0, "it fails on Windows").unwrap(),
        "- [ ] a\n  - **Notes:** went well\n    Reopened: it fails on Windows\n- [ ] b\n"
    );
    assert_eq!(reopen("- [x] a\n", 0, "no").unwrap(), "- [ ] a\n  - **Notes:** Reopened: no\n");
}

#[test]
fn an_approach_is_put_above_the_groups() {
    for (text, expected) in [
        ("# T\n\nold\n\n## 1. A\n- [ ] a\n", "# T\n\nnew\n\n## 1. A\n- [ ] a\n"),
        ("# T\n\n## 1. A\n- [ ] a\n", "# T\n\nnew\n\n## 1. A\n- [ ] a\n"),
        ("- [ ] a\n", "new\n\n- [ ] a\n"),
        ("", "new\n"),
    ] {
        assert_eq!(replace_approach(text, "new"), expected, "{text:?}");
    }
}

#[test]
fn titles_lose_the_numbers_that_count_them_and_keep_those_they_mean() {
    for (line, title) in [
        ("- [x] 1.2 Write it", "Write it"),
        ("* [ ] Write it", "Write it"),
        ("[x] 1.2b Write it", "Write it"),
        ("2. Write it", "Write it"),
        ("1.2 Write it", "Write it"),
        ("Write 1.2", "Write 1.2"),
        ("**bold**", "**bold**"),
        ("[P] two", "[P] two"),
        ("2FA", "2FA"),
        ("", ""),
    ] {
        assert_eq!(bare_title(line), title, "{line}");
    }
    let cases: [(&[&str], Option<&str>, &[&str]); 9] = [
        (&["1.1 a", "1.2 b", "2.1 c"], None, &["a", "b", "c"]),
        (&["- [ ] a", "[x] b"], None, &["a", "b"]),
        (&["1. a", "2. b"], None, &["a", "b"]),
        (&["3.5 mm jack", "a"], None, &["3.5 mm jack", "a"]),
        (&["3.5 mm jack"], Some("1.2"), &["3.5 mm jack"]),
        (&["1.3 c"], Some("1.2"), &["c"]),
        (&["1.1 a", "b"], None, &["1.1 a", "b"]),
        (&["2024.1 release", "2024.2 release"], None, &["2024.1 release", "2024.2 release"]),
        (&[], None, &[]),
    ];
    for (titles, last, bare) in cases {
        assert_eq!(uncounted(titles, last), bare, "{titles:?}");
    }
}

fn list() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("- [ ] a\n"),
        Just("  * [x] 1.1 ü\r\n"),
        Just("- [ ] 1.1 b\n"),
        Just("  - [x] 1.1.1 c\n"),
        Just("1) [🙂] c\n"),
        Just("+ []\n"),
        Just("## 1. G\n"),
        Just("```\n"),
        Just("text\n"),
        Just("  more\n"),
        Just("\n"),
        Just("  - **Notes:** n\n"),
        Just("<!--\n"),
        Just("# T\n"),
    ];
    prop_oneof![prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat()), any::<String>()]
}

proptest! {
    #[test]
    fn ticking_changes_that_task_and_nothing_else(text in list(), index in 0..20usize) {
        let before = read(&text);
        match tick(&text, index) {
            Err(_) => prop_assert!(index >= before.len()),
            Ok(ticked) => {
                let after = read(&ticked);
                prop_assert_eq!(after.len(), before.len());
                for (at, (old, new)) in before.iter().zip(&after).enumerate() {
                    prop_assert_eq!(&old.0, &new.0);
                    prop_assert_eq!(new.1, if at == index { TaskStatus::Done } else { old.1 });
                }
                prop_assert_eq!(tick(&ticked, index).unwrap(), ticked);
            }
        }
    }

    #[test]
    fn notes_never_disturb_the_list(text in list(), index in 0..20usize, notes in list()) {
        let before = read(&text);
        if let Ok(done) = complete(&text, index, Some(&notes)) {
            let titles = |list: Vec<(String, TaskStatus)>| list.into_iter().map(|(text, _)| text).collect::<Vec<_>>();
            prop_assert_eq!(titles(read(&done)), titles(before));
        }
    }

    #[test]
    fn replaced_steps_are_the_steps(text in list(), titles in prop::collection::vec("[a-d]", 0..5)) {
        let mut titles = titles;
        let mut seen = std::collections::BTreeSet::new();
        titles.retain(|title| seen.insert(title.clone()));
        let steps: Vec<_> = titles.iter().map(|title| step(title)).collect();
        let replaced = replace_steps(&text, &steps);
        let document = Document::parse(&replaced.text);
        let read: Vec<_> = TasksDoc::read(&document).tasks().map(|task| task.title.to_lowercase()).collect();
        prop_assert_eq!(read, titles, "{}", replaced.text);
    }
}
