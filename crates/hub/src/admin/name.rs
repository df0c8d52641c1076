//! Names: of whoever has a token, and of whomever an issuer knows. Nobody can be taken for somebody else.

use hewto_core::hub::Reason;
use hewto_core::review::is_name;

use crate::audit;
use crate::error::{Error, Result};

pub(super) fn check_name(name: &str) -> Result<()> {
    // Rows of the audit go by these for others.
    let is_taken = [hewto_http::ANONYMOUS, crate::directory::FIGURES, audit::SEVERAL].contains(&name);
    if is_name(name) && !is_taken {
        return Ok(());
    }
    Err(Error::bad(Reason::InvalidName, "this is not a name of a person or a program")
        .hint("use one line of text"))
}

/// Whether an issuer could know somebody by this name.
fn is_subject(name: &str) -> bool {
    name.rsplit_once('@').is_some_and(|(subject, host)| {
        !subject.is_empty() && !host.is_empty() && !host.contains(char::is_whitespace)
    })
}

/// Two people with one name would be one: in leases, in verdicts and in the audit.
pub(super) fn check_no_subject(name: &str) -> Result<()> {
    if !is_subject(name) {
        return Ok(());
    }
    Err(Error::bad(
        Reason::InvalidName,
        format!("`{}` is a name that an OAuth issuer could give to somebody", name.escape_debug()),
    )
    .hint("name whose token it is without `@HOST`; `hewto hub grant` is for people whom an issuer knows"))
}

/// Tokens of an issuer name people with its host; what is granted to any other name reaches nobody.
pub(super) fn check_subject(name: &str) -> Result<()> {
    if is_subject(name) {
        return Ok(());
    }
    Err(Error::bad(
        Reason::InvalidName,
        format!("`{}` does not say which issuer knows them", name.escape_debug()),
    )
    .hint("name them as `SUBJECT@ISSUER-HOST`; whoever has no issuer gets a token"))
}
