//! The hub with real processes and a real PostgreSQL: replicas, laptops, pipelines, browsers and people with bad intentions.
//!
//! Without PostgreSQL these pass over themselves, unless `CI` is set. `HEWTO_HUB_SECONDS` makes the long ones longer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]
#![allow(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]

mod team; // replicas, tokens, laptops

mod admin; // starting, tokens, the audit as a whole
mod attacks; // tokens, keys, races and words that try to get further
mod audit; // every call leaves a row, and no flood fills the table
mod bounds; // what comes of a push, and of a row, has its limits too
mod browser; // pages: signing in, deciding, and what pages refuse
mod claims; // leases among machines
mod crashes; // replicas and databases that die
mod crowds; // one who takes much, and everybody else
mod dashboard; // the pages of one repository
mod document; // pushes of one document
mod follow; // replicas hear of what was pushed, whatever else goes on in the cluster
mod grants; // what is not granted does not show
mod hostile; // pushes that lie
mod impostor; // a hub that means no good
mod mcp; // agents without a checkout
mod oauth; // people whom an issuer knows
mod packaging; // what starts a hub elsewhere
mod push; // pushes, overlaps, edges, search
mod schema; // databases of other versions, and what they keep
mod story; // two laptops, two branches, one requirement, one approval, the verdict in git
mod told; // pushes whose words reach the audit later
mod verdicts; // what people decide, and how it comes back
mod writes; // what one call writes, or takes back, and by which connection
