//! What has been decided so far: the snapshot that every decision carries, and the union of several branches.
//!
//! A snapshot only grows. Two branches each add a decision on the same ground; after a merge both are heads, and the
//! architecture is their union: for every field the value that was decided last, by the UID written beside it.

use std::collections::{BTreeMap, BTreeSet};

use super::trigger::Patch;
use super::uid::Uid;

/// Category → field → what was decided; both in alphabetical order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    categories: BTreeMap<String, BTreeMap<String, Decided>>,
}

/// A value and the decision that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub value: String,
    /// Unknown where somebody wrote the line by hand.
    pub by: Option<Uid>,
}

/// What one decision record says about its place in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub uid: Uid,
    /// The records this one was built on: its previous one, and those it merged.
    pub parents: Vec<Uid>,
    pub snapshot: Snapshot,
}

/// The architecture as all records together give it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Architecture {
    /// The greatest UID of all records.
    pub latest: Option<Uid>,
    /// The records that no other one was built on, in ascending order. More than one after a merge.
    pub heads: Vec<Uid>,
    /// The union of the heads.
    pub snapshot: Snapshot,
    /// What the latest record does not know of the other heads: `Category`, or `Category.Field`.
    pub missing_keys: Vec<String>,
    /// What the heads have lost of the records they were built on; never by hewto.
    pub dropped_keys: Vec<String>,
}

/// A change that a decision makes, in words that the record lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added {
        key: String,
        value: String,
    },
    Modified {
        key: String,
        value: String,
        was: Decided,
    },
    /// Taken over from another branch.
    Merged {
        key: String,
        decided: Decided,
    },
}

impl Snapshot {
    pub fn is_empty(&self) -> bool {
        self.categories.is_empty()
    }

    pub(crate) fn has_category(&self, category: &str) -> bool {
        self.categories.contains_key(category)
    }

    pub fn get(&self, category: &str, field: &str) -> Option<&Decided> {
        self.categories.get(category)?.get(field)
    }

    pub fn value(&self, category: &str, field: &str) -> Option<&String> {
        self.get(category, field).map(|decided| &decided.value)
    }

    pub fn set(&mut self, category: &str, field: &str, decided: Decided) {
        self.categories.entry(category.to_owned()).or_default().insert(field.to_owned(), decided);
    }

    pub fn categories(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, Decided>)> {
        self.categories.iter().map(|(name, fields)| (name.as_str(), fields))
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &str, &Decided)> {
        self.categories().flat_map(|(category, fields)| {
            fields.iter().map(move |(field, decided)| (category, field.as_str(), decided))
        })
    }

    /// Takes over what the other one has and this one lacks or decided earlier.
    fn absorb(&mut self, other: &Self) {
        for (category, field, decided) in other.entries() {
            let newer = self.get(category, field).is_none_or(|known| known.by < decided.by);
            if newer {
                self.set(category, field, decided.clone());
            }
        }
    }

    /// What `whole` has that this one lacks or decided earlier, as keys.
    fn lacks(&self, whole: &Self) -> Vec<String> {
        let mut keys = BTreeSet::new();
        for (category, field, decided) in whole.entries() {
            if !self.has_category(category) {
                keys.insert(category.to_owned());
            } else if self.get(category, field).is_none_or(|known| known.by < decided.by) {
                keys.insert(key(category, field));
            }
        }
        keys.into_iter().collect()
    }

    /// The snapshot after a decision, and what changed.
    pub fn decide(&self, patch: &Patch, uid: &Uid) -> (Self, Vec<Change>) {
        let mut next = self.clone();
        let mut changes: Vec<Change> = Vec::new();
        for (field, value) in &patch.fields {
            let key = key(&patch.category, field);
            changes.retain(|change| change.key() != key);
            changes.push(match self.get(&patch.category, field) {
                Some(was) => Change::Modified { key, value: value.clone(), was: was.clone() },
                None => Change::Added { key, value: value.clone() },
            });
            next.set(&patch.category, field, Decided { value: value.clone(), by: Some(uid.clone()) });
        }
        (next, changes)
    }
}

impl Change {
    pub fn key(&self) -> &str {
        match self {
            Self::Added { key, .. } | Self::Modified { key, .. } | Self::Merged { key, .. } => key,
        }
    }
}

impl Architecture {
    /// The architecture that these records give, in any order.
    pub fn of(links: &[Link]) -> Self {
        let mut links: Vec<&Link> = links.iter().collect();
        links.sort_by(|a, b| a.uid.cmp(&b.uid));
        let Some(latest) = links.last() else { return Self::default() };
        let parents: BTreeSet<&Uid> = links.iter().flat_map(|link| &link.parents).collect();
        // A record that claims to be its own parent is still a head.
        let is_head = |link: &Link| {
            !parents.contains(&link.uid)
                || !links.iter().any(|other| other.uid != link.uid && other.parents.contains(&link.uid))
        };
        let mut snapshot = latest.snapshot.clone();
        let mut everything = latest.snapshot.clone();
        let mut heads = Vec::new();
        for link in &links {
            everything.absorb(&link.snapshot);
            if is_head(link) || link.uid == latest.uid {
                heads.push(link.uid.clone());
                snapshot.absorb(&link.snapshot);
            }
        }
        let missing_keys = latest.snapshot.lacks(&snapshot);
        let dropped_keys = snapshot.lacks(&everything);
        Self { latest: Some(latest.uid.clone()), heads, snapshot, missing_keys, dropped_keys }
    }

    /// The heads other than the latest record: what the next record has to name as merged.
    pub(crate) fn merged_heads(&self) -> Vec<Uid> {
        self.heads.iter().filter(|head| Some(*head) != self.latest.as_ref()).cloned().collect()
    }

    /// What the next record takes over from other branches: the entries behind [`Self::missing_keys`].
    pub(crate) fn merged_changes(&self) -> Vec<Change> {
        let missing = |category: &str, field: &str| {
            self.missing_keys.iter().any(|missing| missing == category || *missing == key(category, field))
        };
        let entries = self.snapshot.entries().filter(|(category, field, _)| missing(category, field));
        entries
            .map(|(category, field, decided)| Change::Merged {
                key: key(category, field),
                decided: decided.clone(),
            })
            .collect()
    }
}

fn key(category: &str, field: &str) -> String {
    format!("{category}.{field}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn uid(number: u16) -> Uid {
        Uid::parse(&format!("20250108T143512.000Z-{number:04X}")).unwrap()
    }

    fn snapshot(entries: &[(&str, &str, &str, u16)]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for (category, field, value, by) in entries {
            snapshot.set(category, field, Decided { value: (*value).to_owned(), by: Some(uid(*by)) });
        }
        snapshot
    }

    fn link(number: u16, parents: &[u16], entries: &[(&str, &str, &str, u16)]) -> Link {
        Link {
            uid: uid(number),
            parents: parents.iter().map(|parent| uid(*parent)).collect(),
            snapshot: snapshot(entries),
        }
    }

    #[test]
    fn without_records_nothing_is_decided() {
        assert_eq!(Architecture::of(&[]), Architecture::default());
    }

    #[test]
    fn a_straight_history_is_its_latest_record() {
        let links = [
            link(2, &[1], &[("Auth", "Strategy", "OAuth", 1), ("Db", "Type", "MySQL", 2)]),
            link(1, &[], &[("Auth", "Strategy", "OAuth", 1)]),
        ];
        let architecture = Architecture::of(&links);
        assert_eq!(architecture.latest, Some(uid(2)));
        assert_eq!(architecture.heads, [uid(2)]);
        assert_eq!(architecture.snapshot, links[0].snapshot);
        assert!(architecture.missing_keys.is_empty() && architecture.dropped_keys.is_empty());
    }

    #[test]
    fn merged_branches_give_their_union_and_say_what_the_latest_lacks() {
        let base = ("Auth", "Strategy", "OAuth", 1);
        let links = [
            link(1, &[], &[base]),
            link(2, &[1], &[("Auth", "Strategy", "SAML", 2), ("Db", "Type", "MySQL", 2)]),
            link(3, &[1], &[base, ("Infra", "Hosting", "AWS", 3)]),
        ];
        let architecture = Architecture::of(&links);
        assert_eq!(architecture.heads, [uid(2), uid(3)]);
        assert_eq!(architecture.latest, Some(uid(3)));
        // The other branch changed the strategy after the point where this one began.
        assert_eq!(architecture.snapshot.value("Auth", "Strategy").unwrap(), "SAML");
        assert_eq!(architecture.snapshot.value("Infra", "Hosting").unwrap(), "AWS");
        assert_eq!(architecture.missing_keys, ["Auth.Strategy", "Db"]);
        assert_eq!(architecture.merged_heads(), [uid(2)]);
        let merged: Vec<String> =
            architecture.merged_changes().iter().map(|change| change.key().to_owned()).collect();
        assert_eq!(merged, ["Auth.Strategy", "Db.Type"]);

        // The record after the merge names both heads, and all is well again.
        let patch = Patch { category: "Db".into(), fields: vec![("ORM".into(), "Prisma".into())] };
        let (next, _) = architecture.snapshot.decide(&patch, &uid(4));
        let mut links = links.to_vec();
        links.push(Link { uid: uid(4), parents: vec![uid(3), uid(2)], snapshot: next.clone() });
        let repaired = Architecture::of(&links);
        assert_eq!(repaired.heads, [uid(4)]);
        assert!(repaired.missing_keys.is_empty() && repaired.dropped_keys.is_empty());
        assert_eq!(repaired.snapshot, next);
    }

    #[test]
    fn a_record_that_lost_a_category_of_its_own_parent_is_noticed() {
        let links = [
            link(1, &[], &[("Auth", "Strategy", "OAuth", 1), ("Db", "Type", "MySQL", 1)]),
            link(2, &[1], &[("Auth", "Strategy", "SAML", 2)]),
        ];
        let architecture = Architecture::of(&links);
        assert_eq!(architecture.dropped_keys, ["Db"]);
        assert!(architecture.missing_keys.is_empty());
    }

    #[test]
    fn a_decision_lists_what_it_adds_and_modifies() {
        let before = snapshot(&[("Auth", "Strategy", "OAuth", 1)]);
        let patch = Patch {
            category: "Auth".into(),
            fields: vec![
                ("Library".into(), "x".into()),
                ("Strategy".into(), "SAML".into()),
                ("Library".into(), "y".into()),
            ],
        };
        let (after, changes) = before.decide(&patch, &uid(2));
        assert_eq!(after.value("Auth", "Library").unwrap(), "y");
        assert_eq!(changes.len(), 2);
        assert!(
            matches!(&changes[0], Change::Modified { key, was, .. } if key == "Auth.Strategy" && was.value == "OAuth")
        );
        assert!(matches!(&changes[1], Change::Added { key, value } if key == "Auth.Library" && value == "y"));
    }

    #[test]
    fn records_that_name_themselves_or_nobody_are_still_found() {
        let links = [link(1, &[1], &[("A", "f", "v", 1)]), link(2, &[9], &[("B", "f", "v", 2)])];
        let architecture = Architecture::of(&links);
        assert_eq!(architecture.heads, [uid(1), uid(2)]);
        assert_eq!(architecture.missing_keys, ["A"]);
    }

    proptest! {
        /// A random history of decisions on random branches: nothing that was ever decided is lost, and the value of
        /// each field is the one with the greatest UID.
        #[test]
        fn no_merge_loses_a_decision(steps in proptest::collection::vec((0usize..3, 0usize..3, 0usize..2, any::<bool>()), 1..20)) {
            let mut branches: Vec<Vec<Link>> = vec![Vec::new(); 3];
            let mut all: Vec<Link> = Vec::new();
            let mut expected: BTreeMap<(String, String), (Uid, String)> = BTreeMap::new();
            for (number, (branch, category, field, merge)) in steps.into_iter().enumerate() {
                let number = u16::try_from(number).unwrap() + 1;
                if merge {
                    branches[branch] = all.clone();
                }
                let known = Architecture::of(&branches[branch]);
                let patch = Patch { category: format!("C{category}"), fields: vec![(format!("f{field}"), format!("v{number}"))] };
                let (snapshot, _) = known.snapshot.decide(&patch, &uid(number));
                let mut parents: Vec<Uid> = known.latest.iter().cloned().collect();
                parents.extend(known.merged_heads());
                let link = Link { uid: uid(number), parents, snapshot };
                branches[branch].push(link.clone());
                all.push(link);
                expected.insert((format!("C{category}"), format!("f{field}")), (uid(number), format!("v{number}")));
            }
            let merged = Architecture::of(&all);
            prop_assert!(merged.dropped_keys.is_empty());
            for ((category, field), (by, value)) in expected {
                prop_assert_eq!(merged.snapshot.get(&category, &field), Some(&Decided { value, by: Some(by) }));
            }
        }
    }
}
