//! The `hewto` entry in Codex's `config.toml`. Everything else keeps its bytes.

use std::fmt::Write;

use serde_json::Value;
use toml_edit::{DocumentMut, InlineTable, Item, RawString, TableLike};

use super::part::Unreadable;
use crate::client::SERVER_NAME as SERVER;

const SERVERS: &str = "mcp_servers";

/// The entry, if there is one.
pub(super) fn find(text: &str) -> Result<Option<Value>, Unreadable> {
    let document = parse(text)?;
    let Some(servers) = document.get(SERVERS) else { return Ok(None) };
    let servers = servers.as_table_like().ok_or_else(|| not_a_table(SERVERS))?;
    match servers.get(SERVER) {
        None => Ok(None),
        Some(entry) => Ok(Some(value_of(entry.as_table_like().ok_or_else(|| not_a_table(SERVER))?))),
    }
}

/// The text with the entry as a table of its own at the end.
pub(super) fn add(text: &str, entry: &Value) -> Result<String, Unreadable> {
    find(text)?;
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut table = format!("[{SERVERS}.{SERVER}]\n");
    for (key, value) in entry.as_object().into_iter().flatten() {
        let _ = writeln!(table, "{key} = {}", input(value));
    }
    let content = text.trim_start_matches('\u{feff}');
    let gap = match content {
        "" => "",
        _ if content.ends_with(&line_end.repeat(2)) => "",
        _ if content.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let mut addition = format!("{gap}{table}");
    if !content.is_empty() && !content.ends_with('\n') {
        // A file that ends without a line end goes on doing so.
        addition.truncate(addition.trim_end().len());
    }
    let added = format!("{text}{}", addition.replace('\n', line_end));
    match find(&added) {
        Ok(Some(_)) => Ok(added),
        // Servers in an inline table cannot be extended by a table further down.
        Ok(None) | Err(_) => add_inline(text, entry),
    }
}

/// The text with the entry as the last one of an inline table of servers.
fn add_inline(text: &str, entry: &Value) -> Result<String, Unreadable> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    // The editor writes `\n` and a last one: lines that end otherwise get theirs back.
    let is_crlf = content.matches('\n').count() == content.matches("\r\n").count();
    let is_open = !content.ends_with('\n');
    let mut plain = if is_crlf { content.replace("\r\n", "\n") } else { content.to_owned() };
    if is_open {
        plain.push('\n');
    }
    let mut document = parse(&plain)?;
    let is_kept = document.to_string() == plain;
    let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_inline_table_mut).filter(|_| is_kept)
    else {
        return Err(Unreadable(format!(
            "`{SERVERS}` cannot be extended without changing other parts of the file"
        )));
    };
    let fields = entry.as_object().into_iter().flatten();
    let mut table: toml_edit::Value =
        fields.map(|(key, value)| (key.as_str(), input(value))).collect::<InlineTable>().into();
    // What stood before the closing brace stands there again.
    let last = servers.iter_mut().last().map(|(_, value)| value);
    if let Some(last) = last {
        let gap = last.decor().suffix().and_then(RawString::as_str).unwrap_or_default().to_owned();
        last.decor_mut().set_suffix("");
        table.decor_mut().set_prefix(" ");
        table.decor_mut().set_suffix(gap);
    }
    servers.insert(SERVER, table);
    let mut out = document.to_string();
    if is_open {
        out.pop();
    }
    let out = if is_crlf { out.replace('\n', "\r\n") } else { out };
    Ok(format!("{}{out}", &text[..text.len() - content.len()]))
}

/// The text without the entry.
pub(super) fn remove(text: &str) -> Result<String, Unreadable> {
    let mut document = parse(text)?;
    if document.to_string() != text {
        return Err(Unreadable("it cannot be edited without changing other parts of it".to_owned()));
    }
    if let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) {
        servers.remove(SERVER);
        if servers.is_empty() {
            document.remove(SERVERS);
        }
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, Unreadable> {
    let problem = |error: toml_edit::TomlError| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
        Unreadable(format!(
            "it is not valid TOML: {}{line}",
            error.message().lines().next().unwrap_or_default()
        ))
    };
    text.parse().map_err(problem)
}

fn not_a_table(name: &str) -> Unreadable {
    Unreadable(format!("`{name}` is not a table"))
}

fn value_of(table: &dyn TableLike) -> Value {
    let fields = table.iter().map(|(key, item)| {
        let value = match item {
            Item::Value(value) => plain(value),
            _ => item.as_table_like().map(value_of).unwrap_or_default(),
        };
        (key.to_owned(), value)
    });
    Value::Object(fields.collect())
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(values) => values.iter().map(plain).collect(),
        toml_edit::Value::InlineTable(table) => value_of(table),
    }
}

fn input(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(values) => values.iter().map(input).collect(),
        Value::String(text) => text.into(),
        // An entry consists of texts and lists of texts.
        other => other.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn entry() -> Value {
        json!({"command": "hewto", "args": ["serve"]})
    }

    #[test]
    fn the_entry_is_a_table_at_the_end() {
        let before = "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = 'y' # why\n";
        let added = add(before, &entry()).unwrap();
        assert_eq!(
            added,
            format!("{before}\n[mcp_servers.hewto]\ncommand = \"hewto\"\nargs = [\"serve\"]\n")
        );
        assert_eq!(find(&added).unwrap(), Some(entry()));
        assert_eq!(remove(&added).unwrap(), before);
    }

    #[test]
    fn line_ends_and_the_mark_at_the_start_are_kept() {
        let added = add("\u{feff}a = 1\r\nb = 2", &entry()).unwrap();
        assert_eq!(
            added,
            "\u{feff}a = 1\r\nb = 2\r\n\r\n[mcp_servers.hewto]\r\ncommand = \"hewto\"\r\nargs = [\"serve\"]"
        );
        assert_eq!(find(&added).unwrap(), Some(entry()));
    }

    #[test]
    fn other_ways_to_write_servers_are_extended_in_their_own_way() {
        for (before, after) in [
            (
                "mcp_servers = { a = { command = 'x' } } # mine\nb = 1\n",
                "mcp_servers = { a = { command = 'x' }, hewto = { command = \"hewto\", args = [\"serve\"] } } # mine\nb = 1\n",
            ),
            (
                "\u{feff}a = 1\r\nmcp_servers = { a = { command = 'x' } } # mine",
                "\u{feff}a = 1\r\nmcp_servers = { a = { command = 'x' }, hewto = { command = \"hewto\", args = [\"serve\"] } } # mine",
            ),
            (
                "mcp_servers = {}\r\nb = 1\r\n",
                "mcp_servers = { hewto = { command = \"hewto\", args = [\"serve\"] } }\r\nb = 1\r\n",
            ),
            ("mcp_servers = {}\n", "mcp_servers = { hewto = { command = \"hewto\", args = [\"serve\"] } }\n"),
            (
                "mcp_servers.a.command = 'x'\n",
                "mcp_servers.a.command = 'x'\n\n[mcp_servers.hewto]\ncommand = \"hewto\"\nargs = [\"serve\"]\n",
            ),
        ] {
            let added = add(before, &entry()).unwrap();
            assert_eq!(added, after);
            assert_eq!(find(&added).unwrap(), Some(entry()));
        }
    }

    #[test]
    fn what_cannot_take_a_table_is_refused() {
        for text in ["a = ", "mcp_servers = 3", "[[mcp_servers]]\n"] {
            assert!(add(text, &entry()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_there_stays_in_front(
            keys in prop::collection::btree_map("[a-z]{1,4}", "[ -~äß]{0,8}", 0..4),
            tables in prop::collection::btree_map("[a-z]{1,4}", "[ -~äß]{0,8}", 0..3),
            crlf in any::<bool>(),
        ) {
            let mut text = String::new();
            for (key, value) in &keys {
                let _ = writeln!(text, "{key} = {} # c", toml_edit::Value::from(value));
            }
            for (name, value) in tables.iter().filter(|(name, _)| !keys.contains_key(*name)) {
                let _ = write!(text, "\n[{name}]\nx = {}\n", toml_edit::Value::from(value));
            }
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            let added = add(&text, &entry()).unwrap();
            prop_assert!(added.starts_with(&text));
            prop_assert_eq!(find(&added).unwrap(), Some(entry()));
        }
    }
}
