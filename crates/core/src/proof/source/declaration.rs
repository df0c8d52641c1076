//! What a declaration is called, and whether it is a test.

use super::language::{Language, Shape};
use super::statement::behind_attributes;
use super::token::Tokens;
use super::words::{GROUP_CALLS, GROUPS, KEYWORDS, MODIFIERS, TEST_CALLS, TEST_MACROS, TEST_MARKS};

/// What stands at a place, as far as its first words tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Declaration {
    /// The first token behind the attributes.
    pub(crate) body: usize,
    pub(crate) name: Option<String>,
    /// What a report calls it, when it is a test or a group of tests.
    pub(crate) title: Option<String>,
    pub(crate) is_test: bool,
    /// Whether it declares something at all, or is a mere statement.
    pub(crate) declares: bool,
    /// Whether reports name it around its tests: a class, a module, `describe`.
    pub(crate) groups: bool,
}

/// Reads the words that a declaration opens with; `start` may be an attribute.
pub(crate) fn read_declaration(tokens: &Tokens<'_>, start: usize, language: &Language) -> Declaration {
    let (body, marks) = behind_attributes(tokens, start, language);
    if body >= tokens.all.len() {
        return Declaration { body, ..Declaration::default() };
    }
    if language.shape == Shape::Gherkin {
        return gherkin(tokens, body);
    }
    let marked = marks.iter().any(|word| TEST_MARKS.contains(word));
    let read = call(tokens, body)
        .or_else(|| keyword(tokens, body))
        .or_else(|| bare(tokens, body, language))
        .unwrap_or_default();
    let named = read.name.as_deref().is_some_and(|name| names_test(name, language));
    let is_test = read.is_test || ((marked || named) && !read.groups);
    let title = read.title.or_else(|| read.name.clone());
    Declaration { body, is_test, title, declares: read.declares || !marks.is_empty(), ..read }
}

fn names_test(name: &str, language: &Language) -> bool {
    match language.name {
        "python" | "ruby" | "php" | "lua" | "swift" | "shell" => name.starts_with("test"),
        "go" => ["Test", "Fuzz", "Example"].iter().any(|start| {
            name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|ch: char| ch.is_lowercase()))
        }),
        _ => false,
    }
}

/// `it("title", …)`, `test "title" do`, `t.Run("title", …)`, `TEST(Suite, Name)`, `test.each(…)("title", …)`
fn call(tokens: &Tokens<'_>, body: usize) -> Option<Declaration> {
    let is_before =
        tokens.is_mark(body, b'@') || tokens.is_mark(body, b'(') || tokens.word(body) == Some("await");
    let body_word = if is_before { body + 1 } else { body };
    let head = tokens.word(body_word)?;
    let mut at = body_word + 1;
    let mut last = head;
    while tokens.is_mark(at, b'.') && tokens.word(at + 1).is_some() {
        last = tokens.word(at + 1)?;
        at += 2;
    }
    let is_call = |names: &[&str]| names.contains(&head) || (at > body_word + 1 && names.contains(&last));
    if TEST_MACROS.contains(&head) && tokens.is_mark(at, b'(') {
        let close = tokens.closing(at);
        let words: Vec<&str> = (at..close).filter_map(|index| tokens.word(index)).collect();
        let name = words.last().map(|name| (*name).to_owned());
        return Some(Declaration {
            name: name.clone(),
            title: name,
            is_test: true,
            declares: true,
            ..Declaration::default()
        });
    }
    let (is_test, groups) = (is_call(&TEST_CALLS), is_call(&GROUP_CALLS));
    // A step of a test is none of its own.
    if (!is_test && !groups) || last == "step" {
        return None;
    }
    // The table of `each` stands before the title.
    let table = last == "each" || last == "for" || last == "skipIf" || last == "runIf";
    if table {
        at = if tokens.is_mark(at, b'(') { tokens.closing(at) + 1 } else { at + 1 };
    }
    let title_at = if tokens.is_mark(at, b'(') { tokens.code_from(at + 1)? } else { at };
    let title = tokens.string(title_at)?;
    let title = unescaped(title);
    Some(Declaration {
        name: Some(title.clone()),
        title: Some(title),
        is_test,
        groups,
        declares: true,
        body: 0,
    })
}

/// A keyword, perhaps behind modifiers, and the name that follows it.
fn keyword(tokens: &Tokens<'_>, body: usize) -> Option<Declaration> {
    let mut at = if tokens.is_mark(body, b'(') { body + 1 } else { body };
    loop {
        let word = tokens.word(at)?;
        let folded = word.to_ascii_lowercase();
        let is_modifier = MODIFIERS.contains(&folded.as_str());
        let next_is_word = tokens.word(at + 1).is_some();
        let before_function =
            matches!(tokens.word(at + 1), Some("fn" | "class" | "unsafe" | "async" | "extern"));
        if KEYWORDS.contains(&folded.as_str())
            && !(is_modifier && next_is_word)
            && !(folded == "const" && before_function)
        {
            return Some(named(tokens, at, &folded));
        }
        if !is_modifier && folded != "const" {
            return None;
        }
        at += 1;
        // `pub(crate)`, `extern "C"`
        if tokens.is_mark(at, b'(') {
            at = tokens.closing(at) + 1;
        } else if tokens.string(at).is_some() {
            at += 1;
        }
    }
}

fn named(tokens: &Tokens<'_>, keyword: usize, word: &str) -> Declaration {
    let mut at = keyword + 1;
    // A receiver, generics, a macro's mark, a generator's star.
    while let Some(mark) = tokens.mark(at) {
        match mark {
            b'(' => at = tokens.closing(at) + 1,
            b'<' => at = behind_angles(tokens, at),
            b'!' | b'*' | b'&' => at += 1,
            _ => break,
        }
    }
    let mut name = tokens.word(at).or_else(|| tokens.string(at)).map(str::to_owned);
    while let (Some(name), Some(b'.' | b':'), Some(more)) =
        (&mut name, tokens.mark(at + 1), tokens.word(at + 2))
    {
        if tokens.all[at + 1].end != tokens.all[at + 2].start
            || tokens.all[at + 1].start != tokens.all[at].end
        {
            break;
        }
        name.push('.');
        name.push_str(more);
        at += 2;
    }
    let groups = GROUPS.contains(&word);
    let is_test = word == "deftest";
    Declaration { title: name.clone(), name, is_test, groups, declares: true, body: 0 }
}

/// A function or method without a keyword: `Type name(…)` or, in a class, `name(…) {`; or a field `name: …`.
fn bare(tokens: &Tokens<'_>, body: usize, language: &Language) -> Option<Declaration> {
    let declares = |name: &str| Declaration {
        name: Some(name.to_owned()),
        title: Some(name.to_owned()),
        declares: true,
        ..Declaration::default()
    };
    if matches!(language.shape, Shape::Paragraph | Shape::Semicolon | Shape::Parens) || language.is("haskell")
    {
        let name = tokens.word(body).unwrap_or_default();
        return Some(Declaration { name: None, title: None, ..declares(name) });
    }
    if language.is("shell") {
        // `name() {`
        let name = tokens.word(body)?;
        return (tokens.is_mark(body + 1, b'(') && tokens.is_mark(body + 2, b')')).then(|| declares(name));
    }
    if !matches!(language.shape, Shape::Braces | Shape::BracesOrLine) {
        return None;
    }
    let first = tokens.word(body)?;
    if matches!(
        first,
        "if" | "for" | "while" | "switch" | "return" | "match" | "await" | "throw" | "else" | "do" | "try"
    ) {
        return None;
    }
    if tokens.is_mark(body + 1, b':') && !tokens.is_mark(body + 2, b':') {
        return Some(declares(first));
    }
    let line = tokens.all[body].line;
    let open = (body..tokens.all.len().min(body + 24)).find(|&at| match tokens.mark(at) {
        Some(b'(' | b';' | b'{' | b'=') => true,
        _ => tokens.all[at].line > line + 3,
    })?;
    if !tokens.is_mark(open, b'(') || open == 0 {
        return None;
    }
    let name = tokens.word(open - 1)?;
    let close = tokens.closing(open);
    let behind = tokens.code_from(close + 1)?;
    let has_type = open > body + 1;
    let has_body = tokens.is_mark(behind, b'{')
        || tokens.is_mark(behind, b':')
        || matches!(tokens.word(behind), Some("const" | "throws" | "noexcept" | "override" | "async"))
        || (has_type && (tokens.is_mark(behind, b';') || tokens.is_mark(behind, b'=')));
    let calls_member = (body..open).any(|at| tokens.is_mark(at, b'.'));
    (has_body && !calls_member).then(|| declares(name))
}

fn gherkin(tokens: &Tokens<'_>, body: usize) -> Declaration {
    // Other tags may stand between ours and the scenario.
    let mut line = tokens.all[body].line;
    while line + 1 < tokens.lines() && tokens.line_text(line).trim_start().starts_with(['@', '#']) {
        line += 1;
    }
    let text = tokens.line_text(line);
    let title = text.split_once(':').map(|(_, title)| title.trim().to_owned());
    let word = text.trim_start().split(':').next().unwrap_or_default();
    let groups = matches!(word, "Feature" | "Rule" | "Ability" | "Business Need");
    let body = tokens.on_lines(line..line + 1).start;
    Declaration { body, name: title.clone(), title, is_test: !groups, declares: true, groups }
}

fn behind_angles(tokens: &Tokens<'_>, open: usize) -> usize {
    let mut depth = 0_usize;
    for at in open..tokens.all.len().min(open + 400) {
        match tokens.mark(at) {
            Some(b'<') => depth += 1,
            // An arrow closes nothing.
            Some(b'>') if !tokens.is_mark(at - 1, b'-') && !tokens.is_mark(at - 1, b'=') => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    open + 1
}

/// A title as it is shown: quotes without their backslashes.
fn unescaped(text: &str) -> String {
    text.replace("\\'", "'").replace("\\\"", "\"").replace("\\`", "`")
}
