//! Values that are typed as text: states, categories, dependencies, plan steps, and texts that come from a file.
//!
//! These only decode. Whether an id exists or a step makes sense is for the engine to say.

use std::io::Read;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::spec::{Category, DependencyKind};
use hewto_engine::artifact::Profile;
use hewto_engine::spec::{DependencyInput, ItemKind};
use hewto_engine::template::Pointer;
use hewto_engine::{Error, Result};

use crate::failure::{machine, usage};

/// Where a longer text comes from: a file, or standard input for `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(std::path::PathBuf),
}

impl FromStr for Source {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(if text == "-" { Self::Stdin } else { Self::File(text.into()) })
    }
}

impl Source {
    /// The whole text.
    pub(crate) fn read(&self) -> Result<String> {
        let bytes = match self {
            Self::Stdin => {
                let mut bytes = Vec::new();
                std::io::stdin()
                    .lock()
                    .read_to_end(&mut bytes)
                    .map_err(|error| machine("cannot read standard input", error))?;
                bytes
            }
            // The error of `fs_err` names the path.
            Self::File(path) => fs_err::read(path).map_err(unreadable)?,
        };
        String::from_utf8(bytes).map_err(|_| usage(format!("{} is not UTF-8 text", self.name())))
    }

    /// How messages call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => format!("`{}`", path.display()),
        }
    }
}

/// A dependency as it is typed: `ID`, `ID:hard` or `ID:soft`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) id: String,
    pub(crate) kind: DependencyKind,
}

impl FromStr for Dependency {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        // An id may itself contain a colon, so only a known kind is cut off.
        let cut = text.rsplit_once(':').and_then(|(id, kind)| Some((id, kind.parse().ok()?)));
        Ok(match cut {
            Some((id, kind)) => Self { id: id.to_owned(), kind },
            None => Self { id: text.to_owned(), kind: DependencyKind::Soft },
        })
    }
}

impl From<Dependency> for DependencyInput {
    fn from(dependency: Dependency) -> Self {
        Self { spec_id: dependency.id, kind: dependency.kind }
    }
}

/// The names of the lifecycle states.
pub(crate) fn lifecycle() -> impl TypedValueParser<Value = Lifecycle> {
    PossibleValuesParser::new(Lifecycle::ALL.map(Lifecycle::as_str))
        .map(|name| name.parse().expect("the parser let only names of states through"))
}

/// The names of the categories.
pub(crate) fn category() -> impl TypedValueParser<Value = Category> {
    PossibleValuesParser::new(Category::ALL.map(Category::as_str))
        .map(|name| name.parse().expect("the parser let only names of categories through"))
}

/// The names of the kinds of work that a scratch pad can be made for.
pub(crate) fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::as_str))
        .map(|name| Profile::parse(&name).expect("the parser let only names of profiles through"))
}

/// The names of the template pointers, as one types them.
pub(crate) fn pointer() -> impl TypedValueParser<Value = Pointer> {
    PossibleValuesParser::new(["spec", "impl", "scratch"])
        .map(|name| Pointer::parse(&name).expect("the parser let only names of pointers through"))
}

/// The kinds of items in a list.
pub(crate) fn item_kind() -> impl TypedValueParser<Value = ItemKind> {
    PossibleValuesParser::new(ItemKind::ALL.map(ItemKind::as_str))
        .map(|name| ItemKind::parse(&name).expect("the parser let only names of kinds through"))
}

fn unreadable(error: std::io::Error) -> Error {
    match error.kind() {
        // A path that was mistyped is the caller's mistake, not the machine's.
        std::io::ErrorKind::NotFound | std::io::ErrorKind::IsADirectory => usage(error.to_string()),
        _ => machine("cannot read", error),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_known_kind_is_cut_off_a_dependency() {
        for (text, id, kind) in [
            ("1-a", "1-a", DependencyKind::Soft),
            ("1-a:hard", "1-a", DependencyKind::Hard),
            ("1-a:soft", "1-a", DependencyKind::Soft),
            ("odd:name", "odd:name", DependencyKind::Soft),
            ("odd:name:hard", "odd:name", DependencyKind::Hard),
            ("1-a:HARD", "1-a:HARD", DependencyKind::Soft),
        ] {
            assert_eq!(text.parse(), Ok(Dependency { id: id.to_owned(), kind }), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_id_survives_with_either_kind(id in ".*") {
            for kind in [DependencyKind::Hard, DependencyKind::Soft] {
                let typed = format!("{id}:{}", kind.as_str());
                prop_assert_eq!(typed.parse(), Ok(Dependency { id: id.clone(), kind }));
            }
        }
    }
}
