//! Reads values out of TOML by their whole names, and remembers every fault with its line.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml_edit::{Document, Item, TableLike};

use super::keys::{self, ConfigKey};
use crate::diagnostic::Diagnostic;
use crate::document::line_of;
use crate::rules::workspace::{CONFIG_INVALID, CONFIG_KEY_UNKNOWN};
use crate::spec::Category;

pub(super) struct Reader<'t> {
    text: &'t str,
    root: &'t dyn TableLike,
    diagnostics: Vec<Diagnostic>,
    /// The names that were asked for, which tests compare with the table of keys.
    #[cfg(test)]
    pub(super) asked: Vec<String>,
}

impl<'t> Reader<'t> {
    /// The document, or what keeps it from being one.
    pub(super) fn parse(text: &'t str) -> Result<Document<&'t str>, Diagnostic> {
        Document::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().lines().next().unwrap_or("it is not TOML").to_owned();
            invalid(text, span, &message)
        })
    }

    pub(super) fn new(text: &'t str, root: &'t dyn TableLike) -> Self {
        Self {
            text,
            root,
            diagnostics: Vec::new(),
            #[cfg(test)]
            asked: Vec::new(),
        }
    }

    /// What was wrong, in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        self.diagnostics
    }

    /// The item of this whole name; a section on the way that is no table is a fault, once.
    pub(super) fn item(&mut self, name: &str) -> Option<&'t Item> {
        #[cfg(test)]
        self.asked.push(name.to_owned());
        let mut table = self.root;
        let mut way = String::new();
        let mut parts = name.split('.').peekable();
        while let Some(part) = parts.next() {
            let item = table.get(part)?;
            if parts.peek().is_none() {
                return Some(item);
            }
            way.push_str(if way.is_empty() { "" } else { "." });
            way.push_str(part);
            let Some(inner) = item.as_table_like() else {
                self.complain(item, &format!("`{way}` is not a table"));
                return None;
            };
            table = inner;
        }
        None
    }

    pub(super) fn has(&mut self, name: &str) -> bool {
        self.item(name).is_some()
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let item = self.item(name)?;
        if item.as_str().is_none() {
            self.complain(item, &format!("`{name}` is not a string"));
        }
        item.as_str().map(str::to_owned)
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        let item = self.item(name)?;
        if item.as_bool().is_none() {
            self.complain(item, &format!("`{name}` is neither true nor false"));
        }
        item.as_bool()
    }

    pub(super) fn number(&mut self, name: &str) -> Option<f64> {
        let item = self.item(name)?;
        let number = number(item).filter(|number| number.is_finite());
        if number.is_none() {
            self.complain(item, &format!("`{name}` is not a number"));
        }
        number
    }

    pub(super) fn whole(&mut self, name: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let item = self.item(name)?;
        let number = item.as_integer().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = (range.start(), range.end());
            self.complain(item, &format!("`{name}` is not a whole number from {least} to {most}"));
        }
        number
    }

    pub(super) fn seconds(&mut self, name: &str, range: RangeInclusive<i64>) -> Option<Duration> {
        let seconds = self.whole(name, range)?;
        u64::try_from(seconds).ok().map(Duration::from_secs)
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let item = self.item(name)?;
        let texts = texts(item);
        if texts.is_none() {
            self.complain(item, &format!("`{name}` is not a list of strings"));
        }
        texts
    }

    pub(super) fn category(&mut self, name: &str) -> Option<Category> {
        let text = self.text(name)?;
        let category = text.parse().ok();
        if category.is_none() {
            let known = Category::ALL.map(Category::as_str).join("`, `");
            self.fault(name, &format!("`{name}` is `{}`, not one of `{known}`", text.escape_debug()));
        }
        category
    }

    /// Something is wrong with the value of this name.
    pub(super) fn fault(&mut self, name: &str, problem: &str) {
        match self.item(name) {
            Some(item) => self.complain(item, problem),
            None => self.diagnostics.push(invalid(self.text, 0..0, problem)),
        }
    }

    pub(super) fn complain(&mut self, item: &Item, problem: &str) {
        let fault = invalid(self.text, item.span().unwrap_or(0..0), problem);
        // A section is asked for many keys, and complained about once.
        if !self.diagnostics.contains(&fault) {
            self.diagnostics.push(fault);
        }
    }

    /// A key that is not in the table is a warning with the nearest that is.
    pub(super) fn warn_of_unknown_keys(&mut self, known: &[ConfigKey]) {
        self.look_for_unknown_keys(self.root, "", known);
    }

    fn look_for_unknown_keys(&mut self, table: &dyn TableLike, prefix: &str, known: &[ConfigKey]) {
        for (name, item) in table.iter() {
            let path = format!("{prefix}{name}");
            if keys::is_whole(known, &path) {
                continue;
            }
            if keys::is_known(known, &path) {
                if let Some(inner) = item.as_table_like() {
                    self.look_for_unknown_keys(inner, &format!("{path}."), known);
                }
                continue;
            }
            let span = key_span(table, name).or_else(|| item.span()).unwrap_or(0..0);
            let hint = match keys::nearest(known, &path) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "take it out, or look at docs/configuration.md for what there is".to_owned(),
            };
            self.diagnostics.push(CONFIG_KEY_UNKNOWN.at(
                line_of(self.text, span.start),
                span,
                format!("`{}` is not a key of this configuration", path.escape_debug()),
                hint,
            ));
        }
    }
}

fn key_span(table: &dyn TableLike, name: &str) -> Option<Range<usize>> {
    table.get_key_value(name).and_then(|(key, _)| key.span())
}

#[expect(clippy::cast_precision_loss, reason = "a pace need not be exact")]
pub(super) fn number(item: &Item) -> Option<f64> {
    item.as_float().or_else(|| item.as_integer().map(|whole| whole as f64))
}

pub(super) fn texts(item: &Item) -> Option<Vec<String>> {
    item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn invalid(text: &str, span: Range<usize>, problem: &str) -> Diagnostic {
    CONFIG_INVALID.at(
        line_of(text, span.start),
        span,
        format!("the configuration is not valid: {problem}"),
        "correct the line; until then the default holds",
    )
}
