//! What people decide on a page: recorded at the hub, bound to what they were shown.

use hewto_core::hub::Reason;
use hewto_engine::review::compared;
use hewto_engine::{Context, Workspace};
use hewto_http::Reply;
use hewto_http::hyper::StatusCode;
use hewto_web::pages;
use hewto_web::server::{Form, Page, Post, html as reply, plain, said, see_other, way_back};
use maud::html;

use super::Visit;
use super::show::review as page_of;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::lease;
use crate::review::{self, Ballot, Remark, Settlement};

impl Visit<'_> {
    /// Does what a form asks for, and leads back to where it was filled in.
    pub(super) async fn decided(&self, form: &Form, call: &mut Call<'_>) -> Result<Reply> {
        let Page::Post(post) = self.page else {
            return Err(Error::new(
                StatusCode::METHOD_NOT_ALLOWED,
                Reason::MethodNotAllowed,
                "only GET here",
            ));
        };
        let is_ours = form.get("once").is_some_and(|once| once.split('-').next() == Some(self.visitor.word));
        if !is_ours {
            return Err(Error::new(
                StatusCode::FORBIDDEN,
                Reason::Forbidden,
                "this form belongs to another session",
            )
            .hint("go back, load the page again, and decide there"));
        }
        match self.act(post, form).await {
            Ok(has_told) => {
                call.done(has_told);
                let back = way_back(form).and_then(|back| back.split('?').next()).unwrap_or("/");
                Ok(see_other(&format!("{back}?done=1")))
            }
            Err(error) => {
                call.failed(&error);
                if post == Post::Verdict && error.reason == Reason::ApprovalStale {
                    return self.stale(form).await;
                }
                Ok(self.not_done(form, &error))
            }
        }
    }

    /// Whether what was done has its row in the audit already.
    async fn act(&self, post: Post, form: &Form) -> Result<bool> {
        let (database, access) = (&self.hub.database, self.visitor.access);
        let field = |name: &'static str| {
            form.text(name)
                .ok_or_else(|| Error::bad(Reason::InvalidArgument, format!("the form lacks `{name}`")))
        };
        let repo = self.repo.name.clone();
        match post {
            Post::Verdict => {
                let verdict = match form.get("verdict") {
                    Some("approve") => "approved",
                    Some("request_changes") => "changes_requested",
                    Some("reject") => "rejected",
                    _ => return Err(Error::bad(Reason::InvalidArgument, "this is not a verdict")),
                };
                let ballot = Ballot {
                    repo,
                    item: field("item")?,
                    verdict: verdict.to_owned(),
                    digest: field("shown")?,
                    note: form.text("note"),
                    allow_open_tasks: form.get("allow_open_tasks").is_some(),
                };
                let recorded = review::decide(database, access, &ballot).await?;
                self.note_look(&ballot.item, &ballot.digest).await;
                Ok(!recorded.was_said)
            }
            Post::Comment => {
                let item = field("item")?;
                if let Some(comment) = form.text("reply_to") {
                    let (digest, text) = (self.digest(&item).await?, form.text("text"));
                    let reply = Settlement { repo, item, comment, digest, text };
                    return Ok(!review::reply(database, access, &reply).await?.was_said);
                }
                let remark = Remark {
                    repo,
                    text: field("text")?,
                    digest: self.digest(&item).await?,
                    item,
                    capability: form.text("capability"),
                    requirement: form.text("requirement"),
                    scenario: form.text("scenario"),
                    step: form.text("step"),
                    quote: form.text("quote"),
                };
                Ok(!review::remark(database, access, &remark).await?.was_said)
            }
            Post::Resolve => {
                let item = field("item")?;
                let digest = self.digest(&item).await?;
                let (comment, text) = (field("comment")?, form.text("note"));
                let settled = Settlement { repo, item, comment, digest, text };
                Ok(!review::settle(database, access, &settled).await?.was_said)
            }
            Post::Seen => {
                match (form.get("capability"), form.get("requirement"), form.get("shown")) {
                    (Some(capability), Some(requirement), _) => {
                        let seen = form.get("seen") != Some("no");
                        self.note_seen(&field("item")?, (capability, requirement), seen).await?;
                    }
                    (_, _, Some(shown)) => self.note_look(&field("item")?, shown).await,
                    _ => return Err(Error::bad(Reason::InvalidArgument, "the form lacks `shown`")),
                }
                Ok(false)
            }
            Post::Release => {
                let number = form.number("claim").and_then(|number| i64::try_from(number).ok());
                let number =
                    number.ok_or_else(|| Error::bad(Reason::InvalidArgument, "the form lacks `claim`"))?;
                lease::take_back(database, access, &repo, number).await?;
                Ok(true)
            }
            Post::Answer | Post::AcceptDrift => {
                Err(Error::conflict(Reason::NeedsCheckout, "this is decided where the code is")
                    .hint("open the dashboard of a checkout with `hewto ui`"))
            }
        }
    }

    /// The digest of an item as this view has it.
    async fn digest(&self, item: &str) -> Result<String> {
        let subjects = review::load(&self.hub.database, self.visitor.access, &self.repo.name, item).await?;
        let here = subjects.iter().find(|one| one.views.contains(&self.view.label)).or(subjects.first());
        here.map(|one| one.digest.clone()).ok_or_else(Error::unavailable)
    }

    /// Notes what somebody has looked at, where every replica finds it.
    async fn note_look(&self, item: &str, shown: &str) {
        let shown = shown.to_owned();
        let noted = self.note(item, move |workspace, context, item, person| {
            hewto_engine::review::note_look(workspace, context, item, person, &shown)
        });
        if let Err(error) = noted.await {
            tracing::debug!(%error, "a look was not noted");
        }
    }

    async fn note_seen(&self, item: &str, place: (&str, &str), seen: bool) -> Result<()> {
        let place = (place.0.to_owned(), place.1.to_owned());
        self.note(item, move |workspace, context, item, person| {
            let place = (place.0.as_str(), place.1.as_str());
            hewto_engine::review::note_seen(workspace, context, item, person, place, seen)
        })
        .await
    }

    /// Notes something beside what this person has seen before.
    async fn note(
        &self,
        item: &str,
        note: impl FnOnce(&Workspace, &Context, &str, &str) -> hewto_engine::Result<()> + Send + 'static,
    ) -> Result<()> {
        let project = self.checkout().await?;
        let before = self.remembered(Some(item)).await?;
        let context = self.hub.checkouts.context();
        let (wanted, person) = (item.to_owned(), self.visitor.access.name.clone());
        let noted = tokio::task::spawn_blocking(move || {
            before.bring(&project, &person);
            let workspace = project.workspace()?;
            note(workspace, &context, &wanted, &person)?;
            Ok::<_, hewto_engine::Error>(hewto_engine::review::looks(workspace, &person, &wanted))
        });
        let noted = noted.await.map_err(|_| Error::unavailable())?;
        let looks = noted.map_err(|error| Error::bad(Reason::InvalidArgument, error.to_string()))?;
        if let Some(looks) = looks {
            self.keep_looks(item, &looks).await;
        }
        Ok(())
    }

    /// Somebody decided about a text that is no longer there: what is different, and their note, for another try.
    async fn stale(&self, form: &Form) -> Result<Reply> {
        let (item, shown) = (form.owned("item").unwrap_or_default(), form.owned("shown").unwrap_or_default());
        let project = self.checkout().await?;
        // Another replica may have shown it.
        let was_shown = self.was_shown(&shown).await?;
        let (context, person) = (self.hub.checkouts.context(), self.visitor.access.name.clone());
        let look = tokio::task::spawn_blocking(move || {
            was_shown.bring(&project, &person);
            let compared = compared(project.workspace()?, &context, &item, &shown)?;
            Ok::<_, hewto_engine::Error>((page_of(&project, &context, &item, &person, Vec::new())?, compared))
        });
        let found = look.await.map_err(|_| Error::unavailable())?;
        let (view, compared) = found.map_err(|error| Error::bad(Reason::ItemNotFound, error.to_string()))?;
        let names = self.names();
        let frame = self.frame(&names, None);
        let main = pages::stale(&frame, &view, compared.as_deref(), form.text("note").as_deref());
        Ok(reply(StatusCode::CONFLICT, pages::page(&frame, "It has changed", &main)))
    }

    /// What was not done, with what was written kept.
    fn not_done(&self, form: &Form, error: &Error) -> Reply {
        let names = self.names();
        let frame = self.frame(&names, None);
        let kept = form.text("text").or_else(|| form.text("note"));
        let back = way_back(form).unwrap_or("/");
        let main = html! {
            section class="trouble" id="trouble" {
                h1 { "Not done" }
                p class="message" role="alert" { (said(&error.message)) }
                @if let Some(hint) = &error.hint { p class="hint" { (said(hint)) } }
            }
            @if let Some(kept) = kept {
                section {
                    label for="kept" { "What you wrote" }
                    textarea id="kept" rows="8" readonly { (plain(&kept)) }
                }
            }
            p { a class="button" href=(back) { "Back to the page" } }
        };
        if let Some(source) = &error.source {
            tracing::warn!(error = %source, "a page of the hub failed");
        }
        reply(error.status, pages::page(&frame, "Not done", &main))
    }
}
