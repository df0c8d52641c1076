//! What the readers say of specs and plans, beside the model.

use std::path::Path;

use hewto_core::plan::StepStatus;
use hewto_engine::plan;
use serde_json::json;

use crate::server::{Server, fresh};
use crate::state::{Model, plain, text};
use crate::work::STATES;

/// What the readers say of specs and plans is what the model says.
pub(crate) fn compare(model: &Model, server: &mut Server, base: &Path) {
    let listed =
        server.read("spec_list", &json!({ "kind": "work", "include_archived": true, "limit": 1000 }));
    let cards = listed["specs"].as_array().unwrap();
    let mut said: Vec<(&str, &str)> =
        cards.iter().map(|card| (text(card, "id"), text(card, "state"))).collect();
    said.sort_unstable();
    let wanted = model.work.iter().map(|(id, work)| (id.as_str(), work.state.as_str()));
    assert_eq!(said, wanted.collect::<Vec<(&str, &str)>>());
    for card in cards {
        if let Some(title) = &model.work[text(card, "id")].title {
            assert_eq!(text(card, "title"), title.trim(), "{card}");
        }
    }
    let told = server.read("workspace_status", &json!({}));
    assert_eq!(told["open_changes"], model.changes.len(), "{told}");
    for state in STATES {
        let wanted = model.work.values().filter(|work| work.state == state).count();
        assert_eq!(told["specs"][state], wanted, "{state}: {told}");
    }
    let (workspace, context) = fresh(base);
    let own = model.changes.iter().filter(|(_, change)| !change.foreign);
    let changes = own.map(|(id, change)| (format!("change:{id}"), Some(&change.tasks)));
    let works = model.work.iter().map(|(id, work)| (id.clone(), work.plan.as_ref()));
    for (id, steps) in works.chain(changes) {
        let status = server.read("spec_status", &json!({ "spec_id": id }));
        if let Some(work) = model.work.get(&id) {
            let document = fs_err::read_to_string(base.join(format!("ws/specs/{id}/spec.md"))).unwrap();
            let content = plain(work.content.as_deref().unwrap_or_default());
            assert!(document.contains(&content), "{id} does not say {content:?}: {document}");
            if let Some((percentage, notes)) = &work.progress {
                let said = &status["build_progress"];
                assert_eq!(
                    (&said["percentage"], plain(text(said, "notes"))),
                    (percentage, plain(notes)),
                    "{id}"
                );
            }
        }
        let Some(steps) = steps.filter(|steps| !steps.is_empty()) else { continue };
        let done = steps.iter().filter(|(_, done)| *done).count();
        let progress = &status["plan_progress"];
        assert_eq!(
            (&progress["total_steps"], &progress["completed_steps"]),
            (&json!(steps.len()), &json!(done)),
            "{id}"
        );
        let plan = plan::show(&workspace, &context, &id).unwrap();
        if let Some(work) = model.work.get(&id) {
            for (step, (description, notes)) in plan.steps.iter().zip(&work.prose) {
                if let Some(description) = description {
                    assert_eq!(plain(&step.description), plain(description), "{id}: {}", step.title);
                }
                if let Some(notes) = notes {
                    assert_eq!(
                        plain(step.notes.as_deref().unwrap_or_default()),
                        plain(notes),
                        "{id}: {}",
                        step.title
                    );
                }
            }
        }
        let read: Vec<(String, bool)> = plan
            .steps
            .iter()
            .map(|step| (step.title.clone(), step.status == StepStatus::Completed))
            .collect();
        assert_eq!(&read, steps, "{id}");
    }
}
