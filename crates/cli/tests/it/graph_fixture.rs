//! A workspace in the shape of seed 002's own repository: specs, implementations, a scratch pad, a template.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::mcp_client::serve_with;

const FIXTURE: &str = "\
//- .specman/
//- spec/specman-core/spec.md
---
name: specman-core
version: \"0.1.0\"
dependencies:
  - ref: ../specman-data-model/spec.md
    optional: false
---

# Core

## Concept: Workspace & Data Governance

Text.
//- spec/specman-data-model/spec.md
---
name: specman-data-model
version: \"1.0.0\"
---

# Data Model
//- spec/specman-templates/spec.md
---
name: specman-templates
version: \"1.0.0\"
dependencies: [../specman-data-model/spec.md]
---

# Templates
//- spec/specman-mcp/spec.md
---
name: specman-mcp
version: \"1.0.0\"
dependencies:
  - ../specman-core/spec.md
  - ref: ../../docs/ghost.md
    optional: true
---

# MCP

## Concept: MCP Transport Compliance
//- impl/specman-library/impl.md
---
spec: ../../spec/specman-core/spec.md
name: specman-library
version: \"1.0.0\"
location: ../../src/crates/specman
references:
  - ref: ../../spec/specman-data-model/spec.md
    type: specification
    optional: false
---

# Library
//- impl/specman-mcp-rust/impl.md
---
spec: ../../spec/specman-mcp/spec.md
name: specman-mcp-rust
version: \"0.1.0\"
location: ../../src/crates/specman-mcp
references:
  - ref: ../../spec/specman-core/spec.md
    type: specification
    optional: false
  - ref: ../../spec/specman-templates/spec.md
    type: specification
    optional: false
  - ref: ../specman-library/impl.md
    type: implementation
    optional: false
---

# Implementation
//- .specman/scratchpad/mcp-adapter/scratch.md
---
target: impl/specman-mcp-rust/impl.md
branch: specman-mcp-rust/feat/mcp-adapter
work_type:
  feat: {}
---

# Notes
//- src/crates/specman-mcp/src/lib.rs
";

/// The workspace of the fixture.
pub(crate) fn specman() -> TestWorkspace {
    TestWorkspace::from_fixture(FIXTURE)
}

/// A server of the graph's tools.
pub(crate) fn serve_graph(workspace: &TestWorkspace) -> McpSession {
    serve_with(workspace, Era::Legacy, &["--toolsets", "graph"])
}

/// The handles of a list of artifacts.
pub(crate) fn handles(list: &Value) -> Vec<&str> {
    list["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|artifact| artifact["handle"].as_str().unwrap())
        .collect()
}

/// Edges as `from type to`.
pub(crate) fn edges(list: &Value) -> Vec<String> {
    let show = |edge: &Value| {
        let end = |side: &str| edge[side]["handle"].as_str().unwrap().to_owned();
        let optional = if edge["optional"] == json!(true) { "?" } else { "" };
        format!("{} {}{optional} {}", end("from"), edge["type"].as_str().unwrap(), end("to"))
    };
    list.as_array().unwrap().iter().map(show).collect()
}
