//! The file that holds the claims. One that cannot be read is told and never replaced: its numbers must not be given twice.

use super::Claims;

/// The highest number that may ever be given: readers of JSON count no further, and what is given next must be higher.
pub const HIGHEST: u64 = (1 << 53) - 1;

impl Claims {
    /// Reads the file, or says with a line what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, (usize, String)> {
        let claims: Self =
            serde_json::from_slice(bytes).map_err(|error| (error.line().max(1), error.to_string()))?;
        if claims.last >= HIGHEST {
            return Err((1, format!("`last` says {}, and no higher number can be given", claims.last)));
        }
        match claims.claims.values().map(|claim| claim.token).max() {
            Some(highest) if highest > claims.last => {
                Err((1, format!("number {highest} was given, and `last` says {}", claims.last)))
            }
            _ => Ok(claims),
        }
    }

    pub fn render(&self) -> String {
        let mut text = serde_json::to_string(self).expect("claims are plain data");
        text.push('\n');
        text
    }
}
