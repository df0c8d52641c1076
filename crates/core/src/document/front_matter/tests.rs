use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> FrontMatter {
    let block = find(text).block.expect("the text has a front matter");
    FrontMatter::read(text, &block)
}

fn edit() -> FrontMatterEdit<'static> {
    FrontMatterEdit::new(MissingBlock::Refuse)
}

fn codes(front: &FrontMatter) -> Vec<(&'static str, usize)> {
    front.diagnostics.iter().map(|diagnostic| (diagnostic.code, diagnostic.line)).collect()
}

#[test]
fn values_are_text_lists_and_maps() {
    let front = read(concat!(
        "---\ntitle: 'A: b'\nwhen: 2026-01-24T10:00:00Z\nnum: 007\nlist: [a, \"b\"]\ndeps:\n",
        "  - ref: x\n    optional: true\nnone:\nalso: ~\nempty: ''\nlong: |\n  one\n  two\n---\n",
    ));
    assert_eq!(front.string("title"), Some("A: b"));
    assert_eq!(front.string("when"), Some("2026-01-24T10:00:00Z"));
    assert_eq!(front.string("num"), Some("007"));
    assert_eq!(front.string("none"), None);
    assert_eq!(front.string("also"), None);
    assert_eq!(front.string("empty"), Some(""));
    assert_eq!(front.string("long"), Some("one\ntwo\n"));
    assert_eq!(front.string("list"), None);
    assert_eq!(front.list("list").unwrap().iter().filter_map(Node::as_str).collect::<Vec<_>>(), ["a", "b"]);
    let dependency = &front.list("deps").unwrap()[0];
    assert_eq!(dependency.get("ref").unwrap().as_str(), Some("x"));
    assert_eq!(dependency.get("optional").unwrap().as_bool(), Some(true));
    assert_eq!(dependency.line, 7);
    assert!(front.diagnostics.is_empty());
}

#[test]
fn faults_are_diagnostics_with_their_line() {
    for (yaml, expected) in [
        ("title: a: b\n", vec![("front-matter-invalid", 2)]),
        ("ok: 1\ntitle: \"open\n", vec![("front-matter-invalid", 3)]),
        ("a: 1\nb: [1, 2\n", vec![("front-matter-invalid", 3)]),
        ("- a\n- b\n", vec![("front-matter-not-a-map", 2)]),
        ("just text\n", vec![("front-matter-not-a-map", 2)]),
        ("a: 1\nb: 2\na: 3\n", vec![("front-matter-duplicate-key", 4)]),
        ("a: *nowhere\n", vec![("front-matter-invalid", 2)]),
        ("a: &x [*x]\n", vec![("front-matter-invalid", 2)]),
        ("[a]: 1\n", vec![("front-matter-invalid", 2)]),
        ("a: 1\n--- b\n", vec![("front-matter-invalid", 3)]),
        ("# only a comment\n", vec![]),
        ("", vec![]),
        ("~\n", vec![]),
    ] {
        assert_eq!(codes(&read(&format!("---\n{yaml}---\n"))), expected, "{yaml:?}");
    }
}

#[test]
fn keys_before_a_fault_are_kept() {
    let front = read("---\ntitle: Kept\nbroken: [\n---\n");
    assert_eq!(front.string("title"), Some("Kept"));
    assert_eq!(codes(&front).len(), 1);
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    assert_eq!(read("---\na: 1\na: 2\n---\n").string("a"), Some("2"));
}

#[test]
fn aliases_are_followed_and_bombs_are_refused() {
    assert_eq!(read("---\na: &x text\nb: *x\n---\n").string("b"), Some("text"));
    let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let again = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{again}]").unwrap();
    }
    bomb.push_str("---\n");
    assert_eq!(codes(&read(&bomb))[0].0, "front-matter-invalid");
    let deep = format!("---\na: {}\n---\n", "[".repeat(100_000));
    assert_eq!(codes(&read(&deep))[0].0, "front-matter-invalid");
}

#[test]
fn an_edit_touches_only_its_key() {
    for (yaml, key, value, expected) in [
        ("a: 1 # why\nb: 2\n", "a", Value::from("x"), "a: x # why\nb: 2\n"),
        ("a: '1'   # why\n", "a", Value::from("x: y"), "a: \"x: y\"   # why\n"),
        ("a:\n# about b\nb: 2\n", "a", Value::from("x"), "a: x\n# about b\nb: 2\n"),
        ("a: # note\nb: 2\n", "a", Value::from("x"), "a: x # note\nb: 2\n"),
        ("a: |\n  one\n  two\n\n# c\nb: 2\n", "a", Value::from("x"), "a: x\n\n# c\nb: 2\n"),
        ("a: >- # fold\n  one\n  two\nb: 2\n", "a", Value::from("x"), "a: x # fold\nb: 2\n"),
        ("a: one\n  two\nb: 2\n", "a", Value::from("x"), "a: x\nb: 2\n"),
        ("a: [1,\n  2] # c\nb:   2\n", "a", Value::from("x"), "a: x\nb:   2\n"),
        ("a:\n- 1\n- 2\nb: 2\n", "a", Value::from("x"), "a: x\nb: 2\n"),
        ("a:\n  - 1 # first\n  # last\nb: 2\n", "a", Value::List(vec![]), "a: []\n  # last\nb: 2\n"),
        ("\"a\" : 1\nb: 2\n", "a", Value::from("x"), "\"a\" : x\nb: 2\n"),
        ("a: 1\r\nb: 2\r\n", "a", Value::from("p\nq"), "a: |-\r\n  p\r\n  q\r\nb: 2\r\n"),
        ("a: !!str 1\n", "a", Value::from("x"), "a: x\n"),
        ("  a: 1\n  b: 2\n", "b", Value::List(vec!["x".into()]), "  a: 1\n  b:\n    - x\n"),
        ("a: [] # none\nb: 1\n", "a", Value::List(vec!["x".into()]), "a: # none\n  - x\nb: 1\n"),
        ("b: 1\n", "a", Value::from("x"), "b: 1\na: x\n"),
        ("# only\n", "a", Value::from("x"), "# only\na: x\n"),
        (
            "a: 2026-01-01T00:00:00Z\n",
            "a",
            Value::Timestamp("2026-01-02T00:00:00Z".into()),
            "a: 2026-01-02T00:00:00Z\n",
        ),
        (
            "a: 1\n",
            "d",
            Value::List(vec![Value::Map(vec![
                ("spec_id".into(), "1-x".into()),
                ("kind".into(), "hard".into()),
            ])]),
            "a: 1\nd:\n  - spec_id: 1-x\n    kind: hard\n",
        ),
    ] {
        let eol = if yaml.contains('\r') { "\r\n" } else { "\n" };
        let wrap = |yaml: &str| format!("\u{feff}---{eol}{yaml}---{eol}body{eol}");
        let edited = edit().set(key, value).apply(&wrap(yaml)).unwrap();
        assert_eq!(edited, wrap(expected), "{yaml:?}");
    }
}

#[test]
fn keys_are_removed_with_their_lines_and_inserted_in_order() {
    let text = "---\ntitle: T\n# when\ncreated_at: x\nmine: 1\n---\n";
    let order = ["title", "description", "category", "created_at", "updated_at"];
    let edit = edit().in_order(&order);
    assert_eq!(
        edit.clone().set("description", "D".into()).set("updated_at", "U".into()).apply(text).unwrap(),
        "---\ntitle: T\ndescription: D\n# when\ncreated_at: x\nupdated_at: U\nmine: 1\n---\n"
    );
    assert_eq!(
        edit.clone().remove("created_at").apply(text).unwrap(),
        "---\ntitle: T\n# when\nmine: 1\n---\n"
    );
    assert_eq!(edit.clone().remove("absent").apply(text).unwrap(), text);
    let tail = "---\nupdated_at: U\n---\n";
    assert_eq!(edit.set("title", "T".into()).apply(tail).unwrap(), "---\ntitle: T\nupdated_at: U\n---\n");
}

#[test]
fn a_block_is_made_only_when_asked() {
    let create = FrontMatterEdit::new(MissingBlock::Create).set("a", "x".into());
    assert_eq!(create.apply("# T\n").unwrap(), "---\na: x\n---\n\n# T\n");
    assert_eq!(create.apply("\u{feff}# T\r\n").unwrap(), "\u{feff}---\r\na: x\r\n---\r\n\r\n# T\r\n");
    assert_eq!(create.apply("").unwrap(), "---\na: x\n---\n");
    assert_eq!(edit().set("a", "x".into()).apply("# T\n"), Err(EditError::Missing));
}

#[test]
fn what_cannot_be_edited_safely_is_refused() {
    for (yaml, key, expected) in [
        ("a: [\n", "a", "Unreadable"),
        ("- a\n", "a", "Unreadable"),
        ("{a: 1, b: 2}\n", "a", "FlowMap"),
        ("{}\n", "a", "FlowMap"),
        ("a: 1\na: 2\n", "a", "DuplicateKey"),
        ("? a\n: 1\n", "a", "Unsafe"),
        ("a: &x 1\nb: *x\n", "a", "Unsafe"),
    ] {
        let error = edit().set(key, "v".into()).apply(&format!("---\n{yaml}---\n")).unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{yaml:?}: {error:?}");
        assert!(!error.hint().is_empty());
    }
    assert!(edit().set("b", "v".into()).apply("---\na: 1\na: 2\nb: 3\n---\n").is_ok());
}

#[test]
fn texts_are_quoted_when_yaml_would_read_something_else() {
    for (text, written) in [
        ("User Authentication System", "User Authentication System"),
        ("users, roles [and] more", "users, roles [and] more"),
        ("1737734400-user-auth", "1737734400-user-auth"),
        ("it's", "it's"),
        ("größe 日本語 🎉", "größe 日本語 🎉"),
        ("a: b", "\"a: b\""),
        ("a #b", "\"a #b\""),
        ("ends:", "\"ends:\""),
        ("", "\"\""),
        (" x", "\" x\""),
        ("true", "\"true\""),
        ("No", "\"No\""),
        ("null", "\"null\""),
        ("~", "\"~\""),
        ("42", "\"42\""),
        ("1.5e3", "\"1.5e3\""),
        ("0x1F", "\"0x1F\""),
        ("12:30", "\"12:30\""),
        ("2026-01-24", "\"2026-01-24\""),
        ("-.inf", "\"-.inf\""),
        ("- item", "\"- item\""),
        ("say \"hi\"", "say \"hi\""),
        ("\"hi\" he said", "'\"hi\" he said'"),
        ("tab\there", "\"tab\\there\""),
        ("nul\u{0}", "\"nul\\x00\""),
        ("one\n two \n", "\"one\\n two \\n\""),
    ] {
        let rendered = FrontMatterEdit::new(MissingBlock::Create).set("k", text.into()).apply("").unwrap();
        assert_eq!(rendered, format!("---\nk: {written}\n---\n"), "{text:?}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ \\-:#'\"\\[\\]{},&*!|>%@`?~0-9a-zA-Z.\n\r\t\\\\_+]{0,12}",
        "([a-z]{1,5}[ \n]){1,6}",
        prop::sample::select(vec![
            "---",
            "...",
            "\n---\n",
            "a\n---\nb",
            "a\n\nb\n",
            "# x",
            "null",
            "1e3",
            "\u{feff}",
            "a\u{85}b"
        ])
        .prop_map(str::to_owned),
    ];
    text.prop_map(Value::Text).prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::vec(("[a-z]{1,4}", inner), 0..3).prop_map(Value::Map),
            any::<bool>().prop_map(Value::Bool),
        ]
    })
}

/// Front matters as people write them.
fn any_front_matter() -> impl Strategy<Value = String> {
    let entry = prop::sample::select(vec![
        "k",
        "# comment",
        "",
        "  # odd comment",
        "k # note",
        "k |",
        "k >+",
        "k [a,\n  b]",
        "k\n  - a\n  - b # c",
        "k\n- a\n-",
        "k\n  x: 1\n  y: {z: 2}",
        "k 'it''s'",
        "k \"a\\tb\"",
        "k &x a",
        "k one\n  two\n\n  three",
        "k !!str 1",
        "k ~",
        "k\n\n\n",
        "k 2026-01-24",
        "k # n\n  - a",
    ]);
    let eol = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec(entry, 0..8), eol, any::<bool>()).prop_map(|(entries, eol, bom)| {
        let mut out = String::from(if bom { "\u{feff}---\n" } else { "---\n" });
        for (index, entry) in entries.into_iter().enumerate() {
            let written = match entry.strip_prefix('k') {
                Some(" |") => format!("k{index}: |\n  lit\n   eral\n\n"),
                Some(" >+") => format!("k{index}: >+\n  fold\n\n\n"),
                Some(rest) => format!("k{index}:{rest}\n"),
                None => format!("{entry}\n"),
            };
            out.push_str(&written);
        }
        out.push_str("---\n\n# Body\n---\nk0: 1\n");
        out.replace('\n', eol)
    })
}

proptest! {
    #[test]
    fn any_value_reads_back_as_it_was_written(value in any_value(), crlf in any::<bool>()) {
        let eol = if crlf { "\r\n" } else { "\n" };
        let text = format!("---{eol}a: 1{eol}z: 2{eol}---{eol}body");
        let edit = edit().set("a", value.clone());
        // The edit checks what it wrote by reading it again.
        let edited = edit.apply(&text).unwrap();
        let suffix = format!("z: 2{eol}---{eol}body");
        prop_assert!(edited.ends_with(&suffix));
        let created = FrontMatterEdit::new(MissingBlock::Create).set("a", value).apply("body").unwrap();
        prop_assert!(created.ends_with("---\n\nbody"));
    }

    #[test]
    fn an_edit_leaves_every_other_line_alone(text in any_front_matter(), pick in 0usize..9, value in any_value()) {
        let key = format!("k{pick}");
        let before = read(&text);
        prop_assert!(before.diagnostics.is_empty(), "{:?}", before.diagnostics);
        let edited = edit().set(&key, value).apply(&text).unwrap();
        let after = read(&edited);
        for (index, entry) in before.entries.iter().enumerate().filter(|(_, entry)| entry.key != key) {
            let other = &after.entries[index];
            prop_assert_eq!(&text[entry.node.span.clone()], &edited[other.node.span.clone()]);
        }
        // Comments outside the value survive; an indented one may belong to a literal block.
        let comments = |text: &str| text.matches("\n# comment").count();
        prop_assert_eq!(comments(&text), comments(&edited));
        match edit().remove(&key).apply(&edited) {
            Ok(removed) => {
                prop_assert!(read(&removed).get(&key).is_none());
                let others = before.entries.iter().filter(|entry| entry.key != key).count();
                prop_assert_eq!(read(&removed).entries.len(), others);
            }
            // Blank lines or an indented comment behind the key would become part of the value before it.
            Err(error) => prop_assert!(text.contains(">+") || text.contains("odd comment"), "{error}"),
        }
    }

    #[test]
    fn any_bytes_between_the_markers_are_survived(yaml in prop_oneof![any::<String>(), "[a-z:\\-\\[\\]{}&*!|>'\"#\n ]{0,60}"]) {
        let text = format!("---\n{yaml}\n---\n");
        if let Some(block) = find(&text).block {
            let front = FrontMatter::read(&text, &block);
            for diagnostic in &front.diagnostics {
                prop_assert!(diagnostic.line >= 1 && diagnostic.line <= text.lines().count());
                prop_assert!(text.get(diagnostic.span.clone()).is_some());
            }
            if let Ok(edited) = edit().set("key", "value".into()).apply(&text) {
                let front = read(&edited);
                prop_assert_eq!(front.string("key"), Some("value"));
            }
        }
    }
}
