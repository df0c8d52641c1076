//! XML as the readers see it: elements that open and close, and the text between, within bounds.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::{MAX_DEPTH, ReportError};
use crate::document::line_of;

/// What comes next in a document.
#[derive(Debug)]
pub(super) enum Node<'t> {
    Open(Element<'t>),
    /// The element of this depth ends; the root's depth is 1.
    Close {
        depth: usize,
    },
    Text(Cow<'t, str>),
    End,
}

/// An element that has begun.
#[derive(Debug)]
pub(super) struct Element<'t> {
    start: BytesStart<'t>,
    /// The root's is 1.
    pub(super) depth: usize,
    line_offset: usize,
}

/// Whether a document type that declares nothing is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentType {
    Refused,
    /// One that only names an address; nobody looks there.
    NameOnly,
}

/// A reader that knows how deep it is.
pub(super) struct Xml<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    depth: usize,
    document_type: DocumentType,
    seen_root: bool,
}

impl<'t> Xml<'t> {
    pub(super) fn new(text: &'t str, document_type: DocumentType) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader, depth: 0, document_type, seen_root: false }
    }

    pub(super) fn next(&mut self) -> Result<Node<'t>, ReportError> {
        loop {
            let event = self.reader.read_event().map_err(|error| {
                let line = self.line_at(self.reader.error_position());
                ReportError::malformed(line, format!("it is not XML: {error}"))
            })?;
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    if self.depth == 0 && self.seen_root {
                        return Err(ReportError::malformed(self.line(), "it has a second root element"));
                    }
                    self.seen_root = true;
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(ReportError::TooDeep { line: self.line() });
                    }
                    let line_offset = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
                    return Ok(Node::Open(Element { start, depth: self.depth, line_offset }));
                }
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(Node::Close { depth: self.depth + 1 });
                }
                Event::Text(text) => return Ok(Node::Text(text.into_inner())),
                Event::CData(text) => return Ok(Node::Text(text.into_inner())),
                Event::GeneralRef(reference) => return self.reference(&reference),
                Event::DocType(declared)
                    if self.document_type == DocumentType::Refused || declared.contains('[') =>
                {
                    return Err(ReportError::DocumentType { line: self.line() });
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
                Event::Eof if self.depth > 0 => {
                    return Err(ReportError::malformed(self.line(), "it ends before its elements do"));
                }
                Event::Eof if !self.seen_root => {
                    return Err(ReportError::malformed(1, "it has no element"));
                }
                Event::Eof => return Ok(Node::End),
            }
        }
    }

    /// The line that was reached.
    pub(super) fn line(&self) -> usize {
        self.line_at(self.reader.buffer_position())
    }

    fn reference(&self, reference: &quick_xml::events::BytesRef<'t>) -> Result<Node<'t>, ReportError> {
        let unknown =
            || ReportError::Entity { line: self.line(), name: reference.chars().take(80).collect() };
        if let Some(c) = reference.resolve_char_ref().map_err(|_| unknown())? {
            return Ok(Node::Text(c.to_string().into()));
        }
        let text = quick_xml::escape::resolve_predefined_entity(reference).ok_or_else(unknown)?;
        Ok(Node::Text(text.into()))
    }

    fn line_at(&self, offset: u64) -> usize {
        line_of(self.text, usize::try_from(offset).unwrap_or(usize::MAX))
    }
}

impl Element<'_> {
    /// The name without its prefix.
    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// The values of these attributes, in this order.
    pub(super) fn attributes<const N: usize>(
        &self,
        xml: &Xml<'_>,
        names: [&str; N],
    ) -> Result<[Option<String>; N], ReportError> {
        let mut values = [const { None }; N];
        let line = || line_of(xml.text, self.line_offset);
        for attribute in self.start.attributes() {
            let attribute = attribute
                .map_err(|error| ReportError::malformed(line(), format!("it is not XML: {error}")))?;
            let Some(index) = names.iter().position(|name| *name == attribute.key.into_inner()) else {
                continue;
            };
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| {
                let name = attribute.value.split('&').nth(1).and_then(|rest| rest.split(';').next());
                ReportError::Entity {
                    line: line(),
                    name: name.unwrap_or_default().chars().take(80).collect(),
                }
            })?;
            values[index] = Some(value.into_owned());
        }
        Ok(values)
    }
}
