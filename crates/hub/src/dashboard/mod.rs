//! The pages of the dashboard over what was pushed: the same functions as on a laptop, one view of one repository at a time.
//!
//! `/w/REPO/…` shows the main branch, or the view that has what is asked for; `/w/REPO@VIEW/…` shows that one. What people
//! decide here is recorded at the hub and returns to git with the next push of somebody who has the item.

mod beside;
mod checkout;
mod decide;
mod live;
mod looks;
mod shelf;
mod show;
mod written;

use std::sync::Arc;

use hewto_core::hub::Reason;
use hewto_http::Reply;
use hewto_http::hyper::StatusCode;
use hewto_web::server::{Form, Format, Page, Route, guarded};
use hewto_web::{Frame, Theme};

pub(crate) use beside::{item_of, overlapping};
pub(crate) use checkout::Checkouts;
pub(crate) use live::News;
use shelf::Checkout;

use crate::access::{Access, Granted, Right};
use crate::call::Call;
use crate::database::Sees;
use crate::error::{Error, Result};
use crate::hub::Hub;
use crate::pages::Presence;

/// Who looks, and how.
#[derive(Debug)]
pub(crate) struct Visitor<'v> {
    pub(crate) access: &'v Access,
    /// What the forms of this session carry.
    pub(crate) word: &'v str,
    /// Whether they are still there, for pages that stay open.
    pub(crate) presence: Presence,
    pub(crate) theme: Theme,
    /// The address that was asked for.
    pub(crate) target: &'v str,
}

/// A branch or a work tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) id: i64,
    /// `main`, or `ann: laptop`.
    pub(crate) label: String,
    has_item: bool,
}

/// One page on its way.
pub(crate) struct Visit<'v> {
    hub: &'v Hub,
    visitor: &'v Visitor<'v>,
    repo: Granted,
    views: Vec<View>,
    view: View,
    /// As addresses have it: the repository, perhaps with a view.
    name: String,
    page: Page,
    format: Format,
}

/// Answers an address below `/w/`; `form` is what was sent to it.
pub(crate) async fn answer(
    hub: &Hub,
    visitor: &Visitor<'_>,
    path: &str,
    form: Option<&Form>,
    call: &mut Call<'_>,
) -> Result<Reply> {
    let Route::Of { workspace, page, format } = Route::of(path) else { return Err(no_page()) };
    if page == Page::Unknown {
        return Err(no_page());
    }
    let (name, wanted) = match workspace.split_once('@') {
        Some((name, view)) => (name, Some(view)),
        None => (workspace.as_str(), None),
    };
    call.about(name);
    let right = if matches!(page, Page::Review(_)) { Right::Review } else { Right::Read };
    let repo = visitor.access.repo(&hub.database, name, right).await?;
    if page == Page::Events {
        call.done(false);
        return Ok(guarded(live::events(hub, repo, visitor.presence.clone())));
    }
    let item = match (&page, form) {
        (Page::Review(item), _) => Some(item.clone()),
        (Page::Spec(id) | Page::Requirement(id, _), _) => Some(id.clone()),
        (_, Some(form)) => form.owned("item"),
        _ => None,
    };
    let views = views(hub, &repo, item.as_deref()).await?;
    let view = match wanted {
        Some(wanted) => views.iter().find(|view| view.label == wanted),
        None => views.iter().find(|view| view.has_item).or(views.first()),
    };
    let view = view.cloned().ok_or_else(no_view)?;
    let visit = Visit { hub, visitor, repo, views, view, name: workspace, page, format };
    let reply = match form {
        Some(form) => visit.decided(form, call).await?,
        None => visit.shown(None, call).await?,
    };
    Ok(guarded(reply))
}

impl Visit<'_> {
    /// The view on disk, as it is now.
    async fn checkout(&self) -> Result<Arc<Checkout>> {
        let person = self.visitor.access.principal;
        self.hub.checkouts.open(&self.hub.database, &self.repo, &self.view, person).await
    }

    fn frame<'f>(&'f self, names: &'f [String], notice: Option<&'f str>) -> Frame<'f> {
        Frame {
            workspace: Some(&self.name),
            called: None,
            workspaces: names,
            person: &self.visitor.access.name,
            may_decide: self.repo.role.may(Right::Approve),
            theme: self.visitor.theme,
            tab: self.page.tab(),
            here: self.visitor.target,
            once: self.visitor.word,
            notice,
        }
    }

    /// What the other views of this repository are called in addresses.
    fn names(&self) -> Vec<String> {
        self.views.iter().take(50).map(|view| format!("{}@{}", self.repo.name, view.label)).collect()
    }
}

/// The views of a repository: its main branch first, then other branches, then work trees, the latest first.
async fn views(hub: &Hub, repo: &Granted, item: Option<&str>) -> Result<Vec<View>> {
    let mut tx = hub.database.begin(Sees::These(&[repo.id])).await?;
    let rows: Vec<(i64, String, Option<String>, bool)> = sqlx::query_as(
        "SELECT v.id, v.name, p.name,
                EXISTS (SELECT 1 FROM entry e WHERE e.view = v.id AND e.repo = v.repo AND e.item = $2)
         FROM view v LEFT JOIN principal p ON p.id = v.owner WHERE v.repo = $1
         ORDER BY v.kind = 'branch' AND v.name IN ('main', 'master') DESC, v.kind, v.pushed_at DESC, v.id LIMIT 1000",
    )
    .bind(repo.id)
    .bind(item)
    .fetch_all(&mut *tx)
    .await?;
    let view = |(id, name, owner, has_item): (i64, String, Option<String>, bool)| View {
        id,
        label: owner.map_or_else(|| name.clone(), |owner| format!("{owner}: {name}")),
        has_item,
    };
    Ok(rows.into_iter().map(view).collect())
}

fn no_page() -> Error {
    Error::new(StatusCode::NOT_FOUND, Reason::NotFound, "there is no such page").hint("begin at the board")
}

fn no_view() -> Error {
    Error::new(StatusCode::NOT_FOUND, Reason::ViewNotFound, "nothing like this was pushed to this repository")
        .hint("push it with `hewto hub push`, or choose another view on the board")
}
