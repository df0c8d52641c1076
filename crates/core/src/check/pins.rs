//! Ids that are pinned below headings: each stands for one thing.

use std::collections::HashMap;

use super::Report;
use crate::document::Span;
use crate::requirement::Requirement;
use crate::rules::requirements as rules;

/// Ids that are pinned twice: the second counts for nothing, and whoever names it means the first.
pub(super) fn check(report: &mut Report<'_>, requirements: &[Requirement<'_>]) {
    let own = requirements.iter().filter_map(|one| Some((one.pin()?, one.name, &one.heading)));
    check_of(report, "requirement", own);
    for requirement in requirements {
        let scenarios = requirement.scenarios.iter();
        check_of(report, "scenario", scenarios.filter_map(|one| Some((one.pin()?, one.name, &one.heading))));
    }
}

fn check_of<'r>(
    report: &mut Report<'_>,
    what: &str,
    pins: impl Iterator<Item = (&'r str, &'r str, &'r Span)>,
) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (pin, name, heading) in pins {
        if let Some(place) = places.get(&pin.to_lowercase()) {
            let line = report.line_of(*place);
            let message = format!("{what} `{name}` has the id `{pin}` of the {what} on line {line}");
            report.add(
                &rules::SPEC_ID_DUPLICATE,
                heading,
                message,
                "give one of the two another id, or none",
            );
        } else {
            places.insert(pin.to_lowercase(), heading.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::check_spec_text;
    use crate::rules::dialect::Dialect;

    #[test]
    fn an_id_that_stands_twice_is_told_with_the_line_of_the_first() {
        let spec = "# s\n\n## Purpose\n\nTo show what happens when an id is written down a second time.\n\n## Requirements\n\n\
                    ### Requirement: A\n<!-- spec-id: a -->\nIt SHALL.\n\n#### Scenario: One\n<!-- spec-id: a.1 -->\n- **WHEN** x\n- **THEN** y\n\n\
                    #### Scenario: Two\n<!-- spec-id: A.1 -->\n- **WHEN** x\n- **THEN** y\n\n### Requirement: B\n<!-- spec-id: a -->\nIt SHALL.\n\n\
                    #### Scenario: One\n<!-- spec-id: a.1 -->\n- **WHEN** x\n- **THEN** y\n";
        let told = |dialect| -> Vec<String> {
            let issues = check_spec_text(spec, dialect);
            let of_ids = issues.into_iter().filter(|issue| issue.diagnostic.code == "spec-id-duplicate");
            of_ids.map(|issue| issue.diagnostic.message).collect()
        };
        let found = told(Dialect::Native);
        assert_eq!(
            found,
            [
                "scenario `Two` has the id `A.1` of the scenario on line 13",
                "requirement `B` has the id `a` of the requirement on line 9"
            ]
        );
        assert!(told(Dialect::OpenSpec).is_empty(), "OpenSpec knows no such ids");
    }
}
