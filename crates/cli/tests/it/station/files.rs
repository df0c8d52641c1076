//! The file tools: what each does, and how it refuses.

use serde_json::{Value, json};

use super::yard::{Yard, ok, refused};

/// A picture of one dot.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

#[test]
fn a_file_is_read_whole_and_in_part() {
    let yard = Yard::new();
    yard.put("a.txt", "l1\nl2\nl3\n");
    let mut session = yard.serve();
    let whole = ok(&mut session, "fs_read", json!({ "path": "a.txt" }));
    assert_eq!(whole["content"], "l1\nl2\nl3\n");
    assert_eq!(
        (&whole["size"], &whole["total_lines"], &whole["truncated"]),
        (&json!(9), &json!(3), &json!(false))
    );
    let absolute = yard.root().join("a.txt");
    for (arguments, content) in [
        (json!({ "path": absolute, "head": 1 }), "l1\n"),
        (json!({ "path": "a.txt", "tail": 2 }), "l2\nl3\n"),
        (json!({ "path": "./a.txt", "start_line": 2, "end_line": 2 }), "l2\n"),
        (json!({ "path": "a.txt", "start_line": 3, "line_numbers": true }), "     3\tl3\n"),
        (json!({ "path": "a.txt", "head": 1, "tail": null }), "l1\n"),
    ] {
        assert_eq!(ok(&mut session, "fs_read", arguments.clone())["content"], content, "{arguments}");
    }
    for arguments in [
        json!({ "path": "a.txt", "head": 1, "tail": 1 }),
        json!({ "path": "a.txt", "head": 1, "start_line": 1 }),
        json!({ "path": "a.txt", "head": 0 }),
        json!({ "path": "a.txt", "start_line": 3, "end_line": 2 }),
        json!({ "path": "a.txt", "start_line": 9 }),
        json!({ "path": "" }),
        json!({ "pth": "a.txt" }),
    ] {
        assert_eq!(refused(&mut session, "fs_read", arguments.clone()), "invalid_params", "{arguments}");
    }
    assert_eq!(refused(&mut session, "fs_read", json!({ "path": "none" })), "not_found");
}

#[test]
fn a_long_text_is_cut_and_says_how_to_go_on() {
    let yard = Yard::new();
    let lines: Vec<String> = (1..=10_000).map(|line| format!("line {line}\n")).collect();
    let text = lines.concat();
    yard.put("long.txt", &text);
    let mut session = yard.serve();
    let mut read = String::new();
    let mut start = 1;
    loop {
        let reply = session.call("fs_read", json!({ "path": "long.txt", "start_line": start }));
        assert!(reply.text.chars().count() < 25_000, "{}", reply.text.chars().count());
        let part = reply.ok();
        read.push_str(part["content"].as_str().unwrap());
        if part["truncated"] == false {
            break;
        }
        start = part["end_line"].as_u64().unwrap() + 1;
        assert!(part["note"].as_str().unwrap().contains(&format!("`start_line`: {start}")));
    }
    assert_eq!(read, text);
    let whole = ok(&mut session, "fs_read", json!({ "path": "long.txt", "max_chars": 1_000_000 }));
    assert_eq!(whole["content"], text);
}

#[test]
fn pictures_and_sounds_travel_in_blocks_of_their_own() {
    let yard = Yard::new();
    yard.put("dot.png", PNG);
    yard.put("beep.wav", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0");
    yard.put("thing.bin", b"\0\x01\x02\x03\xff\xfe");
    let mut session = yard.serve();
    for (path, kind, mime) in [("dot.png", "image", "image/png"), ("beep.wav", "audio", "audio/wav")] {
        let reply = session.call("fs_read", json!({ "path": path }));
        let block = &reply.raw["content"][1];
        assert_eq!((&block["type"], &block["mimeType"]), (&json!(kind), &json!(mime)));
        assert!(block["data"].as_str().unwrap().len() > 10);
        let view = reply.ok();
        assert_eq!((&view["media"]["mime_type"], view.get("content")), (&json!(mime), None));
    }
    assert_eq!(refused(&mut session, "fs_read", json!({ "path": "thing.bin" })), "binary_file");
    let reply = session.call("fs_read", json!({ "path": "thing.bin", "form": "media" }));
    assert_eq!(reply.raw["content"][1]["type"], "resource");
    let many = session.call("fs_read_many", json!({ "paths": ["dot.png", "none"] }));
    assert_eq!(many.raw["content"][1]["type"], "image");
    let many = many.ok();
    assert_eq!((&many["failed"], &many["files"][1]["error"]), (&json!(1), &json!("not_found")));
}

#[test]
fn a_file_keeps_its_mode_bom_and_line_ends_when_it_is_written_and_edited() {
    use std::os::unix::fs::PermissionsExt as _;

    let yard = Yard::new();
    yard.put("a.txt", "\u{feff}one\r\ntwo\r\n");
    let path = yard.root().join("a.txt");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    let mut session = yard.serve();
    ok(&mut session, "fs_write", json!({ "path": "a.txt", "content": "uno\ndue\ntre\n" }));
    assert_eq!(yard.bytes("a.txt"), "\u{feff}uno\r\ndue\r\ntre\r\n".as_bytes());
    let edits =
        json!([{ "old_text": "uno\ndue", "new_text": "1\n2" }, { "old_text": "tre", "new_text": "3" }]);
    let dry = ok(&mut session, "fs_edit", json!({ "path": "a.txt", "edits": edits, "dry_run": true }));
    assert_eq!((&dry["dry_run"], &dry["changed"]), (&json!(true), &json!(true)));
    assert_eq!(yard.bytes("a.txt"), "\u{feff}uno\r\ndue\r\ntre\r\n".as_bytes());
    let edited = ok(&mut session, "fs_edit", json!({ "path": "a.txt", "edits": edits }));
    assert_eq!(edited["diff"], dry["diff"]);
    assert!(edited["diff"].as_str().unwrap().contains("-uno"), "{edited}");
    assert_eq!(yard.bytes("a.txt"), "\u{feff}1\r\n2\r\n3\r\n".as_bytes());
    assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, 0o751);
    let made = ok(&mut session, "fs_write", json!({ "path": "new/folder/b.txt", "content": "x" }));
    assert_eq!(made["created"], true);
    let appended = ok(&mut session, "fs_append", json!({ "path": "new/folder/b.txt", "content": "yz" }));
    assert_eq!((&appended["size"], &appended["added"]), (&json!(3), &json!(2)));
}

#[test]
fn an_edit_that_does_not_match_changes_nothing_and_says_why() {
    let yard = Yard::new();
    yard.put("a.txt", "alpha\n    beta\ngamma gamma\n");
    let mut session = yard.serve();
    let edit = |edits: Value| json!({ "path": "a.txt", "edits": edits });
    let good = json!({ "old_text": "alpha", "new_text": "omega" });
    let error =
        session.call("fs_edit", edit(json!([good, { "old_text": "\tbeta", "new_text": "x" }]))).error();
    assert_eq!(error["error"], "no_match");
    assert!(error.to_string().contains("    beta"), "the nearest text is shown: {error}");
    for (edits, key) in [
        (json!([{ "old_text": "gamma", "new_text": "x" }]), "several_matches"),
        (json!([{ "old_text": "", "new_text": "x" }]), "invalid_params"),
        (json!([]), "invalid_params"),
        (json!([{ "old_text": "alpha" }]), "invalid_params"),
    ] {
        assert_eq!(refused(&mut session, "fs_edit", edit(edits.clone())), key, "{edits}");
    }
    assert_eq!(yard.bytes("a.txt"), b"alpha\n    beta\ngamma gamma\n");
}

#[test]
fn what_is_wrong_with_an_argument_is_named_and_comes_with_a_hint() {
    let yard = Yard::new();
    yard.put("a.txt", "one\n");
    let mut session = yard.serve();
    let edits = json!([{ "old_text": "one", "new_text": "two" }, { "old_text": "", "new_text": "x" }]);
    let error = session.call("fs_edit", json!({ "path": "a.txt", "edits": edits })).error();
    let fault = &error["faults"][0];
    assert_eq!(
        (&fault["pointer"], &fault["field"]),
        (&json!("/edits/1/old_text"), &json!("edits[1].old_text"))
    );
    let error = session.call("fs_read", json!({ "path": "a.txt", "head": 1, "tail": 1 })).error();
    assert!(error["hint"].as_str().unwrap().contains("`fs_read`"), "{error}");
}

#[test]
fn folders_are_listed_walked_and_searched() {
    let yard = Yard::repository();
    yard.put(".gitignore", "target/\n");
    yard.put("target/big.rs", "fn one() {}\n");
    yard.put("src/deep/mod.rs", "// one (two)\n");
    let mut session = yard.serve();
    let list = ok(&mut session, "fs_list", json!({ "path": "src" }));
    assert_eq!(list["entries"][0], json!({ "name": "deep", "type": "directory" }));
    assert_eq!(list["entries"][1], json!({ "name": "lib.rs", "type": "file", "size": 12 }));
    let by_size = ok(&mut session, "fs_list", json!({ "path": "src", "order": "size" }));
    assert_eq!(by_size["entries"][0]["name"], "lib.rs");
    let names = |view: &Value, list: &str| -> Vec<String> {
        let entries = view[list].as_array().unwrap().iter();
        entries.map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
    };
    let tree = ok(&mut session, "fs_tree", json!({ "exclude": ["*.md"] }));
    assert_eq!(names(&tree, "entries"), [".gitignore", "src", "src/deep", "src/deep/mod.rs", "src/lib.rs"]);
    let shallow = ok(&mut session, "fs_tree", json!({ "depth": 1, "include_ignored": true }));
    assert!(names(&shallow, "entries").contains(&"target".to_owned()));
    assert!(!names(&shallow, "entries").contains(&"src/deep".to_owned()));
    let found = ok(&mut session, "fs_find", json!({ "pattern": "*.rs" }));
    assert_eq!(found["total"], 2);
    let found = ok(&mut session, "fs_find", json!({ "pattern": "src/**/mod.rs" }));
    assert!(names(&found, "found")[0].ends_with("src/deep/mod.rs"));
    let literal = ok(&mut session, "fs_search", json!({ "query": "(two)" }));
    assert_eq!((&literal["total"], &literal["matches"][0]["line"]), (&json!(1), &json!(1)));
    assert_eq!(literal["matches"][0]["column"], 8);
    let regex =
        ok(&mut session, "fs_search", json!({ "query": r"fn \w+\(", "regex": true, "pattern": "*.rs" }));
    assert_eq!(regex["total"], 1);
    assert_eq!(refused(&mut session, "fs_search", json!({ "query": "(", "regex": true })), "invalid_params");
    assert_eq!(refused(&mut session, "fs_find", json!({ "pattern": "[" })), "invalid_params");
    assert_eq!(refused(&mut session, "fs_list", json!({ "path": "README.md" })), "not_a_directory");
}

#[test]
fn things_are_moved_copied_and_deleted_but_never_over_something() {
    let yard = Yard::new();
    yard.put("a/one.txt", "1");
    yard.put("b.txt", "b");
    let mut session = yard.serve();
    let copy = |source: &str, destination: &str| json!({ "source": source, "destination": destination });
    ok(&mut session, "fs_copy", copy("b.txt", "c.txt"));
    assert_eq!(refused(&mut session, "fs_copy", copy("b.txt", "c.txt")), "already_exists");
    assert_eq!(refused(&mut session, "fs_copy", copy("a", "d")), "is_a_directory");
    let mut whole = copy("a", "d");
    whole["recursive"] = json!(true);
    assert_eq!(ok(&mut session, "fs_copy", whole)["copied"], 2);
    assert_eq!(refused(&mut session, "fs_move", copy("b.txt", "c.txt")), "already_exists");
    ok(&mut session, "fs_move", copy("b.txt", "e/f.txt"));
    assert_eq!(yard.bytes("e/f.txt"), b"b");
    assert_eq!(refused(&mut session, "fs_delete", json!({ "path": "a" })), "directory_not_empty");
    ok(&mut session, "fs_delete", json!({ "path": "a/one.txt" }));
    ok(&mut session, "fs_delete", json!({ "path": "a" }));
    assert_eq!(ok(&mut session, "fs_delete", json!({ "path": "d", "recursive": true }))["deleted"], 2);
    assert_eq!(refused(&mut session, "fs_delete", json!({ "path": "d" })), "not_found");
    assert_eq!(ok(&mut session, "fs_mkdir", json!({ "path": "x/y" }))["created"], true);
    assert_eq!(ok(&mut session, "fs_mkdir", json!({ "path": "x/y" }))["created"], false);
    let exists = ok(&mut session, "fs_exists", json!({ "path": "x", "kind": "file" }));
    assert_eq!((&exists["exists"], &exists["type"]), (&json!(false), &json!("directory")));
    let info = ok(&mut session, "fs_info", json!({ "path": "c.txt" }));
    assert_eq!((&info["type"], &info["size"], &info["links"]), (&json!("file"), &json!(1), &json!(1)));
    let roots = ok(&mut session, "fs_roots", json!({}));
    assert_eq!(roots["roots"], json!([{ "path": yard.root(), "default": true }]));
}

#[test]
fn names_and_contents_that_are_no_utf_8_are_shown_as_such_and_survive_an_edit() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let yard = Yard::new();
    fs_err::write(yard.root().join(OsStr::from_bytes(b"gr\xfcn.txt")), "x").unwrap();
    yard.put("latin.txt", b"caf\xe9\nplain\n\xff\xfe\n");
    let mut session = yard.serve();
    let list = ok(&mut session, "fs_list", json!({}));
    assert_eq!(list["entries"][0]["name"], r"gr\xFCn.txt");
    let read = ok(&mut session, "fs_read", json!({ "path": "latin.txt" }));
    assert_eq!(read["encoding"], "bytes");
    assert_eq!(read["content"], "caf\\xE9\nplain\n\\xFF\\xFE\n");
    let edits = json!([{ "old_text": "plain", "new_text": "fancy" }]);
    ok(&mut session, "fs_edit", json!({ "path": "latin.txt", "edits": edits }));
    assert_eq!(yard.bytes("latin.txt"), b"caf\xe9\nfancy\n\xff\xfe\n");
    // A name is used as it is shown, unless something has literally that name.
    let edits = json!([{ "old_text": "x", "new_text": "y" }]);
    ok(&mut session, "fs_edit", json!({ "path": r"gr\xFCn.txt", "edits": edits }));
    assert_eq!(fs_err::read(yard.root().join(OsStr::from_bytes(b"gr\xfcn.txt"))).unwrap(), b"y");
    yard.put(r"gr\xFCn.txt", "literally");
    assert_eq!(ok(&mut session, "fs_read", json!({ "path": r"gr\xFCn.txt" }))["content"], "literally");
}

#[test]
fn a_name_may_be_told_with_its_accents_put_together_or_apart() {
    let yard = Yard::new();
    yard.put("caf\u{e9}.txt", "together");
    yard.put("de\u{301}/f.txt", "apart");
    let mut session = yard.serve();
    for (path, content) in [("cafe\u{301}.txt", "together"), ("d\u{e9}/f.txt", "apart")] {
        assert_eq!(ok(&mut session, "fs_read", json!({ "path": path }))["content"], content);
    }
    // No twin comes to be beside what is there.
    ok(&mut session, "fs_write", json!({ "path": "cafe\u{301}.txt", "content": "new" }));
    ok(&mut session, "fs_write", json!({ "path": "d\u{e9}/g.txt", "content": "new" }));
    assert_eq!(fs_err::read_dir(yard.root()).unwrap().count(), 2);
    assert_eq!(yard.bytes("de\u{301}/g.txt"), b"new");
}

#[test]
fn a_folder_of_a_hundred_thousand_entries_is_paged() {
    let yard = Yard::in_memory();
    fs_err::create_dir(yard.root().join("many")).unwrap();
    for index in 0..100_000 {
        fs_err::File::create(yard.root().join(format!("many/{index:06}"))).unwrap();
    }
    let mut session = yard.serve();
    let reply = session.call("fs_list", json!({ "path": "many" }));
    assert!(reply.text.chars().count() < 25_000);
    let page = reply.ok();
    assert_eq!((&page["total"], &page["remaining"]), (&json!(100_000), &json!(99_900)));
    let mut seen = 0;
    let mut cursor = Value::Null;
    loop {
        let page = ok(
            &mut session,
            "fs_list",
            json!({ "path": "many", "limit": 1000, "max_chars": 100_000, "cursor": cursor }),
        );
        let entries = page["entries"].as_array().unwrap();
        assert_eq!(entries[0]["name"], format!("{seen:06}"));
        seen += entries.len();
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!(seen, 100_000);
    let strange = json!({ "path": ".", "cursor": cursor });
    assert_eq!(refused(&mut session, "fs_list", strange), "invalid_params");
}
