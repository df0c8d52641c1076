//! Ids that a shell completes while they are typed: looked up in the workspace at that moment.
//!
//! A completer has nobody to tell of a failure, so where nothing can be looked up nothing is offered.

use std::ffi::OsStr;

use clap_complete::{ArgValueCompleter, CompletionCandidate};
use hewto_engine::{Context, Result, Workspace, change, spec};

use crate::args::Globals;
use crate::place::{Place, context};

/// Which argument of the commands of a noun is an id, and of what.
const IDS: [(&str, &str, Completer); 5] = [
    ("spec", "id", specs),
    ("plan", "id", work_items),
    ("build", "id", work_items),
    ("change", "id", changes),
    ("requirement", "spec", specs),
];

type Completer = fn(&OsStr) -> Vec<CompletionCandidate>;

/// The command line with its ids completed live. The name of a change that is to be made is nobody's id yet.
pub(crate) fn attach(command: clap::Command) -> clap::Command {
    command.mut_subcommands(|noun| {
        let known = IDS.into_iter().find(|(name, ..)| *name == noun.get_name());
        let Some((name, argument, completer)) = known else { return noun };
        noun.mut_subcommands(|verb| {
            if name == "change" && verb.get_name() == "new" {
                return verb;
            }
            verb.mut_args(|known| {
                if known.get_id() == argument { known.add(ArgValueCompleter::new(completer)) } else { known }
            })
        })
    })
}

/// The ids of specs.
fn specs(typed: &OsStr) -> Vec<CompletionCandidate> {
    offer(typed, "", spec::ids)
}

/// The ids of open changes.
fn changes(typed: &OsStr) -> Vec<CompletionCandidate> {
    offer(typed, "", change::ids)
}

/// What can be planned and built: specs, and changes as `change:ID`.
fn work_items(typed: &OsStr) -> Vec<CompletionCandidate> {
    let mut items = specs(typed);
    items.extend(offer(typed, "change:", change::ids));
    items
}

type LookUp = fn(&Workspace, &Context, &str) -> Result<Vec<String>>;

fn offer(typed: &OsStr, prefix: &str, look_up: LookUp) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let looked_up = Place::of(&Globals { workspace: Vec::new(), json: false, claim: None })
        .and_then(|place| look_up(&place.workspace()?, &context(), typed.strip_prefix(prefix).unwrap_or("")));
    let full = looked_up.unwrap_or_default().into_iter().map(|id| format!("{prefix}{id}"));
    // The shell shows only what goes on from what was typed.
    full.filter(|id| id.starts_with(typed)).map(CompletionCandidate::new).collect()
}
