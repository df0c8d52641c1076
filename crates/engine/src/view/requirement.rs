//! Views of what specs promise: requirements and scenarios.

use schemars::JsonSchema;
use serde::Serialize;

use super::Page;
use crate::spec::ItemKind;

/// One line of the index of specs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecCard {
    pub id: String,
    /// living or work; change where changes were asked for
    #[schemars(with = "String")]
    pub kind: ItemKind,
    pub title: String,
    /// Null when the spec states none
    pub purpose: Option<String>,
}

/// A page of the index of specs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecCards {
    pub specs: Vec<SpecCard>,
    #[serde(flatten)]
    pub page: Page,
}

/// A requirement without its scenarios' bodies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequirementCard {
    /// Stable within the spec while the name stays
    pub id: String,
    pub name: String,
    pub scenario_count: usize,
    /// Names of its scenarios
    pub scenarios: Vec<String>,
}

/// The requirements of one spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequirementCards {
    pub spec_id: String,
    pub title: String,
    pub requirements: Vec<RequirementCard>,
    #[serde(flatten)]
    pub page: Page,
}

/// One scenario with the requirement it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScenarioInContext {
    pub spec_id: String,
    pub requirement: String,
    pub requirement_description: String,
    #[serde(flatten)]
    pub scenario: ScenarioView,
    /// The line to paste above the test that proves it; where the project asks for proof
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub tag: Option<String>,
    /// Tests of the last runs without a tag that may be meant, by their names
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub similar: Vec<String>,
}

/// A scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScenarioView {
    pub name: String,
    pub given: Option<String>,
    pub when: Option<String>,
    pub then: Vec<String>,
    /// The same one by one, as change_create and change_update take it back
    pub steps: Vec<StepView>,
}

/// One step of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepView {
    /// GIVEN, WHEN, THEN, AND or BUT
    pub keyword: String,
    pub text: String,
}

/// A requirement in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequirementView {
    pub name: String,
    pub text: String,
    pub scenarios: Vec<ScenarioView>,
}

/// A requirement in full with where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequirementInContext {
    pub spec_id: String,
    pub id: String,
    #[serde(flatten)]
    pub requirement: RequirementView,
    /// Its Markdown; edited, it can be sent as `modified` of a change
    pub raw: String,
    /// Path relative to the workspace root
    pub file: String,
    pub line: usize,
    /// The lines to paste above the tests that prove its scenarios; where the project asks for proof
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tags: Vec<String>,
}

/// The requirements of all specs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AllRequirements {
    /// How many specs have some
    pub specs: usize,
    pub requirements: Vec<RequirementOfSpec>,
}

/// A requirement with the spec it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequirementOfSpec {
    pub spec_id: String,
    #[serde(flatten)]
    pub card: RequirementCard,
}
