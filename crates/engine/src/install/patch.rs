//! The unified diff of several files, exactly as it would be written.

use hewto_store::RelPath;
use similar::TextDiff;

use super::PersonalChange;

/// A file before and after; `None` means that there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    pub(crate) path: RelPath,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// The diff in the form that `git apply` and `patch -p1` read, files by path.
pub(crate) fn unified(changes: &[FileChange]) -> String {
    let mut sorted: Vec<&FileChange> =
        changes.iter().filter(|change| change.before != change.after).collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    sorted.into_iter().map(one).collect()
}

/// The same of files in a person's home, by their names there.
pub(crate) fn unified_personal(changes: &[PersonalChange]) -> String {
    let changes = changes.iter().filter(|change| change.before != change.after);
    let diff = |change: &PersonalChange| {
        let name =
            |text: &Option<String>| text.as_ref().map_or("/dev/null", |_| change.name.as_str()).to_owned();
        between(
            change.before.as_deref(),
            change.after.as_deref(),
            &name(&change.before),
            &name(&change.after),
        )
    };
    changes.map(diff).collect()
}

/// The same of one document that has a text before and after.
pub(crate) fn unified_text(path: &str, before: &str, after: &str) -> String {
    between(Some(before), Some(after), &format!("a/{path}"), &format!("b/{path}"))
}

fn one(change: &FileChange) -> String {
    let name = |side: &str, text: &Option<String>| match text {
        Some(_) => format!("{side}/{}", change.path),
        None => "/dev/null".to_owned(),
    };
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    between(before, after, &name("a", &change.before), &name("b", &change.after))
}

fn between(before: Option<&str>, after: Option<&str>, old: &str, new: &str) -> String {
    let (before, after) = (lines(before), lines(after));
    TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&before, &after)
        .unified_diff()
        .header(old, new)
        .to_string()
}

/// Lines end at line feeds only: what stands before one is content, carriage returns included.
fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}
