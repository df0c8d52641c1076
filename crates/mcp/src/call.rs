//! The wrapper round every tool: name, schema, rate, deadline, panics, audit, answer (D-6, D-7, D-12, D-15).

use std::sync::Arc;
use std::time::Instant;

use hewto_engine::{Context, Error, Kind, Result};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData};
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::reply;
use crate::state::ServerState;
use crate::table::{Entry, ToolDef};
use crate::work::Lane;

impl ServerState {
    /// Answers one `tools/call`. Only a tool that is not there is a protocol error.
    pub(crate) async fn call(
        &self,
        request: CallToolRequestParams,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let entry =
            self.table.find(&request.name).ok_or_else(|| reply::unknown_tool(&request.name, &self.table))?;
        let arguments = request.arguments.unwrap_or_default();
        let context = self.context(entry.def.about.name, cx);
        let operation_id = context.caller().operation_id.clone();
        let operation = self.trail.begin(&context, entry.def.about.name, &Value::Object(arguments.clone()));
        let outcome = match self.admit(entry, arguments) {
            Ok(arguments) => self.perform(entry.def, arguments, context, cx).await,
            Err(error) => Err(error),
        };
        let written = operation.end(&outcome);
        if entry.def.writes() {
            written.wait().await;
        }
        Ok(match outcome {
            Ok(view) => reply::success(view, &operation_id),
            Err(error) => reply::failure(&error, &operation_id),
        })
    }

    /// The checks that need no workspace.
    fn admit(&self, entry: &Entry, arguments: rmcp::model::JsonObject) -> Result<Value> {
        let arguments = entry
            .check(arguments)
            .map_err(|faults| reply::invalid_arguments(entry.def.about.name, &faults))?;
        self.bucket.take(Instant::now()).map_err(rate_limited)?;
        Ok(arguments)
    }

    async fn perform(
        &self,
        tool: ToolDef,
        arguments: Value,
        context: Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Value> {
        let lane = if tool.writes() { Lane::Write } else { Lane::Read };
        let site = Arc::clone(&self.site);
        self.workers
            .run(lane, context, cx, move |context| tool.run(site.workspace()?, context, arguments))
            .await
    }
}

fn rate_limited(wait: std::time::Duration) -> Error {
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    Error::new(Kind::Refused, "rate_limited", None, "too many calls in too short a time")
        .detail("retry_after_ms", millis)
        .hint(format!("wait {millis} ms before the next call"))
}
