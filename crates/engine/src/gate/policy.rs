//! Which gates hold here: what `.hewto/proof.toml` says, and what its owner trusted before it said so.

use hewto_core::proof::settings::{Channel, Gate, GateSet, Place, Policy as ProofPolicy, Scope, Settings};
use hewto_store::{Context, DocKey, Own};
use hewto_workstation::git::Kept;

use crate::error::{Error, Key, Kind, Result};
use crate::review::Subject as Reviewed;
use crate::trust::Subject;
use crate::workspace::Workspace;

/// The gates of a workspace.
#[derive(Debug)]
pub(crate) struct Policy {
    /// What the file says now.
    present: Settings,
    /// What its owner last trusted, where that is something else: the stricter of both counts.
    trusted: Option<Settings>,
    /// At a door where the owner trusts nothing: what the default branch says and, where no other repository says which one
    /// that is, what the branches here say. Whoever goes to an older one, or calls it the default, does not find an older
    /// gate.
    branches: Vec<Settings>,
}

impl Policy {
    /// Reads the gates. A file that cannot be understood opens nothing.
    pub(crate) fn load(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let path = Own::Proof.path();
        let Some(doc) = ws.store().read(ctx, &DocKey::Own(Own::Proof))? else {
            let trusted = ws.trusted_settings(None)?;
            return Ok(Self { present: Settings::absent(), trusted, branches: Vec::new() });
        };
        let (present, faults) = Settings::read(&doc.text);
        if !present.is_valid() {
            let first = faults.iter().find(|fault| fault.severity == hewto_core::diagnostic::Severity::Error);
            let (line, why) =
                first.map_or((1, "it cannot be read"), |fault| (fault.line, fault.message.as_str()));
            return Err(Error::new(
                Kind::Refused,
                Key::SettingsInvalid,
                format!("`{path}` cannot be understood at line {line}, and so opens no gate: {why}"),
            )
            .detail("file", path)
            .detail("line", line)
            .hint("correct the file; `hewto validate` lists everything that is wrong with it"));
        }
        Ok(Self { present, trusted: ws.trusted_settings(Some(&doc.text))?, branches: Vec::new() })
    }

    /// The gates as a door asks for them. Where the owner trusts nothing here, what the default branch
    /// says counts beside the file: a branch, or whoever edits one, does not open its own gates (D-18).
    pub(crate) fn at_the_door(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let policy = Self::load(ws, ctx)?;
        if ws.trust().has_trusted(ws.root(), Subject::Proof)? {
            return Ok(policy);
        }
        let path = Own::Proof.path();
        let reviewed = match ws.git().kept_on_default_branch(ctx, ws.root(), path) {
            Kept::Text(text) => {
                let settings = Settings::read(&text).0;
                Some(if settings.is_valid() { settings } else { Settings::unreadable() })
            }
            Kept::Unreadable => Some(Settings::unreadable()),
            Kept::Nothing => None,
        };
        Ok(Self { branches: reviewed.into_iter().chain(of_branches(ws, ctx)).collect(), ..policy })
    }

    /// The gates of an item.
    pub(crate) fn gates_of(&self, subject: &Reviewed) -> GateSet {
        let own = Place { folder: subject.folder.as_str(), category: subject.category.as_deref() };
        let written =
            subject.writes.iter().map(|(folder, category)| Place { folder, category: category.as_deref() });
        let gates = self.gates_over(&std::iter::once(own).chain(written).collect::<Vec<_>>());
        if subject.is_decision() {
            // A decision has one gate; whoever asks for its plan's means that one.
            let own = Some(gates.decision());
            return GateSet { plan: own, archive: own, ..gates };
        }
        gates
    }

    pub(crate) fn gates_at(&self, folder: &str, category: Option<&str>) -> GateSet {
        self.gates_over(&[Place { folder, category }])
    }

    fn gates_over(&self, places: &[Place<'_>]) -> GateSet {
        let present = self.present.gates.of_places(places);
        self.others().fold(present, |gates, other| gates.stricter(&other.gates.of_places(places)))
    }

    /// The gates of what no scope says anything about.
    pub(crate) fn general(&self) -> GateSet {
        let present = self.present.gates.general.clone();
        self.others().fold(present, |gates, other| gates.stricter(&other.gates.general))
    }

    /// Whether what lacks proof is refused.
    pub(crate) fn enforces_proof(&self) -> bool {
        self.proof() == ProofPolicy::Enforce
    }

    /// What is asked of proof.
    pub(crate) fn proof(&self) -> ProofPolicy {
        self.others().map(|other| other.policy).fold(self.present.policy, ProofPolicy::max)
    }

    /// Whether any gate of any scope wants a person.
    pub(crate) fn needs_a_person(&self) -> bool {
        let needs = |settings: &Settings| settings.gates.need_a_person();
        needs(&self.present) || self.others().any(needs)
    }

    /// Whether nobody has ever said how plans are approved.
    pub(crate) fn is_unset(&self) -> bool {
        let unset = |settings: &Settings| settings.gates == Settings::absent().gates;
        unset(&self.present) && self.others().all(unset)
    }

    /// The scopes that the file has gates of their own for, with those gates.
    pub(crate) fn scopes(&self) -> Vec<(String, GateSet)> {
        let named = self.present.gates.special.iter().map(|(scope, _)| match scope {
            Scope::Folder(folder) => (format!("folder {folder}"), self.gates_at(folder, None)),
            Scope::Category(name) => (format!("category {name}"), self.gates_at("", Some(name))),
        });
        named.collect()
    }

    /// Everything that counts beside the file.
    fn others(&self) -> impl Iterator<Item = &Settings> {
        self.trusted.iter().chain(&self.branches)
    }
}

/// What the branches say, where no other repository says which of them is the default.
pub(crate) fn of_branches(ws: &Workspace, ctx: &Context) -> Vec<Settings> {
    let texts = ws.git().texts_without_default(ctx, ws.root(), Own::Proof.path());
    let settings = texts.iter().map(|text| Settings::read(text).0).filter(Settings::is_valid);
    settings.map(levels_only).collect()
}

/// How strict settings are, and not whom they name: people come and go, and an old branch must not keep new ones out.
fn levels_only(mut settings: Settings) -> Settings {
    settings.gates.general.reviewers = None;
    for (_, gates) in &mut settings.gates.special {
        gates.reviewers = None;
    }
    settings
}

/// The weakest channel that opens a gate.
pub(crate) fn weakest(gate: Gate) -> Channel {
    match gate {
        Gate::None => Channel::Asserted,
        Gate::Weakest(channel) => channel,
    }
}
