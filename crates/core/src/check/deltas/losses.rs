//! What a delta would lose of its spec.

use std::collections::{HashMap, HashSet};

use super::super::Report;
use super::super::change::DeltaFile;
use crate::delta::DeltaDoc;
use crate::outline::Outline;
use crate::requirement::{Requirement, RequirementPlace, SpecDoc};
use crate::rules::changes as rules;

/// Scenarios of the spec that a modified requirement leaves out, as OpenSpec counts them.
pub(super) fn check_losses(report: &mut Report<'_>, file: &DeltaFile<'_>, delta: &DeltaDoc<'_>) {
    let outline = Outline::by_lines(file.current.unwrap_or_default());
    let spec = SpecDoc::from_outline(&outline);
    let renamed_away: HashSet<&str> = delta.renamed.iter().map(|rename| rename.from).collect();
    let is_renamed_away = |name: &str| renamed_away.contains(name);
    let inside = |known: &&Requirement<'_>| known.place == RequirementPlace::Inside;
    // Of two with one name the last counts.
    let known: HashMap<&str, &Requirement<'_>> =
        spec.requirements.iter().filter(inside).map(|known| (known.name, known)).collect();
    for proposed in delta.modified.iter().filter(|proposed| !is_renamed_away(proposed.name)) {
        let name = delta.name_before(proposed.name);
        let Some(&current) = known.get(proposed.name).or_else(|| known.get(name)) else { continue };
        let base = file.base.and_then(|base| base.get(name)).map(|base| base.text.as_str());
        let base = base.map(|text| SpecDoc::from_outline(&Outline::by_lines(text)));
        let base = base.as_ref().and_then(|base| base.requirements.first());
        let mut left: Vec<&str> = proposed.scenarios.iter().map(|scenario| scenario.name).collect();
        for scenario in &current.scenarios {
            if let Some(at) = left.iter().position(|known| *known == scenario.name) {
                left.swap_remove(at);
                continue;
            }
            // One that keeps its id has only another name.
            if scenario.is_pinned_in(proposed) {
                continue;
            }
            // What the spec got since the change was written is merged, not lost.
            if base.is_some_and(|base| base.scenario(scenario.name).is_none() && !scenario.is_pinned_in(base))
            {
                continue;
            }
            let (requirement, scenario) = (proposed.name, scenario.name);
            let message = format!(
                "requirement `{requirement}`: scenario `{scenario}` of the spec is not in the change"
            );
            let hint =
                format!("copy `#### Scenario: {scenario}` from the spec into the modified requirement");
            report.add(&rules::SCENARIO_DROPPED, &proposed.heading, message, hint);
        }
    }
}

/// Where OpenSpec finds something else than we: another heading, or one or a line that it does not take for a section
/// or an entry.
pub(super) fn differing(ours: &Outline<'_>, theirs: &Outline<'_>) -> Option<usize> {
    let entries = |outline: &Outline<'_>| -> Vec<usize> {
        let delta = DeltaDoc::from_outline(outline);
        let sections = delta.sections.iter().map(|section| section.heading.start);
        let removed = delta.removed.iter().map(|removal| removal.span.start);
        sections.chain(removed).chain(delta.renamed.iter().map(|rename| rename.span.start)).collect()
    };
    ours.differs_from(theirs).or_else(|| {
        let theirs: HashSet<usize> = entries(theirs).into_iter().collect();
        entries(ours).into_iter().find(|start| !theirs.contains(start))
    })
}
