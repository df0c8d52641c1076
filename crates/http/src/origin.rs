//! Which names this server answers to, and which web pages may speak to it.
//!
//! A page whose name was made to resolve to this machine sends that name as its Host, and any page sends its Origin; both
//! are checked on every path, before anything else. Loopback names always pass; more are added at the start.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::{HOST, ORIGIN};

use crate::error::{Error, Result};

/// A host and, where it matters, a port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Authority {
    host: String,
    port: Option<u16>,
}

/// What was allowed on the command line, besides loopback.
#[derive(Debug)]
pub struct OriginPolicy {
    hosts: Vec<Authority>,
    origins: Vec<String>,
}

/// Which pages may speak to what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Those of loopback and of the allowed origins.
    Allowed,
    /// Those that this server sent itself, under the name by which it is asked.
    Own,
}

/// Why somebody does not come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forbidden {
    /// No host, or several, or one that cannot be read.
    NoHost,
    Host,
    Origin,
}

impl OriginPolicy {
    pub fn new(hosts: &[String], origins: &[String]) -> Self {
        Self {
            hosts: hosts.iter().filter_map(|host| Authority::parse(host)).collect(),
            origins: origins.iter().map(|origin| folded(origin)).collect(),
        }
    }

    /// Refuses what would open no door.
    pub(crate) fn check_options(hosts: &[String], origins: &[String]) -> Result<()> {
        if let Some(host) = hosts.iter().find(|host| Authority::parse(host).is_none()) {
            return Err(Error::usage(format!("`{host}` is not a host name"))
                .hint("write it as `team.example`, `team.example:7420` or `[2001:db8::1]`, without a scheme or a path"));
        }
        match origins.iter().find(|origin| !is_origin(origin)) {
            Some(origin) => Err(Error::usage(format!("`{origin}` is not an origin"))
                .hint("write it as a browser does: `https://app.example` or `http://app.example:3000`")),
            None => Ok(()),
        }
    }

    /// Checks a request that came in on the address `local`; gives the origin that was allowed.
    pub fn check<'h>(
        &self,
        headers: &'h HeaderMap,
        target: Option<&str>,
        local: IpAddr,
        pages: Pages,
    ) -> Result<Option<&'h str>, Forbidden> {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(Forbidden::NoHost) };
        let host = host.to_str().ok().and_then(Authority::parse).ok_or(Forbidden::NoHost)?;
        // `GET http://name/ HTTP/1.1` names a host too.
        let target = target.map(|target| Authority::parse(target).ok_or(Forbidden::NoHost)).transpose()?;
        if ![Some(&host), target.as_ref()].into_iter().flatten().all(|name| self.answers_to(name, local)) {
            return Err(Forbidden::Host);
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(None),
            (Some(origin), None) => {
                let origin = origin.to_str().map_err(|_| Forbidden::Origin)?;
                let is_welcome = match pages {
                    Pages::Allowed => self.welcomes(origin),
                    Pages::Own => authority_of(origin).as_ref() == Some(&host),
                };
                if is_welcome { Ok(Some(origin)) } else { Err(Forbidden::Origin) }
            }
            (Some(_), Some(_)) => Err(Forbidden::Origin),
        }
    }

    fn answers_to(&self, name: &Authority, local: IpAddr) -> bool {
        // An address in figures cannot be made to resolve elsewhere.
        name.is_loopback()
            || name.host.parse() == Ok(local)
            || self.hosts.iter().any(|allowed| {
                allowed.host == name.host && (allowed.port.is_none() || allowed.port == name.port)
            })
    }

    fn welcomes(&self, origin: &str) -> bool {
        authority_of(origin).is_some_and(|host| host.is_loopback())
            || self.origins.contains(&origin.to_ascii_lowercase())
    }
}

/// The host of a page that came over HTTP.
fn authority_of(origin: &str) -> Option<Authority> {
    let origin = origin.to_ascii_lowercase();
    let host = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
    host.and_then(Authority::parse)
}

/// An origin as it is compared.
fn folded(origin: &str) -> String {
    origin.trim().trim_end_matches('/').to_ascii_lowercase()
}

/// What a browser can send: a scheme and a host, or `null` for a page of no origin.
fn is_origin(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let text = folded(text);
    let parts = text.split_once("://");
    text == "null"
        || parts.is_some_and(|(scheme, host)| is_scheme(scheme) && Authority::parse(host).is_some())
}

impl Authority {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']')?;
                host.parse::<std::net::Ipv6Addr>().ok()?;
                (host, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
            }
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_plain) {
            return None;
        }
        let port = match port {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(port.parse().ok()?),
            Some(_) => return None,
            None => None,
        };
        Some(Self { host: host.trim_end_matches('.').to_ascii_lowercase(), port })
    }

    fn is_loopback(&self) -> bool {
        // Browsers and resolvers answer `*.localhost` themselves, whatever a name server says (RFC 6761).
        self.host == "localhost"
            || self.host.ends_with(".localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use hyper::header::HeaderValue;

    use super::*;

    fn check(host: &[&str], origin: Option<&str>) -> Result<(), Forbidden> {
        let policy = OriginPolicy::new(
            &["Team.example".into(), "one.example:7420".into()],
            &["https://App.example/".into(), "null".into()],
        );
        let mut headers = HeaderMap::new();
        for host in host {
            headers.append(HOST, HeaderValue::from_str(host).unwrap());
        }
        if let Some(origin) = origin {
            headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        policy.check(&headers, None, Ipv4Addr::new(192, 0, 2, 7).into(), Pages::Allowed).map(drop)
    }

    #[test]
    fn loopback_the_own_address_and_what_was_allowed_come_in() {
        for host in [
            "localhost",
            "LOCALHOST:7420",
            "127.0.0.1",
            "127.0.0.1:1",
            "127.8.8.8",
            "[::1]",
            "[::1]:7420",
            "192.0.2.7:7420",
            "team.example",
            "TEAM.example:99",
            "one.example:7420",
            "localhost.",
            "hewto.localhost:7420",
            "HEWTO.localhost.",
        ] {
            assert_eq!(check(&[host], None), Ok(()), "{host}");
        }
        for origin in [
            "http://localhost",
            "http://localhost:5173",
            "http://hewto.localhost:7420",
            "https://127.0.0.1:8443",
            "http://[::1]:1",
            "https://app.example",
            "null",
        ] {
            assert_eq!(check(&["localhost"], Some(origin)), Ok(()), "{origin}");
        }
    }

    #[test]
    fn everybody_else_stays_outside() {
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evillocalhost",
            "127.0.0.1.evil.example",
            "192.0.2.8",
            "one.example",
            "one.example:1",
            "[2001:db8::1]",
            "0.0.0.0",
        ] {
            assert_eq!(check(&[host], None), Err(Forbidden::Host), "{host}");
        }
        for host in [
            &[][..],
            &[""],
            &["localhost", "localhost"],
            &["local host"],
            &["localhost:x"],
            &["user@localhost"],
            &["[::1"],
            &["[evil]"],
            &["localhost:99999"],
        ] {
            assert_eq!(check(host, None), Err(Forbidden::NoHost), "{host:?}");
        }
        for origin in [
            "http://evil.example",
            "https://app.example:444",
            "http://app.example",
            "localhost",
            "file://localhost",
            "http://localhost.evil.example",
            "http://evil@localhost",
            "http://",
            "",
        ] {
            assert_eq!(check(&["localhost"], Some(origin)), Err(Forbidden::Origin), "{origin}");
        }
    }

    #[test]
    fn what_would_open_no_door_is_refused() {
        let fault = |host: &str, origin: &str| {
            OriginPolicy::check_options(&[host.to_owned()], &[origin.to_owned()])
                .err()
                .map(|error| error.message)
        };
        for origin in
            ["https://app.example/", "http://[::1]:3000", "com.example.app://localhost", " null", "NULL"]
        {
            assert_eq!(fault("team.example:7420", origin), None, "{origin}");
        }
        for host in ["", "https://team.example", "team.example/mcp", "team example", "team.example:port"] {
            assert_eq!(fault(host, "null"), Some(format!("`{host}` is not a host name")));
        }
        for origin in ["", "app.example", "https://", "https://app.example/page", "://app.example", "*"] {
            assert_eq!(fault("team.example", origin), Some(format!("`{origin}` is not an origin")));
        }
    }

    #[test]
    fn a_target_that_names_another_host_is_checked_too() {
        let policy = OriginPolicy::new(&[], &[]);
        let mut headers = HeaderMap::new();
        headers.append(HOST, HeaderValue::from_static("localhost"));
        let local = Ipv4Addr::LOCALHOST.into();
        assert_eq!(policy.check(&headers, Some("localhost:7420"), local, Pages::Allowed), Ok(None));
        assert_eq!(policy.check(&headers, Some("evil.example"), local, Pages::Allowed), Err(Forbidden::Host));
    }

    #[test]
    fn a_service_without_foreign_pages_hears_those_of_its_own_name_and_port_only() {
        let policy = OriginPolicy::new(&[], &["https://app.example".into()]);
        let check = |host: &'static str, origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.append(HOST, HeaderValue::from_static(host));
            headers.append(ORIGIN, HeaderValue::from_static(origin));
            policy.check(&headers, None, Ipv4Addr::LOCALHOST.into(), Pages::Own).is_ok()
        };
        assert!(check("hewto.localhost:7420", "http://hewto.localhost:7420"));
        assert!(check("hewto.localhost", "https://hewto.localhost"), "TLS may end at a proxy");
        for origin in [
            "http://hewto.localhost:3000",
            "http://localhost:7420",
            "http://127.0.0.1:7420",
            "https://app.example",
            "null",
        ] {
            assert!(!check("hewto.localhost:7420", origin), "{origin}");
        }
    }
}
