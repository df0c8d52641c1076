use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

use crate::team::{Team, body, reason};

const RESOURCE: &str = "https://hub.example";

/// A small issuer on loopback, with an RSA key, and the means to rotate it.
struct Issuer {
    address: String,
    rsa: RsaKeyPair,
    keys: Arc<Mutex<Value>>,
    fetches: Arc<AtomicUsize>,
}

impl Issuer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let text: String = hewto_testkit::RSA_KEY.split_whitespace().collect();
        let rsa = RsaKeyPair::from_pkcs8(&STANDARD.decode(text).unwrap()).unwrap();
        let public = PublicKeyComponents::<Vec<u8>>::from(rsa.public());
        let (n, e) = (URL_SAFE_NO_PAD.encode(public.n), URL_SAFE_NO_PAD.encode(public.e));
        let keys = Arc::new(Mutex::new(json!({ "keys": [{ "kty": "RSA", "kid": "r1", "n": n, "e": e }] })));
        let fetches = Arc::new(AtomicUsize::new(0));
        let metadata = json!({ "issuer": address, "jwks_uri": format!("{address}/keys") });
        let (held, counted) = (Arc::clone(&keys), Arc::clone(&fetches));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut line = String::new();
                let _ = BufReader::new(&stream).read_line(&mut line);
                let body = if let Some("/.well-known/oauth-authorization-server") = line.split(' ').nth(1) {
                    metadata.to_string()
                } else {
                    counted.fetch_add(1, Ordering::Relaxed);
                    held.lock().unwrap().to_string()
                };
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { address, rsa, keys, fetches }
    }

    fn claims(&self, change: impl FnOnce(&mut Value)) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut claims = json!({ "iss": self.address, "sub": "ann", "aud": RESOURCE, "iat": now, "exp": now + 300, "scope": "read write" });
        change(&mut claims);
        claims
    }

    fn token(&self, change: impl FnOnce(&mut Value)) -> String {
        let signed = unsigned(&json!({ "alg": "RS256", "kid": "r1" }), &self.claims(change));
        let mut signature = vec![0; self.rsa.public().modulus_len()];
        self.rsa.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn unsigned(header: &Value, claims: &Value) -> String {
    let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", text(header), text(claims))
}

#[test]
fn an_issuer_says_who_somebody_is_and_the_hub_what_they_may() {
    let Some(team) = Team::new() else { return };
    let issuer = Issuer::start();
    let replica =
        team.replica_with(&["--words-only", "--oauth-issuer", &issuer.address, "--oauth-resource", RESOURCE]);
    let name = format!("ann@{}", issuer.address.trim_start_matches("http://"));
    let token = issuer.token(|_| {});
    assert_eq!(reason(&replica.client(&token).get("repos").unwrap()).0, 404, "nothing was granted yet");
    let granted = team.hub(&["grant", &name, "--role", "agent", "--repo", "shop"]);
    assert!(granted.status.success(), "{}", crate::team::shown(&granted));
    let repos = body(replica.client(&token).get("repos").unwrap());
    assert_eq!(repos, json!({ "repos": [{ "repo": "shop", "role": "agent" }] }));
    let metadata = replica.get("/.well-known/oauth-protected-resource", "");
    assert!(metadata.body.contains(&issuer.address), "{}", metadata.body);
    let nobody = replica.get("/api/v1/repos", "");
    assert!(nobody.head.contains("resource_metadata="), "{}", nobody.head);

    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let none = format!("{}.", unsigned(&json!({ "alg": "none" }), &issuer.claims(|_| {})));
    for (what, token) in [
        ("alg=none", none),
        ("another audience", issuer.token(|claims| claims["aud"] = json!("https://other.example"))),
        ("a clock an hour behind", issuer.token(|claims| claims["exp"] = json!(now - 3_600))),
        ("a clock an hour ahead", issuer.token(|claims| claims["iat"] = json!(now + 3_600))),
        ("another issuer", issuer.token(|claims| claims["iss"] = json!("https://evil.example"))),
    ] {
        assert_eq!(replica.client(&token).get("repos").unwrap().status, 401, "{what}");
    }
    // Nobody is granted anything by a name that no issuer gives, and what was granted can be taken back.
    let nobody = team.hub(&["grant", "ann", "--role", "agent", "--repo", "shop"]);
    assert_eq!(nobody.status.code(), Some(2), "{}", crate::team::shown(&nobody));
    let listed = team.hub(&["grant", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed, json!({ "grants": [{ "name": name, "role": "agent", "repo": "shop" }] }));
    let elsewhere = team.hub(&["grant", &name, "--revoke", "--repo", "billing"]);
    assert_eq!(elsewhere.status.code(), Some(1), "{}", crate::team::shown(&elsewhere));
    assert_eq!(body(replica.client(&token).get("repos").unwrap()), repos);
    assert!(team.hub(&["grant", &name, "--revoke"]).status.success());
    assert_eq!(reason(&replica.client(&token).get("repos").unwrap()).0, 404);
    assert!(team.hub(&["grant", &name, "--role", "agent", "--repo", "shop"]).status.success());

    // A token with fewer scopes than the grant needs opens what both allow.
    let narrow = issuer.token(|claims| claims["scope"] = json!("read"));
    let read = json!({ "repos": [{ "repo": "shop", "role": "reader" }] });
    assert_eq!(body(replica.client(&narrow).get("repos").unwrap()), read);

    // A rotated key is looked for, and made-up ones lead to no flood.
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let x = URL_SAFE_NO_PAD.encode(pair.public_key());
    *issuer.keys.lock().unwrap() =
        json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "e2", "x": x }] });
    let before = issuer.fetches.load(Ordering::Relaxed);
    for at in 0..20 {
        let signed =
            unsigned(&json!({ "alg": "EdDSA", "kid": format!("made-up-{at}") }), &issuer.claims(|_| {}));
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(pair.sign(signed.as_bytes())));
        assert_eq!(replica.client(&token).get("repos").unwrap().status, 401);
    }
    assert!(issuer.fetches.load(Ordering::Relaxed) <= before + 1, "keys are fetched at a bounded pace");
}

#[test]
fn figures_are_for_whom_all_of_the_hub_is_granted_whatever_scopes_say() {
    let Some(team) = Team::new() else { return };
    let issuer = Issuer::start();
    let replica =
        team.replica_with(&["--words-only", "--oauth-issuer", &issuer.address, "--oauth-resource", RESOURCE]);
    let name = format!("ann@{}", issuer.address.trim_start_matches("http://"));
    let all = issuer.token(|claims| claims["scope"] = json!("read write approve admin"));
    let narrow = issuer.token(|claims| claims["scope"] = json!("read write"));
    let figures = |token: &str| replica.get("/metrics", &format!("Authorization: Bearer {token}\r\n")).status;
    assert_eq!(figures(&all), 403, "nothing was granted");
    assert!(team.hub(&["grant", &name, "--role", "admin", "--repo", "shop"]).status.success());
    assert_eq!(figures(&all), 403, "one repository is not the hub");
    assert!(team.hub(&["grant", &name, "--role", "admin", "--all-repos"]).status.success());
    assert_eq!((figures(&all), figures(&narrow)), (200, 403));
}
