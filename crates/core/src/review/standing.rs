//! What the verdicts on an item come to.
//!
//! The latest verdict on the present text by somebody who may give one decides; a yes has to come by a channel that the gate takes. Records that prove nothing, come from the
//! future, speak of another item or by a name that is not among the reviewers count for nothing and are told.

use jiff::{SignedDuration, Timestamp};

use super::digest::Digest;
use super::record::{Permission, Record, What};
use super::verdict::Verdict;
use crate::decision::uid::Uid;
use crate::proof::settings::Channel;

/// How far clocks of machines may lie apart.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// How a record is known to be what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proven {
    /// This machine wrote it.
    Here,
    /// A listed key signed it, or the commit that brought it.
    Signed { signer: String },
    /// A listed key signed it that somebody touched.
    Touched { signer: String },
    /// Another machine wrote it and nobody signed it.
    Foreign,
    /// It says that this machine wrote it or somebody signed it, and that is not so.
    Forged(String),
}

/// A record, with its name and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    pub uid: Uid,
    pub record: Record,
    pub proven: Proven,
}

/// What a gate asks for.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    pub item: &'a str,
    /// The digest of what is there now.
    pub content: Digest,
    /// The weakest channel that opens the gate.
    pub weakest: Channel,
    /// Who may decide; everybody where nobody is named. A list without names lets nobody.
    pub reviewers: Option<&'a [String]>,
    pub now: Timestamp,
}

/// Where an item stands with its reviewers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nobody who counts has said anything.
    Pending,
    Approved {
        uid: Uid,
        allows: Vec<Permission>,
    },
    /// Somebody who counts wants it otherwise.
    Refused {
        uid: Uid,
        verdict: Verdict,
    },
    /// What was approved is not what is there.
    Stale {
        uid: Uid,
    },
}

/// Why a record counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    OtherItem,
    Future,
    NotAReviewer,
    TooWeak(Channel),
    Foreign,
    Forged(String),
    /// Another verdict of the same second says the opposite.
    SameSecond,
}

/// What the records of an item come to, and which of them count for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    pub standing: Standing,
    pub doubts: Vec<(Uid, Doubt)>,
}

impl Voice {
    /// The channel that the record really came by, as far as it can be told here.
    pub fn channel(&self) -> Result<Channel, Doubt> {
        let said = self.record.head.channel;
        match (&self.proven, said) {
            (Proven::Forged(why), _) => Err(Doubt::Forged(why.clone())),
            (Proven::Foreign, _) => Err(Doubt::Foreign),
            (Proven::Touched { .. }, _) => Ok(Channel::Touch),
            (Proven::Signed { .. }, _) => Ok(Channel::Signed),
            // Only a signature makes a record signed.
            (Proven::Here, Channel::Signed | Channel::Touch) => {
                Err(Doubt::Forged("it claims to be signed, but has no signature".to_owned()))
            }
            (Proven::Here, channel) => Ok(channel),
        }
    }

    /// Who is behind it: the signer, where there is one.
    pub fn person(&self) -> &str {
        match &self.proven {
            Proven::Signed { signer } | Proven::Touched { signer } => signer,
            Proven::Here | Proven::Foreign | Proven::Forged(_) => &self.record.head.by,
        }
    }

    /// Why this verdict counts for nothing. Strength is asked of what opens a gate: no is no by any channel.
    fn doubt(&self, verdict: Verdict, demand: &Demand<'_>) -> Option<Doubt> {
        let head = &self.record.head;
        if head.item != demand.item {
            return Some(Doubt::OtherItem);
        }
        if head.at > demand.now.saturating_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX) {
            return Some(Doubt::Future);
        }
        let channel = match self.channel() {
            Ok(channel) => channel,
            Err(doubt) => return Some(doubt),
        };
        if verdict == Verdict::Approved && channel.strength() < demand.weakest.strength() {
            return Some(Doubt::TooWeak(channel));
        }
        let known = |name: &String| name == self.person() || *name == head.by && !self.is_signed();
        demand.reviewers.is_some_and(|names| !names.iter().any(known)).then_some(Doubt::NotAReviewer)
    }

    fn is_signed(&self) -> bool {
        matches!(self.proven, Proven::Signed { .. } | Proven::Touched { .. })
    }
}

/// Weighs the records of an item against what a gate asks for.
pub fn weigh(voices: &[Voice], demand: &Demand<'_>) -> Weighed {
    let mut doubts = Vec::new();
    let mut counted: Vec<(&Voice, Verdict, &[Permission])> = Vec::new();
    for voice in voices {
        let What::Verdict { verdict, allows } = &voice.record.what else { continue };
        match voice.doubt(*verdict, demand) {
            Some(doubt) => doubts.push((voice.uid.clone(), doubt)),
            None => counted.push((voice, *verdict, allows)),
        }
    }
    // Of the verdicts of one second the strictest comes last, and so decides.
    counted.sort_by(|(a, x, _), (b, y, _)| {
        let second = |voice: &Voice| voice.record.head.at.as_second();
        (second(a), x.strictness(), &a.uid).cmp(&(second(b), y.strictness(), &b.uid))
    });
    let present =
        |(voice, ..): &&(&Voice, Verdict, &[Permission])| voice.record.head.content == demand.content;
    let standing = match counted.iter().rfind(present) {
        Some((voice, Verdict::Approved, allows)) => {
            Standing::Approved { uid: voice.uid.clone(), allows: allows.to_vec() }
        }
        Some((voice, verdict, _)) => {
            let at = voice.record.head.at.as_second();
            let contradicted = counted.iter().filter(present).filter(|(other, said, _)| {
                other.record.head.at.as_second() == at && *said == Verdict::Approved
            });
            doubts.extend(contradicted.map(|(other, ..)| (other.uid.clone(), Doubt::SameSecond)));
            Standing::Refused { uid: voice.uid.clone(), verdict: *verdict }
        }
        None => match counted.iter().rfind(|(_, verdict, _)| *verdict == Verdict::Approved) {
            Some((voice, ..)) => Standing::Stale { uid: voice.uid.clone() },
            None => Standing::Pending,
        },
    };
    Weighed { standing, doubts }
}
