//! The line to paste.

use super::Ref;
use super::source::{Language, Shape};

/// The tag of a reference in the comment style of a file; without a file, as most languages write comments.
pub fn tag_line(path: Option<&str>, reference: &Ref) -> String {
    let language = path.map(Language::of);
    match language {
        Some(language) if language.shape == Shape::Gherkin => format!("@spec:{reference}"),
        Some(language) => language.comment(&format!("@spec {reference}")),
        None => format!("// @spec {reference}"),
    }
}

/// Whether a file of this name is code whose comments we know how to write.
pub fn is_code(path: &str) -> bool {
    !matches!(
        Language::of(path).name,
        "unknown" | "yaml" | "settings" | "ini" | "markup" | "css" | "scss" | "sql"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::{FileRole, read_file_tags};

    #[test]
    fn every_style_is_read_back() {
        let reference = Ref::parse("accounts#sign-in/known-customer").unwrap();
        for (path, expected) in [
            (Some("a.rs"), "// @spec accounts#sign-in/known-customer"),
            (Some("a.py"), "# @spec accounts#sign-in/known-customer"),
            (Some("a.sql"), "-- @spec accounts#sign-in/known-customer"),
            (Some("a.html"), "<!-- @spec accounts#sign-in/known-customer -->"),
            (Some("a.css"), "/* @spec accounts#sign-in/known-customer */"),
            (Some("a.feature"), "@spec:accounts#sign-in/known-customer"),
            (Some("a.lisp"), "; @spec accounts#sign-in/known-customer"),
            (None, "// @spec accounts#sign-in/known-customer"),
        ] {
            assert_eq!(tag_line(path, &reference), expected);
            let path = path.unwrap_or("a.rs");
            let found = read_file_tags(path, &format!("{expected}\nx\n"), FileRole::Other);
            assert_eq!(found.links[0].reference, reference, "{path}");
        }
    }
}
