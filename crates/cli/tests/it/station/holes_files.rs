//! Holes of file servers that stay closed here: each row of the list, on every tool that takes a path.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use super::yard::{SECRET, Yard, every_file_call, ok, refused};

/// No tool reaches what this path leads to.
#[track_caller]
fn assert_refused(yard: &Yard, session: &mut McpSession, path: &str, keys: &[&str]) {
    for (tool, reply) in every_file_call(session, path) {
        assert!(!reply.raw.to_string().contains(SECRET), "{tool} shows what is outside: {}", reply.raw);
        let error = reply.error();
        let key = error["error"].as_str().unwrap();
        assert!(keys.contains(&key), "{tool} {path}: {error}");
    }
    yard.assert_outside_untouched();
}

#[test]
fn a_sibling_with_the_same_beginning_is_outside() {
    let yard = Yard::new();
    fs_err::create_dir(yard.root().join("sub")).unwrap();
    let mut session = yard.serve();
    let base = yard.base().display().to_string();
    for path in [
        format!("{base}/root_evil/x"),
        format!("{}/../root_evil/x", yard.root().display()),
        "../root_evil/x".to_owned(),
        "sub/../../outside/secret.txt".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        assert_refused(&yard, &mut session, &path, &["path_outside_roots"]);
    }
}

// @spec workstation#no-path-leaves-its-root/a-link-that-leads-out
#[test]
fn no_link_leads_out() {
    let yard = Yard::new();
    let outside = yard.base().join("outside");
    yard.link(outside.join("secret.txt"), "file");
    yard.link("../outside/secret.txt", "relative");
    yard.link(&outside, "folder");
    yard.link("chain2", "chain1");
    yard.link("file", "chain2");
    yard.link("/proc/self/root", "kernel");
    yard.link(outside.join("missing.txt"), "dangling");
    let mut session = yard.serve();
    for path in ["folder/secret.txt", "folder/new.txt", "folder/a/b", "kernel/etc/passwd"] {
        assert_refused(&yard, &mut session, path, &["path_outside_roots"]);
    }
    // What looks at, moves or deletes a link itself is left out: it touches nothing outside.
    for path in ["file", "relative", "chain1", "dangling", "kernel"] {
        for (tool, arguments) in [
            ("fs_read", json!({ "path": path })),
            ("fs_write", json!({ "path": path, "content": "x" })),
            ("fs_append", json!({ "path": path, "content": "x" })),
            ("fs_edit", json!({ "path": path, "edits": [{ "old_text": "secret", "new_text": "x" }] })),
            ("fs_search", json!({ "path": path, "query": "secret" })),
            ("fs_info", json!({ "path": path })),
            ("fs_list", json!({ "path": path })),
        ] {
            assert_eq!(refused(&mut session, tool, arguments), "path_outside_roots", "{tool} {path}");
        }
    }
    yard.assert_outside_untouched();
    let list = ok(&mut session, "fs_list", json!({}));
    for entry in list["entries"].as_array().unwrap() {
        assert_eq!((&entry["type"], entry.get("size")), (&json!("symlink"), None), "no size of the target");
    }
    assert_eq!(ok(&mut session, "fs_search", json!({ "query": "secret" }))["total"], 0);
    assert_eq!(ok(&mut session, "fs_tree", json!({}))["total"], 7, "links are listed, never entered");
}

#[test]
fn links_that_stay_inside_can_be_read_and_a_root_may_be_a_link() {
    let yard = Yard::new();
    yard.put("deep/a.txt", "inside");
    yard.link("deep/a.txt", "link");
    symlink(yard.root(), yard.base().join("door")).unwrap();
    let door = yard.base().join("door");
    let args = ["serve", "--toolsets", "workstation", "--root", door.to_str().unwrap()];
    let mut session = yard.start(&args, &[], Era::Legacy);
    for path in [json!("link"), json!(door.join("link")), json!(yard.root().join("link"))] {
        assert_eq!(ok(&mut session, "fs_read", json!({ "path": path }))["content"], "inside");
    }
}

#[test]
fn a_race_of_ten_thousand_reads_never_shows_a_byte_from_outside() {
    let yard = Yard::in_memory();
    let mut session = yard.serve();
    let (mut shown, mut kept_out) = (0, 0);
    yard.while_swapping(|| {
        for _ in 0..20 {
            let ids: Vec<i64> =
                (0..500).map(|_| session.start_call("fs_read", json!({ "path": "prize" }))).collect();
            for id in ids {
                let result = session.finish(id).unwrap();
                let text = result.to_string();
                assert!(!text.contains("secret outside"), "{text}");
                if result["structuredContent"]["content"] == "inside" {
                    shown += 1;
                } else {
                    assert!(text.contains("path_outside_roots") || text.contains("not_found"), "{text}");
                    kept_out += 1;
                }
            }
        }
    });
    assert_eq!(shown + kept_out, 10_000);
    assert!(shown > 0 && kept_out > 0, "the race was run: {shown} shown, {kept_out} kept out");
}

#[test]
fn a_hard_link_is_replaced_and_never_written_through() {
    let yard = Yard::new();
    let mut session = yard.serve();
    let secret = yard.base().join("outside/secret.txt");
    for (tool, more) in [
        ("fs_write", json!({ "content": "x" })),
        ("fs_append", json!({ "content": "x" })),
        ("fs_edit", json!({ "edits": [{ "old_text": "secret", "new_text": "public" }] })),
    ] {
        fs_err::hard_link(&secret, yard.root().join("hard")).unwrap();
        let mut arguments = more;
        arguments["path"] = json!("hard");
        ok(&mut session, tool, arguments);
        yard.assert_outside_untouched();
        assert_ne!(yard.bytes("hard"), SECRET.as_bytes(), "{tool}");
        fs_err::remove_file(yard.root().join("hard")).unwrap();
    }
}

#[test]
fn pipes_devices_and_the_kernels_files_are_refused_at_once() {
    let yard = Yard::new();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, yard.root().join("pipe"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    let mut session = yard.serve();
    let began = Instant::now();
    for tool in ["fs_read", "fs_edit", "fs_append", "fs_write", "fs_search", "fs_copy"] {
        let arguments = match tool {
            "fs_edit" => json!({ "path": "pipe", "edits": [{ "old_text": "a", "new_text": "b" }] }),
            "fs_append" | "fs_write" => json!({ "path": "pipe", "content": "x" }),
            "fs_search" => json!({ "path": "pipe", "query": "x" }),
            "fs_copy" => json!({ "source": "pipe", "destination": "copy" }),
            _ => json!({ "path": "pipe" }),
        };
        assert_eq!(refused(&mut session, tool, arguments), "special_file", "{tool}");
    }
    assert_eq!(ok(&mut session, "fs_info", json!({ "path": "pipe" }))["type"], "special");
    assert_eq!(ok(&mut session, "fs_search", json!({ "query": "x" }))["total"], 0);
    let whole = ["serve", "--toolsets", "workstation", "--root", "/"];
    let mut session = yard.start(&whole, &[], Era::Legacy);
    for path in ["/dev/zero", "/dev/null", "/proc/self/environ", "/proc/version", "/sys/kernel/uevent_seqnum"]
    {
        let key = refused(&mut session, "fs_read", json!({ "path": path }));
        assert!(key == "special_file" || key == "not_found", "{path}: {key}");
    }
    assert!(began.elapsed() < Duration::from_mins(1), "nothing hangs");
}

#[test]
fn windows_spellings_nul_and_empty_paths_lead_nowhere() {
    let yard = Yard::new();
    yard.put("f.txt", "x");
    let mut session = yard.serve();
    for path in [r"C:\Windows\win.ini", r"\\?\C:\x", r"\\server\share\x", "f.txt:stream", "CON"] {
        let key = refused(&mut session, "fs_read", json!({ "path": path }));
        assert!(key == "not_found" || key == "path_outside_roots", "{path}: {key}");
    }
    for path in ["", "a\0b"] {
        assert_eq!(refused(&mut session, "fs_read", json!({ "path": path })), "invalid_params", "{path:?}");
        assert_eq!(
            refused(&mut session, "fs_write", json!({ "path": path, "content": "" })),
            "invalid_params"
        );
    }
}

#[test]
fn nothing_below_git_or_our_own_settings_is_written_also_not_through_a_link() {
    let yard = Yard::repository().configured("");
    yard.link(".git", "plain");
    yard.link(".git/hooks", "hooks");
    yard.put("payload", "#!/bin/sh\n");
    let mut session = yard.serve();
    let config = yard.bytes(".git/config");
    for path in [
        ".git/config",
        ".git/hooks/pre-commit",
        ".GIT/config",
        "plain/config",
        "hooks/pre-commit",
        "src/.git/config",
        ".git",
        ".hewto/config.toml",
        "src/../.git/config",
    ] {
        for (tool, arguments) in [
            ("fs_write", json!({ "path": path, "content": "x" })),
            ("fs_append", json!({ "path": path, "content": "x" })),
            ("fs_mkdir", json!({ "path": format!("{path}/x") })),
            ("fs_copy", json!({ "source": "payload", "destination": path })),
            ("fs_move", json!({ "source": "payload", "destination": path })),
            ("fs_delete", json!({ "path": path, "recursive": true })),
            ("fs_move", json!({ "source": path, "destination": "elsewhere" })),
        ] {
            let key = refused(&mut session, tool, arguments);
            let fine = ["protected_path", "not_found", "not_a_directory", "already_exists", "is_a_directory"];
            assert!(fine.contains(&key.as_str()), "{tool} {path}: {key}");
        }
    }
    assert_eq!(yard.bytes(".git/config"), config);
    assert!(!yard.root().join(".git/hooks/pre-commit").exists());
    assert!(yard.bytes(".hewto/config.toml").starts_with(b"[project]"));
    let write = json!({ "path": ".git/hooks/pre-commit", "content": "x" });
    assert_eq!(refused(&mut session, "fs_write", write), "protected_path");
    // A whole repository cannot be deleted or moved away with its folder either.
    yard.put("inner/.git/HEAD", "ref: refs/heads/main\n");
    let arguments = json!({ "path": "inner", "recursive": true });
    assert_eq!(refused(&mut session, "fs_delete", arguments), "protected_path");
    let arguments = json!({ "source": "inner", "destination": "outer" });
    assert_eq!(refused(&mut session, "fs_move", arguments), "protected_path");
    assert!(yard.root().join("inner/.git/HEAD").exists());
}

#[test]
fn a_folder_of_git_is_known_under_any_name_and_behind_any_link() {
    let yard = Yard::new();
    yard.put("work/f.txt", "x");
    yard.put("gits/readme.txt", "x");
    yard.git("work", &["init", "--quiet", "--separate-git-dir=../gits/work"]);
    yard.put("linked/f.txt", "x");
    yard.git("linked", &["init", "--quiet"]);
    fs_err::rename(yard.root().join("linked/.git"), yard.root().join("gits/linked")).unwrap();
    yard.link("../gits/linked", "linked/.git");
    // A folder that merely could be one is an ordinary one.
    yard.put("other/.git/x", "");
    yard.link("linked/.git", "behind");
    yard.link("../other/.git", "gits/out");
    let mut session = yard.serve();
    let configs = ["gits/work/config", "gits/linked/config"].map(|path| yard.bytes(path));
    for folder in ["gits/work", "gits/linked", "linked/.git", "behind", "gits/out"] {
        for (tool, arguments) in [
            ("fs_write", json!({ "path": format!("{folder}/config"), "content": "x" })),
            ("fs_write", json!({ "path": format!("{folder}/hooks/pre-commit"), "content": "x" })),
            ("fs_append", json!({ "path": format!("{folder}/config"), "content": "x" })),
            ("fs_mkdir", json!({ "path": format!("{folder}/hooks/deep/er") })),
            (
                "fs_copy",
                json!({ "source": "work/f.txt", "destination": format!("{folder}/hooks/post-commit") }),
            ),
            ("fs_delete", json!({ "path": format!("{folder}/HEAD") })),
        ] {
            assert_eq!(
                refused(&mut session, tool, arguments.clone()),
                "protected_path",
                "{tool} {arguments}"
            );
        }
    }
    for source in ["gits/work", "linked/.git"] {
        let arguments = json!({ "source": source, "destination": "elsewhere" });
        assert_eq!(refused(&mut session, "fs_move", arguments), "protected_path");
    }
    assert_eq!(["gits/work/config", "gits/linked/config"].map(|path| yard.bytes(path)), configs);
    ok(&mut session, "fs_write", json!({ "path": "gits/readme.txt", "content": "x" }));
    assert_eq!(ok(&mut session, "git_status", json!({ "repo": "work" }))["clean"], false);
}

#[test]
fn huge_files_are_read_in_parts_and_refused_whole() {
    let yard = Yard::new();
    let file = fs_err::File::create(yard.root().join("sparse")).unwrap();
    file.set_len(4 << 30).unwrap();
    let big = "0123456789abcde\n".repeat(1 << 16);
    let path = yard.root().join("big.txt");
    let mut file = fs_err::File::create(&path).unwrap();
    for _ in 0..100 {
        std::io::Write::write_all(&mut file, big.as_bytes()).unwrap();
    }
    let mut session = yard.serve();
    let error = session.call("fs_read", json!({ "path": "big.txt" })).error();
    assert_eq!((&error["error"], &error["size"]), (&json!("file_too_large"), &json!(100 << 20)));
    let tail: Value = ok(&mut session, "fs_read", json!({ "path": "big.txt", "tail": 2 }));
    assert_eq!(tail["content"], "0123456789abcde\n0123456789abcde\n");
    let key = refused(&mut session, "fs_read", json!({ "path": "sparse" }));
    assert!(key == "binary_file" || key == "file_too_large", "{key}");
    assert_eq!(ok(&mut session, "fs_search", json!({ "query": "needle" }))["total"], 0);
    let peak = fs_err::read_to_string(format!("/proc/{}/status", session.process_id())).unwrap();
    let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 300_000, "{kilobytes} kB");
}
