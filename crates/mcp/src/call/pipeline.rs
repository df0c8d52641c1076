//! The wrapper round every tool: name, schema, rate, deadline, panics, audit, answer (D-6, D-7, D-12, D-15).

use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_call::{Lane, Operation, Verdict as Replayed, fingerprint};
use hewto_engine::{Context, Result};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, JsonObject};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tracing::{Instrument, Span};

use crate::approval_form;
use crate::client_log;
use crate::elicit::{self, Answer};
use crate::reply;
use crate::schema::Misread;
use crate::state::ServerState;
use crate::table::{Entry, Output, Tool as _, ToolDef};
use crate::tasks;
use crate::together;
use crate::tools::review::ApprovalWait;

/// No run is longer.
const LONGEST_RUN: Duration = Duration::from_hours(1);
/// How long ending a run and telling of it may take.
const TIME_TO_END: Duration = Duration::from_secs(10);

impl ServerState {
    /// Answers one `tools/call`. Only a tool that is not there is a protocol error.
    pub(crate) async fn call(
        &self,
        request: CallToolRequestParams,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.table.find(&request.name) else {
            return Err(reply::unknown_tool(&request.name, &self.table));
        };
        let context = self.context(entry.def.operation(), cx);
        let span = self.span(&entry.def, &context);
        // What is awaited by value is laid out in every future around it, and moved with each of them.
        Ok(Box::pin(self.answer(entry, request, &context, cx)).instrument(span).await)
    }

    /// Whatever is logged within a call says whose it is; of the level that no filter leaves out before its events.
    fn span(&self, tool: &ToolDef, context: &Context) -> Span {
        let caller = context.caller();
        tracing::error_span!(
            "call",
            workspace = %self.pipeline.project().root().display(),
            tool = tool.about.name,
            session = caller.session_id,
            operation = caller.operation_id,
            principal = caller.principal,
        )
    }

    async fn answer(
        &self,
        entry: &Entry,
        mut request: CallToolRequestParams,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let tool = entry.def;
        let reply = if elicit::asks(&tool) { elicit::take_reply(&mut request) } else { None };
        let mut arguments = request.arguments.unwrap_or_default();
        let shown = context.clone().with_claim(claim_of(&tool, &mut arguments));
        let context = &shown;
        let place = self.place_of(&tool, &mut arguments, cx).await;
        let called_with = Value::Object(arguments.clone());
        let operation = Operation {
            inputs: called_with.clone(),
            lock_intent: tool.lock_intent(&arguments),
            lane: tool.lane,
        };
        let chosen = place.as_ref().ok().cloned().flatten();
        let carry_out = Self::within(chosen.clone(), async {
            place?;
            let mut arguments = match self.admit(entry, &request.name, arguments, context)? {
                Ok(arguments) => arguments,
                Err(misread) => return Err(Box::pin(self.judge(tool, misread, context, cx)).await),
            };
            if tasks::fits(&tool, cx) {
                arguments = tasks::without_waiting(arguments);
            }
            if tool.about.name == ApprovalWait::ABOUT.name {
                return self.wait_for_a_person(tool, arguments, context, cx).await.map(Answer::View);
            }
            if approval_form::asks(&tool) {
                return Box::pin(self.seek_approval(tool, arguments, reply, context, cx)).await;
            }
            if elicit::asks(&tool) {
                return Box::pin(self.converse(tool, arguments, reply, context, cx)).await;
            }
            if tool.writes() {
                return Box::pin(self.perform_once(tool, arguments, context, cx)).await.map(Answer::View);
            }
            self.perform(tool, arguments, context, cx).await.map(Answer::View)
        });
        let outcome = self.pipeline.noted(operation, context, carry_out).await;
        client_log::tell_end(cx, context, outcome.as_ref().err()).await;
        if tool.writes() || tool.capability.is_some() {
            // What was acknowledged is in the audit; seed 002 lets clients look at once.
            self.pipeline.audit().flush().await;
        }
        let operation_id = &context.caller().operation_id;
        if tasks::fits(&tool, cx)
            && let Ok(Answer::View(output)) = &outcome
            && let Some(task) = tasks::task_of(output, context)
        {
            return task;
        }
        let shown = outcome.and_then(|answer| match answer {
            Answer::View(output) => {
                let output = reply::with_remarks(tool.shown(output)?, context)?;
                match &chosen {
                    Some(project) => reply::from_elsewhere(output, project.root()).map(Answer::View),
                    None => Ok(Answer::View(output)),
                }
            }
            asks @ Answer::Asks(_) => Ok(asks),
        });
        match shown {
            Ok(Answer::View(output)) if tool.writes() => {
                let project = chosen.unwrap_or_else(|| Arc::clone(self.pipeline.project()));
                reply::written(output, operation_id, project.root()).into()
            }
            Ok(Answer::View(output)) => reply::success(output, operation_id).into(),
            Ok(Answer::Asks(form)) => reply::asking(form, operation_id).into(),
            Err(error) => {
                let error = together::located(error, &tool, &called_with, &self.table);
                reply::failure(error, &tool, &self.table, operation_id).into()
            }
        }
    }

    /// The checks that need no workspace.
    fn admit(
        &self,
        entry: &Entry,
        called_as: &str,
        arguments: JsonObject,
        context: &Context,
    ) -> Result<Result<Value, Misread>> {
        let read = entry.check(called_as, arguments);
        self.pipeline.admit(context)?;
        if let Some(class) = entry.def.class().filter(|_| read.is_ok()) {
            self.project().admit(context, class)?;
        }
        Ok(read)
    }

    /// Carries a change out, unless it was carried out before: by its key, or because its answer was not delivered.
    async fn perform_once(
        &self,
        tool: ToolDef,
        arguments: Value,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Output> {
        let root = self.project().root().to_string_lossy().into_owned();
        let call = fingerprint(tool.about.name, &json!({ "root": root, "arguments": arguments }));
        let client = context.client();
        let first = match self.replays.look(client, idempotency_key(cx), call).await {
            Replayed::Repeated(output) => {
                context.note(json!({ "event": "repeated", "message": "answered with the first result" }));
                return Ok(output);
            }
            Replayed::Conflict => return Err(reply::key_used_otherwise()),
            Replayed::BadKey => return Err(reply::bad_key()),
            Replayed::First(first) => Some(first),
            Replayed::Unkeyed => None,
        };
        let outcome = self.perform(tool, arguments, context, cx).await;
        match (first, &outcome) {
            (Some(first), Ok(output)) => first.answered(output.clone()),
            // The client has gone, or said that it does not wait any more: this answer reaches nobody.
            (None, Ok(output)) if cx.ct.is_cancelled() && !context.committed().is_empty() => {
                self.replays.keep_undelivered(client, call, output.clone());
            }
            _ => {}
        }
        outcome
    }

    pub(crate) async fn perform(
        &self,
        tool: ToolDef,
        arguments: Value,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Output> {
        let time = self.time_for(&tool, &arguments);
        let project = self.project();
        let work = move |context: &Context| tool.run(&project, context, arguments);
        let began = Instant::now();
        let outcome = self.run_within(time, tool.lane, context.clone(), cx, work).await;
        if self.debug {
            let key = outcome.as_ref().err().map_or("ok", |error| error.key.as_str());
            tracing::debug!(outcome = key, took = ?began.elapsed(), "called");
        }
        outcome
    }

    /// How long a call may take: a build, a test run or a command as long as it asks for, and what it takes to end it.
    fn time_for(&self, tool: &ToolDef, arguments: &Value) -> Duration {
        if tool.lane != Lane::Run {
            return self.pipeline.pool().time_limit().get();
        }
        let asked = arguments["timeout_s"].as_u64().map(Duration::from_secs);
        let usual = || self.project().run_time().unwrap_or(LONGEST_RUN);
        asked.unwrap_or_else(usual).min(LONGEST_RUN) + TIME_TO_END
    }
}

/// Takes the number of a claim out of the arguments of a call that may show one.
fn claim_of(tool: &ToolDef, arguments: &mut JsonObject) -> Option<u64> {
    if !tool.takes_claim() {
        return None;
    }
    let number = arguments.get("claim").and_then(Value::as_u64)?;
    arguments.remove("claim");
    Some(number)
}

/// What the client chose to call this call, in `_meta`: `idempotencyKey`, in whatever spelling and with whatever prefix.
fn idempotency_key(cx: &RequestContext<RoleServer>) -> Option<&str> {
    let is_it = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name);
        let letters = name.chars().filter(|ch| !matches!(ch, '-' | '_' | '.'));
        letters.map(|ch| ch.to_ascii_lowercase()).eq("idempotencykey".chars())
    };
    let (_, key) = cx.meta.iter().find(|(name, _)| is_it(name))?;
    // One that is no text is refused as a bad key is, not overlooked.
    Some(key.as_str().unwrap_or_default())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
