//! Whose keys count: a file of OpenSSH's own form, `name [options] key`, one a line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use thiserror::Error;

/// The keys that may sign, and for what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedSigners {
    pub signers: Vec<Signer>,
    /// Lines that mean nothing here, with why.
    pub faults: Vec<(usize, String)>,
}

/// One key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    pub name: String,
    key: Vec<u8>,
    /// What it may sign for; anything when empty.
    namespaces: Vec<String>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
}

impl AllowedSigners {
    pub fn read(text: &str) -> Self {
        let mut read = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match signer(line) {
                Ok(signer) => read.signers.push(signer),
                Err(why) => read.faults.push((index + 1, why.to_owned())),
            }
        }
        read
    }

    /// Whose key this is, for this purpose at this moment.
    pub fn find(&self, key: &[u8], namespace: &str, at: Timestamp) -> Result<&Signer, NotASigner> {
        let may = |signer: &&Signer| {
            signer.namespaces.is_empty() || signer.namespaces.iter().any(|one| one == namespace)
        };
        let is_valid = |signer: &&Signer| {
            signer.after.is_none_or(|after| at >= after) && signer.before.is_none_or(|before| at < before)
        };
        let listed = || self.signers.iter().filter(|signer| signer.key == key);
        listed().find(|signer| may(signer) && is_valid(signer)).ok_or_else(|| {
            match (listed().next(), listed().find(may)) {
                (None, _) => NotASigner::Unlisted,
                (Some(signer), None) => NotASigner::ForSomethingElse(signer.name.clone()),
                (_, Some(signer)) => NotASigner::NotAtThatTime(signer.name.clone()),
            }
        })
    }
}

/// Why a key signs for nobody.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotASigner {
    #[error("its key is not in `.hewto/allowed_signers` of the default branch")]
    Unlisted,
    #[error(
        "the key of `{0}` may sign for other `namespaces` only, in `.hewto/allowed_signers` of the default branch"
    )]
    ForSomethingElse(String),
    #[error(
        "the key of `{0}` was not valid then: `valid-after` or `valid-before` in `.hewto/allowed_signers` of the default branch"
    )]
    NotAtThatTime(String),
}

fn signer(line: &str) -> Result<Signer, &'static str> {
    let words = words(line).ok_or("a quotation is not closed")?;
    let (names, mut rest) = words.split_first().ok_or("it is empty")?;
    let mut signer = Signer {
        name: names.split(',').next().unwrap_or_default().to_owned(),
        key: Vec::new(),
        namespaces: Vec::new(),
        after: None,
        before: None,
    };
    if signer.name.is_empty() || signer.name.contains(['*', '?', '!']) {
        return Err("it names nobody in particular");
    }
    if let Some((options, keys)) = rest.split_first().filter(|(word, _)| !is_key_kind(word)) {
        for option in split_options(options) {
            match option.split_once('=') {
                Some(("namespaces", list)) => {
                    signer.namespaces = unquoted(list).split(',').map(str::to_owned).collect();
                }
                Some(("valid-after", moment)) => {
                    signer.after = Some(time(unquoted(moment)).ok_or("`valid-after` is not a time")?);
                }
                Some(("valid-before", moment)) => {
                    signer.before = Some(time(unquoted(moment)).ok_or("`valid-before` is not a time")?);
                }
                _ => return Err("it has an option that is not understood"),
            }
        }
        rest = keys;
    }
    let [kind, key, ..] = rest else { return Err("it has no key") };
    signer.key = STANDARD.decode(key).map_err(|_| "its key is not base64")?;
    let mut reader = super::blob::Reader(&signer.key);
    if reader.text() != Some(kind.as_str()) {
        return Err("its key is of another kind than it says");
    }
    Ok(signer)
}

fn is_key_kind(word: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"].iter().any(|start| word.starts_with(start)) && !word.contains('=')
}

/// The words of a line; blanks in quotation marks part nothing.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for ch in line.chars() {
        quoted ^= ch == '"';
        if ch.is_whitespace() && !quoted {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(ch);
        }
    }
    words.retain(|word| !word.is_empty());
    (!quoted).then_some(words)
}

/// Options are parted by commas, but for those in quotation marks.
fn split_options(options: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for ch in options.chars() {
        quoted ^= ch == '"';
        if ch == ',' && !quoted {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(ch);
        }
    }
    parts
}

fn unquoted(text: &str) -> &str {
    text.trim_matches('"')
}

/// `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, in UTC.
fn time(text: &str) -> Option<Timestamp> {
    let digits = text.trim_end_matches('Z');
    if !matches!(digits.len(), 8 | 12 | 14) {
        return None;
    }
    let moment = DateTime::strptime("%Y%m%d%H%M%S", format!("{digits:0<14}")).ok()?;
    TimeZone::UTC.to_timestamp(moment).ok()
}
