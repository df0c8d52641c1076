//! The patterns of the table, held against a file.

mod whole;

use self::whole::{cobra, whole_routes};
use super::paths::{kebab, of_pattern, route};
use super::prefixes::{Prefixes, class_of};
use super::source::Source;
use super::table::{Lead, Means, ROWS, Row, Text};
use super::{Kind, Sighting};

/// The methods of HTTP, as frameworks spell them.
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

pub(super) fn read(source: &Source<'_>, found: &mut Vec<Sighting>) {
    let rows: Vec<&Row> = ROWS
        .iter()
        .filter(|row| source.is(row.language) && (row.needs.is_empty() || source.says(row.needs)))
        .filter(|row| row.names.iter().any(|name| may_call(source, row, name)))
        .collect();
    if !rows.is_empty() {
        read_rows(source, &rows, found);
    }
    if source.is("javascript") && source.says("route") {
        whole_routes(source, found);
    }
    if source.is("go") && source.says("Use") {
        cobra(source, found);
    }
}

/// Whether the text has the name of a row with a bracket behind it, and nothing before it that makes it another: `.get(` is
/// everywhere, `[get(` hardly anywhere.
fn may_call(source: &Source<'_>, row: &Row, name: &str) -> bool {
    let bytes = source.text.as_bytes();
    memchr::memmem::find_iter(bytes, name.as_bytes()).any(|at| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let leads = match row.lead {
            Lead::Attribute => before.is_some_and(|byte| matches!(byte, b'[' | b',' | b':') || byte <= b' '),
            Lead::Colons(_) => before.is_some_and(|byte| byte == b':' || byte <= b' '),
            _ => !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        };
        let behind = bytes[at + name.len()..].iter().find(|byte| **byte > b' ');
        let is_call = matches!(behind, Some(b'(' | b'<')) || row.text == Text::Optional;
        leads && (is_call || matches!(behind, Some(b'/' | b'#')))
    })
}

fn read_rows(source: &Source<'_>, rows: &[&Row], found: &mut Vec<Sighting>) {
    let names = Names::of(rows);
    let prefixes = Prefixes::of(source);
    for at in 0..source.len() {
        let Some(word) = source.word(at).filter(|word| names.may_be(word)) else { continue };
        for row in rows.iter().filter(|row| row.names.contains(&word)) {
            if let Some(open) = opening(source, at, row)
                && leads(source, at, row)
            {
                see(source, row, at, open, &prefixes, found);
            }
        }
    }
}

/// What the names of rows begin with and how long they are: most words are told from all of them by that.
struct Names([u64; 256]);

impl Names {
    fn of(rows: &[&Row]) -> Self {
        let mut lengths = [0; 256];
        for name in rows.iter().flat_map(|row| row.names) {
            if let Some(first) = name.bytes().next() {
                lengths[usize::from(first)] |= 1 << name.len().min(63);
            }
        }
        Self(lengths)
    }

    fn may_be(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|first| self.0[usize::from(first)] & (1 << word.len().min(63)) != 0)
    }
}

/// The bracket of the arguments; the name itself where a mark may stand without any.
#[expect(clippy::option_option, reason = "no call at all, or a call without a bracket")]
fn opening(source: &Source<'_>, at: usize, row: &Row) -> Option<Option<usize>> {
    if source.is_mark(at + 1, b'(') {
        return Some(Some(at + 1));
    }
    // `new Option<string>("--x")`, `.MapGet<T>("/x")`
    if source.is_mark(at + 1, b'<') {
        let close = (at + 2..(at + 12).min(source.len())).find(|&at| source.is_mark(at, b'>'))?;
        return source.is_mark(close + 1, b'(').then_some(Some(close + 1));
    }
    (row.text == Text::Optional && matches!(row.lead, Lead::At | Lead::Attribute)).then_some(None)
}

fn leads(source: &Source<'_>, at: usize, row: &Row) -> bool {
    let before = |back: usize| at.checked_sub(back);
    let is_dot = before(1).is_some_and(|at| source.is_mark(at, b'.'));
    match row.lead {
        Lead::Dot(behind) => {
            is_dot
                && (behind.is_empty()
                    || source.receiver(at).is_some_and(|word| behind.iter().any(|one| word.ends_with(one))))
        }
        Lead::Colons(behind) => {
            source.after_colons(at) && source.receiver(at).is_some_and(|word| behind.contains(&word))
        }
        Lead::At => {
            let mut first = at;
            while first >= 2 && source.is_mark(first - 1, b'.') && source.word(first - 2).is_some() {
                first -= 2;
            }
            first >= 1 && source.is_mark(first - 1, b'@')
        }
        Lead::Attribute => {
            let opens = before(1).is_some_and(|at| source.is_mark(at, b'['));
            // `[HttpGet, Authorize]`, `#[actix_web::get("/x")]`
            opens
                || before(1).is_some_and(|at| source.is_mark(at, b',')) && source.is("csharp")
                || (source.after_colons(at) && at >= 4 && source.is_mark(at - 4, b'['))
        }
        Lead::Free => {
            !is_dot && !before(1).is_some_and(|at| source.is_mark(at, b'@') || source.is_word(at, "def"))
        }
        Lead::New => before(1).is_some_and(|at| source.is_word(at, "new")),
    }
}

fn see(
    source: &Source<'_>,
    row: &Row,
    at: usize,
    open: Option<usize>,
    prefixes: &Prefixes,
    found: &mut Vec<Sighting>,
) {
    let given = open.and_then(|open| match row.by {
        // `StringVar(&x, "name", …)`: the text is the second argument.
        "cobra" | "flag" => (open..source.closing(open)).find_map(|at| Some((source.string(at)?, at))),
        // `Match([]string{"GET", "HEAD"}, "/health", …)`
        "gin" if row.means == Means::Methods => (open..source.closing(open))
            .find_map(|at| Some((source.string(at).filter(|text| text.starts_with('/'))?, at))),
        _ => source.first_text(open),
    });
    let fits = match (row.text, given) {
        (Text::Path, Some((text, _))) => text.is_empty() || text.starts_with('/') || row.lead == Lead::At,
        (Text::Segment, Some((text, at))) => {
            !text.contains([' ', ':', '.'])
                || text.starts_with('/')
                || text.is_empty() && source.is_mark(at + 1, b',')
        }
        (Text::Flag, Some((text, _))) => text.contains("--"),
        (Text::Any, Some((text, _))) => !text.is_empty() || row.by == "django",
        (Text::Optional, _) => true,
        (Text::Path | Text::Segment | Text::Flag | Text::Any, None) => false,
    };
    if !fits {
        return;
    }
    let text = given.map(|(text, _)| text).unwrap_or_default();
    let line = source.line(at);
    // Flask has had the same short forms since its second version.
    let is_flask = row.by == "fastapi" && source.says_any(&["flask", "quart"]) && !source.says("fastapi");
    let by = if is_flask { "flask" } else { row.by };
    let mut push = |kind: Kind, name: String, handler: Option<String>| {
        found.push(Sighting { kind, name, line, by, handler });
    };
    let end = open.map_or(at + 1, |open| source.closing(open));
    match row.means {
        Means::Method => {
            let Some(word) = source.word(at) else { return };
            let method = method_in(word).unwrap_or("ANY");
            let path = route(&prefixes.before(source, at), text);
            push(Kind::Route, format!("{method} {path}"), handler(source, row, open, end));
        }
        Means::Methods => {
            let class = (row.by == "spring").then(|| class_of(source, end + 1)).flatten();
            if class.is_some() {
                // The prefix of all that the class has.
                return;
            }
            let is_django = row.by == "django";
            if is_django && (at..end).any(|at| source.is_word(at, "include")) {
                // The prefix of routes in another file.
                return;
            }
            let path = if is_django { of_pattern(text) } else { text.to_owned() };
            let path = route(&prefixes.before(source, at), &path);
            let methods = methods(source, row, open.unwrap_or(at), end);
            let handler = handler(source, row, open, end);
            if methods.is_empty() {
                let method = if row.by == "flask" { "GET" } else { "ANY" };
                push(Kind::Route, format!("{method} {path}"), handler);
            } else {
                for method in methods {
                    push(Kind::Route, format!("{method} {path}"), handler.clone());
                }
            }
        }
        Means::MethodInText => {
            let (method, path) = text.split_once(' ').unwrap_or(("ANY", text));
            if path.starts_with('/') && (method == "ANY" || METHODS.contains(&method)) {
                push(Kind::Route, format!("{method} {}", route("", path)), handler(source, row, open, end));
            }
        }
        Means::Word(kind) => {
            let name = if kind == Kind::Job { text } else { text.split_whitespace().next().unwrap_or(text) };
            push(kind, name.to_owned(), None);
        }
        Means::Flag => {
            let long = text.split([' ', ',', '=', '|', '/']).find(|part| part.starts_with("--"));
            let name = match long {
                Some(long) => long.to_owned(),
                None if !text.contains(' ') && !text.starts_with('-') => format!("--{text}"),
                None => return,
            };
            push(Kind::Flag, name, None);
        }
        Means::Declared(kind) => {
            let declared = declared_below(source, end + usize::from(open.is_some()));
            let name = match (text, &declared) {
                ("", Some(declared)) if kind == Kind::Command => kebab(declared),
                ("", Some(declared)) => declared.clone(),
                ("", None) => return,
                (text, Some(declared)) if kind == Kind::Job && source.is("java") => {
                    let _ = text;
                    declared.clone()
                }
                (text, _) => text.to_owned(),
            };
            push(kind, name, declared);
        }
    }
}

/// `get`, `GetMapping`, `MapGet`, `HttpGet`: the method in a name.
fn method_in(word: &str) -> Option<&'static str> {
    let bare = word.trim_start_matches("Map").trim_start_matches("Http").trim_end_matches("Mapping");
    if bare.eq_ignore_ascii_case("websocket") {
        return Some("WS");
    }
    METHODS.iter().find(|method| method.eq_ignore_ascii_case(bare)).copied()
}

/// The methods among the arguments behind the path, or in the calls that are chained behind the bracket.
fn methods(source: &Source<'_>, row: &Row, open: usize, close: usize) -> Vec<&'static str> {
    let mut methods = Vec::new();
    let mut add = |word: &str| {
        if let Some(method) = method_in(word)
            && !methods.contains(&method)
        {
            methods.push(method);
        }
    };
    for at in open..close {
        let is_call = source.is_mark(at + 1, b'(') || source.is_mark(at + 1, b'!');
        match (source.word(at), source.string(at)) {
            // `get(handler)`, `RequestMethod.GET`
            (Some(word), _) if is_call || word.chars().all(char::is_uppercase) => add(word),
            (_, Some(text)) if METHODS.contains(&text) => add(text),
            _ => {}
        }
    }
    if row.by == "express" || row.by == "actix" {
        // `.route("/x").get(a).post(b)`
        let mut at = close + 1;
        while source.is_mark(at, b'.') && source.word(at + 1).is_some() && source.is_mark(at + 2, b'(') {
            if let Some(word) = source.word(at + 1) {
                add(word);
            }
            let end = source.closing(at + 2);
            (at + 3..end).filter_map(|at| source.word(at)).for_each(&mut add);
            at = end + 1;
        }
    }
    methods
}

/// The function that answers: the last word of the arguments, or what is declared below a mark. None where a function is
/// written on the spot, or where each of several methods has its own.
fn handler(source: &Source<'_>, row: &Row, open: Option<usize>, end: usize) -> Option<String> {
    match row.lead {
        Lead::At | Lead::Attribute => declared_below(source, end + usize::from(open.is_some())),
        _ => {
            let open = open?;
            let last = (open..end).rev().find_map(|at| source.word(at))?;
            let is_method = |word: &str| METHODS.iter().any(|method| method.eq_ignore_ascii_case(word));
            let is_written_here = (open..end).any(|at| {
                source.is_mark(at, b'{')
                    || source.is_mark(at, b'|')
                    || (source.is_mark(at, b'=') && source.is_mark(at + 1, b'>'))
                    || matches!(source.word(at), Some("function" | "func" | "lambda"))
            });
            let methods = (open..end)
                .filter(|&at| source.word(at).is_some_and(is_method) && source.is_mark(at + 1, b'('))
                .count();
            let is_name = !is_method(last) && !last.starts_with(|first: char| first.is_ascii_digit());
            (is_name && !is_written_here && methods <= 1 && end - open < 24).then(|| last.to_owned())
        }
    }
}

/// The name of the function or class that follows marks.
pub(super) fn declared_below(source: &Source<'_>, from: usize) -> Option<String> {
    let stop = (from + 120).min(source.len());
    let mut at = from;
    while at < stop {
        match source.word(at) {
            Some("fn" | "def" | "class" | "function" | "func" | "record" | "struct") => {
                return source.word(at + 1).map(str::to_owned);
            }
            // A method without a keyword: the name before the first bracket, behind all marks.
            Some(word)
                if source.is_mark(at + 1, b'(')
                    && !(at >= 1 && (source.is_mark(at - 1, b'@') || source.is_mark(at - 1, b'[')))
                    && !source.is("python")
                    && !source.is("rust") =>
            {
                return Some(word.to_owned());
            }
            Some(_) if at >= 1 && source.is_mark(at - 1, b'@') && source.is_mark(at + 1, b'(') => {
                at = source.closing(at + 1);
            }
            _ if source.is_mark(at, b'[') => at = source.closing(at),
            _ => {}
        }
        at += 1;
    }
    None
}
