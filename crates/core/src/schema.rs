//! What the schemas of requests share.

use schemars::{Schema, json_schema};

/// A string that is one of the given names; for `#[schemars(schema_with = …)]` on fields of domain types.
pub fn one_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Schema {
    let names: Vec<&str> = names.into_iter().collect();
    json_schema!({ "type": "string", "enum": names })
}

/// Keeps the default of a field out of the schema: what is meant where nothing is given, the description says. For
/// `#[schemars(skip_serializing_if = …)]`.
pub fn unstated<T>(_: &T) -> bool {
    true
}
