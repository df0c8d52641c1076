//! What a change or a plan says besides its promises and steps.

use hewto_engine::view::ReviewPage;
use maud::{Markup, html};

use crate::markdown::rendered;
use crate::text::{plain, said};

/// Why, what, and how.
pub(super) fn about(view: &ReviewPage) -> Markup {
    html! {
        section id="region-about" data-region {
            @if let Some(why) = &view.why { h2 { "Why" } (rendered(why, 3)) }
            @if let Some(what) = &view.what_changes { h2 { "What changes" } (rendered(what, 3)) }
            @if let Some(text) = &view.text { (rendered(text, 2)) }
            @if let Some(design) = &view.design {
                details { summary { h2 { "Approach" } } (rendered(design, 3)) }
            }
            @if !view.rest.is_empty() {
                h2 { "Also part of it" }
                @for one in &view.rest {
                    // A heading that says nothing else is not told twice.
                    @if one.text.trim_start_matches('#').trim() != one.place { h3 { (said(&one.place)) } }
                    pre tabindex="0" dir="auto" { (plain(&one.text)) }
                }
            }
            @for line in &view.left_out { p class="hint" { (said(line)) } }
        }
    }
}
