use std::collections::BTreeMap;

use hewto_engine::artifact::{self, CreationRequest, Force, Run};
use hewto_engine::graph::{self, ArtifactRef, TreeRequest};
use hewto_engine::metadata::{self, PatchRequest, Persistence, ReferenceInput};
use hewto_engine::view::DependencyTree;
use hewto_engine::{Clock, DependencyKind, LayoutKind, PageRequest, template};
use hewto_store::ContentHash;
use serde_json::Map;

use crate::support::Fixture;

fn tree(fixture: &Fixture, locator: &str) -> DependencyTree {
    let request = TreeRequest { locator: locator.to_owned(), max_chars: None };
    graph::tree(&fixture.ws, &fixture.ctx, &request).unwrap()
}

fn shown(edges: &[hewto_engine::view::DependencyEdge]) -> Vec<String> {
    edges.iter().map(|edge| format!("{} {} {}", edge.from.id.name, edge.r#type, edge.to.id.name)).collect()
}

#[test]
fn workflow_dependencies_and_plans_are_edges_of_the_same_graph() {
    let fixture = Fixture::new();
    let base = fixture.spec("Base");
    let top = fixture.spec_with("Top", &[(&base, DependencyKind::Hard)]);
    fixture.plan(&base, &["One"]);
    let tree = tree(&fixture, &format!("spec://{base}"));
    assert_eq!(shown(&tree.downstream).len(), 2);
    assert!(shown(&tree.downstream).contains(&format!("{base} targets {base}")));
    let edge = tree.downstream.iter().find(|edge| edge.from.id.name == top).unwrap();
    assert_eq!(edge.kind.as_deref(), Some("hard"));
    // Its own plan does not keep it, the other spec does.
    let plan =
        artifact::plan_deletion(&fixture.ws, &fixture.ctx, &ArtifactRef::Locator(format!("spec://{base}")))
            .unwrap();
    assert_eq!(shown(&plan.blocking), [format!("{top} depends {base}")]);
    let plan =
        artifact::plan_deletion(&fixture.ws, &fixture.ctx, &ArtifactRef::Locator(format!("spec://{top}")))
            .unwrap();
    artifact::delete(&fixture.ws, &fixture.ctx, &plan.plan_id, Force::No).unwrap();
    assert!(!fixture.path(&format!("specs/{top}")).exists());
}

#[test]
fn an_edit_by_hand_is_seen_by_the_next_call() {
    let fixture = Fixture::with_layout(LayoutKind::Specman);
    fixture.write("spec/a/spec.md", "# A\n");
    fixture.write("impl/a-rust/impl.md", "---\nspec: ../../spec/a/spec.md\n---\n");
    for round in 0..4 {
        fixture.write("spec/b/spec.md", format!("---\ndependencies: [../a/spec.md]\nround: {round}\n---\n"));
        assert_eq!(tree(&fixture, "spec://a").downstream.len(), 2);
        fixture.write("spec/b/spec.md", format!("---\nround: {round}\n---\n"));
        assert_eq!(tree(&fixture, "spec://a").downstream.len(), 1);
        fixture.write("impl/a-rust/impl.md", format!("---\nround: {round}\n---\n"));
        assert!(tree(&fixture, "spec://a").downstream.is_empty());
        fixture.write("impl/a-rust/impl.md", "---\nspec: ../../spec/a/spec.md\n---\n");
    }
}

#[test]
fn a_large_tree_stays_within_its_budget_and_says_what_it_left_out() {
    let fixture = Fixture::with_layout(LayoutKind::Specman);
    fixture.write("spec/hub/spec.md", "# Hub\n");
    for n in 0..300 {
        fixture.write(&format!("spec/n{n}/spec.md"), "---\ndependencies: [../hub/spec.md]\n---\n# N\n");
    }
    let tree = tree(&fixture, "spec://hub");
    let text = serde_json::to_string(&tree).unwrap();
    assert!(text.chars().count() <= 25_000, "{}", text.len());
    let omitted = tree.omitted.unwrap();
    assert_eq!(tree.downstream.len() + omitted.downstream, 300);
}

#[test]
fn a_plan_expires_and_is_bound_to_its_principal() {
    let fixture = Fixture::with_layout(LayoutKind::Specman);
    let request = CreationRequest {
        kind: hewto_core::artifact::ArtifactKind::Specification,
        name: "fresh".to_owned(),
        template: None,
        tokens: BTreeMap::default(),
        front_matter: Map::new(),
    };
    let plan = artifact::plan_creation(&fixture.ws, &fixture.ctx, &request).unwrap();
    let caller = hewto_store::Caller { principal: Some("mallory".into()), ..fixture.ctx.caller().clone() };
    let other = fixture.ctx.clone().with_caller(caller);
    let error =
        artifact::create(&fixture.ws, &other, &plan.plan_id, BTreeMap::default(), Run::Real).unwrap_err();
    assert_eq!(error.key.as_str(), "plan_not_found");
    let later = fixture.ctx.clone().with_clock(Clock::fixed("2026-01-24T10:30:00Z".parse().unwrap()));
    let error =
        artifact::create(&fixture.ws, &later, &plan.plan_id, BTreeMap::default(), Run::Real).unwrap_err();
    assert_eq!(error.key.as_str(), "plan_expired");
    assert!(!fixture.path("spec/fresh").exists());
}

#[test]
fn the_last_good_copy_of_a_template_serves_when_its_address_does_not() {
    let fixture = Fixture::with_layout(LayoutKind::Specman);
    let url = "https://127.0.0.1:1/template.md";
    fixture.write(".specman/templates/SPEC", url);
    let hash = ContentHash::of(url.as_bytes());
    fixture.write(&format!(".hewto/cache/templates/url-{hash}.md"), "# Kept {{who}}\n");
    let list =
        template::catalog(&fixture.ws, &fixture.ctx, Some("spec"), None, &PageRequest::default()).unwrap();
    let view = &list.templates[0];
    assert_eq!((view.tier.as_str(), view.locator.as_str()), ("PointerUrl", url));
    assert_eq!(view.required_tokens, ["who"]);
    // Only the repository names the host, so it is not even asked.
    assert!(view.provenance.problem.as_deref().unwrap().contains("is not contacted"));
}

#[test]
fn what_a_patch_adds_it_can_take_out_again() {
    let fixture = Fixture::with_layout(LayoutKind::Specman);
    fixture.write("spec/a/spec.md", "# A\n");
    let texts = [
        "# Plain\n",
        "---\r\ntitle: B # why\r\ndependencies: [] # none\r\n---\r\n\r\nBody\r\n",
        "\u{feff}---\nx: 1\ndependencies:\n    # first\n    - https://example.org/x # far\ny: 2\n---\nBody",
        "---\ndependencies:\n---\n",
    ];
    for text in texts {
        fixture.write("spec/b/spec.md", text);
        let input = ReferenceInput { target: "spec://a".into(), kind: None, optional: false };
        let add = PatchRequest {
            locator: "spec://b".into(),
            add_dependencies: vec![input],
            ..PatchRequest::default()
        };
        let patched = metadata::patch(&fixture.ws, &fixture.ctx, &add, Persistence::Persist).unwrap();
        assert!(patched.changed && fixture.read("spec/b/spec.md").contains("../a/spec.md"), "{text:?}");
        assert_eq!(
            tree(&fixture, "spec://b").upstream.iter().filter(|edge| edge.to.handle == "spec://a").count(),
            1
        );
        let remove = PatchRequest {
            locator: "spec://b".into(),
            remove_dependencies: vec!["spec://a".into()],
            ..PatchRequest::default()
        };
        metadata::patch(&fixture.ws, &fixture.ctx, &remove, Persistence::Persist).unwrap();
        assert_eq!(fixture.read("spec/b/spec.md"), text);
    }
}

#[test]
fn of_the_workspace_itself_every_promise_is_told() {
    let f = Fixture::new();
    f.write(
        "specs/auth/spec.md",
        "# auth\n\n## Purpose\nx\n\n## Requirements\n\n### Requirement: Login\nIt SHALL.\n\n#### Scenario: Good\n- **WHEN** a\n- **THEN** b\n",
    );
    f.write("tests/login.rs", "// @spec auth#login/good\n#[test]\nfn good() {}\n");
    let root = f.ws.root().to_string_lossy().into_owned();
    for text in [".", "./", "tests/..", root.as_str(), &format!("{root}/.")] {
        let view = graph::why(&f.ws, &f.ctx, text).unwrap();
        assert_eq!((view.path.as_str(), view.exists, view.promises.len()), (".", true, 1), "{text}");
    }
    assert!(graph::why(&f.ws, &f.ctx, "..").is_err());
}

#[test]
fn a_dependency_on_the_web_is_not_missing_and_keeps_nobody_waiting() {
    let f = Fixture::with_layout(LayoutKind::Specman);
    let spec = |more: &str| format!("---\nname: a\nversion: \"1.0.0\"\ndependencies:\n{more}---\n\n# A\n");
    f.write("spec/a/spec.md", spec("  - ref: https://example.com/core/spec.md\n"));
    let view = hewto_engine::spec::check_dependencies(&f.ws, &f.ctx, "a").unwrap();
    assert_eq!((view.dependencies[0].state.as_str(), view.dependencies[0].satisfied), ("external", true));
    assert!(view.all_satisfied && view.blocking.is_empty(), "{view:?}");
    f.write("spec/a/spec.md", spec("  - ref: ../gone/spec.md\n  - ref: https://example.com/core/spec.md\n"));
    let view = hewto_engine::spec::check_dependencies(&f.ws, &f.ctx, "a").unwrap();
    assert!(!view.all_satisfied && view.dependencies[0].state == "missing", "{view:?}");
}
