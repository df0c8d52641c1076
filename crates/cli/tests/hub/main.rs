//! The hub with real processes and a real PostgreSQL: replicas, laptops, pipelines, browsers and people with bad intentions.
//!
//! Without PostgreSQL these pass over themselves, unless `CI` is set. `HEWTO_HUB_SECONDS` makes the long ones longer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]
#![allow(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]

mod team; // replicas, tokens, laptops

mod admin; // starting, tokens, the schema, the audit
mod browser; // pages: signing in, deciding, and what pages refuse
mod claims; // leases among machines
mod crashes; // replicas and databases that die
mod grants; // what is not granted does not show
mod hostile; // pushes that lie
mod oauth;
mod push; // pushes, overlaps, edges, search
mod story; // two laptops, two branches, one requirement, one approval, the verdict in git // people whom an issuer knows
