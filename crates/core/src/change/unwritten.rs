//! Whether an archive does anything for each requirement that its change speaks of.

use crate::delta::DeltaDoc;
use crate::document::Document;
use crate::requirement::{Requirement, SpecDoc};

/// The requirements of a delta that an archive would leave as if the delta said nothing of them: one that is added is missing, one
/// that is modified stays as it stands, or one that is removed or renamed is still there. Lines that others have changed meanwhile
/// are theirs: what is merged is not left out.
pub fn unwritten(delta: &str, before: &str, after: &str) -> Vec<String> {
    let [delta, before, after] = [delta, before, after].map(Document::parse);
    let (delta, before, after) = (DeltaDoc::read(&delta), SpecDoc::read(&before), SpecDoc::read(&after));
    let is_left = |requirement: &&Requirement<'_>| match find(&after, requirement.name) {
        None => true,
        Some(there) => {
            let stays = find(&before, requirement.name).is_some_and(|before| lines(before).eq(lines(there)));
            stays && !lines(requirement).eq(lines(there))
        }
    };
    let given = || delta.added.iter().chain(&delta.modified);
    let left = given().filter(is_left).map(|requirement| requirement.name);
    let gone = delta.removed.iter().map(|removal| removal.name);
    let gone = gone.chain(delta.renamed.iter().map(|rename| rename.from));
    let is_given = |name: &str| given().any(|given| given.name.eq_ignore_ascii_case(name));
    let kept = gone.filter(|name| find(&after, name).is_some() && !is_given(name));
    left.chain(kept).map(str::to_owned).collect()
}

fn find<'s, 't>(spec: &'s SpecDoc<'t>, name: &str) -> Option<&'s Requirement<'t>> {
    spec.requirements.iter().find(|requirement| requirement.name.eq_ignore_ascii_case(name))
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
