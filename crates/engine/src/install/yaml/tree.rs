//! What a YAML text says, and where each part of it stands.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::super::part::Unreadable;

/// Deeper than this no configuration goes.
const MAX_DEPTH: usize = 64;

/// A part of the text, in bytes.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) start: usize,
    /// Behind the last byte of what it says; comments and blank lines that follow are not of it.
    pub(super) end: usize,
    /// How far it is indented.
    pub(super) column: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// What another part says, by its name.
    Alias,
}

impl Node {
    /// Whether it is written in braces or brackets.
    pub(super) fn is_flow(&self, text: &str) -> bool {
        matches!(self.kind, Kind::List(_) | Kind::Map(_)) && text[self.start..].starts_with(['{', '['])
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Scalar(Value::Null))
    }

    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(items) => items.iter().map(Self::value).collect(),
            Kind::Map(fields) => {
                let fields = fields.iter().map(|(key, value)| (key.name(), value.value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            Kind::Alias => Value::Null,
        }
    }

    /// How far its parts are indented: the dash of an item, the name of a member.
    pub(super) fn indent(&self, text: &str) -> usize {
        let Kind::List(items) = &self.kind else { return self.column };
        let Some(first) = items.first() else { return self.column };
        let line = text[..first.start].rfind('\n').map_or(0, |end| end + 1);
        text[line..first.start].rfind('-').unwrap_or(self.column)
    }

    /// A key as text.
    pub(super) fn name(&self) -> String {
        match self.value() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&(Self, Self)> {
        let Kind::Map(fields) = &self.kind else { return None };
        fields.iter().find(|(key, _)| key.name() == name)
    }
}

/// The one document of a text; `None` when it says nothing.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Unreadable> {
    let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut reader = Reader { text, offsets, parser: Parser::new_from_str(text) };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => return Ok(root),
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ if root.is_some() => return Err(Unreadable("it holds several documents".to_owned())),
            event => root = Some(reader.node(event, span, 0)?).filter(|node| !node.is_null()),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Where each character begins.
    offsets: Vec<usize>,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Unreadable> {
        match self.parser.next_event() {
            None => Ok((Event::StreamEnd, Span::default())),
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => Err(Unreadable(format!(
                "it is not valid YAML: {} (line {})",
                error.info(),
                error.marker().line()
            ))),
        }
    }

    fn byte(&self, index: usize) -> usize {
        self.offsets.get(index).copied().unwrap_or(self.text.len())
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Unreadable> {
        if depth > MAX_DEPTH {
            return Err(Unreadable("it is nested too deeply".to_owned()));
        }
        let (start, column) = (self.byte(span.start.index()), span.start.col());
        let (kind, end) = match event {
            Event::Scalar(text, style, _, _) => {
                let end = self.byte(span.end.index());
                (Kind::Scalar(scalar(&text, style)), self.trimmed(start, end))
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::SequenceEnd, span) => break self.byte(span.start.index() + 1),
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                };
                let last = items.last().map(|item| item.end);
                (Kind::List(items), self.end_of(start, end, last))
            }
            Event::MappingStart(..) => {
                let mut fields: Vec<(Node, Node)> = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::MappingEnd, span) => break self.byte(span.start.index() + 1),
                        (event, span) => {
                            let key = self.node(event, span, depth + 1)?;
                            let (event, span) = self.next()?;
                            let mut value = self.node(event, span, depth + 1)?;
                            if value.is_null() && value.start == value.end {
                                // Nothing stands behind the colon, wherever the reader has looked for it.
                                let colon = self.text[key.end..].find(':').map_or(0, |at| at + 1);
                                (value.start, value.end) = (key.end + colon, key.end + colon);
                            }
                            fields.push((key, value));
                        }
                    }
                };
                let last = fields.last().map(|(_, value)| value.end);
                (Kind::Map(fields), self.end_of(start, end, last))
            }
            _ => (Kind::Alias, self.byte(span.end.index())),
        };
        Ok(Node { kind, start, end: end.max(start), column })
    }

    /// Braces end what they begin; a block ends with its last part.
    fn end_of(&self, start: usize, end: usize, last: Option<usize>) -> usize {
        if self.text[start..].starts_with(['{', '[']) { end } else { last.unwrap_or(end) }
    }

    fn trimmed(&self, start: usize, end: usize) -> usize {
        start + self.text.get(start..end).map_or(0, |text| text.trim_end().len())
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => match text.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => text.into(),
        },
    }
}
