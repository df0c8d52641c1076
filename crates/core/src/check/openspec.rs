//! The verdict of OpenSpec on a spec, by its own grammar: lines, and headings at any level.
//!
//! To OpenSpec the purpose is the first heading called so, whatever stands in a comment counts, and every heading
//! right below `Requirements` is a requirement. None of this changes how hewto reads the spec; where the two readings
//! differ, one remark says so.

use super::spec::{
    LONG, check_requirement, check_structure, judge_purpose, purpose_missing, requirement_long,
    requirements_empty, requirements_missing, scenario_missing,
};
use super::words::is_placeholder;
use super::{IssueSection, Report};
use crate::delta::delta_headings;
use crate::document::Span;
use crate::outline::{HeadingShape, Outline, OutlineHeading, is_blank, lines};
use crate::requirement::{RequirementPlace, SpecDoc};
use crate::rules::requirements as rules;

/// Checks a spec by its lines.
pub(super) fn check_spec(report: &mut Report<'_>, outline: &Outline<'_>, spec: &SpecDoc<'_>) {
    let tree = Tree { outline };
    report.about(IssueSection::Purpose);
    match tree.find("purpose").map(|index| (index, tree.content(index))) {
        Some((index, body)) if !body.trim_matches(is_blank).is_empty() => {
            let prose: Vec<_> = outline.prose(tree.body(index)).map(|line| line.text).collect();
            let is_placeholder = is_placeholder(prose.join("\n").trim_matches(is_blank));
            judge_purpose(report, &outline.headings[index].span, length(body), is_placeholder);
        }
        Some((index, _)) => {
            let hint = "say in a sentence or two what this spec is for";
            report.add(&rules::PURPOSE_EMPTY, &outline.headings[index].span, "`## Purpose` is empty", hint);
        }
        None => purpose_missing(report),
    }
    report.about(IssueSection::Requirements);
    match tree.find("requirements") {
        None => requirements_missing(report),
        Some(index) => check_items(report, &tree, index),
    }
    for requirement in
        spec.requirements.iter().filter(|requirement| requirement.place == RequirementPlace::Inside)
    {
        check_requirement(report, requirement, "requirement");
    }
    let proper = spec.requirements.iter().filter(|requirement| requirement.shape == HeadingShape::Proper);
    check_structure(report, proper, delta_headings(outline));
}

/// Every heading right below `Requirements`.
fn check_items(report: &mut Report<'_>, tree: &Tree<'_, '_>, section: usize) {
    let items = tree.children(section);
    let heading = &tree.outline.headings[section].span;
    if items.is_empty() {
        return requirements_empty(report, heading);
    }
    for item in items {
        let heading = &tree.outline.headings[item];
        let name = heading.requirement_name().unwrap_or(heading.title);
        let has_scenario = tree
            .children(item)
            .into_iter()
            .any(|child| !tree.content(child).trim_matches(is_blank).is_empty());
        if !has_scenario {
            scenario_missing(report, name, &heading.span);
        }
        if tree.text_length(item) > LONG {
            requirement_long(report, name, &heading.span);
        }
    }
}

/// Says once that the two readings do not agree, and where that begins.
pub(super) fn remark_on_reading(report: &mut Report<'_>, place: Option<usize>) {
    if let Some(start) = place {
        let message = "OpenSpec reads this differently: a heading is indented, underlined or closed by `#`, or is in a comment or HTML";
        let hint =
            "let headings begin with `#` in the first column, outside comments, and end with their words";
        report.add(&rules::READ_DIFFERENTLY, &(start..start), message, hint);
    }
}

/// The headings as a tree, each below the nearest one before it with a lower level.
struct Tree<'o, 't> {
    outline: &'o Outline<'t>,
}

impl<'t> Tree<'_, 't> {
    fn proper(&self) -> impl Iterator<Item = (usize, &OutlineHeading<'t>)> {
        let headings = self.outline.headings.iter().enumerate();
        headings.filter(|(_, heading)| heading.shape == HeadingShape::Proper && !heading.title.is_empty())
    }

    /// The first heading with this title, at any level.
    fn find(&self, title: &str) -> Option<usize> {
        self.proper().find(|(_, heading)| heading.title.eq_ignore_ascii_case(title)).map(|(index, _)| index)
    }

    fn body(&self, index: usize) -> Span {
        let headings = &self.outline.headings;
        let start = headings[index].span.end;
        let level = headings[index].level;
        let ends = |next: &OutlineHeading<'_>| next.shape == HeadingShape::Proper && next.level <= level;
        start..self.outline.end_after(index, ends)
    }

    /// Everything below a heading, its subsections included.
    fn content(&self, index: usize) -> &'t str {
        &self.outline.text[self.body(index)]
    }

    fn children(&self, index: usize) -> Vec<usize> {
        let body = self.body(index);
        let mut open: Option<u8> = None;
        let mut children = Vec::new();
        for (at, heading) in self.proper().filter(|(_, heading)| body.contains(&heading.span.start)) {
            if open.is_none_or(|level| heading.level <= level) {
                children.push(at);
                open = Some(heading.level);
            }
        }
        children
    }

    /// The length of what a requirement says: its lines up to the next heading, else its title.
    fn text_length(&self, index: usize) -> usize {
        let heading = &self.outline.headings[index];
        let proper = |next: &OutlineHeading<'_>| next.shape == HeadingShape::Proper;
        let end = self.outline.end_after(index, proper);
        let lines = self.outline.prose(heading.span.end..end).map(|line| line.text.trim_matches(is_blank));
        let lengths: Vec<usize> =
            lines.filter(|line| !line.is_empty()).map(|l| l.encode_utf16().count()).collect();
        match lengths.len() {
            0 => heading.title.encode_utf16().count(),
            count => lengths.iter().sum::<usize>() + count - 1,
        }
    }
}

/// The length of a text as OpenSpec measures it: trimmed, with one character for each line end.
fn length(text: &str) -> usize {
    let text = text.trim_matches(is_blank);
    let lines: Vec<usize> = lines(text, 0..text.len()).map(|line| line.text.encode_utf16().count()).collect();
    lines.iter().sum::<usize>() + lines.len().saturating_sub(1)
}
