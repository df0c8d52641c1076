//! What the hub remembers of a document besides its text, read by the same code as on a laptop.

use super::{DocKind, Listed};
use crate::delta::{DeltaDoc, Operation};
use crate::document::Document;
use crate::near::fold;
use crate::requirement::SpecDoc;
use crate::review::Digest;
use crate::spec::SpecHead;

/// The longest name that is remembered as it is, in bytes: the hub finds things by them, and no index takes any length.
const LONGEST_NAME: usize = 1_000;

/// Another number means that the same text may be read differently, and is read again.
pub const READER_VERSION: i32 = 1;

/// What a document says that can be asked for across repositories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub title: Option<String>,
    /// How many requirements it promises or touches.
    pub requirements: usize,
    pub touches: Vec<Touch>,
    pub edges: Vec<Edge>,
}

/// A requirement that an open change touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The name, folded: what two people call the same is the same.
    pub slug: String,
    /// As it is written.
    pub name: String,
    pub operation: Operation,
    /// Of what the change says about it, so that the same words in two places count once.
    pub content: Digest,
}

/// Something that a spec depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The repository, where the handle names one: `repo:NAME/HANDLE`.
    pub repo: Option<String>,
    pub target: String,
    pub kind: String,
}

/// Reads a document as what it is listed as. Reading never fails; what cannot be read says nothing.
pub fn read_document(listed: &Listed, text: &str) -> Reading {
    match listed.kind {
        DocKind::Spec => {
            let head = SpecHead::read(text);
            Reading {
                title: head.title.as_deref().map(storable),
                requirements: SpecDoc::count(text),
                touches: Vec::new(),
                edges: head.dependencies.iter().map(|one| edge(&one.target, one.kind.as_str())).collect(),
            }
        }
        DocKind::Delta => {
            let document = Document::parse(text);
            let delta = DeltaDoc::read(&document);
            let touches = touches(&delta);
            Reading { title: None, requirements: touches.len(), touches, edges: Vec::new() }
        }
        DocKind::Proposal | DocKind::Decision => {
            Reading { title: SpecHead::read(text).title.as_deref().map(storable), ..Reading::default() }
        }
        DocKind::Plan | DocKind::State | DocKind::Design | DocKind::Tasks | DocKind::Review => {
            Reading::default()
        }
    }
}

fn touches(delta: &DeltaDoc<'_>) -> Vec<Touch> {
    let touch = |name: &str, operation, said: &str| Touch {
        slug: storable(&fold(name)),
        name: storable(name),
        operation,
        content: Digest::of(said.trim().as_bytes()),
    };
    let added = delta.added.iter().map(|one| touch(one.name, Operation::Added, one.raw));
    let modified = delta.modified.iter().map(|one| touch(one.name, Operation::Modified, one.raw));
    let removed = delta.removed.iter().map(|one| touch(one.name, Operation::Removed, one.text));
    // Both names of a rename are touched: who changes the old one and who takes the new one both have to know.
    let renamed = delta.renamed.iter().flat_map(|one| {
        let said = format!("{}\n{}", one.from, one.to);
        [one.from, one.to].map(|name| touch(name, Operation::Renamed, &said))
    });
    let mut all: Vec<Touch> = added.chain(modified).chain(removed).chain(renamed).collect();
    all.sort_by(|a, b| a.slug.cmp(&b.slug));
    all.dedup_by(|a, b| a.slug == b.slug);
    all
}

/// `repo:NAME/spec://ID` names an artifact of another repository; the last part is the handle.
fn edge(target: &str, kind: &str) -> Edge {
    let kind = kind.to_owned();
    let elsewhere = target.strip_prefix("repo:").and_then(|rest| {
        // `repo:acme/shop/spec://accounts`: the handle begins behind the last `/` before its scheme ends.
        let end = rest.find("://").unwrap_or(rest.len());
        let (repo, _) = rest[..end].rsplit_once('/')?;
        let handle = &rest[repo.len() + 1..];
        super::is_repo_name(repo).then(|| (repo.to_owned(), handle.to_owned()))
    });
    match elsewhere {
        Some((repo, target)) => Edge { repo: Some(repo), target: plain(&target), kind },
        None => Edge { repo: None, target: plain(target), kind },
    }
}

/// The id that a handle of a spec stands for.
fn plain(handle: &str) -> String {
    storable(handle.strip_prefix("spec://").unwrap_or(handle))
}

/// A name as a database takes it: without NUL, which front matter can spell, and not too long to be found by. What is cut
/// off is told apart by its hash.
fn storable(name: &str) -> String {
    let name = name.replace('\0', "\u{fffd}");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let hash = Digest::of(name.as_bytes()).to_string();
    let mut end = LONGEST_NAME - hash.len() - 1;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{} {hash}", &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(kind: DocKind) -> Listed {
        Listed { sha256: "0".repeat(64), kind, item: "accounts".into(), capability: None }
    }

    #[test]
    fn a_spec_says_what_it_depends_on_in_other_repositories() {
        let text = "---\ndependencies:\n  - ref: repo:acme/billing/spec://invoices\n  - ref: spec://mail\n  - ref: repo:shop/orders\n---\n# Accounts\n";
        let reading = read_document(&listed(DocKind::Spec), text);
        assert_eq!(reading.title.as_deref(), Some("Accounts"));
        let edges: Vec<_> =
            reading.edges.iter().map(|one| (one.repo.as_deref(), one.target.as_str())).collect();
        assert_eq!(edges, [(Some("acme/billing"), "invoices"), (None, "mail"), (Some("shop"), "orders")]);
    }

    #[test]
    fn names_that_no_database_takes_are_remembered_in_another_form_and_stay_apart() {
        let long = |last: char| format!("{}{last}", "é".repeat(5_000));
        let text = format!(
            "## ADDED Requirements\n\n### Requirement: {}\nThe system SHALL x.\n\n### Requirement: {}\nThe system SHALL y.\n",
            long('a'),
            long('b')
        );
        let touches = read_document(&listed(DocKind::Delta), &text).touches;
        assert_eq!(touches.len(), 2);
        assert!(touches.iter().all(|one| one.slug.len() <= LONGEST_NAME && one.name.len() <= LONGEST_NAME));
        assert_ne!(touches[0].slug, touches[1].slug);
        let text = "---\ntitle: \"a\\0b\"\ndependencies:\n  - ref: \"spec://a\\0b\"\n---\n# Accounts\n";
        let reading = read_document(&listed(DocKind::Spec), text);
        let told = format!("{:?} {:?}", reading.title, reading.edges);
        assert!(!told.contains("\\0") && reading.title.is_some(), "{told}");
    }

    #[test]
    fn a_delta_touches_what_it_names_and_both_names_of_a_rename() {
        let text = "## MODIFIED Requirements\n\n### Requirement: Sign in\nThe system SHALL x.\n\n## RENAMED Requirements\n\n- FROM: `### Requirement: Old`\n- TO: `### Requirement: New`\n";
        let reading = read_document(&listed(DocKind::Delta), text);
        let names: Vec<_> = reading.touches.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["New", "Old", "Sign in"]);
    }
}
