//! What bears on a task, how much, and why: gathered from questions, links and the graph.

use std::collections::HashMap;

use hewto_core::artifact::{Handle, Scheme};
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::id::SpecId;
use hewto_core::near::fold;
use hewto_core::workspace_graph::Relation;
use hewto_search::{Kind as EntryKind, Query};
use hewto_store::Context;

use super::query::Current;
use super::show::{Subject, decision_id};
use crate::change::ChangeFolder;
use crate::error::Result;
use crate::graph;
use crate::workspace::Workspace;

/// So many things are shown or named at most.
pub(super) const MOST_ITEMS: usize = 20;
/// What a question found with less than this share of the best score is not among the few that matter.
const NEAR_THE_BEST: f64 = 0.6;
/// What an open change takes over from a requirement that it alters.
const THROUGH_A_CHANGE: f64 = 0.9;
/// What depends on a spec takes over from its best requirement; of so many specs at most.
const THROUGH_THE_GRAPH: f64 = 0.5;
const BEST_SPECS: usize = 3;
const MOST_DEPENDENTS: usize = 3;

/// Subjects with the best score that anything gave them.
#[derive(Debug, Default)]
pub(super) struct Found {
    subjects: HashMap<Subject, Merit>,
    pub(super) mode: String,
    /// How sure the surest question was.
    pub(super) confidence: f64,
}

#[derive(Debug, Default)]
struct Merit {
    score: f64,
    /// Its place in the answer that gave it the score.
    rank: usize,
    /// Whether a file that was named leads to it, and no likeness of words or meaning alone.
    linked: bool,
    why: Vec<String>,
}

/// What is worth reading, and why.
#[derive(Debug)]
pub(super) struct Best {
    pub(super) subject: Subject,
    pub(super) score: f64,
    pub(super) linked: bool,
    pub(super) why: String,
}

impl Found {
    /// Takes in the best of what is promised, decided or open. What was archived says the same and more often.
    pub(super) fn ask(
        &mut self,
        ctx: &Context,
        current: &Current<'_>,
        question: &str,
        why: &str,
    ) -> Result<()> {
        // What a task quotes is a label or a message; whoever searches means it as it stands.
        let question = question.replace('"', " ");
        let query = Query {
            limit: MOST_ITEMS,
            kinds: vec![EntryKind::Requirement, EntryKind::Decision, EntryKind::Change],
            ..Query::new(&question)
        };
        let answer = current.ask(ctx, &query)?;
        // The mode is that of the first question that found something: the others ranked nothing before it.
        if self.mode.is_empty() || (self.subjects.is_empty() && !answer.hits.is_empty()) {
            self.mode = answer.mode;
        }
        if !answer.hits.is_empty() {
            self.confidence = self.confidence.max(f64::from(answer.confidence));
        }
        let best = answer.hits.first().map_or(0.0, |hit| f64::from(hit.score));
        for (rank, hit) in answer.hits.into_iter().enumerate() {
            let score = f64::from(hit.score);
            if score < best * NEAR_THE_BEST {
                break;
            }
            if let Some(subject) = Subject::of(hit) {
                self.add(subject, score, rank, why.to_owned());
            }
        }
        Ok(())
    }

    fn add(&mut self, subject: Subject, score: f64, rank: usize, why: String) {
        let known = self.subjects.entry(subject).or_default();
        let is_better = score.total_cmp(&known.score).then_with(|| known.rank.cmp(&rank)).is_gt();
        if known.why.is_empty() || is_better {
            (known.score, known.rank) = (score, rank);
        }
        if !known.why.contains(&why) {
            known.why.push(why);
        }
    }

    /// Adds what a file that was named leads to, whatever the words are.
    pub(super) fn add_linked(&mut self, subject: Subject, score: f64, why: String) {
        self.subjects.entry(subject.clone()).or_default().linked = true;
        self.add(subject, score, 0, why);
    }

    /// Adds what is there because of something else that is, behind whatever has the same score.
    fn add_through(&mut self, subject: Subject, score: f64, why: String) {
        self.add(subject, score, usize::MAX, why);
    }

    /// A change comes behind what it alters, however well its own words fit: what holds now is read first. One that a
    /// file belongs to is what the work is about, and keeps its place.
    fn put_behind(&mut self, change: &Subject, altered: f64) {
        if let Some(merit) = self.subjects.get_mut(change).filter(|merit| !merit.linked) {
            merit.score = merit.score.min(altered);
            merit.rank = usize::MAX;
        }
    }

    /// Open changes that alter what was found bear on the task as well.
    pub(super) fn join_changes(&mut self, ws: &Workspace, ctx: &Context) -> Result<()> {
        for entry in ws.store().changes(ctx)?.changes {
            // A change that cannot be read is for `validate` to tell about.
            let Ok(change) = ChangeFolder::read(ws, ctx, entry) else { continue };
            let mut best: Option<(f64, String)> = None;
            for delta in &change.deltas {
                let document = Document::parse(&delta.document.text);
                let delta_doc = DeltaDoc::read(&document);
                for (name, _) in delta_doc.requirements() {
                    let before = delta_doc.name_before(name);
                    let score = self.score_of(delta.capability.as_str(), before);
                    if score > best.as_ref().map_or(0.0, |(best, _)| *best) {
                        best = Some((score, format!("is about to alter {before}")));
                    }
                }
            }
            if let Some((score, why)) = best {
                let subject = Subject::Change(change.id().to_owned());
                self.put_behind(&subject, score);
                self.add_through(subject, THROUGH_A_CHANGE * score, why);
            }
        }
        Ok(())
    }

    /// Specs and decisions that depend on the specs that matter most: what is done here may break them.
    pub(super) fn join_dependents(&mut self, ws: &Workspace, ctx: &Context) -> Result<()> {
        let best = self.best_specs();
        if best.is_empty() {
            return Ok(());
        }
        let graph = graph::load(ws, ctx)?;
        for (spec, score) in best {
            let Ok(id) = SpecId::parse(&spec) else { continue };
            let Some(node) = graph.find(&Handle::new(Scheme::Spec, id)) else { continue };
            let dependents = graph.incoming(node).filter(|edge| edge.relation == Relation::Depends);
            for edge in dependents.take(MOST_DEPENDENTS) {
                let other = graph.node(edge.from);
                let why = format!("depends on `{spec}`");
                let subject = match other.handle.strip_prefix("spec://") {
                    Some(id) => SpecId::from_segment(id).ok().map(|id| Subject::Spec(id.to_string())),
                    None => {
                        other.path.as_deref().and_then(|path| decision_id(ws, path)).map(Subject::Decision)
                    }
                };
                if let Some(subject) = subject {
                    self.add_through(subject, THROUGH_THE_GRAPH * score, why);
                }
            }
        }
        Ok(())
    }

    /// The specs with the best requirements, best first.
    fn best_specs(&self) -> Vec<(String, f64)> {
        let mut specs: HashMap<&str, f64> = HashMap::new();
        for (subject, merit) in &self.subjects {
            if let Subject::Requirement { spec, .. } = subject {
                let known = specs.entry(spec).or_default();
                *known = known.max(merit.score);
            }
        }
        let mut specs: Vec<(String, f64)> =
            specs.into_iter().map(|(spec, score)| (spec.to_owned(), score)).collect();
        specs.sort_by(|(a, a_score), (b, b_score)| b_score.total_cmp(a_score).then_with(|| a.cmp(b)));
        specs.truncate(BEST_SPECS);
        specs
    }

    fn score_of(&self, spec: &str, requirement: &str) -> f64 {
        let wanted = fold(requirement);
        let same = |subject: &Subject| matches!(subject, Subject::Requirement { spec: id, name } if id == spec && fold(name) == wanted);
        self.subjects
            .iter()
            .filter(|(subject, _)| same(subject))
            .map(|(_, merit)| merit.score)
            .fold(0.0, f64::max)
    }

    /// Best first, what is equal as the search ranked it, each with the reasons that it is there for.
    pub(super) fn best(&self) -> Vec<Best> {
        let mut all: Vec<(&Subject, &Merit)> = self.subjects.iter().collect();
        all.sort_by(|(a, a_merit), (b, b_merit)| {
            b_merit
                .score
                .total_cmp(&a_merit.score)
                .then_with(|| b_merit.linked.cmp(&a_merit.linked))
                .then_with(|| a_merit.rank.cmp(&b_merit.rank))
                .then_with(|| a.cmp(b))
        });
        let best = |(subject, merit): (&Subject, &Merit)| Best {
            subject: subject.clone(),
            score: merit.score,
            linked: merit.linked,
            why: merit.why.join("; "),
        };
        all.into_iter().map(best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scores_the_same_keeps_the_order_of_the_search() {
        let decision = |id: &str| Subject::Decision(id.to_owned());
        let mut found = Found::default();
        for (rank, id) in ["zebra", "ant", "mole"].into_iter().enumerate() {
            found.add(decision(id), 0.7, rank, "task".to_owned());
        }
        // Another question found one of them with less, and one as well and earlier.
        found.add(decision("zebra"), 0.6, 5, "file".to_owned());
        found.add(decision("mole"), 0.7, 0, "file".to_owned());
        let order = |found: &Found| found.best().into_iter().map(|best| best.subject).collect::<Vec<_>>();
        assert_eq!(order(&found), [decision("mole"), decision("zebra"), decision("ant")]);
        found.add_linked(decision("owl"), 0.7, "named".to_owned());
        assert_eq!(order(&found)[0], decision("owl"), "what is there for a better reason comes first");
    }

    #[test]
    fn a_change_comes_behind_what_it_alters_unless_a_file_belongs_to_it() {
        let change = Subject::Change("longer".to_owned());
        let requirement = Subject::Requirement { spec: "refunds".to_owned(), name: "Window".to_owned() };
        let mut found = Found::default();
        found.add(change.clone(), 0.8, 0, "task".to_owned());
        found.add(requirement.clone(), 0.6, 1, "task".to_owned());
        found.put_behind(&change, 0.6);
        let order = |found: &Found| found.best().into_iter().map(|best| best.subject).collect::<Vec<_>>();
        assert_eq!(order(&found), [requirement.clone(), change.clone()]);
        found.add_linked(change.clone(), 1.0, "file".to_owned());
        found.put_behind(&change, 0.6);
        assert_eq!(order(&found), [change, requirement]);
    }
}
