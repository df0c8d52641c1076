//! Templates: which tokens one asks for, how they are filled in, and which instructions it carries (seed 002).
//!
//! Tokens are found by reading the text. They are replaced in one pass, so a value is text and nothing else,
//! whatever it contains. HTML comments are instructions to the author: they are kept and pointed out.

mod embedded;
mod scan;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

pub use embedded::{embedded_prompt, embedded_template};
pub use scan::{Directive, directives, tokens};

use crate::artifact::WorkType;

/// What a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scenario {
    Specification,
    Implementation,
    ScratchPad,
    /// A scratch pad for one kind of work.
    WorkType(WorkType),
}

/// Why a template cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderError {
    #[error("the template asks for `{}`", .0.join("`, `"))]
    Missing(Vec<String>),
    #[error("the template has no token `{}`", .0.join("`, `"))]
    Unknown(Vec<String>),
}

impl Scenario {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Specification,
        Self::Implementation,
        Self::ScratchPad,
        Self::WorkType(WorkType::Draft),
        Self::WorkType(WorkType::Revision),
        Self::WorkType(WorkType::Feat),
        Self::WorkType(WorkType::Ref),
        Self::WorkType(WorkType::Fix),
    ];

    /// `Specification`, …, `WorkType(feat)`.
    pub fn name(self) -> String {
        match self {
            Self::Specification => "Specification".to_owned(),
            Self::Implementation => "Implementation".to_owned(),
            Self::ScratchPad => "ScratchPad".to_owned(),
            Self::WorkType(work_type) => format!("WorkType({})", work_type.as_str()),
        }
    }

    /// Reads a name as it is shown, or as a person would say it: `spec`, `impl`, `scratch`, `feat`.
    pub fn parse(name: &str) -> Option<Self> {
        let short = match name {
            "spec" => Some(Self::Specification),
            "impl" => Some(Self::Implementation),
            "scratch" => Some(Self::ScratchPad),
            other => WorkType::parse(other).map(Self::WorkType),
        };
        short.or_else(|| Self::ALL.into_iter().find(|scenario| scenario.name() == name))
    }

    /// The file names of overrides, the most specific first, below the folder of templates.
    pub fn override_names(self) -> Vec<String> {
        match self {
            Self::Specification => vec!["spec.md".to_owned()],
            Self::Implementation => vec!["impl.md".to_owned()],
            Self::ScratchPad => vec!["scratch.md".to_owned()],
            Self::WorkType(work_type) => {
                let name = work_type.as_str();
                vec![format!("scratch/{name}.md"), format!("scratch-{name}.md"), "scratch.md".to_owned()]
            }
        }
    }

    pub fn pointer(self) -> Pointer {
        match self {
            Self::Specification => Pointer::Spec,
            Self::Implementation => Pointer::Impl,
            Self::ScratchPad | Self::WorkType(_) => Pointer::Scratch,
        }
    }
}

/// A file that names the template to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(description = "")]
pub enum Pointer {
    Spec,
    Impl,
    Scratch,
}

impl Pointer {
    pub const ALL: [Self; 3] = [Self::Spec, Self::Impl, Self::Scratch];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "SPEC",
            Self::Impl => "IMPL",
            Self::Scratch => "SCRATCH",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pointer| pointer.as_str().eq_ignore_ascii_case(name))
    }

    pub fn scenario(self) -> Scenario {
        match self {
            Self::Spec => Scenario::Specification,
            Self::Impl => Scenario::Implementation,
            Self::Scratch => Scenario::ScratchPad,
        }
    }
}

/// Fills a template in. `given` has to name tokens of the template; `known` may name others too.
pub fn render(
    template: &str,
    given: &BTreeMap<String, String>,
    known: &BTreeMap<String, String>,
) -> Result<String, RenderError> {
    let wanted = tokens(template);
    let unknown: Vec<String> = given.keys().filter(|name| !wanted.contains(name)).cloned().collect();
    if !unknown.is_empty() {
        return Err(RenderError::Unknown(unknown));
    }
    let value = |name: &String| given.get(name).or_else(|| known.get(name));
    let missing: Vec<String> = wanted.iter().filter(|name| value(name).is_none()).cloned().collect();
    if !missing.is_empty() {
        return Err(RenderError::Missing(missing));
    }
    Ok(scan::replace(template, |name| value(&name.to_owned()).map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn tokens_are_replaced_in_one_pass() {
        let template = "# {{title}}\n{{ body }} {{title}} {{not closed\n";
        assert_eq!(tokens(template), ["body", "title"]);
        let given = values(&[("title", "{{body}}"), ("body", "{{title}} $1 \\")]);
        assert_eq!(
            render(template, &given, &BTreeMap::new()).unwrap(),
            "# {{body}}\n{{title}} $1 \\ {{body}} {{not closed\n"
        );
    }

    #[test]
    fn missing_and_unknown_tokens_are_named() {
        let known = values(&[("output_name", "x"), ("unused", "y")]);
        assert_eq!(render("{{output_name}}", &BTreeMap::new(), &known).unwrap(), "x");
        assert_eq!(
            render("{{a}} {{b}}", &values(&[("a", "1")]), &known),
            Err(RenderError::Missing(vec!["b".into()]))
        );
        assert_eq!(
            render("{{a}}", &values(&[("a", "1"), ("c", "2")]), &known),
            Err(RenderError::Unknown(vec!["c".into()]))
        );
    }

    #[test]
    fn every_scenario_has_an_embedded_template_that_asks_for_what_is_known_anyway() {
        for scenario in Scenario::ALL {
            let text = embedded_template(scenario);
            assert!(!directives(text).is_empty(), "{scenario:?}");
            assert!(
                tokens(text).iter().all(|token| ["output_name", "target_path"].contains(&token.as_str()))
            );
            assert_eq!(Scenario::parse(&scenario.name()), Some(scenario));
        }
    }

    proptest! {
        #[test]
        fn a_value_comes_out_as_it_went_in(value in ".{0,60}") {
            let given = values(&[("x", &value)]);
            prop_assert_eq!(render("<{{x}}>", &given, &BTreeMap::new()).unwrap(), format!("<{value}>"));
        }
    }
}
