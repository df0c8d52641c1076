//! `hewto index` and `hewto search`.

use crate::sandbox::Sandbox;

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

#[test]
fn a_new_workspace_has_an_index_that_follows_its_files() {
    let sandbox = shop();
    insta::assert_snapshot!(sandbox.run(&["search", "customer", "order"]), @r"
    0.53 refunds › Return Window [requirement]
        A customer SHALL send an order back within thirty days.
    0.28 refunds (Refunds) [spec]
        Sending goods back.
    2 results, ranking: fused
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&["search", "pennies", "--kind", "decision"]), @r"
    0.95 0001-cents (Count in cents) [decision]
        Floats lose pennies.
    1 result, ranking: fused
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
          "score": 0.8552,
          "snippet": "Print return labels.",
          "highlights": [
            [
              13,
              19
            ]
          ]
        }
      ],
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
      "cleared": false
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.run(&["search", "customer"]), @r"
    [stderr]
    error: there is no search index: .hewto/cache/search
    hint: run `hewto index build`; all other tools work without one
    [exit 1]
    ");
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let sandbox = shop();
    insta::assert_snapshot!(sandbox.run(&["search", " "]), @r"
    [stderr]
    error: `query` is blank
    hint: say something in `query`
    [exit 1]
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
