//! The SHA-256 of a meaning, as records carry it and people compare it.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// How many characters of a digest a form asks for.
const CODE_CHARS: usize = 4;
/// How many characters name a version to people.
const SHORT_CHARS: usize = 12;

/// A SHA-256; shown as 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

/// The text is no SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a SHA-256 in lower-case hex")]
pub struct NoDigest;

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The characters that a form asks for.
    pub fn code(&self) -> String {
        self.to_string()[..CODE_CHARS].to_owned()
    }

    /// Enough of it to tell versions apart.
    pub fn short(&self) -> String {
        self.to_string()[..SHORT_CHARS].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NoDigest;
    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.bytes().all(is_digit) {
            return Err(NoDigest);
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).map_err(|_| NoDigest)?;
        }
        Ok(Self(bytes))
    }
}
