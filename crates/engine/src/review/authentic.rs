//! Whether a record is what it says: sealed by this machine, signed by a listed key, or brought by a signed commit.

use std::cell::OnceCell;

use hewto_core::review::{Channel, Proven, Record, What};
use hewto_store::secret::Seal;
use hewto_store::{Context, Own};

use super::ssh::{APPROVAL_NAMESPACE, AllowedSigners, COMMIT_NAMESPACE, Presence, SshSignature};
use crate::workspace::Workspace;

/// What the seals of records are for.
const PURPOSE: &str = "review-record";

/// Who is believed here, found out when it is first asked.
pub(super) struct Authority<'a> {
    ws: &'a Workspace,
    ctx: &'a Context,
    signers: OnceCell<AllowedSigners>,
}

impl<'a> Authority<'a> {
    pub(super) fn new(ws: &'a Workspace, ctx: &'a Context) -> Self {
        Self { ws, ctx, signers: OnceCell::new() }
    }

    /// What is known about a record that stands at this path.
    pub(super) fn proof_of(&mut self, path: &str, text: &str, record: &Record) -> Proven {
        if let Some(signature) = &record.signature {
            return self.check_signature(signature, record);
        }
        if matches!(record.head.channel, Channel::Signed | Channel::Touch) {
            return Proven::Forged("it claims to be signed, but has no signature".to_owned());
        }
        if let Some(mac) = &record.mac
            && is_sealed(self.ctx, record, mac)
        {
            return Proven::Here;
        }
        if record.head.channel == Channel::Hub && crate::hub::is_vouched(self.ws, self.ctx, record) {
            return Proven::Here;
        }
        // Comments open and close nothing; only a verdict is worth asking git about.
        match record.what {
            What::Verdict { .. } => self.check_commit(path, text, record),
            What::Comment(_) | What::Reply(_) | What::Resolution(_) => Proven::Foreign,
        }
    }

    /// Whose signature this is.
    pub(super) fn check_signature(&self, armoured: &str, record: &Record) -> Proven {
        let Some(signature) = SshSignature::parse(armoured) else {
            return Proven::Forged("its signature cannot be read".to_owned());
        };
        if !signature.is_known_kind() {
            return Proven::Forged(format!(
                "keys of the kind `{}` are not read here; take an ed25519, sk, RSA, P-256 or P-384 key",
                signature.kind().unwrap_or_default()
            ));
        }
        let Some(presence) = signature.verify(APPROVAL_NAMESPACE, record.statement().as_bytes()) else {
            return Proven::Forged("its signature is for something else".to_owned());
        };
        let signer = match self.signers().find(&signature.key, APPROVAL_NAMESPACE, record.head.at) {
            Ok(signer) => signer,
            Err(why) => return Proven::Forged(why.to_string()),
        };
        let signer = signer.name.clone();
        match (presence, record.head.channel) {
            (Presence::Touched, _) => Proven::Touched { signer },
            (Presence::Absent, _) => {
                Proven::Forged("its hardware key says that nobody touched it".to_owned())
            }
            (Presence::Unknown, Channel::Touch) => {
                Proven::Forged("its key is not a hardware key, and cannot be touched".to_owned())
            }
            (Presence::Unknown, _) => Proven::Signed { signer },
        }
    }

    /// Whether the commit that brought a record is signed by somebody who may.
    fn check_commit(&self, path: &str, text: &str, record: &Record) -> Proven {
        let Some(commit) = self.ws.git().commit_that_brought(self.ctx, self.ws.root(), path, text) else {
            return Proven::Foreign;
        };
        let Some((payload, armoured)) = split_signature(&commit) else { return Proven::Foreign };
        let Some(signature) = SshSignature::parse(&armoured) else { return Proven::Foreign };
        let Some(presence) = signature.verify(COMMIT_NAMESPACE, payload.as_bytes()) else {
            return Proven::Forged("the signature of its commit is for something else".to_owned());
        };
        match self.signers().find(&signature.key, COMMIT_NAMESPACE, record.head.at) {
            Err(_) => Proven::Foreign,
            Ok(signer) => match presence {
                Presence::Touched => Proven::Touched { signer: signer.name.clone() },
                Presence::Unknown => Proven::Signed { signer: signer.name.clone() },
                Presence::Absent => {
                    Proven::Forged("the hardware key of its commit says that nobody touched it".to_owned())
                }
            },
        }
    }

    pub(super) fn signers(&self) -> &AllowedSigners {
        self.signers.get_or_init(|| {
            let path = Own::AllowedSigners.path();
            let text = self.ws.git().text_on_default_branch(self.ctx, self.ws.root(), path);
            AllowedSigners::read(&text.unwrap_or_default())
        })
    }
}

/// The seal of this machine on a record.
pub(super) fn seal(ctx: &Context, record: &Record) -> String {
    ctx.secret().key().seal(PURPOSE, &[record.statement().as_bytes()]).to_string()
}

fn is_sealed(ctx: &Context, record: &Record, mac: &str) -> bool {
    let Some(seal) = Seal::parse(mac) else { return false };
    let key = ctx.secret().known_key().ok().flatten();
    key.is_some_and(|key| key.is_sealed(PURPOSE, &[record.statement().as_bytes()], &seal))
}

/// A commit without its signature, and the signature.
fn split_signature(commit: &str) -> Option<(String, String)> {
    let (head, message) = commit.split_once("\n\n")?;
    let (mut payload, mut signature) = (String::new(), String::new());
    let mut inside = false;
    for line in head.lines() {
        match line.strip_prefix("gpgsig ") {
            Some(first) => {
                inside = true;
                signature.push_str(first);
            }
            None if inside && line.starts_with(' ') => {
                signature.push('\n');
                signature.push_str(&line[1..]);
            }
            None => {
                inside = false;
                payload.push_str(line);
                payload.push('\n');
            }
        }
    }
    (!signature.is_empty()).then(|| (format!("{payload}\n{message}"), signature))
}
