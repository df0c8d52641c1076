//! Writing a requirement that is there already: what was not changed keeps its bytes.
//!
//! Whoever reads a requirement and sends it back, whole or edited, means the parts that differ. A scenario, a text or a
//! whole requirement that says what it said before is written as it stands, whatever a person made of its Markdown.

use thiserror::Error;

use super::{NewRequirement, NewScenario};
use crate::document::{Document, EolStyle, Span};
use crate::requirement::{Requirement, Scenario, SpecDoc};

/// A requirement as it stands, with the document it was read from.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a, 't> {
    pub document: &'a Document<'t>,
    pub requirement: &'a Requirement<'t>,
}

/// What was given can be meant in two ways.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unclear {
    #[error("`steps` and `given`, `when`, `then` of the scenario `{0}` say different things")]
    Scenario(String),
    #[error("`raw` and the other fields of the requirement `{0}` say different things")]
    Raw(String),
    #[error("`raw` of `{0}` is not one requirement of this name")]
    NotOne(String),
}

impl NewRequirement {
    /// The Markdown of the requirement, with the bytes of everything that is as it stands.
    pub fn settled(&self, standing: Option<Standing<'_, '_>>) -> Result<String, Unclear> {
        let Some(raw) = self.raw.as_deref().map(str::trim) else { return self.built_from_fields(standing) };
        let text = EolStyle::Lf.applied_to(raw);
        let document = Document::parse(&text);
        let doc = SpecDoc::read(&document);
        let [read] = doc.requirements.as_slice() else { return Err(Unclear::NotOne(self.name.clone())) };
        if read.name != self.name.trim() || read.span.start != 0 || read.whole().end != text.len() {
            return Err(Unclear::NotOne(self.name.clone()));
        }
        let has_fields = !self.text.trim().is_empty() || !self.scenarios.is_empty();
        let fields = Self { raw: None, ..self.clone() };
        if !has_fields
            || fields.built_from_fields(Some(Standing { document: &document, requirement: read }))? == text
        {
            return Ok(text);
        }
        // One of the two was edited: the one that is not as it stands.
        let Some(standing) = standing else { return Err(Unclear::Raw(self.name.clone())) };
        let before = EolStyle::Lf.applied_to(standing.requirement.raw);
        let from_fields = fields.built_from_fields(Some(standing))?;
        if text == before {
            Ok(from_fields)
        } else if from_fields == before {
            Ok(text)
        } else {
            Err(Unclear::Raw(self.name.clone()))
        }
    }

    fn built_from_fields(&self, standing: Option<Standing<'_, '_>>) -> Result<String, Unclear> {
        let Some(Standing { document, requirement }) = standing else {
            self.scenarios.iter().try_for_each(NewScenario::check)?;
            return Ok(self.render());
        };
        let mut is_as_before = requirement.name == self.name.trim();
        let body = document.slice(requirement.body.clone());
        let text = self.text.trim();
        let is_same_text =
            text.is_empty() || text == requirement.text || text == EolStyle::Lf.applied_to(body).trim();
        let mut parts = Vec::new();
        if is_as_before && is_same_text {
            let head = requirement.span.start..requirement.body.end;
            let end = head.start + document.slice(head.clone()).trim_end().len();
            parts.push(Part::kept(document, head.start..end));
        } else {
            parts.push(Part::new(super::render::heading(&self.name)));
            let text =
                if is_same_text { body.trim().to_owned() } else { beside(body, &requirement.text, text) };
            is_as_before &= is_same_text;
            parts.extend((!text.is_empty()).then(|| Part::new(text)));
        }
        let mut taken = vec![false; requirement.scenarios.len()];
        for (place, scenario) in self.scenarios.iter().enumerate() {
            let name = scenario.name.trim();
            let twin = (0..taken.len()).find(|&at| !taken[at] && requirement.scenarios[at].name == name);
            let Some(at) = twin else {
                scenario.check()?;
                is_as_before = false;
                parts.push(Part::new(scenario.render()));
                continue;
            };
            taken[at] = true;
            is_as_before &= place == at;
            let known = &requirement.scenarios[at];
            match scenario.against(document, known)? {
                Against::Same => parts.push(Part::kept(document, known.span.clone())),
                Against::Other(scenario) => {
                    is_as_before = false;
                    parts.push(Part::new(scenario.render()));
                }
            }
        }
        is_as_before &= taken.iter().all(|taken| *taken);
        let text =
            if is_as_before { requirement.raw.trim_end().to_owned() } else { joined(document, &parts) };
        Ok(EolStyle::Lf.applied_to(&text))
    }
}

/// A new text in the place of the old one, among the comments that people wrote round it.
fn beside(body: &str, old: &str, new: &str) -> String {
    let body = EolStyle::Lf.applied_to(body);
    let Some((before, after)) = body.trim().split_once(old).filter(|_| !old.is_empty()) else {
        return new.to_owned();
    };
    let is_comment = |text: &str| {
        text.trim().is_empty() || (text.trim().starts_with("<!--") && text.trim().ends_with("-->"))
    };
    if !is_comment(before) || !is_comment(after) || new.contains("<!--") {
        return new.to_owned();
    }
    format!("{before}{new}{after}")
}

/// A piece of the new text; one that stands in the old has its place there.
struct Part {
    text: String,
    place: Option<Span>,
}

impl Part {
    fn new(text: String) -> Self {
        Self { text, place: None }
    }

    fn kept(document: &Document<'_>, place: Span) -> Self {
        Self { text: document.slice(place.clone()).to_owned(), place: Some(place) }
    }
}

/// The pieces with a blank line between them, or with what stood between two that are still neighbours.
fn joined(document: &Document<'_>, parts: &[Part]) -> String {
    let mut out = String::new();
    let mut before: Option<&Span> = None;
    for (at, part) in parts.iter().enumerate() {
        let gap = match (before, &part.place) {
            (Some(before), Some(place)) if before.end <= place.start => {
                Some(document.slice(before.end..place.start)).filter(|gap| gap.trim().is_empty())
            }
            _ => None,
        };
        if at > 0 {
            out.push_str(gap.filter(|gap| gap.contains('\n')).unwrap_or("\n\n"));
        }
        out.push_str(part.text.trim_end());
        before = part.place.as_ref();
    }
    out
}

/// How a scenario that is sent compares with the one of its name.
enum Against {
    Same,
    Other(NewScenario),
}

impl NewScenario {
    /// Steps and clauses, where both are given, have to say the same.
    fn check(&self) -> Result<(), Unclear> {
        match self.clauses() {
            Some(clauses)
                if !self.steps.is_empty() && clauses != crate::requirement::Clauses::of(&self.steps) =>
            {
                Err(Unclear::Scenario(self.name.clone()))
            }
            _ => Ok(()),
        }
    }

    fn against(&self, document: &Document<'_>, known: &Scenario<'_>) -> Result<Against, Unclear> {
        let clauses = self.clauses().filter(|clauses| *clauses != known.clauses(document));
        let steps = Some(&self.steps).filter(|steps| !steps.is_empty() && **steps != known.steps(document));
        Ok(match (clauses, steps) {
            (None, None) => Against::Same,
            // What was left as it stands gives way to what was edited.
            (Some(_), None) => Against::Other(Self { steps: Vec::new(), ..self.clone() }),
            (None, Some(steps)) => Against::Other(Self { steps: steps.clone(), ..Self::named(&self.name) }),
            (Some(_), Some(_)) => {
                self.check()?;
                Against::Other(self.clone())
            }
        })
    }

    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::requirement::{Keyword, Step};

    const TEXT: &str = "## Requirements\n\n### Requirement:  Login \n**Priority**: high\nIt SHALL\n  log in.\n\n<!-- mine -->\n#### Scenario: Good\n* when: a\n  wrapped\n* AND b\n\n\n#### Scenario: Bad\n- **WHEN** c\n- **THEN** d\n  - e\n- f\n";

    /// The requirement as a client reads it.
    fn shown(document: &Document<'_>, requirement: &Requirement<'_>) -> NewRequirement {
        NewRequirement {
            name: requirement.name.to_owned(),
            text: requirement.text.to_string(),
            scenarios: requirement
                .scenarios
                .iter()
                .map(|scenario| {
                    let clauses = scenario.clauses(document);
                    NewScenario {
                        name: scenario.name.to_owned(),
                        given: clauses.given,
                        when: clauses.when,
                        then: clauses.then,
                        steps: scenario.steps(document),
                    }
                })
                .collect(),
            raw: None,
        }
    }

    fn with(text: &str, edit: impl Fn(&mut NewRequirement)) -> Result<String, Unclear> {
        let document = Document::parse(text);
        let doc = SpecDoc::read(&document);
        let mut new = shown(&document, &doc.requirements[0]);
        edit(&mut new);
        new.settled(Some(Standing { document: &document, requirement: &doc.requirements[0] }))
    }

    #[test]
    fn what_is_sent_back_as_it_was_read_keeps_every_byte() {
        let raw = TEXT[TEXT.find("###").unwrap()..].trim_end();
        assert_eq!(with(TEXT, |_| {}).unwrap(), raw);
        let with_raw = with(TEXT, |new| new.raw = Some(raw.to_owned())).unwrap();
        assert_eq!(with_raw, raw);
        let crlf = TEXT.replace('\n', "\r\n");
        assert_eq!(with(&crlf, |_| {}).unwrap(), raw);
        let only_names = with(TEXT, |new| {
            new.text.clear();
            for scenario in &mut new.scenarios {
                *scenario = NewScenario { name: scenario.name.clone(), ..NewScenario::default() };
            }
        });
        assert_eq!(only_names.unwrap(), raw);
    }

    #[test]
    fn one_edited_scenario_leaves_the_others_and_the_text() {
        let edited = with(TEXT, |new| new.scenarios[1].then = vec!["x".to_owned()]).unwrap();
        let kept =
            "It SHALL\n  log in.\n\n<!-- mine -->\n#### Scenario: Good\n* when: a\n  wrapped\n* AND b\n\n";
        assert!(edited.contains(kept), "{edited}");
        assert!(edited.ends_with("#### Scenario: Bad\n\n- **WHEN** c\n- **THEN** x"), "{edited}");
        let steps = vec![Step { keyword: Keyword::When, text: "y".to_owned() }];
        let edited = with(TEXT, |new| new.scenarios[1].steps.clone_from(&steps)).unwrap();
        assert!(edited.ends_with("#### Scenario: Bad\n\n- **WHEN** y"), "{edited}");
    }

    #[test]
    fn two_edits_that_contradict_each_other_are_not_guessed_between() {
        let both = with(TEXT, |new| {
            new.scenarios[1].then = vec!["x".to_owned()];
            new.scenarios[1].steps.truncate(1);
        });
        assert_eq!(both, Err(Unclear::Scenario("Bad".to_owned())));
        let both = with(TEXT, |new| {
            new.raw = Some("### Requirement: Login\n\nIt SHALL not.".to_owned());
            new.text = "It SHALL perhaps.".to_owned();
        });
        assert_eq!(both, Err(Unclear::Raw("Login".to_owned())));
        let raw = with(TEXT, |new| new.raw = Some("### Requirement: Login\n\nIt SHALL not.".to_owned()));
        assert_eq!(raw.unwrap(), "### Requirement: Login\n\nIt SHALL not.");
        let other = with(TEXT, |new| new.raw = Some("### Requirement: Other\n\nIt SHALL.".to_owned()));
        assert_eq!(other, Err(Unclear::NotOne("Login".to_owned())));
    }

    proptest! {
        #[test]
        fn any_requirement_sent_back_is_the_same(lines in prop::collection::vec(prop::sample::select(vec![
            "#### Scenario: S", "#### Other", "- **WHEN** a", "- when b", "- **AND** c", "- **THEN** d", "  - deep",
            "plain", "", "```", "> q", "<!-- x -->", "- item", "**Key**: v", "  wrapped and", "WHEN a THEN b",
        ]), 0..14)) {
            let text = format!("## Requirements\n\n### Requirement: R\n\nIt SHALL.\n{}\n", lines.join("\n"));
            let document = Document::parse(&text);
            let raw = SpecDoc::read(&document).requirements[0].raw.trim_end().to_owned();
            prop_assert_eq!(with(&text, |_| {}).unwrap(), raw);
        }
    }
}
