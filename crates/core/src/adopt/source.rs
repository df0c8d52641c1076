//! A file and its tokens without the comments, as the patterns look at it.

use crate::proof::source::{Language, TokenKind, Tokens, lex};

/// The file under the patterns. Indexes count tokens that are no comments.
pub(super) struct Source<'t> {
    pub(super) path: &'t str,
    pub(super) text: &'t str,
    pub(super) tokens: Tokens<'t>,
    pub(super) language: Language,
    code: Vec<usize>,
    /// For each token of the file its index among the code.
    places: Vec<usize>,
}

/// The languages that patterns are known for; `None` for all others.
pub(super) fn language_of(path: &str) -> Option<Language> {
    let language = Language::of(path);
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known = ["rust", "javascript", "python", "go", "java", "csharp", "sql"].contains(&language.name)
        || extension.eq_ignore_ascii_case("prisma");
    let is_generated = path.ends_with(".min.js") || path.ends_with(".d.ts") || path.ends_with(".pyi");
    (known && !is_generated).then_some(language)
}

impl<'t> Source<'t> {
    pub(super) fn new(path: &'t str, text: &'t str, language: Language) -> Self {
        let tokens = lex(text, &language);
        let mut code = Vec::with_capacity(tokens.all.len());
        let mut places = Vec::with_capacity(tokens.all.len());
        for (index, token) in tokens.all.iter().enumerate() {
            places.push(code.len());
            if token.kind != TokenKind::Comment {
                code.push(index);
            }
        }
        Self { path, text, tokens, language, code, places }
    }

    /// Whether the file says this anywhere. A look that costs next to nothing, before those that cost something.
    pub(super) fn says(&self, words: &str) -> bool {
        memchr::memmem::find(self.text.as_bytes(), words.as_bytes()).is_some()
    }

    pub(super) fn says_any(&self, all: &[&str]) -> bool {
        all.iter().any(|words| self.says(words))
    }

    pub(super) fn is(&self, language: &str) -> bool {
        self.language.name == language
    }

    pub(super) fn len(&self) -> usize {
        self.code.len()
    }

    pub(super) fn word(&self, at: usize) -> Option<&'t str> {
        self.tokens.word(*self.code.get(at)?)
    }

    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    pub(super) fn string(&self, at: usize) -> Option<&'t str> {
        self.tokens.string(*self.code.get(at)?)
    }

    pub(super) fn is_mark(&self, at: usize, mark: u8) -> bool {
        self.code.get(at).is_some_and(|&index| self.tokens.is_mark(index, mark))
    }

    pub(super) fn mark(&self, at: usize) -> Option<u8> {
        self.tokens.mark(*self.code.get(at)?)
    }

    /// The line of a token, from 1.
    pub(super) fn line(&self, at: usize) -> u32 {
        let line = self.code.get(at).map_or(0, |&index| self.tokens.all[index].line);
        u32::try_from(line + 1).unwrap_or(u32::MAX)
    }

    /// Whether nothing stands before the token on its line.
    pub(super) fn is_first(&self, at: usize) -> bool {
        self.code.get(at).is_some_and(|&index| self.tokens.all[index].first)
    }

    pub(super) fn column(&self, at: usize) -> usize {
        self.code.get(at).map_or(0, |&index| self.tokens.column(index))
    }

    /// The bracket that closes the one at `at`.
    pub(super) fn closing(&self, at: usize) -> usize {
        let Some(&index) = self.code.get(at) else { return self.len() };
        self.places.get(self.tokens.closing(index)).copied().unwrap_or(self.len())
    }

    /// The bracket that the one at `at` closes.
    pub(super) fn opening(&self, at: usize) -> usize {
        let Some(&index) = self.code.get(at) else { return 0 };
        self.places.get(self.tokens.opening(index)).copied().unwrap_or(0)
    }

    /// The index among the code of a token of the file.
    pub(super) fn place(&self, token: usize) -> usize {
        self.places.get(token).copied().unwrap_or(self.len())
    }

    /// The index in the file of a token of the code.
    pub(super) fn token(&self, at: usize) -> usize {
        self.code.get(at).copied().unwrap_or(self.tokens.all.len())
    }

    /// Whether `::` stands before `at`.
    pub(super) fn after_colons(&self, at: usize) -> bool {
        at >= 2 && self.is_mark(at - 1, b':') && self.is_mark(at - 2, b':')
    }

    /// The words before `at`, joined by dots or colons: of `a.b.c(` at `c` they are `b`, `a`.
    pub(super) fn receiver(&self, at: usize) -> Option<&'t str> {
        if at >= 2 && self.is_mark(at - 1, b'.') {
            // `?.` and `!.` of a script.
            let before = if self.is_mark(at - 2, b'?') || self.is_mark(at - 2, b'!') {
                at.checked_sub(3)?
            } else {
                at - 2
            };
            return self.word(before);
        }
        if at >= 3 && self.after_colons(at) {
            return self.word(at - 3);
        }
        None
    }

    /// The first text among the arguments of the call whose bracket opens at `open`, if it is the first argument, or one
    /// that is called `path`, `value`, `name` or the like.
    pub(super) fn first_text(&self, open: usize) -> Option<(&'t str, usize)> {
        if let Some(text) = self.string(open + 1) {
            return Some((text, open + 1));
        }
        // A list of one: `@GetMapping({"/a"})`.
        if (self.is_mark(open + 1, b'{') || self.is_mark(open + 1, b'['))
            && let Some(text) = self.string(open + 2)
        {
            return Some((text, open + 2));
        }
        let close = self.closing(open);
        let named = ["value", "path", "name", "rule", "template", "url", "names"];
        (open + 1..close).find_map(|at| {
            let word = self.word(at)?;
            let is_named =
                named.contains(&word) && (self.is_mark(at + 1, b'=') || self.is_mark(at + 1, b':'));
            let text = if self.is_mark(at + 2, b'{') || self.is_mark(at + 2, b'[') { at + 3 } else { at + 2 };
            if is_named { Some((self.string(text)?, text)) } else { None }
        })
    }
}
