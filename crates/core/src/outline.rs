//! Where the headings of a text stand and which lines are no prose: what the readers of specs and deltas work on.
//!
//! [`Outline::read`] takes both from the one document tree. [`Outline::by_lines`] is the grammar of OpenSpec, which
//! looks at lines alone; it serves verdicts under `openspec/` and nothing else (D-10). Clauses, edits and merges
//! always work on the first.

use crate::document::{BlockKind, Document, Span};

/// How headings were recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    CommonMark,
    OpenSpec,
}

#[derive(Debug)]
pub(crate) struct Outline<'t> {
    pub(crate) text: &'t str,
    pub(crate) grammar: Grammar,
    pub(crate) headings: Vec<OutlineHeading<'t>>,
    /// Code and comments, in order: their lines say nothing.
    hidden: Vec<Span>,
    /// Whether the lines show that the other grammar finds the same headings; no, when in doubt.
    pub(crate) is_plain: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutlineHeading<'t> {
    pub(crate) level: u8,
    /// The text as it stands, trimmed.
    pub(crate) title: &'t str,
    /// The heading from the start of its line, without its line end.
    pub(crate) span: Span,
    pub(crate) shape: HeadingShape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadingShape {
    Proper,
    /// `###Requirement: name`: no heading to CommonMark, but plainly meant as one.
    Glued,
}

/// One line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    /// Where the next line begins.
    pub(crate) next: usize,
}

impl<'t> Outline<'t> {
    pub(crate) fn read(document: &Document<'t>) -> Self {
        let text = document.text();
        let mut headings = Vec::new();
        let mut hidden: Vec<Span> = Vec::new();
        for block in document.blocks() {
            if let Some(heading) = block.structural_heading() {
                let span = block.span.clone();
                headings.push(OutlineHeading {
                    level: heading.level,
                    title: heading.raw,
                    span,
                    shape: HeadingShape::Proper,
                });
                continue;
            }
            match block.kind {
                BlockKind::Code(_) => hide(&mut hidden, block.span.clone()),
                BlockKind::Html if text[block.content.clone()].starts_with("<!--") => {
                    hide(&mut hidden, block.span.clone());
                }
                BlockKind::Paragraph if block.nesting == 0 && text[block.span.clone()].contains("###") => {
                    headings.extend(lines(text, block.span.clone()).filter_map(|line| glued(&line)));
                }
                _ => {}
            }
        }
        Self { text, grammar: Grammar::CommonMark, headings, hidden, is_plain: false }
    }

    /// The headings as OpenSpec finds them: at the first column, outside anything that looks like a fence.
    pub(crate) fn by_lines(text: &'t str) -> Self {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut headings = Vec::new();
        let mut hidden: Vec<Span> = Vec::new();
        let mut open: Option<(Fence, usize)> = None;
        let mut is_plain = true;
        for line in lines(text, start..text.len()) {
            is_plain &= text.as_bytes()[line.next - 1] != b'\r';
            match (open, fence(line.text)) {
                (None, None) => {
                    is_plain &= is_plain_line(line.text);
                    headings.extend(line_heading(&line).or_else(|| glued(&line)));
                }
                (None, Some((fence, info))) => {
                    is_plain &= line.text.starts_with(['`', '~']) && !info.contains('`');
                    open = Some((fence, line.start));
                }
                (Some(_), None) => {}
                (Some((opened, from)), Some((close, info))) => {
                    if close.mark != opened.mark || close.length < opened.length {
                        continue;
                    }
                    is_plain &= line.text.starts_with(['`', '~']);
                    if info.trim_matches(is_blank).is_empty() {
                        is_plain &= info.trim_matches([' ', '\t']).is_empty();
                        hidden.push(from..line.next);
                        open = None;
                    }
                }
            }
        }
        hidden.extend(open.map(|(_, from)| from..text.len()));
        Self { text, grammar: Grammar::OpenSpec, headings, hidden, is_plain }
    }

    /// The lines of a span that are neither code nor comment.
    pub(crate) fn prose(&self, span: Span) -> impl Iterator<Item = Line<'t>> {
        let mut hidden = self.hidden.iter().peekable();
        lines(self.text, span).filter(move |line| {
            while hidden.next_if(|hidden| hidden.end <= line.start).is_some() {}
            hidden.peek().is_none_or(|hidden| line.start < hidden.start)
        })
    }

    /// Where the first heading is that only one of two outlines of a text has.
    pub(crate) fn differs_from(&self, other: &Self) -> Option<usize> {
        let key = |heading: &OutlineHeading<'t>| (heading.span.start, heading.level);
        let (ours, theirs) = (self.headings.iter().map(key), other.headings.iter().map(key));
        if ours.clone().eq(theirs.clone()) {
            return None;
        }
        let first = ours.clone().zip(theirs.clone()).find(|(ours, theirs)| ours != theirs);
        let longer = || {
            ours.clone().skip(theirs.clone().count()).chain(theirs.clone().skip(ours.clone().count())).next()
        };
        first.map(|(ours, theirs)| ours.min(theirs)).or_else(longer).map(|(start, _)| start)
    }

    /// The headings that begin within a span, with their places among all of them.
    pub(crate) fn headings_in(&self, span: &Span) -> impl Iterator<Item = (usize, &OutlineHeading<'t>)> {
        // They stand in the order of the text.
        let place = |offset: usize| self.headings.partition_point(|heading| heading.span.start < offset);
        let (first, end) = (place(span.start), place(span.end.max(span.start)));
        (first..end).zip(&self.headings[first..end])
    }

    /// Where what begins at this heading ends: at the next heading for which `ends` holds.
    pub(crate) fn end_after(&self, index: usize, ends: impl Fn(&OutlineHeading<'t>) -> bool) -> usize {
        let next = self.headings[index + 1..].iter().find(|heading| ends(heading));
        next.map_or(self.text.len(), |heading| heading.span.start)
    }

    /// Whether a heading ends a level-2 section.
    pub(crate) fn ends_section(&self, heading: &OutlineHeading<'t>) -> bool {
        match self.grammar {
            Grammar::CommonMark => heading.level <= 2,
            // To OpenSpec a title in the middle of a file is text like any other.
            Grammar::OpenSpec => heading.level == 2,
        }
    }
}

impl<'t> OutlineHeading<'t> {
    /// What stands behind `Requirement:` in a level-3 heading. An empty name is no requirement.
    pub(crate) fn requirement_name(&self) -> Option<&'t str> {
        if self.level != 3 {
            return None;
        }
        Some(name_of(strip_label(self.title, "Requirement:")?)).filter(|name| !name.is_empty())
    }

    /// The heading's text without the run of `#` that may close it.
    pub(crate) fn name(&self) -> &'t str {
        name_of(self.title)
    }

    pub(crate) fn is(&self, level: u8, title: &str) -> bool {
        self.level == level && self.title.eq_ignore_ascii_case(title)
    }
}

/// The lines of a span, whatever ends them.
pub(crate) fn lines(text: &str, span: Span) -> impl Iterator<Item = Line<'_>> {
    let mut at = span.start;
    std::iter::from_fn(move || {
        if at >= span.end {
            return None;
        }
        let start = at;
        let rest = &text[start..span.end];
        // One byte at a time is what the standard library is fast at.
        let feed = rest.find('\n');
        let line = &rest[..feed.unwrap_or(rest.len())];
        let (length, ending) = match line.find('\r') {
            None => (line.len(), usize::from(feed.is_some())),
            Some(length) if length + 1 == line.len() && feed.is_some() => (length, 2),
            Some(length) => (length, 1),
        };
        at = start + length + ending;
        Some(Line { text: &rest[..length], start, next: at })
    })
}

/// What follows a label such as `Requirement:`, whose letters match in either case.
pub(crate) fn strip_label<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let head = text.get(..label.len())?;
    head.eq_ignore_ascii_case(label).then(|| text[label.len()..].trim())
}

/// Blanks as OpenSpec counts them.
pub(crate) fn is_blank(ch: char) -> bool {
    (ch.is_whitespace() && ch != '\u{85}') || ch == '\u{feff}'
}

fn hide(hidden: &mut Vec<Span>, span: Span) {
    // A code block in a list item lies within nothing that is hidden already; spans come in order.
    if hidden.last().is_none_or(|last| last.end <= span.start) {
        hidden.push(span);
    }
}

fn name_of(title: &str) -> &str {
    let open = title.trim_end_matches([' ', '\t']).trim_end_matches('#');
    if open.len() < title.len() && open.ends_with([' ', '\t']) { open.trim() } else { title.trim() }
}

fn glued<'t>(line: &Line<'t>) -> Option<OutlineHeading<'t>> {
    let title = line.text.strip_prefix("###")?;
    let name = strip_label(title, "Requirement:")?;
    if name.is_empty() {
        return None;
    }
    let span = line.start..line.start + line.text.trim_end().len();
    Some(OutlineHeading { level: 3, title: title.trim_end(), span, shape: HeadingShape::Glued })
}

fn line_heading<'t>(line: &Line<'t>) -> Option<OutlineHeading<'t>> {
    let after = line.text.trim_start_matches('#');
    let level = line.text.len() - after.len();
    if !(1..=6).contains(&level) || !after.starts_with(is_blank) {
        return None;
    }
    let title = after.trim_matches(is_blank);
    let span = line.start..line.start + line.text.len();
    // The level is at most 6.
    Some(OutlineHeading { level: u8::try_from(level).ok()?, title, span, shape: HeadingShape::Proper })
}

/// Whether a line outside fences means the same to both grammars.
fn is_plain_line(line: &str) -> bool {
    match line.bytes().next() {
        Some(b'#') => is_plain_heading(line),
        Some(b'<' | b'-' | b'=' | b' ' | b'\t') => {
            let inner = line.trim_matches([' ', '\t']);
            let underline = inner.bytes().all(|byte| byte == b'-') || inner.bytes().all(|byte| byte == b'=');
            inner.is_empty() || !(inner.starts_with(['<', '#']) || underline)
        }
        _ => true,
    }
}

/// A line that begins with `#` and is a heading to both grammars, with the same title, or to none.
fn is_plain_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    let level = line.len() - after.len();
    let mut rest = after.chars();
    match rest.next() {
        _ if level > 6 => true,
        Some(' ') => rest.next().is_some_and(|ch| !is_blank(ch)) && !line.trim_end().ends_with('#'),
        Some(ch) => !is_blank(ch) && strip_label(after, "Requirement:").is_none(),
        None => false,
    }
}

#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

/// The fence that a line opens or closes in the eyes of OpenSpec, and what stands behind it.
fn fence(line: &str) -> Option<(Fence, &str)> {
    // Most lines are told by their first byte that is no blank.
    let first = line.bytes().find(|byte| !matches!(byte, b' ' | b'\t'))?;
    if !matches!(first, b'`' | b'~' | 0x0b | 0x0c | 0x80..) {
        return None;
    }
    let inner = line.trim_start_matches(is_blank);
    let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let after = inner.trim_start_matches(mark);
    let length = inner.len() - after.len();
    (length >= 3).then_some((Fence { mark, length }, after))
}

#[cfg(test)]
mod tests;
