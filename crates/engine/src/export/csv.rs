//! Tables for spreadsheets (RFC 4180). A cell that a spreadsheet would take for a formula is quoted against that.

use hewto_core::plan::StepStatus;

use super::Shape;
use super::collect::Collected;

pub(super) fn render(all: &Collected, shape: Shape) -> Vec<(String, String)> {
    let promises = ("promises.csv".to_owned(), promises(all));
    if shape == Shape::One {
        return vec![promises];
    }
    let mut specs = row(&["spec", "title", "state", "requirements", "steps", "depends_on"]);
    let mut steps = row(&["item", "number", "step", "status", "description"]);
    for spec in &all.specs {
        let counts = [spec.requirements.len().to_string(), spec.steps.len().to_string()];
        specs.push_str(&row(&[
            &spec.id,
            &spec.title,
            &spec.state,
            &counts[0],
            &counts[1],
            &spec.depends_on.join(" "),
        ]));
        for (at, step) in spec.steps.iter().enumerate() {
            steps.push_str(&row(&[
                &spec.id,
                &(at + 1).to_string(),
                &step.title,
                step.status.as_str(),
                &step.description,
            ]));
        }
    }
    let mut changes = row(&["change", "title", "archived", "why", "tasks", "done"]);
    for change in &all.changes {
        let done =
            change.tasks.iter().filter(|task| task.status == StepStatus::Completed).count().to_string();
        let archived = if change.archived { "yes" } else { "no" };
        changes.push_str(&row(&[
            &change.id,
            &change.title,
            archived,
            &change.why,
            &change.tasks.len().to_string(),
            &done,
        ]));
        for (at, task) in change.tasks.iter().enumerate() {
            let item = format!("change:{}", change.id);
            steps.push_str(&row(&[&item, &(at + 1).to_string(), &task.title, task.status.as_str(), ""]));
        }
    }
    let mut decisions = row(&["decision", "alias", "title", "date", "supersedes"]);
    for one in &all.decisions {
        let alias = one.alias.as_deref().unwrap_or_default();
        decisions.push_str(&row(&[&one.id, alias, &one.title, &one.date, &one.supersedes.join(" ")]));
    }
    let named =
        [("specs.csv", specs), ("steps.csv", steps), ("changes.csv", changes), ("decisions.csv", decisions)];
    std::iter::once(promises).chain(named.map(|(name, text)| (name.to_owned(), text))).collect()
}

/// One row a promise.
fn promises(all: &Collected) -> String {
    let mut out = row(&[
        "spec",
        "title",
        "state",
        "requirement_id",
        "requirement",
        "text",
        "scenario_id",
        "scenario",
        "steps",
        "proof",
    ]);
    let proof = |spec: &str, requirement: &str, scenario: Option<&str>| {
        let wanted = hewto_core::proof::Ref::new(spec, requirement, scenario);
        all.proof.get(&wanted).map(|(state, _)| state.as_str().to_owned()).unwrap_or_default()
    };
    for spec in &all.specs {
        if spec.requirements.is_empty() {
            out.push_str(&row(&[&spec.id, &spec.title, &spec.state, "", "", "", "", "", "", ""]));
        }
        for one in &spec.requirements {
            if one.scenarios.is_empty() {
                let state = proof(&spec.id, &one.id, None);
                out.push_str(&row(&[
                    &spec.id,
                    &spec.title,
                    &spec.state,
                    &one.id,
                    &one.name,
                    &one.text,
                    "",
                    "",
                    "",
                    &state,
                ]));
            }
            for scenario in &one.scenarios {
                let state = proof(&spec.id, &one.id, Some(&scenario.id));
                let cells = [
                    &spec.id,
                    &spec.title,
                    &spec.state,
                    &one.id,
                    &one.name,
                    &one.text,
                    &scenario.id,
                    &scenario.name,
                    &scenario.text,
                    &state,
                ];
                out.push_str(&row(&cells.map(String::as_str)));
            }
        }
    }
    out
}

fn row(cells: &[&str]) -> String {
    cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\r\n"
}

fn quoted(cell: &str) -> String {
    let guarded =
        if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell.to_owned() };
    if guarded.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_cells() {
        assert_eq!(
            row(&["a,b", "say \"x\"", "=1+1", "two\nlines", ""]),
            "\"a,b\",\"say \"\"x\"\"\",'=1+1,\"two\nlines\",\r\n"
        );
    }
}
