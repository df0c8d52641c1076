//! What the code shows, written down as requirements that say where they were seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hewto_core::adopt::Kind;
use hewto_core::delta::NewDelta;
use hewto_core::id::SpecId;
use hewto_store::{Context, DocKey};

use super::ledger::{CHANGE, LISTED, Ledger, MARK, key};
use super::{MOST_PLACES, SeenView};
use crate::change::NewChange;
use crate::error::Result;
use crate::workspace::Workspace;

/// What the specs are for, until somebody says it better.
const PURPOSE: &str = "What the code does today, as an inventory of it shows. Every requirement names where it was seen; \
                       describe what is meant, then take the mark off.";

/// A requirement to be.
struct Drafted {
    title: String,
    sentence: String,
    when: String,
    then: String,
    places: Vec<String>,
    tests: Vec<String>,
}

/// The change that describes these items; `None` when all of their requirements are promised already.
pub(super) fn change(
    ws: &Workspace,
    ctx: &Context,
    fresh: &[&SeenView],
    ledger: &Ledger,
) -> Result<Option<NewChange>> {
    let run = ledger.runs + 1;
    let mut by_capability: BTreeMap<String, BTreeMap<String, Drafted>> = BTreeMap::new();
    let mut listed = String::new();
    for item in fresh {
        let _ = writeln!(listed, "{LISTED}{}` at `{}:{}`", key(item), item.file, item.line);
        let capability = by_capability.entry(capability(item)).or_default();
        let drafted = drafted(item, run);
        match capability.get_mut(&slug(&drafted.title)) {
            Some(known) => known.take_in(drafted),
            None => drop(capability.insert(slug(&drafted.title), drafted)),
        }
    }
    let mut deltas = BTreeMap::new();
    for (capability, drafts) in by_capability {
        let current = match SpecId::parse(&capability) {
            Ok(id) => ws.store().read(ctx, &DocKey::Spec(id))?.map(|doc| doc.text).unwrap_or_default(),
            Err(_) => continue,
        };
        let is_promised = |title: &str| {
            let own = current.lines().filter_map(|line| line.strip_prefix("### Requirement:"));
            own.into_iter().any(|name| slug(name.trim()) == slug(title))
        };
        let drafts: Vec<Drafted> = drafts.into_values().filter(|draft| !is_promised(&draft.title)).collect();
        if !drafts.is_empty() {
            let raw = Some(render(&drafts, current.is_empty()));
            deltas.insert(capability, NewDelta { raw, ..NewDelta::default() });
        }
    }
    if deltas.is_empty() {
        return Ok(None);
    }
    let id = if run == 1 { CHANGE.to_owned() } else { format!("{CHANGE}-{run}") };
    let what = format!(
        "Requirements for what the code shows, each marked as observed and anchored to its place:\n\n{}",
        listed.trim_end()
    );
    Ok(Some(NewChange {
        change_id: id,
        why: "The code does more than is written down. This is what an inventory of it shows, to be reviewed and \
              described requirement by requirement; nothing of it is a promise before that."
            .to_owned(),
        what_changes: what,
        tasks: vec![
            "Describe each observed requirement, or remove it".to_owned(),
            "Take the mark off what is described (`hewto adopt --promote`)".to_owned(),
        ],
        deltas,
        purpose: Some(PURPOSE.to_owned()),
        decision: None,
    }))
}

/// The spec that an item belongs to.
fn capability(item: &SeenView) -> String {
    match item.kind {
        Kind::Route => {
            let path = item.name.split_once(' ').map_or("", |(_, path)| path);
            let is_static = |part: &&str| !part.is_empty() && !part.contains('{');
            let skipped = ["api", "v1", "v2", "v3", "rest"];
            let segment =
                path.split('/').filter(is_static).find(|part| !skipped.contains(part)).unwrap_or("root");
            let name: String = segment
                .to_lowercase()
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .collect();
            let name = name.trim_matches('-');
            format!("http-{}", if name.is_empty() { "root" } else { name })
        }
        Kind::Command | Kind::Flag => "command-line".to_owned(),
        Kind::Table => "data".to_owned(),
        Kind::Variable => "configuration".to_owned(),
        Kind::Job => "jobs".to_owned(),
        Kind::Function | Kind::Test => "library".to_owned(),
    }
}

fn drafted(item: &SeenView, run: usize) -> Drafted {
    let name = item.name.replace('`', "'");
    let by = item.handler.as_deref().map_or_else(|| "the code".to_owned(), |handler| format!("`{handler}`"));
    let (title, sentence, when, then) = match item.kind {
        Kind::Route => (
            name.clone(),
            format!("The service SHALL answer `{name}`."),
            format!("a client sends `{name}`"),
            format!("it is answered as {by} does today"),
        ),
        Kind::Command => (
            format!("Command {name}"),
            format!("The program SHALL offer the command `{name}`."),
            format!("somebody runs the command `{name}`"),
            "it does what the code does today".to_owned(),
        ),
        Kind::Flag => (
            format!("Flag {name}"),
            format!("The program SHALL accept the flag `{name}`."),
            format!("somebody gives `{name}`"),
            "it has the effect that the code gives it today".to_owned(),
        ),
        Kind::Table => (
            format!("Table {name}"),
            format!("The program SHALL keep the table `{name}`."),
            "the database is set up".to_owned(),
            format!("it has the table `{name}`"),
        ),
        Kind::Variable => (
            format!("Variable {name}"),
            format!("The program SHALL read the environment variable `{name}`."),
            format!("`{name}` is set"),
            "the program goes by it as the code does today".to_owned(),
        ),
        Kind::Job => (
            format!("Job {name}"),
            format!("The program SHALL run the job `{name}`."),
            "its time comes".to_owned(),
            format!("`{name}` runs as {by} says today"),
        ),
        Kind::Function | Kind::Test => {
            let again = if run > 1 { format!(" ({run})") } else { String::new() };
            (
                format!("Functions of {}{again}", item.file),
                format!("The library SHALL offer what `{}` makes public.", item.file),
                format!("others use `{}`", item.file),
                "they find the functions that this requirement lists".to_owned(),
            )
        }
    };
    let place =
        |at: &str, what: &str| if what.is_empty() { format!("`{at}`") } else { format!("`{at}` ({what})") };
    let what = match item.kind {
        Kind::Function => format!("`{name}`"),
        _ => item.handler.as_deref().map(|handler| format!("`{handler}`")).unwrap_or_default(),
    };
    let mut places = vec![place(&format!("{}:{}", item.file, item.line), &what)];
    places.extend(item.also.iter().map(|at| place(at, "")));
    let tests =
        item.tests.iter().map(|test| format!("`{}:{}` {}", test.file, test.line, one_line(&test.name)));
    Drafted { title, sentence, when, then, places, tests: tests.collect() }
}

impl Drafted {
    fn take_in(&mut self, other: Self) {
        self.places.extend(other.places);
        self.tests.extend(other.tests);
        self.tests.sort();
        self.tests.dedup();
        self.tests.truncate(2 * MOST_PLACES);
    }
}

fn render(drafts: &[Drafted], is_new: bool) -> String {
    let mut out = String::new();
    if is_new {
        let _ = write!(out, "## Purpose\n\n{PURPOSE}\n\n");
    }
    out.push_str("## ADDED Requirements\n");
    for Drafted { title, sentence, when, then, places, tests } in drafts {
        let _ = write!(out, "\n### Requirement: {title}\n\n{sentence}\n\n{MARK}\n");
        for place in places {
            let _ = writeln!(out, "- Code: {place}");
        }
        for test in tests {
            let _ = writeln!(out, "- Test: {test}");
        }
        let _ = write!(out, "\n#### Scenario: As it is\n\n- **WHEN** {when}\n- **THEN** {then}\n");
    }
    out
}

/// What two titles have in common that would be taken for the same promise.
fn slug(title: &str) -> String {
    let plain: String =
        title.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
