//! OpenSpec's folders, with every file as it is: what comes back by `hewto import openspec` is the same.

use hewto_core::decision::uid::Uid;

use super::Shape;
use super::collect::Collected;

/// Where a standard that OpenSpec knows stands here, and there.
const PROJECT: (&str, &str) = ("docs/standards/project.md", "openspec/project.md");

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
    // OpenSpec has no place for these: they stand beside it, and `hewto import openspec` takes them along.
    for decision in &all.decisions {
        files.push((format!("docs/adr/{}", decision.file), decision.text.clone()));
    }
    for (path, text) in &all.documents {
        let place = if path == PROJECT.0 { PROJECT.1 } else { path };
        files.push((place.to_owned(), text.clone()));
    }
    files
}

/// What OpenSpec's own validation will not accept, and what its folders have no place for.
pub(super) fn objections(all: &Collected) -> Vec<String> {
    let bare = all.specs.iter().filter(|spec| spec.requirements.is_empty());
    let mut told: Vec<String> = bare
        .map(|spec| {
            format!("`{}` has no requirements: OpenSpec keeps its files and does not validate it", spec.id)
        })
        .collect();
    let documents = all.documents.iter().filter(|(path, _)| path != PROJECT.0).count();
    let own = all.decisions.iter().filter(|decision| Uid::of_file_name(&decision.file).is_some()).count();
    let foreign = all.decisions.len() - own;
    if foreign > 0 {
        told.push(format!(
            "records of other tools stand in `docs/adr/` too ({foreign}): `hewto import adr-tools` or `hewto import madr` reads them there"
        ));
    }
    for (number, what) in [(own, "decision"), (documents, "document")] {
        if number > 0 {
            let (subject, them) = if number == 1 {
                (format!("{what} stands"), "it")
            } else {
                (format!("{what}s stand"), "them")
            };
            told.push(format!(
                "{number} {subject} beside `openspec/`, in `docs/`: OpenSpec has no place for {them}, `hewto import openspec` takes {them} along"
            ));
        }
    }
    told
}
