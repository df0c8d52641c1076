//! Views of what specs promise: requirements and scenarios.

use schemars::JsonSchema;
use serde::Serialize;

use super::Page;

/// One line of the index of specs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecCard {
    pub id: String,
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
}

/// A scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScenarioView {
    pub name: String,
    pub given: Option<String>,
    pub when: Option<String>,
    pub then: Vec<String>,
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
    /// Path relative to the workspace root
    pub file: String,
    pub line: usize,
}
