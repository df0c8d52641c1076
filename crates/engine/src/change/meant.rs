//! The names in a delta as the spec has them: people and agents write ids, other letters' case, and labels.

use crate::error::{Error, Result};
use crate::item::parse_spec_id;
use hewto_core::delta::{DeltaDoc, NewDelta, NewScenario};
use hewto_core::id::{SpecId, bare_spec};
use hewto_core::requirement::{Match, Requirement, SpecDoc, find_requirement, find_scenario, unlabelled};

/// The capability that somebody means who writes `spec:auth`, or the path of its spec.
pub(super) fn capability_meant(name: &str) -> Result<SpecId> {
    let bare = &*bare_spec(name);
    let of_path = bare.strip_suffix("/spec.md").map(|folder| match folder.rfind("specs/") {
        Some(at) if at == 0 || folder[..at].ends_with('/') => &folder[at + "specs/".len()..],
        _ => folder,
    });
    parse_spec_id(&place(name), of_path.unwrap_or(bare))
}

/// Where a delta stands among the arguments.
fn place(name: &str) -> String {
    format!("deltas/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Two deltas of one capability, under two of its names.
pub(super) fn twice(name: &str, capability: &SpecId) -> Error {
    let message = format!("`{name}` is a second delta of `{capability}`");
    Error::invalid_argument(&place(name), "one delta for each capability", message)
}

/// A name that no new capability gets; one that is there keeps the name that it has.
pub(super) fn no_name(name: &str, capability: &SpecId) -> Error {
    let message = format!("`{capability}` is not a name for a new capability");
    let expected = "lower-case letters, digits, `.`, `_` and `-`, such as `rate-limits`";
    Error::invalid_argument(&place(name), expected, message)
}

/// What is known by name where a delta is written.
pub(super) struct Names<'n, 't> {
    pub(super) spec: &'n SpecDoc<'t>,
    pub(super) delta: &'n DeltaDoc<'t>,
}

impl Names<'_, '_> {
    /// The delta with every name as it is known, and new names without the label of their heading.
    pub(super) fn meant(&self, new: &NewDelta) -> NewDelta {
        let mut new = new.clone();
        for requirement in &mut new.added {
            let name = self.new_name(&requirement.name);
            let known = self.delta.added.iter().find(|known| known.name == name);
            scenarios_meant(known, &mut requirement.scenarios);
            requirement.name = name;
        }
        let renames: Vec<(String, String)> =
            new.renamed.iter().map(|rename| (rename.from.clone(), rename.to.clone())).collect();
        for requirement in &mut new.modified {
            // Whoever sends Markdown has named it there.
            let is_raw = requirement.raw.is_some();
            let to = renames.iter().find(|(_, to)| *to == requirement.name);
            let name = match to {
                Some(_) => requirement.name.clone(),
                None if is_raw => requirement.name.trim().to_owned(),
                None => self.known_name(&requirement.name),
            };
            let before = to.map_or_else(|| name.clone(), |(from, _)| self.known_name(from));
            let mut known = self.delta.modified.iter().chain(&self.spec.requirements);
            let known = known.find(|known| known.name == name || known.name == before);
            scenarios_meant(known, &mut requirement.scenarios);
            requirement.name = name;
        }
        for removal in &mut new.removed {
            removal.name = self.known_name(&removal.name);
        }
        for rename in &mut new.renamed {
            rename.from = self.known_name(&rename.from);
            rename.to = self.new_name(&rename.to);
        }
        for added in &mut new.add_scenarios {
            let in_call = new.added.iter().chain(&new.modified).any(|one| one.name == added.requirement);
            if !in_call {
                added.requirement = self.known_name(&added.requirement);
            }
            for scenario in &mut added.scenarios {
                scenario.name = unlabelled(&scenario.name, "Scenario").to_owned();
            }
        }
        new
    }

    fn is_known(&self, name: &str) -> bool {
        self.delta.requirements().any(|(known, _)| known == name)
            || self.spec.requirements.iter().any(|known| known.name == name)
    }

    fn new_name(&self, name: &str) -> String {
        let name = name.trim();
        if self.is_known(name) { name } else { unlabelled(name, "Requirement") }.to_owned()
    }

    fn known_name(&self, name: &str) -> String {
        let new = self.new_name(name);
        if self.is_known(&new) {
            return new;
        }
        match find_requirement(&self.spec.requirements, &new) {
            Match::Found(known) => known.name.to_owned(),
            Match::Missing { .. } => new,
        }
    }
}

/// Names alone are those of scenarios that stay.
fn scenarios_meant(known: Option<&Requirement<'_>>, scenarios: &mut [NewScenario]) {
    for scenario in scenarios {
        let name = scenario.name.trim();
        let has = |name: &str| known.is_some_and(|known| known.scenarios.iter().any(|one| one.name == name));
        if has(name) {
            continue;
        }
        let bare = unlabelled(name, "Scenario");
        let says_nothing = *scenario == NewScenario { name: scenario.name.clone(), ..NewScenario::default() };
        let found = known.filter(|_| says_nothing && !has(bare)).map(|known| find_scenario(known, bare));
        scenario.name = match found {
            Some(Match::Found(known)) => known.name.to_owned(),
            _ => bare.to_owned(),
        };
    }
}
