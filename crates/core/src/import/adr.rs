//! Decision records of adr-tools and MADR, and what they become here.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::front;
use super::ids;
use super::model::{Bundle, Decision, SourceFile};
use super::scan::{Sect, begins, sections, without_comments};
use crate::decision::record::imported_head;
use crate::decision::text::escape;
use crate::decision::uid::Uid;

/// Said of a date that cannot be read.
const NO_DAY: &str = "not a day such as 2016-02-13; the record has the day of the import";

/// `0005-help-comments.md`: the number of a record.
pub fn number_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path).strip_suffix(".md")?;
    let name = if begins(name, "adr-") { &name[4..] } else { name };
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &name[digits..];
    (digits > 0 && digits <= 6 && rest.starts_with(['-', '_', ' '])).then(|| &name[..digits])
}

/// Whether a file may be a record; hewto's own may stand in the same folder.
pub(super) fn wants(path: &str) -> bool {
    path.ends_with(".md") && Uid::of_file_name(path.rsplit('/').next().unwrap_or(path)).is_none()
}

/// Whether a text is a record of MADR rather than of adr-tools.
pub fn is_madr(text: &str) -> bool {
    sections(text, 1).iter().any(|section| {
        section.begins("Context and Problem Statement")
            || section.is("Considered Options")
            || section.is("Decision Outcome")
    })
}

pub(super) fn read(files: &[SourceFile]) -> Bundle {
    let mut bundle = Bundle::default();
    for file in files {
        match number_of(&file.path) {
            Some(_) if front::never_ends(&file.text) => {
                bundle.fault(&file.path, Some(1), front::NEVER_ENDS);
            }
            Some(number) => {
                let decision = with_front(&mut bundle, file, number);
                if let Some(twin) = bundle.decisions.iter().find(|one| one.alias == decision.alias) {
                    let what = format!(
                        "`{}` has the number {number} too; each is found by its own id here",
                        twin.key
                    );
                    let title = decision.title.clone();
                    bundle.keep_prose("", &file.path, 1, &what, &title);
                }
                bundle.decisions.push(decision);
            }
            None => bundle.leave_out(&file.path, 1, "", "not a record: its name has no number"),
        }
    }
    bundle
}

/// A record with or without front matter, in the sections that it has.
pub(super) fn with_front(bundle: &mut Bundle, file: &SourceFile, number: &str) -> Decision {
    let front = front::read(&file.text);
    let (text, comments) = without_comments(&file.text[front.body_start..]);
    for (line, comment) in comments {
        bundle.leave_out(&file.path, line + front.body_line - 1, &comment, "a comment");
    }
    let mut decision = Decision {
        key: file.path.clone(),
        alias: number.to_owned(),
        title: front.first("title").to_owned(),
        date: day(front.first("date")),
        status: front.first("status").to_owned(),
        ..Decision::default()
    };
    if !decision.status.is_empty() {
        supersedes_line(&mut decision, front.first("status"));
    }
    let known = ["id", "title", "date", "status"];
    let mut facts = String::new();
    if decision.date.is_none() && !front.first("date").is_empty() {
        let said = format!("- date: {}", front.first("date"));
        bundle.keep_prose("", &file.path, 1, NO_DAY, &said);
        let _ = writeln!(facts, "{said}");
    }
    for (key, values) in
        front.entries.iter().filter(|(key, values)| !known.contains(&key.as_str()) && !values.is_empty())
    {
        let _ = writeln!(facts, "- {key}: {}", values.join(", "));
    }
    for section in sections(&text, front.body_line) {
        match section.level {
            0 | 1 => {
                if section.level == 1 && decision.title.is_empty() {
                    decision.title = title_of(section.title);
                } else if section.level == 1 && title_of(section.title) != decision.title {
                    let _ = writeln!(facts, "- {}", section.title);
                }
                let (rest, odd) = opening(&mut decision, &section);
                facts.push_str(&rest);
                for (line, said) in odd {
                    bundle.keep_prose("", &file.path, line, NO_DAY, said);
                }
            }
            2 => decision.sections.push((section.title.to_owned(), section.text())),
            _ => below(&mut decision, &section),
        }
        if section.is("Status") && section.level == 2 {
            status(&mut decision, &section);
        }
    }
    if !facts.trim().is_empty() {
        decision.sections.push(("Details".to_owned(), facts.trim().to_owned()));
    }
    if decision.title.is_empty() {
        decision.title = ids::in_words(file.name().trim_end_matches(".md"));
    }
    decision
}

/// A title without its number: `5. Help comments`, `ADR-0005: Help`.
fn title_of(title: &str) -> String {
    let rest = if begins(title, "ADR") { title[3..].trim_start_matches(['-', ' ', '#']) } else { title };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let bare = rest[digits..].trim_start();
    let is_numbered = digits > 0 && bare.starts_with(['.', ':', '-', '–', '—']);
    let title = if is_numbered { bare.trim_start_matches(['.', ':', '-', '–', '—', ' ']) } else { title };
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines between the title and the first section: `Date: …`, `* Status: …`, and what else stands there; and the
/// lines whose date is none.
fn opening<'t>(decision: &mut Decision, section: &Sect<'t>) -> (String, Vec<(usize, &'t str)>) {
    let mut rest = String::new();
    let mut odd = Vec::new();
    for (number, line) in &section.body {
        let bare = line.trim().trim_start_matches(['*', '-', ' ']);
        let value = |key: &str| begins(bare, key).then(|| bare[key.len()..].trim().to_owned());
        if let Some(date) = value("Date:") {
            match day(&date) {
                Some(day) if decision.date.is_none() => {
                    decision.date = Some(day);
                    continue;
                }
                None if !date.is_empty() => odd.push((*number, line.trim())),
                _ => {}
            }
        } else if let Some(status) = value("Status:").filter(|_| decision.status.is_empty()) {
            supersedes_line(decision, &status);
            decision.status = status;
            continue;
        }
        let _ = writeln!(rest, "{line}");
    }
    (if rest.trim().is_empty() { String::new() } else { rest }, odd)
}

/// A day such as `2016-02-13`, also with a time or in quotes.
fn day(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'']).replace('/', "-");
    let day = text.get(..10)?;
    let shape = day
        .bytes()
        .enumerate()
        .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    (shape && Uid::parse(&format!("{}T000000.000Z", day.replace('-', ""))).is_ok()).then(|| day.to_owned())
}

fn below(decision: &mut Decision, section: &Sect<'_>) {
    let text = format!("{} {}\n\n{}", "#".repeat(section.level), section.title, section.text());
    match decision.sections.last_mut() {
        Some((_, known)) => super::stories::join(known, text.trim()),
        None => decision.sections.push((section.title.to_owned(), section.text())),
    }
}

/// The first line is the status; further lines are links.
fn status(decision: &mut Decision, section: &Sect<'_>) {
    for (_, line) in section.body.iter().filter(|(_, line)| !line.trim().is_empty()) {
        if decision.status.is_empty() {
            line.trim().clone_into(&mut decision.status);
        }
        supersedes_line(decision, line);
    }
}

/// `Supersedes [2. x](0002-x.md)`; also in the spelling of older versions.
fn supersedes_line(decision: &mut Decision, line: &str) {
    let folded = line.trim().trim_start_matches(['*', '-', ' ']).to_lowercase();
    let (is_newer, is_older) = (
        ["supersedes", "supercedes"].iter().any(|word| folded.starts_with(word)),
        ["superseded by", "superceded by"].iter().any(|word| folded.contains(word)),
    );
    let target = line
        .split_once("](")
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(file, _)| file.trim_start_matches("./").to_owned())
        .or_else(|| number_in(&folded));
    match target {
        Some(target) if is_newer => decision.supersedes.push(target),
        // Marked for whoever joins the two.
        Some(target) if is_older => decision.supersedes.push(format!("<{target}")),
        _ => {}
    }
}

/// `superseded by ADR-0123`: the number.
fn number_in(text: &str) -> Option<String> {
    let start = text.find(|ch: char| ch.is_ascii_digit())?;
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    Some(text[start..start + digits].to_owned())
}

/// Which decision takes the place of which, both ways: indexes into the list, newer first.
pub fn superseding(decisions: &[Decision]) -> Vec<(usize, usize)> {
    let find = |from: usize, target: &str| {
        decisions.iter().enumerate().position(|(at, one)| {
            let file = one.key.rsplit('/').next().unwrap_or(&one.key);
            let is_number = target.bytes().all(|byte| byte.is_ascii_digit());
            at != from
                && (file == target.rsplit('/').next().unwrap_or(target)
                    || (is_number && one.alias.trim_start_matches('0') == target.trim_start_matches('0')))
        })
    };
    let mut pairs = Vec::new();
    for (at, decision) in decisions.iter().enumerate() {
        for target in &decision.supersedes {
            let pair = match target.strip_prefix('<') {
                Some(newer) => find(at, newer).map(|newer| (newer, at)),
                None => find(at, target).map(|older| (at, older)),
            };
            pairs.extend(pair);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// What a record takes from those around it.
#[derive(Debug, Clone)]
pub struct Links<'a> {
    pub uid: &'a Uid,
    pub previous: Option<&'a Uid>,
    pub supersedes: Vec<&'a Uid>,
    pub date: &'a str,
    /// Old file names and new ones.
    pub files: &'a BTreeMap<String, String>,
}

/// The text of the record.
pub fn render(decision: &Decision, links: &Links<'_>) -> String {
    let mut out = imported_head(links.uid, links.date, links.previous, &links.supersedes, &decision.alias);
    let previous = links.previous.map_or("_None_", Uid::as_str);
    let status = if decision.status.is_empty() { "Accepted" } else { &decision.status };
    let _ = write!(out, "\n# ADR: {}\n\n", escape(&decision.title));
    let _ = write!(
        out,
        "**Category:** Imported\n**Date:** {}\n**Status:** {}\n**Previous:** {previous}\n**Imported from:** `{}` (number {})\n\n",
        links.date,
        relinked(status, links.files),
        decision.key.replace('`', "'"),
        decision.alias
    );
    out.push_str("# PART 1: ARCHITECTURE SNAPSHOT\n\n## Changes in This Version\n\n_None_\n\n## Architecture Snapshot\n\n_None_\n\n# PART 2: DECISION DETAILS\n\n");
    for (title, text) in &decision.sections {
        let _ = write!(out, "## {}\n\n{}\n\n", heading(title), closed(&relinked(text, links.files)));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Headings of other tools under the names that hewto's own records use.
fn heading(title: &str) -> String {
    let folded = title.to_lowercase();
    match folded.as_str() {
        "context and problem statement" => "Context".to_owned(),
        "decision outcome" => "Decision".to_owned(),
        "considered options" => "Alternatives Considered".to_owned(),
        "architecture snapshot" | "current architecture state" | "changes in this version" => {
            format!("{title} (as imported)")
        }
        _ => title.to_owned(),
    }
}

/// Headings stay below level 2, and fences end.
fn closed(text: &str) -> String {
    let mut fences = super::scan::Fences::default();
    let mut out = String::new();
    for line in text.lines() {
        let is_code = fences.hides(line);
        match super::scan::heading(line).filter(|_| !is_code) {
            Some((level, title)) if level < 3 => {
                let _ = writeln!(out, "### {title}");
            }
            _ => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    if let Some(open) = fences.open() {
        out.push_str(open);
    }
    out.trim().to_owned()
}

/// A text with links to the new names of files.
fn relinked(text: &str, files: &BTreeMap<String, String>) -> String {
    let mut out = text.to_owned();
    for (old, new) in files {
        if out.contains(old.as_str()) {
            for lead in ["](", "](./"] {
                out = out.replace(&format!("{lead}{old})"), &format!("]({new})"));
                out = out.replace(&format!("{lead}{old}#"), &format!("]({new}#"));
            }
        }
    }
    out
}
