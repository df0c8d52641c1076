//! Showing a page: one call of the engine, one page, or the view itself.

use std::sync::Arc;
use std::time::Duration;

use hewto_core::near::near;
use hewto_engine::operations::OperationQuery;
use hewto_engine::overview::{self, BoardQuery, Column};
use hewto_engine::proof::StatusQuery;
use hewto_engine::search::FindRequest;
use hewto_engine::spec::SpecFilter;
use hewto_engine::view::{DriftView, FoundView, HealthPage, MatrixView, ReportView, SpecListView};
use hewto_engine::{Error, Key, Kind, PageRequest, claim, dashboard, decision, proof, search, spec};
use hewto_http::Reply;
use hewto_http::hyper::StatusCode;
use maud::Markup;
use serde::Serialize;

use crate::frame::{Frame, Tab, page};
use crate::health::Waited;
use crate::pages::{self, ReviewQuery, Trouble};
use crate::reply::{html, json, status_of_page};
use crate::route::{Format, Page};
use crate::service::WebRoutes;
use crate::site::repository;
use crate::visit::WebRequest;

/// How many specs stand on one page.
const SPECS_OF_A_PAGE: usize = 100;
/// How many promises do.
const PROMISES_OF_A_PAGE: usize = 200;
/// Whoever opens the page of health waits for so long before the rest comes by itself.
const PATIENCE: Duration = Duration::from_millis(250);
/// Pages hold more than what a model reads.
const MOST_CHARS: usize = 4_000_000;

/// A page on its way: its title and its content, or the view behind it.
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) main: Markup,
    /// Made only where it is asked for.
    pub(crate) view: serde_json::Value,
}

impl Shown {
    fn new(format: Format, title: impl Into<String>, view: &impl Serialize, main: Markup) -> Self {
        let view = match format {
            Format::Json => serde_json::to_value(view).unwrap_or_default(),
            Format::Html => serde_json::Value::Null,
        };
        Self { title: title.into(), main, view }
    }
}

/// The list of specs, or what a search found.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum SpecsView {
    Listed(SpecListView),
    Found(FoundView),
}

/// The matrix and what drifted.
#[derive(Debug, Serialize)]
pub(crate) struct ProofView {
    #[serde(flatten)]
    pub(crate) matrix: MatrixView,
    pub(crate) drift: DriftView,
}

impl WebRoutes {
    pub(crate) async fn shown(&self, visit: &WebRequest<'_>) -> Reply {
        let once = visit.site.base_context().uuid().simple().to_string();
        let frame = Self::frame(visit, &once);
        match self.render(visit, &frame).await {
            Ok(shown) => match visit.format {
                Format::Json => json(StatusCode::OK, &shown.view),
                Format::Html if visit.is_part => html(StatusCode::OK, shown.main),
                Format::Html => html(StatusCode::OK, page(&frame, &shown.title, &shown.main)),
            },
            Err(error) => Self::failed(visit, &frame, &error),
        }
    }

    pub(crate) fn frame<'f>(visit: &'f WebRequest<'_>, once: &'f str) -> Frame<'f> {
        Frame {
            workspace: Some(&visit.site.name),
            called: visit.site.called(),
            workspaces: &visit.workspaces,
            person: &visit.session.principal.name,
            may_decide: Self::may_decide(&visit.session.principal),
            theme: visit.theme,
            tab: visit.page.tab(),
            here: &visit.here,
            once,
            notice: visit.query.get("done").map(said_of),
        }
    }

    /// A failure as a page, or as JSON where that was asked for.
    pub(crate) fn failed(visit: &WebRequest<'_>, frame: &Frame<'_>, error: &Error) -> Reply {
        let status = status_of_page(error);
        if visit.format == Format::Json {
            return json(status, &error.to_json());
        }
        let trouble = Trouble::of(frame, error);
        let main = pages::trouble(&trouble);
        if visit.is_part {
            return html(status, main);
        }
        html(status, page(frame, &trouble.title, &main))
    }

    async fn render(&self, visit: &WebRequest<'_>, frame: &Frame<'_>) -> Result<Shown, Error> {
        let site = visit.site;
        let context = site.context(visit.session, "web look");
        let query = &visit.query;
        Ok(match visit.page.clone() {
            Page::Board => {
                let wanted = BoardQuery {
                    column: query.get("column").and_then(Column::named),
                    from: query.number("from").unwrap_or_default(),
                };
                let (kept, work) = (Arc::clone(&site.board), Arc::clone(&site.work));
                let person = visit.session.principal.name.clone();
                let (mark, mut view) = site
                    .read(context.clone(), move |project, workspace, context| {
                        let mark = work.documents(workspace, context)?;
                        let of = (mark, dashboard::people_mark(workspace, context)?, wanted);
                        let mut view = kept.get_or(of, || overview::board(workspace, context, wanted))?;
                        view.claims =
                            claim::who(workspace, context).map(|who| who.claims).unwrap_or_default();
                        dashboard::fill_in_looks(workspace, context, &person, &mut view);
                        let repository = repository(project).ok();
                        view.clarification =
                            repository.and_then(|repository| decision::status(&repository, context).ok());
                        Ok((mark, view))
                    })
                    .await?;
                let report = site.health.of(mark, &site.pipeline, &site.work, &context);
                view.health = report.map(|report| report.summary);
                Shown::new(visit.format, "Board", &view, pages::board(frame, &view, wanted))
            }
            Page::Review(item) => {
                if !frame.may_decide {
                    return Err(no_agent());
                }
                let person = visit.session.principal.name.clone();
                let view = site
                    .read(context, move |_, workspace, context| {
                        dashboard::review(workspace, context, &item, &person)
                    })
                    .await?;
                let main = pages::review(frame, &view, ReviewQuery::read(query));
                Shown::new(visit.format, view.review.title.clone(), &view, main)
            }
            Page::Specs => self.specs(visit, frame).await?,
            Page::Spec(id) => {
                let view =
                    site.read(context, move |_, workspace, context| dashboard::spec(workspace, context, &id));
                let view = view.await?;
                Shown::new(visit.format, view.title.clone(), &view, pages::spec(frame, &view))
            }
            Page::Requirement(spec, id) => {
                let view = site
                    .read(context, move |_, workspace, context| {
                        dashboard::requirement(workspace, context, &spec, &id)
                    })
                    .await?;
                let title = view.requirement.requirement.name.clone();
                Shown::new(visit.format, title, &view, pages::requirement(frame, &view))
            }
            Page::Graph => {
                let (around, depth) = (query.owned("around"), query.number("depth").unwrap_or(1));
                let view = site
                    .read(context, move |_, workspace, context| {
                        dashboard::neighbourhood(workspace, context, around.as_deref(), depth)
                    })
                    .await?;
                Shown::new(visit.format, "Graph", &view, pages::graph(frame, &view))
            }
            Page::Decisions => {
                let view = site.read(context, |project, _, context| {
                    dashboard::decisions(&repository(project)?, context)
                });
                let view = view.await?;
                let category = query.get("category");
                Shown::new(visit.format, "Decisions", &view, pages::decisions(frame, &view, category))
            }
            Page::Decision(uid) => {
                let view = site.read(context, move |project, _, context| {
                    dashboard::decision(&repository(project)?, context, &uid)
                });
                let view = view.await?;
                Shown::new(
                    visit.format,
                    view.decision.card.title.clone(),
                    &view,
                    pages::decision(frame, &view),
                )
            }
            Page::Proof => self.proof(visit, frame).await?,
            Page::Operations => {
                let wanted = OperationQuery {
                    session_id: query.owned("session"),
                    capability_id: query.owned("tool"),
                    status: query.owned("status"),
                    since: query.owned("since"),
                    until: query.owned("until"),
                };
                let asked = wanted.clone();
                let view = site
                    .read(context, move |_, workspace, context| {
                        dashboard::operations(workspace, context, &asked)
                    })
                    .await?;
                Shown::new(visit.format, "Operations", &view, pages::operations(frame, &view, &wanted))
            }
            Page::Operation(id) => {
                let view = site
                    .read(context, move |_, workspace, context| dashboard::operation(workspace, context, &id))
                    .await?;
                Shown::new(visit.format, "Operation", &view, pages::operation(frame, &view))
            }
            Page::Health => {
                let view = self.health(visit).await?;
                Shown::new(visit.format, "Health", &view, pages::health(frame, &view, query.get("rule")))
            }
            Page::Events | Page::Post(_) | Page::Unknown => return Err(no_page(&visit.here)),
        })
    }

    async fn specs(&self, visit: &WebRequest<'_>, frame: &Frame<'_>) -> Result<Shown, Error> {
        let context = visit.site.context(visit.session, "web look");
        if let Some(wanted) = visit.query.owned("q") {
            let request = FindRequest {
                query: wanted.clone(),
                limit: Some(50),
                archived: true,
                ..FindRequest::default()
            };
            let found = visit
                .site
                .read(context, move |_, workspace, context| search::find(workspace, context, &request))
                .await?;
            let main = pages::found(frame, &wanted, &found);
            return Ok(Shown::new(visit.format, format!("Search: {wanted}"), &SpecsView::Found(found), main));
        }
        let page = PageRequest {
            limit: Some(SPECS_OF_A_PAGE),
            cursor: visit.query.owned("cursor"),
            max_chars: Some(MOST_CHARS),
        };
        let listed = visit
            .site
            .read(context, move |_, workspace, context| {
                spec::list(workspace, context, &SpecFilter::default(), &page)
            })
            .await?;
        let main = pages::specs(frame, &listed);
        Ok(Shown::new(visit.format, "Specs", &SpecsView::Listed(listed), main))
    }

    /// All of it where somebody wants the view; a page shows what is known by now, and hears of the rest.
    async fn health(&self, visit: &WebRequest<'_>) -> Result<HealthPage, Error> {
        let site = visit.site;
        let context = site.context(visit.session, "web look");
        if visit.format == Format::Html {
            let work = Arc::clone(&site.work);
            let mark =
                site.read(context.clone(), move |_, workspace, context| work.documents(workspace, context));
            let waited = site.health.wait(mark.await?, &site.pipeline, &site.work, &context, PATIENCE).await;
            let known = match waited {
                Waited::Known(report) => Some(Some(report)),
                Waited::NotYet => Some(None),
                Waited::Nothing => None,
            };
            if let Some(report) = known {
                let report = report.map(|report| ReportView::clone(&report));
                return site
                    .read(context, move |_, workspace, context| {
                        dashboard::health_with(workspace, context, report)
                    })
                    .await;
            }
        }
        site.read(context, |_, workspace, context| dashboard::health(workspace, context)).await
    }

    async fn proof(&self, visit: &WebRequest<'_>, frame: &Frame<'_>) -> Result<Shown, Error> {
        let context = visit.site.context(visit.session, "web look");
        let query = &visit.query;
        let wanted = StatusQuery {
            item: query.owned("item"),
            reference: query.owned("ref"),
            state: query.owned("state"),
            since: query.owned("since"),
            page: PageRequest {
                limit: Some(PROMISES_OF_A_PAGE),
                cursor: query.owned("cursor"),
                max_chars: Some(MOST_CHARS),
            },
        };
        let asked = wanted.clone();
        let (kept, work) = (Arc::clone(&visit.site.proof), Arc::clone(&visit.site.work));
        let view = visit
            .site
            .read(context, move |_, workspace, context| {
                let (matrix, drift) = proof::page(workspace, context, &kept, &work, &asked)?;
                Ok(ProofView { matrix, drift })
            })
            .await?;
        let main = pages::proof(frame, &view.matrix, &view.drift, &wanted);
        Ok(Shown::new(visit.format, "Proof", &view, main))
    }
}

fn no_page(address: &str) -> Error {
    let path = address.split('?').next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let near = near(last.strip_suffix(".json").unwrap_or(last), Tab::paths(), 3);
    Error::new(Kind::Refused, Key::ArtifactNotFound, "there is no page at this address")
        .hint("begin at the board")
        .detail("near", serde_json::json!(near))
}

/// A token that an agent may have opens nothing that approves.
fn no_agent() -> Error {
    Error::new(Kind::Refused, Key::PersonRequired, "this page is for people who may decide")
        .hint("sign in with a token that has the scope `approve`")
}

/// What a page says after something was done.
fn said_of(done: &str) -> &'static str {
    match done {
        "comment" => "Your comment was added.",
        "reply" => "Your reply was added.",
        "resolved" => "The comment is settled.",
        "verdict" => "Your verdict is recorded.",
        "same" => "You had already said so; nothing new was written.",
        "seen" => "Noted.",
        "answered" => "Your answers are recorded.",
        "decided" => "All questions are answered; the decision is recorded.",
        "released" => "The lease was released.",
        "accepted" => "What moved is accepted as it is.",
        _ => "Done.",
    }
}
