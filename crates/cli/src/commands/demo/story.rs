//! The script of the demonstration: one change, from a vague wish to the archive.

use std::path::{Path, PathBuf};
use std::process::Command;

use hewto_engine::review::{self, Ballot, Channel, ReviewOptions, Reviewer, Verdict};
use hewto_engine::{Error, Key, Kind, Start, Workspace};
use serde::Serialize;
use serde_json::{Value, json};

use super::disk::Watch;
use super::prove;
use super::sample::text;
use crate::failure::{Outcome, machine};
use crate::mcp_client::{Client, Reply};
use crate::place::context;

const CHANGE: &str = "sign-in-by-mail";
const ITEM: &str = "change:sign-in-by-mail";
/// The digests of what the demonstration approves, before and after one word is changed. It plays the person, and must seal nothing
/// but its own words: whoever changes them meanwhile would have an approval that nobody has given.
const FIRST_WORDS: &str = "1e05069b7a9f68bb4c4ff78bf39e091a3cadf85621f0e7965f6b7972f599c263";
const SECOND_WORDS: &str = "cc97425dd67d398ba567e368d81efa39b6e2c10c745bb6fb37b1241ebd2f220f";
const WISH: &str = "Returning customers should be able to log in more easily";

/// One call and what came of it.
#[derive(Debug, Serialize)]
pub(super) struct Scene {
    /// Where on the way from wish to archive this is.
    pub(super) phase: &'static str,
    pub(super) about: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<Value>,
    pub(super) created: Vec<String>,
    pub(super) changed: Vec<String>,
    pub(super) removed: Vec<String>,
}

/// The server and the workspace while the story is told, and who watches.
pub(super) struct Teller<'a, Show> {
    pub(super) client: &'a mut Client,
    pub(super) watch: Watch,
    pub(super) root: PathBuf,
    /// This program.
    pub(super) program: PathBuf,
    pub(super) show: Show,
    pub(super) phase: &'static str,
}

/// Tells the whole story.
pub(super) fn tell<Show: FnMut(Scene) -> Outcome<()>>(teller: &mut Teller<'_, Show>) -> Outcome<()> {
    clarify(teller)?;
    specify(teller)?;
    plan_and_build(teller)?;
    validate_and_archive(teller)?;
    prove::tell(teller)
}

fn clarify<Show: FnMut(Scene) -> Outcome<()>>(teller: &mut Teller<'_, Show>) -> Outcome<()> {
    teller.phase = "clarify";
    let asked = teller.act(
        "A vague wish is asked about first",
        "require_clarification",
        json!({ "user_intention": WISH }),
    )?;
    teller.phase = "decide";
    let answers = json!({ "auth_strategy": "Magic Link", "auth_library": "custom" });
    let session = text(&asked, "session_id");
    teller.act(
        "The answers become a decision record and a task",
        "require_clarification",
        json!({ "user_intention": WISH, "session_id": session, "answers": answers }),
    )?;
    teller.act("From now on every agent knows what was decided", "read_architecture", json!({}))?;
    Ok(())
}

fn specify<Show: FnMut(Scene) -> Outcome<()>>(teller: &mut Teller<'_, Show>) -> Outcome<()> {
    teller.phase = "specify";
    teller.act("What the shop promises today", "get_spec_requirements", json!({ "spec_id": "accounts" }))?;
    teller.act(
        "What it shall promise: a change, with its scenarios",
        "change_create",
        json!({
            "change_id": CHANGE,
            "why": "Customers forget their passwords, give up at the till and buy elsewhere",
            "what_changes": "- A link by mail signs a customer in",
            "deltas": { "accounts": { "added": [{
                "name": "Sign in by mail",
                "text": "The shop SHALL let a customer sign in with a link that was sent to the address of the account.",
                "scenarios": [
                    { "name": "The link is fresh", "given": "a link that is younger than 15 minutes",
                      "when": "it is opened", "then": ["the customer is signed in"] },
                    { "name": "The link was used", "when": "it is opened again", "then": ["a new link is offered"] },
                ],
            }] } },
        }),
    )?;
    teller.act(
        "Whom does it get in the way of? Not ours: two others collide",
        "change_overlaps",
        json!({}),
    )?;
    Ok(())
}

fn plan_and_build<Show: FnMut(Scene) -> Outcome<()>>(teller: &mut Teller<'_, Show>) -> Outcome<()> {
    teller.phase = "plan";
    teller.act(
        "How it is to be built",
        "plan_create",
        json!({
            "spec_id": ITEM,
            "approach": "A signed token with the account and the time in it; no table",
            "steps": [
                { "title": "Token", "description": "Sign it, check it, refuse it after 15 minutes or one use" },
                { "title": "Mail", "description": "The same answer whether the address is known or not" },
            ],
        }),
    )?;
    teller.phase = "build";
    teller.write(".hewto/proof.toml", "[gates.folder.changes]\nplan = \"terminal\"\n")?;
    teller.refused(
        "Nobody builds what nobody has approved, and an agent's own word is nobody's",
        "build_start",
        json!({ "spec_id": ITEM, "plan_approved": true }),
    )?;
    teller.approve("A person reads it and approves", FIRST_WORDS)?;
    teller.act("Now it may be built", "build_start", json!({ "spec_id": ITEM }))?;
    teller.write("src/login/token.ts", "export const lifetimeInMinutes = 15;\n")?;
    teller.act(
        "The agent writes code, and says which step is done",
        "plan_step_complete",
        json!({ "spec_id": ITEM, "step_index": 0, "notes": "Used tokens are remembered until they expire" }),
    )?;
    teller.write("src/login/mail.ts", "export const subject = 'Your way back into the shop';\n")?;
    teller.act("The second step", "plan_step_complete", json!({ "spec_id": ITEM, "step_index": 1 }))?;
    teller.reword("changes/sign-in-by-mail/specs/accounts/spec.md", "15 minutes", "20 minutes")?;
    let built = json!({ "spec_id": ITEM, "summary": "Customers sign in with a link" });
    teller.refused("One changed word, and the approval counts no more", "build_complete", built.clone())?;
    teller.approve("The person sees that one difference, and approves again", SECOND_WORDS)?;
    teller.act("It is built", "build_complete", built)?;
    Ok(())
}

fn validate_and_archive<Show: FnMut(Scene) -> Outcome<()>>(teller: &mut Teller<'_, Show>) -> Outcome<()> {
    teller.phase = "validate";
    teller.act("Is the change sound?", "validate_change", json!({ "change_id": CHANGE }))?;
    teller.phase = "archive";
    teller.act(
        "Its promises go into the living spec, in one commit",
        "change_archive",
        json!({ "change_id": CHANGE }),
    )?;
    teller.act(
        "What the shop promises now",
        "get_scenario",
        json!({ "spec_id": "accounts", "requirement": "Sign in by mail", "scenario": "The link is fresh" }),
    )?;
    Ok(())
}

impl<Show: FnMut(Scene) -> Outcome<()>> Teller<'_, Show> {
    /// A call that succeeds.
    pub(super) fn act(
        &mut self,
        about: &'static str,
        tool: &'static str,
        arguments: Value,
    ) -> Outcome<Value> {
        let scene = self.play(about, tool, arguments)?;
        let result = scene.result.clone();
        let surprise = off_script(&scene);
        (self.show)(scene)?;
        Ok(result.ok_or(surprise)?)
    }

    /// A call that is refused.
    pub(super) fn refused(
        &mut self,
        about: &'static str,
        tool: &'static str,
        arguments: Value,
    ) -> Outcome<()> {
        let scene = self.play(about, tool, arguments)?;
        let is_refused = scene.refusal.is_some();
        let surprise = off_script(&scene);
        (self.show)(scene)?;
        if is_refused { Ok(()) } else { Err(surprise.into()) }
    }

    /// What an agent writes by itself.
    pub(super) fn write(&self, path: &str, text: &str) -> Outcome<()> {
        let path = self.root.join(Path::new(path));
        let folder = path.parent().unwrap_or(&self.root);
        fs_err::create_dir_all(folder)
            .and_then(|()| fs_err::write(&path, text))
            .map_err(|error| machine("cannot write the sample", error).into())
    }

    /// A command that a person, or CI, runs beside the agent.
    pub(super) fn command(&mut self, about: &'static str, args: &[&str]) -> Outcome<Value> {
        let output = Command::new(&self.program)
            .args(args)
            .arg("--json")
            .current_dir(&self.root)
            // The user's own settings are not part of the story.
            .env("HEWTO_WORKSPACE", &self.root)
            .output()
            .map_err(|error| machine("cannot run this program", error))?;
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let difference = self.watch.look()?;
        let is_fine = output.status.success();
        let scene = Scene {
            phase: self.phase,
            about,
            tool: "hewto",
            arguments: json!(args.join(" ")),
            result: is_fine.then(|| result.clone()),
            refusal: (!is_fine).then(|| result.clone()),
            created: difference.created,
            changed: difference.changed,
            removed: difference.removed,
        };
        let surprise = off_script(&scene);
        (self.show)(scene)?;
        if is_fine { Ok(result) } else { Err(surprise.into()) }
    }

    /// What somebody changes in a text by hand.
    fn reword(&self, path: &str, from: &str, to: &str) -> Outcome<()> {
        let text = fs_err::read_to_string(self.root.join(Path::new(path)));
        let text = text.map_err(|error| machine("cannot read the sample", error))?;
        self.write(path, &text.replace(from, to))
    }

    /// What a person does on a terminal; the demonstration plays the person.
    fn approve(&mut self, about: &'static str, digest: &str) -> Outcome<()> {
        let workspace = Workspace::discover(Start::Here(&self.root))?;
        let context = context();
        let shown = review::show(&workspace, &context, ITEM, ReviewOptions::default())?;
        if shown.digest != digest {
            let message = format!("`{ITEM}` is not what the demonstration wrote: {}", shown.digest);
            return Err(Error::new(Kind::Machine, Key::DemoFailed, message)
                .hint("run it again, in a folder that nobody else writes to")
                .into());
        }
        let lines: Vec<&str> = shown.differences.iter().map(|one| one.text.as_str()).collect();
        let ballot = Ballot {
            verdict: Verdict::Approved,
            shown: shown.digest.clone(),
            note: None,
            allows: Vec::new(),
        };
        let by = Reviewer { name: "you".to_owned(), channel: Channel::Terminal };
        let decided = review::decide(&workspace, &context, ITEM, &by, &ballot)?;
        let difference = self.watch.look()?;
        let result = json!({ "verdict": decided.verdict, "version": decided.version, "shown": lines });
        (self.show)(Scene {
            phase: self.phase,
            about,
            tool: "hewto approve",
            arguments: json!({ "id": ITEM }),
            result: Some(result),
            refusal: None,
            created: difference.created,
            changed: difference.changed,
            removed: difference.removed,
        })
    }

    fn play(&mut self, about: &'static str, tool: &'static str, arguments: Value) -> Outcome<Scene> {
        let (result, refusal) = match self.client.call(tool, &arguments)? {
            Reply::Result(result) => (Some(result), None),
            Reply::Refusal(refusal) => (None, Some(refusal)),
        };
        let difference = self.watch.look()?;
        Ok(Scene {
            phase: self.phase,
            about,
            tool,
            arguments,
            result,
            refusal,
            created: difference.created,
            changed: difference.changed,
            removed: difference.removed,
        })
    }
}

fn off_script(scene: &Scene) -> Error {
    let answer =
        scene.refusal.as_ref().or(scene.result.as_ref()).map(ToString::to_string).unwrap_or_default();
    let message = format!("`{}` did not answer as it should: {answer}", scene.tool);
    Error::new(Kind::Machine, Key::DemoFailed, message)
}
