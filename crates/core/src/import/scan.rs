//! Lines and sections of a foreign Markdown text, with code fences respected and comments taken out.

/// One line with its number, from 1.
pub(super) type Line<'t> = (usize, &'t str);

/// A heading with what stands below it, up to the next heading of any level. The first may have no heading.
#[derive(Debug, Clone, Default)]
pub(super) struct Sect<'t> {
    pub(super) level: usize,
    pub(super) title: &'t str,
    /// Of the heading.
    pub(super) line: usize,
    pub(super) body: Vec<Line<'t>>,
}

impl Sect<'_> {
    pub(super) fn text(&self) -> String {
        joined(&self.body)
    }

    pub(super) fn is(&self, title: &str) -> bool {
        self.title.eq_ignore_ascii_case(title)
    }

    /// Whether the title begins so, in any case.
    pub(super) fn begins(&self, start: &str) -> bool {
        begins(self.title, start)
    }
}

pub(super) fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// The lines as one text, without blank ones around it.
pub(super) fn joined(lines: &[Line<'_>]) -> String {
    let text = lines.iter().map(|(_, line)| line.trim_end()).collect::<Vec<_>>().join("\n");
    text.trim_matches('\n').to_owned()
}

/// Whether a line opens or closes a fence, and with what.
pub(super) fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = if line.starts_with("```") { '`' } else { '~' };
    let length = line.chars().take_while(|ch| *ch == mark).count();
    (length >= 3).then(|| &line[..length])
}

/// Follows fences line by line.
#[derive(Debug, Default)]
pub(super) struct Fences<'t> {
    open: Option<&'t str>,
}

impl<'t> Fences<'t> {
    /// Whether this line is code, or the fence of it.
    pub(super) fn hides(&mut self, line: &'t str) -> bool {
        match (self.open, fence(line)) {
            (Some(open), Some(mark)) => {
                let rest = line.trim_start().trim_start_matches(['`', '~']);
                if mark.starts_with(open) && rest.trim().is_empty() {
                    self.open = None;
                }
                true
            }
            (Some(_), None) => true,
            (None, Some(mark)) => {
                self.open = Some(mark);
                true
            }
            (None, None) => false,
        }
    }

    pub(super) fn open(&self) -> Option<&'t str> {
        self.open
    }
}

/// A heading `## Title ##`: level and title.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    if line.starts_with("    ") || line.starts_with('\t') {
        return None;
    }
    let line = line.trim();
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    Some((level, if bare.ends_with([' ', '\t']) || bare.is_empty() { bare.trim() } else { title }))
}

/// All sections of a text in their order. `first` is the number of the text's first line.
pub(super) fn sections(text: &str, first: usize) -> Vec<Sect<'_>> {
    let mut found = vec![Sect { line: first, ..Sect::default() }];
    let mut fences = Fences::default();
    for (index, line) in text.lines().enumerate() {
        let number = first + index;
        if !fences.hides(line)
            && let Some((level, title)) = heading(line)
        {
            found.push(Sect { level, title, line: number, body: Vec::new() });
        } else if let Some(last) = found.last_mut() {
            last.body.push((number, line));
        }
    }
    found
}

/// A text without its HTML comments, and the comments with their lines. Line numbers stay what they were.
pub(super) fn without_comments(text: &str) -> (String, Vec<(usize, String)>) {
    let mut out = String::with_capacity(text.len());
    let mut comments: Vec<(usize, String)> = Vec::new();
    let mut fences = Fences::default();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if !inside && fences.hides(line) {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let mut rest = line;
        loop {
            if inside {
                let (comment, after) = rest.split_once("-->").map_or((rest, None), |(a, b)| (a, Some(b)));
                if let Some((_, known)) = comments.last_mut() {
                    if !known.is_empty() && !comment.trim().is_empty() {
                        known.push('\n');
                    }
                    known.push_str(comment.trim());
                }
                let Some(after) = after else { break };
                inside = false;
                rest = after;
            } else {
                let Some((before, after)) = rest.split_once("<!--").filter(|(before, _)| !in_code(before))
                else {
                    out.push_str(rest);
                    break;
                };
                out.push_str(before);
                comments.push((index + 1, String::new()));
                inside = true;
                rest = after;
            }
        }
        out.push('\n');
    }
    comments.retain(|(_, text)| !text.is_empty());
    (out, comments)
}

/// Whether a text ends inside a code span.
fn in_code(before: &str) -> bool {
    before.matches('`').count() % 2 == 1
}

/// The line of the first marker of an unfinished merge, if there is one.
pub fn conflict(text: &str) -> Option<usize> {
    let line_of = |start: &str| {
        text.lines().position(|line| {
            line.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    let (ours, theirs) = (line_of("<<<<<<<")?, line_of(">>>>>>>"));
    (theirs.is_some() || line_of("=======").is_some()).then_some(ours + 1)
}

/// A bullet or a number of a list, and what follows it: indent, marker, text.
pub(super) fn bullet(line: &str) -> Option<(usize, &str, &str)> {
    let body = line.trim_start();
    let indent = line.len() - body.len();
    if let Some(rest) = body.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with([' ', '\t'])) {
        return Some((indent, &body[..1], rest.trim()));
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let rest = body.get(digits..)?;
    let plain = rest.strip_prefix(['.', ')']).filter(|after| digits > 0 && after.starts_with([' ', '\t']));
    match plain {
        Some(after) => Some((indent, &body[..digits], after.trim())),
        None => dotted(body).map(|(number, text)| (indent, number, text)),
    }
}

/// `1.2. text`, and `1.2 WHEN …`, as criteria are counted; other numbers with dots are words.
fn dotted(body: &str) -> Option<(&str, &str)> {
    let end = body.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let number = body[..end].trim_end_matches('.');
    let parts = number.split('.');
    if parts.clone().count() < 2 || parts.clone().any(str::is_empty) {
        return None;
    }
    let after = body[number.len()..].strip_prefix(['.', ')']);
    let text = after.unwrap_or(&body[number.len()..]);
    let word = text.split_whitespace().next()?;
    let is_keyword = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    (text.starts_with([' ', '\t']) && (after.is_some() || is_keyword)).then(|| (number, text.trim()))
}

/// A checkbox of a list: indent, mark, text.
pub(super) fn checkbox(line: &str) -> Option<(usize, char, &str)> {
    let (indent, _, text) = bullet(line)?;
    let mut inside = text.strip_prefix('[')?.chars();
    let mark = inside.next()?;
    let rest = inside.as_str().strip_prefix(']')?;
    // `- [P] tasks` is a word in brackets.
    if mark.is_alphanumeric() && !matches!(mark, 'x' | 'X') {
        return None;
    }
    // Kiro marks what may be skipped with a star.
    let rest = rest.strip_prefix('*').or_else(|| rest.strip_prefix("\\*")).unwrap_or(rest);
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| (indent, mark, rest.trim()))
}

/// The first words of a text on one line, without markup, for a name.
pub(super) fn short(text: &str, words: usize) -> String {
    let plain = plain(text);
    let mut out = plain.split_whitespace().take(words).collect::<Vec<_>>().join(" ");
    if out.chars().count() > 90 {
        out = out.chars().take(90).collect();
    }
    out.trim_end_matches(['.', ',', ';', ':', ' ', '(', '"']).to_owned()
}

/// A text on one line without emphasis.
pub(super) fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}
