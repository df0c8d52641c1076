//! `fs_search`: what stands in files, found by the engine of ripgrep.
//!
//! Two passes. The first counts the matching lines of every file on all threads, so the total is exact and little is
//! kept. The second fetches the lines of the wanted page from the few files that it falls into.

use std::cmp::Ordering;
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use hewto_core::page::Page;
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Serialize;

use super::find::{NamePattern, below};
use super::rules::excludes;
use super::search_request::{Search, SearchSyntax};
use super::tree::GapsView;
use super::walk::{Met, WalkRules, walk};
use crate::call::Call;
use crate::confine::{Wanted, open_child_regular};
use crate::error::{Error, Key, Result};
use crate::page::{no_place, open_cursor, path_order, room, seal_cursor};
use crate::show::show_bytes;
use crate::station::Workstation;

/// A line longer than this is not searched: its file is counted as skipped.
const HEAP_LIMIT: usize = 8 << 20;
/// How much of a matching line is shown.
const LINE_CHARS: usize = 300;
/// How much of it stands before the match.
const LEAD_CHARS: usize = 80;

/// One matching line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchView {
    pub path: String,
    pub line: u64,
    /// Of the first match in the line, in characters from 1
    pub column: usize,
    /// The line, or the part of a long one round the match
    pub content: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchView {
    pub matches: Vec<MatchView>,
    /// Files with a match, in all
    pub files: usize,
    #[serde(flatten)]
    pub page: Page,
    #[serde(flatten)]
    pub gaps: GapsView,
    /// Files that could not be read, or have a line too long to search
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub skipped_files: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Searches files.
pub fn search(station: &Workstation, call: &Call<'_>, request: &Search) -> Result<SearchView> {
    let matcher = matcher(&request.query, request.syntax)?;
    let pattern = request.pattern.as_deref().map(|text| NamePattern::new("pattern", text)).transpose()?;
    let wanted = station.roots().wanted("path", &request.path)?;
    let identity = (
        "search",
        &wanted.shown,
        &request.query,
        request.syntax,
        &request.pattern,
        (&request.exclude, request.ignored),
    );
    let after = request.page.cursor.as_deref().map(|cursor| Position::open(cursor, &identity)).transpose()?;
    let (files, gaps, skipped_files) = count(station, call, request, &wanted, &matcher, pattern.as_ref())?;
    let total: usize = files.iter().map(|file| file.lines).sum();

    let (limit, mut room) = (request.page.limit(), room(&request.page));
    let mut matches: Vec<MatchView> = Vec::new();
    let mut last: Option<Position> = None;
    let mut seen = 0;
    'files: for file in &files {
        let after_line = match after.as_ref().map(|after| (path_order(&file.path, &after.path), after.line)) {
            Some((Ordering::Less, _)) => {
                seen += file.lines;
                continue;
            }
            Some((Ordering::Equal, line)) => line,
            _ => 0,
        };
        if matches.len() == limit {
            break;
        }
        call.check()?;
        let at = file.wanted(station, &wanted);
        let shown = file.shown(&wanted);
        let fetched = fetch(station, &at, &shown, &matcher, after_line, limit - matches.len());
        seen += fetched.passed;
        for found in fetched.found {
            if !room.takes(&found) {
                break 'files;
            }
            seen += 1;
            last = Some(Position { path: file.path.clone(), line: found.line });
            matches.push(found);
        }
    }
    let remaining = total.saturating_sub(seen);
    let next_cursor = last.filter(|_| remaining > 0).map(|last| last.seal(&identity));
    let page = Page { total, remaining, next_cursor };
    Ok(SearchView { matches, files: files.len(), page, gaps: gaps.into(), skipped_files })
}

/// A file with matches.
struct Hit {
    /// Below the folder that is searched; empty when it is a file itself.
    path: Vec<u8>,
    lines: usize,
}

impl Hit {
    fn wanted(&self, station: &Workstation, start: &Wanted) -> Wanted {
        let mut at = start.clone();
        for part in self.path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
            at = station.roots().below(&at, std::ffi::OsStr::from_bytes(part));
        }
        at
    }

    fn shown(&self, start: &Wanted) -> String {
        if self.path.is_empty() { start.shown.clone() } else { below(&start.shown, &self.path) }
    }
}

/// The last match of a page.
struct Position {
    path: Vec<u8>,
    line: u64,
}

impl Position {
    fn seal(&self, identity: &impl std::hash::Hash) -> String {
        let line = format!("{:020}:", self.line);
        seal_cursor(&[line.as_bytes(), &self.path].concat(), identity)
    }

    fn open(cursor: &str, identity: &impl std::hash::Hash) -> Result<Self> {
        let bytes = open_cursor(cursor, identity)?;
        let parsed = bytes.split_at_checked(21).and_then(|(line, path)| {
            let line = std::str::from_utf8(line).ok()?.strip_suffix(':')?.parse().ok()?;
            Some(Self { path: path.to_vec(), line })
        });
        parsed.ok_or_else(no_place)
    }
}

fn matcher(query: &str, syntax: SearchSyntax) -> Result<RegexMatcher> {
    if query.is_empty() {
        return Err(Error::invalid_argument("query", "what to search for", "`query` is empty"));
    }
    RegexMatcherBuilder::new()
        .fixed_strings(syntax == SearchSyntax::Literal)
        .line_terminator(Some(b'\n'))
        .build(query)
        .map_err(|error| {
            Error::invalid_argument("query", "a regular expression", error.to_string())
                .hint("leave `regex` out to search for the text as it is; a search stays within a line")
        })
}

fn searcher(numbers: LineNumbers) -> Searcher {
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP_LIMIT))
        .line_number(numbers == LineNumbers::Count)
        .build()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineNumbers {
    Count,
    Ignore,
}

/// The files with matches, in order, and what could not be searched.
fn count(
    station: &Workstation,
    call: &Call<'_>,
    request: &Search,
    wanted: &Wanted,
    matcher: &RegexMatcher,
    pattern: Option<&NamePattern>,
) -> Result<(Vec<Hit>, super::walk::Gaps, usize)> {
    let folder = match station.roots().open_folder(wanted) {
        Ok(folder) => folder,
        Err(error) if error.key == Key::NotADirectory => {
            let open = station.roots().open_file(wanted)?;
            let mut counter = Counter::default();
            let searched = searcher(LineNumbers::Ignore).search_file(matcher, &open.file, &mut counter);
            let hits = counter.hit(Vec::new()).into_iter().collect();
            return Ok((hits, super::walk::Gaps::default(), usize::from(searched.is_err())));
        }
        Err(error) => return Err(error),
    };
    let rules = WalkRules { depth: None, exclude: excludes(&request.exclude)?, ignored: request.ignored };
    let state = || (searcher(LineNumbers::Ignore), Vec::new(), 0_usize);
    let visit = |own: &mut (Searcher, Vec<Hit>, usize), met: &Met<'_>| {
        if met.kind != FileType::RegularFile || pattern.is_some_and(|pattern| !pattern.matches(met)) {
            return Ok(());
        }
        let Ok(open) = open_child_regular(met.folder, met.name, "")
            .and_then(|open| station.roots().protected().refuse_secret(&open.stat, "").map(|()| open))
        else {
            own.2 += 1;
            return Ok(());
        };
        // Between small files the walk itself looks at the clock.
        if open.size() > HEAP_LIMIT as u64 {
            call.check()?;
        }
        let mut counter = Counter::default();
        if own.0.search_file(matcher, &open.file, &mut counter).is_err() {
            own.2 += 1;
        }
        own.1.extend(counter.hit(met.path.to_vec()));
        Ok(())
    };
    let (states, gaps) = walk(station, call, folder, &rules, state, visit)?;
    let skipped = states.iter().map(|(_, _, skipped)| skipped).sum();
    let mut hits: Vec<Hit> = states.into_iter().flat_map(|(_, hits, _)| hits).collect();
    hits.sort_unstable_by(|a, b| path_order(&a.path, &b.path));
    Ok((hits, gaps, skipped))
}

/// Counts matching lines.
#[derive(Default)]
struct Counter {
    lines: usize,
    binary: bool,
}

impl Counter {
    fn hit(self, path: Vec<u8>) -> Option<Hit> {
        (self.lines > 0 && !self.binary).then_some(Hit { path, lines: self.lines })
    }
}

impl Sink for Counter {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        self.lines += 1;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }
}

/// Matching lines of one file that stand after a line.
fn fetch<'m>(
    station: &Workstation,
    at: &Wanted,
    shown: &'m str,
    matcher: &'m RegexMatcher,
    after_line: u64,
    most: usize,
) -> Collector<'m> {
    let mut collector = Collector { matcher, path: shown, after_line, most, passed: 0, found: Vec::new() };
    // The file may be gone or changed since it was counted; then there is less to show.
    if let Ok(open) = station.roots().open_file(at) {
        let _ = searcher(LineNumbers::Count).search_file(matcher, &open.file, &mut collector);
    }
    collector
}

struct Collector<'m> {
    matcher: &'m RegexMatcher,
    path: &'m str,
    after_line: u64,
    most: usize,
    /// Matching lines that an earlier page has shown.
    passed: usize,
    found: Vec<MatchView>,
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or(0);
        if number <= self.after_line {
            self.passed += 1;
            return Ok(true);
        }
        let bytes = found.bytes();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let start = self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
        let before = show_bytes(&bytes[..start]).text;
        let line = before.clone() + &show_bytes(&bytes[start..]).text;
        let column = before.chars().count();
        let content = if line.chars().count() > LINE_CHARS {
            let from = column.saturating_sub(LEAD_CHARS);
            let part: String = line.chars().skip(from).take(LINE_CHARS).collect();
            let rest = line.chars().count() > from + LINE_CHARS;
            format!("{}{part}{}", if from > 0 { "…" } else { "" }, if rest { "…" } else { "" })
        } else {
            line
        };
        self.found.push(MatchView { path: self.path.to_owned(), line: number, column: column + 1, content });
        Ok(self.found.len() < self.most)
    }
}
