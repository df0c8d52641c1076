use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::install::Splice;

const MAP: YamlPlace = YamlPlace { key: "extensions", is_list: false };
const LIST: YamlPlace = YamlPlace { key: "mcpServers", is_list: true };

fn entry_of(place: YamlPlace) -> Value {
    if place.is_list {
        json!({"name": "hewto", "command": "hewto", "args": ["serve"]})
    } else {
        json!({"name": "hewto", "type": "stdio", "cmd": "hewto", "args": ["serve"], "enabled": true, "timeout": 300})
    }
}

fn check(place: YamlPlace, before: &str, after: &str) {
    let entry = entry_of(place);
    let added = add(before, place, &entry).unwrap();
    assert_eq!(added, after, "{before:?}");
    assert_eq!(find(&added, place).unwrap(), Some(entry), "{before:?}");
    assert_eq!(Splice::between(before, &added).undo_exactly(&added).as_deref(), Some(before));
}

#[test]
fn the_entry_comes_last_and_nothing_else_moves() {
    check(
        MAP,
        "# mine\nGOOSE_MODEL: x # why\nextensions:\n    dev:   # built in\n        enabled: true\n\n# end\nz: 1\n",
        "# mine\nGOOSE_MODEL: x # why\nextensions:\n    dev:   # built in\n        enabled: true\n    hewto:\n      name: hewto\n      type: stdio\n      cmd: hewto\n      args: [\"serve\"]\n      enabled: true\n      timeout: 300\n\n# end\nz: 1\n",
    );
    check(
        LIST,
        "name: a\nmcpServers:\n- name: b\n  command: c\nx: 1\n",
        "name: a\nmcpServers:\n- name: b\n  command: c\n- name: hewto\n  command: hewto\n  args: [\"serve\"]\nx: 1\n",
    );
}

#[test]
fn every_way_to_have_no_server_yet_takes_one() {
    let lines = "extensions:\n  hewto:\n    name: hewto\n    type: stdio\n    cmd: hewto\n    args: [\"serve\"]\n    enabled: true\n    timeout: 300\n";
    check(MAP, "", lines);
    check(MAP, "# only words\n", &format!("# only words\n{lines}"));
    check(MAP, "a: 1", &format!("a: 1\n{}", lines.trim_end()));
    check(MAP, "extensions:\n", lines);
    check(MAP, "extensions: {}\n", lines);
    check(MAP, "extensions:\nb: 2\n", &format!("{lines}b: 2\n"));
}

#[test]
fn braces_are_extended_in_their_own_way() {
    check(
        MAP,
        "extensions: {dev: {enabled: true}} # mine\n",
        "extensions: {dev: {enabled: true}, \"hewto\": {\"name\":\"hewto\",\"type\":\"stdio\",\"cmd\":\"hewto\",\"args\":[\"serve\"],\"enabled\":true,\"timeout\":300}} # mine\n",
    );
}

#[test]
fn line_ends_and_the_mark_at_the_start_are_kept() {
    let added = add("\u{feff}a: 1\r\nextensions:\r\n  b: {}\r\n", MAP, &entry_of(MAP)).unwrap();
    assert!(
        added.starts_with("\u{feff}a: 1\r\nextensions:\r\n  b: {}\r\n  hewto:\r\n    name: hewto\r\n"),
        "{added:?}"
    );
    assert!(!added.replace("\r\n", "").contains('\n'), "{added:?}");
}

#[test]
fn what_is_no_configuration_is_refused_with_its_line() {
    for (text, why) in [
        ("a: [1\nb: 2\n", "line"),
        ("- a\n", "is not a map"),
        ("extensions: 3\n", "is not a map"),
        ("extensions:\n- a\n", "is not a map"),
        ("a: 1\n---\nb: 2\n", "several documents"),
        ("a: \"x\n", "line"),
        ("{a: 1}\n", "cannot be extended"),
    ] {
        let Err(Unreadable(message)) = add(text, MAP, &entry_of(MAP)) else { panic!("{text:?}") };
        assert!(message.contains(why), "{text:?}: {message}");
    }
}

fn lines_of(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::Object(inner) if !inner.is_empty() => {
                        let _ = writeln!(out, "{pad}{key}: # c");
                        lines_of(value, indent + 3, out);
                    }
                    Value::String(text) if text.contains('\n') => {
                        let _ = writeln!(out, "{pad}{key}: |");
                        for line in text.lines() {
                            let _ = writeln!(out, "{pad}   {line}");
                        }
                    }
                    other => {
                        let _ = writeln!(out, "{pad}{key}: {other}");
                    }
                }
            }
        }
        other => {
            let _ = writeln!(out, "{pad}{other}");
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::from),
        "[ -~äß]{0,8}".prop_map(Value::from),
        "[a-z]{1,4}\n[a-z]{1,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop::collection::btree_map("[a-z]{2,4}", inner, 1..4).prop_map(|map| json!(map))
    })
}

proptest! {
    #[test]
    fn any_configuration_keeps_its_bytes_and_comes_back(
        others in prop::collection::btree_map("[a-df-z]{2,4}", any_value(), 0..4),
        servers in prop::option::of(prop::collection::btree_map("[a-gi-z]{2,4}", any_value(), 0..3)),
        crlf in any::<bool>(),
        bom in any::<bool>(),
        ends in any::<bool>(),
    ) {
        let mut before = json!(others);
        if let Some(servers) = servers {
            before["extensions"] = json!(servers);
        }
        let mut text = if bom { "\u{feff}# mine\n".to_owned() } else { String::new() };
        lines_of(&before, 0, &mut text);
        if !ends {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let entry = entry_of(MAP);
        let added = add(&text, MAP, &entry).unwrap();
        prop_assert_eq!(find(&added, MAP).unwrap(), Some(entry));
        prop_assert_eq!(Splice::between(&text, &added).undo_exactly(&added), Some(text.clone()));
        let removed = remove(&added, MAP).unwrap();
        prop_assert_eq!(find(&removed, MAP).unwrap(), None);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-c:#\\-\\[\\]{}|>&*\"' \n\täß]{0,40}") {
        for place in [MAP, LIST] {
            if let Ok(added) = add(&text, place, &entry_of(place)) {
                prop_assert!(find(&added, place).unwrap().is_some());
                prop_assert_eq!(Splice::between(&text, &added).undo_exactly(&added), Some(text.clone()));
            }
        }
    }
}
