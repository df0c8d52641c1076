//! How the protocol tests start a server and make specs.

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

const NO_ENV: &[(&str, &str)] = &[];

/// A server in a workspace, ready for requests.
pub(crate) fn serve(workspace: &TestWorkspace, era: Era) -> McpSession {
    serve_with(workspace, era, &[])
}

/// The same with further flags.
pub(crate) fn serve_with(workspace: &TestWorkspace, era: Era, flags: &[&str]) -> McpSession {
    let args = [&["serve"], flags].concat();
    McpSession::spawn(env!("CARGO_BIN_EXE_hewto"), &args, workspace.root(), NO_ENV, era)
}

/// A server that nobody has said a word to.
pub(crate) fn serve_silent(workspace: &TestWorkspace) -> McpSession {
    McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &["serve"], workspace.root(), NO_ENV, Era::Legacy)
}

/// A new spec; its id.
pub(crate) fn create_spec(session: &mut McpSession, title: &str, more: Value) -> String {
    let mut arguments = json!({ "title": title, "description": "Why it is wanted" });
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    let created = session.call("spec_create", arguments).ok();
    created["spec_id"].as_str().unwrap().to_owned()
}

/// A new spec with a plan of two steps; its id.
pub(crate) fn create_planned_spec(session: &mut McpSession, title: &str, more: Value) -> String {
    let id = create_spec(session, title, more);
    let steps = json!([
        { "title": "First", "description": "Do this" },
        { "title": "Second", "description": "Do that", "complexity": "complex" },
    ]);
    session.call("plan_create", json!({ "spec_id": id, "approach": "Straight on", "steps": steps })).ok();
    id
}

/// A new spec that is being built; its id.
pub(crate) fn create_started_spec(session: &mut McpSession, title: &str) -> String {
    let id = create_planned_spec(session, title, json!({}));
    session.call("build_start", json!({ "spec_id": id, "plan_approved": true })).ok();
    id
}
