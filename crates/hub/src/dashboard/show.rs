//! Showing a page: one look at the checkout of a view, and what only the hub knows beside it.

use hewto_engine::overview::{self, BoardQuery, Column};
use hewto_engine::spec::SpecFilter;
use hewto_engine::view::{
    BoardView, ClaimView, DecisionPage, DecisionsPage, FoundView, HealthPage, HolderView, NeighbourhoodView,
    RequirementPage, ReviewPage, SpecListView, SpecPage,
};
use hewto_engine::{Context, PageRequest, Project, check, dashboard, spec};
use hewto_http::Reply;
use hewto_http::hyper::StatusCode;
use hewto_web::Frame;
use hewto_web::pages::{self, ReviewQuery, Trouble};
use hewto_web::server::{Form, Format, Page, html as reply, json, status_of, told};
use maud::{Markup, html};
use serde::Serialize;

use super::Visit;
use super::looks::Remembered;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::lease;

/// How many specs stand on one page.
const SPECS_OF_A_PAGE: usize = 100;
const MOST_CHARS: usize = 4_000_000;

/// What a page shows.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Seen {
    Board(Box<BoardView>),
    Review(Box<ReviewPage>),
    Specs(SpecListView),
    Found(FoundView),
    Spec(Box<SpecPage>),
    Requirement(Box<RequirementPage>),
    Graph(NeighbourhoodView),
    Decisions(Box<DecisionsPage>),
    Decision(Box<DecisionPage>),
    Health(Box<HealthPage>),
    Elsewhere(Elsewhere),
}

/// What the hub cannot know, and where it is told.
#[derive(Debug, Serialize)]
pub(super) struct Elsewhere {
    known: bool,
    message: &'static str,
    hint: &'static str,
}

impl Elsewhere {
    fn proof() -> Self {
        Self {
            known: false,
            message: "Proof is not known here: documents are pushed to the hub, and code, tests and their runs are not.",
            hint: "look at it in a checkout, with `hewto ui` or `hewto proof`",
        }
    }
}

/// What a review showed, for every replica.
struct Shown {
    item: String,
    digest: String,
    meaning: String,
}

impl Visit<'_> {
    /// The page that was asked for.
    pub(super) async fn shown(&self, notice: Option<&str>, call: &mut Call<'_>) -> Result<Reply> {
        let (names, query) = (self.names(), self.query());
        let notice = notice.or_else(|| query.get("done").map(|_| "Done: it is recorded at the hub."));
        let frame = self.frame(&names, notice);
        if self.page == Page::Operations {
            let calls = self.calls(&frame).await?;
            call.done(false);
            return Ok(calls);
        }
        let seen = match self.seen(&query).await? {
            Ok(seen) => seen,
            Err(error) if self.format == Format::Json => {
                call.came_to(error.key.as_str());
                return Ok(json(status_of(&error), &error.to_json()));
            }
            Err(error) => {
                call.came_to(error.key.as_str());
                let trouble = Trouble::of(&frame, &error);
                let page = pages::page(&frame, &trouble.title, &pages::trouble(&trouble));
                return Ok(reply(status_of(&error), page));
            }
        };
        if self.format == Format::Json {
            call.done(false);
            return Ok(json(StatusCode::OK, &seen));
        }
        let (title, main) = Self::rendered(&frame, &query, &seen);
        let across = match &seen {
            Seen::Board(_) => self.across(None).await?,
            Seen::Review(view) => self.across(Some(&view.review.spec_id)).await?,
            _ => html! {},
        };
        call.done(false);
        let main = html! { (self.standing()) (main) (across) };
        if query.get("part").is_some() {
            return Ok(reply(StatusCode::OK, main));
        }
        Ok(reply(StatusCode::OK, pages::page(&frame, &title, &main)))
    }

    pub(super) fn query(&self) -> Form {
        Form::read(self.visitor.target.split_once('?').map_or("", |(_, query)| query))
    }

    /// Reads what the page shows; an error of the engine is a page too.
    pub(super) async fn seen(&self, query: &Form) -> Result<hewto_engine::Result<Seen>> {
        if let (Page::Specs, Some(wanted)) = (&self.page, query.get("q")) {
            return Ok(Ok(Seen::Found(self.found(wanted).await?)));
        }
        let project = self.checkout().await?;
        let context = self.hub.checkouts.context();
        let leases = lease::list(&self.hub.database, self.visitor.access, Some(&self.repo.name)).await?;
        let claims: Vec<ClaimView> = leases.into_iter().map(claim).collect();
        let (page, person) = (self.page.clone(), self.visitor.access.name.clone());
        let remembered = match &page {
            Page::Board => self.remembered(None).await?,
            Page::Review(item) => self.remembered(Some(item)).await?,
            _ => Remembered::default(),
        };
        let name = self.name.clone();
        let board = BoardQuery {
            column: query.get("column").and_then(Column::named),
            from: query.number("from").unwrap_or_default(),
        };
        let cursor = query.owned("cursor");
        let (around, depth) = (query.owned("around"), query.number("depth").unwrap_or(1));
        let shows = match &page {
            Page::Review(item) => Some(item.clone()),
            _ => None,
        };
        let look = tokio::task::spawn_blocking(move || -> hewto_engine::Result<(Seen, Option<Shown>)> {
            let workspace = project.workspace()?;
            remembered.bring(&project, &person);
            let shown = shows
                .and_then(|item| Some((hewto_engine::review::shown(workspace, &context, &item).ok()?, item)));
            let shown = shown.map(|((digest, meaning), item)| Shown { item, digest, meaning });
            let seen = match page {
                Page::Board => {
                    let mut view = overview::board(workspace, &context, board)?;
                    (view.claims, view.root) = (claims, name);
                    dashboard::fill_in_looks(workspace, &context, &person, &mut view);
                    let checked = check::validate(workspace, &context, check::Strictness::Normal);
                    view.health = checked.ok().map(|report| report.summary);
                    Seen::Board(Box::new(view))
                }
                Page::Review(item) => {
                    Seen::Review(Box::new(review(&project, &context, &item, &person, claims)?))
                }
                Page::Spec(id) => Seen::Spec(Box::new(dashboard::spec(workspace, &context, &id)?)),
                Page::Requirement(spec, id) => {
                    Seen::Requirement(Box::new(dashboard::requirement(workspace, &context, &spec, &id)?))
                }
                Page::Graph => {
                    Seen::Graph(dashboard::neighbourhood(workspace, &context, around.as_deref(), depth)?)
                }
                Page::Decisions => {
                    Seen::Decisions(Box::new(dashboard::decisions(&project.repository(None)?, &context)?))
                }
                Page::Decision(uid) => {
                    Seen::Decision(Box::new(dashboard::decision(&project.repository(None)?, &context, &uid)?))
                }
                Page::Health => {
                    let mut view = dashboard::health(workspace, &context)?;
                    // The folder is the replica's own business; what is wrong with the documents is theirs.
                    view.doctor.findings.retain(|finding| finding.check == "documents");
                    view.doctor.root = None;
                    view.index = None;
                    Seen::Health(Box::new(view))
                }
                Page::Specs => {
                    let page =
                        PageRequest { limit: Some(SPECS_OF_A_PAGE), cursor, max_chars: Some(MOST_CHARS) };
                    Seen::Specs(spec::list(workspace, &context, &SpecFilter::default(), &page)?)
                }
                Page::Proof => Seen::Elsewhere(Elsewhere::proof()),
                _ => return Err(in_a_checkout()),
            };
            Ok((seen, shown))
        });
        Ok(match look.await.map_err(|_| Error::unavailable())? {
            Ok((seen, shown)) => {
                if let Some(Shown { item, digest, meaning }) = shown {
                    self.keep_shown(&item, &digest, &meaning).await;
                }
                Ok(seen)
            }
            Err(error) => Err(error),
        })
    }

    fn rendered(frame: &Frame<'_>, query: &Form, seen: &Seen) -> (String, Markup) {
        match seen {
            Seen::Board(view) => {
                let wanted = BoardQuery {
                    column: query.get("column").and_then(Column::named),
                    from: query.number("from").unwrap_or_default(),
                };
                ("Board".to_owned(), pages::board(frame, view, wanted))
            }
            Seen::Review(view) => {
                (view.review.title.clone(), pages::review(frame, view, ReviewQuery::read(query)))
            }
            Seen::Specs(view) => ("Specs".to_owned(), pages::specs(frame, view)),
            Seen::Found(view) => {
                let wanted = query.get("q").unwrap_or_default();
                (format!("Search: {wanted}"), pages::found(frame, wanted, view))
            }
            Seen::Spec(view) => (view.title.clone(), pages::spec(frame, view)),
            Seen::Requirement(view) => {
                (view.requirement.requirement.name.clone(), pages::requirement(frame, view))
            }
            Seen::Graph(view) => ("Graph".to_owned(), pages::graph(frame, view)),
            Seen::Decisions(view) => {
                ("Decisions".to_owned(), pages::decisions(frame, view, query.get("category")))
            }
            Seen::Decision(view) => (view.decision.card.title.clone(), pages::decision(frame, view)),
            Seen::Elsewhere(view) => {
                let main = html! {
                    div class="head" { h1 { "Proof" } }
                    p class="empty" { (view.message) }
                    p class="hint" { (told(view.hint)) }
                };
                ("Proof".to_owned(), main)
            }
            Seen::Health(view) => ("Health".to_owned(), pages::health(frame, view, query.get("rule"))),
        }
    }
}

/// A review with the claims of the hub.
pub(super) fn review(
    project: &Project,
    context: &Context,
    item: &str,
    person: &str,
    claims: Vec<ClaimView>,
) -> hewto_engine::Result<ReviewPage> {
    let mut view = dashboard::review(project.workspace()?, context, item, person)?;
    view.claims = claims.into_iter().filter(|claim| claim.spec_id == view.review.spec_id).collect();
    Ok(view)
}

fn claim(lease: hewto_core::hub::Lease) -> ClaimView {
    let (item, step) = match lease.item.split_once('\\') {
        Some((item, step)) => (item.to_owned(), Some(step.to_owned())),
        None => (lease.item, None),
    };
    let left = jiff::SignedDuration::from_millis(i64::try_from(lease.left_ms).unwrap_or(0));
    let until = jiff::Timestamp::now().checked_add(left).map(|at| at.to_string()).unwrap_or_default();
    ClaimView {
        claim: lease.fence,
        spec_id: item,
        step,
        holder: HolderView {
            principal: lease.principal,
            session: lease.session,
            worktree: lease.worktree,
            branch: lease.branch,
        },
        left_s: lease.left_ms / 1_000,
        until,
        released: lease.released,
        note: lease.note,
        next: String::new(),
    }
}

fn in_a_checkout() -> hewto_engine::Error {
    hewto_engine::Error::new(
        hewto_engine::Kind::Refused,
        hewto_engine::Key::ArtifactNotFound,
        "the hub has spec documents and no code, so it does not know this",
    )
    .hint("look at it in a checkout, with `hewto ui`")
}
