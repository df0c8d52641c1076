//! What a form sent.

use crate::address::pairs;

/// The largest form: a note of the longest kind, with room for its encoding.
pub const MAX_FORM_BYTES: usize = 1024 * 1024;
pub const FORM_TYPE: &str = "application/x-www-form-urlencoded";

/// The fields of a form, or of a query.
#[derive(Debug, Clone, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    pub fn read(text: &str) -> Self {
        Self(pairs(text))
    }

    /// The value of a field, if it says anything.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        found.filter(|value| !value.trim().is_empty())
    }

    pub fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// The lines of a text field as everybody else has them.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|text| text.replace("\r\n", "\n"))
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.trim().parse().ok()
    }

    /// All fields whose names begin so, without the beginning.
    pub(crate) fn below<'f>(&'f self, prefix: &'f str) -> impl Iterator<Item = (&'f str, &'f str)> {
        self.0.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}

/// An address on this server to come back to; whatever else stands there is not followed.
pub fn way_back(form: &Form) -> Option<&str> {
    let back = form.get("back")?;
    let is_plain = back.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_plain && back.starts_with('/') && !back.starts_with("//")).then_some(back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_away() {
        let back = |value: &str| {
            let form = Form(vec![("back".to_owned(), value.to_owned())]);
            way_back(&form).map(str::to_owned)
        };
        assert_eq!(back("/w/shop/board?x=1").as_deref(), Some("/w/shop/board?x=1"));
        for bad in ["//evil.example", "https://evil.example", "/\\evil", "evil", "", "/a\r\nb"] {
            assert_eq!(back(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_text_has_plain_lines_and_blank_fields_say_nothing() {
        let form = Form::read("note=a%0D%0Ab&empty=+&q.x=1&q.y=2");
        assert_eq!(form.text("note").as_deref(), Some("a\nb"));
        assert_eq!(form.get("empty"), None);
        assert_eq!(form.below("q.").collect::<Vec<_>>(), [("x", "1"), ("y", "2")]);
    }
}
