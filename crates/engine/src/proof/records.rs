//! The records of people beside the specs: baseline, waivers, acceptances.
//!
//! What lets something pass counts only if it was made here, by the channel of a person, or has already come through
//! review into the default branch. Anything else is told and counts for nothing (D-18).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hewto_core::proof::Ref;
use hewto_core::proof::ledger::{AcceptedFile, Baseline, WaiverEntry, Waivers};
use hewto_core::proof::matrix::{Accepted, Waiver};
use hewto_store::{Context, DocKey, Own};

use super::authentic;
use super::person::Rule;
use super::since::Reviewed;
use super::survey::read;
use crate::error::Result;
use crate::gate::Policy;
use crate::view::{LinkProblemView, ProblemSeverity};
use crate::workspace::Workspace;

const BASELINE: &str = Own::Baseline.path();
const WAIVERS: &str = Own::Waivers.path();

/// What the seals of baselines are for.
pub(crate) const BASELINE_PURPOSE: &str = "baseline";

/// How much is asked: one promise does not need to know whether the baseline has grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordScope {
    Whole,
    Part,
    /// What opens a gate: of the known debt only what somebody vouches for.
    Gate,
}

/// What people have said, as far as it counts.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) baseline: Baseline,
    pub(crate) waivers: BTreeMap<Ref, Waiver>,
    pub(crate) accepted: Vec<(Ref, Accepted)>,
    pub(crate) problems: Vec<LinkProblemView>,
}

impl Records {
    /// Reads all of them; `reviewed` is what the default branch has.
    ///
    /// What was renamed since is meant by its new name, which `renamed` gives.
    pub(crate) fn read(
        ws: &Workspace,
        ctx: &Context,
        scope: RecordScope,
        renamed: &dyn Fn(&Ref) -> Option<Ref>,
    ) -> Result<Self> {
        let reviewed = Reviewed::new(ws, ctx);
        let mut records = Self::default();
        if let Some(text) = read(ws, ctx, Own::Baseline)? {
            records.baseline = Baseline::read(&text);
            for fault in &records.baseline.faults {
                let hint = "correct the file; a broken baseline suppresses nothing";
                let problem = problem("baseline_invalid", BASELINE, fault.line, fault.message.clone(), hint);
                records.problems.push(problem);
            }
        }
        match scope {
            RecordScope::Whole => records.grown(&reviewed, renamed),
            RecordScope::Gate if !is_vouched(ctx, &records.baseline) => {
                // Whoever writes a name into the file has not let anything pass: the default branch, or a person, does.
                let known = reviewed.text(BASELINE).map(Baseline::read).unwrap_or_default();
                records.baseline = records.baseline.shared_with(&known);
            }
            RecordScope::Gate | RecordScope::Part => {}
        }
        records.waivers(ws, ctx, &reviewed)?;
        records.accepted(ws, ctx, &reviewed)?;
        records.follow(renamed);
        Ok(records)
    }

    fn follow(&mut self, renamed: &dyn Fn(&Ref) -> Option<Ref>) {
        let now = |name: Ref| renamed(&name).unwrap_or(name);
        self.baseline.uncovered = std::mem::take(&mut self.baseline.uncovered).into_iter().map(now).collect();
        self.waivers =
            std::mem::take(&mut self.waivers).into_iter().map(|(name, one)| (now(name), one)).collect();
        for (name, _) in &mut self.accepted {
            *name = now(name.clone());
        }
    }

    fn grown(&mut self, reviewed: &Reviewed<'_>, renamed: &dyn Fn(&Ref) -> Option<Ref>) {
        if self.baseline.is_empty() {
            return;
        }
        let Some(mut old) = reviewed.text(BASELINE).map(Baseline::read) else { return };
        // A new name of old debt is no new debt.
        old.uncovered.extend(old.uncovered.iter().filter_map(renamed).collect::<Vec<_>>());
        let grown = self.baseline.beyond(&old);
        let names = grown.uncovered.iter().map(ToString::to_string).chain(grown.failing.iter().cloned());
        let names: Vec<String> = names.collect();
        if let Some(first) = names.first() {
            let message = match names.len() {
                1 => format!("the baseline has grown by `{first}`"),
                n => format!("the baseline has grown by `{first}` and {} more", n - 1),
            };
            let hint = "known debt only shrinks: link a test, or let a person waive the promise with `hewto proof waive`";
            self.problems.push(LinkProblemView {
                near: names,
                ..problem("baseline_grew", BASELINE, 1, message, hint)
            });
        }
    }

    fn waivers(&mut self, ws: &Workspace, ctx: &Context, reviewed: &Reviewed<'_>) -> Result<()> {
        let Some(text) = read(ws, ctx, Own::Waivers)? else { return Ok(()) };
        let waivers = Waivers::read(&text);
        for fault in waivers.faults {
            let hint = "make it again with `hewto proof waive`";
            self.problems.push(problem("waiver_invalid", WAIVERS, fault.line, fault.message, hint));
        }
        let is_reviewed = |entry: &WaiverEntry| {
            reviewed.text(WAIVERS).is_some_and(|text| Waivers::read(text).entries.contains(entry))
        };
        let rules = Rules::new(ws, ctx);
        for entry in waivers.entries {
            let is_ours = authentic::is_ours(ctx, "waiver", &entry.signed(), &entry.mac);
            let may = is_ours && rules.admit(&entry.reference, &entry.by, &entry.channel)?;
            if may || is_reviewed(&entry) {
                let WaiverEntry { reference, until, reason, .. } = entry;
                self.waivers.insert(reference, Waiver { until, reason });
                continue;
            }
            let message = if is_ours {
                format!("the gates want another word than the waiver of `{}` has", entry.reference)
            } else {
                format!("nobody vouches for the waiver of `{}`", entry.reference)
            };
            self.problems.push(unconfirmed(WAIVERS, &entry.reference, message, "hewto proof waive"));
        }
        Ok(())
    }

    fn accepted(&mut self, ws: &Workspace, ctx: &Context, reviewed: &Reviewed<'_>) -> Result<()> {
        let folder = &ws.places().accepted;
        let rules = Rules::new(ws, ctx);
        for below in ws.store().tree(ctx, folder)?.iter().filter(|below| below.ends_with(".toml")) {
            let Ok(key) = folder.document(below) else { continue };
            let Ok(Some(doc)) = ws.store().read(ctx, &key) else { continue };
            let path = &doc.path;
            let (entries, faults) = AcceptedFile::read(&doc.text);
            for fault in faults {
                let hint = "make it again with `hewto drift accept`";
                self.problems.push(problem(
                    "acceptance_invalid",
                    path.as_str(),
                    fault.line,
                    fault.message,
                    hint,
                ));
            }
            let is_reviewed = |entry: &AcceptedFile| {
                reviewed.text(path.as_str()).is_some_and(|text| AcceptedFile::read(text).0.contains(entry))
            };
            for entry in entries {
                let is_ours = authentic::is_ours(ctx, "accepted", &entry.signed(), &entry.mac);
                let may = is_ours && rules.admit(&entry.reference, &entry.by, &entry.channel)?;
                if may || is_reviewed(&entry) {
                    self.accepted.push((entry.reference, Accepted { at: entry.at, hashes: entry.hashes }));
                    continue;
                }
                let message = if is_ours {
                    format!("the gates want another word than the acceptance of `{}` has", entry.reference)
                } else {
                    format!("nobody vouches for the acceptance of `{}`", entry.reference)
                };
                self.problems.push(unconfirmed(
                    path.as_str(),
                    &entry.reference,
                    message,
                    "hewto drift accept",
                ));
            }
        }
        Ok(())
    }
}

/// What the gates want of whoever lets something pass, found out when it is first asked.
struct Rules<'a> {
    ws: &'a Workspace,
    ctx: &'a Context,
    policy: OnceCell<Policy>,
}

impl<'a> Rules<'a> {
    fn new(ws: &'a Workspace, ctx: &'a Context) -> Self {
        Self { ws, ctx, policy: OnceCell::new() }
    }

    fn admit(&self, reference: &Ref, name: &str, channel: &str) -> Result<bool> {
        let policy = if let Some(policy) = self.policy.get() {
            policy
        } else {
            let policy = Policy::at_the_door(self.ws, self.ctx)?;
            self.policy.get_or_init(|| policy)
        };
        Ok(Rule::of(policy, self.ws, Some(reference.capability())).admits(name, channel))
    }
}

/// Whether a person let a baseline grow to this, on this machine.
pub(super) fn is_vouched(ctx: &Context, baseline: &Baseline) -> bool {
    let mac = baseline.mac.as_deref();
    mac.is_some_and(|mac| authentic::is_ours(ctx, BASELINE_PURPOSE, &baseline.signed(), mac))
}

/// Where the acceptances of a requirement stand.
pub(crate) fn accepted_key(ws: &Workspace, reference: &Ref) -> Option<DocKey> {
    let below = format!("{}/{}.toml", reference.capability(), reference.requirement());
    ws.places().accepted.document(&below).ok()
}

fn unconfirmed(path: &str, reference: &Ref, message: String, command: &str) -> LinkProblemView {
    let hint = format!("let a person make it with `{command}`, or have it reviewed into the default branch");
    LinkProblemView {
        reference: Some(reference.clone()),
        severity: ProblemSeverity::Warning,
        ..problem("record_unconfirmed", path, 1, message, &hint)
    }
}

fn problem(key: &str, path: &str, line: u32, message: String, hint: &str) -> LinkProblemView {
    LinkProblemView {
        error: key.to_owned(),
        path: path.to_owned(),
        line,
        message,
        hint: hint.to_owned(),
        ..LinkProblemView::default()
    }
}
