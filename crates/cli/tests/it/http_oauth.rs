//! A server that takes tokens of an OAuth issuer, which the test starts.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hewto_testkit::TestWorkspace;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use crate::http_client::{HttpServer, command, token_file};

const RESOURCE: &str = "https://hewto.example/mcp";

struct Issuer {
    address: String,
    pair: Ed25519KeyPair,
}

impl Issuer {
    /// Serves its metadata and its keys on loopback, for as long as the test lasts.
    fn start() -> Self {
        Self::with_keys_at("127.0.0.1")
    }

    /// The same, with keys at another name of this machine.
    fn with_keys_at(host: &str) -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = format!("http://127.0.0.1:{port}");
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
        let key = URL_SAFE_NO_PAD.encode(pair.public_key());
        let keys = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": key }] });
        let metadata = json!({ "issuer": address, "jwks_uri": format!("http://{host}:{port}/keys") });
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                let body = match line.split(' ').nth(1) {
                    Some("/.well-known/oauth-authorization-server") => metadata.to_string(),
                    Some("/keys") => keys.to_string(),
                    other => panic!("nothing at {other:?}"),
                };
                let length = body.len();
                // A server that has gone needs no answer.
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
            }
        });
        Self { address, pair }
    }

    fn token(&self, change: impl FnOnce(&mut Value, &mut Value)) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut header = json!({ "alg": "EdDSA", "kid": "k1", "typ": "at+jwt" });
        let mut claims =
            json!({ "iss": self.address, "sub": "ann", "aud": RESOURCE, "exp": now + 300, "scope": "read" });
        change(&mut header, &mut claims);
        let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", text(&header), text(&claims));
        let signature = self.pair.sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[test]
fn a_token_of_the_issuer_opens_what_its_scopes_say_and_none_other_does() {
    let workspace = TestWorkspace::native();
    let issuer = Issuer::start();
    token_file(&workspace, "bob read,write w-token-5f1c9a7be3d24806\n");
    let flags = ["--token-file", "tokens", "--oauth-issuer", &issuer.address, "--oauth-resource", RESOURCE];
    let server = HttpServer::start(workspace.root(), &flags);

    let nobody = server.call("/mcp", "spec_list", json!({}));
    let challenge = nobody.header("www-authenticate").unwrap();
    let metadata = "https://hewto.example/.well-known/oauth-protected-resource/mcp";
    assert_eq!(nobody.status, 401);
    assert!(challenge.contains(&format!("resource_metadata=\"{metadata}\"")), "{challenge}");
    let told = server.get("/.well-known/oauth-protected-resource/mcp").json();
    assert_eq!(
        (&told["resource"], &told["authorization_servers"]),
        (&json!(RESOURCE), &json!([issuer.address]))
    );

    let server = server.with_token(&issuer.token(|_, _| {}));
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 200);
    let write = server.call("/mcp", "spec_create", json!({ "title": "A", "description": "Why" }));
    assert_eq!((write.status, write.error()), (403, json!("insufficient_scope")));

    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let wrong: [(&str, String); 5] = [
        ("another server", issuer.token(|_, claims| claims["aud"] = json!("https://other.example"))),
        ("expired", issuer.token(|_, claims| claims["exp"] = json!(now - 3_600))),
        ("another issuer", issuer.token(|_, claims| claims["iss"] = json!("https://evil.example"))),
        ("signed in a way", issuer.token(|header, _| header["alg"] = json!("none"))),
        ("not signed by its issuer", issuer.token(|header, _| header["kid"] = json!("k2"))),
    ];
    let mut server = server;
    for (why, token) in wrong {
        server = server.with_token(&token);
        let refused = server.call("/mcp", "spec_list", json!({}));
        assert_eq!(refused.status, 401, "{why}");
        let challenge = refused.header("www-authenticate").unwrap();
        assert!(challenge.contains("invalid_token") && challenge.contains(why), "{challenge}");
    }
    let server = server.with_token("w-token-5f1c9a7be3d24806");
    let made = server.call("/mcp", "spec_create", json!({ "title": "A", "description": "Why" }));
    assert_eq!(made.status, 200, "tokens of the file go on");
    server.signal();
    server.wait();
    let log = fs_err::read_dir(workspace.root().join(".hewto/logs")).unwrap();
    let log: String = log.map(|file| fs_err::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert!(log.contains("\"principal\":\"ann@127.0.0.1:"), "{log}");
}

#[test]
fn keys_that_could_be_changed_on_the_way_open_nothing_and_the_log_says_why() {
    let workspace = TestWorkspace::native();
    // It leads to this machine, and is no address of loopback.
    let issuer = Issuer::with_keys_at("0.0.0.0");
    let flags = ["--oauth-issuer", &issuer.address, "--oauth-resource", RESOURCE];
    let server = HttpServer::start(workspace.root(), &flags).with_token(&issuer.token(|_, _| {}));
    assert_eq!(server.call("/mcp", "spec_list", json!({})).status, 503);
    server.signal();
    let (_, said) = server.wait();
    assert!(said.contains("http://0.0.0.0:") && said.contains("could be changed on the way"), "{said}");
}

#[test]
fn a_stream_ends_when_the_token_that_opened_it_does() {
    let workspace = TestWorkspace::native();
    let issuer = Issuer::start();
    let flags = ["--oauth-issuer", &issuer.address, "--oauth-resource", RESOURCE];
    let server = HttpServer::start(workspace.root(), &flags);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    // A minute is allowed for clocks, so this one is taken for some seconds more.
    let token = issuer.token(|_, claims| claims["exp"] = json!(now - 50));
    let server = server.with_token(&token);
    let session = server.initialize();
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut stream = server.begin("GET", "/mcp", &headers, b"");
    assert_eq!(stream.head().status, 200);
    assert!(stream.ends(), "it has nothing more to say");
}

#[test]
fn an_issuer_that_is_no_safe_address_and_half_of_the_flags_are_refused() {
    let workspace = TestWorkspace::native();
    for flags in [
        &["--http", "127.0.0.1:0", "--oauth-issuer", "http://id.example", "--oauth-resource", RESOURCE][..],
        &["--http", "127.0.0.1:0", "--oauth-issuer", "https://id.example"],
        &["--http", "127.0.0.1:0", "--oauth-resource", RESOURCE],
    ] {
        let output = command(workspace.root(), flags).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
