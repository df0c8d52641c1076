//! Long runs of checks as tasks of the protocol (`io.modelcontextprotocol/tasks`), for clients that have them. A task is a run:
//! it goes by the run's id, and what it comes to is what `proof_run` answers.

use hewto_engine::proof::run::begun_at;
use hewto_engine::{Context, Error, Key};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::reply;
use crate::state::ServerState;
use crate::table::{Output, Tool as _, ToolDef};
use crate::tools::proof::ProofRun;

/// How often a client should ask.
const POLL_MS: u64 = 1_000;
/// How long a run may take and be asked for.
const TTL_MS: u64 = 3_600_000;

/// Whether a call of this tool becomes a task when it takes long.
pub(crate) fn fits(tool: &ToolDef, cx: &RequestContext<RoleServer>) -> bool {
    tool.about.name == ProofRun::ABOUT.name
        && cx.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// A client with tasks does not wait in the call.
pub(crate) fn without_waiting(mut arguments: Value) -> Value {
    if let Some(arguments) = arguments.as_object_mut() {
        arguments.entry("wait_s").or_insert_with(|| json!(0));
    }
    arguments
}

/// The task for a run that goes on; `None` where it has ended and is the answer itself.
pub(crate) fn task_of(output: &Output, context: &Context) -> Option<CallToolResponse> {
    let view = output.value().ok()?;
    (view["status"] == "running").then(|| CallToolResponse::Task(CreateTaskResult::new(task(&view, context))))
}

fn task(view: &Value, context: &Context) -> Task {
    let now = context.now_rfc3339();
    let id = view["run"].as_str().unwrap_or_default();
    let begun = begun_at(id).unwrap_or_else(|| now.clone());
    let task = Task::new(id, TaskStatus::Working, begun, now);
    let task = task.with_ttl_ms(TTL_MS).with_poll_interval_ms(POLL_MS);
    match view["progress"]["message"].as_str() {
        Some(message) => task.with_status_message(message),
        None => task,
    }
}

impl ServerState {
    /// `tasks/get`.
    pub(crate) async fn task(
        &self,
        id: &str,
        cx: &RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let (output, context) = self.ask_run(json!({ "run": id, "wait_s": 0 }), cx).await?;
        let view = output.value().map_err(|error| unknown(id, &error))?;
        let payload = match view["status"].as_str() {
            Some("running") => TaskPayload::Working,
            Some("cancelled") => TaskPayload::Cancelled,
            _ => TaskPayload::Completed { result: result_of(output, &context) },
        };
        Ok(GetTaskResult::new(DetailedTask::new(task(&view, &context), payload)))
    }

    /// `tasks/cancel`: ends the run and everything that it started. Only who started it can.
    pub(crate) async fn cancel_task(
        &self,
        id: &str,
        cx: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.ask_run(json!({ "run": id, "cancel": true }), cx).await.map(drop)
    }

    /// `tasks/update`: a run asks its client for nothing, so there is nothing to tell it.
    pub(crate) async fn update_task(
        &self,
        id: &str,
        cx: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.ask_run(json!({ "run": id, "wait_s": 0 }), cx).await.map(drop)
    }

    async fn ask_run(
        &self,
        arguments: Value,
        cx: &RequestContext<RoleServer>,
    ) -> Result<(Output, Context), ErrorData> {
        let id = arguments["run"].as_str().unwrap_or_default().to_owned();
        let Some(entry) = self.table.find(ProofRun::ABOUT.name) else {
            return Err(ErrorData::invalid_params(format!("unknown task `{}`", shown(&id)), None));
        };
        let context = self.context(entry.def.operation(), cx);
        let outcome = self.perform(entry.def, arguments, &context, cx).await;
        outcome.map(|output| (output, context)).map_err(|error| unknown(&id, &error))
    }
}

/// What the call would have been answered with.
fn result_of(output: Output, context: &Context) -> JsonObject {
    let view = output.value().unwrap_or_default();
    let mut result = json!(reply::success(output, &context.caller().operation_id));
    result["structuredContent"] = view;
    result.as_object().cloned().unwrap_or_default()
}

fn unknown(id: &str, error: &Error) -> ErrorData {
    let data = json!({ "error": error.key.as_str(), "task": id });
    let message = match error.key {
        Key::RunUnknown => format!("unknown task `{}`", shown(id)),
        _ => error.message.clone(),
    };
    ErrorData::invalid_params(message, Some(data))
}

fn shown(id: &str) -> String {
    id.chars().take(80).collect::<String>().escape_debug().to_string()
}
