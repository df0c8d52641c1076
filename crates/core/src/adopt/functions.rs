//! Functions that a library offers to others.

mod listed;

use super::source::Source;
use super::{Kind, Sighting};

pub(super) fn read(source: &Source<'_>, found: &mut Vec<Sighting>) {
    let read: fn(&Source<'_>, usize) -> Option<usize> = match source.language.name {
        "rust" => rust,
        "javascript" => script,
        "python" => python,
        "go" => go,
        "java" | "csharp" => members,
        _ => return,
    };
    for at in 0..source.len() {
        if let Some(name_at) = read(source, at)
            && let Some(name) = source.word(name_at)
        {
            found.push(sighting(source, name, name_at));
        }
    }
    if source.is("javascript") {
        found.extend(listed::read(source));
    }
}

fn sighting(source: &Source<'_>, name: &str, at: usize) -> Sighting {
    let (kind, by) = (Kind::Function, source.language.name);
    Sighting { kind, name: name.to_owned(), line: source.line(at), by, handler: Some(name.to_owned()) }
}

/// `pub fn name`, but for the crate's own.
fn rust(source: &Source<'_>, at: usize) -> Option<usize> {
    if !source.is_word(at, "pub") {
        return None;
    }
    let mut next = at + 1;
    while matches!(source.word(next), Some("async" | "const" | "unsafe" | "extern"))
        || source.string(next).is_some()
    {
        next += 1;
    }
    source.is_word(next, "fn").then_some(next + 1)
}

/// `export function name`, `export const name = (…) =>`, `exports.name = function`
fn script(source: &Source<'_>, at: usize) -> Option<usize> {
    match source.word(at)? {
        "export" => {
            let mut next = at + 1;
            while matches!(source.word(next), Some("default" | "async")) {
                next += 1;
            }
            match source.word(next)? {
                "function" => {
                    let name = if source.is_mark(next + 1, b'*') { next + 2 } else { next + 1 };
                    source.word(name).map(|_| name)
                }
                "const" | "let" | "var" => is_function(source, next + 1).then_some(next + 1),
                _ => None,
            }
        }
        "exports" if source.is_mark(at + 1, b'.') => is_function(source, at + 2).then_some(at + 2),
        _ => None,
    }
}

/// Whether what is given to this name is a function.
fn is_function(source: &Source<'_>, name: usize) -> bool {
    let equals = (name + 1..(name + 40).min(source.len()))
        .find(|&at| source.is_mark(at, b'=') && !source.is_mark(at + 1, b'>') || source.is_mark(at, b';'));
    let Some(equals) = equals.filter(|&at| source.is_mark(at, b'=')) else { return false };
    is_function_value(source, equals + 1)
}

/// Whether a function stands here: `function`, `(…) =>`, `x =>`.
fn is_function_value(source: &Source<'_>, at: usize) -> bool {
    let value = if source.is_word(at, "async") { at + 1 } else { at };
    if source.is_word(value, "function") {
        return true;
    }
    let behind = if source.is_mark(value, b'(') { source.closing(value) + 1 } else { value + 1 };
    // A result type may stand between.
    (behind..(behind + 24).min(source.len()))
        .take_while(|&at| !source.is_mark(at, b';') && !source.is_mark(at, b'{') && !source.is_mark(at, b'('))
        .any(|at| source.is_mark(at, b'=') && source.is_mark(at + 1, b'>'))
}

/// `def name` at the edge, unless the name says that it is nobody else's.
fn python(source: &Source<'_>, at: usize) -> Option<usize> {
    let is_async = at >= 1 && source.is_word(at - 1, "async");
    let edge = if is_async { at - 1 } else { at };
    let is_def = source.is_word(at, "def") && source.is_first(edge) && source.column(edge) == 0;
    let name = source.word(at + 1).filter(|_| is_def)?;
    (!name.starts_with('_')).then_some(at + 1)
}

/// `func Name`, `func (r T) Name`
fn go(source: &Source<'_>, at: usize) -> Option<usize> {
    if !source.is_word(at, "func") || !source.is_first(at) {
        return None;
    }
    let name = if source.is_mark(at + 1, b'(') { source.closing(at + 1) + 1 } else { at + 1 };
    source.word(name)?.starts_with(char::is_uppercase).then_some(name)
}

/// `public T name(`
fn members(source: &Source<'_>, at: usize) -> Option<usize> {
    if !source.is_word(at, "public") {
        return None;
    }
    let modifiers =
        ["static", "final", "async", "virtual", "override", "abstract", "synchronized", "sealed", "default"];
    let mut next = at + 1;
    while source.word(next).is_some_and(|word| modifiers.contains(&word)) {
        next += 1;
    }
    let first = next;
    while next < (first + 40).min(source.len()) {
        match (source.word(next), source.mark(next)) {
            (
                Some(
                    "class" | "interface" | "enum" | "record" | "struct" | "delegate" | "event" | "operator",
                ),
                _,
            ) => {
                return None;
            }
            (Some(_), _) if source.is_mark(next + 1, b'(') => return (next > first).then_some(next),
            (_, Some(b';' | b'=' | b'{' | b'(')) => return None,
            _ => next += 1,
        }
    }
    None
}
