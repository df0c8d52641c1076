//! What stands behind a requirement under a heading of its own: nobody's to drop.

use super::operations::Work;
use crate::document::{Document, Span};
use crate::requirement::Requirement;

impl Work<'_> {
    /// Foreign text behind the requirement stays; where the delta does not repeat it, that is told.
    pub(super) fn note_foreign(&mut self, proposed: &Requirement<'_>, span: &Span) {
        let Some(foreign) = self.slots.foreign_after(proposed.name).map(str::to_owned) else { return };
        let theirs = &self.application.delta_text[proposed.foreign.clone()];
        if !theirs.replace("\r\n", "\n").contains(&foreign.replace("\r\n", "\n")) {
            self.kept(proposed.name, foreign.lines().next().unwrap_or_default(), span.clone());
        }
    }

    /// Adds the sections behind the requirement in the delta that the spec does not have there. Says whether there are any.
    pub(super) fn bring_foreign(&mut self, proposed: &Requirement<'_>) -> bool {
        let theirs = self.application.delta_text[proposed.foreign.clone()].replace("\r\n", "\n");
        let ours = self.slots.foreign_after(proposed.name).unwrap_or_default().replace("\r\n", "\n");
        let document = Document::parse(&theirs);
        let starts: Vec<usize> = document.headings().map(|(block, _)| block.span.start).collect();
        let firsts = std::iter::once(0).chain(starts.into_iter().filter(|start| *start > 0));
        let cuts: Vec<usize> = firsts.chain([theirs.len()]).collect();
        let sections = cuts.windows(2).map(|cut| theirs[cut[0]..cut[1]].trim());
        let new: Vec<&str> =
            sections.filter(|section| !section.is_empty() && !ours.contains(section)).collect();
        if !new.is_empty() {
            self.slots.add_foreign_after(proposed.name, &new.join("\n\n"));
        }
        !new.is_empty()
    }
}
