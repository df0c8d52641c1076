//! Specs with their plans, states and files, and changes that are copied.

use std::collections::{BTreeMap, BTreeSet};

use hewto_core::graph::DependencyGraph;
use hewto_core::id::{SpecId, WorkItem};
use hewto_core::import::{ChangeCopy, FileMemory, Item, Remembered, SpecText, hash, render, renew};
use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::plan::StepStatus;
use hewto_core::requirement::SpecDoc;
use hewto_core::spec::Dependency;
use hewto_core::state::WorkflowState;
use hewto_store::{DocKey, LayoutKind, RelPath};

use super::naming::{free_change, free_spec};
use super::planner::{Planner, Put};
use crate::DependencyKind;
use crate::error::Result;
use crate::view::ImportedView;

const HOME: LayoutKind = LayoutKind::Native;

impl Planner<'_> {
    /// The ids of all items, by their keys: those they have already, else free ones.
    pub(super) fn name_items(&mut self, items: &[Item]) -> BTreeMap<String, SpecId> {
        let mut ids = BTreeMap::new();
        let mut renamed: Vec<(&Item, SpecId)> = Vec::new();
        for item in items {
            let known = self.remembered(&item.key).and_then(|known| SpecId::parse(&known.id).ok());
            let id = known.unwrap_or_else(|| {
                let free = free_spec(self.store, self.format, &item.id, &|name| self.ids.contains(name));
                if free.as_str() != item.id {
                    renamed.push((item, free.clone()));
                }
                free
            });
            self.ids.insert(id.as_str().to_lowercase());
            ids.insert(item.key.clone(), id);
        }
        self.tell_names(&renamed);
        self.tell_circles(items, &ids);
        ids
    }

    /// Says where items of the source wait for each other: they come as they are, and none of them can begin.
    fn tell_circles(&mut self, items: &[Item], ids: &BTreeMap<String, SpecId>) {
        let mut graph = DependencyGraph::default();
        let mut news = BTreeSet::new();
        for item in items {
            let Some(id) = ids.get(&item.key) else { continue };
            if self.remembered(&item.key).is_none() {
                news.insert(id.as_str());
            }
            item.depends_on
                .iter()
                .filter_map(|key| ids.get(key))
                .for_each(|target| graph.add(id.as_str(), target.as_str()));
        }
        for circle in graph.cycles() {
            if circle.iter().any(|id| news.contains(id.as_str())) {
                let chain: Vec<String> = circle.iter().map(|id| format!("`{id}`")).collect();
                self.view.notes.push(format!(
                    "dependencies of the source form a circle: {}; none of these can begin until one of them is taken out",
                    chain.join(" → ")
                ));
            }
        }
    }

    /// Says which items have another name here, and why.
    fn tell_names(&mut self, renamed: &[(&Item, SpecId)]) {
        let stands_here = |item: &Item| {
            let path = SpecId::parse(&item.id).ok().and_then(|id| self.store.path(&DocKey::Spec(id), HOME));
            let folder = path.and_then(|path| path.parent());
            self.source == "." && folder.is_some_and(|folder| folder.as_str() == item.key)
        };
        let (here, others): (Vec<_>, Vec<_>) = renamed.iter().partition(|(item, _)| stands_here(item));
        let pairs: Vec<String> = here.iter().map(|(item, id)| format!("`{}` as `{id}`", item.id)).collect();
        if !pairs.is_empty() {
            self.view.notes.push(format!(
                "these folders read as specs of hewto where they are, and stay there unchanged; what they require is imported under another name: {}. Work with the new ones, and remove the old when nobody needs them any more",
                pairs.join(", ")
            ));
        }
        for (item, id) in others {
            self.view
                .notes
                .push(format!("`{}` is called `{id}` here: the name `{}` is taken", item.key, item.id));
        }
    }

    /// Plans one item; the path of its spec.
    pub(super) fn item(&mut self, item: &Item, ids: &BTreeMap<String, SpecId>) -> Result<String> {
        let is_new = self.remembered(&item.key).is_none();
        let Some(id) = ids.get(&item.key).cloned() else { return Ok(String::new()) };
        let mut part = self.part(&item.key);
        id.as_str().clone_into(&mut part.id);
        let Some(spec_path) = self.store.path(&DocKey::Spec(id.clone()), HOME) else {
            self.leave(&item.key, None, "it has no place in this workspace", true);
            return Ok(String::new());
        };
        let targets = item.depends_on.iter().filter_map(|key| ids.get(key));
        let at = part.at.clone();
        let from = format!("{} {}", self.format, item.key);
        let meta = render::SpecMeta {
            id: id.as_str(),
            from: &from,
            dependencies: targets.map(dependency).collect(),
            now: &at,
        };
        let mut item = item.clone();
        let text = if let Some(text) = render::spec(&item, &meta) {
            text
        } else {
            item = render::as_prose(&item);
            let Some(text) = render::spec(&item, &meta) else {
                self.leave(&item.key, None, "its text would not read back as it is", true);
                return Ok(String::new());
            };
            let told = is_new.then(|| {
                format!(
                    "the requirements of `{}` are kept as prose: they would read differently here",
                    item.key
                )
            });
            self.view.notes.extend(told);
            text
        };
        self.spec_text(&mut part, &id, &spec_path, &text, &item)?;
        let owner = WorkItem::Spec(id.clone());
        if let (Some(text), Some(path)) =
            (render::plan(&item, &meta), self.store.path(&DocKey::Plan(owner.clone()), HOME))
        {
            self.plan_text(&mut part, &id, &path, &text, &item)?;
        }
        if let (Some((state, said)), Some(path)) = (&item.state, self.store.path(&DocKey::State(owner), HOME))
        {
            self.state_text(&mut part, &path, &item, *state, said)?;
        }
        if let Some(folder) = spec_path.parent() {
            for document in &item.files {
                match folder.join(&document.to) {
                    Ok(path) => self.put_beside(&mut part, &path, document)?,
                    Err(_) => self.leave(&document.from, None, "its name cannot be a path here", true),
                }
            }
        }
        for document in &item.files {
            let place = spec_path.parent().and_then(|folder| folder.join(&document.to).ok());
            let place = place.map(|place| place.to_string()).unwrap_or_default();
            self.places.entry((item.key.clone(), document.from.clone())).or_insert(place);
        }
        let view = imported(&item, id.as_str());
        if part.files.is_empty() {
            return Ok(String::new());
        }
        self.keep(part);
        self.tell(is_new, view);
        Ok(spec_path.to_string())
    }

    /// What is remembered of a file whose source has changed since; a file that is new is written at once.
    fn changed_since(
        &mut self,
        part: &mut Remembered,
        path: &RelPath,
        text: &str,
        item: &Item,
    ) -> Result<Option<FileMemory>> {
        let known = part.files.get(path.as_str()).filter(|known| known.base.is_some()).cloned();
        if known.is_none() {
            self.put(part, path, text, &item.key, true)?;
        }
        Ok(known.filter(|known| known.source != hash(text)))
    }

    fn spec_text(
        &mut self,
        part: &mut Remembered,
        id: &SpecId,
        path: &RelPath,
        text: &str,
        item: &Item,
    ) -> Result<()> {
        let Some(known) = self.changed_since(part, path, text, item)? else { return Ok(()) };
        let base = known.base.unwrap_or_default();
        match self.store.read(self.ctx, &DocKey::Spec(id.clone()))? {
            Some(ours) => {
                let renewal = renew::spec(&base, Some(&ours.text), text);
                for (name, why) in &renewal.refused {
                    self.leave(&item.key, Some(name), why, false);
                }
                self.news.spec(id.as_str(), base, renewal);
            }
            None => self.leave(&item.key, None, &format!("`{id}` was removed here since"), false),
        }
        remember(part, path, text, known.written);
        Ok(())
    }

    fn plan_text(
        &mut self,
        part: &mut Remembered,
        id: &SpecId,
        path: &RelPath,
        text: &str,
        item: &Item,
    ) -> Result<()> {
        let Some(known) = self.changed_since(part, path, text, item)? else { return Ok(()) };
        let (steps, notes) = renew::plan(known.base.as_deref(), text);
        self.news.plan(id.as_str(), steps, notes);
        remember(part, path, text, known.written);
        Ok(())
    }

    fn state_text(
        &mut self,
        part: &mut Remembered,
        path: &RelPath,
        item: &Item,
        state: Lifecycle,
        said: &str,
    ) -> Result<()> {
        let is_known = part.files.contains_key(path.as_str());
        let mut text = WorkflowState::draft(&part.id, &part.at);
        text.lifecycle = state;
        let steps = item.plan.as_ref().map(|plan| plan.steps.as_slice()).unwrap_or_default();
        text.phase = match state {
            _ if item.plan.is_none() => Phase::Spec,
            Lifecycle::Draft => Phase::Plan,
            _ => Phase::Build,
        };
        let done = steps.iter().filter(|step| step.status == StepStatus::Completed).count();
        let share =
            (done * 100).checked_div(steps.len()).unwrap_or(if state == Lifecycle::Done { 100 } else { 0 });
        text.build_progress.percentage = u8::try_from(share).unwrap_or(100);
        text.reason = Some(format!(
            "imported from {}, which said: {said}; nothing of it was verified here",
            self.format.tool()
        ));
        let outcome = self.put(part, path, &text.render(), &item.key, false)?;
        if outcome == Put::Ours && is_known {
            let why =
                format!("the source says `{said}`, and the state of `{}` was changed here since", part.id);
            self.leave(&item.key, None, &why, false);
        }
        Ok(())
    }

    /// A change of the source, file by file.
    pub(super) fn change_copy(&mut self, change: &ChangeCopy) -> Result<()> {
        let is_new = self.remembered(&change.key).is_none();
        let mut part = self.part(&change.key);
        let root = self.store.layout().change_home(HOME).clone();
        if part.id.is_empty() {
            part.id = if change.archived {
                change.id.clone()
            } else {
                match free_change(self.store, &change.id, &|_| false) {
                    Some(id) => id.to_string(),
                    None => {
                        return {
                            self.leave(&change.key, None, "its name cannot be a change's", true);
                            Ok(())
                        };
                    }
                }
            };
            if part.id != change.id {
                self.view
                    .notes
                    .push(format!("`{}` is called `{}` here: the name is taken", change.key, part.id));
            }
        }
        let folder = if change.archived { &root.archive } else { &root.changes };
        for document in &change.files {
            match folder.join(&format!("{}/{}", part.id, document.to)) {
                Ok(path) => self.put_beside(&mut part, &path, document)?,
                Err(_) => self.leave(&document.from, None, "its name cannot be a path here", true),
            }
        }
        if part.files.is_empty() {
            return Ok(());
        }
        let (id, kind) = (part.id.clone(), if change.archived { "archived change" } else { "change" });
        self.keep(part);
        self.tell(
            is_new,
            ImportedView {
                kind: kind.to_owned(),
                title: hewto_core::change::in_words(&id),
                id,
                from: change.key.clone(),
                ..ImportedView::default()
            },
        );
        Ok(())
    }
}

/// What the source says now is what a later import is compared with.
fn remember(part: &mut Remembered, path: &RelPath, text: &str, written: String) {
    let base = Some(text.to_owned());
    part.files.insert(path.to_string(), FileMemory { source: hash(text), written, base });
}

fn dependency(id: &SpecId) -> Dependency {
    Dependency { target: id.to_string(), kind: DependencyKind::Hard, optional: false, line: 0 }
}

fn imported(item: &Item, id: &str) -> ImportedView {
    let (requirements, scenarios) = match &item.text {
        SpecText::Parts(parts) => {
            (parts.requirements.len(), parts.requirements.iter().map(|one| one.scenarios.len()).sum())
        }
        SpecText::Whole(text) => {
            let document = hewto_core::document::Document::parse(text);
            let read = SpecDoc::read(&document);
            (read.requirements.len(), read.requirements.iter().map(|one| one.scenarios.len()).sum())
        }
    };
    ImportedView {
        kind: "spec".to_owned(),
        id: id.to_owned(),
        title: item.title.clone(),
        from: item.key.clone(),
        alias: item.alias.clone(),
        requirements,
        scenarios,
        steps: item.plan.as_ref().map_or(0, |plan| plan.steps.len()),
        state: item.state.as_ref().map(|(state, _)| state.to_string()),
    }
}
