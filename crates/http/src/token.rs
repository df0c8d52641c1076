//! The token file: who comes with which token, and what they may do.
//!
//! A line of the file is `NAME SCOPE[,SCOPE] TOKEN [workspace=NAME[,NAME]]`; blank lines and lines that begin with `#` are
//! passed over. Tokens are kept as digests and compared in constant time. A file that others can read, and a token that
//! could be guessed, are refused.

use std::fmt;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hewto_core::failure::{Key, Kind};
use hewto_core::review::is_name;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::access::{ANONYMOUS, Authenticator, Principal, Scope, TokenFault};
use crate::error::{Error, Result};

/// The tokens that are known.
#[derive(Debug)]
pub struct Tokens {
    known: Vec<Known>,
}

struct Known {
    principal: Arc<Principal>,
    digest: [u8; 32],
}

/// A longer file is not read.
const MOST_BYTES: u64 = 1 << 20;
/// The least that a token has to be worth.
const LEAST_BITS: usize = 128;
/// A token in which fewer characters differ was typed, not drawn.
const LEAST_DIFFERENT: usize = 8;

impl Tokens {
    /// Reads the file, unless others could too.
    pub fn open(path: &Path) -> Result<Self> {
        let shown = path.display();
        let unreadable =
            |error| Error::usage(format!("cannot read the token file: `{shown}`")).caused_by(error);
        let mut file = fs_err::File::open(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        let mode = found.mode();
        if mode & 0o077 != 0 {
            return Err(usage(format!(
                "others can read the token file: `{shown}` has mode {:04o}",
                mode & 0o7777
            ))
            .hint(format!("run `chmod 600 {shown}`, and make new tokens if others may have seen these")));
        }
        if ![0, rustix::process::geteuid().as_raw()].contains(&found.uid()) {
            return Err(usage(format!("the token file belongs to another user: `{shown}`"))
                .hint(format!("whoever owns it can add tokens; run `chown $(id -u) {shown}`")));
        }
        let mut text = String::new();
        file.by_ref().take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > MOST_BYTES {
            let message = format!("the token file is larger than {} KiB: `{shown}`", MOST_BYTES >> 10);
            return Err(usage(message).hint(LINE_HINT));
        }
        text.parse()
    }

    /// Who comes with a token.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|known| known.principal.name.as_str())
    }

    /// The workspaces that lines name, each once.
    pub fn workspaces(&self) -> Vec<&str> {
        let bound = self.known.iter().filter_map(|known| known.principal.workspaces());
        let mut names: Vec<&str> = bound.flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whose token this is. All are looked at, whichever it is.
    pub fn find(&self, token: &[u8]) -> Option<&Arc<Principal>> {
        let digest = Sha256::digest(token);
        let mut found = 0_u64;
        for (at, known) in (1_u64..).zip(&self.known) {
            let same: Choice = known.digest.ct_eq(&digest);
            found = u64::conditional_select(&found, &at, same);
        }
        let at = usize::try_from(found).ok()?.checked_sub(1)?;
        Some(&self.known.get(at)?.principal)
    }
}

impl Authenticator for Tokens {
    fn identify<'a>(&'a self, token: &'a [u8]) -> BoxFuture<'a, Result<Arc<Principal>, TokenFault>> {
        std::future::ready(self.find(token).cloned().ok_or(TokenFault::Unknown)).boxed()
    }
}

impl FromStr for Tokens {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut known: Vec<Known> = Vec::new();
        // Some editors begin a file with a mark that nobody sees, and that would be part of the first name.
        let text = text.trim_start_matches('\u{feff}');
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = parse_line(line).map_err(|fault| bad_line(number, &fault))?;
            if known.iter().any(|other| other.principal.name == entry.principal.name) {
                return Err(bad_line(number, "the name is in another line too"));
            }
            if known.iter().any(|other| other.digest == entry.digest) {
                return Err(bad_line(number, "the token is in another line too"));
            }
            known.push(entry);
        }
        if known.is_empty() {
            return Err(usage("the token file has no tokens").hint(LINE_HINT));
        }
        Ok(Self { known })
    }
}

const LINE_HINT: &str = "write a line `NAME SCOPE[,SCOPE] TOKEN [workspace=NAME[,NAME]]` for each token; scopes are \
                         read, write, workstation, run, approve, admin; `openssl rand -hex 16` makes a token";

fn parse_line(line: &str) -> Result<Known, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (name, scopes, token, workspaces) = match fields[..] {
        [name, scopes, token] => (name, scopes, token, None),
        [name, scopes, token, last] if last.starts_with("workspace=") => {
            let names = last["workspace=".len()..].split(',').map(str::to_owned).collect::<Vec<_>>();
            if names.iter().any(String::is_empty) {
                return Err("`workspace=` names no workspace".to_owned());
            }
            (name, scopes, token, Some(names))
        }
        _ => return Err(format!("a line has 3 fields, not {}", fields.len())),
    };
    let scopes = scopes.split(',').map(parse_scope).collect::<Result<Vec<Scope>, String>>()?;
    if name == ANONYMOUS {
        return Err(format!("`{ANONYMOUS}` is the name of those who have no token"));
    }
    if !is_name(name) {
        return Err("there are characters in the name that nobody sees".to_owned());
    }
    check_strength(token)?;
    let principal = Principal::new(name, scopes);
    let principal = match workspaces {
        Some(names) => principal.within(names),
        None => principal,
    };
    Ok(Known { principal: Arc::new(principal), digest: Sha256::digest(token).into() })
}

/// Refuses what is too short to have been drawn from 2^128 tokens, whatever its letters.
fn check_strength(token: &str) -> Result<(), String> {
    let bits_each = if token.bytes().all(|byte| byte.is_ascii_hexdigit()) { 4 } else { 6 };
    let different = (0..=u8::MAX).filter(|byte| token.as_bytes().contains(byte)).count();
    if token.len() * bits_each < LEAST_BITS || different < LEAST_DIFFERENT {
        return Err(format!(
            "the token can be guessed: it needs {LEAST_BITS} random bits, as 32 hexadecimal digits or 22 letters and digits \
             have"
        ));
    }
    Ok(())
}

fn parse_scope(name: &str) -> Result<Scope, String> {
    Scope::named(name).ok_or_else(|| format!("no scope is called `{}`", name.escape_debug()))
}

/// The line itself is not shown: it holds a token.
fn bad_line(number: usize, fault: &str) -> Error {
    usage(format!("line {number} of the token file: {fault}")).hint(LINE_HINT)
}

fn usage(message: impl Into<String>) -> Error {
    Error::new(Kind::Usage, Key::InvalidTokenFile, message)
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("principal", &self.principal).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const ALICE: &str = "f3a91c07de5b48826d10e94ab7c35f68";
    const BOB: &str = "Zk7-pQ2_mX9vLr4TnB8wYc";

    #[test]
    fn a_token_leads_to_its_principal_and_nothing_else_does() {
        let text = format!("# ours\n\nalice read,write {ALICE}\r\n  bob\tread  {BOB} workspace=shop,hub\n");
        let tokens: Tokens = text.parse().unwrap();
        let alice = tokens.find(ALICE.as_bytes()).unwrap();
        assert_eq!(alice.name, "alice");
        assert!(alice.may(Scope::Read) && alice.may(Scope::Write) && !alice.may(Scope::Workstation));
        assert!(alice.may_open("shop") && alice.may_open("anything"));
        let bob = tokens.find(BOB.as_bytes()).unwrap();
        assert_eq!(bob.name, "bob");
        assert!(bob.may_open("shop") && bob.may_open("hub") && !bob.may_open("default"));
        assert_eq!(tokens.workspaces(), ["hub", "shop"]);
        for stranger in ["", &ALICE[1..], "alice", "bob", &ALICE.to_uppercase(), &format!("{ALICE} ")] {
            assert_eq!(tokens.find(stranger.as_bytes()), None, "{stranger}");
        }
        assert!(!format!("{tokens:?}").contains(ALICE));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named_by_its_number_and_never_shown() {
        let guessed = "the token can be guessed: it needs 128 random bits, as 32 hexadecimal digits or 22 letters and \
                       digits have";
        let cases = [
            (String::new(), "the token file has no tokens".to_owned()),
            ("# nothing\n".to_owned(), "the token file has no tokens".to_owned()),
            ("alice hunter2".to_owned(), "line 1 of the token file: a line has 3 fields, not 2".to_owned()),
            (
                format!("\nalice read {ALICE} more"),
                "line 2 of the token file: a line has 3 fields, not 4".into(),
            ),
            (format!("alice reed {ALICE}"), "line 1 of the token file: no scope is called `reed`".into()),
            (format!("alice read, {ALICE}"), "line 1 of the token file: no scope is called ``".into()),
            (
                format!("a read {ALICE}\na write {BOB}"),
                "line 2 of the token file: the name is in another line too".into(),
            ),
            (
                format!("a read {BOB}\nb write {BOB}"),
                "line 2 of the token file: the token is in another line too".into(),
            ),
            (
                format!("a read {BOB} workspace=shop,"),
                "line 1 of the token file: `workspace=` names no workspace".into(),
            ),
            (
                format!("anonymous read {BOB}"),
                "line 1 of the token file: `anonymous` is the name of those who have no token".into(),
            ),
            (
                format!("an\u{202e}na read {BOB}"),
                "line 1 of the token file: there are characters in the name that nobody sees".into(),
            ),
            ("a read x".to_owned(), format!("line 1 of the token file: {guessed}")),
            (
                "a read 0123456789abcdef0123456789abcde".to_owned(),
                format!("line 1 of the token file: {guessed}"),
            ),
            (format!("a read {}", "ab".repeat(30)), format!("line 1 of the token file: {guessed}")),
        ];
        for (text, message) in cases {
            let error = text.parse::<Tokens>().unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.kind, Kind::Usage);
        }
    }

    #[test]
    fn a_mark_at_the_beginning_is_not_part_of_a_name_and_a_huge_file_is_not_read() {
        let tokens: Tokens = format!("\u{feff}alice read {ALICE}\r\n").parse().unwrap();
        assert_eq!(tokens.find(ALICE.as_bytes()).unwrap().name, "alice");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens");
        let file = fs_err::File::create(&path).unwrap();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = Tokens::open(&path).unwrap_err();
        assert!(error.message.starts_with("the token file is larger than 1024 KiB"), "{error}");
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens");
        fs_err::write(&path, format!("alice read {ALICE}\n")).unwrap();
        for mode in [0o644, 0o640, 0o604, 0o660, 0o602] {
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let error = Tokens::open(&path).unwrap_err();
            assert!(error.message.starts_with("others can read the token file"), "{mode:o}: {error}");
        }
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(Tokens::open(&path).unwrap().find(ALICE.as_bytes()).is_some());
    }
}
