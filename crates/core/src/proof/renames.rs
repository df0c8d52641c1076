//! Which promises have other names after a change was applied.

use super::Ref;
use super::promise::{Promise, read_promises};

/// From old to new names: requirements that were renamed, and scenarios whose clauses stayed.
pub fn renames(capability: &str, old: &str, new: &str, renamed: &[(String, String)]) -> Vec<(Ref, Ref)> {
    let (old, new) = (read_promises(capability, old), read_promises(capability, new));
    let mut names: Vec<(Ref, Ref)> = Vec::new();
    for (from, to) in renamed {
        let whole = |promises: &[Promise], name: &str| {
            let found = promises.iter().find(|promise| *promise.requirement == *name);
            found.map(|promise| promise.reference.whole_requirement())
        };
        if let (Some(from), Some(to)) = (whole(&old, from), whole(&new, to))
            && from != to
        {
            names.push((from, to));
        }
    }
    let requirements = names.clone();
    let said: Vec<String> = new.iter().map(Promise::text_hash).collect();
    for before in old.iter().filter(|before| before.scenario.is_some()) {
        let current = today(&before.reference, &requirements);
        if new.iter().any(|after| after.reference == current) {
            continue;
        }
        let before_said = before.text_hash();
        let is_new = |(after, said): &(&Promise, &String)| {
            **said == before_said
                && after.scenario.is_some()
                && after.reference.whole_requirement() == current.whole_requirement()
                && !old.iter().any(|known| today(&known.reference, &requirements) == after.reference)
        };
        let mut same = new.iter().zip(&said).filter(is_new);
        // Two with the same clauses could each be it.
        if let (Some((after, _)), None) = (same.next(), same.next()) {
            names.push((current, after.reference.clone()));
        }
    }
    names
}

fn today(reference: &Ref, requirements: &[(Ref, Ref)]) -> Ref {
    let whole = reference.whole_requirement();
    match requirements.iter().find(|(from, _)| *from == whole) {
        Some((_, to)) => Ref::new(to.capability(), to.requirement(), reference.scenario()),
        None => reference.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "## Requirements\n### Requirement: Sign in\nIt SHALL.\n#### Scenario: Known\n- **THEN** in\n#### Scenario: Unknown\n- **THEN** out\n";

    fn names(new: &str, renamed: &[(&str, &str)]) -> Vec<String> {
        let renamed: Vec<(String, String)> =
            renamed.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
        renames("a", OLD, new, &renamed).iter().map(|(from, to)| format!("{from} -> {to}")).collect()
    }

    #[test]
    fn requirements_are_renamed_with_their_scenarios() {
        let new = OLD.replace("Sign in", "Log in").replace("Scenario: Known", "Scenario: Known customer");
        assert_eq!(
            names(&new, &[("Sign in", "Log in")]),
            ["a#sign-in -> a#log-in", "a#log-in/known -> a#log-in/known-customer"]
        );
    }

    #[test]
    fn a_scenario_whose_clauses_changed_too_is_another() {
        let new = OLD.replace("Scenario: Known", "Scenario: Other").replace("**THEN** in", "**THEN** never");
        assert!(names(&new, &[]).is_empty());
        assert!(names(OLD, &[]).is_empty());
    }
}
