//! The comments that open a document: `<!-- UID: … -->`, one a line, before anything else.
//!
//! Comments further down belong to somebody's text and mean nothing here.

use super::Malformed;
use crate::decision::uid::Uid;

pub(super) struct Head<'t> {
    entries: Vec<(&'t str, &'t str, usize)>,
}

impl<'t> Head<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut entries = Vec::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let inside = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
            let Some((key, value)) = inside.and_then(|inside| inside.split_once(':')) else { break };
            entries.push((key.trim(), value.trim(), index + 1));
        }
        Self { entries }
    }

    pub(super) fn get(&self, key: &str) -> Option<(&'t str, usize)> {
        let entry = self.entries.iter().find(|(known, _, _)| known.eq_ignore_ascii_case(key));
        entry.map(|(_, value, line)| (*value, *line))
    }

    /// The UID behind a key; `None` when it is absent or says `None`.
    pub(super) fn uid(&self, key: &str) -> Result<Option<Uid>, Malformed> {
        match self.get(key) {
            None | Some(("" | "None", _)) => Ok(None),
            Some((text, line)) => {
                Uid::parse(text).map(Some).map_err(|error| Malformed::new(line, error.to_string()))
            }
        }
    }

    /// The document's own UID, which has to be there.
    pub(super) fn own_uid(&self) -> Result<Uid, Malformed> {
        self.uid("UID")?.ok_or_else(|| Malformed::new(1, "there is no `<!-- UID: … -->` at the top"))
    }
}

pub(super) fn comment(key: &str, value: &str) -> String {
    format!("<!-- {key}: {value} -->\n")
}
