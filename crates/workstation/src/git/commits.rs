//! Commits as `git log` prints them for us.

use schemars::JsonSchema;
use serde::Serialize;

use crate::show::show_bytes;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitView {
    pub commit: String,
    pub parents: Vec<String>,
    pub author: String,
    pub author_email: String,
    /// When it was written, with its time zone
    pub date: String,
    /// Who committed it, when it was somebody else
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub committer: Option<String>,
    pub subject: String,
    /// The rest of the message
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub body: String,
}

/// Nine fields, each ended by NUL; `-z` ends the commit with one more.
pub(super) const FORMAT: &str = "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%s%x00%b%x00";
const FIELDS: usize = 8;

/// Reads commits printed with [`FORMAT`] and `-z`.
pub(super) fn parse(output: &[u8]) -> Vec<CommitView> {
    let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
    fields.chunks_exact(FIELDS + 1).map(commit).collect()
}

fn commit(fields: &[&[u8]]) -> CommitView {
    let text = |index: usize| show_bytes(fields[index]).text;
    let (author, committer) = (text(2), text(5));
    CommitView {
        commit: text(0),
        parents: text(1).split_whitespace().map(str::to_owned).collect(),
        author_email: text(3),
        date: text(4),
        committer: (committer != author).then_some(committer),
        author,
        subject: text(6),
        body: text(7).trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read() {
        let output =
            b"aa\0bb cc\0Ann\0ann@x\x002026-01-01T00:00:00+01:00\0Ann\0Fix it\0Because\n\nit was broken\n\0\0\
            bb\0\0Bo\0bo@x\x002026-01-01T00:00:00Z\0Git\0First\0\0\0";
        let commits = parse(output);
        assert_eq!(commits.len(), 2);
        assert_eq!(commits[0].parents, ["bb", "cc"]);
        assert_eq!(commits[0].body, "Because\n\nit was broken");
        assert_eq!(commits[1].committer.as_deref(), Some("Git"));
    }
}
