//! What trusting a changed `.hewto/proof.toml` would lower. That is a decision of its own, and needs the channel which the gate
//! wanted before.

use hewto_core::proof::settings::{Channel, Gate, GateSet, Policy, Scope, Settings};
use hewto_store::{Context, Own};

use super::{is_proven, of_branches, weakest};
use crate::error::{Error, Key, Kind, Result};
use crate::trust::{Subject, digest, proof_text};
use crate::workspace::Workspace;

/// What would be easier afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowering {
    /// Each in words: `the gate `plan` from `touch` to `none``.
    pub what: Vec<String>,
    /// The weakest channel that may do it.
    pub needed: Channel,
    statement: String,
}

impl Lowering {
    /// What has to be signed where a signature is needed.
    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// Whether a person at a terminal is enough.
    pub(crate) fn takes_a_terminal(&self) -> bool {
        self.needed.strength() <= Channel::Terminal.strength()
    }

    /// Refuses unless the channel and the signature are as strong as what is lowered.
    pub fn require(&self, ws: &Workspace, ctx: &Context, by: Channel, signature: Option<&str>) -> Result<()> {
        let is_strong = by.strength() >= self.needed.strength();
        if is_strong && is_proven(ws, ctx, self.needed, &self.statement, signature) {
            return Ok(());
        }
        Err(Error::new(
            Kind::Refused,
            Key::GateRefused,
            format!("trusting this lowers {}, which needs `{}`", self.what.join(", "), self.needed),
        )
        .hint(if self.takes_a_terminal() {
            "look at it in a terminal of your own, with `hewto trust`"
        } else {
            "sign it: `hewto trust --sign KEY`, with a key that `.hewto/allowed_signers` names on the default branch"
        }))
    }
}

/// What the present file lowers against the one that was trusted last and, where none is trusted now, against the default
/// branch, or against all of them where no other repository says which one that is.
pub fn lowering(ws: &Workspace, ctx: &Context) -> Result<Option<Lowering>> {
    proof_text(ws, ctx)?.map_or(Ok(None), |now| lowering_to(ws, ctx, &now))
}

/// The same for a file that says this.
pub(crate) fn lowering_to(ws: &Workspace, ctx: &Context, now: &str) -> Result<Option<Lowering>> {
    let mut held: Vec<String> = ws.trust().last_trusted(ws.root(), Subject::Proof)?.into_iter().collect();
    let mut branches = Vec::new();
    if !ws.trust().has_trusted(ws.root(), Subject::Proof)? {
        held.extend(ws.git().text_on_default_branch(ctx, ws.root(), Own::Proof.path()));
        branches = of_branches(ws, ctx);
    }
    held.retain(|text| text != now);
    let new = Settings::read(now).0;
    let mut found = Found { what: Vec::new(), needed: Channel::Asserted };
    for text in &held {
        found.compare_all(&Settings::read(text).0, &new);
    }
    for settings in &branches {
        found.compare_all(settings, &new);
    }
    if found.what.is_empty() {
        return Ok(None);
    }
    let statement = format!(
        "hewto trust\nworkspace: {}\nfrom: {}\nto: {}\n",
        ws.root().display(),
        held.first().map_or_else(|| "none".to_owned(), |before| digest(before).to_string()),
        digest(now)
    );
    Ok(Some(Lowering { what: found.what, needed: found.needed, statement }))
}

struct Found {
    what: Vec<String>,
    needed: Channel,
}

impl Found {
    fn compare_all(&mut self, old: &Settings, new: &Settings) {
        self.compare("", &old.gates.general, &new.gates.general);
        let scopes = old.gates.special.iter().chain(&new.gates.special).map(|(scope, _)| scope);
        let mut seen: Vec<&Scope> = Vec::new();
        for scope in scopes {
            if seen.contains(&scope) {
                continue;
            }
            seen.push(scope);
            let (folder, category, name) = match scope {
                Scope::Folder(folder) => (folder.as_str(), None, format!(" of `{folder}`")),
                Scope::Category(category) => {
                    ("", Some(category.as_str()), format!(" of category `{category}`"))
                }
            };
            self.compare(&name, &old.gates.of_item(folder, category), &new.gates.of_item(folder, category));
        }
        if new.policy < old.policy {
            let level = |policy: Policy| policy.as_str();
            self.add(
                format!("the policy from `{}` to `{}`", level(old.policy), level(new.policy)),
                Channel::Terminal,
            );
            self.add_channel(weakest(old.gates.general.archive().stricter(old.gates.general.plan())));
        }
    }

    fn add(&mut self, what: String, needed: Channel) {
        if !self.what.contains(&what) {
            self.what.push(what);
        }
        self.add_channel(needed);
    }

    fn add_channel(&mut self, needed: Channel) {
        if needed.strength() > self.needed.strength() {
            self.needed = needed;
        }
    }

    fn compare(&mut self, of: &str, old: &GateSet, new: &GateSet) {
        let gates: [(&str, Gate, Gate); 3] = [
            ("plan", old.plan(), new.plan()),
            ("archive", old.archive(), new.archive()),
            ("decision", old.decision(), new.decision()),
        ];
        for (name, from, to) in gates {
            if from != to && from.stricter(to) == from && from.needs_a_person() {
                self.add(format!("the gate `{name}`{of} from `{from}` to `{to}`"), weakest(from));
            }
        }
        let Some(before) = &old.reviewers else { return };
        let strangers = match &new.reviewers {
            None => Some("everybody".to_owned()),
            Some(now) => {
                let new: Vec<&str> =
                    now.iter().filter(|name| !before.contains(name)).map(String::as_str).collect();
                (!new.is_empty()).then(|| format!("`{}`", new.join("`, `")))
            }
        };
        if let Some(strangers) = strangers {
            let needed = weakest(old.plan().stricter(old.archive()));
            self.add(format!("the reviewers{of} by letting {strangers} in"), needed);
            self.add_channel(Channel::Terminal);
        }
    }
}
