//! What a repository without specs shows of itself: routes, commands, flags, public functions, tables, environment
//! variables, jobs and tests, each with its line.
//!
//! Nothing is parsed here. The lexer of `proof` cuts a file into tokens, and a table of what frameworks look like
//! (`table`) says which of them are worth a line. What is found is what stands there: a route whose path is computed is
//! not seen, and is said to be missed rather than guessed at.

mod calls;
mod clap_derive;
mod functions;
mod named;
mod next_js;
mod paths;
mod prefixes;
mod source;
mod table;
mod tables;
mod variables;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::source::Source;

pub use self::named::{Mentions, mention_of};

/// What was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Route,
    Command,
    Flag,
    Function,
    Table,
    Variable,
    Job,
    Test,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Route,
        Self::Command,
        Self::Flag,
        Self::Function,
        Self::Table,
        Self::Variable,
        Self::Job,
        Self::Test,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Route => "route",
            Self::Command => "command",
            Self::Flag => "flag",
            Self::Function => "function",
            Self::Table => "table",
            Self::Variable => "variable",
            Self::Job => "job",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that a file shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sighting {
    pub kind: Kind,
    /// `GET /users/{id}`, `--port`, `DATABASE_URL`
    pub name: String,
    /// From 1.
    pub line: u32,
    /// Whose way of writing it is: `axum`, `click`, or the language.
    pub by: &'static str,
    /// The function behind it, where it is named.
    pub handler: Option<String>,
}

/// What a file shows, by line, and what each of its tests mentions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSightings {
    pub sightings: Vec<Sighting>,
    /// For each test, in the order of the tests among the sightings.
    pub mentions: Vec<Mentions>,
}

/// Whether a file of this name is looked at.
pub fn is_read(path: &str) -> bool {
    source::language_of(path).is_some()
}

/// Reads one file; `path` is relative to the root of the repository.
pub fn read_file(path: &str, text: &str) -> FileSightings {
    let Some(language) = source::language_of(path) else { return FileSightings::default() };
    let source = Source::new(path, text, language);
    let mut found = Vec::new();
    let (tests, mentions) = named::tests(&source);
    let is_test_file = paths::is_test(path);
    if !is_test_file {
        // What a test sets up is no promise of the program.
        let in_tests = named::test_lines(&source, &tests);
        calls::read(&source, &mut found);
        clap_derive::read(&source, &mut found);
        functions::read(&source, &mut found);
        next_js::read(&source, &mut found);
        variables::read(&source, &mut found);
        tables::read(&source, &mut found);
        found.retain(|sighting| !in_tests.iter().any(|lines| lines.contains(&sighting.line)));
    }
    found.sort();
    found.dedup_by(|a, b| a.kind == b.kind && a.name == b.name && a.line == b.line);
    found.extend(tests);
    FileSightings { sightings: found, mentions }
}

#[cfg(test)]
mod tests;
