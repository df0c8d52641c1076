//! A document of a machine that the owner of this one named: https, or http on loopback, without detours.
//!
//! What is fetched this way decides who is believed, so nobody on the way may be able to change it. Addresses come from the
//! owner and from documents that were fetched before; each of them is held to the same rule here, and nowhere else.

use std::net::IpAddr;
use std::time::Duration;

use thiserror::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

/// Longest document that is read.
const MAX_BYTES: u64 = 256 * 1024;
const WITHIN: Duration = Duration::from_secs(5);

/// Fetches a text from exactly this address; says why not.
pub fn fetch_trusted(url: &str) -> Result<String, String> {
    if !is_kept(url) {
        return Err(format!(
            "`{}` is not fetched: what it says could be changed on the way; it has to begin with `https://`, or be `http://` on loopback",
            url.escape_debug()
        ));
    }
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(WITHIN))
        .proxy(None)
        .user_agent(concat!("hewto/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = ureq::Agent::with_parts(config, DefaultConnector::default(), Kept::default());
    let failed = |error: ureq::Error| format!("cannot fetch `{url}`: {error}");
    let mut response = agent.get(url).call().map_err(failed)?;
    let status = response.status().as_u16();
    if status != 200 {
        return Err(format!("`{url}` answers with {status}"));
    }
    let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec().map_err(failed)?;
    String::from_utf8(body).map_err(|_| format!("`{url}` is not text"))
}

/// Whether nobody on the way can change what an address answers, as far as its words tell.
fn is_kept(url: &str) -> bool {
    // Where one reader of addresses sees a host, another may see a name before an `@`, or a path.
    if url.contains(['@', '\\', ' ']) || url.chars().any(char::is_control) {
        return false;
    }
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let Some(host) = uri.host().filter(|host| !host.is_empty()) else { return false };
    match uri.scheme_str() {
        Some("https") => true,
        Some("http") => is_loopback(host),
        _ => false,
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Looks names up, and lets plain http go to loopback alone, whatever `localhost` is said to be. The connection is made to the
/// very addresses that were looked at.
#[derive(Debug, Default)]
struct Kept(DefaultResolver);

/// The refusal of an address.
#[derive(Debug, Error)]
#[error("its host is not on loopback, and it is not `https://`")]
struct NotKept;

impl Resolver for Kept {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        if uri.scheme_str() == Some("https") || found.iter().all(|address| address.ip().is_loopback()) {
            Ok(found)
        } else {
            Err(ureq::Error::Other(Box::new(NotKept)))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    use proptest::prelude::*;

    use super::*;

    /// Answers once with this head and body, and says at which path it was asked.
    fn answers(head: &str, body: &str) -> (u16, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = format!("{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut first = String::new();
            reader.read_line(&mut first).unwrap();
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap() > 2 {
                line.clear();
            }
            stream.write_all(answer.as_bytes()).unwrap();
            first
        });
        (port, thread)
    }

    #[test]
    fn what_could_be_changed_on_the_way_is_not_fetched() {
        for (url, kept) in [
            ("https://id.example/keys", true),
            ("https://id.example:8443/keys?version=2", true),
            ("http://127.0.0.1:1/keys", true),
            ("http://127.8.8.8/keys", true),
            ("http://[::1]:1/keys", true),
            ("http://localhost:1/keys", true),
            ("http://LOCALHOST:1/keys", true),
            ("http://id.example/keys", false),
            ("http://10.0.0.1/keys", false),
            ("http://0.0.0.0:1/keys", false),
            ("http://[::ffff:10.0.0.1]/keys", false),
            ("http://127.0.0.1.evil.example/keys", false),
            ("http://127.0.0.1@evil.example/keys", false),
            ("http://localhost:1@evil.example/keys", false),
            ("https://id.example@evil.example/keys", false),
            ("http://localhost\\@evil.example/keys", false),
            ("file:///etc/passwd", false),
            ("ftp://127.0.0.1/keys", false),
            ("/keys", false),
            ("", false),
            ("https://", false),
            ("https://id.example/\r\nHost: evil", false),
        ] {
            assert_eq!(is_kept(url), kept, "{url}");
        }
        let refused = fetch_trusted("http://id.example/keys").unwrap_err();
        assert!(refused.contains("`http://id.example/keys`") && refused.contains("https://"), "{refused}");
    }

    #[test]
    fn a_key_set_beyond_loopback_is_not_believed_though_it_could_be_reached() {
        // This address is no loopback one by its words, and leads to this machine all the same.
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        listener.set_nonblocking(true).unwrap();
        let refused = fetch_trusted(&format!("http://0.0.0.0:{port}/keys")).unwrap_err();
        assert!(refused.contains("is not fetched"), "{refused}");
        assert!(listener.accept().is_err(), "nobody was asked");
    }

    #[test]
    fn an_address_that_sends_on_to_another_is_not_followed() {
        let (port, asked) = answers("HTTP/1.1 200 OK", "{}");
        let there = format!("http://127.0.0.1:{port}/keys");
        let (port, sent_on) = answers(&format!("HTTP/1.1 302 Found\r\nLocation: {there}"), "");
        let refused = fetch_trusted(&format!("http://127.0.0.1:{port}/keys")).unwrap_err();
        assert!(refused.ends_with("answers with 302"), "{refused}");
        assert_eq!(sent_on.join().unwrap(), "GET /keys HTTP/1.1\r\n");
        assert_eq!(fetch_trusted(&there), Ok("{}".to_owned()), "it is there, for whoever names it");
        asked.join().unwrap();
    }

    proptest! {
        /// However somebody writes it: what is fetched comes over TLS, or from an address that the client, too, reads as loopback.
        #[test]
        fn plain_http_goes_to_loopback_alone(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "http://", "https://", "HTTP://", "127.0.0.1", "localhost", "[::1]", "10.0.0.1", "evil.example", ":", "80", "@", "/",
                    "\\", "?", "#", ".", "%40", "%2f", "[", "]", " ", "\t", "é",
                ]),
                0..8,
            ),
        ) {
            let url = pieces.concat();
            if is_kept(&url) {
                let uri: Uri = url.parse().unwrap();
                let host = uri.host().unwrap();
                let is_local = ["127.0.0.1", "[::1]"].contains(&host)
                    || host.eq_ignore_ascii_case("localhost") || host.ends_with(".localhost");
                prop_assert!(uri.scheme_str() == Some("https") || is_local, "{}", url);
            }
        }
    }
}
