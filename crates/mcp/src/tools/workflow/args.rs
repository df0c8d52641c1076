//! Parts of parameters that several workflow tools share.
//!
//! Names of domain values are taken from the domain types, so a schema cannot fall behind them.

use hewto_engine::plan::StepInput;
use hewto_engine::spec::{DependencyInput, ItemKind};
use hewto_engine::{Category, Complexity, DependencyKind, Lifecycle};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::schema::one_of;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DependencyArg {
    spec_id: String,
    /// hard blocks the build; default soft
    #[serde(default)]
    #[schemars(schema_with = "dependency_kind")]
    kind: Option<DependencyKind>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StepArg {
    title: String,
    description: String,
    #[serde(default)]
    #[schemars(schema_with = "complexity")]
    complexity: Option<Complexity>,
}

impl From<DependencyArg> for DependencyInput {
    fn from(arg: DependencyArg) -> Self {
        Self { spec_id: arg.spec_id, kind: arg.kind.unwrap_or_default() }
    }
}

impl From<StepArg> for StepInput {
    fn from(arg: StepArg) -> Self {
        Self { title: arg.title, description: arg.description, complexity: arg.complexity }
    }
}

pub(super) fn convert<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(B::from).collect()
}

pub(super) fn lifecycle(_: &mut SchemaGenerator) -> Schema {
    one_of(Lifecycle::ALL.map(Lifecycle::as_str))
}

pub(super) fn category(_: &mut SchemaGenerator) -> Schema {
    one_of(Category::ALL.map(Category::as_str))
}

pub(super) fn item_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(ItemKind::ALL.map(ItemKind::as_str))
}

fn complexity(_: &mut SchemaGenerator) -> Schema {
    one_of(Complexity::ALL.map(Complexity::as_str))
}

fn dependency_kind(_: &mut SchemaGenerator) -> Schema {
    one_of([DependencyKind::Hard, DependencyKind::Soft].map(DependencyKind::as_str))
}
