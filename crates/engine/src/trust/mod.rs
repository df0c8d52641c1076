//! What the owner of this machine trusts (D-18).
//!
//! A repository may ask for what acts beyond its own documents: commands and builds (`[workstation]` of its
//! configuration), checks and gates (`.hewto/proof.toml`), hosts that it names. None of it works until the owner has
//! trusted exactly that text for exactly this path, in a terminal; what has changed since is off again. The record stands in the
//! owner's state folder, where no branch can bring it along.
//!
//! Losing trust opens no gate: the text that was trusted last stays on record ([`Trust::last_trusted`]), and whoever
//! reads gates takes the stricter of that and the present one.

mod decide;
mod record;
mod request;

use std::path::{Path, PathBuf};

use hewto_store::{ContentHash, OwnerFile};
use serde::Serialize;

pub use self::decide::{accept, revoke, status};
pub(crate) use self::decide::{accept_proof, hold_gates};
use self::record::Records;
pub(crate) use self::request::proof_text;
pub(crate) use self::request::workstation_text;
pub use self::request::{HostRequest, Request, origin_of};
use crate::error::{Error, Key, Kind, Result};
use crate::view::TrustSubjectView;

const FILE: &str = "trust.json";

/// What a repository can ask to be trusted with, by the digest of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Running the project's own code, with what `[workstation]` of the configuration allows.
    Workstation,
    /// The whole of `.hewto/proof.toml`: checks and gates.
    Proof,
}

/// How a text of a repository stands with the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    Trusted,
    /// Another text was trusted here.
    Changed,
    /// Nothing was trusted here, or it was taken back.
    #[serde(rename = "not_trusted")]
    Untrusted,
    /// A text was trusted, and is no longer there.
    Gone,
}

/// The owner's record of what is trusted. Cheap to clone; read anew for each question.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    file: Option<OwnerFile>,
}

impl Subject {
    pub const ALL: [Self; 2] = [Self::Workstation, Self::Proof];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workstation => "workstation",
            Self::Proof => "proof",
        }
    }

    /// What is asked for, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Workstation => "run its build, its tests and the commands of `[workstation]`",
            Self::Proof => "run the checks and hold the gates of `.hewto/proof.toml`",
        }
    }
}

impl Trust {
    /// Nothing is trusted, and nothing can be.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The record in the owner's state folder (`$XDG_STATE_HOME/hewto`).
    pub fn in_state_dir(folder: impl Into<PathBuf>) -> Self {
        Self { file: Some(OwnerFile::new(folder, FILE)) }
    }

    /// The folder that no tool may write to.
    pub fn state_dir(&self) -> Option<PathBuf> {
        Some(self.file.as_ref()?.path().parent()?.to_owned())
    }

    /// How a text of the repository at this root stands.
    pub fn standing(&self, root: &Path, subject: Subject, text: &str) -> Result<TrustState> {
        let records = self.records(root)?;
        let Some(kept) = records.at(root).and_then(|record| record.subject(subject)) else {
            return Ok(TrustState::Untrusted);
        };
        Ok(match (kept.revoked, kept.digest == digest(text)) {
            (true, _) => TrustState::Untrusted,
            (false, true) => TrustState::Trusted,
            (false, false) => TrustState::Changed,
        })
    }

    /// The text that was trusted last, whatever the repository says now and even if that was taken back: gates never fall
    /// below it.
    pub fn last_trusted(&self, root: &Path, subject: Subject) -> Result<Option<String>> {
        let records = self.records(root)?;
        Ok(records.at(root).and_then(|record| record.subject(subject)).map(|kept| kept.text.clone()))
    }

    /// Whether the owner has trusted a text here and not taken that back.
    pub(crate) fn has_trusted(&self, root: &Path, subject: Subject) -> Result<bool> {
        let records = self.records(root)?;
        Ok(records.at(root).and_then(|record| record.subject(subject)).is_some_and(|kept| !kept.revoked))
    }

    /// Refuses unless the text is trusted here, or is the one whose digest the command line was given.
    pub fn require(
        &self,
        root: &Path,
        subject: Subject,
        text: &str,
        given: Option<&ContentHash>,
    ) -> Result<()> {
        if given.is_some_and(|given| *given == digest(text)) {
            return Ok(());
        }
        match self.standing(root, subject, text)? {
            TrustState::Trusted => Ok(()),
            standing => {
                let refused = not_trusted(root, subject, text, standing);
                Err(match given {
                    Some(given) => for_another_text(refused, text, given),
                    None => refused,
                })
            }
        }
    }

    /// Whether the owner trusts this host, an origin such as `https://example.org`.
    pub fn trusts_host(&self, root: &Path, origin: &str) -> Result<bool> {
        Ok(self.records(root)?.at(root).is_some_and(|record| record.hosts.contains(origin)))
    }

    /// The records that hold for this root. A file that a repository could bring along says nothing.
    fn records(&self, root: &Path) -> Result<Records> {
        match &self.file {
            Some(file) if !file.is_beneath(root) => {
                Records::read(file.read().map_err(|error| unreadable(file, error))?.as_deref())
                    .map_err(|error| unreadable(file, error))
            }
            _ => Ok(Records::default()),
        }
    }

    /// The file to write for this root.
    fn writable(&self, root: &Path) -> Result<&OwnerFile> {
        let Some(file) = &self.file else {
            return Err(Error::new(Kind::Machine, Key::NoStateDir, "there is no folder to remember it in")
                .hint("set `HOME` or `XDG_STATE_HOME`"));
        };
        if file.is_beneath(root) {
            return Err(Error::new(
                Kind::Refused,
                Key::TrustInsideRepository,
                format!("`{}` lies inside the repository that it would speak for", file.path().display()),
            )
            .hint("set `XDG_STATE_HOME` to a folder outside of it"));
        }
        Ok(file)
    }
}

/// The digest of a text, as `--trust` takes it.
pub fn digest(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

/// The refusal of what only its owner can allow.
pub fn not_trusted(root: &Path, subject: Subject, text: &str, standing: TrustState) -> Error {
    let what = subject.title();
    let message = match standing {
        TrustState::Changed => format!("what was trusted here has changed; it is not allowed to {what}"),
        _ => format!("the owner of this machine has not trusted this repository to {what}"),
    };
    Error::new(Kind::Refused, Key::NotTrusted, message)
        .hint(format!("ask the person at this machine to run `{}` in a terminal", command(root)))
        .detail("command", command(root))
        .detail("subject", subject.as_str())
        .detail("digest", digest(text).to_string())
}

/// The same where the command line was given a digest: of another text, as in a workflow file that was not brought up to date.
fn for_another_text(refused: Error, text: &str, given: &ContentHash) -> Error {
    let mut refused = refused.detail("given", given.to_string());
    refused.message =
        format!("`--trust {given}` is for another text than this one, whose digest is {}", digest(text));
    refused.hint("read what changed, then write the new digest where the old one stands, as in the workflow file of the CI")
}

/// What the owner types, wherever they are.
pub(crate) fn command(root: &Path) -> String {
    let path = root.display().to_string();
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "/._-+@%:,".contains(ch);
    if path.chars().all(is_plain) {
        format!("hewto trust --workspace {path}")
    } else {
        format!("hewto trust --workspace '{}'", path.replace('\'', r"'\''"))
    }
}

fn unreadable(file: &OwnerFile, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let path = file.path();
    Error::new(
        Kind::Machine,
        Key::TrustUnreadable,
        format!("cannot read what is trusted: `{}`", path.display()),
    )
    .hint("correct or remove the file, then run `hewto trust` again")
    .detail("file", path.display().to_string())
    .caused_by(error)
}

fn unwritable(file: &OwnerFile, error: std::io::Error) -> Error {
    let path = file.path();
    Error::new(Kind::Machine, Key::IoError, format!("cannot write: `{}`", path.display()))
        .hint("look at the owner and the permissions of the file and its folder")
        .detail("file", path.display().to_string())
        .caused_by(error)
}

impl TrustSubjectView {
    pub fn is_trusted(&self) -> bool {
        self.standing == TrustState::Trusted
    }
}
