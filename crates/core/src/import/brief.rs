//! A record of adr-tools or MADR that is only shown: what it says of itself.

use super::adr::{number_of, with_front};
use super::model::{Bundle, SourceFile};

/// What a record of another tool says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdrBrief {
    pub title: String,
    pub date: Option<String>,
    /// As it is written; empty where it says none.
    pub status: String,
}

/// A record in brief; one without a title is called by its file.
pub fn adr_brief(path: &str, text: &str) -> AdrBrief {
    let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
    let number = number_of(path).unwrap_or_default();
    let decision = with_front(&mut Bundle::default(), &file, number);
    AdrBrief { title: decision.title, date: decision.date, status: decision.status }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_in_brief_is_its_title_its_date_and_what_it_says_of_itself() {
        let told = |path: &str, text: &str| {
            let AdrBrief { title, date, status } = adr_brief(path, text);
            (title, date.unwrap_or_default(), status)
        };
        let said =
            |title: &str, date: &str, status: &str| (title.to_owned(), date.to_owned(), status.to_owned());
        let adr_tools = "# 7. Use Rust\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nx\n";
        assert_eq!(told("docs/adr/0007-use-rust.md", adr_tools), said("Use Rust", "2020-01-02", "Accepted"));
        let madr = "---\nstatus: proposed\ndate: 2021-02-03\n---\n# Use maud\n\n## Decision Outcome\n\nx\n";
        assert_eq!(told("docs/adr/0008-maud.md", madr), said("Use maud", "2021-02-03", "proposed"));
        assert_eq!(told("docs/adr/why we log.md", "").0.to_lowercase(), "why we log");
    }
}
