//! One document from the web: over https only, of a bounded size, within a bounded time, and never from a machine that
//! only this one can reach, unless its owner says so.

mod reach;

use std::time::Duration;

use thiserror::Error;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::transport::DefaultConnector;

pub use self::reach::Reach;
use self::reach::{Guarded, NotPublic};

/// Longest document that is read.
const MAX_BYTES: u64 = 1024 * 1024;
/// How often an address may send on to another one.
const MAX_REDIRECTS: u32 = 5;

/// A document as it was served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub text: String,
    pub last_modified: Option<String>,
    pub etag: Option<String>,
}

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    #[error("only `https://` addresses are fetched")]
    NotHttps,
    #[error("it did not answer in time")]
    TimedOut,
    #[error("it is larger than {} KiB", MAX_BYTES / 1024)]
    TooLarge,
    #[error("the server answered with {0}")]
    Status(u16),
    #[error("it is not UTF-8 text")]
    NotText,
    /// The address, or one that it sends on to, is not for everybody.
    #[error("it leads to a loopback, link-local or private address")]
    NotPublic,
    #[error("it cannot be reached")]
    Unreachable,
}

/// Fetches a text; everything together takes no longer than `within`.
pub fn fetch(url: &str, reach: Reach, within: Duration) -> Result<Fetched, FetchError> {
    fetch_trusting(RootCerts::WebPki, url, reach, within)
}

fn fetch_trusting(
    roots: RootCerts,
    url: &str,
    reach: Reach,
    within: Duration,
) -> Result<Fetched, FetchError> {
    let is_https = url.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"));
    if !is_https {
        return Err(FetchError::NotHttps);
    }
    let config = ureq::Agent::config_builder()
        .https_only(true)
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .http_status_as_error(false)
        .max_redirects(MAX_REDIRECTS)
        .timeout_global(Some(within))
        .proxy(None)
        .user_agent(concat!("hewto/", env!("CARGO_PKG_VERSION")))
        .build();
    // Every address that is contacted, those of redirects too, is looked up by the guard.
    let agent = ureq::Agent::with_parts(config, DefaultConnector::default(), Guarded::new(url, reach));
    let mut response = agent.get(url).call().map_err(|error| failed(&error))?;
    let status = response.status().as_u16();
    if !(200..300).contains(&status) {
        return Err(FetchError::Status(status));
    }
    let header =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (last_modified, etag) = (header("last-modified"), header("etag"));
    let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec();
    let text = String::from_utf8(body.map_err(|error| failed(&error))?).map_err(|_| FetchError::NotText)?;
    Ok(Fetched { text, last_modified, etag })
}

fn failed(error: &ureq::Error) -> FetchError {
    match error {
        ureq::Error::Timeout(_) => FetchError::TimedOut,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => FetchError::TimedOut,
        ureq::Error::BodyExceedsLimit(_) => FetchError::TooLarge,
        ureq::Error::RequireHttpsOnly(_) => FetchError::NotHttps,
        ureq::Error::Other(error) if error.is::<NotPublic>() => FetchError::NotPublic,
        _ => FetchError::Unreachable,
    }
}

#[cfg(test)]
mod tests;
