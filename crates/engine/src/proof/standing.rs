//! `hewto proof`, `proof_status`: how the promises stand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hewto_core::proof::matrix::{CaseIndex, Known, Matched, Matrix, Row, Summary, case_name};
use hewto_core::proof::{CaseOutcome, LinkHashes, LinkKind, Promise, Ref, RunEvidence, State, read_promises};
use hewto_store::Context;

use super::catalog::Catalog;
use super::known_runs::{self, KnownRuns};
use super::records::{RecordScope, Records};
use super::rename_ledger::vouched;
use super::shown::{Chosen, run_view};
use super::since::Before;
use super::survey::{Found, Look, Survey};
use super::target::Target;
use crate::error::Result;
use crate::view::{LinkProblemView, MatrixSummary, MatrixView, ProblemSeverity, PromiseView};
use crate::workspace::Workspace;

/// The shape of [`MatrixView`].
const VERSION: u32 = 1;

/// Which promises are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// A capability, a change or a reference; everything when absent.
    pub target: Option<String>,
    /// Only what this branch moved since it left this revision.
    pub since: Option<String>,
    pub state: Option<State>,
    /// For a gate: known debt that nobody vouches for is none.
    pub at_a_gate: bool,
    /// For whoever only wants to know: what a server found last counts as long as nothing has happened in the tree.
    pub recalls: bool,
}

/// Everything that is known, before it is shown.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) selection: String,
    /// Each with the file that its promise stands in.
    pub(crate) rows: Vec<(Arc<str>, Row)>,
    pub(crate) survey: Survey,
    pub(crate) records: Records,
    pub(crate) runs: Vec<RunEvidence>,
    /// What was recorded of promises, newest first, and when the first of it was.
    pub(super) past: Vec<BTreeMap<Ref, LinkHashes>>,
    pub(super) moments: Vec<String>,
    /// Whether everything was asked for.
    pub(crate) whole: bool,
    /// Whether rows were left out on purpose.
    pub(crate) filtered: bool,
}

/// The table of promises.
pub fn matrix(ws: &Workspace, ctx: &Context, query: &Query) -> Result<MatrixView> {
    let standing = Standing::find(ws, ctx, query)?;
    let (house, chosen) = (standing.house(ws, ctx), standing.choose(query.state));
    let rows = chosen.rows.iter().map(|row| chosen.shown(ws, ctx, house.as_deref(), row)).collect();
    standing.view_with(ws, ctx, &chosen, rows)
}

/// What is linked now.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    /// What stands behind each promise: what a run writes into its record.
    pub(crate) hashes: BTreeMap<Ref, LinkHashes>,
    /// The titles of the linked tests.
    pub(crate) tests: BTreeSet<String>,
    /// The files with links.
    pub(crate) files: BTreeSet<String>,
}

/// What stands behind each linked promise now.
pub(crate) fn linked(ws: &Workspace, ctx: &Context) -> Result<Linked> {
    let found = Found::look(ws, ctx, Look::Links)?;
    let catalog = Catalog::load(ws, ctx, Some(&found.capabilities()))?;
    let survey = found.settle(&catalog);
    let known = Known { links: &survey.links, ..Known::default() };
    let matrix = Matrix::new(&known);
    let mut hashes = BTreeMap::new();
    let in_specs = catalog.capabilities.values().flat_map(|capability| &capability.promises);
    let pending = catalog.changes.values().flatten().map(|(_, promise)| promise);
    // What an open change says of a promise is what is being built.
    for promise in in_specs.chain(pending) {
        if let Some(now) = matrix.hashes(promise, catalog.siblings(&promise.reference)) {
            hashes.insert(promise.reference.clone(), now);
        }
    }
    let tests = survey.links.iter().filter(|link| link.kind == LinkKind::Test);
    // What looks like an option would be one.
    let titles = tests.filter_map(|link| link.title.clone()).filter(|title| !title.starts_with('-'));
    let files = survey.links.iter().map(|link| link.path.clone()).collect();
    Ok(Linked { hashes, tests: titles.collect(), files })
}

impl Standing {
    pub(crate) fn find(ws: &Workspace, ctx: &Context, query: &Query) -> Result<Self> {
        let target = Target::parse(ws, ctx, query.target.as_deref())?;
        let look = Look::that_is_needed(ws)?;
        let found = if query.recalls { Found::recall(ws, ctx, look)? } else { Found::look(ws, ctx, look)? };
        let tree = found.tree.clone();
        let only = match &target {
            Target::All => None,
            Target::Capability(id) => Some(id.clone()),
            Target::Named(reference) => Some(reference.capability().to_owned()),
            Target::Change(_) => Some(String::new()),
        };
        let only = only.map(|id| found.capabilities().into_iter().chain([id]).collect::<BTreeSet<_>>());
        let catalog = Catalog::load(ws, ctx, only.as_ref())?;
        let aliases = found.aliases().clone();
        let survey = found.settle(&catalog);
        let scope = match target {
            _ if query.at_a_gate => RecordScope::Gate,
            Target::All => RecordScope::Whole,
            _ => RecordScope::Part,
        };
        let today_of =
            |name: &Ref| aliases.resolve(name).filter(|now| !catalog.knows(name) && catalog.knows(now));
        let vouched = if query.at_a_gate { vouched(ws, ctx, &aliases) } else { aliases.clone() };
        let debt_of =
            |name: &Ref| vouched.resolve(name).filter(|now| !catalog.knows(name) && catalog.knows(now));
        let records = Records::read(ws, ctx, scope, &debt_of)?;
        let KnownRuns { mut runs, mut past, moments, problems } =
            known_runs::known(ws, ctx, tree.as_deref())?;
        for links in runs.iter_mut().map(|run| &mut run.links).chain(&mut past) {
            // What was shown of a promise under its old name was shown of it.
            let renamed: Vec<_> =
                links.iter().filter_map(|(old, one)| Some((today_of(old)?, one.clone()))).collect();
            for (now, one) in renamed {
                links.entry(now).or_insert(one);
            }
        }
        let today = ctx.now().strftime("%Y-%m-%d").to_string();
        let known = Known {
            links: &survey.links,
            runs: &runs,
            past: &past,
            accepted: &records.accepted,
            baseline_uncovered: records.baseline.uncovered.clone(),
            baseline_failing: records.baseline.failing.clone(),
            waivers: records.waivers.clone(),
            today: &today,
        };
        let judge = Matrix::new(&known);
        let (selection, chosen) = target.choose(&catalog)?;
        let mut rows: Vec<(Arc<str>, Row)> = Vec::with_capacity(chosen.len());
        for (index, (file, promise)) in chosen.into_iter().enumerate() {
            if index.is_multiple_of(1024) {
                ctx.check()?;
            }
            rows.push((Arc::clone(file), judge.row(promise, catalog.siblings(&promise.reference))));
        }
        if let Some(revision) = &query.since {
            let since = Before::revision(ws, ctx, revision)?;
            let moved = since.moved(&survey.links);
            rows.retain(|(file, row)| {
                let reference = &row.promise.reference;
                let linked = moved.contains(reference) || moved.contains(&reference.whole_requirement());
                linked || is_new(&since, file, &row.promise)
            });
        }
        drop(judge);
        let mut records = records;
        records.problems.extend(problems);
        let whole = matches!(target, Target::All);
        let filtered = query.since.is_some();
        Ok(Self { selection, rows, survey, records, runs, past, moments, whole, filtered })
    }

    /// The rows in this state, or all of them.
    pub(super) fn choose(&self, state: Option<State>) -> Chosen<'_> {
        let rows = self.rows.iter().filter(|(_, row)| state.is_none_or(|state| row.state == state));
        Chosen::new(self, rows.collect(), self.filtered || state.is_some())
    }

    /// Names in the baseline that are debt no more.
    fn paid(&self, chosen: &Chosen<'_>) -> Vec<String> {
        let baseline = &self.records.baseline;
        if !self.whole || chosen.filtered || (baseline.uncovered.is_empty() && baseline.failing.is_empty()) {
            return Vec::new();
        }
        let open = self.rows.iter().filter(|(_, row)| !row.state.is_proven());
        let open: BTreeSet<&Ref> = open.map(|(_, row)| &row.promise.reference).collect();
        let failing: BTreeSet<&str> =
            self.rows.iter().flat_map(|(_, row)| &row.failing).map(String::as_str).collect();
        let refs = baseline.uncovered.iter().filter(|name| !open.contains(name)).map(ToString::to_string);
        let known_runs = !self.runs.is_empty();
        let tests =
            baseline.failing.iter().filter(|name| known_runs && !failing.contains(name.as_str())).cloned();
        refs.chain(tests).collect()
    }

    /// Tests that failed in the runs of exactly this tree and are nobody's known debt.
    fn failures(&self) -> Vec<String> {
        let known = &self.records.baseline.failing;
        let failed = self.runs.iter().filter(|run| run.exact && run.counts).flat_map(|run| {
            let failed = run.cases.iter().filter(|case| case.outcome == CaseOutcome::Failed);
            failed.map(|case| case_name(&run.check, case))
        });
        failed.filter(|name| !known.contains(name)).collect()
    }

    fn untagged(&self) -> usize {
        let tests: Vec<_> = self.survey.links.iter().filter(|link| link.kind == LinkKind::Test).collect();
        let mut untagged = 0;
        for run in &self.runs {
            let index = CaseIndex::new(&run.cases);
            let mut linked: BTreeSet<*const _> = BTreeSet::new();
            for link in &tests {
                if let Matched::Cases(cases) = index.of(link) {
                    linked.extend(cases.into_iter().map(std::ptr::from_ref));
                }
            }
            untagged += run
                .cases
                .iter()
                .filter(|case| case.refs.is_empty() && !linked.contains(&std::ptr::from_ref(*case)))
                .count();
        }
        untagged
    }

    /// A file in whose style a tag is shown where the promise has none: one of a linked test, else of the project.
    pub(super) fn house(&self, ws: &Workspace, ctx: &Context) -> Option<String> {
        let tests = self.survey.links.iter().filter(|link| link.kind == LinkKind::Test);
        let linked = tests.map(|link| link.path.clone()).next();
        linked.or_else(|| super::house_file(ws, ctx))
    }

    /// The view of what was chosen, with as many rows as somebody wants to see.
    pub(super) fn view_with(
        &self,
        ws: &Workspace,
        ctx: &Context,
        chosen: &Chosen<'_>,
        rows: Vec<PromiseView>,
    ) -> Result<MatrixView> {
        let loaded = super::load(ws, ctx)?;
        let settings = &loaded.settings;
        let summary = Summary::of(chosen.rows.iter().map(|(_, row)| row));
        // Whoever looks at one state only learns of it; whether all is well is asked of everything.
        let all = Summary::of(self.rows.iter().map(|(_, row)| row));
        let mut problems: Vec<LinkProblemView> = loaded.problems().collect();
        problems.extend(self.records.problems.iter().cloned());
        if self.whole {
            problems.extend(self.survey.problems.iter().cloned());
            let share = settings.min_verified.filter(|_| all.total > 0 && !self.filtered);
            if let Some(least) = share.filter(|least| all.verified() * 100 < all.total * usize::from(*least))
            {
                let message = format!(
                    "{} of {} scenarios are verified; {least} % have to be",
                    all.verified(),
                    all.total
                );
                problems.push(LinkProblemView {
                    error: "min_verified".to_owned(),
                    path: ".hewto/proof.toml".to_owned(),
                    line: 1,
                    message,
                    hint: "link and run more tests, or lower `min_verified`".to_owned(),
                    ..LinkProblemView::default()
                });
            }
        }
        let failures = self.failures();
        if let Some(first) = failures.first().filter(|_| self.whole) {
            let more =
                if failures.len() > 1 { format!(" and {} more", failures.len() - 1) } else { String::new() };
            problems.push(LinkProblemView {
                error: "tests_failed".to_owned(),
                path: ".hewto/proof.toml".to_owned(),
                line: 1,
                message: format!("a test fails that is not known debt: `{first}`{more}"),
                hint: "fix it; what a person lets pass goes into the baseline".to_owned(),
                ..LinkProblemView::default()
            });
        }
        let blocking = problems.iter().any(|problem| problem.severity == ProblemSeverity::Error);
        let line = summary.line();
        Ok(MatrixView {
            version: VERSION,
            selection: self.selection.clone(),
            green: all.red == 0 && !blocking,
            red_left_out: all.red - summary.red,
            policy: settings.policy.as_str().to_owned(),
            rows,
            problems,
            paid: self.paid(chosen),
            failures,
            runs: self.runs.iter().map(run_view).collect(),
            untagged_tests: self.untagged(),
            page: None,
            summary: MatrixSummary {
                total: summary.total,
                verified: summary.verified(),
                debt: summary.debt,
                red: summary.red,
                states: summary.by_state,
                line,
            },
        })
    }
}

/// Whether a promise was not there, or read otherwise, in the former state of its file.
fn is_new(since: &Before, file: &str, promise: &Promise) -> bool {
    if !since.changed.contains(file) {
        return false;
    }
    let then =
        since.text(file).map(|text| read_promises(promise.reference.capability(), text)).unwrap_or_default();
    !then.iter().any(|old| old.reference == promise.reference && old.says_the_same(promise))
}
