//! From YAML events to a small tree with places, within limits that hold against alias bombs and deep nesting.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, ScanError, Span as YamlSpan, StructureStyle};

use super::{Data, Entry, FrontMatter, FrontMatterBlock, Node, ScalarStyle};
use crate::diagnostic::Diagnostic;
use crate::document::{Span, line_of};
use crate::rules::reading::{FRONT_MATTER_DUPLICATE_KEY, FRONT_MATTER_INVALID, FRONT_MATTER_NOT_A_MAP};

/// Values that one front matter may hold, counting what aliases repeat.
const MAX_NODES: usize = 20_000;
/// Bytes of text that aliases may repeat.
const MAX_ALIASED_BYTES: usize = 1 << 20;
const MAX_DEPTH: usize = 64;

pub(super) fn read(text: &str, block: &FrontMatterBlock) -> FrontMatter {
    let yaml = &text[block.yaml.clone()];
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut tree = Tree {
        events: Parser::new_from_str_with_options(yaml, options),
        yaml,
        base: block.yaml.start,
        first_line: line_of(text, block.yaml.start),
        anchors: HashMap::new(),
        nodes: 0,
        aliased_bytes: 0,
        // The last token, so that a value that is not there has a place.
        last_end: 0,
    };
    let mut front = FrontMatter::default();
    if let Err(fault) = tree.document(&mut front) {
        front.diagnostics.push(tree.diagnostic(fault));
    }
    report_duplicates(&mut front);
    front
}

/// Why reading stopped.
#[derive(Debug)]
enum Fault {
    Syntax(ScanError),
    /// The document is not a map.
    Shape {
        kind: &'static str,
        at: usize,
        line: usize,
    },
    /// It is YAML, but not such as we read: a message, a byte and a line.
    Refused(&'static str, usize, usize),
    Ended,
}

struct Tree<'y> {
    events: Parser<'y, granit_parser::StrInput<'y>>,
    yaml: &'y str,
    base: usize,
    first_line: usize,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    aliased_bytes: usize,
    last_end: usize,
}

impl<'y> Tree<'y> {
    fn document(&mut self, front: &mut FrontMatter) -> Result<(), Fault> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(..) => {}
                Event::StreamEnd => return Ok(()),
                Event::MappingStart(style, ..) => {
                    // Keys go straight to the result: those before a fault are still worth having.
                    self.map(style, &span, &mut front.entries)?;
                    break;
                }
                other => {
                    let node = self.node(other, &span)?;
                    if node.is_null() {
                        break;
                    }
                    return Err(Fault::Shape { kind: node.kind(), at: node.span.start, line: node.line });
                }
            }
        }
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(()),
                _ => return Err(self.refused("there is more than one YAML document", &span)),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'y>, YamlSpan), Fault> {
        match self.events.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => Err(Fault::Syntax(error)),
            None => Err(Fault::Ended),
        }
    }

    fn node(&mut self, event: Event<'y>, span: &YamlSpan) -> Result<Node, Fault> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.refused("the front matter holds too many values", span));
        }
        let line = self.first_line + span.start.line() - 1;
        let start = self.offset(span).start;
        let (data, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let place = self.scalar_place(span, style);
                self.last_end = place.end;
                let style = match style {
                    granit_parser::ScalarStyle::Plain => ScalarStyle::Plain,
                    granit_parser::ScalarStyle::Literal | granit_parser::ScalarStyle::Folded => {
                        ScalarStyle::Block
                    }
                    _ => ScalarStyle::Quoted,
                };
                let node = Node { data: Data::Scalar { text: text.into_owned(), style }, span: place, line };
                return Ok(self.remember(anchor, node));
            }
            Event::Alias(id) => return self.alias(id, span),
            Event::SequenceStart(style, anchor, _) => {
                let mut items = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::SequenceEnd {
                        self.close(style, &span);
                        break;
                    }
                    items.push(self.node(event, &span)?);
                }
                (Data::List(items), anchor)
            }
            Event::MappingStart(style, anchor, _) => {
                let mut entries = Vec::new();
                self.map(style, span, &mut entries)?;
                (Data::Map(entries), anchor)
            }
            _ => return Err(self.refused("this is not a value", span)),
        };
        let node = Node { data, span: start..self.last_end.max(start), line };
        Ok(self.remember(anchor, node))
    }

    fn map(
        &mut self,
        style: StructureStyle,
        start: &YamlSpan,
        entries: &mut Vec<Entry>,
    ) -> Result<(), Fault> {
        self.last_end = self.last_end.max(self.offset(start).end);
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                self.close(style, &span);
                return Ok(());
            }
            let key = self.node(event, &span)?;
            let Data::Scalar { text, .. } = key.data else {
                return Err(self.refused("a key is a list or a map", &span));
            };
            let (event, span) = self.next()?;
            let mut node = self.node(event, &span)?;
            if node.span.is_empty() && node.is_null() {
                // A value that is left out stands right behind its key, whatever comments follow.
                node.span = key.span.end..key.span.end;
                self.last_end = key.span.end;
            }
            entries.push(Entry { key: text, key_span: key.span, node });
        }
    }

    fn close(&mut self, style: StructureStyle, span: &YamlSpan) {
        if style == StructureStyle::Flow {
            self.last_end = self.offset(span).end;
        }
    }

    fn alias(&mut self, id: usize, span: &YamlSpan) -> Result<Node, Fault> {
        let Some(target) = self.anchors.get(&id) else {
            return Err(self.refused("an alias is inside its own anchor", span));
        };
        let (nodes, bytes) = weigh(target);
        self.nodes += nodes;
        self.aliased_bytes += bytes;
        if self.nodes > MAX_NODES || self.aliased_bytes > MAX_ALIASED_BYTES {
            return Err(self.refused("aliases repeat too much", span));
        }
        let place = self.offset(span);
        let line = self.first_line + span.start.line() - 1;
        let node = Node { data: target.data.clone(), span: place.clone(), line };
        self.last_end = place.end;
        Ok(node)
    }

    fn remember(&mut self, anchor: usize, node: Node) -> Node {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        node
    }

    fn offset(&self, span: &YamlSpan) -> Span {
        let range = span.byte_range().unwrap_or(0..0);
        self.base + range.start..self.base + range.end
    }

    /// Where a scalar stands. A value that is left out stands behind what came before it.
    fn scalar_place(&self, span: &YamlSpan, style: granit_parser::ScalarStyle) -> Span {
        let place = self.offset(span);
        if place.is_empty() && style == granit_parser::ScalarStyle::Plain {
            let before = self.yaml[..place.start - self.base].trim_end().len() + self.base;
            return before..before;
        }
        place
    }

    fn refused(&self, message: &'static str, span: &YamlSpan) -> Fault {
        Fault::Refused(message, self.offset(span).start, self.first_line + span.start.line() - 1)
    }

    fn diagnostic(&self, fault: Fault) -> Diagnostic {
        let invalid = |message: &str, at: usize, line: usize| {
            let message = format!("the front matter is not valid YAML: {message}");
            let hint = "correct the YAML between the `---` lines; quote values that hold `: ` or ` #`";
            FRONT_MATTER_INVALID.at(line, at..at, message, hint)
        };
        match fault {
            Fault::Syntax(error) => {
                let marker = error.marker();
                let at = self.base + marker.byte_offset().unwrap_or(0).min(self.yaml.len());
                let lines = self.yaml.matches('\n').count().max(1);
                invalid(&error.info(), at, self.first_line + marker.line().clamp(1, lines) - 1)
            }
            Fault::Refused(message, at, line) => invalid(message, at, line),
            Fault::Ended => invalid("it ends too early", self.base, self.first_line),
            Fault::Shape { kind, at, line } => FRONT_MATTER_NOT_A_MAP.at(
                line,
                at..at,
                format!("the front matter is {kind}, not a map of keys"),
                "write `key: value` lines between the `---` lines",
            ),
        }
    }
}

/// How many values a node holds, and how many bytes of text.
fn weigh(node: &Node) -> (usize, usize) {
    let add = |(nodes, bytes): (usize, usize), (more, longer): (usize, usize)| (nodes + more, bytes + longer);
    match &node.data {
        Data::Scalar { text, .. } => (1, text.len()),
        Data::List(items) => items.iter().map(weigh).fold((1, 0), add),
        Data::Map(entries) => {
            entries.iter().map(|entry| add(weigh(&entry.node), (1, entry.key.len()))).fold((1, 0), add)
        }
    }
}

fn report_duplicates(front: &mut FrontMatter) {
    let mut seen = HashSet::new();
    for entry in &front.entries {
        if !seen.insert(entry.key.as_str()) {
            front.diagnostics.push(FRONT_MATTER_DUPLICATE_KEY.at(
                entry.node.line,
                entry.key_span.clone(),
                format!("the key `{}` appears twice in the front matter", entry.key),
                "keep one of them; the last one counts",
            ));
        }
    }
}
