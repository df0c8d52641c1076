//! Commands and flags of clap, as they are derived: variants of a `Subcommand`, fields with `long`.

use super::paths::kebab;
use super::source::Source;
use super::{Kind, Sighting};

pub(super) fn read(source: &Source<'_>, found: &mut Vec<Sighting>) {
    if !source.is("rust") || !source.says("derive") || !source.says_any(&["Subcommand", "Parser", "Args"]) {
        return;
    }
    for at in 0..source.len() {
        if !(source.is_word(at, "derive") && source.is_mark(at + 1, b'(')) {
            continue;
        }
        let close = source.closing(at + 1);
        let derives = |name: &str| (at + 2..close).any(|at| source.is_word(at, name));
        if derives("Subcommand") {
            variants(source, close, found);
        } else if derives("Parser") || derives("Args") {
            fields(source, close, found);
        }
    }
}

/// The body of the `struct` or `enum` behind the attributes.
fn body(source: &Source<'_>, from: usize, keyword: &str) -> Option<(usize, usize)> {
    let stop = (from + 400).min(source.len());
    let start = (from..stop).find(|&at| source.is_word(at, keyword) && source.word(at + 1).is_some())?;
    let open = (start..source.len()).find(|&at| source.is_mark(at, b'{') || source.is_mark(at, b';'))?;
    source.is_mark(open, b'{').then(|| (open, source.closing(open)))
}

fn variants(source: &Source<'_>, from: usize, found: &mut Vec<Sighting>) {
    let Some((open, close)) = body(source, from, "enum") else { return };
    let mut at = open + 1;
    let mut named: Option<String> = None;
    while at < close {
        if source.is_mark(at, b'#') && source.is_mark(at + 1, b'[') {
            let end = source.closing(at + 1);
            let name = (at + 2..end).find(|&at| source.is_word(at, "name") && source.is_mark(at + 1, b'='));
            named = name.and_then(|at| source.string(at + 2)).map(str::to_owned).or(named);
            at = end + 1;
            continue;
        }
        let Some(word) = source.word(at) else {
            at += 1;
            continue;
        };
        let name = named.take().unwrap_or_else(|| kebab(word));
        found.push(Sighting { kind: Kind::Command, name, line: source.line(at), by: "clap", handler: None });
        at += 1;
        if source.is_mark(at, b'(') {
            at = source.closing(at) + 1;
        } else if source.is_mark(at, b'{') {
            let end = source.closing(at);
            flags(source, at, end, found);
            at = end + 1;
        }
    }
}

fn fields(source: &Source<'_>, from: usize, found: &mut Vec<Sighting>) {
    if let Some((open, close)) = body(source, from, "struct") {
        flags(source, open, close, found);
    }
}

/// Fields whose attribute says `long`.
fn flags(source: &Source<'_>, open: usize, close: usize, found: &mut Vec<Sighting>) {
    let mut at = open + 1;
    while at < close {
        if !(source.is_mark(at, b'#') && source.is_mark(at + 1, b'[')) {
            at += 1;
            continue;
        }
        let end = source.closing(at + 1);
        let is_arg = matches!(source.word(at + 2), Some("arg" | "clap"));
        let long = (at + 2..end).find(|&at| source.is_word(at, "long")).filter(|_| is_arg);
        let given =
            long.and_then(|long| if source.is_mark(long + 1, b'=') { source.string(long + 2) } else { None });
        let reads =
            (at + 2..end).any(|at| source.is_word(at, "env") && !source.is_mark(at + 1, b'=')) && is_arg;
        at = end + 1;
        let Some(_) = long else { continue };
        let mut name = at;
        // Other attributes, and `pub`, `pub(crate)`.
        while name < close && !(source.word(name).is_some() && source.is_mark(name + 1, b':')) {
            name = if source.is_mark(name, b'[') || source.is_mark(name, b'(') {
                source.closing(name) + 1
            } else {
                name + 1
            };
        }
        if let Some(word) = source.word(name).filter(|_| name < close) {
            let flag = given.map_or_else(|| kebab(word), str::to_owned);
            let line = source.line(name);
            if reads {
                let name = word.to_uppercase();
                found.push(Sighting { kind: Kind::Variable, name, line, by: "clap", handler: None });
            }
            found.push(Sighting {
                kind: Kind::Flag,
                name: format!("--{flag}"),
                line,
                by: "clap",
                handler: None,
            });
        }
    }
}
