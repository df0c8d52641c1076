//! What the owner of the machine trusts in a repository.

use schemars::JsonSchema;
use serde::Serialize;

use crate::trust::TrustState;

/// How everything stands that a repository asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustView {
    pub root: String,
    pub subjects: Vec<TrustSubjectView>,
    pub hosts: Vec<TrustHostView>,
    /// Where it is kept; absent where there is no such place
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A text that is trusted, or not, by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustSubjectView {
    /// `workstation` or `proof`
    pub subject: String,
    /// `trusted`, `changed`, `not_trusted`, or `gone` where a trusted text is no longer there
    #[schemars(with = "String")]
    pub standing: TrustState,
    /// Of the text as it is now
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Of the text that was trusted last
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// What there is to trust
    pub text: String,
    /// How it differs from what was trusted last
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
}

/// A host, and whether it may be contacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustHostView {
    pub host: String,
    /// The file that names it; absent where the owner added it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_by: Option<String>,
    pub trusted: bool,
}

impl TrustView {
    /// Whether everything that is asked for is trusted.
    pub fn is_complete(&self) -> bool {
        self.subjects.iter().all(|subject| matches!(subject.standing, TrustState::Trusted | TrustState::Gone))
            && self.hosts.iter().all(|host| host.trusted)
    }
}
