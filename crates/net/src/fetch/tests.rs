use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use ureq::tls::{Certificate, PrivateKey};

use super::*;

const AUTHORITY: &[u8] = include_bytes!("../../tests/tls/authority.pem");
const SERVER: &[u8] = include_bytes!("../../tests/tls/server.pem");
const SERVER_KEY: &[u8] = include_bytes!("../../tests/tls/server.key");

#[test]
fn plain_http_is_refused_before_anything_is_sent() {
    for url in ["http://example.org/x", "file:///etc/passwd", "ftp://x", ""] {
        assert_eq!(fetch(url, Reach::Anywhere, Duration::from_secs(1)), Err(FetchError::NotHttps), "{url}");
    }
}

#[test]
fn a_server_that_never_answers_costs_no_more_than_the_time_given() {
    // It accepts and says nothing, so the handshake hangs.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/template.md", silent.local_addr().unwrap());
    assert_eq!(fetch(&url, Reach::Anywhere, Duration::from_millis(200)), Err(FetchError::TimedOut));
}

#[test]
fn a_port_where_nobody_listens_cannot_be_reached() {
    let fetched = fetch("https://127.0.0.1:1/x", Reach::Anywhere, Duration::from_secs(30));
    assert_eq!(fetched, Err(FetchError::Unreachable));
}

#[test]
fn a_document_comes_with_what_its_server_says_of_it() {
    let address = serve();
    let fetched = from(&address, "/spec.md").unwrap();
    assert_eq!(fetched.text, "# Spec \u{e9}\n");
    assert_eq!(fetched.last_modified.as_deref(), Some("Sat, 24 Jan 2026 10:00:00 GMT"));
    assert_eq!(fetched.etag.as_deref(), Some("\"v1\""));
    assert_eq!(from(&address, "/moved").unwrap().text, fetched.text);
}

#[test]
fn what_is_no_document_says_why() {
    let address = serve();
    for (path, error) in [
        ("/nothing", FetchError::Status(404)),
        ("/large", FetchError::TooLarge),
        ("/bytes", FetchError::NotText),
        ("/downgrade", FetchError::NotHttps),
        ("/circle", FetchError::Unreachable),
    ] {
        assert_eq!(from(&address, path), Err(error), "{path}");
    }
}

#[test]
fn no_private_address_is_contacted_unless_its_host_is_trusted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"] {
        let url = format!("https://{host}:{port}/x");
        let fetched = fetch(&url, Reach::Public, Duration::from_secs(30));
        // A spelling that is no address of this machine's resolver is no way in either.
        assert!(
            matches!(fetched, Err(FetchError::NotPublic | FetchError::Unreachable)),
            "{url}: {fetched:?}"
        );
        assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "{url}");
    }
}

#[test]
fn a_redirect_never_leads_to_a_private_address() {
    // The first host is trusted, and its certificate is believed; where it sends on to is another.
    let (address, inner) = (serve(), serve());
    let port = inner.rsplit_once(':').unwrap().1;
    for target in [
        format!("https://{inner}/spec.md"),
        format!("https://localhost:{port}/spec.md"),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://10.0.0.1/x".to_owned(),
        "https://192.168.0.1/x".to_owned(),
        "https://[::1]/x".to_owned(),
        "https://[fe80::1]/x".to_owned(),
    ] {
        let path = format!("/to/{target}");
        assert_eq!(from(&address, &path), Err(FetchError::NotPublic), "{target}");
    }
    // The same host again is still trusted.
    assert!(from(&address, "/moved").is_ok());
}

#[test]
fn a_server_whose_authority_nobody_knows_is_not_believed() {
    let fetched = fetch(&format!("https://{}/spec.md", serve()), Reach::Anywhere, Duration::from_secs(30));
    assert_eq!(fetched, Err(FetchError::Unreachable));
}

fn from(address: &str, path: &str) -> Result<Fetched, FetchError> {
    let roots = RootCerts::new_with_certs(&[Certificate::from_pem(AUTHORITY).unwrap()]);
    fetch_trusting(roots, &format!("https://{address}{path}"), Reach::Anywhere, Duration::from_secs(30))
}

/// A server on a thread that ends with the test; its address.
fn serve() -> String {
    let certificate = CertificateDer::from(Certificate::from_pem(SERVER).unwrap().der().to_vec());
    let key = PrivatePkcs8KeyDer::from(PrivateKey::from_pem(SERVER_KEY).unwrap().der().to_vec());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // Who does not believe the certificate hangs up here.
            let _ = answer(StreamOwned::new(connection, tcp));
        }
    });
    address
}

fn answer(mut stream: StreamOwned<ServerConnection, std::net::TcpStream>) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let elsewhere = path.strip_prefix("/to/").map(|target| format!("Location: {target}\r\n"));
    let (status, headers, body): (&str, &str, Vec<u8>) = match path {
        _ if elsewhere.is_some() => ("302 Found", elsewhere.as_deref().unwrap_or_default(), vec![]),
        "/spec.md" => (
            "200 OK",
            "Last-Modified: Sat, 24 Jan 2026 10:00:00 GMT\r\nETag: \"v1\"\r\n",
            "# Spec \u{e9}\n".into(),
        ),
        "/moved" => ("302 Found", "Location: /spec.md\r\n", vec![]),
        "/downgrade" => ("302 Found", "Location: http://127.0.0.1:1/spec.md\r\n", vec![]),
        "/circle" => ("302 Found", "Location: /circle\r\n", vec![]),
        "/large" => ("200 OK", "", vec![b'x'; 1024 * 1024 + 1]),
        "/bytes" => ("200 OK", "", vec![0xff, 0xfe]),
        _ => ("404 Not Found", "", vec![]),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)?;
    stream.conn.send_close_notify();
    stream.flush()
}
