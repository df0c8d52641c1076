//! The gates themselves: what they are, and changing them. Raising one is anybody's; lowering one needs the channel that the
//! gate wants now.

use hewto_core::proof::settings::{Channel, Gate, GateSet, Settings};
use hewto_store::{Context, DocKey, Expect, Own, Transaction};
use toml_edit::{DocumentMut, value};

use super::lowering::{lowering, lowering_to};
use super::{Policy, UNSET, weakest};
use crate::error::{Error, Key, Kind, Result};
use crate::install::note_edit;
use crate::review::ssh::AllowedSigners;
use crate::review::{Reviewer, ssh};
use crate::trust::{self, Request, Subject, TrustState};
use crate::view::{GateLevels, GatesView, ScopeGatesView};
use crate::workspace::Workspace;

/// A change of one gate, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateChange {
    pub gate: String,
    pub from: Gate,
    pub to: Gate,
    /// The file as it would be: who lowers a gate trusts all of it, and so has to see it.
    pub text: String,
    root: String,
}

impl GateChange {
    /// Whether it gets easier to pass.
    pub fn lowers(&self) -> bool {
        self.from != self.to && self.from.stricter(self.to) == self.from
    }

    /// What has to be signed to lower a gate that wants a signature.
    pub fn statement(&self) -> String {
        format!(
            "hewto gate\nworkspace: {}\ngate: {}\nfrom: {}\nto: {}\n",
            self.root, self.gate, self.from, self.to
        )
    }
}

/// The gates that hold here.
pub fn show(ws: &Workspace, ctx: &Context) -> Result<GatesView> {
    let policy = Policy::at_the_door(ws, ctx)?;
    let gates = policy.general();
    Ok(view(&policy, &gates))
}

/// What a change would do. Writes nothing.
pub fn prepare(ws: &Workspace, ctx: &Context, gate: &str, level: &str) -> Result<GateChange> {
    let gates = Policy::at_the_door(ws, ctx)?.general();
    let from = match gate {
        "plan" => gates.plan(),
        "archive" => gates.archive(),
        "decision" => gates.decision(),
        _ => {
            return Err(Error::invalid_argument(
                "gate",
                "plan, archive or decision",
                format!("`{gate}` is not a gate"),
            ));
        }
    };
    let to = Gate::parse(level).ok_or_else(|| {
        let levels = "none, asserted, elicited, terminal, web, hub, signed or touch";
        Error::invalid_argument("level", levels, format!("`{level}` opens no gate"))
    })?;
    let Edited { text, .. } = edited(ws, ctx, gate, to)?;
    Ok(GateChange { gate: gate.to_owned(), from, to, text, root: ws.root().display().to_string() })
}

/// The file with one gate set, and as it stands.
struct Edited {
    text: String,
    expect: Expect,
    before: Option<String>,
}

fn edited(ws: &Workspace, ctx: &Context, gate: &str, to: Gate) -> Result<Edited> {
    let path = Own::Proof.path();
    let doc = ws.store().read(ctx, &DocKey::Own(Own::Proof))?;
    let text = doc.as_ref().map(|doc| doc.text.as_str()).unwrap_or_default();
    let edited = with_gate(text, gate, to)?;
    if !Settings::read(&edited).0.is_valid() {
        return Err(Error::validation(format!("`{path}` has faults; nothing was written"))
            .hint("run `hewto validate`"));
    }
    let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    Ok(Edited { text: edited, expect, before: doc.map(|doc| doc.text) })
}

fn with_gate(text: &str, gate: &str, to: Gate) -> Result<String> {
    let mut document: DocumentMut = text.parse().map_err(|error| {
        Error::cannot_edit(Own::Proof.path(), Box::new(error) as Box<dyn std::error::Error + Send + Sync>)
    })?;
    document["gates"].or_insert(toml_edit::table())[gate] = value(to.as_str());
    Ok(document.to_string())
}

/// Writes a gate. Where a person did it, an edit of the file does not take it back.
pub fn submit(
    ws: &Workspace,
    ctx: &Context,
    change: &GateChange,
    by: &Reviewer,
    signature: Option<&str>,
) -> Result<GatesView> {
    if change.lowers() {
        refuse_weak(ws, ctx, change, by, signature)?;
    }
    let (lock, held) = ws.lock(ctx)?;
    let Edited { text, expect, before } = edited(&held, ctx, &change.gate, change.to)?;
    if change.lowers() && text != change.text {
        return Err(Error::new(Kind::Refused, Key::Conflict, "the file has changed since it was shown")
            .hint("run the command again; nothing was written"));
    }
    let mut transaction = Transaction::new();
    note_edit(held.store(), ctx, &mut transaction, Own::Proof, before.as_deref(), &text)?;
    let has_seen_all = change.lowers() || asks_for_nothing_new(ws, before.as_deref(), &text)?;
    transaction.put(DocKey::Own(Own::Proof), text, expect);
    lock.commit(ctx, transaction)?;
    drop(lock);
    if by.channel != Channel::Asserted
        && let Err(error) = hold(ws, ctx, change, has_seen_all)
    {
        if change.lowers() {
            return Err(error);
        }
        tracing::warn!(%error, "the gate is set, but an edit of the file can take it back");
    }
    show(ws, ctx)
}

/// Makes a gate hold whatever becomes of the file. Whoever has seen all of it trusts it by that.
fn hold(ws: &Workspace, ctx: &Context, change: &GateChange, has_seen_all: bool) -> Result<()> {
    let request = Request::of(ws, ctx)?;
    if has_seen_all && (change.lowers() || lowering(ws, ctx)?.is_none()) {
        return trust::accept_proof(ws.trust(), &request, ctx);
    }
    trust::hold_gates(ws.trust(), &request, ctx, |held| with_gate(held, &change.gate, change.to))
}

/// Whoever lowers a gate is shown the whole file; whoever raises one is not, and must not trust checks by it.
fn asks_for_nothing_new(ws: &Workspace, before: Option<&str>, text: &str) -> Result<bool> {
    let before = before.unwrap_or_default();
    let was_trusted = ws.trust().standing(ws.root(), Subject::Proof, before)? == TrustState::Trusted;
    Ok(was_trusted || Settings::read(text).0.checks.is_empty())
}

fn refuse_weak(
    ws: &Workspace,
    ctx: &Context,
    change: &GateChange,
    by: &Reviewer,
    signature: Option<&str>,
) -> Result<()> {
    let needed = weakest(change.from);
    let refused = |why: String| {
        Error::new(Kind::Refused, Key::GateRefused, why).detail("gate", change.gate.as_str()).hint(
            match needed {
                Channel::Signed | Channel::Touch => "sign it: `hewto gate … --sign KEY`",
                _ => "lower it in a terminal of your own, with `hewto gate`",
            },
        )
    };
    if by.channel.strength() < needed.strength() {
        return Err(refused(format!(
            "lowering the gate `{}` needs `{needed}`, and this is `{}`",
            change.gate, by.channel
        )));
    }
    // Whoever lowers one gate trusts the whole file, and somebody may have lowered others in it.
    if let Some(more) = lowering_to(ws, ctx, &change.text)?
        && more.needed.strength() > needed.strength()
    {
        return Err(refused(format!(
            "the file would also lower {}, which needs `{}`",
            more.what.join(", "),
            more.needed
        )));
    }
    if is_proven(ws, ctx, needed, &change.statement(), signature) {
        return Ok(());
    }
    Err(refused("the signature does not prove it".to_owned()))
}

/// Whether a signature shows what a channel wants; below `signed` nothing has to be signed.
pub(crate) fn is_proven(
    ws: &Workspace,
    ctx: &Context,
    needed: Channel,
    statement: &str,
    signature: Option<&str>,
) -> bool {
    needed.strength() < Channel::Signed.strength()
        || signer_of(ws, ctx, needed, statement, signature).is_some()
}

/// Who signed a statement, if they may and the signature shows what a channel wants.
pub(crate) fn signer_of(
    ws: &Workspace,
    ctx: &Context,
    needed: Channel,
    statement: &str,
    signature: Option<&str>,
) -> Option<String> {
    let path = Own::AllowedSigners.path();
    let text = ws.git().text_on_default_branch(ctx, ws.root(), path).unwrap_or_default();
    let signers = AllowedSigners::read(&text);
    let signature = signature.and_then(ssh::SshSignature::parse)?;
    let presence = signature.verify(ssh::APPROVAL_NAMESPACE, statement.as_bytes())?;
    let signer = signers.find(&signature.key, ssh::APPROVAL_NAMESPACE, ctx.now()).ok()?;
    let shows =
        matches!((presence, needed), (ssh::Presence::Touched, _) | (ssh::Presence::Unknown, Channel::Signed));
    shows.then(|| signer.name.clone())
}

fn view(policy: &Policy, gates: &GateSet) -> GatesView {
    let scope = |(scope, gates): (String, GateSet)| ScopeGatesView { scope, levels: levels(&gates) };
    GatesView {
        levels: levels(gates),
        scopes: policy.scopes().into_iter().map(scope).collect(),
        notice: policy.is_unset().then(|| UNSET.to_owned()),
    }
}

fn levels(gates: &GateSet) -> GateLevels {
    GateLevels {
        plan: gates.plan().to_string(),
        archive: gates.archive().to_string(),
        decision: gates.decision().to_string(),
        reviewers: gates.reviewers.clone().unwrap_or_default(),
    }
}
