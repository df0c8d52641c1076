//! `.hewto/proof/aliases.toml`: what promises were called before; written when a change is archived.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Fault, quoted, tables, word};
use crate::proof::Ref;

/// How many renames are followed.
const MAX_STEPS: usize = 100;

/// All renames, by the old name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aliases {
    entries: BTreeMap<Ref, Alias>,
    pub faults: Vec<Fault>,
}

/// What a promise is called now, and which change renamed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    pub to: Ref,
    pub change: String,
    /// The seal of the machine that archived the change.
    pub mac: Option<String>,
}

impl Alias {
    /// What the seal is over.
    pub fn signed(&self, from: &Ref) -> Vec<u8> {
        format!("{from}\n{}\n{}", self.to, self.change).into_bytes()
    }
}

impl Aliases {
    pub fn read(text: &str) -> Self {
        let mut aliases = Self::default();
        let tables = match tables(text, "renamed") {
            Ok(tables) => tables,
            Err(fault) => return Self { faults: vec![fault], ..Self::default() },
        };
        for table in tables {
            let reference = |key| word(&table, key).and_then(|name| Ref::parse(name).ok());
            match (reference("from"), reference("to")) {
                (Some(from), Some(to)) => {
                    let change = word(&table, "change").unwrap_or_default().to_owned();
                    let mac = word(&table, "mac").map(str::to_owned);
                    aliases.entries.insert(from, Alias { to, change, mac });
                }
                _ => aliases.faults.push(Fault::at(
                    text,
                    table.span(),
                    "a rename needs `from` and `to`, both references",
                )),
            }
        }
        aliases
    }

    /// Notes a rename. What went by the new name before has its name again.
    pub fn add(&mut self, from: Ref, to: Ref, change: &str, seal: impl FnOnce(&[u8]) -> Option<String>) {
        if from == to {
            return;
        }
        self.entries.remove(&to);
        let mut alias = Alias { to, change: change.to_owned(), mac: None };
        alias.mac = seal(&alias.signed(&from));
        self.entries.insert(from, alias);
    }

    /// Those that somebody vouches for.
    #[must_use]
    pub fn that(&self, is_vouched: impl Fn(&Ref, &Alias) -> bool) -> Self {
        let vouched = self.entries.iter().filter(|(from, alias)| is_vouched(from, alias));
        let entries = vouched.map(|(from, alias)| (from.clone(), alias.clone())).collect();
        Self { entries, faults: Vec::new() }
    }

    /// Whether this very rename is among them, whoever sealed it.
    pub fn has(&self, from: &Ref, alias: &Alias) -> bool {
        self.entries.get(from).is_some_and(|own| own.to == alias.to)
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Today's name of a promise that was renamed: itself, or its requirement with the same scenario.
    pub fn resolve(&self, reference: &Ref) -> Option<Ref> {
        let mut current = reference.clone();
        for _ in 0..MAX_STEPS {
            let whole = current.whole_requirement();
            let next = match (self.entries.get(&current), self.entries.get(&whole)) {
                (Some(alias), _) => alias.to.clone(),
                (None, Some(alias)) => {
                    Ref::new(alias.to.capability(), alias.to.requirement(), current.scenario())
                }
                (None, None) => break,
            };
            if next == *reference {
                return None;
            }
            current = next;
        }
        (current != *reference).then_some(current)
    }

    pub fn write(&self) -> String {
        let mut out = String::from(
            "# What promises were called before. Written when a change is archived; old tags stay valid.\n",
        );
        for (from, alias) in &self.entries {
            let _ = write!(
                out,
                "\n[[renamed]]\nfrom = {}\nto = {}\nchange = {}\n",
                quoted(&from.to_string()),
                quoted(&alias.to.to_string()),
                quoted(&alias.change)
            );
            if let Some(mac) = &alias.mac {
                let _ = writeln!(out, "mac = {}", quoted(mac));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Ref {
        Ref::parse(text).unwrap()
    }

    #[test]
    fn renames_are_followed_to_their_end_and_written_back() {
        let mut aliases = Aliases::default();
        aliases.add(name("a#old"), name("a#mid"), "one", |_| None);
        aliases.add(name("a#mid"), name("a#new"), "two", |_| Some("5ea1".to_owned()));
        aliases.add(name("a#x/then"), name("a#x/now"), "two", |_| None);
        assert_eq!(aliases.resolve(&name("a#old/s")), Some(name("a#new/s")));
        assert_eq!(aliases.resolve(&name("a#x/then")), Some(name("a#x/now")));
        assert_eq!(aliases.resolve(&name("a#new")), None);
        assert_eq!(Aliases::read(&aliases.write()), aliases);
        let sealed = aliases.that(|_, alias| alias.mac.is_some());
        assert_eq!(sealed.resolve(&name("a#old/s")), None);
        assert_eq!(sealed.resolve(&name("a#mid/s")), Some(name("a#new/s")));
    }

    #[test]
    fn a_circle_ends() {
        let text = "[[renamed]]\nfrom = \"a#b\"\nto = \"a#c\"\n[[renamed]]\nfrom = \"a#c\"\nto = \"a#b\"\n[[renamed]]\nfrom = \"a\"\nto = \"b\"\n";
        let aliases = Aliases::read(text);
        assert_eq!(aliases.resolve(&name("a#b")), None);
        assert!(aliases.resolve(&name("a#c")).is_none());
        assert_eq!(aliases.faults.len(), 1);
    }

    #[test]
    fn a_name_that_is_used_again_leads_nowhere_else() {
        let mut aliases = Aliases::default();
        aliases.add(name("a#b"), name("a#c"), "one", |_| None);
        aliases.add(name("a#c"), name("a#b"), "two", |_| None);
        assert_eq!(aliases.resolve(&name("a#b")), None);
        assert_eq!(aliases.resolve(&name("a#c")), Some(name("a#b")));
    }
}
