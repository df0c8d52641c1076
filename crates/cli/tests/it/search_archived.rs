//! `hewto search` and what was archived: history is found by whoever looks for it, and nobody takes it for the present.

use crate::sandbox::Sandbox;

fn mail() -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write(
        "specs/mail/spec.md",
        "# Mail\n\n## Requirements\n\n### Requirement: Carriers\n\nLetters SHALL travel by rail.\n",
    );
    for (name, carrier) in [("2026-01-01-mail", "Zeppelins"), ("2026-02-02-pigeons", "Pigeons")] {
        sandbox.write(
            &format!("changes/archive/{name}/proposal.md"),
            &format!(
                "# Change: {carrier}\n\n## Why\n\n{carrier} carry letters.\n\n## What Changes\n\nAll.\n"
            ),
        );
    }
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
fn archived_changes_are_shown_where_they_are_asked_for_and_named_where_they_are_not() {
    let sandbox = mail();
    let _masked = without_scores();
    let question = ["search", "zeppelins", "carry", "letters"];
    insta::assert_snapshot!(sandbox.run(&question), @r"
    [score] mail › Carriers [requirement]
        Letters SHALL travel by rail.
    [score] mail (Mail) [spec]
        Mail
    2 results, [n] % sure, ranking: fused
    2 archived changes match too: --archived shows them
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.run(&[&question[..], &["--archived"]].concat()), @r"
    [score] mail › Carriers [requirement]
        Letters SHALL travel by rail.
    [score] mail (Mail) [spec]
        Mail
    [score] [DATE]-mail (Zeppelins) [archived change]
        Why Zeppelins carry letters. What Changes All.
    [score] [DATE]-pigeons (Pigeons) [archived change]
        Why Pigeons carry letters. What Changes All.
    4 results, [n] % sure, ranking: fused
    [exit 0]
    ");
    let changes = ["--kind", "change", "--archived", "--limit", "1"];
    insta::assert_snapshot!(sandbox.run(&[&question[..], &changes].concat()), @r"
    [score] [DATE]-mail (Zeppelins) [archived change]
        Why Zeppelins carry letters. What Changes All.
    1 of 2 results, [n] % sure, ranking: fused
    [exit 0]
    ");
}

#[test]
fn programs_are_told_what_was_archived_and_how_many_changes_were_left_out() {
    let sandbox = mail();
    let view = sandbox.json(&["search", "zeppelins", "carry", "letters"]);
    assert_eq!(view["archived_left_out"], 2);
    assert!(view["results"].as_array().unwrap().iter().all(|hit| hit.get("archived").is_none()), "{view:#}");
    let view = sandbox.json(&["search", "zeppelins", "carry", "letters", "--archived"]);
    let hits = view["results"].as_array().unwrap();
    let archived: Vec<bool> = hits.iter().map(|hit| hit["archived"] == true).collect();
    assert!(archived.is_sorted() && archived.iter().filter(|archived| **archived).count() == 2, "{view:#}");
    assert!(view.get("archived_left_out").is_none(), "{view:#}");
}

#[test]
fn only_changes_are_looked_for_in_the_archive() {
    let sandbox = mail();
    insta::assert_snapshot!(sandbox.run(&["search", "letters", "--kind", "requirement", "--archived"]), @r"
    [stderr]
    error: only changes are archived
    hint: leave out `--kind`, or look for changes: `--kind change`
    [exit 2]
    ");
}
