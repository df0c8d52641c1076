//! Whether people have approved what is there now.

use hewto_core::proof::settings::{Gate, GateSet};
use hewto_core::review::{Digest, FORM, Permission, Standing};
use hewto_store::Context;
use serde_json::json;

use super::point::Point;
use super::policy::Policy;
use crate::error::{Action, Hint, Key, Result};
use crate::review::{self, Records, Refusal, ReviewOptions, Subject};
use crate::workspace::Workspace;

/// How many lines of what will be shown a refusal tells.
const LINES_SHOWN: usize = 12;

/// What the approval of an item allows beyond itself, or what is missing of it.
pub(crate) fn approval_of(
    ws: &Workspace,
    ctx: &Context,
    subject: &Subject,
    gates: &GateSet,
    gate: Gate,
) -> Result<Result<Vec<Permission>, Point>> {
    let name = subject.name();
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    let weighed = records.weigh(ctx, &name, subject.digest, gate, gates);
    let version = records.version_of(&subject.digest);
    let by = |uid| records.voice(uid).map(|voice| voice.person().to_owned()).unwrap_or_default();
    let mut standing = review::standing_name(&weighed.standing);
    let (key, message) = match &weighed.standing {
        Standing::Approved { uid, allows } => {
            let at = records.voice(uid).map(|voice| voice.record.head.at);
            let outlasts = |refusal: &Refusal| at.is_none_or(|at| refusal.outlasts(uid, at));
            match review::known_refusal(ws, ctx, &name, &subject.digest).filter(outlasts) {
                None => return Ok(Ok(allows.clone())),
                Some(Refusal { uid: refusal, .. }) => {
                    standing = review::standing_name(&Standing::Pending);
                    let message = format!(
                        "a later verdict on version {version} of `{name}` is missing: `{refusal}` did not approve it"
                    );
                    (Key::ApprovalPending, message)
                }
            }
        }
        Standing::Stale { uid } => {
            let head = records.voice(uid).map(|voice| &voice.record.head);
            let then = head.map_or(0, |head| head.version);
            let message = match head.filter(|head| head.form != FORM) {
                Some(head) => format!(
                    "`{}` approved version {then} of `{name}` by an earlier digest (form {}, now {FORM}) that left out parts of the plan; the approval does not count for version {version}",
                    by(uid),
                    head.form,
                ),
                None => format!(
                    "`{name}` has changed since `{}` approved version {then}; the approval does not count for version {version}",
                    by(uid)
                ),
            };
            (Key::ApprovalStale, message)
        }
        Standing::Refused { uid, verdict } => {
            let said = match verdict {
                review::Verdict::Rejected => "rejected",
                review::Verdict::ChangesRequested | review::Verdict::Approved => "asked for changes of",
            };
            (Key::ApprovalPending, format!("`{}` has {said} version {version} of `{name}`", by(uid)))
        }
        Standing::Pending => {
            (Key::ApprovalPending, format!("no person has approved version {version} of `{name}`"))
        }
    };
    let open = review::open_comments(ctx, &records, &subject.meaning)?.len();
    let doubts: Vec<String> = records.doubtful(&weighed.doubts).into_iter().map(|one| one.message).collect();
    let shown = review::show_subject(ws, ctx, subject, ReviewOptions::default())?;
    let lines: Vec<&str> =
        shown.differences.iter().take(LINES_SHOWN).map(|difference| difference.text.as_str()).collect();
    let left = shown.differences.len() - lines.len();
    let command = match gate {
        Gate::Weakest(review::Channel::Signed) => format!("hewto approve {name} --sign KEY"),
        Gate::Weakest(review::Channel::Touch) => format!("hewto approve {name} --sign SECURITY_KEY"),
        Gate::None | Gate::Weakest(_) => format!("hewto approve {name}"),
    };
    let mut point = Point::new(
        key,
        message,
        Hint::from(format!("ask a person to run `{command}` (or to decide on the dashboard), and "))
            .action(Action::AwaitApproval { item: name.clone() }),
    )
    .detail("digest", subject.digest.to_string())
    .detail("version", version)
    .detail("gate", gate.to_string())
    .detail("standing", standing)
    .detail("review", format!("hewto review show {name}"))
    .detail("shown", json!(lines));
    if left > 0 {
        point = point.detail("shown_more", left);
    }
    if open > 0 {
        point = point.detail("open_comments", open);
    }
    if !doubts.is_empty() {
        point = point.detail("ignored_records", json!(doubts));
    }
    if let Some(reviewers) = &gates.reviewers {
        point = point.detail("reviewers", json!(reviewers));
    }
    Ok(Err(point))
}

/// What became of the approval of an item whose text was just changed; `None` when it had none that counts.
pub(crate) fn lost_approval(
    ws: &Workspace,
    ctx: &Context,
    before: &Digest,
    subject: &Subject,
) -> Result<Option<String>> {
    if subject.digest == *before {
        return Ok(None);
    }
    let gates = Policy::at_the_door(ws, ctx)?.gates_of(subject);
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    let name = subject.name();
    let weighed = records.weigh(ctx, &name, *before, gates.plan(), &gates);
    let Standing::Approved { uid, .. } = weighed.standing else { return Ok(None) };
    let Some(voice) = records.voice(&uid) else { return Ok(None) };
    Ok(Some(format!(
        "the approval of version {} by `{}` no longer counts: what was approved is not what is there; ask a person to run `hewto approve {name}`",
        voice.record.head.version,
        voice.person(),
    )))
}
