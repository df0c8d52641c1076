//! `.hewto/proof/baseline.toml`: debt that is known by name.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Fault, parse, quoted};
use crate::proof::Ref;

/// What is known to be missing, so that only news is red.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// Promises without proof.
    pub uncovered: BTreeSet<Ref>,
    /// Tests that fail: check, suites and title, joined by `::`.
    pub failing: BTreeSet<String>,
    /// The seal of the machine on which a person let it grow.
    pub mac: Option<String>,
    /// A baseline with faults suppresses nothing.
    pub faults: Vec<Fault>,
}

impl Baseline {
    pub fn read(text: &str) -> Self {
        let mut baseline = Self::default();
        let document = match parse(text) {
            Ok(document) => document,
            Err(fault) => return Self { faults: vec![fault], ..Self::default() },
        };
        for (key, item) in document.iter() {
            if key == "mac"
                && let Some(mac) = item.as_str()
            {
                baseline.mac = Some(mac.to_owned());
                continue;
            }
            let Some(names) = item.as_array().filter(|_| matches!(key, "uncovered" | "failing")) else {
                let message = match key {
                    "uncovered" | "failing" => format!("`{key}` is not a list of names"),
                    _ => format!("`{}` is unknown here: `uncovered`, `failing`", key.escape_debug()),
                };
                baseline.faults.push(Fault::at(text, item.span(), message));
                continue;
            };
            for value in names {
                let Some(name) = value.as_str() else {
                    baseline.faults.push(Fault::at(text, value.span(), "a name is a string"));
                    continue;
                };
                if key == "failing" {
                    baseline.failing.insert(name.to_owned());
                    continue;
                }
                match Ref::parse(name) {
                    Ok(reference) => {
                        baseline.uncovered.insert(reference);
                    }
                    Err(error) => {
                        let message = format!("`{}` names no promise: {error}", name.escape_debug());
                        baseline.faults.push(Fault::at(text, value.span(), message));
                    }
                }
            }
        }
        if !baseline.faults.is_empty() {
            baseline.uncovered.clear();
            baseline.failing.clear();
        }
        baseline
    }

    pub fn is_empty(&self) -> bool {
        self.uncovered.is_empty() && self.failing.is_empty()
    }

    /// What this one has and the other has not.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        Self {
            uncovered: self.uncovered.difference(&other.uncovered).cloned().collect(),
            failing: self.failing.difference(&other.failing).cloned().collect(),
            ..Self::default()
        }
    }

    /// What both have.
    #[must_use]
    pub fn shared_with(&self, other: &Self) -> Self {
        Self {
            uncovered: self.uncovered.intersection(&other.uncovered).cloned().collect(),
            failing: self.failing.intersection(&other.failing).cloned().collect(),
            ..Self::default()
        }
    }

    /// What a seal is made over: the names, however the file is laid out.
    pub fn signed(&self) -> Vec<u8> {
        Self { mac: None, ..self.clone() }.write().into_bytes()
    }

    pub fn write(&self) -> String {
        let mut out = String::from(
            "# Known debt, by name. It only shrinks: `hewto proof baseline --tighten` drops what was paid.\n",
        );
        let names: Vec<String> = self.uncovered.iter().map(ToString::to_string).collect();
        list(&mut out, "uncovered", names.iter().map(String::as_str));
        list(&mut out, "failing", self.failing.iter().map(String::as_str));
        if let Some(mac) = &self.mac {
            let _ = writeln!(out, "mac = {}", quoted(mac));
        }
        out
    }
}

fn list<'n>(out: &mut String, key: &str, names: impl Iterator<Item = &'n str>) {
    let _ = writeln!(out, "{key} = [");
    for name in names {
        let _ = writeln!(out, "  {},", quoted(name));
    }
    out.push_str("]\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_broken_baseline_suppresses_nothing() {
        for text in [
            "uncovered = [\"a#b\", \"no\"]",
            "uncovered = [\"a#b\"",
            "uncovered = [\"a#b\"]\nmore = 1",
            "uncovered = [1]",
        ] {
            let baseline = Baseline::read(text);
            assert!(baseline.is_empty() && baseline.faults.len() == 1, "{text}: {baseline:?}");
        }
    }

    #[test]
    fn it_tells_what_has_grown() {
        let old = Baseline::read("uncovered = [\"a#b\"]");
        let new = Baseline::read("uncovered = [\"a#b\", \"a#c\"]\nfailing = [\"unit::x\"]");
        assert_eq!(new.beyond(&old), Baseline::read("uncovered = [\"a#c\"]\nfailing = [\"unit::x\"]"));
        assert!(old.beyond(&new).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(failing in prop::collection::btree_set("[^\u{0}]{1,12}", 0..4), mac in prop::option::of("[a-f0-9]{4}")) {
            let baseline = Baseline { uncovered: [Ref::parse("a#b/c").unwrap()].into(), failing, mac, faults: Vec::new() };
            prop_assert_eq!(Baseline::read(&baseline.write()), baseline);
        }
    }
}
