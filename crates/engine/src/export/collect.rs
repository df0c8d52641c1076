//! Everything that an export may tell, read once.

use std::collections::{BTreeMap, HashMap};

use hewto_core::change::{Proposal, change_title};
use hewto_core::decision::record::Adr;
use hewto_core::decision::uid::record_id;
use hewto_core::document::Document;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::plan::{Plan, StepStatus};
use hewto_core::proof::{Ref, State};
use hewto_core::requirement::{SpecDoc, scenario_ids};
use hewto_core::tasks::{TaskStatus, TasksDoc};
use hewto_store::change_files::{PROPOSAL, TASKS};
use hewto_store::{ChangeEntry, Context, DocFolder, DocKey, Own, PLAN_FILE, ReadError, SPEC_FILE, StateRead};
use serde::Serialize;

use crate::error::Result;
use crate::proof::{Query, matrix};
use crate::spec::ItemKind;
use crate::view::MatrixView;
use crate::workspace::Workspace;

/// Folders of documents that are nobody's own.
const DOCUMENTS: [&str; 2] = ["standards", "imported"];
/// What hewto keeps of proof and reviews.
const RECORDS: [&str; 2] = [Own::Links.path(), ".hewto/proof"];

#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) name: String,
    pub(super) at: String,
    pub(super) specs: Vec<SpecOut>,
    pub(super) changes: Vec<ChangeOut>,
    pub(super) decisions: Vec<DecisionOut>,
    /// What binds everybody and what came with an import: path from the root, and text.
    pub(super) documents: Vec<(String, String)>,
    /// Links, waivers and the like, by path from the root. They mean something to hewto only.
    pub(super) records: Vec<String>,
    pub(super) coverage: Option<MatrixView>,
    /// How each promise stands, and whether that is red.
    pub(super) proof: HashMap<Ref, (State, bool)>,
    /// Files that could not be read.
    pub(super) unreadable: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct SpecOut {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) state: String,
    pub(super) depends_on: Vec<String>,
    pub(super) purpose: String,
    pub(super) requirements: Vec<RequirementOut>,
    pub(super) approach: String,
    pub(super) steps: Vec<StepOut>,
    /// By name in its folder.
    pub(super) files: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
pub(super) struct RequirementOut {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) scenarios: Vec<ScenarioOut>,
}

#[derive(Debug, Serialize)]
pub(super) struct ScenarioOut {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct StepOut {
    pub(super) title: String,
    pub(super) status: StepStatus,
    pub(super) description: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ChangeOut {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) archived: bool,
    pub(super) why: String,
    pub(super) what_changes: String,
    pub(super) tasks: Vec<StepOut>,
    pub(super) files: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
pub(super) struct DecisionOut {
    pub(super) id: String,
    pub(super) alias: Option<String>,
    pub(super) title: String,
    pub(super) date: String,
    pub(super) supersedes: Vec<String>,
    pub(super) file: String,
    pub(super) text: String,
}

pub(super) fn collect(ws: &Workspace, ctx: &Context) -> Result<Collected> {
    let mut all = Collected {
        name: ws.root().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        at: ctx.now_rfc3339(),
        ..Collected::default()
    };
    for entry in &ws.store().snapshot(ctx)?.specs {
        ctx.check()?;
        let files = all.files(ws, ctx, &entry.folder, |below| !below.starts_with("review/"))?;
        // What stands in a folder below with a spec of its own belongs to that.
        let nested: Vec<String> = files
            .keys()
            .filter_map(|name| name.strip_suffix("/spec.md"))
            .map(|folder| format!("{folder}/"))
            .collect();
        let files: BTreeMap<String, String> = files
            .into_iter()
            .filter(|(name, _)| !nested.iter().any(|folder| name.starts_with(folder)))
            .collect();
        let state = match &entry.state {
            StateRead::Valid(state) => state.lifecycle.to_string(),
            StateRead::Absent if ItemKind::of(ws, ctx, entry) == ItemKind::Work => {
                Lifecycle::Draft.to_string()
            }
            StateRead::Absent => "living".to_owned(),
            StateRead::Broken(_) => "unreadable".to_owned(),
        };
        all.specs.push(spec(entry.id.as_str(), entry.title(), state, files));
    }
    for entry in ws.store().changes(ctx)?.changes {
        all.change(ws, ctx, &entry, false)?;
    }
    for entry in ws.store().archived_changes(ctx)? {
        all.change(ws, ctx, &entry, true)?;
    }
    let folder = ws.places().decisions.clone();
    for name in ws.store().file_names(ctx, &folder)? {
        let Some(id) = record_id(&name) else { continue };
        let Some(text) =
            folder.document(&name).ok().map(|key| all.text(ws, ctx, &key)).transpose()?.flatten()
        else {
            continue;
        };
        all.decisions.push(decision(id, &name, text));
    }
    for below in DOCUMENTS {
        let Ok(folder) = ws.places().documents.folder(below) else { continue };
        for (name, text) in all.files(ws, ctx, &folder, |_| true)? {
            all.documents.push((format!("{folder}/{name}"), text));
        }
    }
    for entry in &ws.store().snapshot(ctx)?.specs {
        let reviews = ws.store().tree(ctx, &entry.folder)?;
        let reviews = reviews.iter().filter(|below| below.starts_with("review/"));
        all.records.extend(reviews.map(|below| format!("{}/{below}", entry.folder)));
    }
    for name in RECORDS {
        let is_there = DocKey::named(name).is_some_and(|key| ws.store().stands(&key));
        all.records.extend(is_there.then(|| name.to_owned()));
    }
    // A table that cannot be made is no reason to have no export.
    all.coverage = matrix(ws, ctx, &Query::default()).ok();
    let rows = all.coverage.iter().flat_map(|view| &view.rows);
    all.proof = rows.map(|row| (row.reference.clone(), (row.state, row.red))).collect();
    Ok(all)
}

impl Collected {
    fn change(&mut self, ws: &Workspace, ctx: &Context, entry: &ChangeEntry, archived: bool) -> Result<()> {
        let files = self.files(ws, ctx, &entry.folder, |below| !below.starts_with("review/"))?;
        let proposal = files.get(PROPOSAL).map(String::as_str).unwrap_or_default();
        let document = Document::parse(proposal);
        let read = Proposal::read(&document);
        let tasks = files.get(TASKS).map(String::as_str).unwrap_or_default();
        let tasks = Document::parse(tasks);
        let told = |section: Option<hewto_core::change::ProposalSection<'_>>| {
            section.map(|one| one.text.to_owned()).unwrap_or_default()
        };
        self.changes.push(ChangeOut {
            id: entry.id.to_string(),
            title: change_title(entry.id.as_str(), Some(&document)),
            archived,
            why: told(read.why),
            what_changes: told(read.what_changes),
            tasks: TasksDoc::read(&tasks).tasks().map(task).collect(),
            files: files.clone(),
        });
        Ok(())
    }

    /// The texts below a folder, by their path in it.
    fn files(
        &mut self,
        ws: &Workspace,
        ctx: &Context,
        folder: &DocFolder,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, String>> {
        let mut found = BTreeMap::new();
        for below in ws.store().tree(ctx, folder)?.into_iter().filter(|below| wanted(below)) {
            let Ok(key) = folder.document(&below) else { continue };
            if let Some(text) = self.text(ws, ctx, &key)? {
                found.insert(below, text);
            }
        }
        Ok(found)
    }

    fn text(&mut self, ws: &Workspace, ctx: &Context, key: &DocKey) -> Result<Option<String>> {
        match ws.store().read(ctx, key) {
            Ok(doc) => Ok(doc.map(|doc| doc.text)),
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                self.unreadable.push(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn task(task: &hewto_core::tasks::Task<'_>) -> StepOut {
    let status = if task.status == TaskStatus::Done { StepStatus::Completed } else { StepStatus::Pending };
    StepOut { title: task.text.to_owned(), status, description: String::new() }
}

fn spec(id: &str, title: &str, state: String, files: BTreeMap<String, String>) -> SpecOut {
    let text = files.get(SPEC_FILE).cloned().unwrap_or_default();
    let document = Document::parse(&text);
    let read = SpecDoc::read(&document);
    let requirements = read.requirements.iter().map(|requirement| RequirementOut {
        id: requirement.id.clone(),
        name: requirement.name.to_owned(),
        text: requirement.text.to_string(),
        scenarios: requirement
            .scenarios
            .iter()
            .zip(scenario_ids(requirement))
            .map(|(scenario, id)| ScenarioOut {
                id,
                name: scenario.name.to_owned(),
                text: document.slice(scenario.body.clone()).trim().to_owned(),
            })
            .collect(),
    });
    let head = hewto_core::spec::SpecHead::read(&text);
    let plan = files.get(PLAN_FILE).map(|text| Plan::read(text).0).unwrap_or_default();
    SpecOut {
        id: id.to_owned(),
        title: title.to_owned(),
        state,
        depends_on: head.dependencies.iter().map(|one| one.target.clone()).collect(),
        purpose: read.purpose.as_ref().map(|purpose| purpose.text.to_string()).unwrap_or_default(),
        requirements: requirements.collect(),
        approach: plan.approach,
        steps: plan
            .steps
            .into_iter()
            .map(|step| StepOut { title: step.title, status: step.status, description: step.description })
            .collect(),
        files,
    }
}

fn decision(id: String, file: &str, text: String) -> DecisionOut {
    let read = Adr::read(&text).ok();
    let title = read.as_ref().map(|adr| adr.title.clone());
    let heading =
        || text.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().to_owned());
    DecisionOut {
        title: title.or_else(heading).unwrap_or_else(|| id.clone()),
        date: read.as_ref().map(|adr| adr.date.clone()).unwrap_or_default(),
        alias: read.as_ref().and_then(|adr| adr.alias.clone()),
        supersedes: read
            .as_ref()
            .map(|adr| adr.superseded().iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        file: file.to_owned(),
        text,
        id,
    }
}
