//! What an approved requirement is said to be written against, which no approval covers.

use hewto_engine::Result;
use hewto_engine::change::{self, ArchiveOptions, Recording};
use hewto_engine::review::{Channel, Verdict};
use hewto_engine::view::ArchiveView;
use serde_json::json;

use super::{gated, say, with_change};
use crate::support::Fixture;

/// An approved change of the one requirement from three tries to two, beside a spec whose scenario ends so.
fn approved(end: &str) -> Fixture {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let purpose = "# Accounts\n\n## Purpose\nTo let people in, and to keep all of the others out.\n\n## Requirements\n\n";
    fixture.write("specs/accounts/spec.md", format!("{purpose}{}", lock("three", end)));
    let delta = format!("## MODIFIED Requirements\n\n{}", lock("two", "locked"));
    fixture.write("changes/mail/specs/accounts/spec.md", delta);
    fixture.write("changes/mail/tasks.md", "- [x] 1.1 All\n");
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    fixture
}

fn lock(tries: &str, end: &str) -> String {
    format!(
        "### Requirement: Lock\nIt SHALL lock after {tries} tries.\n\n#### Scenario: Third\n- **WHEN** wrong\n- **THEN** {end}\n"
    )
}

fn say_base(fixture: &Fixture, text: &str, origin: &str) {
    let hash = hewto_core::review::Digest::of(text.as_bytes()).to_string();
    let base = json!({ "text": text, "sha256": hash, "origin": origin });
    let record = json!({ "version": 1, "capabilities": { "accounts": { "Lock": base } } });
    fixture.write("changes/mail/.base.json", record.to_string());
}

fn archive(fixture: &Fixture, bases: Recording) -> Result<ArchiveView> {
    let options = ArchiveOptions { bases, ..ArchiveOptions::default() };
    change::archive(&fixture.ws, &fixture.ctx, "mail", options)
}

#[test]
fn what_others_changed_in_an_approved_requirement_is_merged_past_the_gate() {
    let fixture = approved("locked for a day");
    say_base(&fixture, &lock("three", "locked"), "written");
    archive(&fixture, Recording::Missing).unwrap();
    let merged = fixture.read("specs/accounts/spec.md");
    assert!(merged.contains("after two tries") && merged.contains("locked for a day"), "{merged}");
}

#[test]
fn what_was_approved_is_not_left_out_whatever_it_is_said_to_be_written_against() {
    let fixture = approved("locked");
    say_base(&fixture, &lock("two", "locked"), "rebased");
    let error = archive(&fixture, Recording::Missing).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_stale", "{error}");
    assert_eq!(error.details["requirements"], json!(["Lock"]));
    archive(&fixture, Recording::Rebase).unwrap();
    assert!(fixture.read("specs/accounts/spec.md").contains("after two tries"));
}
