//! Boxes for comments. A page with a few hundred of them holds all; a longer one holds links that open one each.

use hewto_engine::view::ReviewPage;
use maud::{Markup, html};

use crate::form::Form;
use crate::frame::Frame;
use crate::text::plain;

/// A page with more places for comments than this has links in their stead: thousands of forms are most of what is sent.
const MOST_BOXES: usize = 300;

/// How somebody looks at a review.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReviewQuery<'q> {
    /// Only what is new to them.
    pub since: bool,
    /// The place that they want to comment on, as a link of the page names it.
    pub comment: Option<&'q str>,
}

impl<'q> ReviewQuery<'q> {
    pub fn read(query: &'q Form) -> Self {
        Self { since: query.get("since") == Some("look"), comment: query.get("comment") }
    }
}

/// The places of a page on which somebody may comment.
pub(super) struct CommentBoxes<'b> {
    frame: &'b Frame<'b>,
    item: &'b str,
    are_links: bool,
    query: ReviewQuery<'b>,
}

impl<'b> CommentBoxes<'b> {
    pub(super) fn new(frame: &'b Frame<'b>, view: &'b ReviewPage, query: ReviewQuery<'b>) -> Self {
        let of_promises = view
            .promises
            .iter()
            .map(|card| 1 + card.scenarios.iter().map(|scenario| scenario.steps.len()).sum::<usize>());
        let are_links = of_promises.sum::<usize>() + view.steps.len() > MOST_BOXES;
        Self { frame, item: &view.review.spec_id, are_links, query }
    }

    /// The box for one place, or the link that opens it. `of` names the place on this page.
    pub(super) fn of(&self, of: &str, anchor: &[(&'static str, &str)], quote: Option<&str>) -> Markup {
        let about =
            quote.or_else(|| anchor.iter().rev().map(|(_, value)| *value).next()).unwrap_or("all of it");
        let is_wanted = self.query.comment == Some(of);
        html! {
            @if !self.frame.may_decide {}
            @else if self.are_links && !is_wanted { (self.link(of, about)) }
            @else { (self.form(of, anchor, quote, about, is_wanted)) }
        }
    }

    fn link(&self, of: &str, about: &str) -> Markup {
        let since = if self.query.since { "&since=look" } else { "" };
        html! {
            a class="comment-link" data-comment href={ "?comment=" (of) (since) "#comment-" (of) } {
                "Comment" span class="unseen" { " on " (plain(about)) }
            }
        }
    }

    fn form(
        &self,
        of: &str,
        anchor: &[(&'static str, &str)],
        quote: Option<&str>,
        about: &str,
        is_wanted: bool,
    ) -> Markup {
        let Self { frame, item, .. } = self;
        html! {
            details class="comment-box" data-comment open[is_wanted] {
                summary { "Comment" span class="unseen" { " on " (plain(about)) } }
                form method="post" action=(frame.to("comments")) {
                    (frame.form_fields(&format!("comment-{of}")))
                    input type="hidden" name="item" value=(item);
                    @for (name, value) in anchor { input type="hidden" name=(name) value=(value); }
                    @if let Some(quote) = quote { input type="hidden" name="quote" value=(quote); }
                    label class="unseen" for={ "comment-" (of) } { "Your comment on " (plain(about)) }
                    textarea id={ "comment-" (of) } name="text" rows="3" required data-note={ (item) "#" (of) } {}
                    button { "Comment" }
                }
            }
        }
    }
}
