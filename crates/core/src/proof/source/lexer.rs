//! Cuts a file into words, strings, marks and comments.
//!
//! Whatever the bytes are, there are tokens, and they end: a string that is never closed on its line is a mark and what
//! follows it.

use super::language::Language;
use super::lexer_literals::{
    heredoc, heredoc_end, line_regex, prefixed, quoted, rust_quote, string_openings,
};
use super::token::{Token, TokenKind, Tokens};

/// The tokens of a file.
pub(crate) fn lex<'t>(text: &'t str, language: &Language) -> Tokens<'t> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        language: *language,
        opens: opening_bytes(language),
        at: 0,
        line: 0,
        fresh: true,
        // Source has a token in about six bytes; growing a long list step by step would copy it again and again.
        tokens: Vec::with_capacity(text.len() / 6 + 8),
        heredocs: Vec::new(),
    };
    lexer.run();
    Tokens::new(text, lexer.tokens)
}

struct Lexer<'t> {
    bytes: &'t [u8],
    language: Language,
    /// The bytes at which a comment or a string may open; most are told from one by that.
    opens: [bool; 256],
    at: usize,
    line: usize,
    /// Whether nothing but blanks was seen on this line.
    fresh: bool,
    tokens: Vec<Token>,
    /// Texts that begin with the next line, by the word that ends each.
    heredocs: Vec<&'t [u8]>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.line_break(),
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                // A byte order mark is no word.
                0xef if self.bytes[self.at..].starts_with(b"\xef\xbb\xbf") => self.at += 3,
                _ => self.token(),
            }
        }
    }

    fn line_break(&mut self) {
        self.at += 1;
        self.line += 1;
        self.fresh = true;
        for word in std::mem::take(&mut self.heredocs) {
            let (inner, end) = heredoc_end(self.bytes, self.at, word);
            if end > self.at {
                self.push(TokenKind::Text { start: self.at, end: inner }, end);
                self.fresh = true;
            }
        }
    }

    fn token(&mut self) {
        let byte = self.bytes[self.at];
        if self.opens[usize::from(byte)] {
            if let Some(end) = self.comment() {
                return self.push(TokenKind::Comment, end);
            }
            if let Some((inner, end)) = self.string() {
                return self.push(TokenKind::Text { start: inner.start, end: inner.end }, end);
            }
        }
        let end = self.word();
        if end > self.at {
            return self.push(TokenKind::Word, end);
        }
        if byte == b'<'
            && let Some(word) = heredoc(self.bytes, self.at, &self.language)
        {
            self.heredocs.push(word);
        }
        self.push(TokenKind::Mark(byte), self.at + 1);
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        let end = end.clamp(self.at + 1, self.bytes.len());
        self.tokens.push(Token { kind, start: self.at, end, line: self.line, first: self.fresh });
        // Only these go over lines.
        if matches!(kind, TokenKind::Comment | TokenKind::Text { .. }) {
            self.line += memchr::memchr_iter(b'\n', &self.bytes[self.at..end]).count();
        }
        self.fresh = false;
        self.at = end;
    }

    /// Where the comment that starts here ends.
    fn comment(&self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        for (open, close) in self.language.block {
            // `=begin` and its like count at the start of a line only.
            let admitted = open.as_bytes()[0] != b'=' || self.fresh;
            if admitted && rest.starts_with(open.as_bytes()) {
                return Some(self.block_comment(open.as_bytes(), close.as_bytes()));
            }
        }
        let opens = |open: &&&str| starts_with_ignoring_case(rest, open.as_bytes());
        let open = self.language.line.iter().find(opens)?;
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        let blank = before.is_none_or(|byte| byte.is_ascii_whitespace() || byte == b';');
        let word_before = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
        if (self.language.hash_after_blank && open.starts_with('#') && !blank)
            || (self.language.is("php") && rest.starts_with(b"#["))
            || (open.ends_with(' ') && word_before)
        {
            return None;
        }
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let length = if rest[..length].ends_with(b"\r") { length - 1 } else { length };
        Some(self.at + length)
    }

    fn block_comment(&self, open: &[u8], close: &[u8]) -> usize {
        let mut at = self.at + open.len();
        let mut depth = 1_usize;
        while let Some(next) = memchr::memchr2(open[0], close[0], &self.bytes[at..]) {
            at += next;
            if self.bytes[at..].starts_with(close) {
                depth -= 1;
                at += close.len();
                if depth == 0 {
                    return at;
                }
            } else if self.language.nested_comments && self.bytes[at..].starts_with(open) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
        self.bytes.len()
    }

    /// The bounds of what the string that starts here says, and where it ends.
    fn string(&self) -> Option<(std::ops::Range<usize>, usize)> {
        if self.bytes[self.at] == b'\'' && self.language.is("rust") {
            return rust_quote(self.bytes, self.at);
        }
        if self.bytes[self.at] == b'/' && self.language.is("javascript") && self.expects_operand() {
            return line_regex(self.bytes, self.at);
        }
        prefixed(self.bytes, self.at, &self.language).or_else(|| quoted(self.bytes, self.at, &self.language))
    }

    /// Whether a `/` here would open a regular expression rather than divide.
    fn expects_operand(&self) -> bool {
        let last = self.tokens.iter().rev().find(|token| token.kind != TokenKind::Comment);
        let Some(last) = last else { return true };
        match last.kind {
            TokenKind::Mark(mark) => !matches!(mark, b')' | b']' | b'}'),
            TokenKind::Word => matches!(
                &self.bytes[last.start..last.end],
                b"return"
                    | b"typeof"
                    | b"case"
                    | b"in"
                    | b"of"
                    | b"delete"
                    | b"void"
                    | b"throw"
                    | b"new"
                    | b"else"
                    | b"do"
                    | b"yield"
                    | b"await"
                    | b"instanceof"
            ),
            TokenKind::Text { .. } | TokenKind::Comment => false,
        }
    }

    /// Where the word that starts here ends; here, when there is none.
    fn word(&self) -> usize {
        let rest = &self.bytes[self.at..];
        let lifetime = self.language.is("rust") && rest[0] == b'\'';
        let digits = rest[0].is_ascii_digit();
        let mut length = usize::from(lifetime);
        while let Some(&byte) = rest.get(length) {
            let fraction = digits && byte == b'.' && rest.get(length + 1).is_some_and(u8::is_ascii_digit);
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80 || fraction) {
                break;
            }
            length += 1;
        }
        self.at + length
    }
}

/// The bytes that a comment or a string of a language begins with, letters before its quotes included.
fn opening_bytes(language: &Language) -> [bool; 256] {
    let mut opens = [false; 256];
    let mut admit = |text: &str| {
        if let Some(first) = text.bytes().next() {
            opens[usize::from(first.to_ascii_lowercase())] = true;
            opens[usize::from(first.to_ascii_uppercase())] = true;
        }
    };
    language.block.iter().for_each(|(open, _)| admit(open));
    language.line.iter().for_each(|open| admit(open));
    language.quotes.iter().for_each(|quote| admit(quote.mark));
    for open in string_openings(language) {
        admit(open);
    }
    opens
}

fn starts_with_ignoring_case(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(path: &str, text: &str) -> Vec<String> {
        let tokens = lex(text, &Language::of(path));
        let show = |token: &Token| match token.kind {
            TokenKind::Word => text[token.start..token.end].to_owned(),
            TokenKind::Text { start, end } => format!("“{}”", &text[start..end]),
            TokenKind::Mark(mark) => char::from(mark).to_string(),
            TokenKind::Comment => format!("¶{}", &text[token.start..token.end]),
        };
        tokens.all.iter().map(show).collect()
    }

    #[test]
    fn strings_hide_what_looks_like_code() {
        for (path, text, expected) in [
            (
                "a.rs",
                r##"x("a\"{", r#"b"}"#, 'c', '\'', 'a)"##,
                vec!["x", "(", "“a\\\"{”", ",", "“b\"}”", ",", "“c”", ",", "“\\'”", ",", "'a", ")"],
            ),
            ("a.py", "f'''a\n'b''' # c", vec!["“a\n'b”", "¶# c"]),
            (
                "a.ts",
                "a = /[/]\"/g; b / c; `x${ `}` }y`",
                vec!["a", "=", "“[/]\"”", "g", ";", "b", "/", "c", ";", "“x${ `}` }y”"],
            ),
            (
                "a.tsx",
                "<p>don't</p>\n{x}",
                vec!["<", "p", ">", "don", "'", "t", "<", "/", "p", ">", "{", "x", "}"],
            ),
            ("a.go", "`a\\` + 'x'", vec!["“a\\”", "+", "“x”"]),
            (
                "a.sh",
                "cat <<EOF\n{ # no\nEOF\necho $# 'x'",
                vec!["cat", "<", "<", "EOF", "“{ # no\n”", "echo", "$", "#", "“x”"],
            ),
            ("a.cpp", "R\"x(a)\")x\" + L\"b\"", vec!["“a)\"”", "+", "“b”"]),
            ("a.cs", "@\"a\"\"\\\" + 1", vec!["“a\"\"\\”", "+", "1"]),
        ] {
            assert_eq!(shown(path, text), expected, "{path}: {text}");
        }
    }

    #[test]
    fn comments_are_found_in_their_language_only() {
        assert_eq!(shown("a.rs", "/* a /* b */ c */ d // e"), ["¶/* a /* b */ c */", "d", "¶// e"]);
        assert_eq!(shown("a.lua", "x --[[ y ]] -- z"), ["x", "¶--[[ y ]]", "¶-- z"]);
        assert_eq!(shown("a.yml", "a: b#c # d"), ["a", ":", "b", "#", "c", "¶# d"]);
        assert_eq!(shown("a.what", "// a"), ["/", "/", "a"]);
    }

    proptest! {
        #[test]
        fn tokens_stand_in_order_and_within_the_text(text in "[ -~\n'\"`/*#é{}()<]{0,200}", path in "a\\.(rs|py|ts|go|rb|sh|cs|cpp|lua|hs|php|what)") {
            let tokens = lex(&text, &Language::of(&path));
            let mut end = 0;
            for token in &tokens.all {
                prop_assert!(token.start >= end && token.end > token.start && token.end <= text.len());
                prop_assert!(text.is_char_boundary(token.start) && text.is_char_boundary(token.end));
                prop_assert_eq!(text[..token.start].matches('\n').count(), token.line);
                if let TokenKind::Text { start, end } = token.kind {
                    prop_assert!(token.start <= start && start <= end && end <= token.end);
                    prop_assert!(text.is_char_boundary(start) && text.is_char_boundary(end));
                }
                end = token.end;
            }
        }
    }
}
