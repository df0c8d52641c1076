//! Where a reference leads that stands in a document: pure path arithmetic, no file is looked at.

use super::{Handle, Locator, LocatorError};

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Handle(Handle),
    /// An https address.
    Url(String),
    /// A path below the workspace root, without a fragment.
    Inside(String),
    /// A path that climbs out of the workspace.
    Outside,
}

/// Resolves a reference against a folder of the workspace (`""` is the root).
pub fn resolve(base: &str, reference: &str) -> Result<Place, LocatorError> {
    Ok(match Locator::parse(reference)? {
        Locator::Handle(handle) => Place::Handle(handle),
        Locator::Url(url) => Place::Url(url),
        Locator::Path(path) => {
            let path = path.split('#').next().unwrap_or_default();
            if path.starts_with('/') {
                return Ok(Place::Outside);
            }
            match join(base, path) {
                Some(inside) => Place::Inside(inside),
                None => Place::Outside,
            }
        }
    })
}

/// Joins and normalises; `None` when the path climbs above the root.
fn join(base: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = Vec::new();
    for segment in base.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()?),
            segment => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_counted_from_the_folder_of_their_document() {
        let inside = |path: &str| Place::Inside(path.to_owned());
        for (base, reference, expected) in [
            ("impl/a", "../../spec/core/spec.md", inside("spec/core/spec.md")),
            ("impl/a", "../../spec/core/spec.md#concept-x", inside("spec/core/spec.md")),
            ("spec/a", "./b.md", inside("spec/a/b.md")),
            ("", "spec/a", inside("spec/a")),
            ("spec/a", "../../..", Place::Outside),
            ("spec/a", "../../../etc/passwd", Place::Outside),
            ("spec/a", "/etc/passwd", Place::Outside),
            ("spec/a", "https://x.org/y", Place::Url("https://x.org/y".into())),
        ] {
            assert_eq!(resolve(base, reference), Ok(expected), "{base} {reference}");
        }
        assert!(matches!(resolve("a", "spec://x"), Ok(Place::Handle(_))));
        assert!(resolve("a", "ftp://x").is_err());
    }
}
