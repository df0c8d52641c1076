//! What nobody has to be asked about: what the files of a repository and its decisions say.

use std::collections::BTreeMap;

use hewto_core::decision::catalogue::Catalogue;
use hewto_core::decision::compose::label;
use hewto_core::decision::sign::{Known, Signs};
use hewto_store::{Context, DocKey, Own};

use super::records::Records;
use super::repository::Repository;
use crate::view::KnownFact;

/// How many manifests are read, and how large one may be, in bytes.
const MOST_MANIFESTS: usize = 24;
const LARGEST_MANIFEST: usize = 256 * 1024;

/// What is known; decisions come before signs. What cannot be read says nothing.
pub(super) fn known(
    repository: &Repository,
    ctx: &Context,
    catalogue: &Catalogue,
    files: &[String],
) -> Vec<Known> {
    let mut known = decided(repository, ctx, catalogue);
    for seen in signs(repository, ctx, files) {
        if !known.iter().any(|other| other.about == seen.about) {
            known.push(seen);
        }
    }
    known
}

fn decided(repository: &Repository, ctx: &Context, catalogue: &Catalogue) -> Vec<Known> {
    let Ok(records) = Records::read(repository, ctx) else { return Vec::new() };
    let file_of = |uid: &str| {
        let record = records.all.iter().find(|record| record.adr.uid.as_str() == uid);
        record.map(|record| record.path.clone())
    };
    let state = Own::ArchitectureState.path().to_owned();
    let mut known = Vec::new();
    for (category, fields) in records.architecture.snapshot.categories() {
        for (field, decided) in fields {
            let seen_in = decided.by.as_ref().and_then(|uid| file_of(uid.as_str()));
            known.push(Known {
                about: catalogue
                    .question_of_field(category, field)
                    .unwrap_or_else(|| format!("{category}.{field}")),
                value: decided.value.clone(),
                seen_in: seen_in.unwrap_or_else(|| state.clone()),
            });
        }
    }
    known
}

fn signs(repository: &Repository, ctx: &Context, files: &[String]) -> Vec<Known> {
    let signs = Signs::builtin();
    let mut paths = files.to_vec();
    paths.extend(signs.hidden().into_iter().filter_map(|path| {
        let there =
            DocKey::named(path.trim_end_matches('/')).is_some_and(|key| repository.store().stands(&key));
        there.then(|| path.to_owned())
    }));
    let mut texts = BTreeMap::new();
    for path in signs.manifests(&paths).into_iter().take(MOST_MANIFESTS) {
        if ctx.check().is_err() {
            break;
        }
        let doc = DocKey::named(path).and_then(|key| repository.store().read(ctx, &key).ok().flatten());
        if let Some(doc) = doc.filter(|doc| doc.text.len() <= LARGEST_MANIFEST) {
            texts.insert(path.to_owned(), doc.text);
        }
    }
    signs.seen(&paths, &texts)
}

pub(super) fn view(known: &Known) -> KnownFact {
    KnownFact { about: label(&known.about), value: known.value.clone(), seen_in: known.seen_in.clone() }
}
