//! One armoured signature, as `ssh-keygen -Y sign` and `git commit -S` write it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, SHA512, digest};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA512, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

use super::blob::{Reader, put};

const MAGIC: &[u8] = b"SSHSIG";
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// The kinds of keys that are read.
const KINDS: [&str; 6] = [
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ssh-rsa",
];
/// The bit that an authenticator sets when somebody touched it.
const USER_PRESENT: u8 = 0x01;

/// A signature, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSignature {
    /// The public key in SSH's own form; whether it is anybody's is for the list of signers to say.
    pub key: Vec<u8>,
    pub namespace: String,
    hash: String,
    pub(super) signature: Vec<u8>,
}

/// Whether somebody was there when a key signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The key lies on a disk or in an agent, and signs by itself.
    Unknown,
    /// A hardware key that says it was not touched.
    Absent,
    /// A hardware key that was touched.
    Touched,
}

impl SshSignature {
    pub fn parse(armoured: &str) -> Option<Self> {
        let inside = armoured.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
        let packed: String = inside.split_whitespace().collect();
        let bytes = STANDARD.decode(packed).ok()?;
        let mut reader = Reader(&bytes);
        if reader.take(MAGIC.len())? != MAGIC || reader.number()? != 1 {
            return None;
        }
        let key = reader.bytes()?.to_vec();
        let namespace = reader.text()?.to_owned();
        let _reserved = reader.bytes()?;
        let hash = reader.text()?.to_owned();
        let signature = reader.bytes()?.to_vec();
        reader.is_done().then_some(Self { key, namespace, hash, signature })
    }

    /// The kind of key, as SSH calls it.
    pub fn kind(&self) -> Option<&str> {
        Reader(&self.key).text()
    }

    /// Whether signatures of this kind of key can be checked here.
    pub fn is_known_kind(&self) -> bool {
        self.kind().is_some_and(|kind| KINDS.contains(&kind))
    }

    /// Whether the key signed this message for this purpose; says then whether somebody was there.
    pub fn verify(&self, namespace: &str, message: &[u8]) -> Option<Presence> {
        if self.namespace != namespace {
            return None;
        }
        let signed = signed_bytes(namespace, &self.hash, message)?;
        let mut key = Reader(&self.key);
        let mut signature = Reader(&self.signature);
        let kind = key.text()?;
        let form = signature.text()?;
        let value = signature.bytes()?;
        match kind {
            "ssh-ed25519" if form == kind => {
                check(&ED25519, key.bytes()?, &signed, value)?;
                done(key, signature).then_some(Presence::Unknown)
            }
            "sk-ssh-ed25519@openssh.com" if form == kind => {
                let (point, application) = (key.bytes()?, key.bytes()?);
                let (touched, told) = by_authenticator(application, &signed, &mut signature)?;
                check(&ED25519, point, &touched, value)?;
                done(key, signature).then_some(told)
            }
            "sk-ecdsa-sha2-nistp256@openssh.com" if form == kind => {
                let (_curve, point, application) = (key.bytes()?, key.bytes()?, key.bytes()?);
                let (touched, told) = by_authenticator(application, &signed, &mut signature)?;
                check(&ECDSA_P256_SHA256_FIXED, point, &touched, &fixed(value, 32)?)?;
                done(key, signature).then_some(told)
            }
            "ecdsa-sha2-nistp256" if form == kind => {
                let (_curve, point) = (key.bytes()?, key.bytes()?);
                check(&ECDSA_P256_SHA256_FIXED, point, &signed, &fixed(value, 32)?)?;
                done(key, signature).then_some(Presence::Unknown)
            }
            "ecdsa-sha2-nistp384" if form == kind => {
                let (_curve, point) = (key.bytes()?, key.bytes()?);
                check(&ECDSA_P384_SHA384_FIXED, point, &signed, &fixed(value, 48)?)?;
                done(key, signature).then_some(Presence::Unknown)
            }
            "ssh-rsa" => {
                let (e, n) = (key.big()?, key.big()?);
                let how = match form {
                    "rsa-sha2-512" => &RSA_PKCS1_2048_8192_SHA512,
                    "rsa-sha2-256" => &RSA_PKCS1_2048_8192_SHA256,
                    _ => return None,
                };
                RsaPublicKeyComponents { n, e }.verify(how, &signed, value).ok()?;
                done(key, signature).then_some(Presence::Unknown)
            }
            _ => None,
        }
    }
}

/// What a key really signs: the purpose and the hash of the message.
pub(crate) fn signed_bytes(namespace: &str, hash: &str, message: &[u8]) -> Option<Vec<u8>> {
    let hashed = match hash {
        "sha512" => digest(&SHA512, message),
        "sha256" => digest(&SHA256, message),
        _ => return None,
    };
    let mut out = MAGIC.to_vec();
    for part in [namespace.as_bytes(), b"", hash.as_bytes(), hashed.as_ref()] {
        put(&mut out, part);
    }
    Some(out)
}

/// What an authenticator signs, and what it says about the person before it.
fn by_authenticator(
    application: &[u8],
    signed: &[u8],
    signature: &mut Reader<'_>,
) -> Option<(Vec<u8>, Presence)> {
    let flags = signature.byte()?;
    let counter = signature.number()?;
    let mut out = digest(&SHA256, application).as_ref().to_vec();
    out.push(flags);
    out.extend(counter.to_be_bytes());
    out.extend(digest(&SHA256, signed).as_ref());
    let told = if flags & USER_PRESENT == 0 { Presence::Absent } else { Presence::Touched };
    Some((out, told))
}

fn check(how: &'static dyn VerificationAlgorithm, key: &[u8], message: &[u8], value: &[u8]) -> Option<()> {
    UnparsedPublicKey::new(how, key).verify(message, value).ok()
}

/// Two numbers, each as long as the curve has bytes.
fn fixed(value: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut reader = Reader(value);
    let mut out = Vec::with_capacity(2 * length);
    for _ in 0..2 {
        let number = reader.big()?;
        out.extend(std::iter::repeat_n(0, length.checked_sub(number.len())?));
        out.extend(number);
    }
    reader.is_done().then_some(out)
}

fn done(key: Reader<'_>, signature: Reader<'_>) -> bool {
    key.is_done() && signature.is_done()
}
