//! Whoever lets something pass that is not proven. It takes what an approval takes: the channel that the gate wants, and one of
//! its reviewers.

use hewto_core::proof::Ref;
use hewto_core::proof::settings::Channel;
use hewto_store::Context;
use serde_json::json;

use crate::error::{Error, Key, Kind, Result};
use crate::gate::signer_of;
use crate::gate::{Policy, weakest};
use crate::workspace::Workspace;

/// Somebody who decides, and the channel by which they do. Whoever makes one vouches for the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub channel: Channel,
    /// Over the statement of what they concede, where they signed it.
    pub signature: Option<String>,
}

impl Person {
    /// Somebody who signs nothing.
    pub fn new(name: impl Into<String>, channel: Channel) -> Self {
        Self { name: name.into(), channel, signature: None }
    }
}

/// What a person lets pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concession<'c> {
    Waiver {
        reference: &'c str,
        reason: &'c str,
        until: &'c str,
    },
    Drift {
        reference: &'c str,
        reason: &'c str,
    },
    /// Known debt that grows by these names.
    Debt {
        added: &'c [String],
    },
}

impl Concession<'_> {
    /// What has to be signed where the gate wants a signature.
    pub fn statement(&self, ws: &Workspace) -> String {
        let root = ws.root().display();
        match self {
            Self::Waiver { reference, reason, until } => format!(
                "hewto proof waive\nworkspace: {root}\nref: {}\nuntil: {}\nreason: {}\n",
                reference.trim(),
                until.trim(),
                reason.trim()
            ),
            Self::Drift { reference, reason } => format!(
                "hewto drift accept\nworkspace: {root}\nref: {}\nreason: {}\n",
                reference.trim(),
                reason.trim()
            ),
            Self::Debt { added } => {
                format!("hewto proof baseline\nworkspace: {root}\nadded: {}\n", added.join(", "))
            }
        }
    }

    fn command(&self) -> &'static str {
        match self {
            Self::Waiver { .. } => "hewto proof waive",
            Self::Drift { .. } => "hewto drift accept",
            Self::Debt { .. } => "hewto proof baseline",
        }
    }

    fn reference(&self) -> Option<&str> {
        match self {
            Self::Waiver { reference, .. } | Self::Drift { reference, .. } => Some(reference),
            Self::Debt { .. } => None,
        }
    }

    /// Refuses unless the person may let this pass, and says who they are.
    pub(super) fn require(&self, ws: &Workspace, ctx: &Context, person: &Person) -> Result<String> {
        let capability = self.reference().and_then(|name| Ref::parse(name).ok());
        let rule = Rule::of(&Policy::at_the_door(ws, ctx)?, ws, capability.as_ref().map(Ref::capability));
        let refused = |why: String| {
            let hint = if rule.needed.strength() >= Channel::Signed.strength() {
                format!(
                    "sign it: `{} … --sign KEY`, with a key that `.hewto/allowed_signers` names on the default branch",
                    self.command()
                )
            } else {
                format!("run `{}` in a terminal of your own", self.command())
            };
            Error::new(Kind::Refused, Key::GateRefused, why).detail("needed", rule.needed.as_str()).hint(hint)
        };
        if person.channel.strength() < rule.needed.strength() {
            return Err(refused(format!(
                "letting this pass needs `{}`, as the gates do, and this is `{}`",
                rule.needed, person.channel
            )));
        }
        let name = if person.channel.strength() >= Channel::Signed.strength() {
            signer_of(ws, ctx, person.channel, &self.statement(ws), person.signature.as_deref())
                .ok_or_else(|| refused("the signature does not prove it".to_owned()))?
        } else {
            person.name.clone()
        };
        match &rule.reviewers {
            Some(names) if !names.contains(&name) => Err(Error::new(
                Kind::Refused,
                Key::NotAReviewer,
                format!("`{name}` is not among the reviewers"),
            )
            .detail("reviewers", json!(names))
            .hint("let one of the reviewers decide, or have the list in `.hewto/proof.toml` changed")),
            _ => Ok(name),
        }
    }
}

/// What it takes to let something of a capability pass.
#[derive(Debug)]
pub(super) struct Rule {
    needed: Channel,
    reviewers: Option<Vec<String>>,
}

impl Rule {
    pub(super) fn of(policy: &Policy, ws: &Workspace, capability: Option<&str>) -> Self {
        let gates = match capability {
            None => policy.general(),
            Some(capability) => {
                let folders = ws.spec_roots().map(|root| format!("{root}/{capability}"));
                folders
                    .map(|folder| policy.gates_at(&folder, None))
                    .reduce(|a, b| a.stricter(&b))
                    .unwrap_or_else(|| policy.general())
            }
        };
        let wanted = weakest(gates.plan().stricter(gates.archive()));
        let needed =
            if wanted.strength() > Channel::Terminal.strength() { wanted } else { Channel::Terminal };
        Self { needed, reviewers: gates.reviewers }
    }

    /// Whether somebody who decided by this channel, then, may have decided it now.
    pub(super) fn admits(&self, name: &str, channel: &str) -> bool {
        let is_strong =
            Channel::parse(channel).is_some_and(|channel| channel.strength() >= self.needed.strength());
        is_strong && self.reviewers.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
    }
}
