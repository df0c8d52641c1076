//! Whether a spec says after an archive all that its change says.

use std::collections::HashMap;

use crate::delta::DeltaDoc;
use crate::document::Document;
use crate::requirement::SpecDoc;

/// The requirements of a delta that a spec does not have as the delta says: lines of one that is added or modified are
/// missing, or one that is removed or renamed is still there.
pub fn unwritten(delta: &str, spec: &str) -> Vec<String> {
    let (delta, spec) = (Document::parse(delta), Document::parse(spec));
    let (delta, spec) = (DeltaDoc::read(&delta), SpecDoc::read(&spec));
    let find = |name: &str| spec.requirements.iter().find(|requirement| requirement.name == name);
    let given = delta.added.iter().chain(&delta.modified);
    let missing = given
        .filter(|requirement| find(requirement.name).is_none_or(|there| !holds(there.raw, requirement.raw)))
        .map(|requirement| requirement.name);
    let is_given = |name: &str| delta.added.iter().chain(&delta.modified).any(|given| given.name == name);
    let gone = delta.removed.iter().map(|removal| removal.name);
    let gone = gone.chain(delta.renamed.iter().map(|rename| rename.from));
    let left = gone.filter(|name| find(name).is_some() && !is_given(name));
    missing.chain(left).map(str::to_owned).collect()
}

/// Whether a text has every line of another as often as that one, however they are indented.
fn holds(text: &str, lines: &str) -> bool {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for line in text.lines().map(str::trim) {
        *there.entry(line).or_default() += 1;
    }
    // The heading was found by its name.
    lines.lines().skip(1).map(str::trim).filter(|line| !line.is_empty()).all(|line| {
        there.get_mut(line).filter(|count| **count > 0).is_some_and(|count| {
            *count -= 1;
            true
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: &str = "## MODIFIED Requirements\n\n### Requirement: B\nIt SHALL.\n\n#### Scenario: One\n- x\n- x\n\n## REMOVED Requirements\n\n### Requirement: C\n\n## RENAMED Requirements\n\n- FROM: `### Requirement: A`\n- TO: `### Requirement: B`\n";

    #[test]
    fn what_an_archive_left_out_is_told_and_what_others_brought_is_not() {
        let spec = "# S\n\n## Requirements\n\n### Requirement: B\nIt SHALL.\n\n#### Scenario: Other\n- y\n\n#### Scenario: One\n- x\n- x\n";
        assert!(unwritten(DELTA, spec).is_empty());
        assert_eq!(unwritten(DELTA, &spec.replace("- x\n- x", "- x")), ["B"]);
        assert_eq!(unwritten(DELTA, &spec.replace("It SHALL.", "It MAY.")), ["B"]);
        assert_eq!(unwritten(DELTA, &format!("{spec}\n### Requirement: C\nx\n")), ["C"]);
        assert_eq!(unwritten(DELTA, &spec.replace("Requirement: B", "Requirement: A")), ["B", "A"]);
    }
}
