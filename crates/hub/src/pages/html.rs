//! The pages as text. Everything that comes from a document or a person is escaped; nothing is run.

use std::fmt::Write as _;

use crate::overlap::Overlap;
use crate::review::{ItemLine, Subject};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.75rem;border-radius:.25rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid}\
textarea{width:100%}button{padding:.4rem .8rem;margin-right:.5rem}.busy{border-left:.25rem solid;padding-left:.75rem}";

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>",
        text(title)
    )
}

pub(super) fn login(fault: Option<&str>) -> String {
    let fault = fault.map(|fault| format!("<p role=\"alert\">{}</p>", text(fault))).unwrap_or_default();
    page(
        "Sign in",
        &format!(
            "<h1>hewto hub</h1>{fault}<form method=\"post\" action=\"/login\"><label>Your token \
             <input name=\"token\" type=\"password\" autocomplete=\"off\" required></label> \
             <button>Sign in</button></form>"
        ),
    )
}

pub(super) fn failure(message: &str, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!("<p>{}</p>", text(hint))).unwrap_or_default();
    page(
        "Not done",
        &format!(
            "<h1>Not done</h1><p role=\"alert\">{}</p>{hint}<p><a href=\"/\">Board</a></p>",
            text(message)
        ),
    )
}

pub(super) fn board(name: &str, word: &str, items: &[ItemLine], busy: &[Overlap]) -> String {
    let mut body = format!(
        "<h1>Board</h1><form method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\"word\" value=\"{}\">\
         Signed in as {} <button>Sign out</button></form>",
        text(word),
        text(name)
    );
    if items.is_empty() {
        body += "<p>Nothing was pushed yet: <code>hewto hub push</code></p>";
    } else {
        body += "<table><thead><tr><th>Repository</th><th>Item</th><th>Title</th><th>Verdict here</th></tr></thead><tbody>";
        for item in items {
            let _ = write!(
                body,
                "<tr><td>{}</td><td><a href=\"/review?repo={}&amp;item={}\">{}</a></td><td>{}</td><td>{}</td></tr>",
                text(&item.repo),
                escaped(&item.repo),
                escaped(&item.item),
                text(&item.item),
                text(&item.title),
                text(item.last_verdict.as_deref().unwrap_or("waits"))
            );
        }
        body += "</tbody></table>";
    }
    body += &overlaps(busy);
    page("Board", &body)
}

fn overlaps(busy: &[Overlap]) -> String {
    if busy.is_empty() {
        return String::new();
    }
    let mut out = "<h2>Overlaps</h2><ul class=\"busy\">".to_owned();
    for overlap in busy {
        let _ = write!(
            out,
            "<li><strong>{} / {}</strong><ul>",
            text(&overlap.capability),
            text(&overlap.requirement)
        );
        for one in &overlap.touched_by {
            let owner = one.owner.as_deref().map(|owner| format!("{owner}: ")).unwrap_or_default();
            let _ = write!(
                out,
                "<li>{} · {} · {} {}{}</li>",
                text(&one.repo),
                text(&one.change),
                text(&one.kind),
                text(&owner),
                text(&one.view)
            );
        }
        out += "</ul></li>";
    }
    out + "</ul>"
}

pub(super) fn review(word: &str, subjects: &[Subject], busy: &[Overlap], may_decide: bool) -> String {
    let Some(first) = subjects.first() else { return failure("there is nothing to review", None) };
    let mut body = format!("<p><a href=\"/\">Board</a></p><h1>{}</h1>", text(&first.title));
    if subjects.len() > 1 {
        let _ = write!(body, "<p role=\"note\">It reads differently in {} places.</p>", subjects.len());
    }
    body += &overlaps(busy);
    for subject in subjects {
        let _ = write!(
            body,
            "<section><h2>{} <code>{}</code></h2><p>As in {}</p>",
            text(&subject.item),
            text(subject.digest.get(..12).unwrap_or_default()),
            text(&subject.views.join(", "))
        );
        for one in &subject.documents {
            let _ = write!(body, "<h3>{}</h3><pre>{}</pre>", text(&one.path), text(&one.text));
        }
        if !subject.said.is_empty() {
            body += "<h3>Said</h3><ul>";
            for said in &subject.said {
                let older = if said.current { "" } else { " (about an earlier text)" };
                let _ = write!(
                    body,
                    "<li><strong>{}</strong> {} by {} at {}{older}: {}</li>",
                    text(said.verdict.as_deref().unwrap_or("comment")),
                    text(&said.by),
                    text(&said.channel),
                    text(&said.at),
                    text(&said.text)
                );
            }
            body += "</ul>";
        }
        body += &form(word, subject, may_decide);
        body += "</section>";
    }
    page(&first.title, &body)
}

fn form(word: &str, subject: &Subject, may_decide: bool) -> String {
    let verdicts = if may_decide {
        "<button name=\"act\" value=\"approved\">Approve</button>\
         <button name=\"act\" value=\"changes_requested\">Ask for changes</button>\
         <button name=\"act\" value=\"rejected\">Reject</button>"
    } else {
        ""
    };
    format!(
        "<form method=\"post\" action=\"/review\"><input type=\"hidden\" name=\"word\" value=\"{}\">\
         <input type=\"hidden\" name=\"repo\" value=\"{}\"><input type=\"hidden\" name=\"item\" value=\"{}\">\
         <input type=\"hidden\" name=\"digest\" value=\"{}\"><label>Note <textarea name=\"note\" rows=\"3\"></textarea></label>\
         {verdicts}<button name=\"act\" value=\"comment\">Comment</button></form>",
        text(word),
        text(&subject.repo),
        text(&subject.item),
        text(&subject.digest)
    )
}

/// Text as it stands in HTML, also inside quotes. Characters that reorder others are shown as what they are.
fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for ch in raw.chars() {
        match ch {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "[U+{:04X}]", u32::from(ch));
            }
            ch if ch.is_control() && ch != '\n' && ch != '\t' => out.push('\u{fffd}'),
            ch => out.push(ch),
        }
    }
    out
}

/// Text as it stands in an address.
pub(super) fn escaped(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for byte in raw.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_documents_say_is_shown_and_never_run() {
        let hostile = "<script>alert(1)</script>\" onload='x' \u{202e}txt";
        let shown = text(hostile);
        assert!(!shown.contains('<') && !shown.contains('"') && !shown.contains('\''), "{shown}");
        assert!(shown.contains("[U+202E]"), "{shown}");
        assert_eq!(escaped("acme/shop a&b"), "acme%2Fshop%20a%26b");
    }
}
