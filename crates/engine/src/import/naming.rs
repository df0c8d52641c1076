//! Ids for what comes in: the one it had, unless somebody else has it here; and what its source is called from here.

use std::path::{Component, Path};

use hewto_core::id::{ChangeId, SpecId, slug};
use hewto_core::import::{Format, without_number};
use hewto_store::{DocKey, LayoutKind, Store};

/// Tries after which a number is the last resort.
const MOST_TRIES: usize = 10_000;

/// A free id for a spec: its own, without its number, with the format's name, with a number.
pub(super) fn free_spec(store: &Store, format: Format, wanted: &str, taken: &dyn Fn(&str) -> bool) -> SpecId {
    let fits = |name: &str| {
        let id = SpecId::parse(name).ok()?;
        let has_place = |id: &SpecId| store.path(&DocKey::Spec(id.clone()), LayoutKind::Native).is_some();
        let is_free = !store.is_taken(&id) && has_place(&id) && !taken(&name.to_lowercase());
        is_free.then_some(id)
    };
    let bare = without_number(wanted);
    let flat = wanted.replace('/', "-");
    let first = [wanted.to_owned(), flat.clone(), bare.to_owned(), format!("{bare}-{format}"), slug(wanted)];
    let numbered = (2..MOST_TRIES).map(|number| format!("{}-{number}", slug(&flat)));
    first.into_iter().chain(numbered).find_map(|name| fits(&name)).unwrap_or_else(|| SpecId::mint(0, wanted))
}

/// A free id for a change.
pub(super) fn free_change(store: &Store, wanted: &str, taken: &dyn Fn(&str) -> bool) -> Option<ChangeId> {
    let is_free = |id: &ChangeId| {
        let new = store.new_change(id, LayoutKind::Native);
        new.is_some_and(|new| !store.has_folder(&new.folder)) && !taken(id.as_str())
    };
    let names =
        std::iter::once(wanted.to_owned()).chain((2..MOST_TRIES).map(|number| format!("{wanted}-{number}")));
    names.filter_map(|name| ChangeId::parse(&name).ok()).find(is_free)
}

/// A folder as it is called from another: `.`, `../other`, else its whole path.
pub(super) fn seen_from(here: &Path, there: &Path) -> String {
    if here == there {
        return ".".to_owned();
    }
    let (mine, theirs): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (here.components().collect(), there.components().collect());
    let shared = mine.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let up = mine.len() - shared;
    let names = std::iter::repeat_n("..".to_owned(), up)
        .chain(theirs[shared..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned()));
    names.collect::<Vec<_>>().join("/")
}
