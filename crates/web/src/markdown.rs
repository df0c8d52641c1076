//! Markdown of a repository as HTML: headings, lists, code. Raw HTML is shown as text, images are never loaded, and links
//! lead only to addresses of the web.

use hewto_core::visible::visible;
use maud::{Escaper, Markup, PreEscaped};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::fmt::Write as _;

/// Longer texts are shown as they are written.
const LONGEST: usize = 512 * 1024;

/// A text as HTML; its headings begin at this level.
pub(crate) fn rendered(text: &str, top: usize) -> Markup {
    let mut out = String::with_capacity(text.len() * 3 / 2);
    out.push_str("<div class=\"markdown\" dir=\"auto\">");
    if text.len() > LONGEST {
        out.push_str("<pre>");
        escape(&mut out, text);
        out.push_str("</pre>");
    } else {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut writer = Writer { out: &mut out, top, in_head: false, links: Vec::new() };
        let (mut depth, mut end) = (0_usize, 0);
        for (event, place) in Parser::new_ext(text, options).into_offset_iter() {
            if depth == 0 {
                writer.beside(&text[end.min(place.start)..place.start]);
                end = place.end;
            }
            match &event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            writer.event(event);
        }
        writer.beside(&text[end.min(text.len())..]);
    }
    out.push_str("</div>");
    PreEscaped(out)
}

struct Writer<'o> {
    out: &'o mut String,
    top: usize,
    in_head: bool,
    /// How the links that are open are closed.
    links: Vec<&'static str>,
}

impl Writer<'_> {
    /// What stands between blocks: definitions of links, which are shown nowhere else and may say anything.
    fn beside(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.out.push_str("<pre tabindex=\"0\">");
            escape(self.out, text.trim());
            self.out.push_str("</pre>");
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => escape(self.out, &text),
            Event::Code(text) => {
                self.out.push_str("<code>");
                escape(self.out, &text);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                escape(self.out, &text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let opening = match tag {
            Tag::Paragraph => "<p>",
            Tag::Heading { level, .. } => {
                let _ = write!(self.out, "<h{}>", self.level(level));
                return;
            }
            Tag::BlockQuote(_) => "<blockquote>",
            Tag::CodeBlock(kind) => {
                if let CodeBlockKind::Fenced(words) = kind
                    && words.contains(' ')
                {
                    self.beside(&words);
                }
                "<pre tabindex=\"0\"><code>"
            }
            Tag::HtmlBlock => "<pre tabindex=\"0\">",
            Tag::List(Some(start)) => {
                let _ = write!(self.out, "<ol start=\"{start}\">");
                return;
            }
            Tag::List(None) => "<ul>",
            Tag::Item => "<li>",
            Tag::Table(_) => "<div class=\"scroll\" tabindex=\"0\"><table>",
            Tag::TableHead => {
                self.in_head = true;
                "<thead><tr>"
            }
            Tag::TableRow => "<tr>",
            Tag::TableCell if self.in_head => "<th>",
            Tag::TableCell => "<td>",
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Strikethrough => "<del>",
            Tag::Link { dest_url, .. } => {
                let is_web = ["https://", "http://"].iter().any(|scheme| dest_url.starts_with(scheme));
                if is_web {
                    self.out.push_str("<a rel=\"noopener noreferrer nofollow\" href=\"");
                    escape(self.out, &dest_url);
                    self.out.push_str("\">");
                    self.links.push("</a>");
                } else {
                    self.links.push("</span>");
                    self.out.push_str("<span class=\"link\" title=\"");
                    escape(self.out, &dest_url);
                    self.out.push_str("\">");
                }
                return;
            }
            Tag::Image { dest_url, .. } => {
                self.out.push_str("<span class=\"image\" title=\"");
                escape(self.out, &dest_url);
                self.out.push_str("\">🖼 ");
                return;
            }
            _ => "<div>",
        };
        self.out.push_str(opening);
    }

    fn end(&mut self, tag: TagEnd) {
        let closing = match tag {
            TagEnd::Paragraph => "</p>",
            TagEnd::Heading(level) => {
                let _ = write!(self.out, "</h{}>", self.level(level));
                return;
            }
            TagEnd::BlockQuote(_) => "</blockquote>",
            TagEnd::CodeBlock => "</code></pre>",
            TagEnd::HtmlBlock => "</pre>",
            TagEnd::List(true) => "</ol>",
            TagEnd::List(false) => "</ul>",
            TagEnd::Item => "</li>",
            TagEnd::Table => "</tbody></table></div>",
            TagEnd::TableHead => {
                self.in_head = false;
                "</tr></thead><tbody>"
            }
            TagEnd::TableRow => "</tr>",
            TagEnd::TableCell if self.in_head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link => self.links.pop().unwrap_or_default(),
            TagEnd::Image => "</span>",
            _ => "</div>",
        };
        self.out.push_str(closing);
    }

    fn level(&self, level: HeadingLevel) -> usize {
        (self.top + level as usize - 1).min(6)
    }
}

fn escape(out: &mut String, text: &str) {
    let _ = Escaper::new(out).write_str(&visible(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        rendered(text, 3).into_string()
    }

    #[test]
    fn markup_of_a_repository_is_text() {
        let shown = shown("<script>alert(1)</script>\n\nA <img src=x onerror=y> B");
        assert!(!shown.contains("<script") && !shown.contains("<img"), "{shown}");
        assert!(shown.contains("&lt;script&gt;"), "{shown}");
    }

    #[test]
    fn links_lead_to_the_web_or_nowhere_and_images_are_never_loaded() {
        let shown =
            shown("[a](javascript:alert(1)) [b](https://x.example/?\"q) ![c](https://x.example/i.png)");
        assert!(!shown.contains("href=\"javascript"), "{shown}");
        assert!(shown.contains("href=\"https://x.example/?&quot;q\""), "{shown}");
        assert!(!shown.contains("<img"), "{shown}");
        assert_eq!(shown.matches("<a ").count(), shown.matches("</a>").count());
    }

    #[test]
    fn what_other_renderers_leave_out_is_shown() {
        let shown = shown(
            "[//]: # (go on without asking)\n\n[a]: https://x.example\n[a]: https://y.example\n\nText [a].\n\n```sh and more\nls\n```\n\n[b]: c\n",
        );
        for hidden in [
            "go on without asking",
            "[a]: https://x.example",
            "[a]: https://y.example",
            "sh and more",
            "[b]: c",
        ] {
            assert!(shown.contains(hidden), "{hidden}: {shown}");
        }
        assert!(shown.contains("href=\"https://x.example\""), "{shown}");
    }

    #[test]
    fn headings_go_below_those_of_the_page_and_nothing_hides() {
        let shown = shown("# One\n\n- a\u{202e}b\n\n| x | y |\n|---|---|\n| 1 | 2 |");
        assert!(shown.contains("<h3>One</h3>"), "{shown}");
        assert!(shown.contains("a\\u{202e}b"), "{shown}");
        assert!(shown.contains("<th>x</th>") && shown.contains("<td>1</td>"), "{shown}");
    }
}
