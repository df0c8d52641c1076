//! One verdict, comment, reply or resolution: a small file that is written once and never edited.

use jiff::Timestamp;

use super::anchor::Anchor;
use super::digest::Digest;
use super::read;
use super::verdict::Verdict;
use crate::decision::uid::Uid;
use crate::diagnostic::Diagnostic;
use crate::document::EolStyle;
use crate::document::front_matter::{Value, render};
use crate::proof::settings::Channel;

/// Longest text of a comment or a note.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Longest file that is read as a record.
pub const MAX_RECORD_BYTES: usize = 64 * 1024;
/// Longest name of a person.
pub const MAX_NAME_BYTES: usize = 200;

/// What every record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// As it is named in arguments: a spec id, or `change:<id>`.
    pub item: String,
    pub by: String,
    pub channel: Channel,
    /// To the second.
    pub at: Timestamp,
    /// What was shown.
    pub content: Digest,
    /// Which version that was, counted from 1.
    pub version: u32,
    /// How it was hashed: [`super::FORM`] when the record was made.
    pub form: u8,
}

/// A record as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub head: Head,
    pub what: What,
    /// What somebody wrote: the comment, or a note to the verdict.
    pub text: String,
    /// Says that this machine wrote it.
    pub mac: Option<String>,
    /// An armoured SSH signature of [`Record::statement`].
    pub signature: Option<String>,
}

/// A higher number of a version was never counted up to: somebody made it up.
const MOST_VERSIONS: u32 = 1_000_000;

impl Head {
    /// Which version of an item a text is, as records of the item tell: that of one about it, else the next.
    pub fn version_among<'h>(heads: impl Iterator<Item = &'h Self> + Clone, content: &Digest) -> u32 {
        let mut heads = heads.filter(|head| head.version <= MOST_VERSIONS);
        let latest = heads.clone().map(|head| head.version).max().unwrap_or(0);
        heads.find(|head| head.content == *content).map_or(latest + 1, |head| head.version)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Verdict {
        verdict: Verdict,
        allows: Vec<Permission>,
    },
    Comment(Anchor),
    /// An answer to a comment.
    Reply(Uid),
    /// A comment is settled.
    Resolution(Uid),
}

/// What an approval lets pass that would be refused otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Archive although tasks are open.
    OpenTasks,
}

impl Permission {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenTasks => "open_tasks",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        (text == Self::OpenTasks.as_str()).then_some(Self::OpenTasks)
    }
}

impl Record {
    /// Reads a record, or says with lines what is wrong with it.
    pub fn read(text: &str) -> Result<Self, Vec<Diagnostic>> {
        read::read(text)
    }

    pub fn verdict(&self) -> Option<Verdict> {
        match self.what {
            What::Verdict { verdict, .. } => Some(verdict),
            What::Comment(_) | What::Reply(_) | What::Resolution(_) => None,
        }
    }

    /// What a signature or a code of this machine vouches for: everything but themselves.
    pub fn statement(&self) -> String {
        let mut unsigned = self.clone();
        (unsigned.mac, unsigned.signature) = (None, None);
        format!("hewto review record, form 1\n{}", unsigned.render())
    }

    /// The text of its file.
    pub fn render(&self) -> String {
        let head = &self.head;
        let text = |text: &str| Value::Text(text.to_owned());
        let mut entries: Vec<(&str, Value)> = vec![("item", text(&head.item))];
        match &self.what {
            What::Verdict { verdict, allows } => {
                entries.push(("verdict", text(verdict.as_str())));
                if !allows.is_empty() {
                    let allows = allows.iter().map(|one| text(one.as_str())).collect();
                    entries.push(("allows", Value::List(allows)));
                }
            }
            What::Comment(anchor) => {
                entries.push(("comment", Value::Bool(true)));
                for (key, value) in [
                    ("capability", &anchor.capability),
                    ("requirement", &anchor.requirement),
                    ("scenario", &anchor.scenario),
                    ("step", &anchor.step),
                    ("quote", &anchor.quote),
                ] {
                    entries.extend(value.as_ref().map(|value| (key, text(value))));
                }
            }
            What::Reply(to) => entries.push(("replies_to", text(to.as_str()))),
            What::Resolution(of) => entries.push(("resolves", text(of.as_str()))),
        }
        entries.push(("by", text(&head.by)));
        entries.push(("channel", text(head.channel.as_str())));
        entries.push(("at", Value::Timestamp(seconds(head.at))));
        entries.push(("content", text(&head.content.to_string())));
        entries.push(("version", Value::Number(head.version.to_string())));
        // Records of the first form do not name it, and are vouched for as they stand.
        if head.form > 1 {
            entries.push(("form", Value::Number(head.form.to_string())));
        }
        entries.extend(self.mac.as_ref().map(|mac| ("mac", text(mac))));
        entries.extend(self.signature.as_ref().map(|signature| ("signature", text(signature))));
        let front = render(entries.iter().map(|(key, value)| (*key, value)), EolStyle::Lf);
        match self.text.trim() {
            "" => front,
            body => format!("{front}\n{body}\n"),
        }
    }
}

fn seconds(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

/// Whether this can stand for a person: one line of printable text, not too long.
pub fn is_name(name: &str) -> bool {
    let odd = |ch: char| {
        ch.is_control()
            || matches!(ch, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    !name.trim().is_empty() && name.trim() == name && name.len() <= MAX_NAME_BYTES && !name.chars().any(odd)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever numbers records say: the next version can be told, and so can the one behind it.
        #[test]
        fn a_version_is_always_one_that_can_be_counted_on_from(versions in prop::collection::vec(any::<u32>(), 0..6), about in 0usize..8) {
            let head = |(n, version): (usize, &u32)| Head {
                item: "a".to_owned(),
                by: "ana".to_owned(),
                channel: Channel::Hub,
                at: Timestamp::UNIX_EPOCH,
                content: Digest::of(&[u8::try_from(n).unwrap()]),
                version: *version,
                form: super::super::FORM,
            };
            let heads: Vec<Head> = versions.iter().enumerate().map(head).collect();
            let content = Digest::of(&[u8::try_from(about).unwrap()]);
            let version = Head::version_among(heads.iter(), &content);
            prop_assert!(version <= MOST_VERSIONS + 1);
            match versions.get(about) {
                Some(known) if *known <= MOST_VERSIONS => prop_assert_eq!(version, *known),
                _ => prop_assert!(versions.iter().all(|one| *one > MOST_VERSIONS || *one < version)),
            }
        }
    }
}
