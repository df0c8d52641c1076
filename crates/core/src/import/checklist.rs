//! Task lists: every checkbox with what belongs to it, and everything else as prose.

use std::fmt::Write as _;

use super::model::Step;
use super::scan::{Fences, Line, Sect, bullet, checkbox, joined, sections};
use crate::plan::StepStatus;

/// A checkbox and the lines that belong to it.
#[derive(Debug, Clone)]
pub(super) struct Task<'t> {
    pub(super) mark: char,
    pub(super) text: &'t str,
    pub(super) details: Vec<Line<'t>>,
    /// Marked as something that may be skipped: `- [ ]* text`.
    pub(super) is_optional: bool,
    /// Index into the groups.
    pub(super) group: usize,
}

/// A heading with tasks below it.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The nearest heading of level 2 above, or the heading itself.
    pub(super) phase: String,
    pub(super) title: String,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Checklist<'t> {
    pub(super) title: &'t str,
    pub(super) tasks: Vec<Task<'t>>,
    pub(super) groups: Vec<Group>,
    /// What is no task: heading, line and text.
    pub(super) prose: Vec<(String, usize, String)>,
}

/// Reads a list; comments have to be out already.
pub(super) fn read(text: &str) -> Checklist<'_> {
    let mut list = Checklist::default();
    let mut phase = String::new();
    for section in sections(text, 1) {
        if section.level == 1 && list.title.is_empty() {
            list.title = section.title;
        }
        if (1..=2).contains(&section.level) {
            section.title.clone_into(&mut phase);
        }
        let group = list.groups.len();
        list.groups.push(Group { phase: phase.clone(), title: section.title.to_owned() });
        let prose = list.take_tasks(&section, group);
        // A heading without tasks says something of its own, but for the usual titles of such a file.
        let is_bare = !list.tasks.iter().any(|task| task.group == group) && !section.title.is_empty();
        let is_own = section.level == 1 && !is_usual(section.title);
        if !prose.trim().is_empty() || is_own || (is_bare && !is_usual(section.title)) {
            list.prose.push((section.title.to_owned(), section.line, prose));
        }
    }
    list
}

/// What every task list of these tools is called.
fn is_usual(title: &str) -> bool {
    ["implementation plan", "tasks document", "tasks"].contains(&title.to_lowercase().as_str())
}

impl<'t> Checklist<'t> {
    /// Takes the tasks of a section; what is left is returned.
    fn take_tasks(&mut self, section: &Sect<'t>, group: usize) -> String {
        let mut rest: Vec<Line<'t>> = Vec::new();
        let mut fences = Fences::default();
        let mut indent = None;
        for &(number, line) in &section.body {
            let is_code = fences.hides(line);
            if let Some((deep, mark, text)) = checkbox(line).filter(|_| !is_code) {
                let after = line.split_once(']').map_or("", |(_, after)| after);
                let is_optional = after.starts_with('*') || after.starts_with("\\*");
                self.tasks.push(Task { mark, text, details: Vec::new(), is_optional, group });
                indent = Some(deep);
                continue;
            }
            let own = line.len() - line.trim_start().len();
            let belongs = match (indent, self.tasks.last()) {
                (Some(task), Some(_)) => is_code || line.trim().is_empty() || own > task,
                _ => false,
            };
            if let Some(task) = self.tasks.last_mut().filter(|_| belongs) {
                task.details.push((number, line));
            } else {
                indent = None;
                rest.push((number, line));
            }
        }
        let rest: Vec<Line<'t>> = rest.into_iter().filter(|(_, line)| !is_rule(line)).collect();
        joined(&rest)
    }

    /// The prose as one text with its headings.
    pub(super) fn notes(&self) -> String {
        let mut out = String::new();
        for (title, _, text) in &self.prose {
            if !title.is_empty() {
                let _ = write!(out, "## {title}\n\n");
            }
            out.push_str(text.trim());
            out.push_str("\n\n");
        }
        out.trim().to_owned()
    }
}

pub(super) fn is_rule(line: &str) -> bool {
    let bare: String = line.chars().filter(|ch| !ch.is_whitespace()).collect();
    bare.len() >= 3 && ['-', '*', '_'].iter().any(|mark| bare.chars().all(|ch| ch == *mark))
}

impl Task<'_> {
    pub(super) fn status(&self) -> StepStatus {
        match self.mark {
            'x' | 'X' => StepStatus::Completed,
            '-' | '~' | '/' | '>' => StepStatus::InProgress,
            _ => StepStatus::Pending,
        }
    }

    /// The details with their indentation taken back.
    pub(super) fn description(&self) -> String {
        let lines: Vec<&str> = self.details.iter().map(|(_, line)| line.trim_end()).collect();
        let least = lines
            .iter()
            .filter(|line| !line.is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .min();
        let least = least.unwrap_or(0);
        let text: Vec<&str> =
            lines.iter().map(|line| line.get(least..).unwrap_or_else(|| line.trim_start())).collect();
        text.join("\n").trim().to_owned()
    }
}

/// A step of a list whose tasks begin with `1.`, `1.1` or nothing, with `_Requirements: 1.2, 3_` below them.
pub(super) fn numbered_step(task: &Task<'_>) -> Step {
    let (number, title) = number_and_title(task.text);
    let mut description = task.description();
    if task.is_optional {
        let gap = if description.is_empty() { "" } else { "\n\n" };
        description = format!("- **Optional:** yes{gap}{description}");
    }
    Step {
        number,
        title,
        proves: required(&description),
        description,
        status: task.status(),
        ..Step::default()
    }
}

/// `1.1 Do it`, `2. Do it` and `Do it`.
fn number_and_title(text: &str) -> (String, String) {
    let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let number = text[..end].trim_end_matches('.');
    let rest = &text[end..];
    let is_number =
        !number.is_empty() && !number.starts_with('.') && (rest.is_empty() || rest.starts_with(' '));
    if is_number {
        (number.to_owned(), rest.trim().to_owned())
    } else {
        (String::new(), text.trim().to_owned())
    }
}

/// The numbers behind `_Requirements:` and `**Validates: Requirements`.
fn required(description: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in description.lines() {
        let bare = line.trim().trim_start_matches(['-', '*', '_', ' ']);
        let validated = behind(bare, "validates:").map(str::trim_start);
        let list = match validated {
            Some(what) => behind(what, "requirements").or_else(|| behind(what, "requirement")),
            None => behind(bare, "requirements:"),
        };
        let Some(list) = list else { continue };
        for word in list.split([',', ' ', ';']) {
            let word = word.trim_matches(['_', '*', '.', '`', '(', ')']);
            let is_id = word.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
                && word.bytes().any(|byte| byte.is_ascii_digit());
            if is_id && !found.iter().any(|known| known == word) {
                found.push(word.to_owned());
            }
        }
    }
    found
}

/// What follows the first words of a line, in any case.
fn behind<'l>(line: &'l str, words: &str) -> Option<&'l str> {
    line.get(..words.len()).filter(|head| head.eq_ignore_ascii_case(words)).map(|_| &line[words.len()..])
}

/// The items of a list that are wanted, and every line that does not belong to one of them.
pub(super) fn wanted_items<'t>(
    lines: &[Line<'t>],
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<(usize, &'t str, String)>, Vec<Line<'t>>) {
    let (items, rest) = list_items(lines);
    let is_of_wanted = |number: usize| {
        let owner = items.iter().rev().find(|(start, _, _)| *start <= number);
        owner.is_some_and(|(_, _, text)| is_wanted(text))
            && !rest.iter().any(|(outside, _)| *outside == number)
    };
    let others = lines.iter().copied().filter(|(number, _)| !is_of_wanted(*number)).collect();
    let wanted = items.iter().filter(|(_, _, text)| is_wanted(text)).cloned().collect();
    (wanted, others)
}

/// The items of a list in a text, each with its further lines; `None` for the text before, between and behind them.
pub(super) fn list_items<'t>(lines: &[Line<'t>]) -> (Vec<(usize, &'t str, String)>, Vec<Line<'t>>) {
    let mut items: Vec<(usize, &'t str, String)> = Vec::new();
    let mut rest = Vec::new();
    let mut fences = Fences::default();
    let mut indent = None;
    // How far the code that is open stands in.
    let mut code_indent = None;
    for &(number, line) in lines {
        let is_code = fences.hides(line);
        let own = line.len() - line.trim_start().len();
        if !is_code {
            code_indent = None;
        }
        match bullet(line).filter(|_| !is_code) {
            Some((deep, marker, text)) if indent.is_none_or(|known| deep <= known) => {
                indent = Some(deep);
                items.push((number, marker, text.to_owned()));
            }
            _ if indent.is_some_and(|known| is_code || own > known) => {
                if let Some((_, _, text)) = items.last_mut() {
                    text.push('\n');
                    // Code keeps its own indentation.
                    let skipped = if is_code { own.min(*code_indent.get_or_insert(own)) } else { own };
                    text.push_str(line[skipped..].trim_end());
                }
            }
            _ if line.trim().is_empty() => {}
            _ => {
                indent = None;
                rest.push((number, line));
            }
        }
    }
    (items, rest)
}
