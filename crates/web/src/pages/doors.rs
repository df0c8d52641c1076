//! The pages before any workspace: signing in, and choosing one.

use maud::{Markup, html};

use super::trouble::{bare, empty};
use crate::address::encoded;
use crate::assets;
use crate::frame::Theme;
use crate::text::said;

/// Where the one-time link leads. Without a script its key is put in by hand.
pub fn login(theme: Theme, takes_tokens: bool, was_refused: bool) -> Markup {
    let main = html! {
        section class="door" {
            h1 { "Sign in" }
            @if was_refused {
                p class="message" role="alert" {
                    "This link was used already, or is older than a minute. Press Enter where "
                    code { "hewto ui" } " runs to get another one."
                }
            } @else {
                p { "Open the link that " code { "hewto ui" } " shows on its terminal. It works once, within a minute." }
            }
            form id="login" method="post" action="/login" autocomplete="off" {
                label for="key" { "Key of the link" }
                input id="key" name="key" type="password" required;
                button { "Sign in" }
            }
            @if takes_tokens {
                form method="post" action="/login" autocomplete="off" {
                    label for="token" { "Or a token that has the scope approve" }
                    input id="token" name="token" type="password" required;
                    button { "Sign in with a token" }
                }
            }
            script type="module" src=(assets::LOGIN.path()) {}
        }
    };
    bare(theme, "Sign in", &main)
}

/// All workspaces that somebody may open.
pub fn home(person: &str, theme: Theme, workspaces: &[String]) -> Markup {
    let main = html! {
        section {
            h1 { "Workspaces" }
            p { "Signed in as " (said(person)) "." }
            @if workspaces.is_empty() {
                (empty("No workspace is open to you. Serve one with", "hewto ui --workspace NAME=PATH"))
            }
            ul class="cards" {
                @for name in workspaces {
                    li class="card" { a href={ "/w/" (encoded(name)) "/board" } { (said(name)) } }
                }
            }
        }
    };
    bare(theme, "Workspaces", &main)
}
