//! What a clarification said on acceptance becomes the scenarios of the change that follows it.

use std::collections::BTreeMap;

use hewto_core::decision::record::Task;
use hewto_core::decision::scenario::{Draft, draft, is_own};
use hewto_core::decision::uid::Uid;
use hewto_core::delta::{NewDelta, NewScenario};
use hewto_store::{Context, DocKey, Own};

use super::create::NewChange;
use crate::workspace::Workspace;

/// The deltas of a new change. The first new requirement that has no scenario gets those of the current task, when the
/// change follows from it: it names the decision that came with the task, or speaks of the same thing.
pub(super) fn with_scenarios(
    ws: &Workspace,
    ctx: &Context,
    decision: Option<&Uid>,
    new: &NewChange,
) -> BTreeMap<String, NewDelta> {
    let mut deltas = new.deltas.clone();
    let bare = deltas
        .values_mut()
        .filter(|delta| delta.raw.is_none())
        .flat_map(|delta| &mut delta.added)
        .find(|one| one.scenarios.is_empty() && one.raw.is_none());
    let Some(requirement) = bare else { return deltas };
    let Some(task) = current_task(ws, ctx) else { return deltas };
    let follows = match decision {
        Some(uid) => task.related_adr.as_ref() == Some(uid),
        None => speaks_of(&task.title, &format!("{} {} {}", new.change_id, new.why, requirement.name)),
    };
    if follows {
        let own = task.criteria.iter().filter(|criterion| is_own(criterion, &task.title));
        let mut scenarios: Vec<NewScenario> = Vec::new();
        for new in own.filter_map(|criterion| draft(criterion, &task.title)).map(|one| scenario(&one)) {
            if !scenarios.iter().any(|known| known.name.eq_ignore_ascii_case(&new.name)) {
                scenarios.push(new);
            }
        }
        requirement.scenarios = scenarios;
    }
    deltas
}

/// A task that cannot be read is `validate`'s business.
fn current_task(ws: &Workspace, ctx: &Context) -> Option<Task> {
    let key = DocKey::Own(Own::CurrentTask);
    let doc = ws.store().read(ctx, &key).ok()??;
    Task::read(&doc.text).ok()
}

fn scenario(draft: &Draft) -> NewScenario {
    let steps = draft.steps.iter();
    let texts = |wanted: &str| -> Vec<String> {
        steps.clone().filter(|(keyword, _)| *keyword == wanted).map(|(_, text)| text.clone()).collect()
    };
    NewScenario {
        name: draft.name.clone(),
        given: texts("GIVEN").into_iter().next(),
        when: texts("WHEN").into_iter().next(),
        then: texts("THEN"),
        ..NewScenario::default()
    }
}

/// Whether most of the words of a title that mean something are in a text.
fn speaks_of(title: &str, text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let cut = text.split(|ch: char| !ch.is_alphanumeric());
        cut.filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
    };
    let (wanted, said) = (words(title), words(text));
    let like = |word: &String| {
        let stem: String = word.chars().take(5).collect();
        said.iter().any(|other| other.starts_with(&stem))
    };
    !wanted.is_empty() && wanted.iter().filter(|word| like(word)).count() * 2 >= wanted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_follows_a_task_whose_words_it_uses() {
        assert!(speaks_of("Add rate limiting to our API", "limit-rate Clients flood us; rates are limited"));
        assert!(!speaks_of("Add rate limiting to our API", "fix-footer The footer is too low"));
        assert!(!speaks_of("", "anything"));
    }
}
