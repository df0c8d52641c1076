//! Comments: made by people and agents, anchored to what they are about, settled by whoever settles them.

use std::collections::HashMap;

use hewto_core::decision::uid::Uid;
use hewto_core::id::WorkItem;
use hewto_core::review::{Anchor, AnchorIndex, Channel, FORM, Found, Head, Meaning, Record, Voice, What};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Deserialize;

use super::authentic::seal;
use super::decide::{Reviewer, check_length, check_name, moment, refuse_odd_folder, write};
use super::records::Records;
use super::subject::Subject;
use crate::error::{Error, Key, Kind, Result};
use crate::plan::{ItemPlan, find_step};
use crate::text;
use crate::view::{CommentMade, CommentState, CommentView, CommentsView, ReplyView};
use crate::workspace::Workspace;

/// Longest name or quotation in an anchor.
const MAX_ANCHOR_BYTES: usize = 4_096;

/// A comment as somebody asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NewComment {
    pub text: String,
    #[serde(flatten)]
    pub anchor: Anchor,
}

/// Adds a comment. It opens nothing, so anybody may.
pub fn comment(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    by: &Reviewer,
    new: &NewComment,
) -> Result<CommentMade> {
    let text = text::required("text", &new.text)?;
    check_length("text", &text)?;
    let anchor = checked(&new.anchor)?;
    add(ws, ctx, id, by, text, |subject, _| {
        let anchor = with_title_of_step(ws, ctx, subject, &anchor);
        // A comment on something that is not there would be lost from its first day.
        match anchor.find(&AnchorIndex::of(&subject.meaning)) {
            Found::Outdated => Err(Error::new(
                Kind::Refused,
                Key::AnchorNotFound,
                format!("`{}` has nothing like this: {}", subject.name(), describe(&anchor)),
            )
            .hint("name a requirement, scenario or step as it is written, and quote its words exactly")),
            Found::Whole | Found::Here(_) | Found::Moved(_) => Ok(What::Comment(anchor.clone())),
        }
    })
}

/// The anchor with the title of a step that was named by its number or its place.
fn with_title_of_step(ws: &Workspace, ctx: &Context, subject: &Subject, anchor: &Anchor) -> Anchor {
    let title = || {
        let step = anchor.step.as_deref()?;
        let plan = ItemPlan::load(ws, ctx, &WorkItem::parse(&subject.name()).ok()?).ok()?;
        let steps = &plan.plan.steps;
        let is_title = steps.iter().any(|one| one.title == step);
        let at = (!is_title).then(|| find_step(&plan, &step.into()).ok()).flatten()?;
        Some(steps[at].title.clone())
    };
    Anchor { step: title().or_else(|| anchor.step.clone()), ..anchor.clone() }
}

/// Answers a comment. It settles nothing.
pub fn reply(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    by: &Reviewer,
    comment: &str,
    text: &str,
) -> Result<CommentMade> {
    let text = text::required("text", text)?;
    check_length("text", &text)?;
    let to = parsed(comment)?;
    add(ws, ctx, id, by, text, |subject, records| Ok(What::Reply(known(subject, records, &to)?)))
}

/// Settles a comment.
pub fn resolve(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    by: &Reviewer,
    comment: &str,
    note: Option<&str>,
) -> Result<CommentMade> {
    let note = text::free("note", note.unwrap_or_default())?;
    check_length("note", &note)?;
    let of = parsed(comment)?;
    add(ws, ctx, id, by, note, |subject, records| Ok(What::Resolution(known(subject, records, &of)?)))
}

fn parsed(comment: &str) -> Result<Uid> {
    Uid::parse(comment)
        .map_err(|error| Error::invalid_argument("comment", "the id of a comment", error.to_string()))
}

/// The comment, if there is one of this id.
fn known(subject: &Subject, records: &Records, uid: &Uid) -> Result<Uid> {
    let is_comment = |voice: &Voice| matches!(voice.record.what, What::Comment(_));
    if records.voice(uid).is_some_and(is_comment) {
        return Ok(uid.clone());
    }
    let message = format!("`{}` has no comment `{uid}`", subject.name());
    let error = Error::new(Kind::Refused, Key::CommentNotFound, message);
    Err(error.hint("list the comments with `hewto review list`"))
}

/// The comments of an item, open ones first.
pub fn comments(ws: &Workspace, ctx: &Context, id: &str) -> Result<CommentsView> {
    let subject = Subject::load(ws, ctx, id)?;
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    Ok(CommentsView { spec_id: subject.name(), comments: views(ctx, &records, &subject.meaning)? })
}

/// Those that nobody has settled.
pub(crate) fn open_comments(ctx: &Context, records: &Records, meaning: &Meaning) -> Result<Vec<CommentView>> {
    let mut open = views(ctx, records, meaning)?;
    open.retain(|comment| comment.state != CommentState::Resolved);
    Ok(open)
}

pub(super) fn views(ctx: &Context, records: &Records, meaning: &Meaning) -> Result<Vec<CommentView>> {
    let mut settled: HashMap<&Uid, &Voice> = HashMap::new();
    let mut replies: HashMap<&Uid, Vec<ReplyView>> = HashMap::new();
    for voice in &records.voices {
        match &voice.record.what {
            What::Resolution(of) => drop(settled.insert(of, voice)),
            What::Reply(to) => replies.entry(to).or_default().push(reply_view(voice)),
            What::Verdict { .. } | What::Comment(_) => {}
        }
    }
    let mut index: Option<AnchorIndex> = None;
    let mut views: Vec<CommentView> = Vec::new();
    for voice in &records.voices {
        let What::Comment(anchor) = &voice.record.what else { continue };
        ctx.check()?;
        let found = anchor.find(index.get_or_insert_with(|| AnchorIndex::of(meaning)));
        let mut view = view(voice, anchor, settled.get(&voice.uid).copied(), &found);
        view.replies = replies.remove(&voice.uid).unwrap_or_default();
        views.push(view);
    }
    views.sort_by_key(|view| view.state == CommentState::Resolved);
    Ok(views)
}

fn view(voice: &Voice, anchor: &Anchor, settled: Option<&Voice>, found: &Found) -> CommentView {
    let (place, outdated) = match found {
        Found::Whole => (None, false),
        Found::Here(place) | Found::Moved(place) => (Some(place.label()), false),
        Found::Outdated => (Some(anchor.label()), true),
    };
    let state = match settled {
        Some(_) => CommentState::Resolved,
        None if outdated => CommentState::Outdated,
        None => CommentState::Open,
    };
    let head = &voice.record.head;
    CommentView {
        id: voice.uid.to_string(),
        by: head.by.clone(),
        channel: head.channel.to_string(),
        at: head.at.to_string(),
        version: head.version,
        state,
        place: place.filter(|place| !place.is_empty()),
        moved: matches!(found, Found::Moved(_)),
        quote: anchor.quote.clone(),
        text: voice.record.text.clone(),
        replies: Vec::new(),
        resolved_by: settled.map(|voice| voice.record.head.by.clone()),
        resolution: settled.map(|voice| voice.record.text.clone()).filter(|text| !text.is_empty()),
    }
}

fn reply_view(voice: &Voice) -> ReplyView {
    let head = &voice.record.head;
    ReplyView {
        id: voice.uid.to_string(),
        by: head.by.clone(),
        channel: head.channel.to_string(),
        at: head.at.to_string(),
        text: voice.record.text.clone(),
    }
}

fn add(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    by: &Reviewer,
    text: String,
    what: impl Fn(&Subject, &Records) -> Result<What>,
) -> Result<CommentMade> {
    check_name(&by.name)?;
    let ws = &ws.foreseeing(|ws| Records::read(ws, ctx, &Subject::load(ws, ctx, id)?.review_folder()));
    let (lock, ref ws) = ws.lock(ctx)?;
    let subject = Subject::load(ws, ctx, id)?;
    let folder = subject.review_folder();
    let records = Records::read(ws, ctx, &folder)?;
    refuse_odd_folder(&records)?;
    let mut record = Record {
        head: Head {
            item: subject.name(),
            by: by.name.clone(),
            channel: by.channel,
            at: if by.channel == Channel::Asserted { ctx.now() } else { moment(ctx, &records, None) },
            content: subject.digest,
            version: records.version_of(&subject.digest),
            form: FORM,
        },
        what: what(&subject, &records)?,
        text,
        mac: None,
        signature: None,
    };
    record.mac = Some(seal(ctx, &record));
    let uid = write(ctx, &lock, &records, None, &folder, &record)?;
    Ok(CommentMade {
        spec_id: subject.name(),
        id: uid.to_string(),
        place: match &record.what {
            What::Comment(anchor) => Some(anchor.label()).filter(|label| !label.is_empty()),
            What::Verdict { .. } | What::Reply(_) | What::Resolution(_) => None,
        },
        resolved: matches!(record.what, What::Resolution(_)),
    })
}

fn checked(anchor: &Anchor) -> Result<Anchor> {
    let field = |name: &str, value: &Option<String>| -> Result<Option<String>> {
        let value = text::optional(name, value.as_deref())?;
        match value {
            Some(value) if value.len() > MAX_ANCHOR_BYTES => {
                Err(Error::validation(format!("`{name}` has more than {MAX_ANCHOR_BYTES} bytes"))
                    .detail("field", name)
                    .hint("quote less of it"))
            }
            value => Ok(value),
        }
    };
    Ok(Anchor {
        capability: field("capability", &anchor.capability)?,
        requirement: field("requirement", &anchor.requirement)?,
        scenario: field("scenario", &anchor.scenario)?,
        step: field("step", &anchor.step)?,
        quote: field("quote", &anchor.quote)?,
    })
}

fn describe(anchor: &Anchor) -> String {
    match (&anchor.quote, anchor.label()) {
        (Some(quote), label) if label.is_empty() => format!("“{quote}”"),
        (Some(quote), label) => format!("{label}, “{quote}”"),
        (None, label) => label,
    }
}
