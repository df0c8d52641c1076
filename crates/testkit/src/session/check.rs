//! What every reply of a tool has to hold.

use serde_json::{Value, json};

use super::{Era, McpSession};

impl McpSession {
    #[track_caller]
    pub(super) fn check_result(&mut self, tool: &str, result: &Value) {
        match self.era {
            Era::Legacy => {
                assert_eq!(result.get("resultType"), None, "the old era knows no resultType: {result}");
            }
            Era::Modern => {
                assert_eq!(result["resultType"], "complete", "{result}");
                assert!(
                    result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].is_string(),
                    "{result}"
                );
            }
        }
        if result["isError"] == true {
            assert_eq!(result.get("structuredContent"), None, "an error has no structured content: {result}");
            return;
        }
        let structured = &result["structuredContent"];
        let text = result["content"][0]["text"].as_str().expect("text");
        assert_eq!(
            &serde_json::from_str::<Value>(text).expect("the text is JSON"),
            structured,
            "text and structure differ"
        );
        let schema = self.output_schema(tool);
        let faults: Vec<String> = jsonschema::draft202012::new(&schema)
            .expect("the output schema compiles")
            .iter_errors(structured)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(
            faults.is_empty(),
            "the reply of `{tool}` does not match its output schema: {faults:?}\n{structured}"
        );
    }

    #[track_caller]
    fn output_schema(&mut self, tool: &str) -> Value {
        if self.output_schemas.is_none() {
            let list = self.request("tools/list", json!({})).expect("tools/list is answered");
            let tools = list["tools"].as_array().expect("tools");
            let schemas = tools.iter().map(|tool| {
                (tool["name"].as_str().expect("a name").to_owned(), tool["outputSchema"].clone())
            });
            self.output_schemas = Some(schemas.collect());
        }
        let schemas = self.output_schemas.as_ref().expect("just listed");
        schemas.get(tool).unwrap_or_else(|| panic!("`{tool}` is not listed")).clone()
    }
}
