//! `.hewto/proof/accepted/<capability>/<requirement>.toml`: drift that a person has looked at.

use std::fmt::Write;

use super::{Fault, quoted, tables, word};
use crate::proof::{LinkHashes, Ref};

/// One acceptance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedFile {
    pub reference: Ref,
    pub hashes: LinkHashes,
    pub reason: String,
    pub commit: String,
    pub by: String,
    pub channel: String,
    pub at: String,
    pub mac: String,
}

impl AcceptedFile {
    pub fn read(text: &str) -> (Vec<Self>, Vec<Fault>) {
        let mut entries = Vec::new();
        let mut faults = Vec::new();
        let tables = match tables(text, "accepted") {
            Ok(tables) => tables,
            Err(fault) => return (entries, vec![fault]),
        };
        for table in tables {
            let value = |key: &str| word(&table, key).unwrap_or_default().to_owned();
            match Ref::parse(&value("ref")) {
                Ok(reference) => entries.push(Self {
                    reference,
                    hashes: LinkHashes {
                        text: value("text"),
                        requirement: value("requirement"),
                        code: value("code"),
                        test: value("test"),
                    },
                    reason: value("reason"),
                    commit: value("commit"),
                    by: value("by"),
                    channel: value("channel"),
                    at: value("at"),
                    mac: value("mac"),
                }),
                Err(error) => {
                    faults.push(Fault::at(text, table.span(), format!("`ref` names no promise: {error}")));
                }
            }
        }
        (entries, faults)
    }

    pub fn write(entries: &[Self]) -> String {
        let mut out = String::from("# Drift that a person has accepted. Written by `hewto drift accept`.\n");
        for entry in entries {
            let _ = writeln!(out, "\n[[accepted]]\nref = {}", quoted(&entry.reference.to_string()));
            for (key, value) in entry.values() {
                let _ = writeln!(out, "{key} = {}", quoted(value));
            }
            let _ = writeln!(out, "mac = {}", quoted(&entry.mac));
        }
        out
    }

    /// What the mac is made over.
    pub fn signed(&self) -> Vec<u8> {
        let reference = self.reference.to_string();
        let values = self.values().map(|(_, value)| value.as_str());
        let parts: Vec<&str> = ["accepted", &reference].into_iter().chain(values).collect();
        parts.join("\u{0}").into_bytes()
    }

    /// Those of earlier versions have no hash of the requirement, and their mac is over the others.
    fn values(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let requirement = Some(("requirement", &self.hashes.requirement));
        let values = [
            ("text", &self.hashes.text),
            ("code", &self.hashes.code),
            ("test", &self.hashes.test),
            ("reason", &self.reason),
            ("commit", &self.commit),
            ("by", &self.by),
            ("channel", &self.channel),
            ("at", &self.at),
        ];
        values.into_iter().chain(requirement.filter(|(_, hash)| !hash.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let entry = AcceptedFile {
            reference: Ref::parse("a#b/c").unwrap(),
            hashes: LinkHashes {
                text: "1".to_owned(),
                requirement: "3".to_owned(),
                code: String::new(),
                test: "2".to_owned(),
            },
            reason: "only a \"typo\"\nin it".to_owned(),
            commit: "abc".to_owned(),
            by: "Ann".to_owned(),
            channel: "terminal".to_owned(),
            at: "2026-01-01T00:00:00Z".to_owned(),
            mac: "ff".to_owned(),
        };
        let earlier = AcceptedFile {
            hashes: LinkHashes { requirement: String::new(), ..entry.hashes.clone() },
            ..entry.clone()
        };
        assert_ne!(earlier.signed(), entry.signed());
        let entries = vec![entry, earlier];
        assert_eq!(AcceptedFile::write(&entries).matches("requirement =").count(), 1);
        assert_eq!(AcceptedFile::read(&AcceptedFile::write(&entries)), (entries, Vec::new()));
        assert_eq!(AcceptedFile::read("[[accepted]]\nref = \"a\"\n").1.len(), 1);
    }
}
