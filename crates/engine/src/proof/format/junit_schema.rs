//! Holds the JUnit report to the schema that its readers go by: as much of XML Schema as that schema uses.

use std::collections::BTreeMap;

use hewto_core::proof::State;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::junit;
use super::tests::{row, view};
use crate::view::MatrixView;

/// An element with what is in it.
#[derive(Debug, Default)]
struct Node {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Self>,
    text: String,
}

impl Node {
    fn read(text: &str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        let mut open = vec![Self::default()];
        loop {
            match reader.read_event().expect("it is XML") {
                Event::Start(start) => open.push(Self::begin(&start)),
                Event::End(_) => {
                    let node = open.pop().expect("it is open");
                    open.last_mut().expect("something is around it").children.push(node);
                }
                Event::Text(text) => open.last_mut().expect("it is open").text.push_str(&text),
                Event::GeneralRef(_) => open.last_mut().expect("it is open").text.push('&'),
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(open.len(), 1, "everything is closed");
        open.remove(0).children.remove(0)
    }

    fn begin(start: &BytesStart<'_>) -> Self {
        let attribute = |one: quick_xml::events::attributes::Attribute<'_>| {
            let value = one.normalized_value(XmlVersion::Implicit1_0).expect("a value");
            (one.key.into_inner().to_owned(), value.into_owned())
        };
        Self {
            name: start.local_name().into_inner().to_owned(),
            attributes: start.attributes().map(|one| attribute(one.expect("an attribute"))).collect(),
            ..Self::default()
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// All nodes of a name, however deep.
    fn all<'n>(&'n self, name: &str) -> Vec<&'n Self> {
        let below = self.children.iter().flat_map(|child| child.all(name));
        (self.name == name).then_some(self).into_iter().chain(below).collect()
    }
}

/// What a document of the schema may hold.
struct Schema {
    root: Node,
}

impl Schema {
    fn junit() -> Self {
        Self { root: Node::read(include_str!("schema/junit-10.xsd")) }
    }

    fn faults(&self, node: &Node) -> Vec<String> {
        let declared = self
            .root
            .children
            .iter()
            .find(|one| one.name == "element" && one.attribute("name") == Some(node.name.as_str()));
        let Some(declared) = declared else { return vec![format!("there is no `{}`", node.name)] };
        let mut faults = Vec::new();
        let known = declared.all("attribute");
        for (name, value) in &node.attributes {
            match known.iter().find(|one| one.attribute("name") == Some(name)) {
                None => faults.push(format!("`{}` has no `{name}`", node.name)),
                Some(one) if one.attribute("type") == Some("SUREFIRE_TIME") && !is_time(value) => {
                    faults.push(format!("`{value}` is not a time"));
                }
                Some(_) => {}
            }
        }
        for one in known.iter().filter(|one| one.attribute("use") == Some("required")) {
            let name = one.attribute("name").unwrap_or_default();
            if node.attribute(name).is_none() {
                faults.push(format!("`{}` lacks `{name}`", node.name));
            }
        }
        let allowed: Vec<&str> =
            declared.all("element").iter().filter_map(|one| one.attribute("ref")).collect();
        for child in &node.children {
            if !allowed.contains(&child.name.as_str()) {
                faults.push(format!("`{}` holds no `{}`", node.name, child.name));
            }
            faults.extend(self.faults(child));
        }
        let has_text = declared.attribute("type") == Some("xs:string")
            || declared.children.iter().any(|one| one.attribute("mixed") == Some("true"));
        if !has_text && !node.text.trim().is_empty() {
            faults.push(format!("`{}` holds no text", node.name));
        }
        faults
    }
}

/// The pattern of the schema: digits, and at most three of them behind a dot.
fn is_time(value: &str) -> bool {
    let (whole, rest) = value.split_once('.').unwrap_or((value, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits(&whole.replace(',', "")) && digits(rest) && rest.len() <= 3
}

#[test]
fn junit_is_valid_against_its_schema() {
    let schema = Schema::junit();
    let mut shown = view();
    shown.rows.push(row("日本#語/ü", State::Failed, None));
    for view in [shown, MatrixView::default()] {
        assert_eq!(schema.faults(&Node::read(&junit(&view))), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let schema = Schema::junit();
    for (text, fault) in [
        ("<tests/>", "there is no `tests`"),
        ("<testsuite name='a' tests='1' failures='0'/>", "`testsuite` lacks `errors`"),
        ("<testsuites><testcase name='a'/></testsuites>", "`testsuites` holds no `testcase`"),
        ("<testsuites colour='red'/>", "`testsuites` has no `colour`"),
        ("<testsuites time='soon'/>", "`soon` is not a time"),
        ("<testsuites>word</testsuites>", "`testsuites` holds no text"),
    ] {
        assert_eq!(schema.faults(&Node::read(text)), [fault], "{text}");
    }
}
