//! What people decide on a page: decoded, one call of the engine, and back to the page.

use hewto_engine::claim::{self, Keep};
use hewto_engine::decision;
use hewto_engine::proof::{self, Person};
use hewto_engine::review::{self, Anchor, Ballot, Channel, NewComment, Permission, Reviewer, Verdict};
use hewto_engine::view::ClarifyTurn;
use hewto_engine::{Error, Key, Kind};
use hewto_http::hyper::StatusCode;
use hewto_http::{Refusal, Reply, Scope};
use serde_json::{Map, Value, json};

use crate::form::{Form, way_back};
use crate::frame::page;
use crate::pages;
use crate::reply::{html, see_other};
use crate::route::Post;
use crate::service::WebRoutes;
use crate::site::repository;
use crate::visit::WebRequest;

impl WebRoutes {
    /// Does what a form asks for, once, and leads back to where it was filled in.
    pub(crate) async fn decided(
        &self,
        visit: &WebRequest<'_>,
        post: Post,
        form: &Form,
    ) -> Result<Reply, Refusal> {
        if !Self::may_decide(&visit.session.principal) {
            return Err(Refusal::insufficient_scope(Scope::Approve));
        }
        // A form belongs to whoever it was shown to.
        let once = form.get("once").map(|once| format!("{}:{once}", visit.session.id));
        let done = self.sent.once(once.as_deref(), Box::pin(self.act(visit, post, form))).await;
        match done {
            Ok(done) => {
                let back =
                    way_back(form).map_or_else(|| format!("/w/{}/board", visit.site.name), without_done);
                let sign = if back.contains('?') { '&' } else { '?' };
                Ok(see_other(&format!("{back}{sign}done={done}")))
            }
            Err(error) => Ok(self.refused(visit, post, form, &error).await),
        }
    }

    async fn act(&self, visit: &WebRequest<'_>, post: Post, form: &Form) -> Result<String, Error> {
        let site = visit.site;
        let context = site.context(visit.session, post.as_str());
        let name = visit.session.principal.name.clone();
        let by = Reviewer { name: name.clone(), channel: Channel::Web };
        let item = || form.owned("item").ok_or_else(|| lacking("item"));
        match post {
            Post::Comment => {
                let (item, field) = (item()?, |name: &str| form.text(name));
                if let Some(comment) = form.owned("reply_to") {
                    let text = field("text").ok_or_else(|| lacking("text"))?;
                    let inputs = json!({ "id": item, "text": text, "reply_to": comment });
                    site.write(context, inputs, move |_, workspace, context| {
                        review::reply(workspace, context, &item, &by, &comment, &text)
                    })
                    .await?;
                    return Ok("reply".to_owned());
                }
                let new = NewComment {
                    text: field("text").ok_or_else(|| lacking("text"))?,
                    anchor: Anchor {
                        capability: field("capability"),
                        requirement: field("requirement"),
                        scenario: field("scenario"),
                        step: field("step"),
                        quote: field("quote"),
                    },
                };
                let inputs = json!({ "id": item, "text": new.text });
                site.write(context, inputs, move |_, workspace, context| {
                    review::comment(workspace, context, &item, &by, &new)
                })
                .await?;
                Ok("comment".to_owned())
            }
            Post::Resolve => {
                let (item, comment) = (item()?, form.owned("comment").ok_or_else(|| lacking("comment"))?);
                let note = form.text("note");
                let inputs = json!({ "id": item, "comment": comment });
                site.write(context, inputs, move |_, workspace, context| {
                    review::resolve(workspace, context, &item, &by, &comment, note.as_deref())
                })
                .await?;
                Ok("resolved".to_owned())
            }
            Post::Verdict => {
                let item = item()?;
                let verdict = form.get("verdict").ok_or_else(|| lacking("verdict"))?;
                let ballot = Ballot {
                    verdict: verdict_named(verdict)?,
                    shown: form.owned("shown").ok_or_else(|| lacking("shown"))?,
                    note: form.text("note"),
                    allows: form.get("allow_open_tasks").map(|_| Permission::OpenTasks).into_iter().collect(),
                };
                let inputs = json!({ "id": item, "verdict": verdict, "channel": "web" });
                let decided = site.write(context, inputs, move |_, workspace, context| {
                    let decided = review::decide(workspace, context, &item, &by, &ballot)?;
                    // Whoever decided has looked at all of it.
                    review::note_look(workspace, context, &item, &by.name, &ballot.shown)?;
                    Ok(decided)
                });
                Ok(if decided.await?.recorded { "verdict" } else { "same" }.to_owned())
            }
            Post::Seen => {
                let item = item()?;
                let shown = form.owned("shown");
                let place = form.owned("capability").zip(form.owned("requirement"));
                let seen = form.get("seen") != Some("no");
                // It is nobody else's business what somebody has looked at, so it is not in the log.
                site.read(context, move |_, workspace, context| match (place, shown) {
                    (Some((capability, requirement)), _) => {
                        let place = (capability.as_str(), requirement.as_str());
                        review::note_seen(workspace, context, &item, &name, place, seen)
                    }
                    (None, Some(shown)) => review::note_look(workspace, context, &item, &name, &shown),
                    (None, None) => Err(lacking("shown")),
                })
                .await?;
                Ok("seen".to_owned())
            }
            Post::Answer => {
                let answers = answers(form);
                let find_interviewer = std::sync::Arc::clone(&self.options.find_interviewer);
                let inputs = json!({ "answers": answers.len() });
                let turn = site
                    .write(context, inputs, move |project, _, context| {
                        decision::answer(&repository(project)?, context, &*find_interviewer, &answers)
                    })
                    .await?;
                Ok(match turn {
                    ClarifyTurn::Asks(_) => "answered",
                    ClarifyTurn::Completed(_) => "decided",
                }
                .to_owned())
            }
            Post::Release => {
                let number = form.number("claim").ok_or_else(|| lacking("claim"))? as u64;
                let note = form.text("note").or_else(|| Some(format!("released by {name} on the dashboard")));
                site.write(context, json!({ "claim": number }), move |_, workspace, context| {
                    claim::keep(workspace, context, number, &Keep { release: true, note })
                })
                .await?;
                Ok("released".to_owned())
            }
            Post::AcceptDrift => {
                let reference = form.owned("ref").ok_or_else(|| lacking("ref"))?;
                let reason = form.text("reason").ok_or_else(|| lacking("reason"))?;
                let person = Person::new(name, Channel::Web);
                let inputs = json!({ "ref": reference, "reason": reason });
                site.write(context, inputs, move |_, workspace, context| {
                    proof::accept(workspace, context, &reference, &reason, &person)
                })
                .await?;
                Ok("accepted".to_owned())
            }
        }
    }

    /// What was not done, with everything that was written kept: a verdict on an older text is shown beside the new one.
    async fn refused(&self, visit: &WebRequest<'_>, post: Post, form: &Form, error: &Error) -> Reply {
        let once = visit.site.base_context().uuid().simple().to_string();
        let mut frame = Self::frame(visit, &once);
        let back = way_back(form).unwrap_or("/").to_owned();
        frame.here = &back;
        if post != Post::Verdict || error.key != Key::ApprovalStale {
            let kept = form.text("text").or_else(|| form.text("note")).or_else(|| form.text("reason"));
            let kept = kept.or_else(|| answered(form));
            let main = pages::not_done(&frame, error, kept.as_deref());
            return html(crate::reply::status_of(error), page(&frame, "Not done", &main));
        }
        let (item, shown) = (form.owned("item").unwrap_or_default(), form.owned("shown").unwrap_or_default());
        let context = visit.site.context(visit.session, "web look");
        let (of, person) = (item.clone(), visit.session.principal.name.clone());
        let now = visit.site.read(context, move |_, workspace, context| {
            let compared = review::compared(workspace, context, &of, &shown)?;
            Ok((hewto_engine::dashboard::review(workspace, context, &of, &person)?, compared))
        });
        match now.await {
            Ok((view, compared)) => {
                let main = pages::stale(&frame, &view, compared.as_deref(), form.text("note").as_deref());
                html(StatusCode::CONFLICT, page(&frame, "It has changed", &main))
            }
            Err(error) => Self::failed(visit, &frame, &error),
        }
    }
}

/// What an address says of one look alone.
const OF_ONE_LOOK: [&str; 3] = ["done=", "part=", "comment="];

/// The address without what was said the last time.
fn without_done(back: &str) -> String {
    let Some((path, query)) = back.split_once('?') else { return back.to_owned() };
    let kept: Vec<&str> =
        query.split('&').filter(|pair| !OF_ONE_LOOK.iter().any(|name| pair.starts_with(name))).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

fn verdict_named(name: &str) -> Result<Verdict, Error> {
    match name {
        "approve" => Ok(Verdict::Approved),
        "request_changes" => Ok(Verdict::ChangesRequested),
        "reject" => Ok(Verdict::Rejected),
        _ => Err(Error::invalid_argument(
            "verdict",
            "one of approve, request_changes, reject",
            format!("`{}` is not a verdict", name.chars().take(40).collect::<String>().escape_debug()),
        )),
    }
}

/// The answers of a form; several of one question are a list.
fn answers(form: &Form) -> Map<String, Value> {
    let mut answers: Map<String, Value> = Map::new();
    for (id, value) in form.below("answer.").filter(|(_, value)| !value.trim().is_empty()) {
        match answers.get_mut(id) {
            Some(Value::Array(list)) => list.push(value.into()),
            Some(first) => *first = json!([first.take(), value]),
            None => drop(answers.insert(id.to_owned(), value.into())),
        }
    }
    answers
}

/// What somebody answered, as they wrote it.
fn answered(form: &Form) -> Option<String> {
    let given = form.below("answer.").map(|(_, value)| value.trim()).filter(|value| !value.is_empty());
    Some(given.collect::<Vec<_>>().join("\n")).filter(|given| !given.is_empty())
}

fn lacking(field: &str) -> Error {
    Error::new(Kind::Usage, Key::InvalidParams, format!("the form lacks `{field}`"))
        .hint("fill it in, and send it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_goes_back_without_what_was_said_before() {
        assert_eq!(without_done("/w/a/board?done=seen"), "/w/a/board");
        assert_eq!(
            without_done("/w/a/change/x?since=look&done=a&part=main&comment=1"),
            "/w/a/change/x?since=look"
        );
    }

    #[test]
    fn several_answers_to_one_question_are_a_list() {
        let form = Form::read("answer.a=x&answer.b=1&answer.b=2&answer.b=3&answer.c=");
        assert_eq!(Value::from(answers(&form)), json!({ "a": "x", "b": ["1", "2", "3"] }));
    }
}
