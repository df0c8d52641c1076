//! A person's approval in the client's own dialog, in both eras, where the gate takes that for enough.
//!
//! The form shows what is approved and wants four characters of its digest typed: some clients accept empty forms by
//! themselves. Whoever decides elsewhere meanwhile is first, and the call goes on with that.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hewto_call::Lane;
use hewto_core::visible::visible;
use hewto_engine::review::{self, Ballot, Channel, ReviewOptions, Reviewer, Verdict};
use hewto_engine::view::ReviewDifference;
use hewto_engine::{Context, Error, Key, Result};
use rmcp::RoleServer;
use rmcp::model::{ElicitRequestParams, ElicitationSchema, JsonObject};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::elicit::{Answer, Reply, ask, has_dialog, input_required};
use crate::handler::is_modern;
use crate::state::ServerState;
use crate::table::{Output, ToolDef};

/// How often the records are looked at while somebody waits.
const GLANCE: Duration = Duration::from_millis(200);
/// How long a call waits when it does not say.
const USUAL_WAIT: u64 = 20;
/// How many characters of the digest are typed.
const CODE_CHARS: usize = 4;
/// How many bytes of what would be approved a dialog shows.
const MOST_WORDS: usize = 4_096;

/// Whether a tool may ask a person for an approval.
pub(crate) fn asks(tool: &ToolDef) -> bool {
    matches!(tool.about.name, "build_start" | "change_archive" | "decision_create")
}

impl ServerState {
    /// Looks until somebody has decided or time is up. Between two looks no thread waits.
    pub(crate) async fn wait_for_a_person(
        &self,
        tool: ToolDef,
        arguments: Value,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Output> {
        let longest = review::LONGEST_WAIT;
        let wait = Duration::from_secs(arguments["wait_s"].as_u64().unwrap_or(USUAL_WAIT)).min(longest);
        let until = Instant::now() + wait;
        loop {
            let output = self.perform(tool, arguments.clone(), context, cx).await?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || output.value()?["decided"] == true {
                return Ok(output);
            }
            tokio::select! {
                () = tokio::time::sleep(GLANCE.min(left)) => {}
                () = cx.ct.cancelled() => return Ok(output),
            }
        }
    }

    /// Runs a tool; where only a person's word is missing and the client has a dialog, asks there and tries again.
    pub(crate) async fn seek_approval(
        &self,
        tool: ToolDef,
        arguments: Value,
        reply: Option<Reply>,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Answer> {
        if let Some(reply) = reply {
            let shown = self.seals.open(context, &arguments, &reply.state)?;
            if let Some(answers) = reply.answers {
                self.decide(&shown, &answers, context, cx).await?;
            }
            return self.perform(tool, arguments, context, cx).await.map(Answer::View);
        }
        let error = match self.perform(tool, arguments.clone(), context, cx).await {
            Ok(output) => return Ok(Answer::View(output)),
            Err(error) => error,
        };
        let Some(asked) = Asked::about(&error).filter(|_| has_dialog(cx)) else { return Err(error) };
        let words = self.words_of(&asked, context, cx).await;
        let Some((shown, form)) = asked.form(&error, &words) else { return Err(error) };
        if is_modern(cx) {
            let state = self.seals.seal(context, &arguments, &shown)?;
            return Ok(Answer::Asks(input_required(form, state)));
        }
        // Whoever decides elsewhere while the form is open is first; the client is told to put it away.
        let elsewhere = self.decided_elsewhere(&shown, context, cx);
        if let Some(answers) = ask(form, elsewhere, cx).await {
            self.decide(&shown, &answers, context, cx).await?;
        }
        self.perform(tool, arguments, context, cx).await.map(Answer::View)
    }

    /// Ends as soon as an item stands otherwise than it was shown.
    async fn decided_elsewhere(&self, shown: &str, context: &Context, cx: &RequestContext<RoleServer>) {
        let Some(Shown { standing, item, .. }) = Shown::read(shown) else {
            return std::future::pending().await;
        };
        let time = self.pipeline.pool().time_limit().get();
        loop {
            tokio::time::sleep(GLANCE).await;
            let (project, id) = (self.project(), item.to_owned());
            let work = move |context: &Context| {
                review::wait(project.workspace()?, context, &id, review::Patience(Duration::ZERO))
            };
            let now = self.run_within(time, Lane::Read, context.clone(), cx, work).await;
            if now.is_ok_and(|now| now.decided && now.standing != standing) {
                return;
            }
        }
    }

    /// What a person would approve, in its own words.
    async fn words_of(&self, asked: &Asked, context: &Context, cx: &RequestContext<RoleServer>) -> String {
        let (project, id, digest) = (self.project(), asked.item.clone(), asked.digest.clone());
        let work = move |context: &Context| {
            let view = review::show(project.workspace()?, context, &id, ReviewOptions::default())?;
            Ok(if view.digest == digest { in_words(&view.differences) } else { String::new() })
        };
        let time = self.pipeline.pool().time_limit().get();
        // Without them the names of what changed are shown, as before.
        self.run_within(time, Lane::Read, context.clone(), cx, work).await.unwrap_or_default()
    }

    /// Records what a person typed, if it was typed by somebody who read the form.
    async fn decide(
        &self,
        shown: &str,
        answers: &JsonObject,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Result<()> {
        let Some(Shown { digest, standing, item }) = Shown::read(shown) else { return Ok(()) };
        let text = |key: &str| answers.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if !text("code").eq_ignore_ascii_case(&digest[..CODE_CHARS.min(digest.len())]) {
            return Ok(());
        }
        let verdict = match text("verdict") {
            "" => Verdict::Approved,
            // What is no verdict is nobody's approval.
            said => match said.parse() {
                Ok(verdict) => verdict,
                Err(_) => return Ok(()),
            },
        };
        let ballot = Ballot {
            verdict,
            shown: digest.to_owned(),
            note: Some(text("note").to_owned()).filter(|note| !note.is_empty()),
            allows: Vec::new(),
        };
        let name = context.caller().principal.clone().unwrap_or_else(|| "user of the client".to_owned());
        let by = Reviewer { name, channel: Channel::Elicited };
        let (id, standing) = (item.to_owned(), standing.to_owned());
        let project = self.project();
        let time = self.pipeline.pool().time_limit().get();
        let work = move |context: &Context| {
            // Whoever has decided since the form was shown was first; this one only hears of it.
            review::decide_while(project.workspace()?, context, &id, &by, &ballot, &standing).map(drop)
        };
        self.run_within(time, Lane::Write, context.clone(), cx, work).await
    }
}

/// What a form was about: the digest of what it showed, how that stood then, and the item.
struct Shown<'s> {
    digest: &'s str,
    standing: &'s str,
    item: &'s str,
}

impl<'s> Shown<'s> {
    fn read(shown: &'s str) -> Option<Self> {
        let mut parts = shown.splitn(3, ' ');
        Some(Self { digest: parts.next()?, standing: parts.next()?, item: parts.next()? })
    }
}

/// What a form asks about, where an approval by a form would be enough.
struct Asked {
    digest: String,
    item: String,
}

impl Asked {
    fn about(error: &Error) -> Option<Self> {
        let detail = |name: &str| error.details.get(name).and_then(Value::as_str);
        let is_missing = matches!(error.key, Key::ApprovalPending | Key::ApprovalStale);
        if !is_missing || detail("gate") != Some(Channel::Elicited.as_str()) {
            return None;
        }
        let digest = detail("digest").filter(|digest| digest.len() >= CODE_CHARS)?.to_owned();
        Some(Self { digest, item: detail("spec_id")?.to_owned() })
    }

    /// What is shown, as its digest, how it stood then and the item's name, and the form for it.
    fn form(&self, error: &Error, words: &str) -> Option<(String, ElicitRequestParams)> {
        let Self { digest, item } = self;
        let detail = |name: &str| error.details.get(name).and_then(Value::as_str);
        let shown = error.details.get("shown").and_then(Value::as_array);
        let lines: Vec<&str> = shown.into_iter().flatten().filter_map(Value::as_str).collect();
        let message = format!(
            "{}.\n\nWhat you would approve:\n- {}\n\nDigest {}. Read it all with `{}`, then type the first {CODE_CHARS} characters of the digest.",
            error.message,
            lines.join("\n- "),
            &digest[..12.min(digest.len())],
            detail("review").unwrap_or("hewto review show"),
        );
        let message = if words.is_empty() { message } else { format!("{message}\n\nIts words:\n{words}") };
        let schema = json!({
            "type": "object",
            "properties": {
                "code": { "type": "string", "title": "First four characters of the digest" },
                "verdict": { "type": "string", "title": "Verdict", "enum": ["approved", "changes_requested", "rejected"] },
                "note": { "type": "string", "title": "Note" },
            },
            "required": ["code"],
        });
        let schema =
            ElicitationSchema::from_json_schema(schema.as_object().cloned().unwrap_or_default()).ok()?;
        Some((
            format!("{digest} {} {item}", detail("standing").unwrap_or("pending")),
            ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: visible(&message).into_owned(),
                requested_schema: schema,
            },
        ))
    }
}

/// Differences as lines that went and came, as many as a dialog can show.
fn in_words(differences: &[ReviewDifference]) -> String {
    let mut words = String::new();
    for (at, one) in differences.iter().enumerate() {
        let lines = |sign: char, text: &Option<String>| -> String {
            text.iter().flat_map(|text| text.lines()).map(|line| format!("{sign} {line}\n")).collect()
        };
        let piece = format!("{}\n{}{}", one.text, lines('-', &one.before), lines('+', &one.after));
        if words.len() + piece.len() > MOST_WORDS {
            let left = differences.len() - at;
            let _ = writeln!(words, "… and {left} more, or longer than fits here");
            break;
        }
        words.push_str(&piece);
    }
    words
}

#[cfg(test)]
mod tests {
    use hewto_engine::Kind;

    use super::*;

    #[test]
    fn only_a_gate_that_takes_forms_for_enough_gets_one() {
        let error = |key, gate: &str| {
            Error::new(Kind::Refused, key, "no person has approved it")
                .detail("gate", gate)
                .detail("spec_id", "change:mail")
                .detail("digest", "a1f9".repeat(16))
                .detail("shown", json!(["Proposal, Why: changed"]))
        };
        let refused = error(Key::ApprovalPending, "elicited");
        let asked = Asked::about(&refused).unwrap();
        let (shown, form) = asked.form(&refused, "+ to \u{202e}stseug\n").unwrap();
        assert_eq!(shown, format!("{} pending change:mail", "a1f9".repeat(16)));
        let ElicitRequestParams::FormElicitationParams { message, .. } = form else { panic!() };
        assert!(message.contains("Proposal, Why: changed") && message.contains("a1f9a1f9a1f9"), "{message}");
        assert!(message.contains("+ to \\u{202e}stseug"), "what nobody sees is shown: {message}");
        for (key, gate) in [
            (Key::ApprovalPending, "terminal"),
            (Key::ApprovalPending, "asserted"),
            (Key::StepsOpen, "elicited"),
        ] {
            assert!(Asked::about(&error(key, gate)).is_none(), "{key:?} {gate}");
        }
    }
}
