//! An issuer in memory, and every way in which a token can be wrong.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents as RsaPublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256,
    RsaEncoding, RsaKeyPair,
};

use super::*;

const ISSUER: &str = "https://id.example";
const RESOURCE: &str = "https://hewto.example/mcp";
const NOW: f64 = 1_790_000_000.0;

enum Signer {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
}

impl Signer {
    fn ed() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
    }

    fn ec() -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap())
    }

    fn rsa(encoding: &'static dyn RsaEncoding) -> Self {
        let text: String = hewto_testkit::RSA_KEY.split_whitespace().collect();
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
        Self::Rsa(RsaKeyPair::from_pkcs8(&bytes).unwrap(), encoding)
    }

    fn jwk(&self, id: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Ed(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": text(pair.public_key().as_ref()) })
            }
            Self::Ec(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (text(&point[1..33]), text(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": x, "y": y, "use": "sig" })
            }
            Self::Rsa(pair, _) => {
                let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "kid": id, "n": text(&public.n), "e": text(&public.e), "alg": "RS256" })
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]
    fn sign(&self, header: Value, claims: &Value) -> String {
        let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", text(&header), text(claims));
        let signature = match self {
            Self::Ed(pair) => pair.sign(signed.as_bytes()).as_ref().to_vec(),
            Self::Ec(pair) => pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec(),
            Self::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(*encoding, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
                signature
            }
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

struct Issuer {
    keys: Arc<Mutex<Value>>,
    fetches: Arc<AtomicUsize>,
    oauth: OAuth,
}

fn issuer(keys: &[Value]) -> Issuer {
    let keys = Arc::new(Mutex::new(json!({ "keys": keys })));
    let fetches = Arc::new(AtomicUsize::new(0));
    let (held, counted) = (Arc::clone(&keys), Arc::clone(&fetches));
    let fetch: Fetch = Arc::new(move |url| match url {
        "https://id.example/.well-known/oauth-authorization-server" => {
            Ok(json!({ "issuer": ISSUER, "jwks_uri": "https://id.example/keys" }).to_string())
        }
        "https://id.example/keys" => {
            counted.fetch_add(1, Ordering::Relaxed);
            let keys = held.lock().unwrap();
            if keys.is_null() { Err("gone".to_owned()) } else { Ok(keys.to_string()) }
        }
        other => Err(format!("nothing at {other}")),
    });
    let options = OAuthOptions { issuer: ISSUER.into(), resource: RESOURCE.into(), key_set: None, fetch };
    let oauth = OAuth { clock: || NOW, ..OAuth::new(options).unwrap() };
    Issuer { keys, fetches, oauth }
}

fn claims() -> Value {
    json!({ "iss": ISSUER, "sub": "ann", "aud": RESOURCE, "exp": NOW + 300.0, "iat": NOW, "scope": "openid read write" })
}

fn header(alg: &str, id: &str) -> Value {
    json!({ "alg": alg, "kid": id, "typ": "at+jwt" })
}

async fn identify(oauth: &OAuth, token: &str) -> Result<Arc<Principal>, TokenFault> {
    oauth.identify(token.as_bytes()).await
}

#[tokio::test]
async fn a_token_for_this_server_leads_to_its_principal_with_its_scopes() {
    let (ed, ec) = (Signer::ed(), Signer::ec());
    let Issuer { oauth, fetches, .. } =
        issuer(&[ed.jwk("a"), ec.jwk("b"), json!({ "kty": "oct", "k": "AA" })]);
    for token in [ed.sign(header("EdDSA", "a"), &claims()), ec.sign(header("ES256", "b"), &claims())] {
        let principal = identify(&oauth, &token).await.unwrap();
        assert_eq!(principal.name, "ann@id.example");
        assert!(principal.may(Scope::Read) && principal.may(Scope::Write) && !principal.may(Scope::Admin));
    }
    let mut many = claims();
    many["aud"] = json!(["https://other.example", "https://hewto.example/mcp/"]);
    many["scope"] = Value::Null;
    many["scp"] = json!(["admin"]);
    assert!(identify(&oauth, &ed.sign(header("EdDSA", "a"), &many)).await.unwrap().may(Scope::Admin));
    many["scp"] = json!("openid read approve");
    let told = identify(&oauth, &ed.sign(header("EdDSA", "a"), &many)).await.unwrap();
    assert!(
        told.may(Scope::Read) && told.may(Scope::Approve) && !told.may(Scope::Write),
        "scopes in one text"
    );
    assert_eq!(fetches.load(Ordering::Relaxed), 1, "keys are kept");
    assert_eq!(identify(&oauth, "f3a91c07de5b48826d10e94ab7c35f68").await, Err(TokenFault::Unknown));
}

#[tokio::test]
async fn rsa_signs_in_both_ways_and_its_public_key_is_no_secret_to_sign_with() {
    let (plain, pss) = (Signer::rsa(&RSA_PKCS1_SHA256), Signer::rsa(&RSA_PSS_SHA256));
    let Issuer { oauth, .. } = issuer(&[plain.jwk("r")]);
    for token in [plain.sign(header("RS256", "r"), &claims()), pss.sign(header("PS256", "r"), &claims())] {
        assert_eq!(identify(&oauth, &token).await.unwrap().name, "ann@id.example");
    }
    let other = Signer::ed();
    for wrong in [
        plain.sign(header("PS256", "r"), &claims()),
        pss.sign(header("RS256", "r"), &claims()),
        plain.sign(header("HS256", "r"), &claims()),
        other.sign(header("RS256", "r"), &claims()),
    ] {
        assert!(matches!(identify(&oauth, &wrong).await, Err(TokenFault::Invalid(_))));
    }
    let mut changed = plain.sign(header("RS256", "r"), &claims());
    let last = if changed.ends_with('A') { "B" } else { "A" };
    changed.replace_range(changed.len() - 3..changed.len() - 2, last);
    assert!(identify(&oauth, &changed).await.is_err());
}

#[tokio::test]
async fn whatever_is_wrong_with_a_token_it_is_refused_and_says_why() {
    let (ours, theirs) = (Signer::ed(), Signer::ed());
    let Issuer { oauth, .. } = issuer(&[ours.jwk("a")]);
    let with = |name: &str, value: Value| {
        let mut claims = claims();
        claims[name] = value;
        ours.sign(header("EdDSA", "a"), &claims)
    };
    let good = ours.sign(header("EdDSA", "a"), &claims());
    let (head, tail) = good.split_once('.').unwrap();
    let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
    let cases = [
        (format!("{none}.{}.", tail.split_once('.').unwrap().0), "signed in a way"),
        (ours.sign(header("HS256", "a"), &claims()), "signed in a way"),
        (ours.sign(header("ES256", "a"), &claims()), "not signed by its issuer"),
        (theirs.sign(header("EdDSA", "a"), &claims()), "not signed by its issuer"),
        (ours.sign(header("EdDSA", "zz"), &claims()), "not signed by its issuer"),
        (ours.sign(json!({ "alg": "EdDSA", "kid": "a", "crit": ["x"] }), &claims()), "extensions"),
        (
            ours.sign(json!({ "alg": "EdDSA", "kid": "a", "typ": "dpop+jwt" }), &claims()),
            "not an access token",
        ),
        (
            format!("{head}.{}x.{}", tail.split_once('.').unwrap().0, tail.split_once('.').unwrap().1),
            "not signed by its issuer",
        ),
        (format!("eyJ{}..", "A".repeat(20_000)), "too long"),
        ("eyJhbGciOiJFZERTQSJ9.!.!".to_owned(), "malformed"),
        (with("iss", json!("https://evil.example")), "another issuer"),
        (with("aud", json!("https://hewto.example/other")), "another server"),
        (with("aud", Value::Null), "another server"),
        (with("exp", json!(NOW - 61.0)), "has expired"),
        (with("exp", json!(NOW - 3_600.0)), "has expired"),
        (with("exp", Value::Null), "never expires"),
        (with("nbf", json!(NOW + 3_600.0)), "not valid yet"),
        (with("iat", json!(NOW + 3_600.0)), "not valid yet"),
        (with("sub", Value::Null), "whose it is"),
        (with("sub", json!("a\nb")), "whose it is"),
        (with("sub", json!("an\u{200b}n")), "characters that nobody sees"),
        (with("sub", json!("an\u{202e}n")), "characters that nobody sees"),
        (with("sub", json!("an\u{7}n")), "characters that nobody sees"),
    ];
    for (token, why) in cases {
        match identify(&oauth, &token).await {
            Err(TokenFault::Invalid(said)) => assert!(said.contains(why), "{why}: {said}"),
            other => panic!("{why}: {other:?}"),
        }
    }
    assert!(identify(&oauth, &with("exp", json!(NOW - 59.0))).await.is_ok(), "clocks may differ by a minute");
}

#[tokio::test]
async fn a_rotated_key_is_fetched_and_made_up_ones_lead_to_no_flood() {
    let (old, new) = (Signer::ed(), Signer::ed());
    let Issuer { oauth, keys, fetches } = issuer(&[old.jwk("old")]);
    assert!(identify(&oauth, &old.sign(header("EdDSA", "old"), &claims())).await.is_ok());
    for at in 0..100 {
        let made_up = new.sign(header("EdDSA", &format!("made-up-{at}")), &claims());
        assert!(identify(&oauth, &made_up).await.is_err());
    }
    assert_eq!(fetches.load(Ordering::Relaxed), 2, "one look for a new key, and not again so soon");
    *keys.lock().unwrap() = json!({ "keys": [new.jwk("new")] });
    oauth.keys.forget_the_last_try();
    assert!(identify(&oauth, &new.sign(header("EdDSA", "new"), &claims())).await.is_ok());
    assert!(identify(&oauth, &old.sign(header("EdDSA", "old"), &claims())).await.is_err(), "it is gone");
    assert_eq!(fetches.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_key_that_is_rotated_right_after_the_first_fetch_is_found_at_once() {
    let (old, new) = (Signer::ed(), Signer::ed());
    let Issuer { oauth, keys, fetches } = issuer(&[old.jwk("old")]);
    assert!(identify(&oauth, &old.sign(header("EdDSA", "old"), &claims())).await.is_ok());
    *keys.lock().unwrap() = json!({ "keys": [new.jwk("new")] });
    assert!(identify(&oauth, &new.sign(header("EdDSA", "new"), &claims())).await.is_ok());
    assert!(identify(&oauth, &old.sign(header("EdDSA", "old"), &claims())).await.is_err(), "it is gone");
    assert_eq!(fetches.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn an_issuer_that_cannot_be_reached_lets_nobody_in_and_is_not_asked_each_time() {
    let signer = Signer::ed();
    let Issuer { oauth, keys, fetches } = issuer(&[]);
    *keys.lock().unwrap() = Value::Null;
    let token = signer.sign(header("EdDSA", "a"), &claims());
    for _ in 0..10 {
        assert_eq!(identify(&oauth, &token).await, Err(TokenFault::Unavailable));
    }
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
}

#[test]
fn the_metadata_says_where_tokens_come_from_at_the_address_of_the_standard() {
    let Issuer { oauth, .. } = issuer(&[]);
    let (address, metadata) = Authenticator::metadata(&oauth).unwrap();
    assert_eq!(address, "https://hewto.example/.well-known/oauth-protected-resource/mcp");
    assert_eq!(metadata["resource"], RESOURCE);
    assert_eq!(metadata["authorization_servers"], json!([ISSUER]));
    for (issuer, is_safe_one) in [
        ("https://id.example", true),
        ("http://127.0.0.1:9000/realm", true),
        ("http://id.example", false),
        ("https://id.example?x", false),
        ("id.example", false),
        ("https://", false),
    ] {
        assert_eq!(is_safe(issuer), is_safe_one, "{issuer}");
    }
}
