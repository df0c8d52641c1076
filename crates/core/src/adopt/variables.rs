//! Environment variables that a program reads by name.

use super::source::Source;
use super::{Kind, Sighting};

pub(super) fn read(source: &Source<'_>, found: &mut Vec<Sighting>) {
    // Half of all files say `environment` or `envelope` somewhere; few of them read a variable.
    let words: &[&str] = match source.language.name {
        "rust" => &["env::", "env!", "env =", "env="],
        "javascript" => &["process", "meta", "Bun", "env.get"],
        "python" => &["environ", "getenv"],
        "go" => &["Getenv", "LookupEnv"],
        "java" => &["getenv"],
        "csharp" => &["GetEnvironmentVariable"],
        _ => return,
    };
    if !source.says_any(words) {
        return;
    }
    for at in 0..source.len() {
        let Some(word) = source.word(at) else { continue };
        let name = match source.language.name {
            "rust" => rust(source, at, word),
            "javascript" => script(source, at, word),
            "python" => python(source, at, word),
            "go" => after(source, at, "os", &["Getenv", "LookupEnv"], word),
            "java" => after(source, at, "System", &["getenv"], word),
            "csharp" => after(source, at, "Environment", &["GetEnvironmentVariable"], word),
            _ => return,
        };
        if let Some(name) = name.filter(|name| is_name(name)) {
            let by = source.language.name;
            let line = source.line(at);
            found.push(Sighting { kind: Kind::Variable, name: name.to_owned(), line, by, handler: None });
        }
    }
}

/// `os.Getenv("X")`
fn after<'t>(source: &Source<'t>, at: usize, receiver: &str, names: &[&str], word: &str) -> Option<&'t str> {
    let is_call =
        names.contains(&word) && source.is_mark(at + 1, b'(') && source.receiver(at) == Some(receiver);
    if is_call { source.string(at + 2) } else { None }
}

/// `env::var("X")`, `env!("X")`, `#[arg(env = "X")]`
fn rust<'t>(source: &Source<'t>, at: usize, word: &str) -> Option<&'t str> {
    match word {
        "var" | "var_os" if source.receiver(at) == Some("env") && source.is_mark(at + 1, b'(') => {
            source.string(at + 2)
        }
        "env" | "option_env" if source.is_mark(at + 1, b'!') && source.is_mark(at + 2, b'(') => {
            source.string(at + 3)
        }
        "env" if source.is_mark(at + 1, b'=') => source.string(at + 2),
        _ => None,
    }
    .filter(|name| !name.starts_with("CARGO_"))
}

/// `process.env.X`, `process.env["X"]`, `import.meta.env.X`, `Deno.env.get("X")`
fn script<'t>(source: &Source<'t>, at: usize, word: &str) -> Option<&'t str> {
    let receiver = source.receiver(at);
    if word == "get" && receiver == Some("env") && source.is_mark(at + 1, b'(') {
        return source.string(at + 2);
    }
    if word != "env" || !matches!(receiver, Some("process" | "meta" | "Bun")) {
        return None;
    }
    if source.is_mark(at + 1, b'[') {
        return source.string(at + 2);
    }
    let name = if source.is_mark(at + 1, b'?') { at + 3 } else { at + 2 };
    if source.is_mark(name - 1, b'.') { source.word(name) } else { None }
}

/// `os.environ["X"]`, `os.environ.get("X")`, `os.getenv("X")`
fn python<'t>(source: &Source<'t>, at: usize, word: &str) -> Option<&'t str> {
    match word {
        "environ" if source.is_mark(at + 1, b'[') => source.string(at + 2),
        "environ"
            if source.is_mark(at + 1, b'.')
                && matches!(source.word(at + 2), Some("get" | "setdefault" | "pop")) =>
        {
            source.string(at + 4)
        }
        "getenv" if source.is_mark(at + 1, b'(') => source.string(at + 2),
        _ => None,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
