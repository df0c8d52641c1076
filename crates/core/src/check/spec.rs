//! A spec as its requirements should be.

use std::collections::HashMap;

use super::words::{is_normative, is_placeholder};
use super::{Edit, Issue, IssueSection, Report, openspec, pins};
use crate::delta::delta_headings;
use crate::document::{Document, Span};
use crate::outline::{HeadingShape, Outline, OutlineHeading, strip_label};
use crate::requirement::{Label, Purpose, Requirement, RequirementPlace, SpecDoc};
use crate::rules::dialect::Dialect;
use crate::rules::requirements as rules;

pub(super) const SHORT: usize = 50;
pub(super) const LONG: usize = 500;
const SCENARIO_HINT: &str =
    "add `#### Scenario: <name>` with `- **WHEN** …` and `- **THEN** …` below the requirement";

/// Checks the text of a spec. Says what [`check_spec`] says, for less work where the lines alone can tell.
pub fn check_spec_text(text: &str, dialect: Dialect) -> Vec<Issue> {
    if dialect != Dialect::OpenSpec {
        return check_spec(&Document::parse(text), dialect);
    }
    let outline = Outline::by_lines(text);
    if !outline.is_plain {
        return check_spec(&Document::parse(text), dialect);
    }
    let mut report = Report::new(text, dialect, IssueSection::Requirements);
    let spec = SpecDoc::from_outline(&outline);
    openspec::check_spec(&mut report, &outline, &spec);
    check_headings(&mut report, &outline, &spec);
    report.sorted()
}

/// Checks a spec.
///
/// In a native workspace the rules are for specs that tell requirements at all; any other gets one remark (D-10).
pub fn check_spec(document: &Document<'_>, dialect: Dialect) -> Vec<Issue> {
    let mut report = Report::new(document.text(), dialect, IssueSection::Requirements);
    let outline = Outline::read(document);
    let spec = SpecDoc::from_outline(&outline);
    if dialect == Dialect::OpenSpec {
        let by_lines = Outline::by_lines(document.text());
        let theirs = SpecDoc::from_outline(&by_lines);
        openspec::check_spec(&mut report, &by_lines, &theirs);
        openspec::remark_on_reading(&mut report, outline.differs_from(&by_lines));
    } else if dialect == Dialect::Spox || tells_requirements(&spec) {
        check_purpose(&mut report, spec.purpose.as_ref(), dialect);
        report.about(IssueSection::Requirements);
        check_section(&mut report, &spec);
        for requirement in
            spec.requirements.iter().filter(|requirement| requirement.place == RequirementPlace::Inside)
        {
            check_requirement(&mut report, requirement, "requirement");
            if requirement.text.encode_utf16().count() > LONG {
                requirement_long(&mut report, requirement.name, &requirement.heading);
            }
            check_scenarios(&mut report, requirement, document);
        }
        pins::check(&mut report, &spec.requirements);
    } else {
        let message = "the spec has no requirements".to_owned();
        report.add(&rules::REQUIREMENTS_ABSENT, &(0..0), message, "add `## Purpose` and `## Requirements`");
        return report.issues;
    }
    check_headings(&mut report, &outline, &spec);
    report.sorted()
}

fn tells_requirements(spec: &SpecDoc<'_>) -> bool {
    spec.purpose.is_some() || spec.requirements_heading.is_some() || !spec.requirements.is_empty()
}

fn check_purpose(report: &mut Report<'_>, purpose: Option<&Purpose<'_>>, dialect: Dialect) {
    report.about(IssueSection::Purpose);
    let Some(purpose) = purpose else { return purpose_missing(report) };
    if purpose.text.is_empty() {
        let hint = "say in a sentence or two what this spec is for";
        return report.add(&rules::PURPOSE_EMPTY, &purpose.heading, "`## Purpose` is empty", hint);
    }
    let length = if dialect == Dialect::Spox { purpose.text.len() } else { purpose.text.chars().count() };
    judge_purpose(report, &purpose.heading, length, is_placeholder(&purpose.text));
}

pub(super) fn purpose_missing(report: &mut Report<'_>) {
    let hint = "add `## Purpose` and say in a sentence or two what this spec is for";
    report.add(&rules::PURPOSE_MISSING, &(0..0), "there is no `## Purpose`", hint);
}

pub(super) fn judge_purpose(report: &mut Report<'_>, heading: &Span, length: usize, placeholder: bool) {
    if placeholder {
        let message = "the purpose is a placeholder that nobody has replaced";
        report.add(
            &rules::PURPOSE_PLACEHOLDER,
            heading,
            message,
            "say in a sentence or two what this spec is for",
        );
    } else if length < SHORT {
        let message = format!("the purpose has {length} characters; {SHORT} or more are recommended");
        report.add(&rules::PURPOSE_SHORT, heading, message, "say what the spec is for, and for whom");
    }
}

fn check_section(report: &mut Report<'_>, spec: &SpecDoc<'_>) {
    match &spec.requirements_heading {
        None => requirements_missing(report),
        Some(heading)
            if !spec.requirements.iter().any(|requirement| requirement.place == RequirementPlace::Inside) =>
        {
            requirements_empty(report, heading);
        }
        Some(_) => {}
    }
}

pub(super) fn requirements_missing(report: &mut Report<'_>) {
    let hint = "add `## Requirements` with a `### Requirement: <name>` below it";
    report.add(&rules::REQUIREMENTS_MISSING, &(0..0), "there is no `## Requirements`", hint);
}

pub(super) fn requirements_empty(report: &mut Report<'_>, heading: &Span) {
    let hint = "add `### Requirement: <name>` below it";
    report.add(&rules::REQUIREMENTS_EMPTY, heading, "`## Requirements` has no requirement", hint);
}

/// What a requirement demands. `what` says what it is in this text.
pub(super) fn check_requirement(report: &mut Report<'_>, requirement: &Requirement<'_>, what: &str) {
    let (name, dialect) = (requirement.name, report.dialect);
    if requirement.text.is_empty() {
        let hint = if is_normative(name, dialect) {
            "repeat the SHALL or MUST of the heading as a sentence below it"
        } else {
            "say below the heading what the system SHALL or MUST do"
        };
        report.add(
            &rules::REQUIREMENT_TEXT,
            &requirement.heading,
            format!("{what} `{name}` has no text"),
            hint,
        );
    } else if !is_normative(&requirement.text, dialect) {
        let hint = if is_normative(name, dialect) {
            "repeat the SHALL or MUST of the heading in the sentence below it"
        } else {
            "say what the system SHALL or MUST do"
        };
        let message = format!("{what} `{name}` says neither SHALL nor MUST");
        report.add(&rules::REQUIREMENT_KEYWORD, &requirement.heading, message, hint);
    }
    if requirement.shape == HeadingShape::Glued {
        let at = requirement.heading.start + "###".len();
        let fix = Edit { span: at..at, text: " ".to_owned() };
        let message = format!("there is no space between `###` and `Requirement: {name}`");
        let hint = format!("write `### Requirement: {name}`");
        report.add_with(&rules::REQUIREMENT_BLANK, &requirement.heading, message, hint, Some(fix));
    }
}

pub(super) fn requirement_long(report: &mut Report<'_>, name: &str, heading: &Span) {
    let message = format!("requirement `{name}` has more than {LONG} characters");
    report.add(&rules::REQUIREMENT_LONG, heading, message, "split it into several");
}

pub(super) fn scenario_missing(report: &mut Report<'_>, name: &str, heading: &Span) {
    let message = format!("requirement `{name}` has no scenario");
    report.add(&rules::SCENARIO_MISSING, heading, message, SCENARIO_HINT);
}

/// The scenarios of a requirement, and that there are any.
pub(super) fn check_scenarios(
    report: &mut Report<'_>,
    requirement: &Requirement<'_>,
    document: &Document<'_>,
) {
    let name = requirement.name;
    let mut labelled = requirement.scenarios.iter().filter(|scenario| scenario.label == Label::Scenario);
    let counted = match report.dialect {
        Dialect::Spox => labelled.next().is_some(),
        Dialect::Native | Dialect::OpenSpec => !requirement.scenarios.is_empty(),
    };
    if !counted {
        scenario_missing(report, name, &requirement.heading);
    }
    for scenario in &requirement.scenarios {
        let called = scenario.name;
        if scenario.label == Label::Bare {
            let hint = format!("write `#### Scenario: {called}`, or use a heading of level 5");
            let message = format!("`{called}` below requirement `{name}` is not labelled as a scenario");
            report.add(&rules::SCENARIO_LABEL, &scenario.heading, message, hint);
            continue;
        }
        if document.slice(scenario.body.clone()).trim().is_empty() {
            let message = format!("scenario `{called}` of requirement `{name}` is empty");
            let hint = "add `- **WHEN** …` and `- **THEN** …` below it";
            report.add(&rules::SCENARIO_EMPTY, &scenario.heading, message, hint);
            continue;
        }
        let clauses = scenario.clauses(document);
        for (rule, word, is_there) in [
            (&rules::SCENARIO_WHEN, "WHEN", clauses.when.is_some()),
            (&rules::SCENARIO_THEN, "THEN", !clauses.then.is_empty()),
        ] {
            if !is_there {
                let message = format!("scenario `{called}` of requirement `{name}` has no {word}");
                report.add(rule, &scenario.heading, message, format!("add `- **{word}** …` below it"));
            }
        }
    }
}

/// Headings that are not where, or not what, they should be.
fn check_headings(report: &mut Report<'_>, outline: &Outline<'_>, spec: &SpecDoc<'_>) {
    // Under `openspec/` the three rules of structure are judged by its own grammar.
    if report.dialect != Dialect::OpenSpec {
        check_structure(report, &spec.requirements, delta_headings(outline));
    }
    let mut requirement: Option<&OutlineHeading<'_>> = None;
    for heading in &outline.headings {
        let inside = spec.requirements_body.as_ref().is_some_and(|body| body.contains(&heading.span.start));
        let title = heading.name();
        if heading.requirement_name().is_some() {
            requirement = Some(heading);
        } else if let Some(name) = strip_label(title, "Requirement:") {
            odd_requirement(report, heading, name);
        } else if strip_label(title, "Scenario:").is_some() && heading.level != 4 && requirement.is_some() {
            scenario_level(report, heading);
        } else if heading.level == 3 && inside {
            let message = format!("`### {title}` is among the requirements but is not one");
            let hint = format!("write `### Requirement: {title}`, or move it above `## Requirements`");
            report.add(&rules::REQUIREMENT_HEADING, &heading.span, message, hint);
        } else if heading.level <= 2 {
            requirement = None;
        }
    }
}

/// Delta headings in a spec, requirements outside their section, and names that stand twice.
pub(super) fn check_structure<'r, 't: 'r>(
    report: &mut Report<'_>,
    requirements: impl IntoIterator<Item = &'r Requirement<'t>>,
    deltas: impl Iterator<Item = &'r Span>,
) {
    for heading in deltas {
        let message =
            format!("the spec holds the heading `{}` of a delta", report.text[heading.clone()].trim());
        let hint = "move what is below it under `## Requirements`, or into a change";
        report.add(&rules::DELTA_IN_SPEC, heading, message, hint);
    }
    let mut places: HashMap<&str, usize> = HashMap::new();
    for requirement in requirements {
        let name = requirement.name;
        if requirement.place == RequirementPlace::Elsewhere {
            let message = format!("requirement `{name}` is outside the first `## Requirements`");
            report.add(&rules::REQUIREMENT_OUTSIDE, &requirement.heading, message, "move it there");
            continue;
        }
        match places.get(name) {
            Some(place) => {
                let line = report.line_of(*place);
                let message = format!("requirement `{name}` is on line {line} already");
                let hint = "keep one of the two, or give it another name";
                report.add(&rules::REQUIREMENT_DUPLICATE, &requirement.heading, message, hint);
            }
            None => {
                places.insert(name, requirement.heading.start);
            }
        }
    }
}

fn odd_requirement(report: &mut Report<'_>, heading: &OutlineHeading<'_>, name: &str) {
    if name.is_empty() {
        let message = "a requirement has no name";
        return report.add(
            &rules::REQUIREMENT_NAME,
            &heading.span,
            message,
            "write `### Requirement: <name>`",
        );
    }
    let message = format!("requirement `{name}` is a heading of level {}", heading.level);
    report.add(&rules::REQUIREMENT_LEVEL, &heading.span, message, format!("write `### Requirement: {name}`"));
}

fn scenario_level(report: &mut Report<'_>, heading: &OutlineHeading<'_>) {
    let name = strip_label(heading.name(), "Scenario:").unwrap_or_default();
    let line = &report.text[heading.span.clone()];
    let blanks = line.len() - line.trim_start().len();
    let start = heading.span.start + blanks;
    let marks = start..start + usize::from(heading.level);
    let is_atx = report.text[marks.clone()].bytes().all(|byte| byte == b'#');
    let fix = is_atx.then(|| Edit { span: marks, text: "####".to_owned() });
    let message = format!("scenario `{name}` is a heading of level {}", heading.level);
    let hint = format!("write `#### Scenario: {name}`");
    report.add_with(&rules::SCENARIO_LEVEL, &heading.span, message, hint, fix);
}
