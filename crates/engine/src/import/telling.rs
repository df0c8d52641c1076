//! What an import tells beside what it writes: parts that are gone, and whose part it is that was left out.

use std::collections::{BTreeMap, BTreeSet};

use hewto_core::import::{Bundle, SourceFile, number_of};

use super::planner::Planner;
use crate::error::{Error, Result};
use crate::view::LeftOutView;

impl Planner<'_> {
    /// Leaves records of another format, in folders that both have, to that format; those that came with this one before
    /// stay with it.
    pub(super) fn leave_to_rivals(&mut self, files: &mut Vec<SourceFile>) -> Result<()> {
        let (mut own, mut rivals) = (Vec::new(), BTreeSet::new());
        for file in std::mem::take(files) {
            let rival = self.format.rival(&file.path, &file.text);
            let Some(rival) = rival.filter(|_| self.remembered(&file.path).is_none()) else {
                own.push(file);
                continue;
            };
            rivals.insert(rival);
            self.view.left_out.push(LeftOutView {
                why: format!("a record of {}: `hewto import {rival}` brings it", rival.tool()),
                file: file.path,
                ..LeftOutView::default()
            });
        }
        *files = own;
        let has_faults = self.view.left_out.iter().any(|one| one.fault);
        match rivals.first() {
            Some(rival) if !has_faults && !files.iter().any(|file| number_of(&file.path).is_some()) => {
                let (tool, other) = (self.format.tool(), rival.tool());
                Err(Error::validation(format!("there is nothing of {tool} here: the records are of {other}"))
                    .detail("format", self.format.as_str())
                    .hint(format!(
                        "run `hewto import {rival}`, or name the folder to read them all the same"
                    )))
            }
            _ => Ok(()),
        }
    }

    /// What was imported before and is no longer in the source stays here, and is told of.
    pub(super) fn tell_gone(&mut self, before: &BTreeSet<String>, bundle: &Bundle) {
        let now: BTreeSet<&str> = (bundle.items.iter().map(|one| one.key.as_str()))
            .chain(bundle.decisions.iter().map(|one| one.key.as_str()))
            .chain(bundle.changes.iter().map(|one| one.key.as_str()))
            .chain(bundle.documents.iter().map(|one| one.from.as_str()))
            .collect();
        // What cannot be read now is there all the same.
        let faults = self.view.left_out.iter().filter(|one| one.fault).map(|one| one.file.as_str());
        let own = bundle.left_out.iter().filter(|one| one.is_fault).map(|one| one.file.as_str());
        let units: BTreeSet<String> = faults.chain(own).map(|file| self.format.unit_of(file)).collect();
        for key in before.iter().filter(|key| !now.contains(key.as_str())) {
            let may_be_unread = !units.is_empty() && !self.format.is_called_by_file(key);
            if units.contains(&self.format.unit_of(key)) || may_be_unread {
                continue;
            }
            let Some(id) = self.remembered(key).map(|known| known.id.clone()) else { continue };
            self.view.notes.push(format!(
                "`{key}` is gone from the source; `{id}` stays here until somebody removes it"
            ));
        }
    }

    /// Says of everything that was left out which part it belongs to.
    pub(super) fn name_left_out(&mut self) {
        let parts: BTreeMap<&str, &str> = (self.memory.parts.values())
            .filter(|part| part.source == self.source && !part.id.is_empty())
            .map(|part| (part.key.as_str(), part.id.as_str()))
            .collect();
        for one in self.view.left_out.iter_mut().filter(|one| one.id.is_none()) {
            // The file itself, else the nearest folder above it that is a part.
            let above = one.file.rmatch_indices('/').map(|(at, _)| &one.file[..at]);
            let found = std::iter::once(one.file.as_str()).chain(above).find_map(|key| parts.get(key));
            one.id = found.map(|id| (*id).to_owned());
        }
    }
}
