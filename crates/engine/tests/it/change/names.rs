//! What somebody calls a requirement, a scenario or a task, and what it is called.

use hewto_core::delta::{NewDelta, NewRemoval, NewRename, NewRequirement, NewScenario};
use hewto_engine::change::{self, AddedScenarios, ChangeEdit, NewChange};
use hewto_engine::plan::{self, NewPlan, PlanChanges};

use super::{AUTH, fixture, propose, requirement, scenario};
use crate::support::{Fixture, steps};

/// The `auth` spec as it stands in the fixture, with one name that begins like a label.
fn labelled() -> Fixture {
    let f = fixture();
    f.write("specs/auth/spec.md", AUTH.replace("Requirement: Logout", "Requirement: Requirement: Logout"));
    f
}

fn delta_of(f: &Fixture, id: &str) -> String {
    f.read(&format!("changes/{id}/specs/auth/spec.md"))
}

#[test]
fn ids_labels_and_letter_case_mean_the_requirement_that_is_there() {
    let f = labelled();
    for (at, name) in ["login", "LOGIN", "Requirement: Login", "### Requirement: Login"].iter().enumerate() {
        let names_alone = |name: &str| NewScenario { name: name.into(), ..NewScenario::default() };
        let scenarios = vec![names_alone("good-password"), names_alone("Scenario: bad password")];
        let modified = NewRequirement { name: (*name).into(), scenarios, ..NewRequirement::default() };
        let id = format!("same-{at}");
        propose(&f, &id, NewDelta { modified: vec![modified], ..NewDelta::default() });
        assert!(delta_of(&f, &id).contains("### Requirement: Login\n"), "{name}: {}", delta_of(&f, &id));
        assert_eq!(change::diff(&f.ws, &f.ctx, &id, usize::MAX).unwrap().differences, [], "{name}");
    }
    let removed = vec![NewRemoval { name: "login".into(), reason: None }];
    let renamed = vec![NewRename { from: "requirement-logout".into(), to: "Requirement: Leave".into() }];
    propose(&f, "others", NewDelta { removed, renamed, ..NewDelta::default() });
    let text = delta_of(&f, "others");
    assert!(text.contains("FROM: `### Requirement: Requirement: Logout`"), "{text}");
    assert!(
        text.contains("TO: `### Requirement: Leave`") && text.contains("### Requirement: Login"),
        "{text}"
    );
}

#[test]
fn a_name_that_really_begins_with_its_label_keeps_it() {
    let f = labelled();
    let view = hewto_engine::requirement::show(&f.ws, &f.ctx, "auth", "Requirement: Logout").unwrap();
    let same = NewRequirement {
        name: view.requirement.name.clone(),
        text: view.requirement.text.clone(),
        scenarios: vec![NewScenario { name: "Out".into(), ..NewScenario::default() }],
        ..NewRequirement::default()
    };
    propose(&f, "same", NewDelta { modified: vec![same], ..NewDelta::default() });
    assert_eq!(change::diff(&f.ws, &f.ctx, "same", usize::MAX).unwrap().differences, []);
}

#[test]
fn new_names_lose_the_label_of_their_heading() {
    let f = fixture();
    let added = vec![requirement("Requirement: Lock", vec![scenario("Scenario: Locked", "no entry")])];
    let more = AddedScenarios {
        requirement: "LOGIN".into(),
        scenarios: vec![scenario("#### Scenario: Third", "it waits")],
    };
    propose(&f, "lock", NewDelta { added, add_scenarios: vec![more], ..NewDelta::default() });
    let text = delta_of(&f, "lock");
    for line in [
        "### Requirement: Lock\n",
        "#### Scenario: Locked\n",
        "### Requirement: Login\n",
        "#### Scenario: Third\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains(": Requirement:") && !text.contains(": Scenario:"), "{text}");
}

const TASKS: &str = "# Tasks\r\n\r\nAsk Ann first.\r\n\r\n    - [ ] a sample\r\n\r\n## 1. Build\r\n\r\n\
    - [x] 1.1 First\r\n<!-- here -->\r\n- [ ] 1.2 3.5 mm jack\r\n";

fn with_tasks() -> Fixture {
    let f = fixture();
    propose(
        &f,
        "list",
        NewDelta { added: vec![requirement("R", vec![scenario("S", "t")])], ..NewDelta::default() },
    );
    f.write("changes/list/tasks.md", TASKS);
    f
}

#[test]
fn titles_sent_with_the_numbers_they_are_listed_with_are_the_same_tasks() {
    for titles in [
        ["1.2 3.5 mm jack", "1.1 First"],
        ["- [ ] 1.2 3.5 mm jack", "- [x] 1.1 First"],
        ["3.5 mm jack", "first"],
        ["3.5 mm jack", "[x] First"],
    ] {
        let f = with_tasks();
        let steps = titles.iter().map(|title| plan::StepInput {
            title: (*title).into(),
            description: String::new(),
            complexity: None,
        });
        let changes = PlanChanges { approach: None, steps: Some(steps.collect()) };
        let updated = plan::update(&f.ws, &f.ctx, "list", &changes).unwrap();
        assert_eq!((updated.kept.len(), updated.dropped.len()), (2, 0), "{titles:?}");
        let swapped = TASKS
            .replace("- [x] 1.1 First", "\0")
            .replace("- [ ] 1.2 3.5 mm jack", "- [x] 1.2 First")
            .replace('\0', "- [ ] 1.1 3.5 mm jack");
        assert_eq!(f.read("changes/list/tasks.md"), swapped);
        let f = with_tasks();
        let edit = ChangeEdit {
            tasks: Some(titles.iter().rev().map(|title| (*title).to_owned()).collect()),
            ..ChangeEdit::default()
        };
        assert!(!change::update(&f.ws, &f.ctx, "list", &edit).unwrap().updated, "{titles:?}");
    }
}

#[test]
fn an_empty_list_takes_the_tasks_out_and_leaves_what_a_person_wrote() {
    let f = with_tasks();
    let none = ChangeEdit { tasks: Some(Vec::new()), ..ChangeEdit::default() };
    change::update(&f.ws, &f.ctx, "list", &none).unwrap();
    let text = f.read("changes/list/tasks.md");
    for line in ["Ask Ann first.\r\n", "    - [ ] a sample\r\n", "<!-- here -->\r\n", "## 1. Build\r\n"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("First") && !text.contains("jack"), "{text}");
    // A list of nothing but tasks can be planned again.
    f.write("changes/list/tasks.md", "# Tasks\n\n## 1. Build\n\n- [ ] 1.1 Only\n");
    change::update(&f.ws, &f.ctx, "list", &none).unwrap();
    let new = NewPlan { approach: "Go".into(), steps: steps(&["Again"]) };
    plan::create(&f.ws, &f.ctx, "list", &new).unwrap();
}

#[test]
fn tasks_that_come_numbered_are_counted_once() {
    let f = fixture();
    let new = NewChange {
        change_id: "counted".into(),
        why: "Because people ask for it every week.".into(),
        what_changes: "- it".into(),
        tasks: vec!["1.1 Write".into(), "1.2 Test".into()],
        ..NewChange::default()
    };
    change::create(&f.ws, &f.ctx, &new).unwrap();
    let text = f.read("changes/counted/tasks.md");
    assert!(text.contains("- [ ] 1.1 Write\n- [ ] 1.2 Test\n"), "{text}");
    let more = ChangeEdit { add_tasks: vec!["1.3 Ship".into(), "1.4 Tell".into()], ..ChangeEdit::default() };
    change::update(&f.ws, &f.ctx, "counted", &more).unwrap();
    let odd = ChangeEdit { add_tasks: vec!["3.5 mm jack".into()], ..ChangeEdit::default() };
    change::update(&f.ws, &f.ctx, "counted", &odd).unwrap();
    let text = f.read("changes/counted/tasks.md");
    assert!(text.ends_with("- [ ] 1.3 Ship\n- [ ] 1.4 Tell\n- [ ] 1.5 3.5 mm jack\n"), "{text}");
}

#[test]
fn everything_wrong_with_a_plan_is_told_at_once() {
    let f = with_tasks();
    let step =
        |title: &str| plan::StepInput { title: title.into(), description: String::new(), complexity: None };
    let steps = vec![step(""), step("fine"), step("two\nlines")];
    let changes = PlanChanges { approach: Some(" ".into()), steps: Some(steps) };
    let error = plan::update(&f.ws, &f.ctx, "list", &changes).unwrap_err();
    let faults = error.details["faults"].as_array().unwrap();
    let pointers: Vec<&str> = faults.iter().filter_map(|fault| fault["pointer"].as_str()).collect();
    assert_eq!(pointers, ["/approach", "/steps/0/title", "/steps/2/title"]);
    assert_eq!(f.read("changes/list/tasks.md"), TASKS);
}

#[test]
fn a_capability_is_meant_by_its_prefix_or_by_the_path_of_its_spec() {
    let f = fixture();
    let add = || NewDelta {
        added: vec![requirement("Limit", vec![scenario("Above", "it is refused")])],
        ..NewDelta::default()
    };
    let create = |id: &str, names: &[&str]| {
        let new = NewChange {
            change_id: id.into(),
            why: "Callers that send too much slow down everybody else here".into(),
            what_changes: "A limit".into(),
            deltas: names.iter().map(|name| ((*name).to_owned(), add())).collect(),
            ..NewChange::default()
        };
        change::create(&f.ws, &f.ctx, &new)
    };
    for (id, name) in
        [("a", "spec:limits"), ("b", "specs/limits/spec.md"), ("c", "openspec/specs/limits/spec.md")]
    {
        let made = create(id, &[name]).unwrap();
        let delta = format!("changes/{id}/specs/limits/spec.md");
        assert!(made.files.contains(&delta), "{name}: {:?}", made.files);
        let edit = ChangeEdit { take_out: [(name.to_owned(), Vec::new())].into(), ..ChangeEdit::default() };
        change::update(&f.ws, &f.ctx, id, &edit).unwrap();
        assert!(!f.path(&delta).exists(), "{name}");
    }
    let nested = create("d", &["api/limits"]).unwrap();
    assert!(nested.files.contains(&"changes/d/specs/api/limits/spec.md".to_owned()), "{:?}", nested.files);
    let wrong = create("e", &["limits", "spec:limits", "web:limits", "Rate Limits"]).unwrap_err();
    let faults = wrong.details["faults"].as_array().unwrap().len();
    assert_eq!(faults, 3, "each is named: {wrong:?}");
    assert!(!f.path("changes/e").exists());
}
