//! The names that requests about specs may use, taken from the domain types, so that no schema falls behind them.

use hewto_core::schema::one_of;
use hewto_core::spec::{Category, DependencyKind};
use schemars::{Schema, SchemaGenerator};

pub(super) fn categories(_: &mut SchemaGenerator) -> Schema {
    one_of(Category::ALL.map(Category::as_str))
}

pub(super) fn dependency_kinds(_: &mut SchemaGenerator) -> Schema {
    one_of([DependencyKind::Hard, DependencyKind::Soft].map(DependencyKind::as_str))
}
