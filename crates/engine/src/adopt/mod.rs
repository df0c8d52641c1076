//! `adopt`: a repository that has only code gets its first specs.
//!
//! The [`inventory()`] says what the code shows, with file and line; [`adopt()`] drafts what nobody has described yet as
//! one change, every requirement marked as observed. Living specs are not touched: a person or an agent looks at the
//! requirements one by one and promotes them ([`promote()`]).

mod answer;
mod draft;
mod ledger;
mod promote;
mod walk;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use hewto_core::adopt::{FileSightings, Kind, mention_of};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Serialize;

use crate::change;
use crate::error::Result;
use crate::view::ChangeCreated;
use crate::workspace::Workspace;

pub use self::answer::{AdoptReply, AdoptRequest, answer};
pub use self::ledger::backlog;
pub(crate) use self::ledger::observed;
pub use self::promote::promote;

/// How many places and tests of one thing are named.
const MOST_PLACES: usize = 5;

/// What a repository shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InventoryView {
    pub root: String,
    /// How many files were read
    pub files: usize,
    /// How many of each kind there are
    pub counts: BTreeMap<String, usize>,
    /// Sorted by kind and name
    pub items: Vec<SeenView>,
    /// What could not be read as it should be
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub problems: Vec<SeenProblem>,
}

impl InventoryView {
    /// Leaves out every kind but those that are wanted.
    pub fn keep(&mut self, is_wanted: impl Fn(Kind) -> bool) {
        self.items.retain(|item| is_wanted(item.kind));
        self.counts = count(&self.items);
    }
}

/// One thing that the code shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeenView {
    /// `route`, `command`, `flag`, `function`, `table`, `variable`, `job` or `test`
    #[schemars(with = "String")]
    pub kind: Kind,
    pub name: String,
    pub file: String,
    pub line: u32,
    /// The framework or language by which it was known
    pub by: String,
    /// The function behind it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub handler: Option<String>,
    /// Where else it stands, as `file:line`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub also: Vec<String>,
    /// The tests that name it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tests: Vec<TestSeen>,
}

/// A test, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct TestSeen {
    pub file: String,
    pub line: u32,
    pub name: String,
}

/// A file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct SeenProblem {
    pub file: String,
    pub line: u32,
    pub message: String,
}

/// What was drafted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AdoptView {
    /// How many of each kind the code shows
    pub seen: BTreeMap<String, usize>,
    /// How many of them nobody had described
    pub new: usize,
    /// The change that describes them; absent when there was nothing new
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub change: Option<ChangeCreated>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub problems: Vec<SeenProblem>,
}

/// What the code below `root` shows. There need not be a workspace.
pub fn inventory(root: &Path, ctx: &Context) -> Result<InventoryView> {
    let walked = walk::walk(root, ctx)?;
    let items = items(&walked.files);
    Ok(InventoryView {
        root: root.display().to_string(),
        files: walked.files.len(),
        counts: count(&items),
        items,
        problems: walked.problems,
    })
}

fn count(items: &[SeenView]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item.kind.to_string()).or_insert(0) += 1;
    }
    counts
}

/// Drafts what the code shows and nobody has described, as one change.
pub fn adopt(ws: &Workspace, ctx: &Context) -> Result<AdoptView> {
    let InventoryView { items, counts, problems, .. } = inventory(ws.root(), ctx)?;
    let ledger = ledger::Ledger::read(ws, ctx)?;
    let fresh: Vec<&SeenView> = items.iter().filter(|item| is_drafted(item) && !ledger.knows(item)).collect();
    let new = fresh.len();
    if fresh.is_empty() {
        return Ok(AdoptView { seen: counts, new, change: None, problems });
    }
    let draft = draft::change(ws, ctx, &fresh, &ledger)?;
    let change = match draft {
        Some(draft) => Some(change::create(ws, ctx, &draft)?),
        None => None,
    };
    let new = if change.is_some() { new } else { 0 };
    Ok(AdoptView { seen: counts, new, change, problems })
}

/// Tests are what requirements are anchored to; they are none themselves.
fn is_drafted(item: &SeenView) -> bool {
    item.kind != Kind::Test
}

/// What makes two sightings one: kind, name and, for what may be called the same in several files, the place.
type Same = (Kind, String, String);

/// The same thing in several places is one item. Functions of one name in two files are two.
fn items(files: &[(String, FileSightings)]) -> Vec<SeenView> {
    let mut by_key: BTreeMap<Same, usize> = BTreeMap::new();
    let mut items: Vec<SeenView> = Vec::new();
    // By what a test says, the items that are meant. A name may stand for thousands.
    let mut wanted: HashMap<u64, Vec<usize>> = HashMap::new();
    for (file, found) in files {
        for sighting in &found.sightings {
            let place = match sighting.kind {
                Kind::Test => format!("{file}:{}", sighting.line),
                Kind::Function => file.clone(),
                _ => String::new(),
            };
            let index = match by_key.entry((sighting.kind, sighting.name.clone(), place)) {
                Entry::Occupied(known) => {
                    let known = &mut items[*known.get()];
                    if known.also.len() < MOST_PLACES {
                        known.also.push(format!("{file}:{}", sighting.line));
                    }
                    continue;
                }
                Entry::Vacant(free) => *free.insert(items.len()),
            };
            if sighting.kind != Kind::Test {
                let handler = sighting.handler.as_deref().filter(|name| name.len() > 3);
                wanted.entry(mention_of(sighting.kind, &sighting.name)).or_default().push(index);
                if let Some(name) = handler {
                    wanted.entry(mention_of(Kind::Function, name)).or_default().push(index);
                }
            }
            items.push(SeenView {
                kind: sighting.kind,
                name: sighting.name.clone(),
                file: file.clone(),
                line: sighting.line,
                by: sighting.by.to_owned(),
                handler: sighting.handler.clone().filter(|_| sighting.kind != Kind::Function),
                also: Vec::new(),
                tests: Vec::new(),
            });
        }
    }
    anchor(files, &mut wanted, &mut items);
    let mut items: Vec<Option<SeenView>> = items.into_iter().map(Some).collect();
    by_key.into_values().filter_map(|index| items[index].take()).collect()
}

/// Names the tests that mention what was seen.
fn anchor(files: &[(String, FileSightings)], wanted: &mut HashMap<u64, Vec<usize>>, items: &mut [SeenView]) {
    let mut meant: Vec<usize> = Vec::new();
    for (file, found) in files {
        let tests = found.sightings.iter().filter(|sighting| sighting.kind == Kind::Test);
        for (test, mentions) in tests.zip(&found.mentions) {
            meant.clear();
            for mention in mentions.all() {
                let Some(known) = wanted.get_mut(&mention) else { continue };
                // What has its tests already is not looked for again.
                known.retain(|&index| items[index].tests.len() < MOST_PLACES);
                meant.extend_from_slice(known);
            }
            meant.sort_unstable();
            meant.dedup();
            for &index in &meant {
                let (file, name) = (file.clone(), test.name.clone());
                items[index].tests.push(TestSeen { file, line: test.line, name });
            }
        }
    }
}
