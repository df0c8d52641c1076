//! What a change would do, told before it is done.

use hewto_core::delta::NewDelta;
use hewto_engine::change;
use hewto_engine::overview;

use super::{archive, fixture, propose, requirement, scenario};
use crate::support::Fixture;

#[test]
fn a_diff_speaks_in_requirements_and_scenarios() {
    let f = fixture();
    let delta = NewDelta {
        modified: vec![requirement(
            "Login",
            vec![scenario("Good password", "a"), scenario("Bad password", "b"), scenario("New", "c")],
        )],
        ..NewDelta::default()
    };
    propose(&f, "a", delta);
    let lines = diff_lines(&f, "a");
    assert!(lines.contains(&"Requirement Login: scenario New added".to_owned()), "{lines:?}");
}

fn diff_lines(f: &Fixture, id: &str) -> Vec<String> {
    let view = change::diff(&f.ws, &f.ctx, id, usize::MAX).unwrap();
    view.differences.into_iter().map(|line| line.text).collect()
}

#[test]
fn a_diff_tells_what_the_archive_would_do_and_not_what_others_did() {
    let f = fixture();
    let login = |name: &str, then: &str| {
        let scenarios = vec![scenario("First", "1"), scenario(name, then)];
        NewDelta { modified: vec![requirement("Both", scenarios)], ..NewDelta::default() }
    };
    let both = requirement("Both", vec![scenario("First", "1")]);
    propose(&f, "start", NewDelta { added: vec![both], ..NewDelta::default() });
    archive(&f, "start").unwrap();
    propose(&f, "one", login("Second", "2"));
    propose(&f, "two", login("Third", "3"));
    propose(&f, "clash", login("Second", "another"));
    archive(&f, "one").unwrap();
    assert_eq!(diff_lines(&f, "two"), ["Requirement Both: scenario Third added"]);
    // What does not fit is told as it was meant.
    assert_eq!(diff_lines(&f, "clash"), ["Requirement Both: scenario Second added"]);
    assert!(archive(&f, "clash").is_err());
}

#[test]
fn the_overview_tells_what_is_next_and_what_waits() {
    let f = fixture();
    let base = f.spec("Base");
    let waiting = f.spec_with("Waiting", &[(&base, hewto_engine::DependencyKind::Hard)]);
    propose(
        &f,
        "a",
        NewDelta { added: vec![requirement("N", vec![scenario("S", "t")])], ..NewDelta::default() },
    );
    let view = overview::status(&f.ws, &f.ctx).unwrap();
    assert_eq!((view.specs.total, view.specs.living, view.specs.draft), (3, 1, 2));
    assert_eq!(view.blocked[0].item, waiting);
    assert_eq!(view.blocked[0].by, std::slice::from_ref(&base));
    let items: Vec<&str> = view.ready.iter().map(|ready| ready.item.as_str()).collect();
    assert_eq!(items, ["change:a", base.as_str()]);
    assert_eq!(view.changes[0].errors, 0, "{view:?}");
}
