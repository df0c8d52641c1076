//! A review in words: what is different, who said what, what they remarked.

use std::fmt::Write as _;

use hewto_engine::view::{CommentState, CommentView, ReviewDifference, ReviewView};
use similar::{ChangeTag, TextDiff};

use crate::ui::{BAD, DIM, GOOD, HEADING, NAME, WARN, one_line, paint, visible};

pub(crate) fn review(view: &ReviewView) -> String {
    let mut out = format!("{}  {}\n", paint(NAME, &one_line(&view.spec_id)), one_line(&view.title));
    let _ = writeln!(out, "version {}  {}", view.version, paint(DIM, &view.digest));
    let _ = writeln!(out, "{}, the gate wants `{}`", standing(&view.standing), view.gate);
    if !view.reviewers.is_empty() {
        let _ = writeln!(out, "reviewers: {}", one_line(&view.reviewers.join(", ")));
    }
    let title = match view.since_version {
        Some(version) if view.differences.is_empty() => {
            format!("Nothing is different since version {version}")
        }
        Some(version) => format!("Different since version {version}, which was approved"),
        None => "What there is to approve".to_owned(),
    };
    let _ = writeln!(out, "\n{}", paint(HEADING, &title));
    for one in &view.differences {
        difference(&mut out, one);
    }
    if !view.verdicts.is_empty() {
        let _ = writeln!(out, "\n{}", paint(HEADING, "Verdicts"));
    }
    for given in &view.verdicts {
        let _ = write!(
            out,
            "  {} version {} by {} ({}, {})",
            given.verdict,
            given.version,
            one_line(&given.by),
            given.channel,
            given.at
        );
        match &given.doubt {
            Some(doubt) => {
                let _ = writeln!(out, "  {}", paint(WARN, &one_line(doubt)));
            }
            None => out.push('\n'),
        }
        if let Some(note) = &given.note {
            let _ = writeln!(out, "    {}", one_line(note));
        }
    }
    if !view.comments.is_empty() {
        let _ = writeln!(out, "\n{}", paint(HEADING, "Comments"));
        out.extend(view.comments.iter().map(comment));
    }
    for problem in &view.problems {
        let _ = writeln!(out, "{} {}", paint(BAD, "✗"), one_line(problem));
    }
    out
}

pub(crate) fn comment(view: &CommentView) -> String {
    let state = view.state.as_str();
    let state = match view.state {
        CommentState::Open => paint(WARN, state),
        CommentState::Outdated => paint(BAD, state),
        CommentState::Resolved => paint(DIM, state),
    };
    let mut out = format!("  {state} {} by {} ({})", view.id, one_line(&view.by), view.at);
    if let Some(place) = &view.place {
        let _ = write!(out, "  {}{}", one_line(place), if view.moved { " (moved)" } else { "" });
    }
    out.push('\n');
    if let Some(quote) = &view.quote {
        let _ = writeln!(out, "    “{}”", one_line(quote));
    }
    for line in visible(&view.text).lines() {
        let _ = writeln!(out, "    {line}");
    }
    for reply in &view.replies {
        let _ = writeln!(out, "    ↳ {} ({}): {}", one_line(&reply.by), reply.at, one_line(&reply.text));
    }
    if let Some(by) = &view.resolved_by {
        let _ = writeln!(
            out,
            "    settled by {}: {}",
            one_line(by),
            one_line(view.resolution.as_deref().unwrap_or(""))
        );
    }
    out
}

fn standing(name: &str) -> String {
    match name {
        "approved" => paint(GOOD, name),
        "rejected" | "changes_requested" => paint(BAD, name),
        _ => paint(WARN, name),
    }
}

fn difference(out: &mut String, one: &ReviewDifference) {
    let _ = writeln!(out, "\n{}", paint(HEADING, &one_line(&one.text)));
    match (&one.before, &one.after) {
        (Some(before), Some(after)) if before != after => words(out, before, after),
        (_, Some(after)) => lines(out, after, "+", GOOD),
        (Some(before), None) => lines(out, before, "-", BAD),
        (None, None) => {}
    }
}

fn lines(out: &mut String, text: &str, sign: &str, style: anstyle::Style) {
    for line in visible(text).lines() {
        let _ = writeln!(out, "  {}", paint(style, &format!("{sign} {line}")));
    }
}

/// Both texts in one, with the words that went and came marked.
fn words(out: &mut String, before: &str, after: &str) {
    let (before, after) = (visible(before), visible(after));
    let diff = TextDiff::from_words(before.as_str(), after.as_str());
    let mut text = String::new();
    for change in diff.iter_all_changes() {
        let value = change.value();
        match change.tag() {
            ChangeTag::Equal => text.push_str(value),
            ChangeTag::Delete => text.push_str(&marked(value, "[-", "-]", BAD)),
            ChangeTag::Insert => text.push_str(&marked(value, "{+", "+}", GOOD)),
        }
    }
    for line in text.lines() {
        let _ = writeln!(out, "  {line}");
    }
}

/// Marks what is no blank; the marks alone tell, without colour.
fn marked(value: &str, open: &str, close: &str, style: anstyle::Style) -> String {
    if value.trim().is_empty() {
        return value.to_owned();
    }
    let (start, end) = (value.len() - value.trim_start().len(), value.trim_end().len());
    format!(
        "{}{}{}",
        &value[..start],
        paint(style, &format!("{open}{}{close}", &value[start..end])),
        &value[end..]
    )
}
