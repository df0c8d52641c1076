//! `hewto index` and `hewto search`.

use std::process::{Command, Stdio};

use crate::sandbox::{Sandbox, whole};

fn shop() -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write(
        "specs/refunds/spec.md",
        "# Refunds\n\n## Purpose\n\nSending goods back.\n\n## Requirements\n\n### Requirement: Return Window\n\n\
         A customer SHALL send an order back within thirty days.\n",
    );
    sandbox.write("specs/refunds/plan.md", "# Plan\n\nPrint return labels.\n");
    sandbox.write("docs/adr/0001-cents.md", "# Count in cents\n\nFloats lose pennies.\n");
    sandbox
}

/// Scores are the model's, and differ a little from one processor to another.
fn without_scores() -> impl Drop {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\b[01]\.\d{1,4}\b", "[score]");
    settings.add_filter(r"\d+ % sure", "[n] % sure");
    settings.bind_to_scope()
}

#[test]
fn a_new_workspace_has_an_index_that_follows_its_files() {
    let sandbox = shop();
    let _masked = without_scores();
    insta::assert_snapshot!(sandbox.run(&["search", "customer", "order"]), @r"
    [score] refunds › Return Window [requirement]
        A customer SHALL send an order back within thirty days.
    [score] refunds (Refunds) [spec]
        Sending goods back.
    [score] refunds (Refunds) [plan]
        Print return labels.
    [score] 0001-cents (Count in cents) [decision]
        Floats lose pennies.
    4 results, [n] % sure, ranking: fused
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["search", "pennies", "--kind", "decision"]), @r"
    [score] 0001-cents (Count in cents) [decision]
        Floats lose pennies.
    1 result, [n] % sure, ranking: fused
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["search", "labels", "--kind", "plan", "--json"]), @r#"
    {
      "results": [
        {
          "kind": "plan",
          "id": "refunds",
          "title": "Refunds",
          "requirement": null,
          "score": [score],
          "snippet": "Print return labels.",
          "highlights": [
            [
              13,
              19
            ]
          ]
        }
      ],
      "confidence": [score],
      "mode": "fused",
      "total": 1
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["search", "labels", "--kind", "change"]), @r"
    nothing matches, ranking: fused
    [exit 0]
    ");
}

#[test]
fn matching_words_are_highlighted() {
    let sandbox = shop();
    let mut command = sandbox.hewto(&["search", "customer"]);
    let shown = String::from_utf8(command.env("CLICOLOR_FORCE", "1").output().unwrap().stdout).unwrap();
    assert!(shown.contains("\u{1b}[1m\u{1b}[33mcustomer\u{1b}[0m"), "{shown:?}");
}

#[test]
fn an_index_is_built_described_and_thrown_away() {
    let sandbox = shop();
    let _masked = without_scores();
    let built = sandbox.ok(&["index", "build"]);
    for line in ["documents  3", "entries    4", "embedded   4 of 4 passages", "model      bundled"] {
        assert!(built.contains(line), "{line}: {built}");
    }
    assert_eq!(sandbox.ok(&["index", "status"]), built);
    insta::assert_snapshot!(sandbox.run(&["index", "clear"]), @r"
    the search index is gone
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["index", "status"]), @r"
    there is no search index
    make one: hewto index build
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["index", "clear", "--json"]), @r#"
    {
      "cleared": false,
      "shared_vectors": false
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["search", "customer", "--limit", "1"]), @r"
    [score] refunds › Return Window [requirement]
        A customer SHALL send an order back within thirty days.
    1 of 4 results, [n] % sure, ranking: fused
    [exit 0]
    ");
}

/// What work trees of a repository share is said before and after it goes.
#[test]
fn clearing_the_index_in_a_repository_says_that_shared_vectors_go_too() {
    let sandbox = shop();
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).current_dir(sandbox.project()).status().unwrap();
        assert!(done.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    sandbox.ok(&["index", "build"]);
    insta::assert_snapshot!(sandbox.run(&["index", "clear"]), @r"
    the search index is gone, and the vectors that all work trees of this repository share
    [exit 0]
    ");
    assert_eq!(
        fs_err::read_dir(sandbox.project().join(".git/hewto/search"))
            .unwrap()
            .filter(|file| { file.as_ref().unwrap().file_name().to_string_lossy().starts_with("vectors-") })
            .count(),
        0
    );
    // Another work tree of it need not have an index to take them from all.
    insta::assert_snapshot!(sandbox.run(&["index", "clear"]), @r"
    there was no search index; the vectors that all work trees of this repository share are gone
    [exit 0]
    ");
    assert_eq!(sandbox.json(&["index", "clear"])["shared_vectors"], true);
    assert!(
        sandbox.ok(&["index", "clear", "--help"]).contains("that all work trees of the repository share")
    );
}

#[test]
fn a_variable_that_is_set_to_nothing_is_not_set() {
    let sandbox = shop();
    let mut command = sandbox.hewto(&["search", "customer", "--limit", "1"]);
    let shown = whole(&command.env("HEWTO_SEARCH_MODEL", "").output().unwrap());
    assert!(shown.contains("refunds › Return Window") && shown.ends_with("[exit 0]"), "{shown}");
    let mut command = sandbox.hewto(&["hub", "token", "list"]);
    let shown = whole(&command.env("HEWTO_HUB_DATABASE", "").output().unwrap());
    assert!(shown.contains("the hub needs a database"), "{shown}");
    let typed = sandbox.run(&["search", "customer", "--model", ""]);
    assert!(typed.contains("a value is required for '--model <PATH>'"), "{typed}");
}

#[test]
fn where_words_alone_rank_people_are_told_no_percentage() {
    let sandbox = shop();
    sandbox.write("specs/ships/spec.md", "# 船\n\n## Purpose\n\n船が港に着く。\n");
    let shown = sandbox.ok(&["search", "船が港"]);
    assert!(shown.contains("1 result, ranking: lexical (") && !shown.contains('%'), "{shown}");
    assert!(sandbox.json(&["search", "船が港"])["confidence"].as_f64().unwrap() > 0.0);
    assert!(sandbox.ok(&["search", "customer"]).contains("% sure, ranking: fused"));
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let sandbox = shop();
    insta::assert_snapshot!(sandbox.run(&["search", " "]), @r"
    [stderr]
    error: there is nothing to look for
    hint: say it: `hewto search WORDS`
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["search", "x", "--model", "nowhere.onnx"]), @r"
    [stderr]
    error: cannot read the model: [DIR]/project/nowhere.onnx: failed to open file `[DIR]/project/nowhere.onnx`: No such file or directory (os error 2)
    hint: give the path of an ONNX file
    [exit 2]
    ");
    sandbox.write("model.onnx", "not a model");
    insta::assert_snapshot!(sandbox.run(&["index", "build", "--model", "model.onnx"]), @r"
    [stderr]
    error: not a sentence model that can be run: unknown model file type
    hint: use an ONNX export of a BERT sentence model with the uncased vocabulary, such as all-MiniLM-L6-v2
    [exit 2]
    ");
}

#[test]
fn a_query_that_says_nothing_finds_nothing_and_the_ranking_says_why() {
    let sandbox = shop();
    insta::assert_snapshot!(sandbox.run(&["search", "what", "is", "the"]), @r"
    nothing matches, ranking: lexical (the query has only words that are everywhere)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["search", "?!"]), @r"
    nothing matches, ranking: lexical (the query has no words)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["search", "🚢"]), @r"
    nothing matches, ranking: lexical (the model reads English only)
    [exit 0]
    ");
    let long = "order ".repeat(10_000);
    assert!(sandbox.run(&["search", &long]).contains("refunds › Return Window"));
}

/// A limit on the size of every file stands for a disk that fills up.
fn on_a_full_disk(sandbox: &Sandbox, args: &[&str]) -> String {
    let hewto = sandbox.hewto(args);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""]).arg(hewto.get_program());
    shell.args(hewto.get_args()).current_dir(sandbox.project());
    whole(&shell.output().unwrap())
}

#[test]
fn on_a_full_disk_the_files_themselves_answer_until_there_is_room() {
    let sandbox = shop();
    sandbox.ok(&["index", "build"]);
    let words: Vec<String> = (0..20_000).map(|n| format!("word{n}")).collect();
    let large = format!(
        "# Large\n\n## Requirements\n\n### Requirement: Many Words\n\nIt SHALL say {}.\n",
        words.join(" ")
    );
    sandbox.write("specs/large/spec.md", &large);
    // What the first failure leaves behind must not harm the second.
    for _ in 0..2 {
        let shown = on_a_full_disk(&sandbox, &["search", "customer"]);
        assert!(shown.contains("refunds › Return Window"), "{shown}");
        assert!(shown.contains("(the index cannot be written: ") && shown.ends_with("[exit 0]"), "{shown}");
        assert!(!shown.contains("panicked"), "{shown}");
        // What the library writes of its errors is for those who wrote it.
        assert!(!["Error", "Os {", "Custom", "os error"].iter().any(|raw| shown.contains(raw)), "{shown}");
    }
    let refused = on_a_full_disk(&sandbox, &["index", "build"]);
    assert!(refused.contains("hint: look at free space") && refused.ends_with("[exit 3]"), "{refused}");
    assert!(sandbox.ok(&["search", "word4711"]).contains("large › Many Words"));
}

#[test]
fn two_builds_at_once_both_end_well_and_leave_one_whole_index() {
    let sandbox = shop();
    sandbox.ok(&["index", "clear"]);
    let start = || sandbox.hewto(&["index", "build"]).stdout(Stdio::piped()).spawn().unwrap();
    for build in [start(), start()] {
        let output = build.wait_with_output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && shown.contains("embedded   4 of 4 passages"), "{shown}");
    }
    let status = sandbox.json(&["index", "status"]);
    assert_eq!((&status["documents"], &status["entries"]), (&3.into(), &4.into()));
    assert_eq!(status["embedded"], status["passages"]);
}

/// A stack that no machine has stands for a system that allows no more threads.
#[test]
fn where_no_thread_can_be_had_commands_are_done_by_one_and_search_goes_by_words() {
    let sandbox = shop();
    for number in 0..40 {
        sandbox.write(&format!("specs/s{number}/spec.md"), "# S\n\nText.\n");
    }
    let alone = |args: &[&str]| {
        let mut hewto = sandbox.hewto(args);
        hewto.env("RUST_MIN_STACK", (1_u64 << 50).to_string()).output().unwrap()
    };
    // Nobody writes the index without threads; it is searched by words, and said why.
    let found = whole(&alone(&["search", "customer"]));
    assert!(found.contains("refunds › Return Window") && found.ends_with("[exit 0]"), "{found}");
    assert!(found.contains("ranking: lexical (") && !found.contains("panicked"), "{found}");
    for args in [&["validate"][..], &["proof"], &["adopt", "--list"]] {
        let (by_one, by_many) = (alone(args), sandbox.hewto(args).output().unwrap());
        assert!(!whole(&by_one).contains("panicked"), "{args:?}: {}", whole(&by_one));
        assert_eq!(
            (by_one.status, String::from_utf8_lossy(&by_one.stdout)),
            (by_many.status, String::from_utf8_lossy(&by_many.stdout)),
            "{args:?}"
        );
    }
    let written = whole(&alone(&["spec", "new", "Alone", "--description", "x"]));
    assert!(written.ends_with("[exit 0]"), "{written}");
    assert!(sandbox.ok(&["search", "customer"]).contains("refunds › Return Window"));
}

/// A clone may bring a link where the index is kept.
#[test]
fn no_index_is_cleared_through_a_link() {
    let sandbox = shop();
    let (place, precious) =
        (sandbox.project().join(".hewto/cache/search"), sandbox.project().join("precious"));
    fs_err::remove_dir_all(&place).unwrap();
    fs_err::create_dir_all(precious.join("words-1")).unwrap();
    fs_err::write(precious.join("words-1/novel.txt"), "once").unwrap();
    std::os::unix::fs::symlink(&precious, &place).unwrap();
    let refused = sandbox.run(&["index", "clear"]);
    assert!(refused.contains("a link is where hewto keeps its own files"), "{refused}");
    assert_eq!(fs_err::read_dir(&precious).unwrap().count(), 1, "nothing came");
    assert!(precious.join("words-1/novel.txt").is_file());
}
