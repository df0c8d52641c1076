//! The file that holds the claims. One that cannot be read is told and never replaced: its numbers must not be given twice. One claim
//! among others that cannot be read takes nobody else's down.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Claims;

/// The highest number that may ever be given: readers of JSON count no further, and what is given next must be higher.
pub const HIGHEST: u64 = (1 << 53) - 1;

impl Claims {
    /// Reads the file, or says with a line what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, (usize, String)> {
        let claims: Self = match serde_json::from_slice(bytes) {
            Err(error) if error.is_data() => read_each(bytes),
            read => read,
        }
        .map_err(|error| (error.line().max(1), error.to_string()))?;
        if claims.last >= HIGHEST {
            return Err((1, format!("`last` says {}, and no higher number can be given", claims.last)));
        }
        let unread = claims.unread.values().filter_map(|row| row.get("token").and_then(Value::as_u64));
        match claims.claims.values().map(|claim| claim.token).chain(unread).max() {
            Some(highest) if highest > claims.last => {
                Err((1, format!("number {highest} was given, and `last` says {}", claims.last)))
            }
            _ => Ok(claims),
        }
    }

    pub fn render(&self) -> String {
        let mut text = if self.unread.is_empty() {
            serde_json::to_string(self).expect("claims are plain data")
        } else {
            self.with_unread().to_string()
        };
        text.push('\n');
        text
    }

    fn with_unread(&self) -> Value {
        let mut all = serde_json::to_value(self).expect("claims are plain data");
        if let Some(rows) = all["claims"].as_object_mut() {
            for (work, row) in &self.unread {
                rows.entry(work).or_insert_with(|| row.clone());
            }
        }
        all
    }
}

/// The claims one by one: those that can be read, and the others as they stand.
fn read_each(bytes: &[u8]) -> serde_json::Result<Claims> {
    #[derive(Deserialize)]
    struct Rows {
        last: u64,
        claims: BTreeMap<String, Value>,
    }
    let rows: Rows = serde_json::from_slice(bytes)?;
    let mut claims = Claims { last: rows.last, ..Claims::default() };
    for (work, row) in rows.claims {
        match serde_json::from_value(row.clone()) {
            Ok(claim) => {
                claims.claims.insert(work, claim);
            }
            Err(_) => {
                claims.unread.insert(work, row);
            }
        }
    }
    Ok(claims)
}
