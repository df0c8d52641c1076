//! Who may do what: the token file, and the principal behind a request.
//!
//! A line of the file is `NAME SCOPE[,SCOPE] TOKEN`; blank lines and lines that begin with `#` are passed over. Tokens
//! are kept as digests and compared in constant time. Where the file lies is the command line's business.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hewto_core::failure::Kind;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::access::{Authenticator, Principal, Scope, TokenFault};
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

impl Tokens {
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
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = parse_line(line).map_err(|fault| bad_line(number, &fault))?;
            if known.iter().any(|other| other.principal.name == entry.principal.name) {
                return Err(bad_line(number, "the name stands in another line too"));
            }
            if known.iter().any(|other| other.digest == entry.digest) {
                return Err(bad_line(number, "the token stands in another line too"));
            }
            known.push(entry);
        }
        if known.is_empty() {
            return Err(usage("the token file has no tokens").hint(LINE_HINT));
        }
        Ok(Self { known })
    }
}

const LINE_HINT: &str = "write a line `NAME SCOPE[,SCOPE] TOKEN` for each token; scopes are read, write, workstation, run, approve, admin";

fn parse_line(line: &str) -> Result<Known, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [name, scopes, token] = fields[..] else {
        return Err(format!("a line has 3 fields, not {}", fields.len()));
    };
    let scopes = scopes.split(',').map(parse_scope).collect::<Result<Vec<Scope>, String>>()?;
    let principal = Arc::new(Principal::new(name, scopes));
    Ok(Known { principal, digest: Sha256::digest(token).into() })
}

fn parse_scope(name: &str) -> Result<Scope, String> {
    Scope::named(name).ok_or_else(|| format!("no scope is called `{}`", name.escape_debug()))
}

/// The line itself is not shown: it holds a token.
fn bad_line(number: usize, fault: &str) -> Error {
    usage(format!("line {number} of the token file: {fault}")).hint(LINE_HINT)
}

fn usage(message: impl Into<String>) -> Error {
    Error::new(Kind::Usage, "invalid_token_file", message)
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("principal", &self.principal).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_to_its_principal_and_nothing_else_does() {
        let tokens: Tokens = "# ours\n\nalice read,write s3cret\r\n  bob\tread  t0p\n".parse().unwrap();
        let alice = tokens.find(b"s3cret").unwrap();
        assert_eq!(alice.name, "alice");
        assert!(alice.may(Scope::Read) && alice.may(Scope::Write) && !alice.may(Scope::Workstation));
        assert_eq!(tokens.find(b"t0p").unwrap().name, "bob");
        for stranger in ["", "s3cre", "s3cret ", "S3CRET", "alice", "bob"] {
            assert_eq!(tokens.find(stranger.as_bytes()), None, "{stranger}");
        }
        assert!(!format!("{tokens:?}").contains("s3cret"));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named_by_its_number_and_never_shown() {
        let cases = [
            ("", "the token file has no tokens"),
            ("# nothing\n", "the token file has no tokens"),
            ("alice hunter2", "line 1 of the token file: a line has 3 fields, not 2"),
            ("\nalice read hunter2 more", "line 2 of the token file: a line has 3 fields, not 4"),
            ("alice reed hunter2", "line 1 of the token file: no scope is called `reed`"),
            ("alice read, hunter2", "line 1 of the token file: no scope is called ``"),
            ("a read x\na write y", "line 2 of the token file: the name stands in another line too"),
            ("a read x\nb write x", "line 2 of the token file: the token stands in another line too"),
        ];
        for (text, message) in cases {
            let error = text.parse::<Tokens>().unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.kind, Kind::Usage);
        }
    }
}
