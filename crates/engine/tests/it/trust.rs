//! What the owner trusts: by digest, by path, and never less of a gate than before.

use std::os::unix::fs::PermissionsExt as _;

use hewto_engine::trust::{self, Request, Subject, Trust, TrustState};
use hewto_engine::{Start, Workspace};
use tempfile::TempDir;

use crate::support::Fixture;

const CONFIG: &str = "[project]\nname = \"x\"\n[workstation.commands]\nmake = []\n";
const PROOF: &str = "policy = \"enforce\"\n[gates]\nplan = \"signed\"\n";

struct Owner {
    fixture: Fixture,
    state: TempDir,
    trust: Trust,
}

impl Owner {
    fn new() -> Self {
        let (fixture, state) = (Fixture::new(), tempfile::tempdir().unwrap());
        fixture.write(".hewto/config.toml", CONFIG);
        fixture.write(".hewto/proof.toml", PROOF);
        let trust = Trust::in_state_dir(state.path().join("hewto"));
        Self { fixture, state, trust }
    }

    fn request(&self) -> Request {
        Request::of(&self.fixture.ws, &self.fixture.ctx).unwrap()
    }

    fn accept(&self) {
        trust::accept(&self.trust, &self.request(), &[], &self.fixture.ctx).unwrap();
    }

    /// How the workstation and the proof settings stand.
    fn standings(&self) -> Vec<TrustState> {
        let view = trust::status(&self.trust, &self.request()).unwrap();
        view.subjects.into_iter().map(|subject| subject.standing).collect()
    }

    fn file(&self) -> std::path::PathBuf {
        self.state.path().join("hewto/trust.json")
    }
}

#[test]
fn what_is_trusted_holds_until_it_changes_and_again_when_it_is_back() {
    let owner = Owner::new();
    assert_eq!(owner.standings(), [TrustState::Untrusted, TrustState::Untrusted]);
    owner.accept();
    assert_eq!(owner.standings(), [TrustState::Trusted, TrustState::Trusted]);
    // Another name of the project asks for nothing more.
    owner.fixture.write(".hewto/config.toml", CONFIG.replace("\"x\"", "\"y\""));
    assert_eq!(owner.standings(), [TrustState::Trusted, TrustState::Trusted]);
    owner.fixture.write(".hewto/config.toml", format!("{CONFIG}sh = []\n"));
    owner.fixture.write(".hewto/proof.toml", format!("{PROOF}# only a comment\n"));
    assert_eq!(owner.standings(), [TrustState::Changed, TrustState::Changed]);
    let view = trust::status(&owner.trust, &owner.request()).unwrap();
    assert!(view.subjects[0].changes.as_deref().unwrap().contains("+sh = []"), "{view:?}");
    owner.fixture.write(".hewto/config.toml", CONFIG);
    assert_eq!(owner.standings(), [TrustState::Trusted, TrustState::Changed]);
}

#[test]
fn the_record_is_for_its_owner_alone_and_for_one_path() {
    let owner = Owner::new();
    owner.accept();
    let mode = std::fs::metadata(owner.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let other = Fixture::new();
    other.write(".hewto/config.toml", CONFIG);
    let request = Request::of(&other.ws, &other.ctx).unwrap();
    let view = trust::status(&owner.trust, &request).unwrap();
    assert_eq!(view.subjects[0].standing, TrustState::Untrusted);
}

#[test]
fn taking_trust_back_allows_nothing_and_keeps_the_gates() {
    let owner = Owner::new();
    owner.accept();
    let root = owner.fixture.root();
    trust::revoke(&owner.trust, &owner.request()).unwrap();
    assert_eq!(owner.standings(), [TrustState::Untrusted, TrustState::Untrusted]);
    owner.fixture.write(".hewto/proof.toml", "[gates]\nplan = \"none\"\n");
    assert_eq!(owner.trust.last_trusted(root, Subject::Proof).unwrap().as_deref(), Some(PROOF));
    // Nor does a branch without the file.
    std::fs::remove_file(owner.fixture.path(".hewto/proof.toml")).unwrap();
    owner.accept();
    assert_eq!(owner.trust.last_trusted(root, Subject::Proof).unwrap().as_deref(), Some(PROOF));
}

#[test]
fn a_digest_on_the_command_line_stands_for_exactly_one_text() {
    let owner = Owner::new();
    let (root, digest) = (owner.fixture.root(), trust::digest(PROOF));
    let require = |text: &str| owner.trust.require(root, Subject::Proof, text, Some(&digest));
    require(PROOF).unwrap();
    let refused = require("policy = \"off\"\n").unwrap_err();
    assert_eq!(refused.key.as_str(), "not_trusted");
    assert!(refused.details["command"].as_str().unwrap().starts_with("hewto trust"), "{refused:?}");
    assert!(!owner.file().exists(), "nothing is remembered");
}

#[test]
fn a_record_that_a_repository_could_bring_along_says_nothing() {
    let owner = Owner::new();
    owner.accept();
    let inside = owner.fixture.path(".state/hewto");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::copy(owner.file(), inside.join("trust.json")).unwrap();
    let trust = Trust::in_state_dir(&inside);
    let view = trust::status(&trust, &owner.request()).unwrap();
    assert_eq!(view.subjects[0].standing, TrustState::Untrusted);
    let refused = trust::accept(&trust, &owner.request(), &[], &owner.fixture.ctx).unwrap_err();
    assert_eq!(refused.key.as_str(), "trust_inside_repository");
}

#[test]
fn a_record_that_cannot_be_read_is_an_error_and_nothing_is_overwritten() {
    let owner = Owner::new();
    owner.accept();
    for text in ["{broken", "{\"version\": 9, \"repositories\": {}}", "[]"] {
        std::fs::write(owner.file(), text).unwrap();
        let text_of = trust::digest(PROOF);
        assert_eq!(
            trust::status(&owner.trust, &owner.request()).unwrap_err().key.as_str(),
            "trust_unreadable"
        );
        assert_eq!(
            trust::accept(&owner.trust, &owner.request(), &[], &owner.fixture.ctx).unwrap_err().key.as_str(),
            "trust_unreadable"
        );
        assert_eq!(std::fs::read_to_string(owner.file()).unwrap(), text);
        assert_eq!(text_of, trust::digest(PROOF));
    }
}

#[test]
fn hosts_are_trusted_one_by_one() {
    let owner = Owner::new();
    owner.fixture.write(".hewto/templates/SPEC", "https://Templates.example.org/spec.md\n");
    owner.accept();
    let root = owner.fixture.root();
    assert!(owner.trust.trusts_host(root, "https://templates.example.org").unwrap());
    owner.fixture.write(".hewto/templates/SPEC", "https://evil.example.org/spec.md\n");
    assert!(!owner.trust.trusts_host(root, "https://evil.example.org").unwrap());
    let view = trust::status(&owner.trust, &owner.request()).unwrap();
    assert!(!view.is_complete(), "{view:?}");
    trust::revoke(&owner.trust, &owner.request()).unwrap();
    assert!(!owner.trust.trusts_host(root, "https://templates.example.org").unwrap());
}

#[test]
fn a_workspace_that_is_reached_by_a_link_is_the_same() {
    let owner = Owner::new();
    owner.accept();
    let link = owner.state.path().join("link");
    std::os::unix::fs::symlink(owner.fixture.root(), &link).unwrap();
    let linked = Workspace::discover(Start::Here(&link)).unwrap();
    let request = Request::of(&linked, &owner.fixture.ctx).unwrap();
    let view = trust::status(&owner.trust, &request).unwrap();
    assert_eq!(view.subjects[0].standing, TrustState::Trusted);
}

#[test]
fn a_digest_that_is_for_another_text_is_told_beside_the_one_that_is_wanted() {
    let (state, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let trust = Trust::in_state_dir(state.path());
    let (old, new) = (trust::digest("old"), trust::digest("new"));
    let require = |given| trust.require(root.path(), Subject::Proof, "new", given);
    let error = require(Some(&old)).unwrap_err();
    assert_eq!(error.key.as_str(), "not_trusted");
    assert!(error.message.contains(&old.to_string()) && error.message.contains(&new.to_string()), "{error}");
    assert!(error.plain_hint().unwrap().contains("workflow"), "{error:?}");
    assert!(require(None).unwrap_err().plain_hint().unwrap().contains("hewto trust"));
    require(Some(&new)).unwrap();
}
