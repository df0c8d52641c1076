//! How a client points at an artifact: a handle, a path, or an https address.
//!
//! Nothing is rewritten: a scheme that is not known, or `http`, is refused with what would be taken.

use std::fmt;

use thiserror::Error;

use super::Scheme;
use crate::id::{IdError, SpecId};

/// What comes behind a handle to mean its dependencies.
const DEPENDENCIES: &str = "/dependencies";

/// Where something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    Handle(Handle),
    /// A path as it was written, relative or absolute.
    Path(String),
    /// An `https://` address.
    Url(String),
}

/// `spec://x`, or `spec://x/dependencies`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    pub scheme: Scheme,
    /// The folder of the artifact, decoded.
    pub id: SpecId,
    pub view: HandleView,
}

/// What of the artifact is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleView {
    Document,
    /// The derived tree, which can only be read.
    Dependencies,
}

/// Why a text points nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LocatorError {
    #[error("a locator cannot be empty")]
    Empty,
    #[error("`http://` is not taken: `{0}`")]
    Http(String),
    #[error("unknown scheme `{0}://`")]
    UnknownScheme(String),
    #[error("a handle has one segment: `{0}`")]
    Separator(String),
    #[error("`{handle}` is not a handle: {fault}")]
    Id { handle: String, fault: IdError },
}

impl LocatorError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "give a handle such as `spec://name`, a path, or an `https://` address",
            Self::Http(_) => "use `https://`",
            Self::UnknownScheme(_) => {
                "use `spec://`, `impl://`, `scratch://`, `change://`, `adr://`, `https://` or a path"
            }
            Self::Separator(_) => "write `/` inside a name as `%2F`",
            Self::Id { .. } => "list the artifacts to see their handles",
        }
    }
}

impl Locator {
    pub fn parse(text: &str) -> Result<Self, LocatorError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(LocatorError::Empty);
        }
        let Some((scheme, rest)) = text.split_once("://") else { return Ok(Self::Path(text.to_owned())) };
        match scheme.to_ascii_lowercase().as_str() {
            "https" => Ok(Self::Url(text.to_owned())),
            "http" => Err(LocatorError::Http(text.to_owned())),
            name => match Scheme::parse(name) {
                Some(scheme) => Handle::of(scheme, rest, text).map(Self::Handle),
                None => Err(LocatorError::UnknownScheme(scheme.to_owned())),
            },
        }
    }
}

impl Handle {
    pub fn new(scheme: Scheme, id: SpecId) -> Self {
        Self { scheme, id, view: HandleView::Document }
    }

    /// Reads a handle; `None` when the text is none of ours.
    pub fn parse(text: &str) -> Option<Self> {
        match Locator::parse(text) {
            Ok(Locator::Handle(handle)) => Some(handle),
            _ => None,
        }
    }

    fn of(scheme: Scheme, rest: &str, text: &str) -> Result<Self, LocatorError> {
        let (segment, view) = match rest.strip_suffix(DEPENDENCIES) {
            Some(segment) => (segment, HandleView::Dependencies),
            None => (rest, HandleView::Document),
        };
        if segment.contains(['/', '\\', '?', '#']) {
            return Err(LocatorError::Separator(text.to_owned()));
        }
        let id = SpecId::from_segment(segment.trim())
            .map_err(|fault| LocatorError::Id { handle: text.to_owned(), fault })?;
        Ok(Self { scheme, id, view })
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.view {
            HandleView::Document => "",
            HandleView::Dependencies => DEPENDENCIES,
        };
        write!(f, "{}://{}{suffix}", self.scheme, self.id.to_segment())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn locators_are_told_apart_and_strangers_are_refused() {
        let handle = |text: &str| match Locator::parse(text) {
            Ok(Locator::Handle(handle)) => handle.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(handle(" spec://core "), "spec://core");
        assert_eq!(handle("SPEC://core/dependencies"), "spec://core/dependencies");
        assert_eq!(handle("spec://billing%2Finvoices"), "spec://billing%2Finvoices");
        for (text, expected) in [
            ("", LocatorError::Empty),
            ("http://x.org/a", LocatorError::Http("http://x.org/a".into())),
            ("file:///etc/passwd", LocatorError::UnknownScheme("file".into())),
            ("spec://a/b", LocatorError::Separator("spec://a/b".into())),
            ("spec://a/b/dependencies", LocatorError::Separator("spec://a/b/dependencies".into())),
        ] {
            assert_eq!(Locator::parse(text), Err(expected), "{text}");
        }
        for text in ["spec://", "impl://..", "scratch://%2e%2e%2fx", "adr://a%0ab"] {
            assert!(matches!(Locator::parse(text), Err(LocatorError::Id { .. })), "{text}");
        }
        assert_eq!(Locator::parse("spec/x/spec.md"), Ok(Locator::Path("spec/x/spec.md".into())));
    }

    proptest! {
        #[test]
        fn a_handle_leads_back_to_where_it_was_made(
            id in "[^\\p{Cc}\\\\]{1,30}",
            scheme in prop::sample::select(Scheme::ALL.to_vec()),
            view in prop::sample::select(vec![HandleView::Document, HandleView::Dependencies]),
        ) {
            let Ok(id) = SpecId::parse(&id) else { return Ok(()) };
            let handle = Handle { scheme, id, view };
            prop_assert_eq!(Handle::parse(&handle.to_string()), Some(handle));
        }
    }
}
