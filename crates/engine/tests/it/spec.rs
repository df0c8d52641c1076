use hewto_engine::build::{self, Approval};
use hewto_engine::spec::{self, DependencyInput, NewSpec, SpecChanges, SpecFilter};
use hewto_engine::{Category, DependencyKind, LayoutKind, Lifecycle, PageRequest};

use crate::support::Fixture;

#[test]
fn a_new_spec_is_a_draft_with_its_seed_keys_in_order() {
    let f = Fixture::new();
    let new = NewSpec {
        title: "User: auth \"v2\"".to_owned(),
        description: "Why: because\nsecond line".to_owned(),
        category: Some(Category::Bugfix),
        content: Some("# Body\n\ntext".to_owned()),
        dependencies: Vec::new(),
        decision: None,
    };
    let created = spec::create(&f.ws, &f.ctx, &new).unwrap();
    assert_eq!(created.spec_id, "1769248800-user-auth-v2");
    assert_eq!(created.path, "specs/1769248800-user-auth-v2/");
    let text = f.read("specs/1769248800-user-auth-v2/spec.md");
    let keys: Vec<&str> = text
        .lines()
        .skip(1)
        .take_while(|line| *line != "---")
        .filter_map(|line| line.split_once(':').map(|(key, _)| key))
        .filter(|key| !key.starts_with(' '))
        .collect();
    assert_eq!(
        keys,
        ["title", "description", "category", "state", "dependencies", "created_at", "updated_at"]
    );
    assert!(text.ends_with("\n# Body\n\ntext\n"), "{text}");
    let bundle = spec::bundle(&f.ws, &f.ctx, &created.spec_id).unwrap();
    assert_eq!(bundle.spec.metadata.title, new.title);
    assert_eq!(bundle.spec.metadata.description.as_deref(), Some("Why: because\nsecond line"));
    assert_eq!(bundle.state.unwrap().lifecycle, "draft");
    assert!(bundle.plan.is_none() && bundle.plan_progress.is_none());
}

#[test]
fn the_airsspec_layout_keeps_its_own_folder() {
    let f = Fixture::with_layout(LayoutKind::Airsspec);
    let id = f.spec("User auth");
    assert!(f.path(&format!(".airsspec/specs/{id}/spec.md")).is_file());
    assert!(f.path(&format!(".airsspec/specs/{id}/state.toon")).is_file());
}

// @spec workflow#specs-are-created-as-drafts/two-specs-with-one-title-in-one-second
#[test]
fn the_same_title_in_the_same_second_gets_the_next_second() {
    let f = Fixture::new();
    assert_eq!(f.spec("Twice"), "1769248800-twice");
    assert_eq!(f.spec("Twice"), "1769248801-twice");
}

#[test]
fn bad_texts_are_refused_and_leave_nothing_behind() {
    let f = Fixture::new();
    for (title, description) in
        [("", "d"), ("  ", "d"), ("t", " "), ("a\0b", "d"), ("t", "\0"), (&"x".repeat(501), "d")]
    {
        let new =
            NewSpec { title: title.to_owned(), description: description.to_owned(), ..NewSpec::default() };
        let error = spec::create(&f.ws, &f.ctx, &new).unwrap_err();
        assert_eq!(error.key.as_str(), "validation_failed", "{title:?} {description:?}");
        assert!(error.hint.is_some());
    }
    assert_eq!(std::fs::read_dir(f.path("specs")).unwrap().count(), 0);
}

#[test]
fn dependencies_are_checked_when_given() {
    let f = Fixture::new();
    let there = f.spec("There");
    let create = |ids: &[&str]| {
        let dependencies = ids
            .iter()
            .map(|id| DependencyInput { spec_id: (*id).to_owned(), kind: DependencyKind::Hard })
            .collect();
        let new =
            NewSpec { title: "New".into(), description: "d".into(), dependencies, ..NewSpec::default() };
        spec::create(&f.ws, &f.ctx, &new).unwrap_err().key.as_str()
    };
    assert_eq!(create(&["1-missing"]), "spec_not_found");
    assert_eq!(create(&["../etc"]), "invalid_params");
    assert_eq!(create(&[&there, &there]), "validation_failed");
}

#[test]
fn a_cycle_is_refused_with_its_chain() {
    let f = Fixture::new();
    let a = f.spec("A");
    let b = f.spec_with("B", &[(&a, DependencyKind::Hard)]);
    let c = f.spec_with("C", &[(&b, DependencyKind::Soft)]);
    let on = |id: &str| SpecChanges {
        dependencies: Some(vec![DependencyInput { spec_id: id.to_owned(), kind: DependencyKind::Soft }]),
        ..SpecChanges::default()
    };
    let error = spec::update(&f.ws, &f.ctx, &a, &on(&c)).unwrap_err();
    assert_eq!(error.key.as_str(), "validation_failed");
    assert_eq!(error.details["chain"], serde_json::json!([a, c, b, a]));
    assert_eq!(spec::update(&f.ws, &f.ctx, &a, &on(&a)).unwrap_err().key.as_str(), "validation_failed");
    spec::update(&f.ws, &f.ctx, &c, &on(&a)).unwrap();
}

#[test]
fn an_update_touches_only_what_it_names() {
    let f = Fixture::new();
    f.write(
        "specs/hand/spec.md",
        "\u{feff}---\r\n# mine\r\ntitle: 'Old'   # keep\r\ncustom: [1, 2]\r\n---\r\n\r\n# Old\r\n\r\nBody\r\n",
    );
    let changes = SpecChanges { title: Some("New".into()), ..SpecChanges::default() };
    spec::update(&f.ws, &f.ctx, "hand", &changes).unwrap();
    let text = f.read("specs/hand/spec.md");
    assert!(text.starts_with("\u{feff}---\r\n# mine\r\ntitle: "), "{text:?}");
    assert!(
        text.contains("title: New   # keep\r\nupdated_at: 2026-01-24T10:00:00Z\r\ncustom: [1, 2]\r\n"),
        "{text:?}"
    );
    assert!(text.ends_with("---\r\n\r\n# Old\r\n\r\nBody\r\n"), "{text:?}");
    assert_eq!(spec::status(&f.ws, &f.ctx, "hand").unwrap().title, "New");
}

#[test]
fn an_update_of_nothing_is_refused() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let error = spec::update(&f.ws, &f.ctx, &id, &SpecChanges::default()).unwrap_err();
    assert_eq!(error.key.as_str(), "invalid_params");
}

#[test]
fn the_lifecycle_is_kept_in_both_places_and_its_reason_in_the_state() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let go = |to, reason| spec::transition(&f.ws, &f.ctx, &id, to, reason);
    let error = go(Lifecycle::Done, None).unwrap_err();
    assert_eq!(error.message, "Cannot transition from 'draft' to 'done'");
    assert_eq!(error.details["valid_transitions"], serde_json::json!(["active"]));
    go(Lifecycle::Active, None).unwrap();
    let moved = go(Lifecycle::Blocked, Some("waiting: for legal")).unwrap();
    assert_eq!((moved.from_state.as_str(), moved.to_state.as_str()), ("active", "blocked"));
    assert!(f.read(&format!("specs/{id}/spec.md")).contains("\nstate: blocked\n"));
    let status = spec::status(&f.ws, &f.ctx, &id).unwrap();
    assert_eq!(status.reason.as_deref(), Some("waiting: for legal"));
    go(Lifecycle::Active, None).unwrap();
    assert_eq!(spec::status(&f.ws, &f.ctx, &id).unwrap().reason, None);
}

#[test]
fn an_archived_spec_stays_as_it_is() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    for to in [Lifecycle::Active, Lifecycle::Cancelled, Lifecycle::Archived] {
        spec::transition(&f.ws, &f.ctx, &id, to, None).unwrap();
    }
    let changes = SpecChanges { title: Some("New".into()), ..SpecChanges::default() };
    assert_eq!(spec::update(&f.ws, &f.ctx, &id, &changes).unwrap_err().key.as_str(), "spec_archived");
}

#[test]
fn a_list_filters_pages_and_shows_what_is_broken() {
    let f = Fixture::new();
    let ids: Vec<String> = (0..5).map(|n| f.spec(&format!("Spec {n}"))).collect();
    spec::transition(&f.ws, &f.ctx, &ids[1], Lifecycle::Active, None).unwrap();
    f.write(&format!("specs/{}/state.toon", ids[2]), "spec_id: x\nlifecy");
    f.write("specs/zz-no-front-matter/spec.md", "# Plain\n");
    f.write("specs/zy-broken/spec.md", "---\ntitle: [unclosed\n---\n\n# Heading\n");

    let all = spec::list(&f.ws, &f.ctx, &SpecFilter::default(), &PageRequest::default()).unwrap();
    assert_eq!((all.specs.len(), all.page.total, all.page.remaining), (7, 7, 0));
    let entry = |id: &str| all.specs.iter().find(|entry| entry.id == id).unwrap();
    assert_eq!(entry(&ids[2]).state, None);
    assert_eq!(entry(&ids[2]).diagnostics[0].code, "state-invalid");
    let plain = entry("zz-no-front-matter");
    assert_eq!((plain.title.as_str(), plain.state.as_deref()), ("Plain", Some("draft")));
    assert_eq!((plain.category.as_ref(), plain.created_at.as_ref()), (None, None));
    assert_eq!(entry("zy-broken").title, "Heading");
    assert!(!entry("zy-broken").diagnostics.is_empty());

    let filter = SpecFilter { state: Some(Lifecycle::Active), ..SpecFilter::default() };
    let active = spec::list(&f.ws, &f.ctx, &filter, &PageRequest::default()).unwrap();
    assert_eq!(active.specs.iter().map(|entry| &entry.id).collect::<Vec<_>>(), [&ids[1]]);

    let first = PageRequest { limit: Some(3), ..PageRequest::default() };
    let page = spec::list(&f.ws, &f.ctx, &SpecFilter::default(), &first).unwrap();
    assert_eq!((page.specs.len(), page.page.remaining), (3, 4));
    let next = PageRequest { cursor: page.page.next_cursor, ..PageRequest::default() };
    let rest = spec::list(&f.ws, &f.ctx, &SpecFilter::default(), &next).unwrap();
    assert_eq!((rest.specs.len(), rest.page.next_cursor), (4, None));
}

// @spec store#reads-are-never-stale/an-edit-by-hand
#[test]
fn an_edit_by_hand_is_seen_by_the_next_call() {
    let f = Fixture::new();
    let id = f.spec("Before");
    let title = || {
        let list = spec::list(&f.ws, &f.ctx, &SpecFilter::default(), &PageRequest::default()).unwrap();
        list.specs[0].title.clone()
    };
    for n in 0..20 {
        let path = format!("specs/{id}/spec.md");
        f.write(&path, format!("---\ntitle: After {n}\n---\n\nBody\n"));
        assert_eq!(title(), format!("After {n}"));
        assert_eq!(spec::status(&f.ws, &f.ctx, &id).unwrap().title, format!("After {n}"));
    }
}

#[test]
fn a_broken_state_stops_what_needs_it_and_is_not_replaced() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let path = format!("specs/{id}/state.toon");
    f.write(&path, "spec_id: x\nlifecy");
    for error in [
        spec::status(&f.ws, &f.ctx, &id).unwrap_err(),
        spec::transition(&f.ws, &f.ctx, &id, Lifecycle::Active, None).unwrap_err(),
    ] {
        assert_eq!(error.key.as_str(), "state_invalid");
        assert!(error.message.contains(&path), "{}", error.message);
    }
    assert_eq!(f.read(&path), "spec_id: x\nlifecy");
}

#[test]
fn dependencies_are_told_with_their_state() {
    let f = Fixture::new();
    let hard = f.spec("Hard");
    let soft = f.spec("Soft");
    let done = f.spec("Done");
    for to in [Lifecycle::Active, Lifecycle::Done] {
        spec::transition(&f.ws, &f.ctx, &done, to, None).unwrap();
    }
    let id = f.spec_with(
        "Spec",
        &[(&hard, DependencyKind::Hard), (&soft, DependencyKind::Soft), (&done, DependencyKind::Hard)],
    );
    std::fs::remove_dir_all(f.path(&format!("specs/{soft}"))).unwrap();
    let view = spec::check_dependencies(&f.ws, &f.ctx, &id).unwrap();
    assert!(!view.all_satisfied);
    assert_eq!(view.blocking, [hard.as_str()]);
    let states: Vec<(&str, bool)> =
        view.dependencies.iter().map(|entry| (entry.state.as_str(), entry.satisfied)).collect();
    assert_eq!(states, [("draft", false), ("missing", false), ("done", true)]);
    let counts = spec::status(&f.ws, &f.ctx, &id).unwrap().dependencies;
    assert_eq!((counts.total, counts.satisfied, counts.blocked), (3, 1, 1));
}

#[test]
fn an_unknown_id_names_the_near_ones() {
    let f = Fixture::new();
    let id = f.spec("User auth");
    let error = spec::status(&f.ws, &f.ctx, "user-auth").unwrap_err();
    assert_eq!(error.key.as_str(), "spec_not_found");
    assert_eq!(error.details["near"], serde_json::json!([id]));
    for bad in ["../x", "/etc/passwd", "a\0b", ""] {
        assert_eq!(spec::status(&f.ws, &f.ctx, bad).unwrap_err().key.as_str(), "invalid_params", "{bad:?}");
    }
}

#[test]
fn a_living_spec_keeps_its_requirements_whatever_an_update_says() {
    let f = Fixture::new();
    let text = "# Auth\n\n## Purpose\n\nLets people in.\n\n## Requirements\n\n### Requirement: Login\n\nIt SHALL log in.\n\n#### Scenario: Good\n\n- **WHEN** a\n- **THEN** b\n\n### Requirement: Logout\n\nIt SHALL log out.\n";
    f.write("specs/auth/spec.md", text);
    let update = |content: &str| {
        let changes = SpecChanges { content: Some(content.to_owned()), ..SpecChanges::default() };
        spec::update(&f.ws, &f.ctx, "auth", &changes)
    };
    let error = update("# x").unwrap_err();
    assert_eq!(error.details["requirements"], serde_json::json!(["Login", "Logout"]));
    assert!(error.plain_hint().unwrap().contains("propose a change"), "{error}");
    let altered = update(&text.replace("log out", "sign out")).unwrap_err();
    assert_eq!(altered.details["requirements"], serde_json::json!(["Logout"]));
    assert_eq!(f.read("specs/auth/spec.md"), text);
    let told = update(&text.replace("Lets people in.", "Lets the right people in.")).unwrap();
    assert_eq!(told.dropped, ["Lets people in."]);
    assert!(f.read("specs/auth/spec.md").contains("Lets the right people in."));

    let more = format!("{text}\n### Requirement: Backdoor\n\nIt SHALL let in whoever knocks.\n");
    let added = update(&more).unwrap_err();
    assert_eq!(added.details["requirements"], serde_json::json!(["Backdoor"]));

    f.write("specs/auth/plan.md", "# Implementation Plan\n\n## Steps\n\n### Step 1: A\n\nx\n");
    build::start(&f.ws, &f.ctx, "auth", Approval::Given).unwrap();
    let planned = update("# x").unwrap_err();
    assert_eq!(
        planned.details["requirements"],
        serde_json::json!(["Login", "Logout"]),
        "a plan frees nothing"
    );
}

#[test]
fn what_is_promised_is_listed_as_no_draft() {
    let f = Fixture::new();
    f.write(
        "specs/auth/spec.md",
        "# Auth\n\n## Requirements\n\n### Requirement: Login\n\nIt SHALL log in.\n",
    );
    f.write("specs/idea/spec.md", "# Idea\n\nPerhaps.\n");
    let listed = spec::list(&f.ws, &f.ctx, &SpecFilter::default(), &PageRequest::default()).unwrap();
    let kinds: Vec<_> = listed.specs.iter().map(|spec| (spec.kind.as_str(), spec.state.as_deref())).collect();
    assert_eq!(kinds, [("living", None), ("work", Some("draft"))]);
}

#[test]
fn what_an_update_of_a_work_item_drops_is_told() {
    let f = Fixture::new();
    let id = f.spec("Work");
    let changes = |content: &str| SpecChanges { content: Some(content.to_owned()), ..SpecChanges::default() };
    spec::update(&f.ws, &f.ctx, &id, &changes("# Work\n\nkept\n\nmine\n")).unwrap();
    let updated = spec::update(&f.ws, &f.ctx, &id, &changes("# Work\n\nkept\n")).unwrap();
    assert_eq!(updated.dropped, ["mine"]);
}
