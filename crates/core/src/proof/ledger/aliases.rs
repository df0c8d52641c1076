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
                    aliases.entries.insert(from, Alias { to, change });
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
    pub fn add(&mut self, from: Ref, to: Ref, change: &str) {
        if from == to {
            return;
        }
        self.entries.remove(&to);
        self.entries.insert(from, Alias { to, change: change.to_owned() });
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
        aliases.add(name("a#old"), name("a#mid"), "one");
        aliases.add(name("a#mid"), name("a#new"), "two");
        aliases.add(name("a#x/then"), name("a#x/now"), "two");
        assert_eq!(aliases.resolve(&name("a#old/s")), Some(name("a#new/s")));
        assert_eq!(aliases.resolve(&name("a#x/then")), Some(name("a#x/now")));
        assert_eq!(aliases.resolve(&name("a#new")), None);
        assert_eq!(Aliases::read(&aliases.write()), aliases);
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
        aliases.add(name("a#b"), name("a#c"), "one");
        aliases.add(name("a#c"), name("a#b"), "two");
        assert_eq!(aliases.resolve(&name("a#b")), None);
        assert_eq!(aliases.resolve(&name("a#c")), Some(name("a#b")));
    }
}
