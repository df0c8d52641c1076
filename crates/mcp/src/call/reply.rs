//! What a tool call is answered with (D-6): structured content and the same facts as text, or one JSON error object.

use std::path::Path;

use hewto_engine::decision::error_envelope;
use hewto_engine::{Context, Error, Key, Kind, neighbours, record};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, InputRequiredResult, MetaObject};
use serde_json::{Value, json};

use crate::options::Toolset;
use crate::schema::Fault;
use crate::table::{Output, Table, ToolDef};
use crate::transport::frame::structured_with_text;

/// Under which key of `_meta` a reply names its operation.
const OPERATION_ID: &str = "operation_id";
/// The same for the workspace and the branch that were written to.
const ROOT: &str = "root";
const BRANCH: &str = "branch";

/// A view. Hosts show the model either the structured content or the text, so both say everything.
pub(crate) fn success(output: Output, operation_id: &str) -> CallToolResult {
    let mut result = structured_with_text(output.view).with_meta(Some(meta(operation_id)));
    result.content.extend(output.media);
    result
}

/// The view of a call that may have written: it names the root and the branch that it wrote to.
pub(crate) fn written(output: Output, operation_id: &str, root: &Path) -> CallToolResult {
    let mut meta = meta(operation_id);
    meta.insert(ROOT.into(), root.display().to_string().into());
    if let Some(branch) = neighbours::branch_of(root) {
        meta.insert(BRANCH.into(), branch.into());
    }
    let mut result = structured_with_text(output.view).with_meta(Some(meta));
    result.content.extend(output.media);
    result
}

/// A view that also says what the caller should hear though nothing was refused: that somebody else has the work. Replies
/// that have a place for what is open say it themselves.
pub(crate) fn with_remarks(output: Output, context: &Context) -> hewto_engine::Result<Output> {
    let remarks = record::remarks(context);
    if remarks.is_empty() {
        return Ok(output);
    }
    let mut view = output.value()?;
    let Some(object) = view.as_object_mut() else { return Ok(output) };
    let open = object.entry("open").or_insert_with(|| json!([]));
    let Some(open) = open.as_array_mut() else { return Ok(output) };
    if open.iter().any(record::is_remark) {
        return Ok(output);
    }
    open.extend(remarks);
    Ok(Output { media: output.media, ..Output::of(&view)? })
}

/// A view from another workspace than that of the server: the calls that it names as next go there too. Ids are without the
/// name of their workspace, and the same one may well be there in both.
pub(crate) fn from_elsewhere(output: Output, root: &Path) -> hewto_engine::Result<Output> {
    let mut view = output.value()?;
    let workspace = format!("{{\"workspace\": {}, \"", json!(root.display().to_string()));
    if !name_workspace(&mut view, &workspace) {
        return Ok(output);
    }
    Ok(Output { media: output.media, ..Output::of(&view)? })
}

/// Puts the workspace first into the arguments of every call under `next`; whether there was any.
fn name_workspace(view: &mut Value, workspace: &str) -> bool {
    let mut is_named = false;
    match view {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match member {
                    Value::String(text) if name == "next" && text.contains("{\"") => {
                        *text = text.replace("{\"", workspace);
                        is_named = true;
                    }
                    member => is_named |= name_workspace(member, workspace),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                is_named |= name_workspace(item, workspace);
            }
        }
        _ => {}
    }
    is_named
}

/// A failure that the model can act on; no structured content, which would have to match the output schema.
pub(crate) fn failure(mut error: Error, tool: &ToolDef, table: &Table, operation_id: &str) -> CallToolResult {
    if error.key == Key::InvalidParams {
        error.hint.get_or_insert_with(|| match_the_schema(tool.name()).into());
    }
    let object = match (tool.about.toolset, &tool.capability) {
        // The tools of seed 003 have an envelope of its own.
        (Toolset::Decisions, _) if has_envelope(tool) => error_envelope(&error, table.hint(&error)),
        // Seed 002 wants to know which concept was offended, and how the operation ended.
        (_, Some(capability)) => {
            let status = record::status(Some(&error)).as_str();
            let error =
                error.detail_unless_set("concept_ref", capability.concept_ref).detail("status", status);
            table.error_object(tool.about.toolset, &error)
        }
        (toolset, None) => table.error_object(toolset, &error),
    };
    let text = object.to_string();
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta(operation_id)))
}

/// Whether a tool answers with the envelope of seed 003, which knows two.
fn has_envelope(tool: &ToolDef) -> bool {
    matches!(tool.about.name, "require_clarification" | "read_architecture")
}

/// A form for the user, in the era in which a server asks by answering.
pub(crate) fn asking(form: InputRequiredResult, operation_id: &str) -> InputRequiredResult {
    form.with_meta(meta(operation_id))
}

/// The error that lists everything wrong with the arguments.
pub(crate) fn invalid_arguments(tool: &str, faults: &[Fault]) -> Error {
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    Error::new(Kind::Usage, Key::InvalidParams, messages.join("; "))
        .detail("faults", json!(faults))
        .hint(match_the_schema(tool))
}

fn match_the_schema(tool: &str) -> String {
    format!("correct the arguments to match the input schema of `{tool}`")
}

/// The answer to a tool that is not offered: a protocol error, because there is no tool to answer.
pub(crate) fn unknown_tool(name: &str, table: &Table) -> ErrorData {
    let near = table.near(name);
    if let Some(toolset) = table.elsewhere(name) {
        let together = table.toolsets_with(toolset);
        let toolset = toolset.as_str();
        let hint = format!("start the server with `--toolsets {together}` (or `all`) to have it");
        let data = json!({
            "error": "unknown_tool", "code": -32602, "tool": name, "toolset": toolset, "near": near, "hint": hint,
        });
        let message =
            format!("the tool `{name}` is in the toolset `{toolset}`, which is not offered here: {hint}");
        return ErrorData::invalid_params(message, Some(data));
    }
    let hint = match near.as_slice() {
        [] => "list the tools to see what is offered".to_owned(),
        near => format!("did you mean `{}`?", near.join("` or `")),
    };
    let data = json!({ "error": "unknown_tool", "code": -32602, "tool": name, "near": near, "hint": hint });
    ErrorData::invalid_params(format!("unknown tool `{name}`: {hint}"), Some(data))
}

/// The refusal of a key that stands for another call.
pub(crate) fn key_used_otherwise() -> Error {
    Error::new(
        Kind::Refused,
        Key::IdempotencyConflict,
        "this idempotency key was used for a call with other arguments",
    )
    .hint("choose a new key for each call, and repeat it only with the same arguments")
}

/// The refusal of a key that cannot be one.
pub(crate) fn bad_key() -> Error {
    Error::invalid_argument(
        "_meta/idempotencyKey",
        "text of 1 to 255 bytes",
        "the idempotency key is not text of 1 to 255 bytes",
    )
}

fn meta(operation_id: &str) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(OPERATION_ID.into(), operation_id.into());
    meta
}
