//! Which gate counts where, and who may lower it.

use hewto_engine::build::{self, Approval};
use hewto_engine::decision::{self, Climb, NewDecision, Repository, RepositoryScope, Where};
use hewto_engine::gate::{self, lowering};
use hewto_engine::overview;
use hewto_engine::review::{self, Ballot, Channel, ReviewOptions, Reviewer, Verdict};
use hewto_engine::trust;

use super::{gated, say, seen, start, with_change};
use crate::support::Fixture;

#[test]
fn gates_differ_by_folder_and_category_and_none_asks_nobody() {
    let fixture = Fixture::new();
    let id = fixture.spec("One");
    fixture.plan(&id, &["A"]);
    fixture.write(
        ".hewto/proof.toml",
        "[gates]\nplan = \"none\"\n[gates.category.feature]\nplan = \"terminal\"\n",
    );
    let text = fixture.read(&format!("specs/{id}/spec.md"));
    fixture.write(&format!("specs/{id}/spec.md"), text.replace("category: feature", "category: bugfix"));
    let other = fixture.spec("Two");
    fixture.plan(&other, &["A"]);
    build::start(&fixture.ws, &fixture.ctx, &id, Approval::Missing).unwrap();
    assert_eq!(start(&fixture, &other).unwrap_err().key.as_str(), "approval_pending");
}

#[test]
fn whoever_names_other_reviewers_than_were_trusted_lets_nobody_in() {
    let fixture = gated("terminal");
    let text = "reviewers = [\"ana\"]\n[gates]\nplan = \"terminal\"\n";
    fixture.write(".hewto/proof.toml", text);
    let state = tempfile::tempdir().unwrap();
    let trust = trust::Trust::in_state_dir(state.path());
    let ws = fixture.ws.clone().with_trust(trust.clone());
    let request = trust::Request::of(&ws, &fixture.ctx).unwrap();
    trust::accept(&trust, &request, &[], &fixture.ctx).unwrap();
    let id = with_change(&fixture);
    let say = |name: &str| {
        let shown = review::show(&ws, &fixture.ctx, id, ReviewOptions::default()).unwrap().digest;
        let ballot = Ballot { verdict: Verdict::Approved, shown, note: None, allows: Vec::new() };
        let by = Reviewer { name: name.to_owned(), channel: Channel::Terminal };
        review::decide(&ws, &fixture.ctx, id, &by, &ballot).map_err(|error| error.key.to_string())
    };
    fixture.write(".hewto/proof.toml", text.replace("ana", "eve"));
    assert_eq!(say("eve").unwrap_err(), "not_a_reviewer");
    fixture.write(".hewto/proof.toml", text);
    say("ana").unwrap();
    fixture.write(".hewto/proof.toml", text.replace("ana", "eve"));
    let error = build::start(&ws, &fixture.ctx, id, Approval::Given).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending");
}

#[test]
fn trusting_a_file_that_lowers_a_gate_needs_what_the_gate_wanted() {
    let fixture = Fixture::new();
    let state = tempfile::tempdir().unwrap();
    let trust = trust::Trust::in_state_dir(state.path());
    let ws = fixture.ws.clone().with_trust(trust.clone());
    let file = |text: &str| fixture.write(".hewto/proof.toml", text);
    file(
        "policy = \"enforce\"\nreviewers = [\"ana\"]\n[gates]\nplan = \"touch\"\n[gates.category.bug]\narchive = \"signed\"\n",
    );
    assert_eq!(lowering(&ws, &fixture.ctx).unwrap(), None, "nothing was trusted before");
    trust::accept(&trust, &trust::Request::of(&ws, &fixture.ctx).unwrap(), &[], &fixture.ctx).unwrap();
    for (text, what, needed) in [
        (
            "policy = \"enforce\"\nreviewers = [\"ana\"]\n[gates]\nplan = \"none\"\n[gates.category.bug]\narchive = \"signed\"\n",
            "the gate `plan` from `touch` to `none`",
            Channel::Touch,
        ),
        (
            "policy = \"enforce\"\nreviewers = [\"ana\"]\n[gates]\nplan = \"touch\"\n",
            "the gate `archive` of category `bug` from `signed` to `asserted`",
            Channel::Signed,
        ),
        (
            "policy = \"warn\"\nreviewers = [\"ana\"]\n[gates]\nplan = \"touch\"\n[gates.category.bug]\narchive = \"signed\"\n",
            "the policy from `enforce` to `warn`",
            Channel::Touch,
        ),
        (
            "policy = \"enforce\"\nreviewers = [\"ana\", \"eve\"]\n[gates]\nplan = \"touch\"\n[gates.category.bug]\narchive = \"signed\"\n",
            "the reviewers by letting `eve` in",
            Channel::Touch,
        ),
    ] {
        file(text);
        let found = lowering(&ws, &fixture.ctx).unwrap().unwrap();
        assert!(found.what.iter().any(|one| one == what), "{found:?}");
        assert_eq!(found.needed, needed, "{found:?}");
        let error = found.require(&ws, &fixture.ctx, Channel::Terminal, None).unwrap_err();
        assert_eq!(error.key.as_str(), "gate_refused");
    }
    file(
        "policy = \"enforce\"\nreviewers = [\"ana\"]\n[gates]\nplan = \"touch\"\narchive = \"touch\"\n[gates.category.bug]\narchive = \"touch\"\n",
    );
    assert_eq!(lowering(&ws, &fixture.ctx).unwrap(), None, "raising is anybody's");
}

#[test]
fn a_decision_waits_for_a_person_where_its_gate_wants_one() {
    let fixture = Fixture::new();
    fixture.write(".git/HEAD", "ref: refs/heads/main\n");
    fixture.write(".hewto/proof.toml", "[gates]\ndecision = \"terminal\"\n");
    let repository = Repository::find(&Where {
        named: None,
        start: fixture.root().to_owned(),
        climb: Climb::Up,
        reach: RepositoryScope::Anywhere,
        trust: trust::Trust::nothing(),
        search_path: Vec::new(),
    })
    .unwrap();
    let create = |value: &str| {
        let new = NewDecision {
            category: "Database".to_owned(),
            fields: vec![("Type".to_owned(), value.to_owned())],
            context: "Orders have to survive a crash".to_owned(),
            supersedes: None,
        };
        decision::create(&repository, &fixture.ctx, &new)
    };
    let error = create("PostgreSQL").unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending", "{error}");
    let name = error.details["spec_id"].as_str().unwrap().to_owned();
    assert!(error.plain_hint().unwrap().contains(&format!("hewto approve {name}")), "{error:?}");
    assert!(!fixture.path("docs/adr").exists());
    let shown = seen(&fixture, &name);
    assert!(shown.differences.iter().any(|one| format!("{one:?}").contains("PostgreSQL")), "{shown:#?}");
    // By a channel that is too weak, and of another text: nothing.
    say(&fixture, &name, Channel::Elicited, Verdict::Approved).unwrap();
    assert_eq!(create("PostgreSQL").unwrap_err().key.as_str(), "approval_pending");
    say(&fixture, &name, Channel::Terminal, Verdict::Approved).unwrap();
    assert_eq!(create("SQLite").unwrap_err().key.as_str(), "approval_pending");
    create("PostgreSQL").unwrap();
    assert_eq!(std::fs::read_dir(fixture.path("docs/adr")).unwrap().count(), 1);
    // Once: after others were made the same words would undo them.
    assert_eq!(create("PostgreSQL").unwrap_err().key.as_str(), "approval_pending");
    say(&fixture, &name, Channel::Terminal, Verdict::Approved).unwrap();
    create("PostgreSQL").unwrap();
    assert_eq!(create("PostgreSQL").unwrap_err().key.as_str(), "approval_pending");
    assert_eq!(std::fs::read_dir(fixture.path("docs/adr")).unwrap().count(), 2);
    // A text that somebody put under the name of another.
    let folder = name.replace("decision:", ".hewto/decisions/");
    fixture.write(&format!("{folder}/decision.txt"), "# Something else\n");
    let error = review::show(&fixture.ws, &fixture.ctx, &name, ReviewOptions::default()).unwrap_err();
    assert_eq!(error.key.as_str(), "decision_not_found");
}

#[test]
fn what_waits_for_a_person_is_not_offered_as_ready() {
    let fixture = gated("terminal");
    let change = with_change(&fixture);
    let spec = fixture.spec("One");
    fixture.plan(&spec, &["A"]);
    let next = |item: &str| {
        let all = overview::status(&fixture.ws, &fixture.ctx).unwrap().ready;
        all.into_iter().find(|one| one.item == item).unwrap()
    };
    for item in [change, spec.as_str()] {
        let next = next(item);
        assert!(next.waits_for_person && next.next.ends_with(&format!("hewto approve {item}")), "{next:?}");
    }
    say(&fixture, change, Channel::Terminal, Verdict::Approved).unwrap();
    assert!(!next(change).waits_for_person, "a person has agreed");
}

#[test]
fn a_gate_that_a_person_has_raised_is_not_lowered_by_an_edit_and_trusts_no_check_that_was_not_shown() {
    let fixture = Fixture::new();
    let state = tempfile::tempdir().unwrap();
    let trust = trust::Trust::in_state_dir(state.path());
    let ws = fixture.ws.clone().with_trust(trust.clone());
    let raise = |gate: &str, level: &str| {
        let change = gate::prepare(&ws, &fixture.ctx, gate, level).unwrap();
        assert!(!change.lowers(), "{gate} {level}");
        let by = Reviewer { name: "ana".to_owned(), channel: Channel::Terminal };
        gate::submit(&ws, &fixture.ctx, &change, &by, None).unwrap()
    };
    let standing = || {
        let text = fixture.read(".hewto/proof.toml");
        trust.standing(ws.root(), trust::Subject::Proof, &text).unwrap()
    };
    let foreign = "policy = \"warn\"\n\n[check.unit]\nrun = [\"./evil\"]\nformat = \"exit\"\n";
    fixture.write(".hewto/proof.toml", foreign);
    assert_eq!(raise("plan", "terminal").levels.plan, "terminal");
    assert_eq!(standing(), trust::TrustState::Untrusted, "nobody was shown the check");
    fixture.write(".hewto/proof.toml", foreign);
    assert_eq!(gate::show(&ws, &fixture.ctx).unwrap().levels.plan, "terminal", "an edit takes nothing back");
    fixture.write(".hewto/proof.toml", format!("{foreign}[gates]\nplan = \"terminal\"\n"));
    trust::accept(&trust, &trust::Request::of(&ws, &fixture.ctx).unwrap(), &[], &fixture.ctx).unwrap();
    raise("archive", "signed");
    assert_eq!(standing(), trust::TrustState::Trusted, "the rest of the file was seen before");
    // What somebody has changed meanwhile is neither trusted with the next gate, nor does it keep that from being held.
    let edited =
        fixture.read(".hewto/proof.toml").replace("./evil", "./worse").replace("\"signed\"", "\"none\"");
    fixture.write(".hewto/proof.toml", &edited);
    let view = raise("decision", "terminal");
    assert_eq!((view.levels.archive.as_str(), view.levels.decision.as_str()), ("signed", "terminal"));
    assert_ne!(standing(), trust::TrustState::Trusted);
    // Nor does lowering one gate by a terminal take another along that wants a signature.
    let change = gate::prepare(&ws, &fixture.ctx, "plan", "none").unwrap();
    let by = Reviewer { name: "ana".to_owned(), channel: Channel::Terminal };
    let error = gate::submit(&ws, &fixture.ctx, &change, &by, None).unwrap_err();
    assert!(error.message.contains("`archive` from `signed` to `none`"), "{error}");
    fixture.write(".hewto/proof.toml", "");
    let view = gate::show(&ws, &fixture.ctx).unwrap();
    assert_eq!(
        (&*view.levels.plan, &*view.levels.archive, &*view.levels.decision),
        ("terminal", "signed", "terminal")
    );
}
