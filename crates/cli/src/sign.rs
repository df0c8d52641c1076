//! Signing with the person's own SSH key, by the program that knows where it is and how to ask for its passphrase.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hewto_engine::review::Channel;
use hewto_engine::review::ssh::APPROVAL_NAMESPACE;
use hewto_engine::{Error, Key, Kind, Result};

use crate::failure::{machine, usage};
use crate::program;

const PROGRAM: &str = "ssh-keygen";

/// What a signature of this key is worth: keys of hardware begin with `sk-`.
pub(crate) fn channel_of(key: &Path) -> Result<Channel> {
    let public = public_half(key);
    let text = fs_err::read_to_string(&public).map_err(|_| bad_key(&public, "cannot be read"))?;
    match text.split_whitespace().next() {
        Some(kind) if kind.starts_with("sk-") => Ok(Channel::Touch),
        Some(kind) if kind.starts_with("ssh-") || kind.starts_with("ecdsa-") => Ok(Channel::Signed),
        _ => Err(bad_key(&public, "is not a public key of SSH")),
    }
}

/// The armoured signature of a statement. Passphrases are asked for on the terminal, by the program itself. It is never
/// one of the repository that is being decided about: `root` is where that lies.
pub(crate) fn sign(key: &Path, statement: &str, root: &Path) -> Result<String> {
    let failed = |error| machine(format!("cannot run `{PROGRAM}`"), error);
    let program = program::outside(PROGRAM, &[root]).ok_or_else(|| {
        Error::new(Kind::Machine, Key::ProgramNotFound, format!("no program named `{PROGRAM}` outside this repository"))
            .hint("install OpenSSH; a program inside the repository, or by a relative entry of `PATH`, is never asked to sign")
    })?;
    let mut child = Command::new(program)
        .args(["-Y", "sign", "-n", APPROVAL_NAMESPACE, "-f"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A program that stopped reading says why by itself.
        let _ = input.write_all(statement.as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        return Err(Error::new(
            Kind::Refused,
            Key::SignatureInvalid,
            "the key did not sign; nothing was recorded",
        )
        .hint("see what `ssh-keygen` says above"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The file of a public key, for a private or a public one.
fn public_half(key: &Path) -> PathBuf {
    if key.extension().is_some_and(|extension| extension == "pub") {
        return key.to_owned();
    }
    let mut name = key.as_os_str().to_owned();
    name.push(".pub");
    PathBuf::from(name)
}

/// A key that is there but unusable.
fn bad_key(key: &Path, why: &str) -> Error {
    usage(format!("`{}` {why}", key.display()))
        .hint("give the file of an SSH key whose public half is beside it")
}
