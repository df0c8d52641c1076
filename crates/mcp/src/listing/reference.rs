//! The reference of tools, resources and prompts, `docs/tools.md`, written from the same tables that serve them.
//!
//! Built for tests only: one of them compares the page with what it would be, or writes it anew.

use std::fmt::Write;

use hewto_core::failure::key_table;
use serde_json::Value;

use crate::options::{ServerOptions, Toolset};
use crate::prompts::{Offer, PromptDef, prompts};
use crate::resources::{self, ResourceUri};
use crate::table::{Effect, Table, ToolDef};
use crate::tools;

/// The text of `docs/tools.md`.
fn reference_markdown() -> String {
    let mut out = String::from(HEAD);
    let options = ServerOptions { toolsets: Toolset::ALL.to_vec(), ..ServerOptions::default() };
    let table = Table::choose(&options).expect("a table of everything");
    for &toolset in Toolset::ALL {
        write_toolset(&mut out, toolset, &table);
    }
    out.push_str("## Errors\n\nWhat `error` can be:\n\n");
    out.push_str(&key_table());
    out
}

const HEAD: &str = "\
# Tools

*Written by `hewto-mcp` from its tables; do not edit. CONTRIBUTING says how to regenerate it.*

Every tool answers with `structuredContent` and the same facts as text, and names its operation in
`_meta.operation_id`. A failure is an `isError` result whose text is one JSON object: `error` (the key to act on),
`code` (the seed's number, where it has one), `message`, `hint`, and details.

";

fn write_toolset(out: &mut String, toolset: Toolset, table: &Table) {
    let mut tools: Vec<&ToolDef> = tools::all().filter(|tool| tool.about.toolset == toolset).collect();
    tools.sort_unstable_by_key(|tool| tool.about.name);
    line(out, format_args!("## Toolset `{}`\n", toolset.as_str()));
    line(out, format_args!("| tool | what it does to the workspace |\n|---|---|"));
    for tool in &tools {
        line(out, format_args!("| [`{0}`](#{0}) | {1} |", tool.about.name, effect(tool.about.effect)));
    }
    for tool in &tools {
        write_tool(out, tool);
    }
    if !resources::templates(&[toolset]).is_empty() {
        write_resources(out, toolset);
    }
    let offered: Vec<&PromptDef> = prompts(Offer { toolsets: &[toolset], read_only: false, table }).collect();
    if !offered.is_empty() {
        write_prompts(out, &offered);
    }
    line(out, format_args!(""));
}

fn write_tool(out: &mut String, tool: &ToolDef) {
    let listing = tool.listing();
    line(out, format_args!("\n### {}\n\n{}\n", tool.about.name, tool.about.description));
    let seed = tool.capability.iter().map(|capability| capability.id);
    let others: Vec<&str> = tool.about.aliases.iter().copied().chain(seed).collect();
    if !others.is_empty() {
        line(out, format_args!("Also answers to `{}`.\n", others.join("`, `")));
    }
    write_fields(out, "argument", &Value::Object(listing.input_schema.as_ref().clone()));
    if let Some(output) = listing.output_schema {
        line(out, format_args!(""));
        write_fields(out, "answer", &Value::Object(output.as_ref().clone()));
    }
}

fn write_fields(out: &mut String, what: &str, schema: &Value) {
    line(out, format_args!("| {what} | type | |\n|---|---|---|"));
    let mut rows = Vec::new();
    collect_fields(schema, "", &mut rows);
    for (name, kind, note) in rows {
        line(out, format_args!("| `{name}` | {kind} | {note} |"));
    }
}

/// One row per field, nested ones with their path.
fn collect_fields(schema: &Value, path: &str, rows: &mut Vec<(String, String, String)>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required = schema["required"].as_array();
    for (name, field) in properties {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        let name = format!("{path}{name}");
        let note = field["description"].as_str().unwrap_or_default().replace('|', "\\|");
        let presence = if is_required { "" } else { "optional" };
        let note =
            [presence, &note].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        rows.push((name.clone(), kind_of(field), note));
        let inner = without_null(field);
        collect_fields(inner, &format!("{name}."), rows);
        collect_fields(&inner["items"], &format!("{name}[]."), rows);
    }
}

fn kind_of(schema: &Value) -> String {
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<String> =
            names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
        return names.join(" ");
    }
    let mut kind = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => match without_null(schema)["type"].as_str() {
            Some(name) => format!("{name} or null"),
            None => "any".into(),
        },
    };
    if let (Some(least), Some(most)) = (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        write!(kind, " {least}–{most}").expect("a string takes any text");
    }
    kind
}

/// The other branch of `anyOf: […, {type: null}]`.
fn without_null(schema: &Value) -> &Value {
    schema["anyOf"]
        .as_array()
        .and_then(|branches| branches.iter().find(|branch| branch["type"] != "null"))
        .unwrap_or(schema)
}

fn write_resources(out: &mut String, toolset: Toolset) {
    line(out, format_args!("\n### Resources\n\n| address | type | |\n|---|---|---|"));
    let fixed = [ResourceUri::Config, ResourceUri::Specs];
    for uri in fixed.iter().filter(|uri| uri.toolset() == toolset) {
        line(out, format_args!("| `{uri}` | {} | |", uri.mime_type()));
    }
    for template in resources::templates(&[toolset]) {
        let description = template.description.unwrap_or_default();
        let mime_type = template.mime_type.unwrap_or_default();
        line(out, format_args!("| `{}` | {mime_type} | {description} |", template.uri_template));
    }
}

fn write_prompts(out: &mut String, offered: &[&PromptDef]) {
    line(out, format_args!("\n### Prompts\n\n| prompt | argument | |\n|---|---|---|"));
    for prompt in offered {
        line(out, format_args!("| `{}` | `{}` | {} |", prompt.name, prompt.argument, prompt.description));
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Reads => "reads",
        Effect::Adds => "adds or moves on",
        Effect::Overwrites => "may replace what somebody wrote",
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes any text");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_tool_reference_is_fresh() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
        let fresh = reference_markdown();
        #[expect(clippy::disallowed_methods, reason = "a switch of this test, not of the program")]
        if std::env::var_os("HEWTO_REGENERATE").is_some() {
            fs_err::write(&path, &fresh).unwrap();
            return;
        }
        let stale = "docs/tools.md is stale: run `HEWTO_REGENERATE=1 cargo test -p hewto-mcp reference`";
        assert!(fs_err::read_to_string(&path).is_ok_and(|text| text == fresh), "{stale}");
    }
}
