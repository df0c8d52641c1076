//! A signed token (RFC 7515, 7519) as a resource server reads it: parsed strictly, verified by public keys only.
//!
//! There is no algorithm without a signature and none with a shared secret, so neither `none` nor a public key passed off
//! as a secret can be asked for.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;

/// Longer tokens are not looked at.
const LONGEST: usize = 16 * 1024;

/// How a token is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Ps256,
    Es256,
    EdDsa,
}

/// A token whose signature was not looked at yet.
#[derive(Debug)]
pub(super) struct Unverified<'t> {
    pub(super) algorithm: Algorithm,
    pub(super) key_id: Option<String>,
    signed: &'t [u8],
    signature: Vec<u8>,
    claims: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
}

/// What a token says, once it is believed.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: Option<String>,
    pub(super) sub: Option<String>,
    #[serde(default)]
    pub(super) aud: OneOrMany,
    pub(super) exp: Option<f64>,
    pub(super) nbf: Option<f64>,
    pub(super) iat: Option<f64>,
    #[serde(default)]
    pub(super) scope: OneOrMany,
    #[serde(default)]
    pub(super) scp: OneOrMany,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let (one, many) = match self {
            Self::None => (None, &[][..]),
            Self::One(one) => (Some(one.as_str()), &[][..]),
            Self::Many(many) => (None, many.as_slice()),
        };
        one.into_iter().chain(many.iter().map(String::as_str))
    }
}

/// A public key of an issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) id: Option<String>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// A point, uncompressed.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl<'t> Unverified<'t> {
    /// Whether a token looks like one of these at all; others may know it then.
    #[expect(clippy::naive_bytecount, reason = "a token is short")]
    pub(super) fn is_one(token: &[u8]) -> bool {
        token.starts_with(b"eyJ") && token.iter().filter(|byte| **byte == b'.').count() == 2
    }

    pub(super) fn parse(token: &'t [u8]) -> Result<Self, &'static str> {
        const MALFORMED: &str = "the token is malformed";
        if token.len() > LONGEST {
            return Err("the token is too long");
        }
        let mut dots = token.iter().enumerate().filter(|(_, byte)| **byte == b'.').map(|(at, _)| at);
        let (Some(first), Some(second), None) = (dots.next(), dots.next(), dots.next()) else {
            return Err(MALFORMED);
        };
        let decode = |part: &[u8]| URL_SAFE_NO_PAD.decode(part).map_err(|_| MALFORMED);
        let header: Header = serde_json::from_slice(&decode(&token[..first])?).map_err(|_| MALFORMED)?;
        if header.crit.is_some() {
            return Err("the token has extensions that are not known here");
        }
        let typ = header.typ.as_deref().unwrap_or("JWT").to_ascii_lowercase();
        if !matches!(typ.trim_start_matches("application/"), "jwt" | "at+jwt") {
            return Err("the token is not an access token");
        }
        let algorithm = match header.alg.as_str() {
            "RS256" => Algorithm::Rs256,
            "PS256" => Algorithm::Ps256,
            "ES256" => Algorithm::Es256,
            "EdDSA" | "Ed25519" => Algorithm::EdDsa,
            _ => return Err("the token is signed in a way that is not accepted here"),
        };
        Ok(Self {
            algorithm,
            key_id: header.kid,
            signed: &token[..second],
            signature: decode(&token[second + 1..])?,
            claims: decode(&token[first + 1..second])?,
        })
    }

    /// The claims, if one of these keys signed them.
    pub(super) fn verify<'k>(self, keys: impl Iterator<Item = &'k Key>) -> Result<Claims, &'static str> {
        let mut fitting = keys.filter(|key| self.key_id.is_none() || key.id == self.key_id);
        if !fitting.any(|key| key.verifies(self.algorithm, self.signed, &self.signature)) {
            return Err("the token was not signed by its issuer");
        }
        serde_json::from_slice(&self.claims).map_err(|_| "the token is malformed")
    }
}

impl Key {
    /// A key of a key set (RFC 7517); `None` when it is of a kind that is not used here.
    pub(super) fn parse(jwk: &Value) -> Option<Self> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        if text("use").is_some_and(|usage| usage != "sig") {
            return None;
        }
        let material = match (text("kty")?, text("crv")) {
            ("RSA", _) => {
                let n = bytes("n")?;
                // Below 2,048 bits a key can be broken.
                if n.len() < 256 {
                    return None;
                }
                Material::Rsa { n, e: bytes("e")? }
            }
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                Material::P256([&[4], &x[..], &y[..]].concat())
            }
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes("x")?),
            _ => return None,
        };
        Some(Self { id: text("kid").map(str::to_owned), material })
    }

    fn verifies(&self, algorithm: Algorithm, signed: &[u8], given: &[u8]) -> bool {
        let verified = match (&self.material, algorithm) {
            (Material::Rsa { n, e }, Algorithm::Rs256) => {
                RsaPublicKeyComponents { n, e }.verify(&signature::RSA_PKCS1_2048_8192_SHA256, signed, given)
            }
            (Material::Rsa { n, e }, Algorithm::Ps256) => {
                RsaPublicKeyComponents { n, e }.verify(&signature::RSA_PSS_2048_8192_SHA256, signed, given)
            }
            (Material::P256(point), Algorithm::Es256) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point).verify(signed, given)
            }
            (Material::Ed25519(key), Algorithm::EdDsa) => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(signed, given)
            }
            // A key is for its own algorithm.
            _ => return false,
        };
        verified.is_ok()
    }
}
