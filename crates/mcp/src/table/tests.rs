//! What holds for every tool, now and when others join.

use proptest::prelude::*;

use super::*;

/// What hosts stand (D-4, D-5).
const MOST_DESCRIPTION_CHARS: usize = 300;
const MOST_LIST_BYTES: usize = 14 * 1024;

fn names(options: &ServerOptions) -> Vec<&'static str> {
    Table::choose(options).unwrap().names().collect()
}

#[test]
fn the_workflow_has_the_twelve_tools_of_the_seed() {
    let expected = [
        "build_complete",
        "build_start",
        "build_update",
        "plan_create",
        "plan_step_complete",
        "plan_update",
        "spec_check_dependencies",
        "spec_create",
        "spec_list",
        "spec_status",
        "spec_transition",
        "spec_update",
    ];
    let profile = ServerOptions { profile: Some(Profile::Airsspec), ..ServerOptions::default() };
    assert_eq!(names(&profile), expected);
    let chosen = ServerOptions { toolsets: vec![Toolset::Workflow], ..ServerOptions::default() };
    assert_eq!(names(&chosen), expected);
}

#[test]
fn the_spox_profile_has_the_eight_tools_of_its_seed() {
    let profile = ServerOptions { profile: Some(Profile::Spox), ..ServerOptions::default() };
    assert_eq!(
        names(&profile),
        [
            "get_change",
            "get_scenario",
            "get_spec_requirements",
            "list_changes",
            "list_specs",
            "search_specs",
            "validate_change",
            "validate_spec",
        ]
    );
}

#[test]
fn the_preflights_profile_has_the_two_tools_of_its_seed() {
    let profile = ServerOptions { profile: Some(Profile::Preflights), ..ServerOptions::default() };
    assert_eq!(names(&profile), ["read_architecture", "require_clarification"]);
    let reading = ServerOptions { read_only: true, ..profile };
    assert_eq!(names(&reading), ["read_architecture"]);
}

#[test]
fn every_name_and_alias_is_unique_and_every_name_passes_every_host() {
    let mut seen = HashMap::new();
    for tool in tools::all() {
        let name = tool.about.name;
        assert!((3..=40).contains(&name.len()), "{name}");
        assert!(name.starts_with(|ch: char| ch.is_ascii_lowercase()), "{name}");
        assert!(
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
            "{name}"
        );
        for known in tool.about.aliases.iter().chain([&name]) {
            assert_eq!(seen.insert(*known, name), None, "`{known}` is taken");
        }
    }
}

#[test]
fn every_tool_says_all_that_hosts_ask_for() {
    for tool in tools::all() {
        let name = tool.about.name;
        let listing = serde_json::to_value(tool.listing()).unwrap();
        assert!(tool.about.description.chars().count() <= MOST_DESCRIPTION_CHARS, "{name}");
        assert!(listing["title"].is_string(), "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(listing["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &listing[schema];
            assert_eq!(schema["type"], "object", "{name}");
            assert!(schema["properties"].is_object(), "{name}");
            jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
            let text = schema.to_string();
            for strange in ["$schema", "$ref", "$defs", "\"format\"", "\"default\":null"] {
                assert!(!text.contains(strange), "{name} has {strange}: {text}");
            }
        }
        assert_eq!(listing["inputSchema"]["additionalProperties"], false, "{name}");
        assert!(!listing["inputSchema"].to_string().contains("null"), "{name}");
    }
}

#[test]
fn what_a_model_reads_of_the_default_list_is_small() {
    let table = Table::choose(&ServerOptions::default()).unwrap();
    let bytes: usize = table
        .listing()
        .iter()
        .map(|tool| {
            let read = json!({
                "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema,
            });
            read.to_string().len() + 1
        })
        .sum();
    assert!(bytes <= MOST_LIST_BYTES, "{bytes} bytes");
}

#[test]
fn the_list_is_sorted_and_the_same_bytes_every_time() {
    let list = || serde_json::to_string(Table::choose(&ServerOptions::default()).unwrap().listing()).unwrap();
    assert!(names(&ServerOptions::default()).is_sorted());
    assert_eq!(list(), list());
}

#[test]
fn tools_are_chosen_by_name_and_by_what_they_do() {
    let tools = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    let some = ServerOptions {
        tools: tools(&["spec_list", "spec_create", "spec_list"]),
        ..ServerOptions::default()
    };
    assert_eq!(names(&some), ["spec_create", "spec_list"]);
    let workflow = vec![Toolset::Workflow];
    let reading = ServerOptions { read_only: true, toolsets: workflow, ..ServerOptions::default() };
    assert_eq!(names(&reading), ["spec_check_dependencies", "spec_list", "spec_status"]);
    let both = ServerOptions { read_only: true, ..some };
    assert_eq!(names(&both), ["spec_list"]);
    let none = ServerOptions { toolsets: Vec::new(), ..ServerOptions::default() };
    assert!(names(&none).is_empty());
    let typo = ServerOptions { tools: tools(&["spec_lst"]), ..ServerOptions::default() };
    let error = Table::choose(&typo).unwrap_err();
    assert_eq!((error.kind, error.key.as_str()), (Kind::Usage, "unknown_name"));
    assert_eq!(error.plain_hint().as_deref(), Some("did you mean `spec_list`?"));
}

#[test]
fn a_call_finds_a_tool_by_an_alias_that_is_not_listed() {
    let mut tool = *tools::all().next().unwrap();
    tool.about.aliases = &["some.older/name"];
    let table = Table::new(vec![tool]);
    assert_eq!(table.find("some.older/name").unwrap().def.about.name, tool.about.name);
    assert!(table.listing().iter().all(|listing| listing.name == tool.about.name));
    assert!(table.find("some.other/name").is_none());
}

/// Values that are often right and often nearly right.
fn any_argument() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "draft", "active", "feature", "docs", "hard", "soft", "simple", "text", "",
    ]);
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => (-2i64..12_000).prop_map(Value::from),
        1 => prop::sample::select(vec![0.0, 2.0, 2.5, 100.0, 1e300, -1.0]).prop_map(Value::from),
        6 => word.prop_map(Value::from),
    ];
    let name = prop::sample::select(vec!["title", "description", "spec_id", "kind", "complexity", "else"]);
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// The schema and the Rust type must agree, or a call would pass the check and still not decode.
    #[test]
    fn arguments_that_pass_the_schema_always_decode(
        tool in prop::sample::select(tools::all().collect::<Vec<_>>()),
        values in prop::collection::vec(prop::option::of(any_argument()), 8),
        stranger in prop::option::weighted(0.1, any_argument()),
    ) {
        let properties = (tool.input)()["properties"].as_object().unwrap().clone();
        let mut arguments: JsonObject =
            properties.keys().cloned().zip(values).filter_map(|(name, value)| Some((name, value?))).collect();
        arguments.extend(stranger.map(|value| ("stranger".to_owned(), value)));
        let entry = Entry { def: *tool, checker: OnceLock::new() };
        if let Ok(arguments) = entry.check(tool.about.name, arguments) {
            let decoded = (tool.decode)(arguments.clone());
            prop_assert!(decoded.is_ok(), "{} {arguments}: {decoded:?}", tool.about.name);
        }
    }
}

#[test]
fn the_specman_profile_lists_its_tools_under_their_dotted_names() {
    let profile = ServerOptions { profile: Some(Profile::Specman), ..ServerOptions::default() };
    let table = Table::choose(&profile).unwrap();
    assert_eq!(table.names().count(), 15);
    assert!(table.names().all(|name| name.starts_with("specman.core.")));
    assert!(table.names().any(|name| name == "specman.core.workspace.describe"));
    for name in ["specman_workspace_describe", "specman.core.workspace.describe"] {
        assert_eq!(table.find(name).unwrap().def.operation(), "specman.core.workspace.describe");
    }
    for tool in table.listing() {
        let meta = tool.meta.as_ref().unwrap();
        assert!(meta["concept_ref"].as_str().unwrap().starts_with("[Concept: "), "{}", tool.name);
        assert_eq!(meta["spec_version"], ">=1.0.0");
    }
}

#[test]
fn a_set_that_is_missing_is_named_with_those_that_are_there() {
    use Toolset::{Decisions, Graph, Workflow};
    let with = |offered: &[Toolset], further| {
        let options = ServerOptions { toolsets: offered.to_vec(), ..ServerOptions::default() };
        Table::choose(&options).unwrap().toolsets_with(further)
    };
    assert_eq!(with(Toolset::DEFAULT, Graph), "default,graph");
    assert_eq!(with(&[Decisions], Graph), "decisions,graph");
    assert_eq!(with(&[Decisions], Workflow), "default");
    assert_eq!(with(&[Graph], Workflow), "default,graph");
}
