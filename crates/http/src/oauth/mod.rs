//! An OAuth resource server: knows people by tokens that an issuer signed for this server, and says where to get them.
//!
//! The metadata is RFC 9728's, the audience RFC 8707's, the keys are cached ([`keys`]), the tokens are read by [`jwt`].
//! A token that was made for another server is refused, and none is ever passed on.

mod jwt;
mod keys;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures::FutureExt;
use futures::future::BoxFuture;
use hewto_core::review::is_name;
use serde_json::{Value, json};

use self::jwt::{Claims, Unverified};
pub use self::keys::Fetch;
use self::keys::Keys;
use crate::access::{Authenticator, Principal, Scope, TokenFault};
use crate::error::{Error, Result};

/// How far the clocks of issuer and server may be apart.
const SKEW: f64 = 60.0;
/// The longest name of somebody.
const LONGEST_NAME: usize = 200;

/// Where tokens come from, and for whom they are.
#[derive(Clone)]
pub struct OAuthOptions {
    /// The issuer, as it names itself.
    pub issuer: String,
    /// This server, as tokens name it: the address that clients use.
    pub resource: String,
    /// Where the issuer's keys are; found by its metadata otherwise.
    pub key_set: Option<String>,
    pub fetch: Fetch,
}

/// Knows people by tokens of one issuer.
#[derive(Debug)]
pub struct OAuth {
    issuer: String,
    resource: String,
    keys: Keys,
    clock: fn() -> f64,
}

impl OAuth {
    pub fn new(options: OAuthOptions) -> Result<Self> {
        let OAuthOptions { issuer, resource, key_set, fetch } = options;
        for (name, address) in
            [("issuer", Some(&issuer)), ("resource", Some(&resource)), ("key set", key_set.as_ref())]
        {
            if let Some(address) = address.filter(|address| !is_safe(address)) {
                return Err(Error::usage(format!("`{address}` cannot be the address of the {name}")).hint(
                    "write it as `https://host/path`, without a query; `http://` works for loopback only",
                ));
            }
        }
        let keys = Keys::new(issuer.clone(), key_set, fetch);
        Ok(Self { issuer, resource, keys, clock: now })
    }

    /// Whether somebody whom the issuer knows could go by this name.
    pub fn may_name(&self, name: &str) -> bool {
        name.strip_suffix(self.host()).is_some_and(|user| user.ends_with('@'))
    }

    /// The issuer behind the names of its users.
    fn host(&self) -> &str {
        self.issuer.split("://").nth(1).unwrap_or(&self.issuer).trim_end_matches('/')
    }

    /// What RFC 9728 has a server say of itself.
    pub(crate) fn metadata(&self) -> Value {
        json!({
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": Scope::ALL.map(Scope::as_str),
            "bearer_methods_supported": ["header"],
            "resource_name": "hewto",
        })
    }

    /// Where that is said: between the host of the resource and its path.
    pub(crate) fn metadata_address(&self) -> String {
        let host_from = self.resource.find("://").map_or(0, |at| at + 3);
        let path_from = self.resource[host_from..].find('/').map_or(self.resource.len(), |at| host_from + at);
        let (host, path) = self.resource.split_at(path_from);
        format!("{host}{METADATA_PATH}{}", path.trim_end_matches('/'))
    }

    async fn check(&self, token: &[u8]) -> Result<Arc<Principal>, TokenFault> {
        if !Unverified::is_one(token) {
            return Err(TokenFault::Unknown);
        }
        let token = Unverified::parse(token).map_err(TokenFault::Invalid)?;
        let keys = self.keys.with(token.key_id.as_deref()).await.ok_or(TokenFault::Unavailable)?;
        let claims = token.verify(keys.iter()).map_err(TokenFault::Invalid)?;
        self.believe(&claims).map(Arc::new).map_err(TokenFault::Invalid)
    }

    fn believe(&self, claims: &Claims) -> Result<Principal, &'static str> {
        let now = (self.clock)();
        if claims.iss.as_deref() != Some(&self.issuer) {
            return Err("the token is from another issuer");
        }
        if !claims.aud.iter().any(|audience| same_resource(audience, &self.resource)) {
            return Err("the token is for another server");
        }
        let end = match claims.exp {
            Some(end) if now < end + SKEW => end + SKEW,
            Some(_) => return Err("the token has expired"),
            None => return Err("the token never expires"),
        };
        if [claims.nbf, claims.iat].into_iter().flatten().any(|begin| begin > now + SKEW) {
            return Err("the token is not valid yet");
        }
        let name = claims.sub.as_deref().unwrap_or_default();
        if name.is_empty() || name.len() > LONGEST_NAME || name.contains(char::is_whitespace) {
            return Err("the token does not say whose it is");
        }
        // Two people must not look like one, on pages and in the audit.
        if !is_name(name) {
            return Err("the token names somebody with characters that nobody sees");
        }
        // Some issuers write `scp` as a list, others as one text.
        let named = claims.scope.iter().chain(claims.scp.iter()).flat_map(str::split_whitespace);
        let scopes = named.filter_map(Scope::named).collect();
        // A name of the token file is somebody else.
        let host = self.host();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a number too large for a moment is cut, and still far away"
        )]
        Ok(Principal::new(format!("{name}@{host}"), scopes).ending(end as i64))
    }
}

/// The beginning of the path of the metadata.
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

impl Authenticator for OAuth {
    fn identify<'a>(&'a self, token: &'a [u8]) -> BoxFuture<'a, Result<Arc<Principal>, TokenFault>> {
        self.check(token).boxed()
    }

    fn metadata(&self) -> Option<(String, Value)> {
        Some((self.metadata_address(), self.metadata()))
    }
}

/// A trailing slash makes no other server.
fn same_resource(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// Over https or, on this machine, http; without a query or a fragment.
fn is_safe(address: &str) -> bool {
    let host = |scheme: &str| address.strip_prefix(scheme).filter(|rest| !rest.is_empty());
    let is_loopback = |rest: &str| {
        let host = rest.split('/').next().unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host).trim_matches(['[', ']']);
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    !address.contains(['?', '#', ' ', '@'])
        && (host("https://").is_some() || host("http://").is_some_and(is_loopback))
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

impl std::fmt::Debug for OAuthOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OAuthOptions").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}
