//! The pages across repositories, in the clothes of the dashboard. Everything that comes from a document or a person is escaped;
//! nothing is run.

use hewto_http::hyper::StatusCode;
use hewto_web::Theme;
use hewto_web::pages::bare;
use hewto_web::server::{badge, count, encoded, moment, plain, said, search_mode, told};
use maud::{Markup, html};

use crate::dashboard::{item_of, overlapping};
use crate::overlap::Overlap;
use crate::review::{ItemLine, Items, Said, Subject};
use crate::search::Answer;
use crate::status::{RepoStatus, Status, ViewStatus};

fn page(title: &str, main: &Markup) -> String {
    bare(Theme::Auto, title, main).into_string()
}

pub(super) fn login(fault: Option<&str>) -> String {
    let main = html! {
        section class="door" {
            h1 { "hewto hub" }
            @if let Some(fault) = fault { p class="message" role="alert" { (said(fault)) } }
            form method="post" action="/login" autocomplete="off" {
                label for="token" { "Your token" }
                input id="token" name="token" type="password" required;
                button { "Sign in" }
            }
        }
    };
    page("Sign in", &main)
}

pub(super) fn failure(status: StatusCode, message: &str, hint: Option<&str>) -> String {
    let title = match status {
        StatusCode::NOT_FOUND => "Not there",
        StatusCode::FORBIDDEN => "Not allowed",
        _ => "Not done",
    };
    let main = html! {
        section class="trouble" id="trouble" {
            h1 { (title) }
            p class="message" role="alert" { (told(message)) }
            @if let Some(hint) = hint { p class="hint" { (told(hint)) } }
            p { a href="/" { "Board" } }
        }
    };
    page(title, &main)
}

/// Everything that somebody may see: what waits, what overlaps, who is at work, and what was pushed.
pub(super) fn board(word: &str, status: &Status, all: &Items) -> String {
    let items = &all.items;
    let main = html! {
        div class="head" {
            h1 { "Board" }
            form method="post" action="/logout" {
                input type="hidden" name="word" value=(word);
                "Signed in as " strong { (said(&status.principal)) } " " button class="plain" { "Sign out" }
            }
            (search_form(""))
        }
        @if items.is_empty() && status.repos.iter().all(|repo| repo.views.is_empty()) {
            p class="empty" { "Nothing was pushed yet: " code { "hewto hub push" } }
        }
        @if !items.is_empty() {
            section {
                h2 { "Work " span class="count" { (items.len()) } }
                ul class="plain-list" { @for item in items { (item_card(item)) } }
                @if all.more > 0 { (not_shown(all)) }
            }
        }
        (overlapping(&status.overlaps))
        @if !status.leases.is_empty() {
            section {
                h2 { "At work " span class="count" { (status.leases.len()) } }
                ul class="plain-list" {
                    @for lease in &status.leases {
                        li class="card" {
                            (said(&lease.repo)) " · " code { (plain(&lease.item)) } " · " strong { (said(&lease.principal)) } ", "
                            (lease.left_ms / 1_000) " s left"
                        }
                    }
                }
            }
        }
        section {
            h2 { "Repositories " span class="count" { (status.repos.len()) } }
            ul class="plain-list" { @for repo in &status.repos { (repo_card(repo)) } }
        }
    };
    page("Board", &main)
}

/// How many there are besides, and where they are shown.
fn not_shown(all: &Items) -> Markup {
    html! {
        p class="hint" {
            (all.more) " more are not shown: "
            @for one in all.more_in.iter().take(20) {
                (one.more) " in " a href={ "/w/" (encoded(&one.repo)) "/board" } { (said(&one.repo)) } " "
            }
        }
    }
}

fn search_form(wanted: &str) -> Markup {
    html! {
        form class="search" role="search" method="get" action="/search" {
            label class="unseen" for="search" { "Search all repositories" }
            input id="search" type="search" name="q" value=(plain(wanted)) placeholder="Search all repositories" autocomplete="off";
            button { "Search" }
        }
    }
}

fn item_card(item: &ItemLine) -> Markup {
    let verdict = match item.last_verdict.as_deref() {
        Some("approved") => badge("good", "approved"),
        Some("rejected") => badge("bad", "rejected"),
        Some(other) => badge("changed", &other.replace('_', " ")),
        None => badge("warn", "waits for a verdict"),
    };
    html! {
        li class="card" data-item tabindex="-1" {
            p class="title" { a href=(address(&item.repo, &item.item)) { (said(&item.title)) } }
            p class="facts" {
                (said(&item.repo)) " " code { (plain(&item.item)) } " " (verdict) " "
                a href={ "/review?repo=" (encoded(&item.repo)) "&item=" (encoded(&item.item)) } {
                    (count(usize::try_from(item.views).unwrap_or(0), "view", "views"))
                }
            }
        }
    }
}

fn repo_card(repo: &RepoStatus) -> Markup {
    html! {
        li class="card" {
            p class="title" { a href={ "/w/" (encoded(&repo.repo)) "/board" } { (said(&repo.repo)) } " " (badge("", &repo.role)) }
            ul { @for view in &repo.views { li { (view_line(&repo.repo, view)) } } }
        }
    }
}

fn view_line(repo: &str, view: &ViewStatus) -> Markup {
    let label = match &view.owner {
        Some(owner) => format!("{owner}: {}", view.name),
        None => view.name.clone(),
    };
    let size = |number: i64| usize::try_from(number).unwrap_or(0);
    html! {
        (plain(&view.kind)) " "
        a href={ "/w/" (encoded(&format!("{repo}@{label}"))) "/board" } { (said(&label)) } " "
        span class="facts" {
            (count(size(view.specs), "spec", "specs")) ", " (count(size(view.requirements), "requirement", "requirements")) ", "
            (count(size(view.changes), "change", "changes")) " " (moment(&view.pushed_at))
        }
    }
}

/// What was found in everything that somebody may see.
pub(super) fn found(wanted: &str, answer: &Answer) -> String {
    let main = html! {
        p { a href="/" { "Board" } }
        div class="head" {
            h1 { "Search: " (said(wanted)) }
            (search_form(wanted))
            p class="strip" { (count(answer.total, "result", "results")) " by " (said(&search_mode(&answer.mode))) ", as of " (moment(&answer.as_of)) }
        }
        @if answer.hits.is_empty() { p class="empty" { "Nothing bears on it that is open to you." } }
        ul class="plain-list" {
            @for hit in &answer.hits {
                li class="card" data-item tabindex="-1" {
                    p class="title" {
                        a href=(place_of(&hit.repo, &hit.kind, &hit.id, hit.requirement.as_deref())) {
                            (said(hit.requirement.as_deref().unwrap_or(&hit.title)))
                        }
                    }
                    p class="facts" { (said(&hit.repo)) " " (badge("", &hit.kind)) " " code { (plain(&hit.id)) } " " (format!("{:.2}", hit.score)) }
                    p class="snippet" { (said(&hit.snippet)) }
                }
            }
        }
    };
    page("Search", &main)
}

/// The page of a work item in the dashboard of its repository.
fn address(repo: &str, item: &str) -> String {
    match item.strip_prefix("change:") {
        Some(id) => format!("/w/{}/change/{}", encoded(repo), encoded(id)),
        None => format!("/w/{}/review/{}", encoded(repo), encoded(item)),
    }
}

fn place_of(repo: &str, kind: &str, id: &str, requirement: Option<&str>) -> String {
    let item = item_of(kind, id);
    match (kind, requirement) {
        _ if item.starts_with("change:") => address(repo, &item),
        ("decision", _) => format!("/w/{}/decision/{}", encoded(repo), encoded(&item)),
        ("plan", _) => address(repo, &item),
        (_, Some(requirement)) => {
            format!("/w/{}/requirement/{}/{}", encoded(repo), encoded(&item), encoded(requirement))
        }
        _ => format!("/w/{}/spec/{}", encoded(repo), encoded(&item)),
    }
}

/// Every reading of an item, with a form for each where somebody may decide.
pub(super) fn review(word: &str, subjects: &[Subject], busy: &[Overlap], may_decide: bool) -> String {
    let Some(first) = subjects.first() else {
        return failure(StatusCode::NOT_FOUND, "there is nothing to review", None);
    };
    let main = html! {
        p { a href="/" { "Board" } " · " a href=(address(&first.repo, &first.item)) { "Requirement by requirement" } }
        h1 { (said(&first.title)) }
        @if subjects.len() > 1 { p role="note" { "It reads differently in " (subjects.len()) " places." } }
        (overlapping(busy))
        @for subject in subjects {
            section {
                h2 { (said(&subject.item)) " " code { (subject.digest.get(..12).unwrap_or_default()) } }
                p { "As in " (said(&subject.views.join(", "))) }
                @for one in &subject.documents { h3 { (said(&one.path)) } pre { (plain(&one.text)) } }
                @if !subject.said.is_empty() {
                    h3 { "Said" }
                    ul { @for one in &subject.said { (said_line(one)) } }
                }
                @if may_decide { (form(word, subject)) }
            }
        }
    };
    page(&first.title, &main)
}

fn said_line(one: &Said) -> Markup {
    html! {
        li {
            strong { (plain(one.verdict.as_deref().unwrap_or("comment"))) } " " (said(&one.by)) " by " (said(&one.channel)) " at " (moment(&one.at))
            @if !one.current { " (about an earlier text)" }
            @if !one.from_here { " (from a pushed file, not said here)" }
            ": " (said(&one.text))
        }
    }
}

fn form(word: &str, subject: &Subject) -> Markup {
    html! {
        form method="post" action="/review" {
            input type="hidden" name="word" value=(word);
            input type="hidden" name="repo" value=(subject.repo);
            input type="hidden" name="item" value=(subject.item);
            input type="hidden" name="digest" value=(subject.digest);
            label { "Note " textarea name="note" rows="3" {} }
            p class="buttons" {
                button class="good" name="act" value="approved" { "Approve" }
                button name="act" value="changes_requested" { "Ask for changes" }
                button class="bad" name="act" value="rejected" { "Reject" }
                button name="act" value="comment" { "Comment" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_documents_say_is_shown_and_never_run() {
        let hostile = "<script>alert(1)</script>\" onload='x' \u{202e}txt";
        let shown = failure(StatusCode::NOT_FOUND, hostile, Some(hostile));
        assert!(!shown.contains("<script>") && !shown.contains("\" onload"), "{shown}");
        assert!(shown.contains("\\u{202e}"), "{shown}");
    }

    #[test]
    fn times_across_repositories_are_made_local_by_the_script_of_the_dashboard() {
        let at = "2026-01-24T14:30:00Z";
        let shown = page("Board", &html! { (moment(at)) });
        assert!(shown.contains(&format!("<time datetime=\"{at}\" title=\"{at}\">")), "{shown}");
        let script =
            shown.split("<script type=\"module\" src=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert!(script.is_some_and(|path| hewto_web::server::asset(path).is_some()), "{shown}");
    }

    #[test]
    fn a_hit_leads_to_the_page_of_what_was_found() {
        for (kind, id, requirement, place) in [
            ("requirement", "accounts", Some("Sign in"), "/w/acme%2Fshop/requirement/accounts/Sign%20in"),
            ("spec", "accounts", None, "/w/acme%2Fshop/spec/accounts"),
            ("change", "change:c1/accounts", Some("Sign in"), "/w/acme%2Fshop/change/c1"),
            ("plan", "accounts", None, "/w/acme%2Fshop/review/accounts"),
        ] {
            assert_eq!(place_of("acme/shop", kind, id, requirement), place);
        }
    }
}
