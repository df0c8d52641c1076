//! The texts that an item becomes: `spec.md` and `plan.md`.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::clauses::{is_normative, one_line, split_code};
use super::model::{Item, Parts, Requirement, Scenario, SpecText, Step};
use super::scan::{Fences, heading};
use crate::document::Document;
use crate::document::front_matter::{FrontMatterEdit, MissingBlock, Value};
use crate::lifecycle::Lifecycle;
use crate::plan::{Plan, PlanStep, ProvesStyle, normalised, normalised_title, with_proves};
use crate::proof::Ref;
use crate::requirement::SpecDoc;
use crate::spec::{Category, Dependency, NewSpec, render_new_spec};

/// The sentence that makes a requirement of what only tells a story.
const STANDS: &str = "The scenarios below SHALL hold.";

/// Longest title, in characters.
const MAX_TITLE: usize = 200;

/// Longest title of a step, in characters; the whole sentence is in its description then.
const MAX_STEP_TITLE: usize = 100;

/// What the text of a spec takes from around it.
#[derive(Debug, Clone)]
pub struct SpecMeta<'a> {
    pub id: &'a str,
    /// Which tool and which file, for the front matter.
    pub from: &'a str,
    pub dependencies: Vec<Dependency>,
    pub now: &'a str,
}

/// The text of `spec.md`; `None` when its requirements would not read back as they are.
pub fn spec(item: &Item, meta: &SpecMeta<'_>) -> Option<String> {
    let parts = match &item.text {
        SpecText::Whole(text) => return Some(text.clone()),
        SpecText::Parts(parts) => parts,
    };
    let title = title(&item.title, meta.id);
    let body = body(&title, parts);
    let text = render_new_spec(&NewSpec {
        title,
        description: description(parts, &item.title),
        category: Category::Feature,
        state: item.state.as_ref().map_or(Lifecycle::Draft, |(state, _)| *state),
        dependencies: meta.dependencies.clone(),
        decision: None,
        created_at: meta.now.to_owned(),
        updated_at: meta.now.to_owned(),
        content: body,
    });
    let mut edit =
        FrontMatterEdit::new(MissingBlock::Create).set("imported_from", Value::Text(meta.from.to_owned()));
    if let Some(alias) = &item.alias {
        edit = edit.set("alias", Value::Text(alias.clone()));
    }
    let text = edit.apply(&text).ok()?;
    reads_back(&text, parts).then_some(text)
}

fn reads_back(text: &str, parts: &Parts) -> bool {
    let document = Document::parse(text);
    let read = SpecDoc::read(&document);
    read.requirements.len() == parts.requirements.len()
        && read.requirements.iter().zip(&parts.requirements).all(|(read, asked)| {
            read.name == asked.name
                && asked.id.as_ref().is_none_or(|id| id.to_lowercase() == read.id)
                && read.scenarios.len() == asked.scenarios.len()
                && read.scenarios.iter().zip(&asked.scenarios).all(|(read, asked)| read.name == asked.name)
        })
}

fn title(title: &str, id: &str) -> String {
    let line = one_line(title);
    let line: String = line.chars().filter(|ch| !ch.is_control()).take(MAX_TITLE).collect();
    if line.trim().is_empty() { id.to_owned() } else { line.trim().to_owned() }
}

/// The first paragraph of the purpose, on one line.
fn description(parts: &Parts, title: &str) -> String {
    // What the person asked for, where the source has it.
    let asked = parts.purpose.split_once("User description:").map(|(_, rest)| rest);
    let asked = asked
        .and_then(|rest| {
            rest.split(
                "

",
            )
            .next()
        })
        .map(|text| one_line(text).trim_matches('"').to_owned());
    let paragraph = || {
        let mut all = parts
            .purpose
            .split(
                "

",
            )
            .map(one_line);
        all.find(|text| !text.is_empty() && !text.starts_with(['#', '*', '-', '|']))
    };
    let first = asked.filter(|text| !text.is_empty()).or_else(paragraph);
    let text = first.unwrap_or_else(|| one_line(title));
    match text.char_indices().nth(400) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn body(title: &str, parts: &Parts) -> String {
    let mut out = format!("# {title}\n\n");
    if !parts.requirements.is_empty() {
        let purpose = inline(&parts.purpose);
        let purpose = if purpose.trim().is_empty() { title.to_owned() } else { purpose };
        let _ = write!(out, "## Purpose\n\n{purpose}\n\n## Requirements\n\n");
        for one in &parts.requirements {
            out.push_str(&requirement(one));
        }
    } else if !parts.purpose.trim().is_empty() {
        let _ = write!(out, "{}\n\n", harmless(&parts.purpose));
    }
    for (heading, text) in &parts.sections {
        let _ = write!(out, "## {}\n\n{}\n\n", section_title(heading), harmless(text));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The Markdown of a requirement, ended by a blank line.
pub(super) fn requirement(requirement: &Requirement) -> String {
    let mut out = format!("### Requirement: {}\n\n", requirement.name);
    if let Some(id) = &requirement.id {
        let _ = write!(out, "<!-- spec-id: {id} -->\n\n");
    }
    let text = inline(&requirement.text);
    if !is_normative(&text) {
        let _ = write!(out, "{STANDS}\n\n");
    }
    if !text.trim().is_empty() {
        let _ = write!(out, "{}\n\n", text.trim());
    }
    for one in &requirement.scenarios {
        out.push_str(&scenario(one));
    }
    out
}

fn scenario(scenario: &Scenario) -> String {
    let mut out = format!("#### Scenario: {}\n\n", scenario.name);
    if let Some(id) = &scenario.id {
        let _ = write!(out, "<!-- spec-id: {id} -->\n\n");
    }
    for (keyword, text) in &scenario.steps {
        let (sentence, code) = split_code(text);
        let _ = writeln!(out, "- **{keyword}** {}", one_line(sentence));
        for line in rewritten(code, |_, title| bold(title)).lines() {
            let _ = writeln!(out, "{}", format!("  {line}").trim_end());
        }
    }
    out.push('\n');
    out
}

/// A heading that no reader takes for one of hewto's own.
fn section_title(title: &str) -> String {
    let title = one_line(title);
    let folded = title.to_lowercase();
    let is_own = matches!(folded.as_str(), "purpose" | "requirements") || folded.ends_with(" requirements");
    if is_own { format!("{title} (as imported)") } else { title }
}

/// Text below a heading of level 2: headings stay below it, and none opens a requirement.
fn harmless(text: &str) -> String {
    rewritten(text, |level, title| {
        let is_requirement = title.to_lowercase().trim_start().starts_with("requirement:");
        if is_requirement { bold(title) } else { format!("{} {title}", "#".repeat(level.max(3))) }
    })
}

/// Text inside a requirement: no heading at all.
fn inline(text: &str) -> String {
    rewritten(text, |_, title| bold(title))
}

fn bold(title: &str) -> String {
    let bare = title.replace("**", "");
    if bare.trim().is_empty() { String::new() } else { format!("**{}**", bare.trim()) }
}

/// A text with its headings written anew, and its last fence closed.
fn rewritten(text: &str, rewrite: impl Fn(usize, &str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fences = Fences::default();
    for line in text.lines() {
        match heading(line) {
            Some((level, title)) if !fences.hides(line) => out.push_str(&rewrite(level, title)),
            Some(_) => out.push_str(line),
            None => {
                fences.hides(line);
                // Setext underlines would make a heading of the line above, or a rule of their own.
                let is_underline = fences.open().is_none()
                    && line.len() >= 2
                    && line.trim_end().bytes().all(|byte| byte == b'=');
                out.push_str(if is_underline { "" } else { line });
            }
        }
        out.push('\n');
    }
    if let Some(open) = fences.open() {
        out.push_str(open);
        out.push('\n');
    }
    let text = out.trim_matches('\n');
    // A comment that is never closed would hide everything behind it.
    if text.matches("<!--").count() > text.matches("-->").count() {
        format!("{text}\n-->")
    } else {
        text.to_owned()
    }
}

/// The text of `plan.md`; `None` without steps.
pub fn plan(item: &Item, meta: &SpecMeta<'_>) -> Option<String> {
    let plan =
        item.plan.as_ref().filter(|plan| !plan.steps.is_empty() || !plan.approach.trim().is_empty())?;
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(plan.steps.len());
    for (index, step) in plan.steps.iter().enumerate() {
        places.entry(step.number.as_str()).or_insert(index);
    }
    let steps =
        plan.steps.iter().enumerate().map(|(index, step)| plan_step(index, step, &places, item, meta));
    let plan = Plan {
        spec_id: meta.id.to_owned(),
        approach: approach(&plan.approach, meta),
        steps: steps.collect(),
        created_at: Some(meta.now.to_owned()),
        updated_at: Some(meta.now.to_owned()),
    };
    Some(plan.render())
}

/// Where the source has no words for it, where it is from.
fn approach(text: &str, meta: &SpecMeta<'_>) -> String {
    let text = normalised(text);
    if text.trim().is_empty() { format!("As it was planned before: {}.", meta.from) } else { text }
}

fn plan_step(
    index: usize,
    step: &Step,
    places: &HashMap<&str, usize>,
    item: &Item,
    meta: &SpecMeta<'_>,
) -> PlanStep {
    let title = match step.number.as_str() {
        "" => step.title.clone(),
        number => format!("{number} {}", step.title),
    };
    let mut description = step.description.trim().to_owned();
    let title = if title.chars().count() > MAX_STEP_TITLE {
        let whole = format!("{}\n\n{description}", step.title.trim());
        whole.trim_end().clone_into(&mut description);
        cut(&title)
    } else {
        title
    };
    let waits: Vec<String> = step
        .depends_on
        .iter()
        .map(|number| match places.get(number.as_str()) {
            Some(at) => format!("{number} (step {})", at + 1),
            None => number.clone(),
        })
        .collect();
    if !waits.is_empty() {
        let gap = if description.is_empty() { "" } else { "\n\n" };
        let _ = write!(description, "{gap}- **Depends on:** {}", waits.join(", "));
    }
    let refs: Vec<Ref> = step.proves.iter().filter_map(|id| reference(meta.id, id, item)).collect();
    PlanStep {
        index,
        title: normalised_title(&title),
        description: with_proves(&description, &refs, ProvesStyle::Bullet),
        status: step.status,
        notes: Some(step.notes.clone()).filter(|notes| !notes.trim().is_empty()),
        ..PlanStep::default()
    }
}

/// The beginning of a sentence that is too long for a title.
fn cut(title: &str) -> String {
    let mut out = String::new();
    for word in title.split_whitespace() {
        if out.chars().count() + word.chars().count() > MAX_STEP_TITLE - 4 {
            break;
        }
        out.push_str(if out.is_empty() { "" } else { " " });
        out.push_str(word);
    }
    if out.is_empty() {
        out = title.chars().take(MAX_STEP_TITLE - 4).collect();
    }
    // Half a code span would swallow what follows.
    if out.matches('`').count() % 2 == 1 {
        out = out.replace('`', "");
    }
    out + " …"
}

/// The promise that an id of the source names: a requirement, or one of its scenarios.
fn reference(spec: &str, id: &str, item: &Item) -> Option<Ref> {
    let SpecText::Parts(parts) = &item.text else { return None };
    let own = |known: &Option<String>| known.as_deref() == Some(id);
    if let Some(found) = parts.requirements.iter().find(|requirement| own(&requirement.id)) {
        return Some(Ref::new(spec, found.id.as_deref()?, None));
    }
    parts.requirements.iter().find_map(|requirement| {
        let scenario = requirement.scenarios.iter().find(|scenario| own(&scenario.id))?;
        Some(Ref::new(spec, requirement.id.as_deref()?, scenario.id.as_deref()))
    })
}

/// The same item with its requirements as prose, for those that would not read back.
#[must_use]
pub fn as_prose(item: &Item) -> Item {
    let mut item = item.clone();
    if let SpecText::Parts(parts) = &mut item.text {
        let told: String = std::mem::take(&mut parts.requirements)
            .iter()
            .map(|one| inline(&requirement(one)) + "\n\n")
            .collect();
        parts.sections.insert(0, ("What is required".to_owned(), told));
    }
    item
}
