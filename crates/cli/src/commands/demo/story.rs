//! The script of the demonstration: two specs, one waiting for the other, from draft to done.

use hewto_engine::{Error, Kind};
use serde::Serialize;
use serde_json::{Value, json};

use super::client::{Client, Reply};
use super::disk::Watch;
use crate::failure::Outcome;

/// The number that the refusal of a blocked build carries.
const DEPENDENCY_NOT_SATISFIED: i64 = -32004;

/// One call and what came of it.
#[derive(Debug, Serialize)]
pub(super) struct Scene {
    pub(super) about: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<Value>,
    pub(super) created: Vec<String>,
    pub(super) changed: Vec<String>,
}

/// The server and the workspace while the story is told.
#[derive(Debug)]
pub(super) struct Journey {
    client: Client,
    watch: Watch,
}

impl Journey {
    pub(super) fn new(client: Client, watch: Watch) -> Self {
        Self { client, watch }
    }

    pub(super) fn end(self) -> hewto_engine::Result<()> {
        self.client.end()
    }

    fn play(
        &mut self,
        about: &'static str,
        tool: &'static str,
        arguments: Value,
    ) -> hewto_engine::Result<Scene> {
        let (result, refusal) = match self.client.call(tool, &arguments)? {
            Reply::Result(result) => (Some(result), None),
            Reply::Refusal(refusal) => (None, Some(refusal)),
        };
        let difference = self.watch.look()?;
        let (created, changed) = (difference.created, difference.changed);
        Ok(Scene { about, tool, arguments, result, refusal, created, changed })
    }
}

/// Tells the story, showing each scene; returns the id of the spec that it is about.
pub(super) fn tell(journey: &mut Journey, show: impl FnMut(Scene) -> Outcome<()>) -> Outcome<String> {
    let mut teller = Teller { journey, show };
    let sessions = id_of(&teller.act(
        "Write down what is wanted: a session store",
        "spec_create",
        json!({
            "title": "Session store",
            "description": "Keep who is logged in, for 30 minutes after the last request",
        }),
    )?);
    let login = id_of(&teller.act(
        "A login needs that store first: a hard dependency",
        "spec_create",
        json!({
            "title": "User login",
            "description": "Customers log in with e-mail and password",
            "dependencies": [{ "spec_id": sessions, "kind": "hard" }],
        }),
    )?);
    teller.act("What is there now", "spec_list", json!({}))?;
    teller.act(
        "Plan the login",
        "plan_create",
        json!({
            "spec_id": login,
            "approach": "A form, a check against the stored hash, a session on success",
            "steps": [{
                "title": "Form and check",
                "description": "POST /login gives the same answer for an unknown address and a wrong password",
            }],
        }),
    )?;
    teller.refused(
        "Starting it now is refused: the session store is not done",
        "build_start",
        json!({ "spec_id": login, "plan_approved": true }),
        DEPENDENCY_NOT_SATISFIED,
    )?;
    build_sessions(&mut teller, &sessions)?;
    build_login(&mut teller, &login)?;
    teller.act("Both are done", "spec_list", json!({ "state": "done" }))?;
    Ok(login)
}

fn build_sessions(teller: &mut Teller<'_, impl FnMut(Scene) -> Outcome<()>>, id: &str) -> Outcome<()> {
    teller.act(
        "So the session store comes first: plan it",
        "plan_create",
        json!({
            "spec_id": id,
            "approach": "One table, one cookie, a sweep of what has expired",
            "steps": [
                { "title": "Table", "description": "id, user, last seen", "complexity": "simple" },
                { "title": "Sweep", "description": "Drop what is older than 30 minutes", "complexity": "trivial" },
            ],
        }),
    )?;
    teller.act(
        "The plan is approved: build it",
        "build_start",
        json!({ "spec_id": id, "plan_approved": true }),
    )?;
    teller.act(
        "The first step is done",
        "plan_step_complete",
        json!({ "spec_id": id, "step_index": 0, "notes": "With an index on last seen" }),
    )?;
    teller.act(
        "Say how far the build is",
        "build_update",
        json!({ "spec_id": id, "progress_percentage": 60, "current_step": "Sweep" }),
    )?;
    teller.act("The second step is done", "plan_step_complete", json!({ "spec_id": id, "step_index": 1 }))?;
    teller.act(
        "The session store is done",
        "build_complete",
        json!({ "spec_id": id, "summary": "Sessions live in one table and expire after 30 minutes" }),
    )?;
    Ok(())
}

fn build_login(teller: &mut Teller<'_, impl FnMut(Scene) -> Outcome<()>>, id: &str) -> Outcome<()> {
    teller.act("Nothing blocks the login any more", "spec_check_dependencies", json!({ "spec_id": id }))?;
    teller.act("Now it can be built", "build_start", json!({ "spec_id": id, "plan_approved": true }))?;
    teller.act("Its only step is done", "plan_step_complete", json!({ "spec_id": id, "step_index": 0 }))?;
    teller.act(
        "The login is done",
        "build_complete",
        json!({
            "spec_id": id,
            "summary": "Customers can log in",
            "deviations": "Five wrong passwords lock the account for a minute",
        }),
    )?;
    Ok(())
}

/// Plays scenes, shows them, and makes sure that they go as the script says.
struct Teller<'a, Show> {
    journey: &'a mut Journey,
    show: Show,
}

impl<Show: FnMut(Scene) -> Outcome<()>> Teller<'_, Show> {
    /// A call that succeeds.
    fn act(&mut self, about: &'static str, tool: &'static str, arguments: Value) -> Outcome<Value> {
        let scene = self.journey.play(about, tool, arguments)?;
        let result = scene.result.clone();
        let surprise = off_script(&scene);
        (self.show)(scene)?;
        Ok(result.ok_or(surprise)?)
    }

    /// A call that is refused with this number.
    fn refused(
        &mut self,
        about: &'static str,
        tool: &'static str,
        arguments: Value,
        code: i64,
    ) -> Outcome<()> {
        let scene = self.journey.play(about, tool, arguments)?;
        let refused = scene.refusal.as_ref().and_then(|refusal| refusal.get("code")?.as_i64());
        let surprise = off_script(&scene);
        (self.show)(scene)?;
        if refused == Some(code) { Ok(()) } else { Err(surprise.into()) }
    }
}

fn id_of(created: &Value) -> String {
    created.get("spec_id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn off_script(scene: &Scene) -> Error {
    let answer =
        scene.refusal.as_ref().or(scene.result.as_ref()).map(ToString::to_string).unwrap_or_default();
    let message = format!("`{}` did not answer as it should: {answer}", scene.tool);
    Error::new(Kind::Machine, "demo_failed", None, message)
}
