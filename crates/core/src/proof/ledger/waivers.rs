//! `.hewto/proof/waivers.toml`: what a person lets pass, until a day.

use std::fmt::Write;

use super::{Fault, quoted, tables, word};
use crate::proof::Ref;

/// All waivers, as they stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waivers {
    pub entries: Vec<WaiverEntry>,
    pub faults: Vec<Fault>,
}

/// One `[[waiver]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaiverEntry {
    pub reference: Ref,
    pub reason: String,
    /// The last day, `2026-12-31`.
    pub until: String,
    pub by: String,
    pub channel: String,
    pub at: String,
    /// Who made it can show that it is theirs: made with the key of that machine.
    pub mac: String,
}

impl Waivers {
    pub fn read(text: &str) -> Self {
        let mut waivers = Self::default();
        let tables = match tables(text, "waiver") {
            Ok(tables) => tables,
            Err(fault) => return Self { faults: vec![fault], ..Self::default() },
        };
        for table in tables {
            match entry(&table) {
                Ok(entry) => waivers.entries.push(entry),
                Err(message) => waivers.faults.push(Fault::at(text, table.span(), message)),
            }
        }
        waivers
    }

    pub fn write(&self) -> String {
        let mut out =
            String::from("# What people let pass, and until when. Written by `hewto proof waive`.\n");
        for entry in &self.entries {
            let _ = writeln!(out, "\n[[waiver]]\nref = {}", quoted(&entry.reference.to_string()));
            for (key, value) in [
                ("reason", &entry.reason),
                ("until", &entry.until),
                ("by", &entry.by),
                ("channel", &entry.channel),
                ("at", &entry.at),
                ("mac", &entry.mac),
            ] {
                let _ = writeln!(out, "{key} = {}", quoted(value));
            }
        }
        out
    }
}

impl WaiverEntry {
    /// What the mac is made over.
    pub fn signed(&self) -> Vec<u8> {
        let reference = self.reference.to_string();
        let parts = ["waiver", &reference, &self.reason, &self.until, &self.by, &self.channel, &self.at];
        parts.join("\u{0}").into_bytes()
    }
}

fn entry(table: &toml_edit::Table) -> Result<WaiverEntry, String> {
    let text = |key: &str| word(table, key).unwrap_or_default().to_owned();
    let name = word(table, "ref").ok_or("a waiver needs a `ref`")?;
    let reference = Ref::parse(name).map_err(|error| format!("`{name}` names no promise: {error}"))?;
    let until = text("until");
    if until.parse::<jiff::civil::Date>().is_err() {
        return Err(format!("`until` is not a date such as 2026-12-31: `{until}`"));
    }
    if text("reason").trim().is_empty() {
        return Err("a waiver needs a `reason`".to_owned());
    }
    Ok(WaiverEntry {
        reference,
        until,
        reason: text("reason"),
        by: text("by"),
        channel: text("channel"),
        at: text("at"),
        mac: text("mac"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_has_a_reason_and_an_end() {
        let good = "[[waiver]]\nref = \"a#b\"\nreason = \"later\"\nuntil = \"2026-12-31\"\n";
        assert_eq!(Waivers::read(good).entries.len(), 1);
        for bad in [
            good.replace("2026-12-31", "never"),
            good.replace("later", " "),
            good.replace("a#b", "a"),
            good.replace("[[waiver]]", "[waiver]"),
        ] {
            let read = Waivers::read(&bad);
            assert!(read.entries.is_empty() && read.faults.len() == 1, "{bad}");
        }
        let read = Waivers::read(good);
        assert_eq!(Waivers::read(&read.write()), read);
    }
}
