//! Seed 002 over MCP: plans, what carries them out, and scratch pads.

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use crate::graph_fixture::{edges, serve_graph, specman};

fn plan_spec(session: &mut McpSession, name: &str, front_matter: Value) -> Value {
    let target = json!({ "kind": "Specification", "name": name });
    let arguments = json!({ "target": target, "front_matter": front_matter });
    session.call("specman_lifecycle_plan_creation", arguments).ok()
}

fn create(session: &mut McpSession, plan: &Value) -> Value {
    session.call("specman_lifecycle_create", json!({ "plan_id": plan["plan_id"] })).ok()
}

#[test]
fn a_spec_is_planned_tried_created_and_the_plan_is_used_up() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let plan = plan_spec(&mut session, "order-history", json!({ "dependencies": ["spec://specman-core"] }));
    assert_eq!(plan["path"], "spec/order-history/spec.md");
    assert_eq!(plan["rendered"]["metadata"]["dependencies"], json!(["../specman-core/spec.md"]));
    assert_eq!(plan["rendered"]["metadata"]["version"], "1.0.0");
    assert_eq!(
        edges(&plan["dependencies"]["upstream"]),
        [
            "spec://order-history depends spec://specman-core",
            "spec://specman-core depends spec://specman-data-model",
        ]
    );
    assert!(!workspace.exists("spec/order-history"));
    let dry = json!({ "plan_id": plan["plan_id"], "dry_run": true });
    let tried = session.call("specman_lifecycle_create", dry).ok();
    assert_eq!((&tried["status"], tried["artifacts"].as_array().unwrap().len()), (&json!("succeeded"), 0));
    assert!(!workspace.exists("spec/order-history"));
    let made = create(&mut session, &plan);
    assert_eq!(made["capability_id"], "specman.core.lifecycle.create");
    assert_eq!(
        made["artifacts"],
        json!([{ "artifact": "spec://order-history", "path": "spec/order-history/spec.md", "action": "created" }])
    );
    assert_eq!(workspace.read("spec/order-history/spec.md"), plan["rendered"]["body"].as_str().unwrap());
    let twice = session.call("specman_lifecycle_create", json!({ "plan_id": plan["plan_id"] })).error();
    assert_eq!(twice["error"], "plan_not_found");
    let tree = session.call("specman_dependency_tree", json!({ "locator": "spec://order-history" })).ok();
    assert_eq!(tree["upstream"].as_array().unwrap().len(), 2);
}

#[test]
fn an_implementation_and_a_scratch_pad_follow_their_rules() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let target = json!({ "kind": "Implementation", "name": "core-rust" });
    let front = json!({ "spec": "spec://specman-core", "primary_language": "rust@1.91.0", "references": ["impl://specman-library"] });
    let plan = json!({ "target": target, "front_matter": front });
    let plan = session.call("specman_lifecycle_plan_creation", plan).ok();
    let metadata = &plan["rendered"]["metadata"];
    assert_eq!(metadata["spec"], "../../spec/specman-core/spec.md");
    assert_eq!(metadata["primary_language"]["language"], "rust@1.91.0");
    assert_eq!(
        metadata["references"],
        json!([{ "ref": "../specman-library/impl.md", "type": "implementation", "optional": false }])
    );
    create(&mut session, &plan);
    let pad = json!({ "profile": "revision", "name": "reword-core", "target": "spec://specman-core", "headings": ["#concept-workspace--data-governance"] });
    let pad = session.call("specman_lifecycle_scratchpad", pad).ok();
    assert_eq!(pad["profile"]["kind"], "revision");
    assert_eq!(pad["rendered"]["metadata"]["branch"], "specman-core/revision/reword-core");
    let made = create(&mut session, &pad);
    let paths: Vec<&str> = made["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|touched| touched["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [".specman/scratchpad/reword-core/scratch.md", ".specman/scratchpad/reword-core/tasks.md"]
    );
    let tree = session.call("specman_dependency_tree", json!({ "locator": "scratch://reword-core" })).ok();
    assert_eq!(edges(&tree["upstream"])[0], "scratch://reword-core targets spec://specman-core");
    let named = json!({ "kind": "Implementation", "name": "core-rust" });
    for (arguments, key) in [
        (json!({ "profile": "feat", "name": "x", "target": "spec://specman-core" }), "wrong_kind"),
        (json!({ "profile": "revision", "name": "x", "target": named }), "wrong_kind"),
        (
            json!({ "profile": "fix", "name": "x", "target": "https://example.org/impl/x.md" }),
            "artifact_not_found",
        ),
        (
            json!({ "profile": "revision", "name": "x", "target": "spec://specman-core", "headings": ["nowhere"] }),
            "heading_not_found",
        ),
        (json!({ "profile": "feat", "name": "x", "target": named, "headings": ["a"] }), "invalid_params"),
        (json!({ "profile": "draft", "name": "x", "target": named }), "invalid_params"),
        (json!({ "profile": "feat", "name": "a-b-c-d-e", "target": named }), "invalid_params"),
        (json!({ "profile": "feat", "name": "../x", "target": named }), "invalid_params"),
        (json!({ "profile": "feat", "name": "reword-core", "target": named }), "artifact_exists"),
    ] {
        let error = session.call("specman_lifecycle_scratchpad", arguments.clone()).error();
        assert_eq!(error["error"], key, "{arguments}: {error}");
        assert!(error["concept_ref"].is_string(), "{error}");
    }
}

#[test]
fn a_creation_that_cannot_be_is_refused_when_it_is_planned() {
    let workspace = specman();
    workspace.add("//- templates/own.md\n# {{title}}\n//- spec/early/spec.md\n---\ndependencies: [../late/spec.md]\n---\n# E\n");
    let mut session = serve_graph(&workspace);
    let of = |kind: &str, name: &str, more: Value| {
        let mut arguments = json!({ "target": { "kind": kind, "name": name } });
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        arguments
    };
    for (arguments, key) in [
        (of("Specification", "specman-core", json!({})), "artifact_exists"),
        (of("Specification", "specman-library", json!({})), "artifact_exists"),
        (of("Specification", "Bad Name", json!({})), "invalid_params"),
        (of("Specification", "..", json!({})), "invalid_params"),
        (of("Specification", "a-b-c-d-e", json!({})), "invalid_params"),
        (of("Plan", "x", json!({})), "invalid_params"),
        (
            of(
                "Implementation",
                "core",
                json!({ "front_matter": { "spec": "spec://specman-core", "primary_language": "rust@1" } }),
            ),
            "invalid_params",
        ),
        (of("Implementation", "core-rust", json!({})), "invalid_params"),
        (
            of(
                "Implementation",
                "core-rust",
                json!({ "front_matter": { "spec": "impl://specman-library" } }),
            ),
            "wrong_kind",
        ),
        (
            of("Specification", "x", json!({ "front_matter": { "dependencies": ["spec://nothing"] } })),
            "artifact_not_found",
        ),
        (
            of("Specification", "late", json!({ "front_matter": { "dependencies": ["spec://early"] } })),
            "dependency_cycle",
        ),
        (of("Specification", "x", json!({ "template": "templates/own.md" })), "missing_token"),
        (of("Specification", "x", json!({ "tokens": { "nobody": "asked" } })), "unknown_token"),
        (of("Specification", "x", json!({ "template": "templates/none.md" })), "template_invalid"),
        (of("Specification", "x", json!({ "template": "http://example.org/t.md" })), "template_invalid"),
    ] {
        let error = session.call("specman_lifecycle_plan_creation", arguments.clone()).error();
        assert_eq!(error["error"], key, "{arguments}: {error}");
        assert!(error["concept_ref"].is_string(), "{error}");
    }
    let literal = json!({ "title": "{{title}} {{x}}" });
    let plan = of("Specification", "literal", json!({ "template": "templates/own.md", "tokens": literal }));
    let plan = session.call("specman_lifecycle_plan_creation", plan).ok();
    assert!(plan["rendered"]["body"].as_str().unwrap().ends_with("# {{title}} {{x}}\n"), "{plan}");
}

// @spec graph#plans-come-before-writes/a-plan-that-has-gone-stale
#[test]
fn a_stale_plan_is_refused_and_says_what_changed() {
    let workspace = specman();
    let mut session = serve_graph(&workspace);
    let plan = plan_spec(&mut session, "late", json!({ "dependencies": ["spec://specman-core"] }));
    let mut text = workspace.read("spec/specman-core/spec.md");
    text.push_str("\nMore.\n");
    fs_err::write(workspace.path("spec/specman-core/spec.md"), text).unwrap();
    let error = session.call("specman_lifecycle_create", json!({ "plan_id": plan["plan_id"] })).error();
    assert_eq!(
        (&error["error"], &error["changed"]),
        (&json!("plan_stale"), &json!(["spec/specman-core/spec.md"]))
    );
    let taken = plan_spec(&mut session, "taken", json!({}));
    workspace.add("//- spec/taken/spec.md\n# Somebody else's\n");
    let error = session.call("specman_lifecycle_create", json!({ "plan_id": taken["plan_id"] })).error();
    assert_eq!(error["error"], "artifact_exists");
    assert_eq!(workspace.read("spec/taken/spec.md"), "# Somebody else's\n");
    let bogus = session.call("specman_lifecycle_create", json!({ "plan_id": "../../../x" })).error();
    assert_eq!(bogus["error"], "plan_not_found");
    // Half an hour later, as the clock of another process tells it.
    let plan = plan_spec(&mut session, "expiring", json!({}));
    let env = [("HEWTO_TEST_CLOCK_SKEW_S", "3600")];
    let args = ["serve", "--toolsets", "graph"];
    let mut later =
        McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), &args, workspace.root(), &env, Era::Legacy);
    let error = later.call("specman_lifecycle_create", json!({ "plan_id": plan["plan_id"] })).error();
    assert_eq!(error["error"], "plan_expired");
}

#[test]
fn what_others_need_is_deleted_only_by_force_and_that_is_recorded() {
    let workspace = specman();
    workspace.add("//- spec/specman-core/notes/more.md\nx\n");
    let mut session = serve_graph(&workspace);
    let target = json!({ "target": { "kind": "Specification", "name": "specman-core" } });
    let plan = session.call("specman_lifecycle_plan_deletion", target).ok();
    assert_eq!(plan["blocked"], true);
    assert_eq!(
        edges(&plan["blocking"]),
        [
            "impl://specman-library implements spec://specman-core",
            "impl://specman-mcp-rust references spec://specman-core",
            "spec://specman-mcp depends spec://specman-core",
        ]
    );
    assert_eq!(plan["files"], json!(["notes/more.md", "spec.md"]));
    let error = session.call("specman_lifecycle_delete", json!({ "plan_id": plan["plan_id"] })).error();
    assert_eq!(error["error"], "deletion_blocked");
    assert_eq!(error["blocking"].as_array().unwrap().len(), 3);
    assert!(workspace.exists("spec/specman-core/spec.md"));
    let forced =
        session.call("specman_lifecycle_delete", json!({ "plan_id": plan["plan_id"], "force": true })).ok();
    assert_eq!(forced["artifacts"][0]["action"], "deleted");
    assert_eq!(forced["transcript"][0]["forced"], true);
    assert!(!workspace.exists("spec/specman-core"));
    let log = session
        .call("specman_operations_inspect", json!({ "capability_id": "specman_lifecycle_delete" }))
        .ok();
    assert_eq!(log["operations"][0]["inputs"]["force"], true);
    assert_eq!(log["operations"][0]["transcript"][0]["forced"], true);
    assert_eq!(log["operations"][1]["status"], "failed");
    assert_eq!(log["operations"][0]["lock_intent"], "write");
    assert_eq!(log["operations"][0]["artifacts"][0]["artifact"], "spec://specman-core");
}

#[test]
fn what_nobody_needs_goes_whole_and_what_is_written_once_stays() {
    let workspace = specman();
    workspace.add("//- docs/adr/20250108T143512.000Z-0001_x.md\n# ADR\n//- docs/archive/task/20250108T143512.000Z-0001_x.md\n# T\n");
    let mut session = serve_graph(&workspace);
    let plan =
        session.call("specman_lifecycle_plan_deletion", json!({ "target": "scratch://mcp-adapter" })).ok();
    assert_eq!(plan["blocked"], false);
    workspace.add("//- .specman/scratchpad/mcp-adapter/late.md\nnew\n");
    let stale = session.call("specman_lifecycle_delete", json!({ "plan_id": plan["plan_id"] })).error();
    assert_eq!(stale["error"], "plan_stale");
    assert_eq!(stale["changed"], json!([".specman/scratchpad/mcp-adapter"]));
    let plan =
        session.call("specman_lifecycle_plan_deletion", json!({ "target": "scratch://mcp-adapter" })).ok();
    session.call("specman_lifecycle_delete", json!({ "plan_id": plan["plan_id"] })).ok();
    assert!(!workspace.exists(".specman/scratchpad/mcp-adapter"));
    // The dependent that comes between plan and deletion.
    let plan =
        session.call("specman_lifecycle_plan_deletion", json!({ "target": "impl://specman-mcp-rust" })).ok();
    workspace.add("//- .specman/scratchpad/late/scratch.md\n---\ntarget: impl/specman-mcp-rust/impl.md\nwork_type: {feat: {}}\n---\n");
    let error = session.call("specman_lifecycle_delete", json!({ "plan_id": plan["plan_id"] })).error();
    assert_eq!((&error["error"], &error["changed"]), (&json!("plan_stale"), &json!(["scratch://late"])));
    for (target, key) in [
        (json!("adr://20250108T143512.000Z-0001"), "immutable_artifact"),
        (json!("docs/archive/task/20250108T143512.000Z-0001_x.md"), "immutable_artifact"),
        (json!("spec://specman-core/dependencies"), "read_only_handle"),
        (json!("https://example.org/x"), "artifact_not_found"),
        (json!("http://example.org/x"), "unsupported_scheme"),
        (json!("../x"), "outside_workspace"),
        (json!("spec://nothing"), "artifact_not_found"),
        (json!({ "kind": "Specification", "name": "nothing" }), "artifact_not_found"),
        (json!("src/crates/specman-mcp/src/lib.rs"), "artifact_not_found"),
    ] {
        let error = session.call("specman_lifecycle_plan_deletion", json!({ "target": target })).error();
        assert_eq!(error["error"], key, "{target}: {error}");
    }
    let creation = plan_spec(&mut session, "new", json!({}));
    let error = session.call("specman_lifecycle_delete", json!({ "plan_id": creation["plan_id"] })).error();
    assert_eq!(error["error"], "plan_mismatch");
    assert_eq!(error["hint"], "call `specman_lifecycle_create` to carry it out");
}

#[test]
fn two_artifacts_of_one_name_are_told_apart_by_their_handles() {
    let workspace = specman();
    workspace.add(
        "//- spec/one/spec.md\n---\nname: same\n---\n# 1\n//- spec/two/spec.md\n---\nname: same\n---\n# 2\n",
    );
    let mut session = serve_graph(&workspace);
    let target = json!({ "target": { "kind": "Specification", "name": "same" } });
    let error = session.call("specman_lifecycle_plan_deletion", target).error();
    assert_eq!(
        (&error["error"], &error["handles"]),
        (&json!("ambiguous_name"), &json!(["spec://one", "spec://two"]))
    );
    session.call("specman_lifecycle_plan_deletion", json!({ "target": "spec://one" })).ok();
}
