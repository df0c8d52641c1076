//! Where a reference leads that stands in a document: pure path arithmetic, no file is looked at.
//!
//! A document of the workspace refers to others by paths below the root, a document on the web by addresses.

use super::{Handle, Locator, LocatorError};

const HTTPS: &str = "https://";

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceTarget {
    Handle(Handle),
    /// An https address.
    Url(String),
    /// A path below the workspace root, without a fragment.
    Inside(String),
    /// A path that climbs out of the workspace.
    Outside,
}

/// The folder that the references of a document are counted from; of an address, an address.
pub fn folder_of(document: &str) -> &str {
    let Some(host) = url_host(document) else {
        return document.rsplit_once('/').map_or("", |(folder, _)| folder);
    };
    let end = document.find(['?', '#']).unwrap_or(document.len());
    let path = &document[host.len().min(end)..end];
    &document[..host.len().min(end) + path.rfind('/').unwrap_or(path.len())]
}

/// Whether a document is on the web.
pub fn is_url(document: &str) -> bool {
    url_host(document).is_some()
}

/// Resolves a reference against the folder of its document (`""` is the workspace root).
pub fn resolve(base: &str, reference: &str) -> Result<ReferenceTarget, LocatorError> {
    Ok(match Locator::parse(reference)? {
        Locator::Handle(handle) => ReferenceTarget::Handle(handle),
        Locator::Url(url) => ReferenceTarget::Url(url),
        Locator::Path(path) => {
            let path = path.split('#').next().unwrap_or_default();
            if let Some(host) = url_host(base) {
                return Ok(ReferenceTarget::Url(join_url(host, &base[host.len()..], path)));
            }
            if path.starts_with('/') {
                return Ok(ReferenceTarget::Outside);
            }
            match join(base, path) {
                Some(inside) => ReferenceTarget::Inside(inside),
                None => ReferenceTarget::Outside,
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

/// Joins and normalises; an address climbs no higher than its host.
fn join_url(host: &str, folder: &str, path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut url = host.to_owned();
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    for segment in segments {
        url.push('/');
        url.push_str(segment);
    }
    url
}

/// An https address as far as its host goes; `None` for everything else.
fn url_host(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_at_checked(HTTPS.len())?;
    let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    scheme.eq_ignore_ascii_case(HTTPS).then(|| &text[..HTTPS.len() + host])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_counted_from_the_folder_of_their_document() {
        let inside = |path: &str| ReferenceTarget::Inside(path.to_owned());
        for (base, reference, expected) in [
            ("impl/a", "../../spec/core/spec.md", inside("spec/core/spec.md")),
            ("impl/a", "../../spec/core/spec.md#concept-x", inside("spec/core/spec.md")),
            ("spec/a", "./b.md", inside("spec/a/b.md")),
            ("", "spec/a", inside("spec/a")),
            ("spec/a", "../../..", ReferenceTarget::Outside),
            ("spec/a", "../../../etc/passwd", ReferenceTarget::Outside),
            ("spec/a", "/etc/passwd", ReferenceTarget::Outside),
            ("spec/a", "https://x.org/y", ReferenceTarget::Url("https://x.org/y".into())),
        ] {
            assert_eq!(resolve(base, reference), Ok(expected), "{base} {reference}");
        }
        assert!(matches!(resolve("a", "spec://x"), Ok(ReferenceTarget::Handle(_))));
        assert!(resolve("a", "ftp://x").is_err());
    }

    #[test]
    fn references_of_a_document_on_the_web_are_addresses() {
        let document = "https://x.org/specs/core/spec.md?raw=/1#top";
        assert_eq!(folder_of(document), "https://x.org/specs/core");
        for (reference, expected) in [
            ("../model/spec.md", "https://x.org/specs/model/spec.md"),
            ("spec.md#concept", "https://x.org/specs/core/spec.md"),
            ("/other.md", "https://x.org/other.md"),
            ("../../../../../etc/passwd", "https://x.org/etc/passwd"),
            ("https://y.org/z", "https://y.org/z"),
        ] {
            let resolved = resolve(folder_of(document), reference);
            assert_eq!(resolved, Ok(ReferenceTarget::Url(expected.to_owned())), "{reference}");
        }
        for (document, folder) in [
            ("https://x.org", "https://x.org"),
            ("HTTPS://x.org?a", "HTTPS://x.org"),
            ("spec/a/spec.md", "spec/a"),
            ("a.md", ""),
        ] {
            assert_eq!(folder_of(document), folder);
        }
        assert!(!is_url("http://x.org") && !is_url("spec://core") && !is_url("häuser/x"));
    }
}
