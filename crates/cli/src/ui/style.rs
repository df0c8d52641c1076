//! The few styles that the output uses.

use anstyle::{AnsiColor, Style};

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const HIT: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// The text in a style; the stream drops the style where there is no colour.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The style of a lifecycle state.
pub(crate) fn state(name: &str) -> Style {
    match name {
        "active" => NAME,
        "done" => GOOD,
        "blocked" => WARN,
        "cancelled" | "archived" => DIM,
        "draft" | "living" => Style::new(),
        // `missing`, `unreadable`: not states at all.
        _ => BAD,
    }
}
