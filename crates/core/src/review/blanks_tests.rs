//! Which blanks count: those by which a reader takes something else from a text.

use proptest::prelude::*;

use super::*;
use crate::delta::DeltaDoc;
use crate::document::Document;

const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Sign in\nThe system SHALL send a link.\n\n#### Scenario: Fresh\n- **WHEN** asked\n- **THEN** sent\n";

fn digest(delta: &str) -> Digest {
    Meaning::of_change("change:mail", Some("# Mail\n"), None, [("accounts", delta)], None).digest()
}

#[test]
fn a_blank_that_is_neither_a_space_nor_a_tab_is_seen() {
    let removed = format!("{DELTA}\n## REMOVED Requirements\n\n### Requirement: Lockout\n");
    for blank in ['\u{a0}', '\u{3000}', '\u{2028}', '\u{85}', '\u{c}', '\u{b}'] {
        let hidden = removed.replace("REMOVED Requirements", &format!("REMOVED Requirements{blank}"));
        assert_ne!(digest(&hidden), digest(&removed), "{blank:?} behind a heading takes a removal away");
        let glued = DELTA.replace("Requirements\n\n", &format!("Requirements\n{blank}\n"));
        assert_ne!(digest(&glued), digest(DELTA), "a line of {blank:?} is no blank line");
    }
}

/// What a reader of deltas takes from a text.
fn taken(text: &str) -> String {
    let document = Document::parse(text);
    let delta = DeltaDoc::read(&document);
    let one =
        |text: &str| text.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let all = |list: &[crate::requirement::Requirement<'_>]| -> Vec<Vec<String>> {
        let names = |scenarios: &[crate::requirement::Scenario<'_>]| -> Vec<String> {
            scenarios.iter().map(|scenario| one(scenario.name)).collect()
        };
        list.iter().map(|item| [vec![one(item.name)], names(&item.scenarios)].concat()).collect()
    };
    let removed: Vec<String> = delta.removed.iter().map(|removal| one(removal.name)).collect();
    let renamed: Vec<[String; 2]> =
        delta.renamed.iter().map(|rename| [one(rename.from), one(rename.to)]).collect();
    format!("{:?} {:?} {removed:?} {renamed:?}", all(&delta.added), all(&delta.modified))
}

/// Lines that a delta consists of or that change what others mean; `~` is where blanks may stand.
const LINES: [&str; 34] = [
    "## ADDED Requirements",
    "### Requirement: A",
    "### Requirement: B",
    "#### Scenario: S",
    "- **WHEN** x",
    "text",
    "```",
    "````",
    "-~```",
    "- a",
    "  b",
    "    c",
    "<div>",
    "</div>",
    "<!-- c",
    "-->",
    "---",
    "===",
    "> q",
    ">~```",
    "1.~x",
    "#~Top",
    "##~REMOVED Requirements",
    "- `### Requirement: A`",
    "- FROM: `### Requirement: A`",
    "- TO: `### Requirement: B`",
    "## RENAMED Requirements",
    "## MODIFIED Requirements",
    "<pre>",
    "</pre>",
    "\t```",
    "x\r### Requirement: C",
    "<script>",
    "[a]: <b",
];

/// How blank a text is at one place: what is behind the line, what is between its words, and what follows it.
fn blanks() -> impl Strategy<Value = (&'static str, &'static str, &'static str)> {
    let behind = prop_oneof![6 => Just(""), 1 => Just("  "), 1 => Just("\u{a0}"), 1 => Just("\u{c}")];
    let between = prop_oneof![Just(" "), Just("    "), Just("\t"), Just("     ")];
    let after = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 3 => Just("\n\n"), 1 => Just("\n \t\n"), 1 => Just("\n\u{3000}\n")];
    (behind, between, after)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn two_texts_of_one_digest_are_read_alike(
        lines in prop::collection::vec((0..LINES.len(), blanks(), blanks()), 1..9),
    ) {
        let text = |second: bool| -> String {
            lines
                .iter()
                .map(|(line, one, other)| {
                    let (behind, between, after) = if second { other } else { one };
                    format!("{}{behind}{after}", LINES[*line].replace('~', between))
                })
                .collect()
        };
        let (one, other) = (text(false), text(true));
            if digest(&one) == digest(&other) {
            prop_assert_eq!(taken(&one), taken(&other), "{:?} and {:?}", one, other);
        }
    }
}
