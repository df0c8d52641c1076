//! Whether an archive does anything for each requirement that its change speaks of.

use std::collections::{HashMap, HashSet};

use crate::delta::DeltaDoc;
use crate::document::Document;
use crate::requirement::{Requirement, SpecDoc};

/// The requirements of a delta that an archive would leave as if the delta said nothing of them: one that is added is missing, one
/// that is modified stays as it stands, or one that is removed or renamed is still there. Lines that others have changed meanwhile
/// are theirs: what is merged is not left out.
pub fn unwritten(delta: &str, before: &str, after: &str) -> Vec<String> {
    let [delta, before, after] = [delta, before, after].map(Document::parse);
    let (delta, before, after) = (DeltaDoc::read(&delta), SpecDoc::read(&before), SpecDoc::read(&after));
    let (before, after) = (by_name(&before), by_name(&after));
    let is_left = |requirement: &&Requirement<'_>| {
        let name = requirement.name.to_ascii_lowercase();
        let Some(there) = after.get(&name) else { return true };
        let stays = before.get(&name).is_some_and(|before| lines(before).eq(lines(there)));
        stays && !lines(requirement).eq(lines(there))
    };
    let given = || delta.added.iter().chain(&delta.modified);
    let left = given().filter(is_left).map(|requirement| requirement.name);
    let gone = delta.removed.iter().map(|removal| removal.name);
    let gone = gone.chain(delta.renamed.iter().map(|rename| rename.from));
    let given: HashSet<String> = given().map(|given| given.name.to_ascii_lowercase()).collect();
    let is_kept = |name: &&str| {
        let name = name.to_ascii_lowercase();
        after.contains_key(&name) && !given.contains(&name)
    };
    left.chain(gone.filter(is_kept)).map(str::to_owned).collect()
}

/// The requirements of a spec; of two with one name the first.
fn by_name<'s, 't>(spec: &'s SpecDoc<'t>) -> HashMap<String, &'s Requirement<'t>> {
    let named = |requirement: &'s Requirement<'t>| (requirement.name.to_ascii_lowercase(), requirement);
    spec.requirements.iter().rev().map(named).collect()
}

/// What a requirement says below its heading.
fn lines<'t>(requirement: &Requirement<'t>) -> impl Iterator<Item = &'t str> {
    requirement.raw.lines().skip(1).map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: &str = "## MODIFIED Requirements\n\n### Requirement: B\nIt SHALL.\n\n#### Scenario: One\n- x\n\n#### Scenario: Two\n- mine\n\n## REMOVED Requirements\n\n### Requirement: C\n";
    const BEFORE: &str = "# S\n\n## Requirements\n\n### Requirement: b\nIt SHALL.\n\n#### Scenario: One\n- theirs\n\n#### Scenario: Two\n- y\n\n### Requirement: C\nIt SHALL.\n";

    #[test]
    fn what_an_archive_would_not_touch_is_told_and_what_it_merges_is_not() {
        assert_eq!(unwritten(DELTA, BEFORE, BEFORE), ["B", "C"]);
        let gone = BEFORE.replace("\n### Requirement: C\nIt SHALL.\n", "");
        assert_eq!(unwritten(DELTA, BEFORE, &gone), ["B"]);
        // Somebody else has changed the first scenario since, which stays.
        assert!(unwritten(DELTA, BEFORE, &gone.replace("- y", "- mine")).is_empty());
        // It is there already.
        let done = gone.replace("- y", "- mine").replace("- theirs", "- x");
        assert!(unwritten(DELTA, &done, &done).is_empty());
        assert_eq!(
            unwritten("## ADDED Requirements\n\n### Requirement: D\nIt SHALL.\n", BEFORE, BEFORE),
            ["D"]
        );
    }
}
