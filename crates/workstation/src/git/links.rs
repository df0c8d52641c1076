//! Refuses links in git's own folder that lead outside: git follows them without asking.
//!
//! Everything is looked at but the single objects, of which there may be a million: their names are hashes, and whoever
//! can name one outside has seen it.

use std::collections::HashSet;
use std::ffi::OsStr;

use rustix::fs::FileType;

use super::discover::leads_out;
use crate::call::Call;
use crate::confine::{Last, Missing, Roots, WalkPlace, entries};
use crate::error::{Error, Key, Result};

/// What a folder of git is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Anything,
    /// Objects, in folders named by two digits.
    Objects,
}

/// Looks at a folder of git and everything below it.
pub(super) fn refuse_links_out(
    roots: &Roots,
    call: &Call<'_>,
    folder: &WalkPlace,
    holds: Holds,
) -> Result<()> {
    let mut waiting = vec![(folder.clone(), holds)];
    let mut followed = HashSet::new();
    while let Some((place, holds)) = waiting.pop() {
        call.check()?;
        let open = match roots.open_folder(&roots.at(&place)) {
            Ok(open) => open,
            // Git itself takes folders away that it no longer needs.
            Err(error) if error.key == Key::NotFound => continue,
            Err(error) => return Err(error),
        };
        let names = entries(&open.fd).map_err(|error| Error::io("list", &open.shown, error))?;
        for entry in names {
            let (name, kind) = entry.map_err(|error| Error::io("list", &open.shown, error))?;
            match kind {
                FileType::Directory if holds == Holds::Objects && is_fan_out(&name) => {}
                FileType::Directory => waiting.push((place.below(&name), holds_of(&name))),
                FileType::Symlink => {
                    let link = place.below(&name);
                    let wanted = roots.at(&link);
                    match roots.locate(&wanted, Last::Follow, Missing::Report) {
                        Ok(spot) if spot.kind() == Some(FileType::Directory) => {
                            if followed.insert(spot.place.clone()) {
                                waiting.push((spot.place, holds_of(&name)));
                            }
                        }
                        Err(error) if error.key == Key::PathOutsideRoots => {
                            return Err(leads_out(&wanted.shown, &link.path(roots)));
                        }
                        // A file beneath the roots, or nothing that git could read either.
                        Ok(_) | Err(_) => {}
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn holds_of(name: &OsStr) -> Holds {
    if name == "objects" { Holds::Objects } else { Holds::Anything }
}

fn is_fan_out(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
}
