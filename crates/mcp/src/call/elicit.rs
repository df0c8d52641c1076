//! The questions of a clarification in the client's own dialog, in both eras (D-14).
//!
//! The old era sends a request and waits, holding neither lock nor deadline (D-12); the new one answers with a form
//! and is called again. A user who declines or cancels loses nothing: the same questions come back as a plain answer,
//! and the session goes on by arguments.

use std::time::Duration;

use hewto_engine::{Context, Error, Key, Result};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, JsonObject, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use serde_json::{Map, Value, json};

use crate::approval_form;
use crate::handler::is_modern;
use crate::state::ServerState;
use crate::table::{DecisionTool, Output, ToolDef};
use crate::tools::decisions::RequireClarification;

/// The name of the form among the requests of one answer.
const FORM: &str = "answers";
/// As long as the session lives; nobody answers a dialog that is older.
const WAIT_FOR_A_PERSON: Duration = Duration::from_mins(30);
/// More rounds than a session has questions mean that somebody goes in circles.
const MOST_ROUNDS: usize = 8;

/// What a call is answered with.
pub(crate) enum Answer {
    View(Output),
    Asks(InputRequiredResult),
}

/// What a user did with a form, as the client tells it in a repeated call.
pub(crate) struct Reply {
    /// As it came; only its seal says whether it is ours.
    pub(crate) state: String,
    pub(crate) answers: Option<JsonObject>,
}

/// Whether a tool has questions for the user.
pub(crate) fn asks(tool: &ToolDef) -> bool {
    tool.about.name == RequireClarification::ABOUT.name || approval_form::asks(tool)
}

/// Takes the user's reply out of a repeated call.
pub(crate) fn take_reply(request: &mut CallToolRequestParams) -> Option<Reply> {
    let state = request.request_state.take()?;
    let reply = request.input_responses.take().and_then(|mut replies| replies.remove(FORM));
    let reply = reply.and_then(|value| serde_json::from_value::<ElicitResult>(value).ok());
    Some(Reply { state, answers: reply.and_then(accepted) })
}

/// The answers of a user who gave any.
fn accepted(reply: ElicitResult) -> Option<JsonObject> {
    match (reply.action, reply.content) {
        (ElicitationAction::Accept, Some(Value::Object(answers))) => Some(answers),
        _ => None,
    }
}

impl ServerState {
    /// Runs the tool and, where the client has a dialog, asks there until nothing is left to ask.
    pub(crate) async fn converse(
        &self,
        tool: ToolDef,
        mut arguments: Value,
        reply: Option<Reply>,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Answer> {
        let mut can_ask = has_dialog(cx);
        let called_with = arguments.clone();
        let mut replied_to = None;
        if let Some(reply) = reply {
            can_ask &= reply.answers.is_some();
            let session_id = self.seals.open(context, &called_with, &reply.state)?;
            go_on(&mut arguments, &session_id, reply.answers.unwrap_or_default());
            replied_to = Some(session_id);
        }
        let mut view = match (self.perform(tool, arguments.clone(), context, cx).await, replied_to) {
            (Ok(output), _) => output.value()?,
            // The form comes again, with what was wrong; what was right is kept.
            (Err(error), Some(session_id)) if error.key == Key::InvalidAnswer => {
                go_on(&mut arguments, &session_id, JsonObject::new());
                let mut view = self.perform(tool, arguments.clone(), context, cx).await?.value()?;
                note_fault(&mut view, &error);
                view
            }
            (Err(error), _) => return Err(error),
        };
        for _ in 0..MOST_ROUNDS {
            let Some((session_id, form)) = form_of(&view, cx).filter(|_| can_ask) else { break };
            if is_modern(cx) {
                let state = self.seals.seal(context, &called_with, &session_id)?;
                return Ok(Answer::Asks(input_required(form, state)));
            }
            let Some(answers) = ask(form, std::future::pending(), cx).await else { break };
            go_on(&mut arguments, &session_id, answers);
            match self.perform(tool, arguments.clone(), context, cx).await {
                Ok(next) => view = next.value()?,
                Err(error) if error.key == Key::InvalidAnswer => note_fault(&mut view, &error),
                Err(error) => return Err(error),
            }
        }
        Output::of(&view).map(Answer::View)
    }
}

/// Whether the client shows forms.
pub(crate) fn has_dialog(cx: &RequestContext<RoleServer>) -> bool {
    let elicitation = cx.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // Naming neither kind means forms.
    elicitation.is_some_and(|has| has.form.is_some() || has.url.is_none())
}

/// Turns the arguments of a call into those of the next turn.
fn go_on(arguments: &mut Value, session_id: &str, answers: JsonObject) {
    if let Some(arguments) = arguments.as_object_mut() {
        arguments.insert("session_id".to_owned(), session_id.into());
        arguments.insert("answers".to_owned(), Value::Object(answers));
    }
}

fn note_fault(view: &mut Value, error: &Error) {
    if let Some(view) = view.as_object_mut() {
        view.insert("message".to_owned(), error.message.clone().into());
    }
}

/// Sends the form and waits for a person; `None` when they gave no answers, or when the form was settled without them.
pub(crate) async fn ask(
    form: ElicitRequestParams,
    settled: impl Future<Output = ()>,
    cx: &RequestContext<RoleServer>,
) -> Option<JsonObject> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let mut sent = cx.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok()?;
    let reply = tokio::select! {
        reply = &mut sent.rx => reply,
        () = settled => return put_away(sent, "it was decided elsewhere").await,
        () = tokio::time::sleep(WAIT_FOR_A_PERSON) => return put_away(sent, "nobody answered").await,
        () = cx.ct.cancelled() => return put_away(sent, "the call was cancelled").await,
    };
    match reply {
        Ok(Ok(ClientResult::ElicitResult(reply))) => accepted(reply),
        other => {
            tracing::debug!(?other, "the client's dialog failed; the questions are asked by arguments");
            None
        }
    }
}

/// Tells the client that nobody waits for its form any more.
async fn put_away(sent: RequestHandle<RoleServer>, why: &str) -> Option<JsonObject> {
    // A client that is gone has no form either.
    let _ = sent.cancel(Some(why.to_owned())).await;
    None
}

pub(crate) fn input_required(form: ElicitRequestParams, state: String) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(form));
    InputRequiredResult::new(Some([(FORM.to_owned(), request)].into()), Some(state))
}

/// The session and the form of its open questions; `None` when there are none.
fn form_of(view: &Value, cx: &RequestContext<RoleServer>) -> Option<(String, ElicitRequestParams)> {
    let session_id = view.get("session_id")?.as_str()?.to_owned();
    let questions = view.get("questions")?.as_array().filter(|questions| !questions.is_empty())?;
    let lists = if cx.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2025_11_25) {
        Lists::Native
    } else {
        Lists::AsText
    };
    let schema = ElicitationSchema::from_json_schema(schema(questions, lists)).ok()?;
    let message = match view.get("message").and_then(Value::as_str) {
        Some(message) => format!("Please clarify before the change begins. {message}"),
        None => "Please clarify before the change begins.".to_owned(),
    };
    Some((
        session_id,
        ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema },
    ))
}

/// How a form asks for several options: clients before 2025-11-25 know only plain fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Native,
    AsText,
}

fn schema(questions: &[Value], lists: Lists) -> JsonObject {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for question in questions {
        let Some(id) = question["id"].as_str() else { continue };
        let title = question["question"].as_str().unwrap_or(id);
        let options = &question["options"];
        let field = match question["type"].as_str() {
            Some("single_choice") => json!({ "type": "string", "title": title, "enum": options }),
            Some("multi_choice") if lists == Lists::Native => json!({
                "type": "array", "title": title, "items": { "type": "string", "enum": options },
            }),
            Some("multi_choice") => {
                let names: Vec<&str> =
                    options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                json!({ "type": "string", "title": title, "description": format!("Separate with commas: {}", names.join(", ")) })
            }
            _ => json!({ "type": "string", "title": title }),
        };
        properties.insert(id.to_owned(), field);
        if question["optional"] != true {
            required.push(id.to_owned());
        }
        if options.is_array() {
            let other = json!({ "type": "string", "title": "Other: please specify" });
            properties.insert(format!("{id}__other"), other);
        }
    }
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    schema.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Vec<Value> {
        vec![
            json!({"id": "a", "type": "single_choice", "question": "Which a?", "options": ["x", "Other (specify)"]}),
            json!({"id": "b", "type": "multi_choice", "question": "Which b?", "options": ["y", "z"], "optional": true}),
            json!({"id": "c", "type": "free_text", "question": "Why?"}),
        ]
    }

    #[test]
    fn questions_become_a_form_that_the_protocol_allows() {
        for lists in [Lists::Native, Lists::AsText] {
            let schema = schema(&questions(), lists);
            assert_eq!(schema["required"], json!(["a", "c"]));
            assert_eq!(schema["properties"]["a"]["enum"], json!(["x", "Other (specify)"]));
            assert_eq!(schema["properties"]["a__other"]["type"], "string");
            assert!(schema["properties"].get("c__other").is_none());
            let kind = if lists == Lists::Native { "array" } else { "string" };
            assert_eq!(schema["properties"]["b"]["type"], kind);
            ElicitationSchema::from_json_schema(schema).unwrap();
        }
    }

    #[test]
    fn a_repeated_call_brings_its_state_and_perhaps_answers() {
        let call = |reply: Value| {
            let mut request: CallToolRequestParams = serde_json::from_value(json!({
                "name": "require_clarification",
                "requestState": "sealed",
                "inputResponses": { "answers": reply },
            }))
            .unwrap();
            take_reply(&mut request).unwrap()
        };
        let accepted = call(json!({"action": "accept", "content": {"a": "x"}}));
        assert_eq!(accepted.state, "sealed");
        assert_eq!(accepted.answers.unwrap()["a"], "x");
        for reply in
            [json!({"action": "decline"}), json!({"action": "cancel"}), json!({"action": "accept"}), json!(5)]
        {
            assert!(call(reply.clone()).answers.is_none(), "{reply}");
        }
    }
}
