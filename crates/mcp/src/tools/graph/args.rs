//! Arguments that several tools of the graph take.

use hewto_core::artifact::ArtifactKind;
use hewto_engine::graph::ArtifactRef;
use hewto_engine::metadata::ReferenceInput;
use schemars::JsonSchema;
use serde::Deserialize;

/// A request whose answer holds documents; without the word it has only what is needed of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct WithDocument<R> {
    #[serde(flatten)]
    pub(super) request: R,
    /// Whole documents too
    #[schemars(extend("x-beyond" = true))]
    include_document: Option<bool>,
}

impl<R> WithDocument<R> {
    /// Whether whole documents are wanted.
    pub(super) fn is_whole(&self) -> bool {
        self.include_document == Some(true)
    }

    /// What is asked, and how its answer is made as long as it is wanted.
    pub(super) fn split<V>(self, compact: fn(V) -> V) -> (R, impl FnOnce(V) -> V) {
        let is_whole = self.is_whole();
        (self.request, move |view| if is_whole { view } else { compact(view) })
    }
}

/// A locator, or kind and name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum TargetParam {
    /// A handle such as spec://name, or a path
    Locator(String),
    Named(NamedTarget),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedTarget {
    kind: KindParam,
    name: String,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(super) enum KindParam {
    Specification,
    Implementation,
    ScratchPad,
}

/// A reference: a locator, or one with details.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ReferenceParam {
    /// A handle, a path, or an https address
    Locator(String),
    Detailed(DetailedReference),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DetailedReference {
    /// A handle, a path, or an https address
    r#ref: Option<String>,
    /// The same by its other name
    locator: Option<String>,
    /// specification or implementation
    r#type: Option<String>,
    /// The same by its other name
    reference_type: Option<String>,
    optional: Option<bool>,
}

impl From<TargetParam> for ArtifactRef {
    fn from(param: TargetParam) -> Self {
        match param {
            TargetParam::Locator(locator) => Self::Locator(locator),
            TargetParam::Named(NamedTarget { kind, name }) => Self::Named { kind: kind.into(), name },
        }
    }
}

impl From<KindParam> for ArtifactKind {
    fn from(kind: KindParam) -> Self {
        match kind {
            KindParam::Specification => Self::Specification,
            KindParam::Implementation => Self::Implementation,
            KindParam::ScratchPad => Self::ScratchPad,
        }
    }
}

impl NamedTarget {
    pub(super) fn into_parts(self) -> (ArtifactKind, String) {
        (self.kind.into(), self.name)
    }
}

impl From<ReferenceParam> for ReferenceInput {
    fn from(param: ReferenceParam) -> Self {
        match param {
            ReferenceParam::Locator(target) => Self { target, kind: None, optional: false },
            ReferenceParam::Detailed(detailed) => Self {
                // Without either the locator is empty, which the engine refuses.
                target: detailed.r#ref.or(detailed.locator).unwrap_or_default(),
                kind: detailed.r#type.or(detailed.reference_type),
                optional: detailed.optional.unwrap_or(false),
            },
        }
    }
}

pub(super) fn references(params: Option<Vec<ReferenceParam>>) -> Vec<ReferenceInput> {
    params.into_iter().flatten().map(Into::into).collect()
}
