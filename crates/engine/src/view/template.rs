//! Templates, pointers and prompts (seed 002).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Page;

/// Where a template came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateProvenance {
    /// WorkspaceOverride, PointerFile, PointerUrl or EmbeddedDefault
    pub tier: String,
    /// A path below the workspace root, an https address, or embedded://name
    pub locator: String,
    /// The pointer that named it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The copy of what was fetched
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<String>,
    /// Why this is not what was asked for: an address that could not be fetched
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl TemplateProvenance {
    pub(crate) fn new(tier: &str, locator: &str) -> Self {
        Self {
            tier: tier.to_owned(),
            locator: locator.to_owned(),
            pointer: None,
            cache_path: None,
            last_modified: None,
            retrieved_at: None,
            problem: None,
        }
    }
}

/// An HTML comment, which is an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DirectiveView {
    pub line: usize,
    pub text: String,
}

/// A template and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TemplateView {
    /// Specification, Implementation, ScratchPad, or WorkType(feat) and the like
    pub scenario: String,
    pub locator: String,
    pub tier: String,
    /// What `tokens` has to fill in; output_name and target_path are known anyway
    pub required_tokens: Vec<String>,
    pub html_directives: Vec<DirectiveView>,
    pub reminder: String,
    pub provenance: TemplateProvenance,
}

/// Templates, in the order of the scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TemplateList {
    pub templates: Vec<TemplateView>,
    #[serde(flatten)]
    pub page: Page,
}

/// A template with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TemplateText {
    #[serde(flatten)]
    pub template: TemplateView,
    pub text: String,
}

/// A pointer, and the template that counts now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PointerView {
    /// SPEC, IMPL or SCRATCH
    pub pointer: String,
    pub action: String,
    pub changed: bool,
    /// What the pointer says; null when it is not set
    pub target: Option<String>,
    /// The tier of the template that counts
    pub tier: String,
    pub locator: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub cache_path: Option<String>,
    /// What counts without the pointer
    pub fallback: String,
    /// Why the pointer leads nowhere
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub problem: Option<String>,
}

/// A prompt, and the template it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromptView {
    pub id: String,
    /// spec, impl or scratch
    pub artifact_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub work_type: Option<String>,
    pub title: String,
    pub body: String,
    pub tokens: Vec<String>,
    pub template: PromptTemplate,
    pub html_directives: Vec<DirectiveView>,
    pub reminder: String,
    /// Its file; null when it is embedded
    pub path: Option<String>,
}

/// Which template a prompt is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromptTemplate {
    pub locator: String,
    pub tier: String,
}

/// Prompts, sorted by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromptList {
    pub prompts: Vec<PromptView>,
    #[serde(flatten)]
    pub page: Page,
}
