//! The links that one file carries: its tags, and the declarations that they stand at.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::place::{anchor, opens, whole};
use super::source::{
    Declaration, Language, Shape, TokenKind, Tokens, block_end, enclosing_declaration, lex, read_declaration,
    statement_start, suites_of, with_attributes_above,
};
use super::tag::{Tag, find_tags};
use super::{Anchor, Link, LinkKind, Ref, RefError};

/// Most tags that are read of one file; who has more does not write them by hand.
const MAX_TAGS: usize = 1_000;
/// How much of a name that is none is kept, in characters.
const MAX_SHOWN: usize = 200;
/// How far down a file says that it was generated.
const GENERATED_WITHIN: usize = 2_000;

/// What the tags of one file say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileTags {
    pub links: Vec<Link>,
    /// Tags that name nothing.
    pub faults: Vec<TagFault>,
    /// Whether the file says that a program wrote it; its tags count for nothing.
    pub generated: bool,
    /// Whether there were more tags than are read.
    pub cut: bool,
}

/// A name in a tag that is no reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagFault {
    pub line: u32,
    pub text: String,
    pub error: RefError,
}

/// Where a file stands in its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// One of those that the project's `tests` name.
    Tests,
    Other,
}

/// Reads the tags of a file.
pub fn read_file_tags(path: &str, text: &str, role: FileRole) -> FileTags {
    let mut found = FileTags::default();
    let tags = find_tags(text);
    if tags.is_empty() {
        return found;
    }
    if is_snapshot(path) || is_generated(text) {
        found.generated = true;
        return found;
    }
    found.cut = tags.len() > MAX_TAGS;
    let language = Language::of(path);
    let reader = Reader { path, role, language, tokens: lex(text, &language) };
    for tag in tags.iter().take(MAX_TAGS) {
        reader.take(tag, &mut found);
    }
    found
}

struct Reader<'t> {
    path: &'t str,
    role: FileRole,
    language: Language,
    tokens: Tokens<'t>,
}

/// What a tag stands at.
enum Target {
    At(usize),
    File,
    /// It stands in a string that says something else.
    Nothing,
}

impl Reader<'_> {
    fn take(&self, tag: &Tag, found: &mut FileTags) {
        let line_of = |offset| u32::try_from(self.tokens.line_of(offset) + 1).unwrap_or(u32::MAX);
        let described = match self.target(tag) {
            Target::Nothing => return,
            _ if tag.kind == Some(LinkKind::File) => None,
            Target::File => None,
            Target::At(start) => {
                let start = start.min(self.tokens.all.len().saturating_sub(1));
                (!self.tokens.all.is_empty())
                    .then(|| (start, read_declaration(&self.tokens, start, &self.language)))
            }
        };
        let mut refs: Vec<Ref> = Vec::new();
        let mut seen: BTreeSet<&Ref> = BTreeSet::new();
        for name in &tag.names {
            match &name.reference {
                // Named twice is named.
                Ok(reference) if !seen.insert(reference) => {}
                Ok(_) if found.links.len() + refs.len() >= MAX_TAGS => {
                    found.cut = true;
                    break;
                }
                Ok(reference) => refs.push(reference.clone()),
                Err(error) => {
                    found.faults.push(TagFault {
                        line: line_of(name.start),
                        text: name.text.chars().take(MAX_SHOWN).collect(),
                        error: *error,
                    });
                }
            }
        }
        if refs.is_empty() {
            return;
        }
        let template = self.link(tag, described, line_of(tag.start), &refs[0]);
        found.links.extend(refs.into_iter().map(|reference| Link { reference, ..template.clone() }));
    }

    fn link(&self, tag: &Tag, described: Option<(usize, Declaration)>, line: u32, reference: &Ref) -> Link {
        let link = |kind, anchor, title, suites| Link {
            reference: reference.clone(),
            kind,
            path: self.path.to_owned(),
            line,
            anchor: Some(anchor),
            title,
            suites,
        };
        let inferred = |is_test: bool| match (tag.kind, is_test || self.role == FileRole::Tests) {
            (Some(kind), _) => kind,
            (None, true) => LinkKind::Test,
            (None, false) => LinkKind::Code,
        };
        let Some((start, declaration)) = described else {
            return link(inferred(false), whole(&self.tokens, &self.language), None, Vec::new());
        };
        let end = block_end(&self.tokens, declaration.body.min(self.tokens.all.len() - 1), &self.language);
        let end = end.max(start);
        let anchor = Anchor {
            opens: opens(&self.tokens, declaration.body..=end, &self.language),
            ..anchor(&self.tokens, start, end, declaration.name.clone(), &self.language)
        };
        let titled_group = declaration.groups && self.reports_groups(&declaration);
        let kind = inferred(declaration.is_test || titled_group);
        if kind != LinkKind::Test {
            return link(kind, anchor, None, Vec::new());
        }
        let mut suites = suites_of(&self.tokens, start, &self.language);
        let title = declaration.title.map(|title| super::tag::without_tags(&title).trim().to_owned());
        if declaration.groups {
            suites.extend(title);
            return link(kind, anchor, None, suites);
        }
        link(kind, anchor, title, suites)
    }

    /// Whether a group is one of tests beyond doubt: `describe("…")`, `class TestX`, a feature.
    fn reports_groups(&self, declaration: &Declaration) -> bool {
        let word = self.tokens.word(declaration.body);
        let is_class =
            matches!(word, Some("class" | "mod" | "module" | "object" | "impl" | "pub" | "public"));
        self.language.shape == Shape::Gherkin
            || (!is_class && word.is_some_and(|word| !word.starts_with("pub") && is_test_group(word)))
            || declaration
                .name
                .as_deref()
                .is_some_and(|name| self.language.is("python") && name.starts_with("Test"))
    }

    fn target(&self, tag: &Tag) -> Target {
        let tokens = &self.tokens;
        let holder = tokens.all.partition_point(|token| token.end <= tag.start);
        let Some(token) = tokens.all.get(holder).filter(|token| token.start <= tag.start) else {
            return Target::File;
        };
        match token.kind {
            _ if self.language.shape == Shape::Paragraph && token.kind != TokenKind::Comment => {
                self.paragraph(tag)
            }
            // In backticks a comment only speaks of tags.
            TokenKind::Comment if tokens.text[..tag.start].ends_with('`') => Target::Nothing,
            TokenKind::Comment => self.comment(holder),
            TokenKind::Text { .. } => self.string(holder),
            TokenKind::Word | TokenKind::Mark(_) if self.language.shape == Shape::Gherkin => {
                Target::At(holder)
            }
            TokenKind::Word | TokenKind::Mark(_) => {
                Target::At(with_attributes_above(tokens, holder, &self.language))
            }
        }
    }

    fn comment(&self, holder: usize) -> Target {
        let tokens = &self.tokens;
        let comment = &tokens.all[holder];
        let text = &tokens.text[comment.start..comment.end];
        // What a comment of this kind says is about what it stands in.
        let is_inner = self.language.is("rust") && (text.starts_with("//!") || text.starts_with("/*!"));
        if is_inner {
            return enclosing_declaration(tokens, holder, &self.language)
                .map_or(Target::File, |(start, _)| Target::At(start));
        }
        if let Some(before) = tokens.code_before(holder)
            && tokens.end_line(before) == comment.line
        {
            let start = statement_start(tokens, before, &self.language);
            return self.declared(with_attributes_above(tokens, start, &self.language), holder);
        }
        match tokens.code_from(holder + 1) {
            Some(next) if !self.closes(next) && !self.leaves(holder, next) => {
                self.declared(with_attributes_above(tokens, next, &self.language), holder)
            }
            _ => enclosing_declaration(tokens, holder, &self.language)
                .map_or(Target::File, |(start, _)| Target::At(start)),
        }
    }

    /// The declaration that starts here; for a mere statement the one around it.
    fn declared(&self, start: usize, holder: usize) -> Target {
        if read_declaration(&self.tokens, start, &self.language).declares {
            return Target::At(start);
        }
        let around = enclosing_declaration(&self.tokens, holder, &self.language);
        Target::At(around.map_or(start, |(start, _)| start))
    }

    fn closes(&self, index: usize) -> bool {
        matches!(self.tokens.mark(index), Some(b'}' | b')' | b']'))
    }

    /// Whether indentation says that the next token is outside of what the comment stands in.
    fn leaves(&self, holder: usize, next: usize) -> bool {
        matches!(self.language.shape, Shape::Indent | Shape::End)
            && self.tokens.column(next) < self.tokens.column(holder)
    }

    /// A docstring, an argument of an attribute or the title of a test; any other string is data.
    fn string(&self, holder: usize) -> Target {
        let tokens = &self.tokens;
        let before = tokens.code_before(holder);
        let is_python = self.language.is("python");
        if is_python && tokens.all[holder].first && before.is_none_or(|before| tokens.is_mark(before, b':')) {
            return match before.and_then(|_| enclosing_declaration(tokens, holder, &self.language)) {
                Some((start, _)) => Target::At(start),
                None => Target::File,
            };
        }
        let start =
            with_attributes_above(tokens, statement_start(tokens, holder, &self.language), &self.language);
        let declaration = read_declaration(tokens, start, &self.language);
        let own = tokens.string(holder).unwrap_or_default();
        if holder < declaration.body {
            // An argument that is the tag; a help text may speak of tags.
            let is_tag = own.trim_start().starts_with(super::tag::MARK);
            return if is_tag { Target::At(start) } else { Target::Nothing };
        }
        let is_title = (declaration.is_test || declaration.groups)
            && declaration.title.as_deref().is_some_and(|title| {
                title.len() <= own.len() && own.contains(super::tag::MARK) && title.contains(super::tag::MARK)
            });
        if is_title { Target::At(start) } else { Target::Nothing }
    }

    /// In a language that we do not know: the lines below, or those around.
    fn paragraph(&self, tag: &Tag) -> Target {
        let tokens = &self.tokens;
        let line = tokens.line_of(tag.start);
        let says = |line: &usize| {
            let text = tokens.line_text(*line);
            !text.trim().is_empty() && !text.contains(super::tag::MARK)
        };
        let below = (line + 1..tokens.lines()).find(says);
        Target::At(tokens.on_lines(below.unwrap_or(line)..tokens.lines()).start)
    }
}

fn is_test_group(word: &str) -> bool {
    matches!(
        word,
        "describe"
            | "context"
            | "suite"
            | "group"
            | "feature"
            | "Describe"
            | "Context"
            | "fdescribe"
            | "xdescribe"
    )
}

/// What a test once printed: it holds tags as data, and no program runs it.
fn is_snapshot(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|extension| extension == "snap")
}

fn is_generated(text: &str) -> bool {
    let cut = text.char_indices().nth(GENERATED_WITHIN).map_or(text.len(), |(at, _)| at);
    text[..cut].lines().take(20).any(|line| {
        line.contains("@generated") || (line.contains("Code generated") && line.contains("DO NOT EDIT"))
    })
}

#[cfg(test)]
#[path = "file_tags_tests.rs"]
mod tests;
