//! Speaking to a hub that the owner of this machine named: https, or http on loopback, with a token, without detours.

use std::fmt;
use std::time::Duration;

use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::transport::{Connector as _, DefaultConnector};

use crate::wire::{Gathered, Remembering};

/// The longest answer that is read.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// A hub, and who asks.
#[derive(Clone)]
pub struct HubClient {
    agent: ureq::Agent,
    base: String,
    token: String,
}

/// What a hub answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubReply {
    pub status: u16,
    pub body: String,
}

impl HubClient {
    /// `roots` is a file of PEM with the authorities that are believed instead of the public ones.
    pub fn new(url: &str, token: &str, roots: Option<&[u8]>, within: Duration) -> Result<Self, String> {
        let base = url.trim_end_matches('/');
        if !is_safe(base) {
            return Err(format!(
                "`{base}` is not an address of a hub: it has to begin with `https://`, or be on loopback"
            ));
        }
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the token of the hub is empty, or has characters that no token has".to_owned());
        }
        let roots = match roots {
            None => RootCerts::WebPki,
            Some(pem) => {
                let certificate = Certificate::from_pem(pem)
                    .map_err(|error| format!("the authorities of the hub cannot be read: {error}"))?;
                RootCerts::new_with_certs(&[certificate])
            }
        };
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(within))
            .timeout_connect(Some(within.min(Duration::from_secs(5))))
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .proxy(None)
            .user_agent(concat!("hewto/", env!("CARGO_PKG_VERSION")))
            .build();
        let connector = DefaultConnector::new().chain(Gathered);
        let agent = ureq::Agent::with_parts(config, connector, Remembering::default());
        Ok(Self { agent, base: base.to_owned(), token: token.to_owned() })
    }

    /// Asks; `Err` says why the hub could not be reached.
    pub fn get(&self, path: &str) -> Result<HubReply, String> {
        let request = self.agent.get(self.address(path)).header("Authorization", self.bearer());
        self.read(request.call())
    }

    /// Tells; `Err` says why the hub could not be reached, and leaves open whether it has heard.
    pub fn post(&self, path: &str, body: &[u8]) -> Result<HubReply, String> {
        let request = self
            .agent
            .post(self.address(path))
            .header("Authorization", self.bearer())
            .header("Content-Type", "application/json");
        self.read(request.send(body))
    }

    fn address(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.base)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    fn read(
        &self,
        answered: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<HubReply, String> {
        let failed = |error: ureq::Error| format!("`{}` does not answer: {error}", self.base);
        let mut response = answered.map_err(failed)?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec().map_err(failed)?;
        let body = String::from_utf8(body)
            .map_err(|_| format!("`{}` answered with something that is not text", self.base))?;
        Ok(HubReply { status, body })
    }
}

/// Whether a token may be sent there: nobody on the way can read it.
fn is_safe(url: &str) -> bool {
    let is_host = |rest: &str| !rest.is_empty() && !rest.contains(['@', '?', '#', ' ']);
    if let Some(rest) = url.strip_prefix("https://") {
        return is_host(rest);
    }
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    is_host(rest) && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

impl fmt::Debug for HubClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubClient").field("base", &self.base).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_over_tls_or_stays_on_the_machine() {
        for (url, safe) in [
            ("https://hub.example", true),
            ("https://hub.example:8443/x", true),
            ("http://127.0.0.1:7430", true),
            ("http://localhost", true),
            ("http://hub.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("http://localhost@evil.example", false),
            ("ftp://hub.example", false),
            ("https://", false),
        ] {
            assert_eq!(is_safe(url), safe, "{url}");
        }
        let client =
            HubClient::new("https://hub.example", "hewto_secret", None, Duration::from_secs(1)).unwrap();
        assert!(!format!("{client:?}").contains("secret"));
        assert!(HubClient::new("https://hub.example", "two\nlines", None, Duration::from_secs(1)).is_err());
    }
}
