//! The text of a delta from what somebody asks for, with the bytes of everything that is as it stands.

use hewto_core::delta::edit;
use hewto_core::delta::{AddedScenarios, DeltaDoc, NewDelta, NewRequirement, Operation, Standing};
use hewto_core::document::{Document, EolStyle};
use hewto_core::near::near;
use hewto_core::requirement::{Match, SpecDoc, find_requirement};
use serde_json::json;

use super::meant::Names;
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::text;

/// What a delta is written for and into.
pub(super) struct DeltaContext<'a> {
    pub(super) capability: &'a str,
    /// The spec as it stands.
    pub(super) spec: Option<&'a str>,
    /// The delta as it stands.
    pub(super) delta: Option<&'a str>,
}

/// One requirement of the delta, ready to be written.
struct Part {
    operation: Operation,
    name: String,
    block: String,
}

impl Part {
    /// One that stands in a spec or a delta, as it stands there.
    fn standing(operation: Operation, name: &str, raw: &str) -> Self {
        Self { operation, name: name.to_owned(), block: EolStyle::Lf.applied_to(raw.trim_end()) }
    }
}

/// The new text of the delta, or everything that is wrong with what was asked for.
pub(super) fn compose(around: &DeltaContext<'_>, new: &NewDelta) -> Result<String> {
    let capability = around.capability;
    if new.is_empty() && (new.purpose.is_none() || around.delta.is_none()) {
        return Err(about(capability, "does nothing")
            .hint("give at least one of added, modified, add_scenarios, removed, renamed"));
    }
    if let Some(raw) = &new.raw {
        return whole(around, raw);
    }
    let mut faults = Faults::default();
    let parts = parts(around, new, &mut faults);
    let purpose =
        new.purpose.as_ref().map(|purpose| text::required(&format!("deltas/{capability}/purpose"), purpose));
    let purpose = faults.take(purpose.transpose()).flatten();
    faults.finish()?;
    let before = around.delta.unwrap_or_default();
    let mut text = before.to_owned();
    for part in &parts {
        text = edit::put(&text, part.operation, &part.name, &part.block);
    }
    if let Some(purpose) = &purpose {
        text = edit::set_purpose(&text, purpose);
    }
    let text = text::free("deltas", &text)?;
    reads_back(before, &text, &parts).map_err(|problem| {
        about(capability, &problem).hint(
            "give every requirement and scenario a name on one line, and no Markdown headings inside texts",
        )
    })?;
    Ok(text)
}

/// A delta that was sent as Markdown.
fn whole(around: &DeltaContext<'_>, raw: &str) -> Result<String> {
    let text = text::free(&format!("deltas/{}", around.capability), raw)?;
    let document = Document::parse(&text);
    let read = DeltaDoc::read(&document);
    if read.is_empty() || !read.oddities.is_empty() {
        return Err(about(around.capability, "does not read as a delta").hint(
            "use the headings `## ADDED Requirements`, `## MODIFIED Requirements`, `## REMOVED Requirements`, \
             `## RENAMED Requirements`, with `### Requirement: name` below them",
        ));
    }
    let text = text.trim_end();
    Ok(format!("{text}{}", EolStyle::of(text).as_str()))
}

fn parts(around: &DeltaContext<'_>, new: &NewDelta, faults: &mut Faults) -> Vec<Part> {
    let capability = around.capability;
    let own = Document::parse(around.delta.unwrap_or_default());
    let own_delta = DeltaDoc::read(&own);
    let spec = Document::parse(around.spec.unwrap_or_default());
    let spec_doc = SpecDoc::read(&spec);
    let new = &Names { spec: &spec_doc, delta: &own_delta }.meant(new);
    let standing = |operation: Operation, name: &str| -> Option<Standing<'_, '_>> {
        let blocks = match operation {
            Operation::Added => &own_delta.added,
            _ => &own_delta.modified,
        };
        if let Some(requirement) = blocks.iter().find(|block| block.name == name) {
            return Some(Standing { document: &own, requirement });
        }
        let renamed = new.renamed.iter().find(|rename| rename.to.trim() == name);
        let before = renamed
            .map_or_else(|| own_delta.name_before(name_in(&own_delta, name)), |rename| rename.from.trim());
        let before = if before.is_empty() { name } else { before };
        let requirement = spec_doc.requirements.iter().find(|block| block.name == before)?;
        (operation == Operation::Modified).then_some(Standing { document: &spec, requirement })
    };
    let mut parts: Vec<Part> = Vec::new();
    for (operation, key, list) in
        [(Operation::Added, "added", &new.added), (Operation::Modified, "modified", &new.modified)]
    {
        for (index, requirement) in list.iter().enumerate() {
            let field = format!("deltas/{capability}/{key}/{index}");
            let at = standing(operation, requirement.name.trim());
            if operation == Operation::Modified && at.is_none() && is_bare(requirement) {
                faults.push(no_requirement(
                    &spec_doc,
                    capability,
                    &requirement.name,
                    &format!("{field}/name"),
                ));
                faults_of_names(requirement, &field, faults);
                continue;
            }
            if let Some(block) = block_of(requirement, at, &field, faults) {
                parts.push(Part { operation, name: requirement.name.trim().to_owned(), block });
            }
        }
    }
    for (index, added) in new.add_scenarios.iter().enumerate() {
        let field = format!("deltas/{capability}/add_scenarios/{index}");
        let known = parts.iter().position(|part| part.name == added.requirement.trim());
        let part = known.map(|at| parts.remove(at)).or_else(|| {
            let of_own = [(Operation::Modified, &own_delta.modified), (Operation::Added, &own_delta.added)];
            let in_own = of_own.into_iter().find_map(|(operation, blocks)| {
                let block = blocks.iter().find(|block| block.name == added.requirement.trim())?;
                Some(Part::standing(operation, block.name, block.raw))
            });
            in_own.or_else(|| match find_requirement(&spec_doc.requirements, &added.requirement) {
                Match::Found(found) => Some(Part::standing(Operation::Modified, found.name, found.raw)),
                Match::Missing { .. } => None,
            })
        });
        if part.is_none() {
            faults.push(no_requirement(&spec_doc, capability, &added.requirement, &field));
        }
        parts.extend(with_scenarios(part, added, &field, faults));
    }
    for (index, removal) in new.removed.iter().enumerate() {
        let name = removal.name.trim();
        let known = own_delta.removed.iter().find(|known| known.name == name);
        let is_same = known.is_some_and(|known| {
            removal.reason.as_deref().is_none_or(|reason| reason.trim() == known.text.trim())
        });
        let field = format!("deltas/{capability}/removed/{index}/name");
        if !is_same && faults.take(text::title(&field, name)).is_some() {
            parts.push(Part {
                operation: Operation::Removed,
                name: name.to_owned(),
                block: removal.render(),
            });
        }
    }
    for (index, rename) in new.renamed.iter().enumerate() {
        let (from, to) = (rename.from.trim(), rename.to.trim());
        if own_delta.renamed.iter().any(|known| known.from == from && known.to == to) {
            continue;
        }
        let field = format!("deltas/{capability}/renamed/{index}");
        let from = faults.take(text::title(&format!("{field}/from"), from));
        let to = faults.take(text::title(&format!("{field}/to"), to));
        if let (Some(name), Some(_)) = (from, to) {
            parts.push(Part { operation: Operation::Renamed, name, block: rename.render() });
        }
    }
    parts
}

/// The name as the delta has it, so that its renames can be followed.
fn name_in<'t>(delta: &DeltaDoc<'t>, name: &str) -> &'t str {
    delta.renamed.iter().map(|rename| rename.to).find(|to| *to == name).unwrap_or_default()
}

/// The Markdown of one requirement, which has to be one requirement and nothing more.
fn block_of(
    requirement: &NewRequirement,
    standing: Option<Standing<'_, '_>>,
    field: &str,
    faults: &mut Faults,
) -> Option<String> {
    let is_named = faults.take(text::title(&format!("{field}/name"), &requirement.name)).is_some();
    let is_named = faults_of_names(requirement, field, faults) && is_named;
    if is_bare(requirement) && standing.is_none() {
        faults.push(
            Error::validation(format!("the requirement `{}` has no text", requirement.name.trim()))
                .detail("field", format!("{field}/text"))
                .hint("say what the system SHALL do in `text`"),
        );
        return None;
    }
    if !is_named {
        return None;
    }
    faults.take(written(requirement, standing, field))
}

fn is_bare(requirement: &NewRequirement) -> bool {
    requirement.text.trim().is_empty() && requirement.raw.is_none()
}

/// Whether all scenarios have names that can be headings.
fn faults_of_names(requirement: &NewRequirement, field: &str, faults: &mut Faults) -> bool {
    let mut is_named = true;
    for (index, scenario) in requirement.scenarios.iter().enumerate() {
        let at = format!("{field}/scenarios/{index}/name");
        is_named &= faults.take(text::title(&at, &scenario.name)).is_some();
    }
    is_named
}

fn written(requirement: &NewRequirement, standing: Option<Standing<'_, '_>>, field: &str) -> Result<String> {
    let block = requirement.settled(standing).map_err(|unclear| {
        Error::validation(unclear.to_string()).detail("field", field).hint("send one of them, or both alike")
    })?;
    let document = Document::parse(&block);
    let read = SpecDoc::read(&document).requirements;
    let is_one = matches!(read.as_slice(), [one] if one.name == requirement.name.trim());
    let scenarios: usize = read.iter().map(|one| one.scenarios.len()).sum();
    if is_one && (requirement.raw.is_some() || scenarios == requirement.scenarios.len()) {
        return Ok(block);
    }
    let message = format!("the requirement `{}` does not read back as it was given", requirement.name.trim());
    Err(Error::validation(message)
        .detail("field", field)
        .hint("write no Markdown headings inside texts, and close every code fence and comment"))
}

/// A requirement with more scenarios. Their names are looked at also where nobody knows the requirement.
fn with_scenarios(
    part: Option<Part>,
    added: &AddedScenarios,
    field: &str,
    faults: &mut Faults,
) -> Option<Part> {
    let name_of = |part: &Part| part.name.clone();
    let requirement = part.as_ref().map_or_else(|| added.requirement.trim().to_owned(), name_of);
    let mut block = part.as_ref().map(|part| part.block.clone()).unwrap_or_default();
    let document = Document::parse(&block);
    let read = SpecDoc::read(&document).requirements;
    let scenarios = read.iter().flat_map(|one| &one.scenarios);
    let known: Vec<String> = scenarios.map(|scenario| scenario.name.to_owned()).collect();
    if added.scenarios.is_empty() {
        faults.push(
            Error::validation(format!("`{requirement}` is given no scenario to add"))
                .detail("field", format!("{field}/scenarios"))
                .hint("give at least one scenario with a name, `when` and `then`"),
        );
    }
    for (index, scenario) in added.scenarios.iter().enumerate() {
        let name = scenario.name.trim();
        let at = format!("{field}/scenarios/{index}/name");
        if faults.take(text::title(&at, name)).is_some() && known.iter().any(|known| known == name) {
            faults.push(
                Error::validation(format!("`{requirement}` has a scenario named `{name}` already"))
                    .detail("field", at)
                    .hint("send the scenario in `modified`, or give the new one another name"),
            );
        }
        block.push_str("\n\n");
        block.push_str(&scenario.render());
    }
    part.map(|part| Part { block, ..part })
}

fn no_requirement(spec: &SpecDoc<'_>, capability: &str, name: &str, field: &str) -> Error {
    let names = || spec.requirements.iter().map(|requirement| requirement.name);
    let mut close = near(name, names(), 3);
    if close.is_empty() {
        close = names().take(3).map(str::to_owned).collect();
    }
    let message = format!("`{capability}` has no requirement named `{}`", name.trim());
    Error::validation(message).detail("field", field).detail("near", json!(close)).hint(
        match close.as_slice() {
            [] => "there is none yet: send it in `added`".to_owned(),
            close => format!("did you mean `{}`?", close.join("`, `")),
        },
    )
}

/// Whether the new text says what was asked for, and nothing else new.
fn reads_back(before: &str, after: &str, parts: &[Part]) -> Result<(), String> {
    let (before, after) = (Document::parse(before), Document::parse(after));
    let (before, after) = (DeltaDoc::read(&before), DeltaDoc::read(&after));
    let names = |delta: &DeltaDoc<'_>| -> Vec<String> {
        let mut names: Vec<String> = delta.requirements().map(|(name, _)| name.to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    let known = names(&before);
    let strange = names(&after).into_iter().find(|name| {
        let is_asked = |part: &Part| part.name == *name || part.operation == Operation::Renamed;
        !known.contains(name) && !parts.iter().any(is_asked)
    });
    let is_there = |part: &Part| match part.operation {
        Operation::Added => after.added.iter().any(|block| block.name == part.name),
        Operation::Modified => after.modified.iter().any(|block| block.name == part.name),
        Operation::Removed => after.removed.iter().any(|removal| removal.name == part.name),
        Operation::Renamed => after.renamed.iter().any(|rename| rename.from == part.name),
    };
    match (strange, parts.iter().find(|part| !is_there(part))) {
        (Some(name), _) => Err(format!("does not read back as it was given: `{name}` came out of it")),
        (_, Some(part)) => Err(format!("does not read back as it was given: `{}` is lost in it", part.name)),
        _ if after.oddities.len() > before.oddities.len() => {
            Err("does not read back as it was given".to_owned())
        }
        _ => Ok(()),
    }
}

fn about(capability: &str, problem: &str) -> Error {
    Error::validation(format!("the delta for `{capability}` {problem}"))
        .detail("capability", capability)
        .detail("field", format!("deltas/{capability}"))
}
