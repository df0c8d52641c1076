use super::*;
use proptest::prelude::*;

use crate::options::ServerOptions;

/// A table of everything; what less of it means for prompts is tried where texts are fitted to tools.
fn every_tool() -> Table {
    let options = ServerOptions { toolsets: Toolset::ALL.to_vec(), ..ServerOptions::default() };
    Table::choose(&options).unwrap()
}

fn served(table: &Table) -> Offer<'_> {
    Offer { toolsets: &[Toolset::Workflow], read_only: false, table }
}

fn text(name: &str, arguments: Value) -> Result<String, ErrorData> {
    let result = get(served(&every_tool()), name, rmcp::model::object(arguments), false)?;
    assert_eq!(result.messages.len(), 1);
    assert_eq!(result.messages[0].role, Role::User);
    Ok(result.messages[0].content.as_text().unwrap().text.clone())
}

#[test]
fn a_server_that_only_reads_offers_no_prompt_that_leads_to_writing() {
    let table = every_tool();
    let offer = Offer { toolsets: Toolset::ALL, read_only: true, table: &table };
    let names: Vec<&str> = prompts(offer).map(|prompt| prompt.name).collect();
    for writing in ["apply", "archive", "create_plan", "propose", "write_spec"] {
        assert!(!names.contains(&writing), "{writing}");
    }
    assert!(names.contains(&"check_progress"));
    assert!(get(offer, "propose", rmcp::model::object(json!({ "wish": "x" })), false).is_err());
}

#[test]
fn every_prompt_has_its_placeholder_and_the_list_is_sorted() {
    let table = every_tool();
    let names: Vec<&str> = prompts(served(&table)).map(|prompt| prompt.name).collect();
    assert!(names.is_sorted());
    for prompt in prompts(served(&table)) {
        assert!(prompt.text.contains(&format!("{{{{{}}}}}", prompt.argument)), "{}", prompt.name);
        assert!(!prompt.fill("x", &table).contains("{{"), "{}", prompt.name);
    }
    assert_eq!(prompts(Offer { toolsets: &[], ..served(&table) }).count(), 0);
}

#[test]
fn every_placeholder_is_replaced_but_never_inside_what_the_user_wrote() {
    let filled = text("validate_plan", json!({ "spec_id": "{{spec_id}} {{x}}" })).unwrap();
    assert!(filled.starts_with(
        "Compare the plan at airsspec:///{{spec_id}} {{x}}/plan against the spec at airsspec:///{{spec_id}} {{x}}/spec\n"
    ));
}

#[test]
fn of_a_change_a_prompt_speaks_of_tasks_and_deltas_and_not_of_documents_it_does_not_have() {
    let table = every_tool();
    for prompt in prompts(served(&table)).filter(|prompt| prompt.argument == SPEC_ID) {
        let filled = prompt.fill("change:add-limit", &table);
        assert!(!filled.contains("airsspec:///"), "{}: {filled}", prompt.name);
        assert!(filled.contains("change:add-limit") && !filled.contains("{{"), "{}", prompt.name);
    }
    let plan = text("create_plan", json!({ "spec_id": "change:add-limit" })).unwrap();
    assert!(plan.contains("tasks") && plan.contains("plan_update") && plan.contains("build_start"), "{plan}");
}

#[test]
fn bad_arguments_and_unknown_prompts_are_refused_with_what_to_do() {
    let cases = [
        ("write_spec", json!({}), "feature_description"),
        ("write_spec", json!({ "feature_description": null }), "feature_description"),
        ("write_spec", json!({ "feature_description": "  \n" }), "feature_description"),
        ("write_spec", json!({ "feature_description": 5 }), "feature_description"),
        ("write_spec", json!({ "feature_description": "x", "else": "y" }), "else"),
    ];
    for (name, arguments, field) in cases {
        let error = text(name, arguments.clone()).unwrap_err();
        assert_eq!(error.code.0, -32602);
        assert_eq!(error.data.unwrap()["field"], field, "{arguments}");
    }
    let error = text("write_spex", json!({})).unwrap_err();
    assert_eq!((error.code.0, &error.data.unwrap()["near"]), (-32602, &json!(["write_spec"])));
}

proptest! {
    #[test]
    fn the_text_around_the_placeholder_never_changes(value in "[ -~\n{}]{1,40}") {
        prop_assume!(!value.trim().is_empty());
        let prompt = PROMPTS.iter().find(|prompt| prompt.name == "check_progress").unwrap();
        let (before, after) = prompt.text.trim_end().split_once("{{spec_id}}").unwrap();
        prop_assert_eq!(text(prompt.name, json!({ "spec_id": value.clone() })).unwrap(), format!("{before}{value}{after}"));
    }
}
