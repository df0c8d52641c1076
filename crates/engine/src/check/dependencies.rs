//! What only shows when all specs are compared: dependencies on oneself, on nothing, in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hewto_core::diagnostic::Finding;
use hewto_core::graph::DependencyGraph;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::rules::workspace as rules;
use hewto_store::SpecEntry;

use crate::spec::{lifecycle, target_id};

pub(super) fn findings(specs: &[Arc<SpecEntry>]) -> Vec<Finding> {
    let by_id: BTreeMap<&str, &SpecEntry> = specs.iter().map(|entry| (entry.id.as_str(), &**entry)).collect();
    let mut graph = DependencyGraph::default();
    let mut findings = Vec::new();
    for entry in specs {
        let mut named = BTreeSet::new();
        for dependency in &entry.head.dependencies {
            let line = Some(dependency.line).filter(|&line| line > 0);
            let file = || entry.spec_path();
            let Some(target) = target_id(dependency) else { continue };
            let target = target.as_str();
            if !named.insert(target.to_owned()) {
                findings.push(rules::DEPENDENCY_DUPLICATE.on(
                    file(),
                    line,
                    format!("`{target}` is named twice"),
                    "name each dependency once",
                ));
            }
            if target == entry.id.as_str() {
                findings.push(rules::DEPENDENCY_SELF.on(
                    file(),
                    line,
                    "the spec depends on itself",
                    "take the spec's own id out of `dependencies`",
                ));
                continue;
            }
            match by_id.get(target) {
                None if dependency.optional => {}
                None => findings.push(rules::DEPENDENCY_MISSING.on(
                    file(),
                    line,
                    format!("there is no spec `{target}`"),
                    "create it, or take it out of `dependencies`",
                )),
                Some(other) => {
                    graph.add(entry.id.as_str(), target);
                    if lifecycle(other) == Some(Lifecycle::Cancelled) {
                        findings.push(rules::DEPENDENCY_CANCELLED.on(
                            file(),
                            line,
                            format!("`{target}` was cancelled"),
                            "depend on what took its place, or take it out of `dependencies`",
                        ));
                    }
                }
            }
        }
    }
    for chain in graph.cycles() {
        let Some(first) = chain.first().and_then(|id| by_id.get(id.as_str())) else { continue };
        findings.push(rules::DEPENDENCY_CYCLE.on(
            first.spec_path(),
            None,
            format!("the dependencies form a circle: {}", chain.join(" → ")),
            "take one of the dependencies in the chain out",
        ));
    }
    findings
}
