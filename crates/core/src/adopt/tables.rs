//! Tables of databases: in SQL, wherever it stands, and in what object mappers declare; and jobs that are classes.

use super::source::Source;
use super::{Kind, Sighting};

pub(super) fn read(source: &Source<'_>, found: &mut Vec<Sighting>) {
    let mut push = |kind: Kind, name: &str, line: u32, by: &'static str| {
        found.push(Sighting { kind, name: name.to_owned(), line, by, handler: None });
    };
    if source.is("sql") {
        for (name, offset) in created(source.text) {
            push(Kind::Table, &name, line_of(source, offset), "sql");
        }
        return;
    }
    if source.path.ends_with(".prisma") {
        for (number, line) in source.text.lines().enumerate() {
            let name = line.strip_prefix("model ").and_then(|rest| rest.strip_suffix('{')).map(str::trim);
            if let Some(name) = name.filter(|name| !name.is_empty() && !name.contains(' ')) {
                push(Kind::Table, name, u32::try_from(number + 1).unwrap_or(u32::MAX), "prisma");
            }
        }
        return;
    }
    let has_sql = source.says_any(&["REATE TABLE", "reate table"]);
    let marks: &[&str] = match source.language.name {
        "rust" => &["table!"],
        "python" => &["__tablename__", "models."],
        "go" => &["TableName"],
        "csharp" => &["DbSet", "BackgroundService", "IHostedService", "IJob"],
        "java" => &["@Entity"],
        _ => &[],
    };
    if !has_sql && !source.says_any(marks) {
        return;
    }
    for at in 0..source.len() {
        if has_sql && let Some(text) = source.string(at) {
            for (name, offset) in created(text) {
                let lines = text[..offset].matches('\n').count();
                push(Kind::Table, &name, source.line(at) + u32::try_from(lines).unwrap_or(0), "sql");
            }
        }
        let Some(word) = source.word(at) else { continue };
        let line = source.line(at);
        match (source.language.name, word) {
            // diesel: `table! { users (id) { … } }`
            ("rust", "table") if source.is_mark(at + 1, b'!') && source.is_mark(at + 2, b'{') => {
                let name = (at + 3..(at + 12).min(source.len()))
                    .find(|&at| source.is_mark(at + 1, b'(') || source.is_mark(at + 1, b'{'));
                if let Some(name) = name.and_then(|at| source.word(at)) {
                    push(Kind::Table, name, line, "diesel");
                }
            }
            ("python", "__tablename__") if source.is_mark(at + 1, b'=') => {
                if let Some(name) = source.string(at + 2) {
                    push(Kind::Table, name, line, "sqlalchemy");
                }
            }
            // `class Book(models.Model):`
            ("python", "class") if source.is_mark(at + 2, b'(') => {
                if let Some(name) = source.word(at + 1).filter(|_| is_django_model(source, at)) {
                    push(Kind::Table, name, line, "django");
                }
            }
            // gorm: `func (User) TableName() string { return "users" }`
            ("go", "TableName") if source.is_mark(at + 1, b'(') => {
                let returned = (at..(at + 10).min(source.len())).find(|&at| source.is_word(at, "return"));
                if let Some(name) = returned.and_then(|at| source.string(at + 1)) {
                    push(Kind::Table, name, line, "gorm");
                }
            }
            // `DbSet<Order> Orders { get; set; }`, and no parameter
            ("csharp", "DbSet") if source.is_mark(at + 1, b'<') && source.is_mark(at + 3, b'>') => {
                let is_member = [b'{', b';', b'='].iter().any(|mark| source.is_mark(at + 5, *mark));
                if let Some(name) = source.word(at + 4).filter(|_| is_member) {
                    push(Kind::Table, name, line, "ef");
                }
            }
            ("csharp", "BackgroundService" | "IHostedService" | "IJob") => {
                let class = (at.saturating_sub(24)..at).rev().find(|&at| source.is_word(at, "class"));
                let is_base = class.is_some_and(|class| {
                    (class..at).any(|at| source.is_mark(at, b':'))
                        && !(class..at).any(|at| source.is_mark(at, b'{'))
                });
                if let Some(name) = class.filter(|_| is_base).and_then(|class| source.word(class + 1)) {
                    push(Kind::Job, name, line, "asp.net");
                }
            }
            // `@Entity class User` without a table of its own name
            ("java", "Entity") if at >= 1 && source.is_mark(at - 1, b'@') => {
                let stop =
                    (at + 1..source.len()).find(|&at| source.is_mark(at, b'{')).unwrap_or(source.len());
                let has_table = (at..stop).any(|at| source.is_word(at, "Table"));
                let class = (at..stop).find(|&at| source.is_word(at, "class")).filter(|_| !has_table);
                if let Some(name) = class.and_then(|class| source.word(class + 1)) {
                    push(Kind::Table, name, line, "jpa");
                }
            }
            _ => {}
        }
    }
}

fn line_of(source: &Source<'_>, offset: usize) -> u32 {
    u32::try_from(source.tokens.line_of(offset) + 1).unwrap_or(u32::MAX)
}

/// The tables that `create table` names, and where each statement begins.
fn created(text: &str) -> Vec<(String, usize)> {
    const CREATE: &[u8] = b"create";
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) =
        bytes[at..].windows(CREATE.len()).position(|word| word.eq_ignore_ascii_case(CREATE))
    {
        let begin = at + start;
        at = begin + CREATE.len();
        let line = text[..begin].rfind('\n').map_or(0, |end| end + 1);
        if text[line..begin].contains("--") {
            continue;
        }
        let mut words =
            text[at..].split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
        let skipped = ["temp", "temporary", "unlogged", "global", "local", "if", "not", "exists", "table"];
        let mut is_table = false;
        for word in words.by_ref().take(8) {
            let lower = word.to_ascii_lowercase();
            is_table |= lower == "table";
            if skipped.contains(&lower.as_str()) {
                continue;
            }
            let name =
                word.trim_matches(['"', '`', '[', ']', ';', '\\', '\'']).replace(['"', '`', '[', ']'], "");
            let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
            if is_table && is_name {
                found.push((name, begin));
            }
            break;
        }
    }
    found
}

/// How many tokens the bases of a class have at most.
const MOST_BASES: usize = 64;

/// `class Book(models.Model)`, or a class of another base that has fields of models; none that is abstract.
fn is_django_model(source: &Source<'_>, class: usize) -> bool {
    let close = source.closing(class + 2);
    // Each token is looked at for one class, however classes are nested or left open.
    if close > class + MOST_BASES || source.is_word(class + 1, "Meta") {
        return false;
    }
    let starts_class = |at: &usize| source.is_word(*at, "class") && !source.is_word(*at + 1, "Meta");
    let end = (close..source.len()).find(starts_class).unwrap_or(source.len());
    let of_models = |at: usize| source.receiver(at) == Some("models");
    let is_field = |at: usize| source.word(at).is_some_and(|word| word.ends_with("Field")) && of_models(at);
    let is_abstract = |at: usize| source.is_word(at, "abstract") && source.is_word(at + 2, "True");
    let is_migration = (class + 3..close).any(|at| source.is_word(at, "Migration"));
    ((class + 3..close).any(|at| source.is_word(at, "Model") && of_models(at))
        || (close > class + 3 && !is_migration && (close..end).any(is_field)))
        && !(close..end).any(is_abstract)
}
