//! The key itself, and what it seals.

use std::fmt;
use std::sync::OnceLock;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;

const KEY_BYTES: usize = 32;

/// The key of this machine. It never shows itself.
#[derive(Clone)]
pub struct MachineKey([u8; KEY_BYTES]);

/// The seal of some bytes under the machine's key, shown as 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seal([u8; 32]);

impl MachineKey {
    /// A key that lives as long as this process, for tests and for machines without a place of their own.
    pub(super) fn of_process() -> Self {
        static KEY: OnceLock<MachineKey> = OnceLock::new();
        KEY.get_or_init(Self::random).clone()
    }

    pub(super) fn random() -> Self {
        let mut bytes = [0; KEY_BYTES];
        for half in bytes.chunks_mut(16) {
            // Two ids of 122 random bits each; hashed, so that their fixed bits do not show.
            half.copy_from_slice(Uuid::new_v4().as_bytes());
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(Uuid::new_v4().as_bytes()).expect("any length will do");
        mac.update(&bytes);
        Self(mac.finalize().into_bytes().into())
    }

    /// The key as its file has it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Seal::parse(text).map(|Seal(bytes)| Self(bytes))
    }

    /// What its file has of it; for no other place.
    pub(super) fn to_hex(&self) -> String {
        Seal(self.0).to_string()
    }

    /// Seals some parts for a purpose. The same parts for another purpose, or cut elsewhere, give another seal.
    pub fn seal(&self, purpose: &str, parts: &[&[u8]]) -> Seal {
        Seal(self.mac(purpose, parts).finalize().into_bytes().into())
    }

    /// Whether this key made the seal, compared in constant time.
    pub fn is_sealed(&self, purpose: &str, parts: &[&[u8]], seal: &Seal) -> bool {
        self.mac(purpose, parts).verify_slice(&seal.0).is_ok()
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any length will do");
        for part in [purpose.as_bytes()].into_iter().chain(parts.iter().copied()) {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

impl fmt::Debug for MachineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MachineKey")
    }
}

impl Seal {
    pub fn parse(text: &str) -> Option<Self> {
        let hash: crate::hash::ContentHash = text.parse().ok()?;
        Some(Self(hash.bytes()))
    }
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seal({self})")
    }
}
