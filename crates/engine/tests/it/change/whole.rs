//! What a change is shown as can be written again.

use hewto_core::delta::{NewDelta, NewRequirement};
use hewto_engine::change::{self, ShowOptions};

use super::{fixture, propose, requirement, scenario};

#[test]
fn a_change_that_is_shown_and_sent_again_under_another_name_loses_nothing() {
    let f = fixture();
    let delta = "## ADDED Requirements\n\n### Requirement: By hand\nThe system SHALL keep this:\n\n```rust\nfn kept() {}\n```\n\n- a list\n\n#### Scenario: S\n* WHEN a\n* THEN b\n";
    f.write("changes/one/proposal.md", "# Change: One\n\n## Why\n\nw\n\n## What Changes\n\n- x\n");
    f.write("changes/one/specs/auth/spec.md", delta);
    let view = change::show(&f.ws, &f.ctx, "one", &ShowOptions::default()).unwrap();
    let shown = view.deltas.unwrap()["auth"].added[0].clone();
    let raw = shown.raw.expect("the fields do not have the code");
    let again = NewRequirement { name: shown.requirement.name, raw: Some(raw), ..NewRequirement::default() };
    propose(&f, "two", NewDelta { added: vec![again], ..NewDelta::default() });
    let written = f.read("changes/two/specs/auth/spec.md");
    let block = delta.split_once("### ").unwrap().1.trim_end();
    assert!(written.contains(block), "{written}");
}

#[test]
fn what_the_fields_say_whole_is_not_said_twice() {
    let f = fixture();
    let added = vec![requirement("Two factor", vec![scenario("Code", "in")])];
    propose(&f, "one", NewDelta { added, ..NewDelta::default() });
    let view = change::show(&f.ws, &f.ctx, "one", &ShowOptions::default()).unwrap();
    assert_eq!(view.deltas.unwrap()["auth"].added[0].raw, None);
}
