//! Who comes in: under which name the pages answer, by which cookie people are known, and from where forms may come.
//!
//! Cookies ignore ports: one of `127.0.0.1` would reach every server on this machine. So on loopback the pages answer to
//! `hewto.localhost` alone, and send whoever comes by another name there.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_engine::Context;
use hewto_http::hyper::HeaderMap;
use hewto_http::hyper::header::{COOKIE, HOST, ORIGIN};
use hewto_http::{Principal, Scope};

use crate::session::{KEY_LIFETIME, Session, Sessions};

/// How long a one-time link is good for.
pub const LINK_LIFETIME: Duration = KEY_LIFETIME;
/// The name of the pages on the machine that they are served from.
pub(crate) const LOCAL_NAME: &str = "hewto.localhost";

/// Makes the links that let people in.
#[derive(Debug, Clone)]
pub struct SignInLinks {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) owner: Arc<Principal>,
    pub(crate) base_context: Context,
    pub(crate) origin: String,
}

impl SignInLinks {
    /// A link that signs the owner of this machine in, once, within a minute. The key stands in the fragment, which no
    /// browser sends and no server logs.
    pub fn link(&self) -> String {
        let key = fresh(&self.base_context);
        self.sessions.expect(&key, Arc::clone(&self.owner), Instant::now());
        format!("{}/login#{key}", self.origin)
    }

    /// Where the pages are.
    pub fn origin(&self) -> &str {
        &self.origin
    }
}

/// The owner of this machine: everything is theirs.
pub(crate) fn owner(name: &str) -> Arc<Principal> {
    Arc::new(Principal::new(name, Scope::ALL.to_vec()))
}

/// A secret that nobody can guess.
pub(crate) fn fresh(context: &Context) -> String {
    format!("{}{}", context.uuid().simple(), context.uuid().simple())
}

/// What the request says about where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entrance {
    /// By a name of the pages; this is their origin.
    Own(String),
    /// By another name of this machine; the same is at this origin.
    Elsewhere(String),
    Nowhere,
}

/// Looks at the name by which the pages were asked for.
pub(crate) fn entrance(headers: &HeaderMap, scheme: &str, is_local: bool) -> Entrance {
    let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else { return Entrance::Nowhere };
    let host = host.trim().to_ascii_lowercase();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, format!(":{port}")),
        _ => (host.as_str(), String::new()),
    };
    let name = name.trim_end_matches('.');
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = name == "localhost"
        || name.ends_with(".localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if name == LOCAL_NAME || (!is_loopback && !is_local) {
        return Entrance::Own(format!("{scheme}://{name}{port}"));
    }
    if is_loopback {
        Entrance::Elsewhere(format!("{scheme}://{LOCAL_NAME}{port}"))
    } else {
        Entrance::Nowhere
    }
}

/// Whether a form came from a page of this origin: exactly that, and said so.
pub(crate) fn is_own_form(headers: &HeaderMap, origin: &str) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let is_ours = match (origins.next(), origins.next()) {
        (Some(named), None) => named.to_str().is_ok_and(|named| named == origin),
        _ => false,
    };
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    is_ours && site.is_none_or(|site| site == "same-origin")
}

/// The name of the cookie; over TLS browsers themselves hold it to this host.
pub(crate) fn cookie_name(scheme: &str) -> &'static str {
    if scheme == "https" { "__Host-hewto" } else { "hewto_session" }
}

/// The value of a cookie.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).find_map(|pair| {
        let (found, value) = pair.split_once('=')?;
        (found.trim() == name).then(|| value.trim())
    })
}

/// The session that a request belongs to.
pub(crate) fn session(sessions: &Sessions, headers: &HeaderMap, scheme: &str) -> Option<Session> {
    sessions.find(cookie(headers, cookie_name(scheme))?, Instant::now())
}

#[cfg(test)]
mod tests {
    use hewto_http::hyper::header::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn on_loopback_only_one_name_is_the_pages_own() {
        let at = |host: &str| entrance(&headers(&[("host", host)]), "http", true);
        assert_eq!(at("hewto.localhost:7420"), Entrance::Own("http://hewto.localhost:7420".into()));
        assert_eq!(at("HEWTO.localhost.:7420"), Entrance::Own("http://hewto.localhost:7420".into()));
        for other in ["127.0.0.1:7420", "localhost:7420", "[::1]:7420", "evil.localhost:7420"] {
            assert_eq!(at(other), Entrance::Elsewhere("http://hewto.localhost:7420".into()), "{other}");
        }
        assert_eq!(at("evil.example"), Entrance::Nowhere);
        assert_eq!(entrance(&HeaderMap::new(), "http", true), Entrance::Nowhere);
        let team = headers(&[("host", "team.example")]);
        assert_eq!(entrance(&team, "https", false), Entrance::Own("https://team.example".into()));
    }

    #[test]
    fn a_form_names_exactly_this_origin() {
        let ours = "http://hewto.localhost:7420";
        assert!(is_own_form(&headers(&[("origin", ours)]), ours));
        assert!(is_own_form(&headers(&[("origin", ours), ("sec-fetch-site", "same-origin")]), ours));
        for bad in [
            &[][..],
            &[("sec-fetch-site", "same-origin")],
            &[("origin", "null")],
            &[("origin", "http://hewto.localhost:3000")],
            &[("origin", "https://hewto.localhost:7420")],
            &[("origin", ours), ("origin", ours)],
            &[("origin", ours), ("sec-fetch-site", "same-site")],
        ] {
            assert!(!is_own_form(&headers(bad), ours), "{bad:?}");
        }
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let sent = headers(&[("cookie", "a=1; hewto_session=x ; b=2"), ("cookie", "c=3")]);
        assert_eq!(cookie(&sent, "hewto_session"), Some("x"));
        assert_eq!(cookie(&sent, "c"), Some("3"));
        assert_eq!(cookie(&sent, "session"), None);
    }
}
