//! Reading the file of a record. What is wrong with it is told all at once, each with its line.

use std::str::FromStr;

use jiff::Timestamp;

use super::anchor::Anchor;
use super::record::{Head, MAX_RECORD_BYTES, Permission, Record, What, is_name};
use crate::decision::uid::Uid;
use crate::diagnostic::Diagnostic;
use crate::document::front_matter::{FrontMatter, Node};
use crate::document::opening;
use crate::proof::settings::Channel;
use crate::rules::reading::REVIEW_RECORD;

const HINT: &str = "records are written by hewto and never edited: restore it from git, or delete it";

pub(super) fn read(text: &str) -> Result<Record, Vec<Diagnostic>> {
    let fault = |line, message: String| REVIEW_RECORD.at(line, 0..0, message, HINT);
    if text.len() > MAX_RECORD_BYTES {
        return Err(vec![fault(1, format!("it has {} bytes, more than {MAX_RECORD_BYTES}", text.len()))]);
    }
    let opening = opening(text);
    let Some(block) = &opening.block else {
        return Err(vec![fault(1, "it has no front matter".to_owned())]);
    };
    let front = FrontMatter::read(text, block);
    let mut reader = Reader { faults: Vec::new(), front: &front };
    if let Some(broken) = front.diagnostics.first() {
        reader.fault(broken.line, broken.message.clone());
    }
    for (index, entry) in front.entries.iter().enumerate() {
        if front.entries[..index].iter().any(|earlier| earlier.key == entry.key) {
            reader.fault(entry.node.line, format!("`{}` appears twice", entry.key));
        }
    }
    let what = reader.what();
    let by = reader.required("by");
    if let Some((by, line)) = by
        && !is_name(by)
    {
        reader.fault(line, "`by` is not a name".to_owned());
    }
    let item = reader.required("item").map(|(item, _)| item.to_owned());
    let channel = reader.read("channel", "a channel", Channel::parse);
    let at = reader.parsed::<Timestamp>("at", "a moment such as 2026-01-31T09:30:00Z");
    let content = reader.parsed("content", "a SHA-256 in lower-case hex");
    let version = reader.parsed::<u32>("version", "a number from 1");
    let form = match front.get("form") {
        Some(_) => reader.read("form", "a number from 2", |text| text.parse().ok().filter(|form| *form > 1)),
        None => Some(1),
    };
    let optional = |key| front.string(key).map(str::to_owned);
    match (item, by, channel, at, content, version.zip(form), what) {
        (Some(item), Some((by, _)), Some(channel), Some(at), Some(content), Some(versions), Some(what))
            if reader.faults.is_empty() =>
        {
            let (version, form) = versions;
            Ok(Record {
                head: Head { item, by: by.to_owned(), channel, at, content, version, form },
                what,
                text: text[opening.body_start..].trim().to_owned(),
                mac: optional("mac"),
                signature: optional("signature"),
            })
        }
        _ => Err(reader.faults.into_iter().map(|(line, message)| fault(line, message)).collect()),
    }
}

struct Reader<'f> {
    faults: Vec<(usize, String)>,
    front: &'f FrontMatter,
}

impl<'f> Reader<'f> {
    fn fault(&mut self, line: usize, message: String) {
        self.faults.push((line, message));
    }

    fn required(&mut self, key: &str) -> Option<(&'f str, usize)> {
        match self.front.get(key).map(|node| (node.as_str(), node.line)) {
            Some((Some(text), line)) => Some((text, line)),
            Some((None, line)) => {
                self.fault(line, format!("`{key}` is not text"));
                None
            }
            None => {
                self.fault(1, format!("it does not say `{key}`"));
                None
            }
        }
    }

    fn parsed<T: FromStr>(&mut self, key: &str, expected: &str) -> Option<T> {
        self.read(key, expected, |text| text.parse().ok())
    }

    fn read<T>(&mut self, key: &str, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (text, line) = self.required(key)?;
        let value = parse(text);
        if value.is_none() {
            let shown: String = text.chars().take(80).collect();
            self.fault(line, format!("`{key}` is not {expected}: `{}`", shown.escape_debug()));
        }
        value
    }

    fn what(&mut self) -> Option<What> {
        let kinds = ["verdict", "comment", "replies_to", "resolves"];
        let mut there = kinds.into_iter().filter(|key| self.front.get(key).is_some());
        match (there.next(), there.next()) {
            (Some("verdict"), None) => {
                let verdict = self.parsed("verdict", "`approved`, `changes_requested` or `rejected`")?;
                Some(What::Verdict { verdict, allows: self.allows()? })
            }
            (Some("comment"), None) => Some(What::Comment(self.anchor())),
            (Some("replies_to"), None) => {
                let to: Uid = self.parsed("replies_to", "the UID of a comment")?;
                Some(What::Reply(to))
            }
            (Some(_), None) => {
                let of: Uid = self.parsed("resolves", "the UID of a comment")?;
                Some(What::Resolution(of))
            }
            (Some(_), Some(_)) => {
                self.fault(1, "it is a verdict and a comment at once".to_owned());
                None
            }
            (None, _) => {
                self.fault(1, "it is neither a verdict nor a comment".to_owned());
                None
            }
        }
    }

    fn allows(&mut self) -> Option<Vec<Permission>> {
        let Some(node) = self.front.get("allows") else { return Some(Vec::new()) };
        let names = node.as_list().into_iter().flatten();
        let allows: Option<Vec<Permission>> =
            names.map(|one| one.as_str().and_then(Permission::parse)).collect();
        if allows.is_none() || node.as_list().is_none() {
            self.fault(node.line, "`allows` names something that cannot be allowed".to_owned());
            return None;
        }
        allows
    }

    fn anchor(&self) -> Anchor {
        let text = |key| self.front.get(key).and_then(Node::as_str).map(str::to_owned);
        Anchor {
            capability: text("capability"),
            requirement: text("requirement"),
            scenario: text("scenario"),
            step: text("step"),
            quote: text("quote"),
        }
    }
}
