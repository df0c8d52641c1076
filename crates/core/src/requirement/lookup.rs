//! Finding a requirement or a scenario by the name a person gives, and giving each requirement its id.

use std::collections::{HashMap, HashSet};

use super::{Requirement, Scenario};
use crate::near::{fold, near};

/// How many names a miss suggests.
const SUGGESTIONS: usize = 3;
/// Longest id, in characters.
const MAX_ID_CHARS: usize = 80;

/// The answer to a search by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match<T> {
    Found(T),
    /// Nothing has the name; these are the closest names, best first, or some names where none is close.
    Missing {
        near: Vec<String>,
    },
}

/// The requirement with this name or id: exactly, else whatever the letters' case and the blanks.
pub fn find_requirement<'r, 't>(
    requirements: &'r [Requirement<'t>],
    name: &str,
) -> Match<&'r Requirement<'t>> {
    // Ids are lower case here, whatever the file says.
    let find = |name: &str| {
        let by_id =
            || requirements.iter().find(|requirement| requirement.id.eq_ignore_ascii_case(name.trim()));
        by_name(requirements, name, |requirement| requirement.name).or_else(by_id)
    };
    match find(name).or_else(|| find(unlabelled(name, "Requirement"))) {
        Some(found) => Match::Found(found),
        None => missing(name, requirements.iter().map(|requirement| requirement.name)),
    }
}

/// The scenario with this name or id: exactly, else whatever the letters' case and the blanks.
pub fn find_scenario<'r, 't>(requirement: &'r Requirement<'t>, name: &str) -> Match<&'r Scenario<'t>> {
    let scenarios = &requirement.scenarios;
    let find = |name: &str| {
        let by_id = || {
            let at = scenario_ids(requirement).iter().position(|id| id.eq_ignore_ascii_case(name.trim()))?;
            scenarios.get(at)
        };
        by_name(scenarios, name, |scenario| scenario.name).or_else(by_id)
    };
    match find(name).or_else(|| find(unlabelled(name, "Scenario"))) {
        Some(found) => Match::Found(found),
        None => missing(name, scenarios.iter().map(|scenario| scenario.name)),
    }
}

/// The first with this name: exactly, else with other letters' case and other blanks, else with none at all.
fn by_name<'r, T>(all: &'r [T], name: &str, name_of: impl Fn(&T) -> &str) -> Option<&'r T> {
    let alike = |form: fn(&str) -> String| {
        let wanted = form(name);
        all.iter().find(|one| form(name_of(one)) == wanted)
    };
    let exact = all.iter().find(|one| name_of(one) == name.trim());
    exact.or_else(|| alike(fold)).or_else(|| alike(|name| fold(name).replace(' ', "")))
}

fn missing<'n, T>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Match<T> {
    let mut near = near(name, names.clone(), SUGGESTIONS);
    if near.is_empty() {
        near = names.take(SUGGESTIONS).map(str::to_owned).collect();
    }
    Match::Missing { near }
}

/// A name without the marks and the label of its heading: `#### Scenario: Name`, `**Scenario: Name**`.
pub fn unlabelled<'n>(name: &'n str, label: &str) -> &'n str {
    let bare = name.trim().trim_start_matches('#').trim();
    let bold = bare.strip_prefix("**").and_then(|bare| bare.trim_end_matches(':').strip_suffix("**"));
    let bare = bold.unwrap_or(bare).trim();
    let rest = bare.get(..label.len()).filter(|head| head.eq_ignore_ascii_case(label));
    let rest = rest.and_then(|_| bare[label.len()..].trim_start().strip_prefix(':'));
    match rest.map(str::trim) {
        Some(rest) if !rest.is_empty() => rest,
        // A name that somebody set in bold is theirs.
        _ if bold.is_some() => name.trim(),
        _ => bare,
    }
}

/// The ids of requirements with these names, in their order: slugs, numbered where two would be the same.
pub fn requirement_ids<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let slugs: Vec<String> = names.into_iter().map(slug).collect();
    let mut sorted: Vec<&str> = slugs.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
        return slugs;
    }
    // A number never takes the slug that another name has by right.
    let mut taken: HashSet<String> = slugs.iter().cloned().collect();
    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut ids = Vec::with_capacity(slugs.len());
    for slug in &slugs {
        let count = used.entry(slug).or_insert(0);
        *count += 1;
        if *count == 1 {
            ids.push(slug.clone());
            continue;
        }
        let mut id = format!("{slug}-{count}");
        while !taken.insert(id.clone()) {
            *count += 1;
            id = format!("{slug}-{count}");
        }
        ids.push(id);
    }
    ids
}

/// The ids of a requirement's scenarios, in their order.
pub fn scenario_ids(requirement: &Requirement<'_>) -> Vec<String> {
    let names = requirement.scenarios.iter().map(|scenario| scenario.name);
    let pins = requirement.scenarios.iter().map(|scenario| pin_below(scenario.raw));
    pinned(requirement_ids(names), pins)
}

pub(super) fn number(requirements: &mut [Requirement<'_>]) {
    let ids = requirement_ids(requirements.iter().map(|requirement| requirement.name));
    let ids = pinned(ids, requirements.iter().map(|requirement| pin_below(requirement.raw)));
    for (requirement, id) in requirements.iter_mut().zip(ids) {
        requirement.id = id;
    }
}

/// The id that a line pins: `<!-- spec-id: sign-in -->`.
pub(crate) fn pinned_id(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let id = inner.trim().strip_prefix("spec-id:")?.trim();
    let is_name = |ch: char| ch.is_alphanumeric() || matches!(ch, '-' | '_' | '.');
    (!id.is_empty() && id.chars().all(is_name)).then_some(id)
}

/// The pin below a heading, before anything else that is said there.
pub(super) fn pin_below(raw: &str) -> Option<&str> {
    pinned_id(raw.lines().skip(1).find(|line| !line.trim().is_empty())?)
}

/// Pins take the place of slugs; one that is taken by another pin counts for nothing.
fn pinned<'p>(mut ids: Vec<String>, pins: impl Iterator<Item = Option<&'p str>>) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let pins: Vec<Option<&str>> = pins.collect();
    if pins.iter().all(Option::is_none) {
        return ids;
    }
    for (id, pin) in ids.iter_mut().zip(&pins) {
        if let Some(pin) = pin.map(|pin| pin.chars().flat_map(char::to_lowercase).collect::<String>())
            && used.insert(pin.clone())
        {
            *id = pin;
        }
    }
    // A slug that a pin has taken is numbered, so that no two are the same.
    for (id, _) in ids.iter_mut().zip(&pins).filter(|(_, pin)| pin.is_none()) {
        let mut count = 1;
        let slug = id.clone();
        while !used.insert(id.clone()) {
            count += 1;
            *id = format!("{slug}-{count}");
        }
    }
    ids
}

/// Letters and digits of any script in lower case, blanks, `-`, `_` and `/` as `-`, the rest dropped.
fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for ch in name.chars() {
        if ch.is_ascii_alphanumeric() {
            out.push(ch.to_ascii_lowercase());
        } else if ch.is_alphanumeric() {
            out.extend(ch.to_lowercase());
        } else if (ch.is_whitespace() || matches!(ch, '-' | '_' | '/'))
            && !out.is_empty()
            && !out.ends_with('-')
        {
            out.push('-');
        }
    }
    if out.len() > MAX_ID_CHARS {
        let cut = out.char_indices().nth(MAX_ID_CHARS).map_or(out.len(), |(at, _)| at);
        out.truncate(cut);
    }
    out.truncate(out.trim_end_matches('-').len());
    if out.is_empty() { "requirement".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_slugs_that_never_repeat() {
        let names = [
            "User Login",
            "user login",
            "User login 2",
            "日本語 の 要件",
            "🙂",
            "🙃",
            "a/b_c",
            "The `list_specs` tool",
        ];
        assert_eq!(
            requirement_ids(names),
            [
                "user-login",
                "user-login-3",
                "user-login-2",
                "日本語-の-要件",
                "requirement",
                "requirement-2",
                "a-b-c",
                "the-list-specs-tool"
            ]
        );
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let name = "é ".repeat(100);
        assert!(requirement_ids([name.as_str()])[0].chars().count() <= MAX_ID_CHARS);
    }
}
