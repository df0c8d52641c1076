//! The verdict: bound to what was shown. Where the text has changed meanwhile, the difference is shown and the note kept.

use hewto_engine::view::{ComparedUnit, ReviewPage};
use maud::{Markup, html};

use super::review::compared;
use crate::frame::Frame;
use crate::text::{count, plain, said};

/// The form that decides about exactly what this page shows.
pub(super) fn verdict_form(frame: &Frame<'_>, view: &ReviewPage, note: Option<&str>) -> Markup {
    let review = &view.review;
    let open = view.steps.iter().filter(|step| !step.done).count();
    html! {
        section class="panel verdict" id="verdict" tabindex="-1" {
            h2 class="unseen" { "Your verdict on version " (review.version) }
            form class="decide" method="post" action=(frame.to("verdict")) {
                (frame.form_fields("verdict"))
                input type="hidden" name="item" value=(review.spec_id);
                // What a verdict is bound to is what this person sees, so it never changes under their hands.
                input type="hidden" name="shown" value=(review.digest);
                label class="unseen" for="note" { "Note" }
                textarea id="note" name="note" rows="1" placeholder="A note to go with your verdict" data-note={ (review.spec_id) "#verdict" } {
                    (plain(note.unwrap_or_default()))
                }
                @if open > 0 && open < view.steps.len() {
                    label class="choice" {
                        input type="checkbox" name="allow_open_tasks" value="yes";
                        " It may be archived although " (count(open, "step is", "steps are")) " open"
                    }
                }
                p class="buttons" {
                    button class="good" name="verdict" value="approve" {
                        "Approve version " (review.version) " (" (&review.digest[..review.digest.len().min(8)]) ")"
                    }
                    button name="verdict" value="request_changes" { "Ask for changes" }
                    button class="bad" name="verdict" value="reject" { "Reject" }
                }
            }
            form class="inline" method="post" action=(frame.to("seen")) {
                (frame.form_fields("seen-all"))
                input type="hidden" name="item" value=(review.spec_id);
                input type="hidden" name="shown" value=(review.digest);
                button class="plain" { "Mark all as seen" }
            }
        }
    }
}

/// Somebody decided about a text that is no longer there.
pub fn stale(
    frame: &Frame<'_>,
    view: &ReviewPage,
    differences: Option<&[ComparedUnit]>,
    note: Option<&str>,
) -> Markup {
    html! {
        div class="head" {
            h1 { "It has changed since you looked" }
            p class="message" role="alert" {
                (said(&view.review.title)) " is not what you were shown. Nothing was recorded, and your note is kept below."
            }
        }
        section {
            h2 { "What is different" }
            @match differences {
                Some([]) => p { "Only what is not part of its meaning." },
                Some(units) => (compared(units)),
                None => p { "What you were shown is not known here any more: look at all of it again." },
            }
            p { a href=(frame.item(&view.review.spec_id)) { "Look at all of it" } }
        }
        (verdict_form(frame, view, note))
    }
}
