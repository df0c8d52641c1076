//! OpenSpec's folders, with every file as it is: what comes back by `hewto import openspec` is the same.

use super::Shape;
use super::collect::Collected;

pub(super) fn render(all: &Collected, _: Shape) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for spec in &all.specs {
        files.extend(
            spec.files
                .iter()
                .map(|(name, text)| (format!("openspec/specs/{}/{name}", spec.id), text.clone())),
        );
    }
    for change in &all.changes {
        let folder = if change.archived { "openspec/changes/archive" } else { "openspec/changes" };
        files.extend(
            change.files.iter().map(|(name, text)| (format!("{folder}/{}/{name}", change.id), text.clone())),
        );
    }
    for decision in &all.decisions {
        files.push((format!("docs/adr/{}", decision.file), decision.text.clone()));
    }
    files
}

/// What OpenSpec's own validation will not accept.
pub(super) fn objections(all: &Collected) -> Vec<String> {
    let bare = all.specs.iter().filter(|spec| spec.requirements.is_empty());
    bare.map(|spec| {
        format!("`{}` has no requirements: OpenSpec keeps its files and does not validate it", spec.id)
    })
    .collect()
}
