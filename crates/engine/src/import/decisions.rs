//! Decisions of other tools as records of hewto: in their order, with their numbers as aliases.

use std::collections::BTreeMap;

use hewto_core::decision::uid::Uid;
use hewto_core::import::{Decision, FileMemory, Links, hash, render_decision, superseding};
use hewto_store::{Expect, LayoutKind};

use super::planner::Planner;
use crate::view::ImportedView;

impl Planner<'_> {
    /// Plans all decisions. A record that was written is never rewritten.
    pub(super) fn decisions(&mut self, decisions: &[Decision]) {
        let today = self.ctx.now_rfc3339().get(..10).unwrap_or("1970-01-01").to_owned();
        let uids: Vec<Option<Uid>> = decisions.iter().map(|decision| self.uid(decision, &today)).collect();
        let mut order: Vec<usize> = (0..decisions.len()).filter(|at| uids[*at].is_some()).collect();
        order.sort_by(|a, b| uids[*a].cmp(&uids[*b]));
        let files: BTreeMap<String, String> = order
            .iter()
            .filter_map(|at| {
                let old = decisions[*at].key.rsplit('/').next()?.to_owned();
                Some((old, uids[*at].as_ref()?.file_name(&decisions[*at].title)))
            })
            .collect();
        self.tell_undated(decisions);
        let pairs = superseding(decisions);
        self.tell_late(decisions, &pairs);
        for (place, &at) in order.iter().enumerate() {
            let Some(uid) = &uids[at] else { continue };
            let older =
                pairs.iter().filter(|(newer, _)| *newer == at).filter_map(|(_, older)| uids[*older].as_ref());
            let date = decisions[at].date.clone().unwrap_or_else(|| day_of(uid));
            let links = Links {
                uid,
                previous: place.checked_sub(1).and_then(|before| uids[order[before]].as_ref()),
                supersedes: older.collect(),
                date: &date,
                files: &files,
            };
            self.decision(&decisions[at], &links);
        }
    }

    fn decision(&mut self, decision: &Decision, links: &Links<'_>) {
        let mut part = self.part(&decision.key);
        let is_new = self.remembered(&decision.key).is_none();
        let name = match part.files.keys().next() {
            Some(known) => known.rsplit('/').next().unwrap_or(known).to_owned(),
            None => links.uid.file_name(&decision.title),
        };
        let key = self.store.places().decisions.document(&name).ok();
        let Some(path) = key.as_ref().and_then(|key| self.store.path(key, LayoutKind::Native)) else {
            self.leave(&decision.key, None, "its name cannot be a path here", true);
            return;
        };
        self.places.insert((String::new(), decision.key.clone()), path.to_string());
        let said = said(decision);
        if let Some(known) = part.files.get(path.as_str()) {
            if known.source == said {
                self.view.unchanged += 1;
            } else {
                let text = render_decision(decision, links);
                self.news.file(&path, &decision.key, &text);
                self.news.note(format!(
                    "`{}` says something else now; records are never rewritten: decide again if it matters",
                    decision.key
                ));
                let written = known.written.clone();
                part.files.insert(path.to_string(), FileMemory { source: said, written, base: None });
                self.keep(part);
            }
            return;
        }
        let text = render_decision(decision, links);
        if key.is_some_and(|key| self.store.stands(&key)) {
            self.leave(&decision.key, None, &format!("there is another file already: `{path}`"), true);
            return;
        }
        part.files.insert(path.to_string(), FileMemory { source: said, written: hash(&text), base: None });
        links.uid.as_str().clone_into(&mut part.id);
        self.write(path, text, Expect::Absent, Some(&decision.key));
        self.keep(part);
        self.tell(
            is_new,
            ImportedView {
                kind: "decision".to_owned(),
                id: links.uid.to_string(),
                title: decision.title.clone(),
                from: decision.key.clone(),
                alias: Some(decision.alias.clone()),
                state: Some(decision.status.clone()).filter(|status| !status.is_empty()),
                ..ImportedView::default()
            },
        );
    }

    /// Says which records came before the ones they take the place of, and so without the link.
    fn tell_late(&mut self, decisions: &[Decision], pairs: &[(usize, usize)]) {
        let is_known = |at: usize| self.remembered(&decisions[at].key).is_some();
        let late = pairs.iter().filter(|(newer, older)| is_known(*newer) && !is_known(*older));
        let told: Vec<String> = late
            .map(|(newer, older)| {
                let (newer, older) = (&decisions[*newer].key, &decisions[*older].key);
                format!("`{newer}` supersedes `{older}`, which was not imported with it; records are never rewritten: decide anew if it matters")
            })
            .collect();
        self.view.notes.extend(told);
    }

    /// Says which records have the day of the import, because they say none.
    fn tell_undated(&mut self, decisions: &[Decision]) {
        /// More are counted, not named.
        const NAMED: usize = 3;
        let new = decisions.iter().filter(|one| one.date.is_none() && self.remembered(&one.key).is_none());
        let keys: Vec<String> = new.map(|one| format!("`{}`", one.key)).collect();
        let (named, more) = keys.split_at(keys.len().min(NAMED));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let told = (!keys.is_empty()).then(|| {
            format!("no date could be read in {}{more}: dated with the day of the import", named.join(", "))
        });
        self.view.notes.extend(told);
    }

    /// The UID that a decision has here, or gets: its day, its number, and four digits that come from its name.
    fn uid(&self, decision: &Decision, today: &str) -> Option<Uid> {
        if let Some(known) = self.remembered(&decision.key) {
            return Uid::parse(&known.id).ok();
        }
        let day = decision.date.as_deref().unwrap_or(today).replace('-', "");
        let number: usize = decision.alias.parse().unwrap_or(0);
        let chance = hash(&decision.key)[..4].to_uppercase();
        Uid::parse(&format!("{day}T000000.{:03}Z-{chance}", number % 1000)).ok()
    }
}

/// The hash of what a decision says; its status and links change with other decisions.
fn said(decision: &Decision) -> String {
    let sections = decision.sections.iter().filter(|(title, _)| !title.eq_ignore_ascii_case("Status"));
    let texts: Vec<String> = sections.map(|(title, text)| format!("{title}\n{text}")).collect();
    hash(&format!("{}\n{}", decision.title, texts.join("\n")))
}

fn day_of(uid: &Uid) -> String {
    let text = uid.as_str();
    format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8])
}
