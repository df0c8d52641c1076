use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// One line for each block: nesting, kind, content.
fn dump(text: &str) -> String {
    let document = Document::parse(text);
    let mut out = String::new();
    for block in document.blocks() {
        let kind = match &block.kind {
            BlockKind::Heading(heading) => {
                let style = if heading.style == HeadingStyle::Atx { "" } else { " setext" };
                format!("h{}{style} {:?}", heading.level, heading.title)
            }
            BlockKind::Item(item) => {
                let marker = match item.marker {
                    Marker::Bullet(sign) => sign.to_string(),
                    Marker::Ordered { number, delimiter } => format!("{number}{delimiter}"),
                };
                let task = item.task.map(|mark| format!(" [{mark}]")).unwrap_or_default();
                format!("item {marker}{task} {:?}", document.joined(block.content.clone()))
            }
            BlockKind::Code(style) => format!("{style:?} {:?}", document.slice(block.content.clone())),
            other => format!("{other:?} {:?}", document.slice(block.content.clone())),
        };
        writeln!(out, "{}{kind}", "  ".repeat(block.nesting)).unwrap();
    }
    out
}

#[test]
fn blocks_are_read_as_commonmark_says() {
    for (text, expected) in [
        ("# A\ntext\n", "h1 \"A\"\nParagraph \"text\"\n"),
        ("  ### A b ###  \r\n", "h3 \"A b\"\n"),
        ("#\n", "h1 \"\"\n"),
        ("# #\n", "h1 \"\"\n"),
        ("####### x\n", "Paragraph \"####### x\"\n"),
        ("#x\n", "Paragraph \"#x\"\n"),
        ("# a#\n", "h1 \"a#\"\n"),
        ("# a \\#\n", "h1 \"a #\"\n"),
        ("Two\nlines\n---\n", "h2 setext \"Two lines\"\n"),
        ("#hash\n===\n", "h1 setext \"#hash\"\n"),
        ("[a]: /x\nTitle\n=====\n", "h1 setext \"Title\"\n"),
        ("```md\n# no\n```\n# yes\n", "Fenced \"# no\\n\"\nh1 \"yes\"\n"),
        ("~~~\n# no\n```\n# no\n", "Fenced \"# no\\n```\\n# no\\n\"\n"),
        ("```\n```\n", "Fenced \"\"\n"),
        ("a\n\n    # no\n\n# yes", "Paragraph \"a\"\nIndented \"# no\\n\"\nh1 \"yes\"\n"),
        ("<!--\n# no\n\n# no\n-->\n# yes\n", "Html \"<!--\\n# no\\n\\n# no\\n-->\"\nh1 \"yes\"\n"),
        ("<div>\n# no\n\n# yes\n", "Html \"<div>\\n# no\"\nh1 \"yes\"\n"),
        ("> # no\n> text\n", "Quote \"> # no\\n> text\"\n  h1 \"no\"\n  Paragraph \"text\"\n"),
        ("- # no\n", "item - \"\"\n  h1 \"no\"\n"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n", "Table \"| a | b |\\n|---|:-:|\\n| 1 | 2 |\"\n"),
        ("a\n\n***\n\nb\n", "Paragraph \"a\"\nRule \"***\"\nParagraph \"b\"\n"),
    ] {
        assert_eq!(dump(text), expected, "{text:?}");
    }
}

#[test]
fn list_items_know_marker_task_and_wrapped_text() {
    for (text, expected) in [
        ("- one\n  more\n- two\n", "item - \"one more\"\nitem - \"two\"\n"),
        ("* one\nlazy\n", "item * \"one lazy\"\n"),
        ("- one\n\n  second\n\n- two\n", "item - \"one\"\n  Paragraph \"second\"\nitem - \"two\"\n"),
        ("3) x\n4) y\n", "item 3) \"x\"\nitem 4) \"y\"\n"),
        (
            "- [ ] open\n- [x] done\n- [~] odd\n",
            "item - [ ] \"open\"\nitem - [x] \"done\"\nitem - [~] \"odd\"\n",
        ),
        ("- [ ]\n- [x](y) link\n", "item - [ ] \"\"\nitem - \"[x](y) link\"\n"),
        ("- [ ] loose\n\n- [x] too\n", "item - [ ] \"loose\"\nitem - [x] \"too\"\n"),
        ("+ a\n  1. b\n     - [X] c\n", "item + \"a\"\n  item 1. \"b\"\n    item - [X] \"c\"\n"),
        ("- \\[x] escaped\n", "item - \"\\\\[x] escaped\"\n"),
        ("-\n  next line\n", "item - \"next line\"\n"),
        ("- **WHEN** a *b*\n- `c` d\n", "item - \"**WHEN** a *b*\"\nitem - \"`c` d\"\n"),
        ("- a\n  ```\n  - no\n  ```\n", "item - \"a\"\n  Fenced \"- no\\n\"\n"),
        ("- a\r\n  b\r\n- c\r\n", "item - \"a b\"\nitem - \"c\"\n"),
        ("-\n\npara\n", "item - \"\"\nParagraph \"para\"\n"),
    ] {
        assert_eq!(dump(text), expected, "{text:?}");
    }
}

#[test]
fn spans_cover_whole_lines_and_lines_are_counted_from_one() {
    let text = "\u{feff}---\r\ntitle: x\r\n---\r\n\r\n  # Top\r\n\r\n- one\r\n  - two\r\n";
    let document = Document::parse(text);
    let spans: Vec<&str> = document.blocks().iter().map(|block| document.slice(block.span.clone())).collect();
    assert_eq!(spans, ["  # Top", "- one\r\n  - two", "  - two"]);
    let lines: Vec<usize> =
        document.blocks().iter().map(|block| document.line_of(block.span.start)).collect();
    assert_eq!(lines, [5, 7, 8]);
    let front = document.front_matter().unwrap();
    assert_eq!(document.slice(front.yaml.clone()), "title: x\r\n");
    assert_eq!(document.slice(front.span.clone()), "---\r\ntitle: x\r\n---\r\n");
}

#[test]
fn sections_nest_by_level_and_find_their_title_in_any_case() {
    let text = "intro\n# A\na\n## B\nb\n#### D\nd\n## C\n> ## quoted\n\n# E\n";
    let document = Document::parse(text);
    let b = document.section(2, "b").unwrap();
    assert_eq!(document.slice(b.span()), "## B\nb\n#### D\nd\n");
    assert_eq!(document.slice(b.body()), "b\n#### D\nd\n");
    assert_eq!(document.slice(b.intro()), "b\n");
    assert_eq!(b.line(), 4);
    let a = document.section(1, "A").unwrap();
    assert_eq!(a.children().map(|child| child.title().to_owned()).collect::<Vec<_>>(), ["B", "C"]);
    assert_eq!(document.slice(a.intro()), "a\n");
    assert_eq!(document.top_sections().map(|top| top.title().to_owned()).collect::<Vec<_>>(), ["A", "E"]);
    assert_eq!(document.slice(document.section(1, "E").unwrap().body()), "");
    assert!(document.section(2, "quoted").is_none());
}

#[test]
fn front_matter_needs_a_first_line_and_an_end() {
    for (text, yaml, body) in [
        ("---\na: 1\n---\nx", Some("a: 1\n"), "x"),
        ("--- \na: 1\n...\nx", Some("a: 1\n"), "x"),
        ("---\n---\n", Some(""), ""),
        ("---\n---", Some(""), ""),
        ("\n---\na: 1\n---\n", None, "\n---\na: 1\n---\n"),
        ("----\na: 1\n---\n", None, "----\na: 1\n---\n"),
        ("", None, ""),
    ] {
        let document = Document::parse(text);
        let found = document.front_matter().map(|block| document.slice(block.yaml.clone()));
        assert_eq!((found, document.slice(document.body_start()..text.len())), (yaml, body), "{text:?}");
        assert!(document.diagnostics().is_empty());
    }
    let unclosed = Document::parse("---\ntitle: x\n\n# Heading\n");
    assert!(unclosed.front_matter().is_none());
    assert_eq!(unclosed.diagnostics()[0].code, "front-matter-unclosed");
    assert!(unclosed.section(1, "Heading").is_some());
}

/// Markdown made of the pieces that change how later lines are read.
pub(super) fn markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# One",
        "## Two ##",
        "### `three` [a]",
        "Title",
        "===",
        "---",
        "-",
        "- item",
        "  - nested",
        "1. one",
        "2) two",
        "- [ ] task",
        "  wrapped",
        "> quote",
        "> # quoted",
        "```",
        "~~~~",
        "    code",
        "\tcode",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<pre>",
        "</pre>",
        "<?php",
        "?>",
        "[a]: /url",
        "[a]:",
        "'title",
        "| a | b |",
        "|---|---|",
        "***",
        "text",
        "text  ",
        "a\\",
        "",
        "",
        "",
        " ",
        "#",
        "* * *",
        "  # indented",
        "     # code",
        "`open",
        "é",
        "\u{0}",
        "# nbsp\u{a0}",
        "\u{a0}# text",
    ]);
    let line_end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
    let body = prop::collection::vec((piece, line_end), 0..40)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end]).collect::<String>());
    let front = prop::sample::select(vec![
        "",
        "",
        "\u{feff}",
        "---\na: 1\n---\n",
        "\u{feff}---\r\na: 1\r\n...\r\n",
        "---\nopen\n",
    ]);
    // Long runs of text make the head reader look more than once.
    let padding = prop::sample::select(vec![0, 0, 1, 100]);
    (front, padding, body).prop_map(|(front, padding, body)| {
        format!("{front}{}{body}", "many words without a heading\n\n".repeat(padding))
    })
}

proptest! {
    #[test]
    fn any_text_gives_ordered_spans_inside_it(text in prop_oneof![markdown(), ".{0,200}", "[-*+#>`~ \t\r\n\\[\\]1.)(<!x|:é]{0,120}"]) {
        let document = Document::parse(&text);
        let mut last = document.body_start();
        for block in document.blocks() {
            prop_assert!(block.span.start >= last, "{block:?}");
            last = block.span.start;
            prop_assert!(block.content.start <= block.content.end && block.content.end <= text.len());
            prop_assert!(text.get(block.span.clone()).is_some() && text.get(block.content.clone()).is_some());
        }
        for section in document.sections() {
            prop_assert!(section.span().contains(&section.block().span.start));
            prop_assert!(text.get(section.body()).is_some() && text.get(section.intro()).is_some());
        }
    }

    #[test]
    fn the_head_agrees_with_the_whole_document(text in markdown()) {
        let document = Document::parse(&text);
        let head = head(&text);
        let first = document.headings().next();
        prop_assert_eq!(head.heading.as_ref(), first.map(|(_, heading)| heading));
        prop_assert_eq!(head.heading_span, first.map(|(block, _)| block.span.clone()));
        prop_assert_eq!(head.front_matter.as_ref(), document.front_matter());
        prop_assert_eq!(head.body_start, document.body_start());
        prop_assert_eq!(&head.diagnostics[..], document.diagnostics());
    }

    #[test]
    fn lines_are_counted_alike_by_both_ways(text in "[a\r\né]{0,40}") {
        let document = Document::parse(&text);
        for offset in 0..=text.len() {
            prop_assert_eq!(document.line_of(offset), line_of(&text, offset));
        }
    }
}
