//! The page of one item across all views, and what is decided there.

use hewto_core::hub::Reason;
use hewto_http::Reply;
use hewto_http::hyper::StatusCode;
use hewto_web::server::encoded;

use super::{Session, html, sent_to};
use crate::access::{Access, Right};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::hub::Hub;
use crate::overlap::{OverlapQuery, overlaps};
use crate::query::Params;
use crate::review::{self, Ballot, Remark};

pub(super) async fn shown(
    hub: &Hub,
    access: &Access,
    session: &Session,
    form: &Params,
    call: &mut Call<'_>,
) -> Result<Reply> {
    let (repo, item) = (form.get("repo").unwrap_or_default(), form.get("item").unwrap_or_default());
    call.about(repo);
    call.says(item);
    let granted = access.repo(&hub.database, repo, Right::Review).await?;
    let subjects = review::load(&hub.database, access, repo, item).await?;
    let change = item.strip_prefix("change:").map(str::to_owned);
    let query = OverlapQuery { repo: Some(repo.to_owned()), change };
    let busy = overlaps(&hub.database, access, &query).await?;
    let may_decide = granted.role.may(Right::Approve);
    call.done(false);
    Ok(super::shown(StatusCode::OK, html::review(&session.word, &subjects, &busy, may_decide)))
}

/// Does what the form of that page asks for, and leads back to it.
pub(super) async fn decided(
    hub: &Hub,
    access: &Access,
    session: &Session,
    form: &Params,
    call: &mut Call<'_>,
) -> Result<Reply> {
    if form.get("word") != Some(session.word.as_str()) {
        return Err(Error::new(
            StatusCode::FORBIDDEN,
            Reason::Forbidden,
            "this form belongs to another session",
        )
        .hint("go back, load the page again, and decide there"));
    }
    let field = |name: &str| form.get(name).unwrap_or_default().to_owned();
    let (repo, item, digest) = (field("repo"), field("item"), field("digest"));
    call.about(&repo);
    let note = form.get("note").map(str::to_owned);
    let recorded = match form.get("act") {
        Some("comment") => {
            let text = note.unwrap_or_default();
            let (capability, requirement) =
                (form.get("capability").map(str::to_owned), form.get("requirement").map(str::to_owned));
            let remark = Remark {
                repo: repo.clone(),
                item: item.clone(),
                text,
                digest,
                capability,
                requirement,
                scenario: None,
                step: None,
                quote: None,
            };
            review::remark(&hub.database, access, &remark).await?
        }
        verdict => {
            let verdict = verdict.unwrap_or_default().to_owned();
            let (repo, item) = (repo.clone(), item.clone());
            let ballot = Ballot { repo, item, verdict, digest, note, allow_open_tasks: false };
            review::decide(&hub.database, access, &ballot).await?
        }
    };
    call.done(!recorded.was_said);
    Ok(sent_to(&format!("/review?repo={}&item={}", encoded(&repo), encoded(&item)), None))
}
