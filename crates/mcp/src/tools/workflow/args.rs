//! Parts of parameters that several workflow tools share.
//!
//! Names of domain values are taken from the domain types, so a schema cannot fall behind them.

use hewto_engine::spec::ItemKind;
use hewto_engine::{Category, Lifecycle};
use schemars::{Schema, SchemaGenerator};

use crate::schema::one_of;

pub(super) fn lifecycle(_: &mut SchemaGenerator) -> Schema {
    one_of(Lifecycle::ALL.map(Lifecycle::as_str))
}

pub(super) fn category(_: &mut SchemaGenerator) -> Schema {
    one_of(Category::ALL.map(Category::as_str))
}

pub(super) fn item_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(ItemKind::ALL.map(ItemKind::as_str))
}
