//! What an approval covers: all that was shown, and nothing that changes as the work goes on.

use hewto_engine::build::{self, Approval, Completion};
use hewto_engine::plan;
use hewto_engine::review::{Channel, Verdict};

use super::{gated, only_record, say, seen, start, with_change};

const TASKS: &str = "# Tasks\n\nUse a link.\n\n## 1. Tables\n\nKeep the old ones.\n\n- [ ] 1.1 Table\n  - **Complexity:** simple\n\nOnly then the mails.\n\n- [ ] 1.2 Mail\n\n## Risks\n\nMails get lost.\n";

#[test]
fn headings_prose_and_risks_cannot_be_turned_round_under_an_approval() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    fixture.write("changes/mail/tasks.md", TASKS);
    fixture.write("changes/mail/design.md", "# Design\n\nTokens live an hour.\n");
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    for (file, from, to) in [
        ("tasks.md", "Keep the old ones", "Drop the old ones"),
        ("tasks.md", "1. Tables", "1. Drop tables"),
        ("tasks.md", "Only then", "Never"),
        ("tasks.md", "simple", "complex"),
        ("tasks.md", "get lost", "get read by all"),
        ("design.md", "an hour", "for ever"),
    ] {
        let path = format!("changes/mail/{file}");
        let good = fixture.read(&path);
        assert!(good.contains(from));
        fixture.write(&path, good.replace(from, to));
        let error = build::start(&fixture.ws, &fixture.ctx, id, Approval::Given).unwrap_err();
        assert_eq!(error.key.as_str(), "approval_stale", "{to}");
        assert!(!seen(&fixture, id).differences.is_empty(), "{to}: the next reviewer sees it");
        fixture.write(&path, good);
    }
    start(&fixture, id).unwrap();
    plan::complete_step(&fixture.ws, &fixture.ctx, id, 0, Some("done\nRequirements: all met")).unwrap();
    plan::complete_step(&fixture.ws, &fixture.ctx, id, 1, None).unwrap();
    plan::reopen_step(&fixture.ws, &fixture.ctx, id, 1, "not yet").unwrap();
    assert_eq!(seen(&fixture, id).standing, "approved");
}

#[test]
fn a_plan_of_a_spec_is_covered_with_all_its_sections() {
    let fixture = gated("terminal");
    let id = fixture.spec("One");
    fixture.plan(&id, &["A", "B"]);
    let path = format!("specs/{id}/plan.md");
    fixture.write(&path, format!("{}\n## Risks\n\nNone of them.\n", fixture.read(&path)));
    say(&fixture, &id, Channel::Terminal, Verdict::Approved).unwrap();
    let good = fixture.read(&path);
    fixture.write(&path, good.replace("None of them", "All of them"));
    assert_eq!(seen(&fixture, &id).standing, "stale");
    fixture.write(&path, good);
    start(&fixture, &id).unwrap();
    plan::complete_step(&fixture.ws, &fixture.ctx, &id, 0, Some("done")).unwrap();
    assert_eq!(seen(&fixture, &id).standing, "approved");
}

#[test]
fn an_approval_by_an_earlier_digest_is_told_as_that() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let path = only_record(&fixture, "changes/mail/review");
    let good = fixture.read(&path);
    assert!(good.contains("\nform: 2\n"), "{good}");
    // Whoever takes the form away has another record than the one that was sealed.
    fixture.write(&path, good.replace("form: 2\n", ""));
    assert_eq!(start(&fixture, id).unwrap_err().key.as_str(), "approval_pending");
}

#[test]
fn what_stands_in_the_way_of_the_end_is_told_before_the_build_has_begun() {
    let fixture = gated("terminal");
    let id = fixture.spec("One");
    fixture.plan(&id, &["A"]);
    let completion = Completion { summary: "s".to_owned(), ..Completion::default() };
    let error = build::complete(&fixture.ws, &fixture.ctx, &id, &completion).unwrap_err();
    assert_eq!(error.key.as_str(), "invalid_transition");
    let open = &error.details["open"][0];
    assert_eq!(open["key"], "steps_open");
    assert_eq!(open["message"], format!("1 step of `{id}` is open: `A`"));
    assert!(open["hint"].as_str().unwrap().contains("drop those that will not be done"), "{open}");
}
