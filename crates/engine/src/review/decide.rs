//! Recording a verdict: one file, one commit, bound to what was shown.

use hewto_core::decision::uid::Uid;
use hewto_core::review::{
    Channel, Digest, FORM, Head, MAX_TEXT_BYTES, Permission, Proven, Record, Standing, Verdict, Voice, What,
    is_name,
};
use hewto_store::{Context, DocFolder, Expect, Transaction, WriteGuard};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::authentic::{Authority, seal};
use super::next_gate::AtNextGate;
use super::records::Records;
use super::refusals::{self, Refusal};
use super::show::standing_name;
use super::snapshot;
use super::subject::Subject;
use crate::error::{Error, Key, Kind, Result};
use crate::gate::Policy;
use crate::text;
use crate::view::Decided;
use crate::workspace::Workspace;

/// Records of other machines may be a little ahead.
pub(super) const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// A person, and the way that their word took. Whoever makes one vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewer {
    pub name: String,
    pub channel: Channel,
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    pub verdict: Verdict,
    /// The digest of what they were shown, all 64 digits.
    pub shown: String,
    pub note: Option<String>,
    pub allows: Vec<Permission>,
}

/// A verdict on its way: what it says is fixed, so that it can be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    item: String,
    record: Record,
    /// How the item stood when it was shown, where whoever decides elsewhere meanwhile is first.
    only_while: Option<String>,
}

impl Draft {
    /// What a key has to sign, for the namespace [`super::ssh::APPROVAL_NAMESPACE`].
    pub fn statement(&self) -> String {
        self.record.statement()
    }
}

/// Records a verdict that needs no signature.
pub fn decide(ws: &Workspace, ctx: &Context, id: &str, by: &Reviewer, ballot: &Ballot) -> Result<Decided> {
    submit(ws, ctx, prepare(ws, ctx, id, by, ballot)?, None)
}

/// The same for a form that was open for a while: if somebody has decided since the item stood so, nothing is recorded, and the
/// answer is what they said.
pub fn decide_while(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    by: &Reviewer,
    ballot: &Ballot,
    standing: &str,
) -> Result<Decided> {
    let draft = prepare(ws, ctx, id, by, ballot)?;
    submit(ws, ctx, Draft { only_while: Some(standing.to_owned()), ..draft }, None)
}

/// Fixes what a verdict says. Writes nothing.
pub fn prepare(ws: &Workspace, ctx: &Context, id: &str, by: &Reviewer, ballot: &Ballot) -> Result<Draft> {
    if by.channel == Channel::Asserted {
        return Err(Error::new(
            Kind::Refused,
            Key::ApprovalPending,
            "only a person can approve, and an argument is nobody's word",
        )
        .hint("run `hewto approve` on a terminal"));
    }
    check_name(&by.name)?;
    let note = text::free("note", ballot.note.as_deref().unwrap_or_default())?;
    check_length("note", &note)?;
    let shown: Digest = ballot.shown.parse().map_err(|_| {
        Error::invalid_argument("digest", "the 64 hex digits of what was shown", "this is not a digest")
    })?;
    let subject = Subject::load(ws, ctx, id)?;
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    refuse_other_text(&subject, &records, &shown)?;
    let record = Record {
        head: Head {
            item: subject.name(),
            by: by.name.clone(),
            channel: by.channel,
            at: moment(ctx, &records, refusals::known(ws, ctx, &subject.name(), &shown).as_ref()),
            content: shown,
            version: records.version_of(&shown),
            form: FORM,
        },
        what: What::Verdict { verdict: ballot.verdict, allows: ballot.allows.clone() },
        text: note.trim().to_owned(),
        mac: None,
        signature: None,
    };
    Ok(Draft { item: subject.name(), record, only_while: None })
}

/// Commits a verdict, with the signature that was made for it.
pub fn submit(ws: &Workspace, ctx: &Context, draft: Draft, signature: Option<String>) -> Result<Decided> {
    let Draft { item, mut record, only_while } = draft;
    let ws = &ws.foreseeing(|ws| {
        let folder = Subject::load(ws, ctx, &item)?.review_folder();
        Records::read(ws, ctx, &folder)?;
        if let Some(signature) = &signature {
            signer(ws, ctx, signature, &record)?;
        }
        Policy::at_the_door(ws, ctx)
    });
    let (lock, ref ws) = ws.lock(ctx)?;
    let subject = Subject::load(ws, ctx, &item)?;
    let folder = subject.review_folder();
    let records = Records::read(ws, ctx, &folder)?;
    refuse_other_text(&subject, &records, &record.head.content)?;
    refuse_odd_folder(&records)?;
    record.signature = signature;
    let person = match &record.signature {
        Some(signature) => signer(ws, ctx, signature, &record)?,
        None if matches!(record.head.channel, Channel::Signed | Channel::Touch) => {
            return Err(unsigned("the verdict is to be signed, and is not"));
        }
        None => record.head.by.clone(),
    };
    let policy = Policy::at_the_door(ws, ctx)?;
    if let Some(standing) = only_while {
        let now = AtNextGate::of(ws, ctx, &policy, &subject, &records).weighed.standing;
        if standing_name(&now) != standing
            && let Standing::Approved { uid, .. } | Standing::Refused { uid, .. } = &now
            && let Some(first) = records.voice(uid)
        {
            return Ok(view(&item, &first.record, first.person().to_owned(), uid, false));
        }
    }
    let gates = policy.gates_of(&subject);
    if !gates.is_reviewer(&person) {
        return Err(Error::new(
            Kind::Refused,
            Key::NotAReviewer,
            format!("`{person}` is not among the reviewers of `{item}`"),
        )
        .detail("reviewers", json!(gates.reviewers.unwrap_or_default()))
        .hint("let one of the reviewers decide, or have the list in `.hewto/proof.toml` changed"));
    }
    // A refusal counts even where its file is gone, so whoever agrees after it says something new.
    let refusal = refusals::known(ws, ctx, &item, &record.head.content);
    let earlier = said_before(&records, &record, &person);
    let is_undone = |earlier: &Voice| {
        refusal.as_ref().is_some_and(|refusal| refusal.outlasts(&earlier.uid, earlier.record.head.at))
    };
    if let Some(earlier) = earlier.filter(|earlier| !is_undone(earlier)) {
        return Ok(view(&item, &record, person, &earlier.uid, false));
    }
    record.mac = Some(seal(ctx, &record));
    let uid = write(ctx, &lock, &records, refusal.as_ref().map(|refusal| &refusal.uid), &folder, &record)?;
    if let Some(verdict) = record.verdict() {
        refusals::keep(ws, ctx, &record.head, verdict, &uid)?;
    }
    if record.verdict() == Some(Verdict::Approved) {
        snapshot::keep(ws, &subject.meaning);
    }
    Ok(view(&item, &record, person, &uid, true))
}

/// Writes a record under a name that sorts behind all others that a clock gave, and behind one whose file may be gone.
pub(super) fn write(
    ctx: &Context,
    lock: &WriteGuard,
    records: &Records,
    gone: Option<&Uid>,
    folder: &DocFolder,
    record: &Record,
) -> Result<Uid> {
    let known: Vec<&Uid> = records.voices.iter().map(|voice| &voice.uid).chain(gone).collect();
    // This machine has sealed that one: whatever its clock said then, what is said now comes after it.
    let now = record.head.at.max(ctx.now()).max(gone.map_or(Timestamp::MIN, Uid::moment));
    let chance = u16::from_be_bytes([ctx.uuid().as_bytes()[0], ctx.uuid().as_bytes()[1]]);
    let uid = Uid::mint_among(now, chance, &known)
        .ok_or_else(|| Error::validation("the clock is at the end of the calendar").hint("set the clock"))?;
    let key = folder.document(&format!("{uid}.md")).map_err(|error| Error::validation(error.to_string()))?;
    let mut transaction = Transaction::new();
    transaction.put(key, record.render(), Expect::Absent);
    lock.commit(ctx, transaction)?;
    Ok(uid)
}

/// Now or, where a verdict was given in this very second, the next: their order has to show. The file of a refusal may be gone.
pub(super) fn moment(ctx: &Context, records: &Records, refusal: Option<&Refusal>) -> Timestamp {
    let now = ctx.now();
    let horizon = now.saturating_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX);
    let said = records.voices.iter().filter(|voice| voice.record.verdict().is_some());
    let last = said.map(|voice| voice.record.head.at).filter(|at| *at <= horizon);
    let last = last.chain(refusal.and_then(|refusal| refusal.at)).map(Timestamp::as_second).max();
    let second = last.map_or(now.as_second(), |last| now.as_second().max(last.saturating_add(1)));
    Timestamp::from_second(second).unwrap_or(now)
}

pub(super) fn check_name(name: &str) -> Result<()> {
    if is_name(name) {
        return Ok(());
    }
    let shown: String = name.chars().take(80).collect();
    Err(Error::invalid_argument(
        "by",
        "the name of a person on one line",
        format!("`{}` is not a name", shown.escape_debug()),
    ))
}

pub(super) fn check_length(field: &str, text: &str) -> Result<()> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    Err(Error::validation(format!("`{field}` has {} bytes, more than {MAX_TEXT_BYTES}", text.len()))
        .detail("field", field)
        .hint("say it in fewer words, or put it into a document and name that"))
}

pub(super) fn refuse_odd_folder(records: &Records) -> Result<()> {
    let is_odd = |finding: &&hewto_core::diagnostic::Finding| {
        finding.code == hewto_core::rules::reading::REVIEW_FOLDER.code
    };
    match records.findings.iter().find(is_odd) {
        None => Ok(()),
        Some(finding) => Err(Error::new(Kind::Refused, Key::ReviewInvalid, finding.message.clone())
            .detail("file", finding.file.as_str())
            .hint(finding.hint.clone())),
    }
}

fn refuse_other_text(subject: &Subject, records: &Records, shown: &Digest) -> Result<()> {
    if subject.digest == *shown {
        return Ok(());
    }
    Err(Error::new(
        Kind::Refused,
        Key::ApprovalStale,
        format!("`{}` has changed since it was shown", subject.name()),
    )
    .detail("spec_id", subject.name())
    .detail("shown", shown.to_string())
    .detail("digest", subject.digest.to_string())
    .detail("version", records.version_of(&subject.digest))
    .hint("look at what is there now, then decide"))
}

fn signer(ws: &Workspace, ctx: &Context, signature: &str, record: &Record) -> Result<String> {
    match Authority::new(ws, ctx).check_signature(signature, record) {
        Proven::Signed { signer } if record.head.channel == Channel::Signed => Ok(signer),
        Proven::Touched { signer } => Ok(signer),
        Proven::Forged(why) => Err(unsigned(&why)),
        Proven::Signed { .. } | Proven::Here | Proven::Foreign => {
            Err(unsigned("the signature does not prove what the channel says"))
        }
    }
}

fn unsigned(why: &str) -> Error {
    Error::new(Kind::Refused, Key::SignatureInvalid, format!("the verdict was not recorded: {why}"))
        .hint("sign with a key that `.hewto/allowed_signers` names on the default branch")
}

/// The record in which the same person said the same of the same text, by a channel that is as strong.
fn said_before<'r>(records: &'r Records, record: &Record, person: &str) -> Option<&'r Voice> {
    // By what they say and not by their names: a copy under a later name is no later word.
    let said = records.voices.iter().filter(|voice| voice.record.verdict().is_some());
    let about = said.filter(|voice| voice.record.head.content == record.head.content);
    let latest = about.max_by_key(|voice| (voice.record.head.at, &voice.uid))?;
    let as_strong =
        latest.channel().is_ok_and(|channel| channel.strength() >= record.head.channel.strength());
    (latest.record.what == record.what && latest.person() == person && as_strong).then_some(latest)
}

fn view(item: &str, record: &Record, person: String, uid: &Uid, recorded: bool) -> Decided {
    let head = &record.head;
    Decided {
        spec_id: item.to_owned(),
        verdict: record.verdict().map(|verdict| verdict.to_string()).unwrap_or_default(),
        by: person,
        channel: head.channel.to_string(),
        at: head.at.to_string(),
        digest: head.content.to_string(),
        version: head.version,
        record: uid.to_string(),
        recorded,
    }
}
