//! The difference between two states of a spec, told in requirements and scenarios.

use serde::Serialize;

use crate::change::CapabilityBase;
use crate::delta::DeltaDoc;
use crate::document::Document;
use crate::requirement::{Requirement, Scenario, SpecDoc, same_words};

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub kind: DifferenceKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The name before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    SpecAdded,
    SpecRemoved,
    PurposeChanged,
    RequirementAdded,
    RequirementRemoved,
    RequirementRenamed,
    /// It is to be modified, but there is none.
    RequirementUnknown,
    TextChanged,
    ScenarioAdded,
    ScenarioChanged,
    ScenarioRemoved,
    ScenariosReordered,
}

impl Difference {
    /// The difference as a line for people.
    pub fn line(&self) -> String {
        let requirement = self.requirement.as_deref().unwrap_or_default();
        let scenario = self.scenario.as_deref().unwrap_or_default();
        match self.kind {
            DifferenceKind::SpecAdded => "Spec added".to_owned(),
            DifferenceKind::SpecRemoved => "Spec removed".to_owned(),
            DifferenceKind::PurposeChanged => "Purpose changed".to_owned(),
            DifferenceKind::RequirementAdded => format!("Requirement {requirement}: added"),
            DifferenceKind::RequirementRemoved => format!("Requirement {requirement}: removed"),
            DifferenceKind::RequirementRenamed => {
                format!(
                    "Requirement {requirement}: renamed from {}",
                    self.from.as_deref().unwrap_or_default()
                )
            }
            DifferenceKind::RequirementUnknown => {
                format!("Requirement {requirement}: modified, but it is not in the spec")
            }
            DifferenceKind::TextChanged => format!("Requirement {requirement}: text changed"),
            DifferenceKind::ScenarioAdded => format!("Requirement {requirement}: scenario {scenario} added"),
            DifferenceKind::ScenarioChanged => {
                format!("Requirement {requirement}: scenario {scenario} changed")
            }
            DifferenceKind::ScenarioRemoved => {
                format!("Requirement {requirement}: scenario {scenario} removed")
            }
            DifferenceKind::ScenariosReordered => {
                format!("Requirement {requirement}: scenarios in another order")
            }
        }
    }
}

/// What differs between two texts of a spec; `None` where there is none. `renamed` are pairs of old and new names.
pub(crate) fn diff(before: Option<&str>, after: Option<&str>, renamed: &[(&str, &str)]) -> Vec<Difference> {
    let documents = [before.unwrap_or_default(), after.unwrap_or_default()].map(Document::parse);
    let [old, new] = [&documents[0], &documents[1]].map(SpecDoc::read);
    let mut found = Vec::new();
    match (before, after) {
        (None, Some(_)) => found.push(of_spec(DifferenceKind::SpecAdded)),
        (Some(_), None) => found.push(of_spec(DifferenceKind::SpecRemoved)),
        (Some(_), Some(_)) if purpose(&old) != purpose(&new) => {
            found.push(of_spec(DifferenceKind::PurposeChanged));
        }
        _ => {}
    }
    for requirement in &new.requirements {
        let from = first_name(requirement.name, renamed);
        let known = old.requirements.iter().find(|known| known.name == from);
        match known.or_else(|| old.requirements.iter().find(|known| known.name == requirement.name)) {
            None => added(&mut found, requirement),
            Some(known) => compare(&mut found, known, requirement),
        }
    }
    for requirement in &old.requirements {
        let stays = |new: &Requirement<'_>| {
            new.name == requirement.name || first_name(new.name, renamed) == requirement.name
        };
        if !new.requirements.iter().any(stays) {
            found.push(of(DifferenceKind::RequirementRemoved, requirement.name, None));
        }
    }
    found
}

/// What a delta that cannot be applied says it does: to the requirements that it was written against, as far as these
/// are known, else to those of the spec.
pub(crate) fn diff_delta(
    current: Option<&str>,
    base: Option<&CapabilityBase>,
    delta: &DeltaDoc<'_>,
) -> Vec<Difference> {
    let document = Document::parse(current.unwrap_or_default());
    let spec = SpecDoc::read(&document);
    let mut found = Vec::new();
    for rename in &delta.renamed {
        found.push(renaming(rename.from, rename.to));
    }
    for removal in &delta.removed {
        found.push(of(DifferenceKind::RequirementRemoved, removal.name, None));
    }
    for requirement in &delta.modified {
        let name = delta.name_before(requirement.name);
        let before = base.and_then(|base| base.get(name)).map(|base| Document::parse(&base.text));
        let before = before.as_ref().map(SpecDoc::read);
        let before = before.as_ref().and_then(|before| before.requirements.first());
        let is_meant = |known: &&Requirement<'_>| known.name == name || known.name == requirement.name;
        match (spec.requirements.iter().find(is_meant), before) {
            (None, _) => found.push(of(DifferenceKind::RequirementUnknown, requirement.name, None)),
            (Some(_), Some(before)) => compare_content(&mut found, before, requirement),
            (Some(now), None) => compare_content(&mut found, now, requirement),
        }
    }
    for requirement in &delta.added {
        added(&mut found, requirement);
    }
    found
}

fn compare(found: &mut Vec<Difference>, old: &Requirement<'_>, new: &Requirement<'_>) {
    if old.name != new.name {
        found.push(renaming(old.name, new.name));
    }
    compare_content(found, old, new);
}

fn compare_content(found: &mut Vec<Difference>, old: &Requirement<'_>, new: &Requirement<'_>) {
    let name = new.name;
    if !same_words(statement(old), statement(new)) {
        found.push(of(DifferenceKind::TextChanged, name, None));
    }
    let before = found.len();
    let mut left: Vec<&Scenario<'_>> = old.scenarios.iter().collect();
    for scenario in &new.scenarios {
        let Some(at) = left.iter().position(|known| known.name == scenario.name) else {
            found.push(of(DifferenceKind::ScenarioAdded, name, Some(scenario.name)));
            continue;
        };
        let known = left.remove(at);
        if !same_words(known.raw, scenario.raw) {
            found.push(of(DifferenceKind::ScenarioChanged, name, Some(scenario.name)));
        }
    }
    found.extend(left.iter().map(|gone| of(DifferenceKind::ScenarioRemoved, name, Some(gone.name))));
    let names = |requirement: &Requirement<'_>| -> Vec<String> {
        requirement.scenarios.iter().map(|scenario| scenario.name.to_owned()).collect()
    };
    if found.len() == before && names(old) != names(new) {
        found.push(of(DifferenceKind::ScenariosReordered, name, None));
    }
}

fn added(found: &mut Vec<Difference>, requirement: &Requirement<'_>) {
    let name = requirement.name;
    found.push(of(DifferenceKind::RequirementAdded, name, None));
    let scenarios = requirement.scenarios.iter();
    found.extend(scenarios.map(|scenario| of(DifferenceKind::ScenarioAdded, name, Some(scenario.name))));
}

fn of(kind: DifferenceKind, requirement: &str, scenario: Option<&str>) -> Difference {
    let (requirement, scenario) = (Some(requirement.to_owned()), scenario.map(str::to_owned));
    Difference { kind, requirement, scenario, from: None }
}

fn renaming(from: &str, to: &str) -> Difference {
    Difference { from: Some(from.to_owned()), ..of(DifferenceKind::RequirementRenamed, to, None) }
}

fn of_spec(kind: DifferenceKind) -> Difference {
    Difference { kind, requirement: None, scenario: None, from: None }
}

fn purpose<'s>(spec: &'s SpecDoc<'_>) -> Option<&'s str> {
    spec.purpose.as_ref().map(|purpose| purpose.text.as_ref())
}

/// The name before a chain of renames.
fn first_name<'n>(name: &'n str, renamed: &[(&'n str, &'n str)]) -> &'n str {
    let mut name = name;
    for _ in renamed {
        match renamed.iter().find(|(_, to)| *to == name) {
            Some((from, _)) => name = from,
            None => break,
        }
    }
    name
}

/// What stands between the heading and the first scenario.
fn statement<'t>(requirement: &Requirement<'t>) -> &'t str {
    let end = requirement.scenarios.first().map_or(requirement.span.end, |scenario| scenario.span.start);
    &requirement.raw[requirement.heading.end - requirement.span.start..end - requirement.span.start]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "## Purpose\np\n## Requirements\n### Requirement: A\nIt SHALL.\n#### Scenario: One\n- x\n\
                          #### Scenario: Two\n- y\n### Requirement: B\nIt MUST.\n#### Scenario: S\n- z\n";

    fn lines(after: &str, renamed: &[(&str, &str)]) -> Vec<String> {
        diff(Some(BEFORE), Some(after), renamed).iter().map(Difference::line).collect()
    }

    #[test]
    fn differences_are_told_in_requirements_and_scenarios() {
        for (what, after, renamed, expected) in [
            ("none", BEFORE.replace('\n', " \r\n"), &[][..], &[][..]),
            ("text", BEFORE.replace("It SHALL.", "It MUST."), &[], &["Requirement A: text changed"]),
            ("changed", BEFORE.replace("- y", "- q"), &[], &["Requirement A: scenario Two changed"]),
            (
                "removed",
                BEFORE.replace("#### Scenario: Two\n- y\n", ""),
                &[],
                &["Requirement A: scenario Two removed"],
            ),
            (
                "added",
                BEFORE.replace("### Requirement: B", "#### Scenario: Three\n- t\n### Requirement: B"),
                &[],
                &["Requirement A: scenario Three added"],
            ),
            (
                "renamed",
                BEFORE.replace(": A", ": C"),
                &[("A", "B2"), ("B2", "C")],
                &["Requirement C: renamed from A"],
            ),
            ("purpose", BEFORE.replace("\np\n", "\nq\n"), &[], &["Purpose changed"]),
            (
                "untold rename",
                BEFORE.replace(": B\n", ": C\n"),
                &[],
                &["Requirement C: added", "Requirement C: scenario S added", "Requirement B: removed"],
            ),
        ] {
            assert_eq!(lines(&after, renamed), expected, "{what}");
        }
        assert_eq!(diff(None, Some(BEFORE), &[])[0].line(), "Spec added");
        assert_eq!(diff(Some(BEFORE), None, &[])[0].line(), "Spec removed");
    }

    #[test]
    fn a_delta_that_does_not_fit_is_told_too() {
        let text = "## RENAMED Requirements\n### Requirement: B -> C\n## MODIFIED Requirements\n### Requirement: C\nIt MUST.\n\
                    #### Scenario: N\n- n\n### Requirement: Nope\nx\n## REMOVED Requirements\n- ### Requirement: A\n";
        let document = Document::parse(text);
        let lines: Vec<_> =
            diff_delta(Some(BEFORE), None, &DeltaDoc::read(&document)).iter().map(Difference::line).collect();
        assert_eq!(
            lines,
            [
                "Requirement C: renamed from B",
                "Requirement A: removed",
                "Requirement C: scenario N added",
                "Requirement C: scenario S removed",
                "Requirement Nope: modified, but it is not in the spec",
            ]
        );
    }
}
