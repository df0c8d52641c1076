//! The `hewto` entry in a JSON configuration, with comments or without. Everything else keeps its bytes.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::part::Unreadable;
use crate::client::SERVER_NAME as SERVER;

/// Comments and commas at the end are what agents' own files have; anything looser is a mistake in the file.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The entry under `key`, if there is one.
pub(super) fn find(text: &str, key: &str) -> Result<Option<Value>, Unreadable> {
    let (_, root) = parse(text)?;
    let Some(servers) = servers(&root, key)? else { return Ok(None) };
    let Some(entry) = servers.get(SERVER) else { return Ok(None) };
    Ok(Some(entry.to_serde_value().unwrap_or_default()))
}

/// The text with the entry, after the other servers.
pub(super) fn add(text: &str, key: &str, entry: &Value) -> Result<String, Unreadable> {
    let (bom, root) = parse(text)?;
    servers(&root, key)?;
    let object = root.object_value_or_create().ok_or_else(|| not_an_object("the file"))?;
    let servers = object.object_value_or_create(key).ok_or_else(|| not_an_object(key))?;
    servers.append(SERVER, input(entry));
    Ok(format!("{bom}{root}"))
}

/// The text without the entry; a list of servers that is empty then goes too.
pub(super) fn remove(text: &str, key: &str) -> Result<String, Unreadable> {
    let (bom, root) = parse(text)?;
    if let Some(servers) = servers(&root, key)? {
        if let Some(entry) = servers.get(SERVER) {
            entry.remove();
        }
        let parent = root.object_value().and_then(|object| object.get(key));
        if servers.properties().is_empty()
            && let Some(property) = parent
        {
            property.remove();
        }
    }
    Ok(format!("{bom}{root}"))
}

fn parse(text: &str) -> Result<(&str, CstRootNode), Unreadable> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bom = &text[..text.len() - content.len()];
    let root = CstRootNode::parse(content, &DIALECT)
        .map_err(|error| Unreadable(format!("it is not valid JSON: {error}")))?;
    if root.to_string() != content {
        return Err(Unreadable("it cannot be edited without changing other parts of it".to_owned()));
    }
    Ok((bom, root))
}

fn servers(root: &CstRootNode, key: &str) -> Result<Option<CstObject>, Unreadable> {
    let Some(value) = root.value() else { return Ok(None) };
    let object = value.as_object().ok_or_else(|| not_an_object("the file"))?;
    stands_once(&object, key, root)?;
    let found = object.get(key).and_then(|property| property.object_value());
    if let Some(servers) = &found {
        stands_once(servers, SERVER, root)?;
    }
    match object.get(key) {
        None => Ok(None),
        Some(property) => property.object_value().map(Some).ok_or_else(|| not_an_object(key)),
    }
}

/// Readers differ in which of two members with one name counts, so neither is edited.
fn stands_once(object: &CstObject, name: &str, root: &CstRootNode) -> Result<(), Unreadable> {
    let is_it = |property: &CstObjectProp| {
        property.name().is_some_and(|known| known.decoded_value().is_ok_and(|known| known == name))
    };
    if object.properties().iter().filter(|property| is_it(property)).count() < 2 {
        return Ok(());
    }
    let text = root.to_string();
    let quoted = format!("\"{name}\"");
    let is_member = |(at, _): &(usize, &str)| text[at + quoted.len()..].trim_start().starts_with(':');
    let line = text.match_indices(&quoted).filter(is_member).nth(1);
    let line = line.map_or(1, |(at, _)| text[..at].matches('\n').count() + 1);
    Err(Unreadable(format!(
        "`{name}` appears twice in it, the second time on line {line}; keep one of the two"
    )))
}

fn not_an_object(what: &str) -> Unreadable {
    let what = if what == "the file" { what.to_owned() } else { format!("`{what}`") };
    Unreadable(format!("{what} is not an object"))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const KEY: &str = "mcpServers";

    fn entry() -> Value {
        json!({"command": "hewto", "args": ["serve"]})
    }

    fn check(before: &str, after: &str) {
        let added = add(before, KEY, &entry()).unwrap();
        assert_eq!(added, after, "{before:?}");
        assert_eq!(find(&added, KEY).unwrap(), Some(entry()), "{before:?}");
        assert_eq!(find(&remove(&added, KEY).unwrap(), KEY).unwrap(), None, "{before:?}");
    }

    #[test]
    fn what_stands_twice_is_named_with_its_line_and_left_alone() {
        for text in [
            "{\n  \"mcpServers\": {},\n  \"mcpServers\": {}\n}",
            "{ \"mcpServers\": {\n  \"hewto\": {},\n  \"hewto\": {}\n} }",
        ] {
            let Unreadable(why) = find(text, KEY).unwrap_err();
            assert!(why.contains("appears twice") && why.contains("line 3"), "{why}");
            assert!(add(text, KEY, &entry()).is_err() && remove(text, KEY).is_err());
        }
    }

    #[test]
    fn the_entry_comes_last_and_nothing_else_moves() {
        check(
            "{\n    // mine\n    \"mcpServers\": {\n        \"b\": {\"command\": \"x\"}, // why\n        \"a\": {}\n    },\n    \"z\": 1\n}\n",
            "{\n    // mine\n    \"mcpServers\": {\n        \"b\": {\"command\": \"x\"}, // why\n        \"a\": {},\n        \"hewto\": {\n            \"command\": \"hewto\",\n            \"args\": [\"serve\"]\n        }\n    },\n    \"z\": 1\n}\n",
        );
    }

    #[test]
    fn tabs_line_ends_and_the_mark_at_the_start_are_kept() {
        check(
            "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": 1,\r\n\t}\r\n}",
            "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": 1,\r\n\t\t\"hewto\": {\r\n\t\t\t\"command\": \"hewto\",\r\n\t\t\t\"args\": [\"serve\"],\r\n\t\t},\r\n\t}\r\n}",
        );
    }

    #[test]
    fn a_new_file_is_plain_json() {
        check(
            "",
            "{\n  \"mcpServers\": {\n    \"hewto\": {\n      \"command\": \"hewto\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
        );
    }

    #[test]
    fn what_is_no_configuration_is_refused() {
        for text in [
            "{",
            "[]",
            "{\"mcpServers\": []}",
            "{\"mcpServers\": 3}",
            "{'mcpServers': {}}",
            "{\"a\": 1 \"b\": 2}",
            "\"x\"",
            "{} {}",
            &"[".repeat(100_000),
        ] {
            assert!(add(text, KEY, &entry()).is_err(), "{text:.40}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(Value::from),
            "[ -~äß\n]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\" ]{1,4}", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_configuration_keeps_its_values(
            others in prop::collection::btree_map("[a-z]{1,4}", any_json(), 0..4),
            servers in prop::option::of(prop::collection::btree_map("[a-z]{1,4}", any_json(), 0..3)),
            pretty in any::<bool>(),
        ) {
            let mut before = json!(others);
            if let Some(servers) = servers {
                before[KEY] = json!(servers);
            }
            let text = if pretty { serde_json::to_string_pretty(&before).unwrap() } else { before.to_string() };
            let added = add(&text, KEY, &entry()).unwrap();
            let mut after: Value = serde_json::from_str(&added).unwrap();
            let ours = after[KEY].as_object_mut().unwrap().shift_remove(SERVER);
            prop_assert_eq!(ours, Some(entry()));
            if before.get(KEY).is_none() {
                after.as_object_mut().unwrap().shift_remove(KEY);
            }
            prop_assert_eq!(&after, &before);
            let removed: Value = serde_json::from_str(&remove(&added, KEY).unwrap()).unwrap();
            if before.get(KEY).is_some_and(|servers| servers == &json!({})) {
                before.as_object_mut().unwrap().shift_remove(KEY);
            }
            prop_assert_eq!(removed, before);
        }
    }
}
