//! How other servers spell it: the names of their tools imply arguments, and their parameters have other names.
//!
//! The original of seed 001, the two reference servers (server-filesystem, mcp-server-git) and the seed itself. Their
//! names are accepted on call and never listed, except by the profile that stands in for the original.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Their parameter and ours. One counts where a tool has ours and not theirs.
const PARAMETERS: &[(&str, &str)] = &[
    ("base_branch", "from"),
    ("branch_name", "name"),
    ("branch_type", "kind"),
    ("dryRun", "dry_run"),
    ("end_timestamp", "until"),
    ("excludePatterns", "exclude"),
    ("files", "paths"),
    ("maxCount", "limit"),
    ("max_count", "limit"),
    ("newText", "new_text"),
    ("oldText", "old_text"),
    ("projectPath", "path"),
    ("repo_path", "repo"),
    ("repositoryPath", "repo"),
    ("sortBy", "order"),
    ("start_timestamp", "since"),
    ("target", "from"),
    ("workingDirectory", "cwd"),
];

/// Their parameters in which a blank counts as absent.
const BLANK_IS_ABSENT: &[&str] = &["projectPath", "repositoryPath", "workingDirectory"];

/// What the name of a tool implies unless the call says otherwise.
fn implied(called_as: &str) -> Option<(&'static str, Value)> {
    Some(match called_as {
        "read_text_file" => ("form", json!("text")),
        "read_media_file" => ("form", json!("media")),
        "file_exists" | "delete_file" => ("kind", json!("file")),
        "directory_exists" => ("kind", json!("directory")),
        "list_directory" => ("sizes", json!(false)),
        "git_diff_staged" => ("staged", json!(true)),
        "git_reset" => ("paths", json!(["."])),
        "get_log" => ("limit", json!(10)),
        "get_current_branch" => ("kind", json!("local")),
        _ => return None,
    })
}

/// Arguments as our tool takes them, given its schema and the name that it was called by.
pub(crate) fn translate(called_as: &str, schema: &Value, arguments: &mut JsonObject) {
    rename(schema, arguments);
    if let Some((name, value)) = implied(called_as) {
        arguments.entry(name).or_insert(value);
    }
}

/// Our schema with the parameters that another server's tool has.
pub(crate) fn face(mut schema: JsonObject, parameters: &[&str]) -> JsonObject {
    let ours = |theirs: &str, properties: &JsonObject| {
        if properties.contains_key(theirs) { theirs.to_owned() } else { own_name(theirs, properties) }
    };
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let pairs: Vec<(&str, String)> =
        parameters.iter().map(|theirs| (*theirs, ours(theirs, &properties))).collect();
    let always = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_required = |own: &String| always.iter().any(|name| name == own);
    let required: Vec<&str> =
        pairs.iter().filter(|(_, own)| is_required(own)).map(|(theirs, _)| *theirs).collect();
    let chosen: JsonObject = pairs
        .iter()
        .map(|(theirs, own)| ((*theirs).to_owned(), properties.get(own).cloned().unwrap_or_default()))
        .collect();
    if required.is_empty() {
        schema.shift_remove("required");
    } else {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("properties".into(), Value::Object(chosen));
    schema
}

fn own_name(theirs: &str, properties: &JsonObject) -> String {
    let known = PARAMETERS.iter().find(|(name, own)| *name == theirs && properties.contains_key(*own));
    known.map_or(theirs, |(_, own)| own).to_owned()
}

fn rename(schema: &Value, arguments: &mut JsonObject) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (theirs, ours) in PARAMETERS {
        let applies = properties.contains_key(*ours)
            && !properties.contains_key(*theirs)
            && !arguments.contains_key(*ours);
        if applies && let Some(value) = arguments.shift_remove(*theirs) {
            let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
            if !(is_blank && BLANK_IS_ABSENT.contains(theirs)) {
                arguments.insert((*ours).to_owned(), value);
            }
        }
    }
    for (name, value) in arguments {
        if let (Some(schema), Value::Array(items)) = (properties.get(name), value) {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                rename(&schema["items"], item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use crate::tools::workstation::{ANCPLUA, TOOLS};

    /// What a tool gets when it is called like this.
    #[track_caller]
    fn checked(table: &Table, called_as: &str, arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let entry = table.find(called_as).unwrap_or_else(|| panic!("no `{called_as}`"));
        entry.check(called_as, arguments).unwrap_or_else(|misread| panic!("{called_as}: {misread:?}"))
    }

    #[test]
    fn the_reference_servers_are_understood() {
        let table = Table::new(TOOLS.to_vec());
        for (name, theirs, ours) in [
            (
                "read_text_file",
                json!({"path": "a", "head": 3}),
                json!({"path": "a", "head": 3, "form": "text"}),
            ),
            ("filesystem/read", json!({"path": "a"}), json!({"path": "a"})),
            (
                "edit_file",
                json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": true}),
                json!({"path": "a", "edits": [{"old_text": "x", "new_text": "y"}], "dry_run": true}),
            ),
            (
                "directory_tree",
                json!({"path": ".", "excludePatterns": ["target"]}),
                json!({"path": ".", "exclude": ["target"]}),
            ),
            ("list_directory", json!({"path": "."}), json!({"path": ".", "sizes": false})),
            (
                "list_directory_with_sizes",
                json!({"path": ".", "sortBy": "size"}),
                json!({"path": ".", "order": "size"}),
            ),
            ("file_exists", json!({"path": "a"}), json!({"path": "a", "kind": "file"})),
            ("git_diff", json!({"repo_path": "r", "target": "main"}), json!({"repo": "r", "from": "main"})),
            (
                "git_diff_staged",
                json!({"repo_path": "r", "context_lines": 0}),
                json!({"repo": "r", "context_lines": 0, "staged": true}),
            ),
            (
                "git_log",
                json!({"repo_path": "r", "max_count": 5, "start_timestamp": "yesterday"}),
                json!({"repo": "r", "limit": 5, "since": "yesterday"}),
            ),
            ("git_add", json!({"repo_path": "r", "files": ["a"]}), json!({"repo": "r", "paths": ["a"]})),
            ("git_reset", json!({"repo_path": "r"}), json!({"repo": "r", "paths": ["."]})),
            (
                "git_create_branch",
                json!({"repo_path": "r", "branch_name": "b", "base_branch": "main"}),
                json!({"repo": "r", "name": "b", "from": "main"}),
            ),
            (
                "git_checkout",
                json!({"repo_path": "r", "branch_name": "b"}),
                json!({"repo": "r", "name": "b"}),
            ),
            (
                "git_branch",
                json!({"repo_path": "r", "branch_type": "all"}),
                json!({"repo": "r", "kind": "all"}),
            ),
            ("get_log", json!({"repositoryPath": " "}), json!({"limit": 10})),
            ("get_log", json!({"maxCount": 3}), json!({"limit": 3})),
            (
                "run_command",
                json!({"command": "x", "workingDirectory": "w"}),
                json!({"command": "x", "cwd": "w"}),
            ),
            ("build", json!({"projectPath": "p"}), json!({"path": "p"})),
        ] {
            assert_eq!(checked(&table, name, theirs), ours, "{name}");
        }
    }

    #[test]
    fn a_parameter_that_is_given_twice_is_a_fault() {
        let table = Table::new(TOOLS.to_vec());
        let arguments = json!({"repo": "a", "repo_path": "b"}).as_object().unwrap().clone();
        let faults = table.find("git_status").unwrap().check("git_status", arguments).unwrap_err().faults;
        assert_eq!(faults[0].field, "repo_path");
    }

    #[test]
    fn the_original_is_listed_with_its_own_parameters_and_checked_against_them() {
        let table = Table::new(ANCPLUA.to_vec());
        let log = table.listing().iter().find(|tool| tool.name == "get_log").unwrap();
        let names: Vec<&String> = log.input_schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["repositoryPath", "maxCount"]);
        let add = table.listing().iter().find(|tool| tool.name == "add").unwrap();
        assert_eq!(add.input_schema["required"], json!(["files"]));
        assert_eq!(checked(&table, "add", json!({"files": ["a"]})), json!({"paths": ["a"]}));
        assert_eq!(checked(&table, "get_status", json!({"repositoryPath": ""})), json!({}));
        let wrong = json!({"maxCount": "many"}).as_object().unwrap().clone();
        let faults = table.find("get_log").unwrap().check("get_log", wrong).unwrap_err().faults;
        assert_eq!(faults[0].field, "maxCount");
        assert_eq!(checked(&table, "filesystem/read", json!({"path": "a"})), json!({"path": "a"}));
    }
}
