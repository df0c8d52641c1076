//! The keys of an issuer: fetched when they are needed, kept, and fetched again when a token names one that is not there.
//!
//! How often that happens is bounded, whatever tokens come: a made-up key id leads to no flood of requests.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

use super::jwt::Key;

/// Keys are fetched again after this time at the latest.
const FRESH: Duration = Duration::from_hours(1);
/// When the issuer cannot be reached, keys are believed for so long.
const LONGEST: Duration = Duration::from_hours(24);
/// Between two fetches.
const PAUSE: Duration = Duration::from_secs(30);
/// More keys than this are no key set.
const MOST_KEYS: usize = 64;

/// How a document of the issuer is fetched; says why not.
pub type Fetch = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

pub(super) struct Keys {
    issuer: String,
    /// Where the key set is; found by the issuer's metadata where nobody says so.
    key_set: Option<String>,
    fetch: Fetch,
    held: RwLock<Held>,
    /// One at a time.
    fetching: Mutex<()>,
}

#[derive(Debug, Default)]
struct Held {
    keys: Arc<Vec<Key>>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
    /// When a key was looked for that was not among those held.
    looked: Option<Instant>,
}

impl Keys {
    pub(super) fn new(issuer: String, key_set: Option<String>, fetch: Fetch) -> Self {
        Self { issuer, key_set, fetch, held: RwLock::default(), fetching: Mutex::default() }
    }

    /// The keys, among them the one of this id if there is one; `None` when the issuer was never reached.
    pub(super) async fn with(&self, id: Option<&str>) -> Option<Arc<Vec<Key>>> {
        if let Some(keys) = self.current(id, Instant::now()) {
            return Some(keys);
        }
        let _alone = self.fetching.lock().await;
        let now = Instant::now();
        // Whoever was here before may have brought it.
        if let Some(keys) = self.current(id, now) {
            return Some(keys);
        }
        if self.may_fetch(now) {
            self.refresh(now).await;
        }
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.fetched.filter(|at| now.saturating_duration_since(*at) < LONGEST).map(|_| Arc::clone(&held.keys))
    }

    /// What is held, if it is fresh and has the key, or if nothing may be fetched anyway.
    fn current(&self, id: Option<&str>, now: Instant) -> Option<Arc<Vec<Key>>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = held.fetched.is_some_and(|at| now.saturating_duration_since(at) < FRESH);
        let has_it = id.is_none_or(|id| held.keys.iter().any(|key| key.id.as_deref() == Some(id)));
        (is_fresh && has_it).then(|| Arc::clone(&held.keys))
    }

    /// Whether it is time again. A key that is not there may be new, however lately the others were fetched: such looks have
    /// a pace of their own.
    fn may_fetch(&self, now: Instant) -> bool {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let is_over =
            |last: Option<Instant>| last.is_none_or(|at| now.saturating_duration_since(at) >= PAUSE);
        if held.fetched.is_none_or(|at| now.saturating_duration_since(at) >= FRESH) {
            return is_over(held.tried);
        }
        let may = is_over(held.looked);
        if may {
            held.looked = Some(now);
        }
        may
    }

    #[cfg(test)]
    pub(super) fn forget_the_last_try(&self) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        (held.tried, held.looked) = (None, None);
    }

    async fn refresh(&self, now: Instant) {
        let (fetch, issuer, key_set) = (Arc::clone(&self.fetch), self.issuer.clone(), self.key_set.clone());
        let fetched = tokio::task::spawn_blocking(move || fetch_keys(&fetch, &issuer, key_set)).await;
        let fetched = fetched.unwrap_or_else(|_| Err("the fetch broke off".to_owned()));
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        held.tried = Some(now);
        match fetched {
            Ok(keys) => {
                held.keys = Arc::new(keys);
                held.fetched = Some(now);
            }
            Err(error) => tracing::warn!(issuer = self.issuer, error, "cannot fetch the keys of the issuer"),
        }
    }
}

fn fetch_keys(fetch: &Fetch, issuer: &str, key_set: Option<String>) -> Result<Vec<Key>, String> {
    let key_set = match key_set {
        Some(url) => url,
        None => find_key_set(fetch, issuer)?,
    };
    let text = fetch(&key_set)?;
    let set: Value = serde_json::from_str(&text).map_err(|_| "the key set is not JSON".to_owned())?;
    let keys = set.get("keys").and_then(Value::as_array).ok_or("the key set has no `keys`")?;
    Ok(keys.iter().take(MOST_KEYS).filter_map(Key::parse).collect())
}

/// Asks the issuer where its keys are, as RFC 8414 or OpenID Connect has it. It must name itself as it was named here.
fn find_key_set(fetch: &Fetch, issuer: &str) -> Result<String, String> {
    let mut last = String::new();
    for url in metadata_addresses(issuer) {
        match fetch(&url) {
            Ok(text) => {
                let metadata: Value =
                    serde_json::from_str(&text).map_err(|_| format!("`{url}` is not JSON"))?;
                if metadata.get("issuer").and_then(Value::as_str) != Some(issuer) {
                    return Err(format!("`{url}` is the metadata of another issuer"));
                }
                let found = metadata.get("jwks_uri").and_then(Value::as_str);
                return found.map(str::to_owned).ok_or_else(|| format!("`{url}` names no `jwks_uri`"));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn metadata_addresses(issuer: &str) -> [String; 2] {
    let host_from = issuer.find("://").map_or(0, |at| at + 3);
    let path_from = issuer[host_from..].find('/').map_or(issuer.len(), |at| host_from + at);
    let (host, path) = (&issuer[..path_from], issuer[path_from..].trim_end_matches('/'));
    [
        format!("{host}/.well-known/oauth-authorization-server{path}"),
        format!("{host}{path}/.well-known/openid-configuration"),
    ]
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_of_an_issuer_with_a_path_is_looked_for_where_the_standards_say() {
        assert_eq!(
            metadata_addresses("https://id.example/tenant/"),
            [
                "https://id.example/.well-known/oauth-authorization-server/tenant",
                "https://id.example/tenant/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            metadata_addresses("http://127.0.0.1:1")[0],
            "http://127.0.0.1:1/.well-known/oauth-authorization-server"
        );
    }
}
