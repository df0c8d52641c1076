//! What whoever decides gets to see: what is different since the last approval, who said what, and the comments.

use hewto_core::review::{Difference, Doubt, Standing, Voice, differences};
use hewto_store::Context;

use super::comment::views;
use super::next_gate::AtNextGate;
use super::records::{Records, explain};
use super::snapshot;
use super::subject::Subject;
use crate::error::Result;
use crate::gate::Policy;
use crate::view::{ReviewDifference, ReviewView, VerdictGiven};
use crate::workspace::Workspace;

/// How much is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewOptions {
    /// Everything, and not only what is different since the last approval.
    pub whole: bool,
}

/// An item as a reviewer sees it.
pub fn show(ws: &Workspace, ctx: &Context, id: &str, options: ReviewOptions) -> Result<ReviewView> {
    show_subject(ws, ctx, &Subject::load(ws, ctx, id)?, options)
}

pub(crate) fn show_subject(
    ws: &Workspace,
    ctx: &Context,
    subject: &Subject,
    options: ReviewOptions,
) -> Result<ReviewView> {
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    let policy = Policy::at_the_door(ws, ctx)?;
    let AtNextGate { gate, gates, weighed } = AtNextGate::of(ws, ctx, &policy, subject, &records);
    let before = approved_before(&records, &weighed.doubts);
    let known = before.filter(|_| !options.whole).and_then(|voice| {
        let meaning = snapshot::find(ws, &voice.record.head.content)?;
        Some((voice.record.head.version, meaning))
    });
    let found = differences(known.as_ref().map(|(_, meaning)| meaning), &subject.meaning);
    let mut problems: Vec<String> = records
        .findings
        .iter()
        .map(|finding| match finding.line {
            Some(line) => format!("{}:{line}: {}", finding.file, finding.message),
            None => format!("{}: {}", finding.file, finding.message),
        })
        .collect();
    problems.sort();
    Ok(ReviewView {
        spec_id: subject.name(),
        title: subject.title.clone(),
        version: records.version_of(&subject.digest),
        digest: subject.digest.to_string(),
        standing: standing_name(&weighed.standing).to_owned(),
        gate: gate.to_string(),
        reviewers: gates.reviewers.clone().unwrap_or_default(),
        since_version: known.map(|(version, _)| version),
        differences: found.into_iter().map(difference).collect(),
        verdicts: verdicts(&records, subject, &weighed.doubts),
        comments: views(ctx, &records, &subject.meaning)?,
        problems,
    })
}

pub(crate) fn standing_name(standing: &Standing) -> &'static str {
    match standing {
        Standing::Pending => "pending",
        Standing::Approved { .. } => "approved",
        Standing::Refused { verdict, .. } => verdict.as_str(),
        Standing::Stale { .. } => "stale",
    }
}

/// The last approval that was believed, whatever it approved.
fn approved_before<'r>(
    records: &'r Records,
    doubts: &[(hewto_core::decision::uid::Uid, Doubt)],
) -> Option<&'r Voice> {
    records.voices.iter().rfind(|voice| {
        voice.record.verdict() == Some(hewto_core::review::Verdict::Approved)
            && !doubts.iter().any(|(uid, _)| *uid == voice.uid)
    })
}

fn verdicts(
    records: &Records,
    subject: &Subject,
    doubts: &[(hewto_core::decision::uid::Uid, Doubt)],
) -> Vec<VerdictGiven> {
    let given = records.voices.iter().filter_map(|voice| {
        let head = &voice.record.head;
        let doubt = doubts.iter().find(|(uid, _)| *uid == voice.uid);
        Some(VerdictGiven {
            record: voice.uid.to_string(),
            verdict: voice.record.verdict()?.to_string(),
            by: voice.person().to_owned(),
            channel: voice.channel().unwrap_or(head.channel).to_string(),
            at: head.at.to_string(),
            version: head.version,
            current: head.content == subject.digest,
            doubt: doubt.map(|(_, doubt)| explain(doubt).0),
            note: Some(voice.record.text.clone()).filter(|text| !text.is_empty()),
        })
    });
    given.collect()
}

fn difference(difference: Difference) -> ReviewDifference {
    let text = difference.line();
    let Difference { kind, place, before, after } = difference;
    ReviewDifference {
        text,
        kind: kind.as_str().to_owned(),
        capability: place.capability,
        requirement: place.requirement,
        scenario: place.scenario,
        step: place.step,
        before,
        after,
    }
}
