//! The cookie of whoever is signed in.

use std::time::Duration;

use hewto_http::hyper::header::{COOKIE, ORIGIN};
use hewto_http::hyper::http::request::Parts;

/// How somebody came in. What was opened over https is not opened by a cookie that another host of the domain, or a page without
/// TLS, could have set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Plain,
    Tls,
}

impl Door {
    /// The browser says how it came, through a proxy that ends TLS too.
    pub(super) fn of(parts: &Parts) -> Self {
        let is_tls =
            parts.headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
        if is_tls { Self::Tls } else { Self::Plain }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "hewto_hub",
            Self::Tls => "__Host-hewto_hub",
        }
    }

    pub(super) fn begin(self, id: &str, lasts: Duration) -> String {
        self.written(id, lasts.as_secs())
    }

    pub(super) fn end(self) -> String {
        self.written("", 0)
    }

    fn written(self, id: &str, seconds: u64) -> String {
        let secure = if self == Self::Tls { "; Secure" } else { "" };
        format!("{}={id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}", self.name())
    }
}

/// The session that a browser names, and by which door; the one that only this host can have set comes first.
pub(super) fn sent(parts: &Parts) -> Option<(Door, String)> {
    [Door::Tls, Door::Plain].into_iter().find_map(|door| Some((door, named(parts, door.name())?)))
}

pub(super) fn named(parts: &Parts, wanted: &str) -> Option<String> {
    let all = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}
