//! What waits for what in a task list of spec-kit.
//!
//! A task waits for those it names, else for what stands before it in its phase unless it is marked `[P]`: the last one without
//! the mark, and those with it since. The first ones of a phase wait for the phase before; stories wait for what comes before all stories, and not for one another.
//! Where a phase and the one before it are both very long, its first task waits for all of the phase before, and the
//! others for that task: the order is the same, and the plan does not grow with the square of its steps.

use std::collections::HashSet;

use super::checklist::Checklist;
use super::model::Step;
use super::scan::begins;
use super::spec_kit::PARALLEL;

/// A phase with more tasks than this is long.
const LONG: usize = 100;

pub(super) fn add_dependencies(list: &Checklist<'_>, steps: &mut [Step]) {
    let numbers: HashSet<String> = steps.iter().map(|step| step.number.clone()).collect();
    let mut phases: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, task) in list.tasks.iter().enumerate() {
        let phase = list.groups[task.group].phase.as_str();
        match phases.last_mut() {
            Some((known, tasks)) if *known == phase => tasks.push(at),
            _ => phases.push((phase, vec![at])),
        }
    }
    for (place, (_, tasks)) in phases.iter().enumerate() {
        let gate: Vec<String> =
            before(&phases, place).into_iter().flat_map(|phase| ends(&phases[phase].1, steps)).collect();
        let mut waits_for: Vec<usize> = Vec::new();
        let is_long = gate.len() > LONG && tasks.len() > LONG;
        for (nth, &at) in tasks.iter().enumerate() {
            let named = named(&steps[at].title, &numbers);
            let is_parallel = steps[at].description.contains(PARALLEL);
            steps[at].depends_on = match (named.is_empty(), waits_for.is_empty()) {
                (false, _) => named,
                (true, false) if !is_parallel => {
                    waits_for.iter().map(|before| steps[*before].number.clone()).collect()
                }
                _ if is_long && nth > 0 && !steps[tasks[0]].number.is_empty() => {
                    vec![steps[tasks[0]].number.clone()]
                }
                _ => gate.clone(),
            };
            steps[at].depends_on.retain(|number| !number.is_empty());
            if !is_parallel {
                waits_for.clear();
            }
            waits_for.push(at);
        }
    }
}

fn is_story(phase: &str) -> bool {
    phase.to_lowercase().contains("user story")
}

/// The phases that have to be over before this one.
fn before(phases: &[(&str, Vec<usize>)], place: usize) -> Vec<usize> {
    let earlier = (0..place).rev();
    if is_story(phases[place].0) {
        return earlier.filter(|at| !is_story(phases[*at].0)).take(1).collect();
    }
    let stories: Vec<usize> = earlier.clone().take_while(|at| is_story(phases[*at].0)).collect();
    if stories.is_empty() { earlier.take(1).collect() } else { stories }
}

/// The tasks of a phase that no other task of it waits for.
fn ends(tasks: &[usize], steps: &[Step]) -> Vec<String> {
    let waited: HashSet<&str> =
        tasks.iter().flat_map(|at| &steps[*at].depends_on).map(String::as_str).collect();
    tasks
        .iter()
        .map(|at| steps[*at].number.as_str())
        .filter(|number| !number.is_empty() && !waited.contains(number))
        .map(str::to_owned)
        .collect()
}

/// The tasks behind `depends on` in a title.
fn named(title: &str, numbers: &HashSet<String>) -> Vec<String> {
    let folded = title.to_lowercase();
    let Some(at) = folded.find("depends on ").filter(|at| title.is_char_boundary(*at)) else {
        return Vec::new();
    };
    let rest = &title[at + 11..];
    let mut found = Vec::new();
    for word in rest.split([' ', ',', ';']).filter(|word| !word.is_empty()) {
        let word = word.trim_matches(['(', ')', '.', ',']);
        if begins(word, "T") && numbers.contains(word) {
            found.push(word.to_owned());
        } else if !matches!(word, "and" | "&" | "") {
            break;
        }
    }
    found
}
