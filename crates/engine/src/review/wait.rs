//! `approval_wait`: stays until somebody has decided, anywhere, or time is up. It holds no lock, and asking again goes on.

use std::time::{Duration, Instant};

use hewto_core::review::Standing;
use hewto_store::Context;

use super::comment::open_comments;
use super::next_gate::AtNextGate;
use super::records::Records;
use super::show::standing_name;
use super::subject::Subject;
use crate::error::{Action, Hint, Result};
use crate::gate::Policy;
use crate::view::Waited;
use crate::workspace::Workspace;

/// No call waits longer; clients give up on calls that do.
pub const LONGEST_WAIT: Duration = Duration::from_secs(25);
/// How often the records are looked at.
const GLANCE: Duration = Duration::from_millis(150);

/// How long to wait, and how a thread passes the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience(pub Duration);

/// Waits for a verdict on what is there now.
pub fn wait(ws: &Workspace, ctx: &Context, id: &str, patience: Patience) -> Result<Waited> {
    let until = Instant::now() + patience.0.min(LONGEST_WAIT);
    // What the doors ask for; git is not asked again at every glance.
    let policy = Policy::at_the_door(ws, ctx)?;
    loop {
        let waited = look(ws, ctx, id, &policy)?;
        let left = until.saturating_duration_since(Instant::now());
        if waited.decided || left.is_zero() {
            return Ok(waited);
        }
        ctx.check()?;
        std::thread::sleep(GLANCE.min(left));
    }
}

/// Where things stand at this moment.
fn look(ws: &Workspace, ctx: &Context, id: &str, policy: &Policy) -> Result<Waited> {
    let subject = Subject::load(ws, ctx, id)?;
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    let name = subject.name();
    let AtNextGate { weighed, .. } = AtNextGate::of(ws, ctx, policy, &subject, &records);
    let decider = match &weighed.standing {
        Standing::Approved { uid, .. } | Standing::Refused { uid, .. } => records.voice(uid),
        Standing::Pending | Standing::Stale { .. } => None,
    };
    let again = Action::AwaitApproval { item: name.clone() };
    let next = match &weighed.standing {
        Standing::Approved { .. } => match name.strip_prefix("change:").filter(|_| subject.is_built) {
            Some(change) => ctx.say(Action::ArchiveChange { change: change.to_owned() }),
            None => ctx.say(Action::StartBuild { item: name.clone() }.then(", or go on building")),
        },
        Standing::Refused { .. } => {
            let hint = Hint::from("work off the comments and the note, then ").action(again);
            ctx.say(hint.text(" again, for the new version"))
        }
        Standing::Pending | Standing::Stale { .. } => {
            ctx.say(again.then(&format!(" again; a person decides with `hewto approve {name}`")))
        }
    };
    Ok(Waited {
        decided: decider.is_some(),
        standing: standing_name(&weighed.standing).to_owned(),
        by: decider.map(|voice| voice.person().to_owned()),
        channel: decider.and_then(|voice| voice.channel().ok()).map(|channel| channel.to_string()),
        note: decider.map(|voice| voice.record.text.clone()).filter(|note| !note.is_empty()),
        digest: subject.digest.to_string(),
        version: records.version_of(&subject.digest),
        comments: open_comments(ctx, &records, &subject.meaning)?,
        next,
        spec_id: name,
    })
}
