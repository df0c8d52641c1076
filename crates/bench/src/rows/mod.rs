//! The rows of the table, each measured by one function.

mod adopt;
mod browser;
mod claims;
mod clients;
mod disk;
mod graph;
mod http;
mod hub;
mod hub_push;
mod hub_search;
mod listing;
mod openspec;
mod proof;
mod reports;
mod search;
mod tokens;
mod web;
mod wire;
mod workstation;

use crate::programs::Programs;
use crate::report::Report;

/// One thing to measure; it may give several figures.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) measure: fn(&Programs, &mut Report) -> Outcome,
}

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

pub(crate) const ALL: &[Row] = &[
    Row { name: "first reply", measure: wire::first_reply },
    Row { name: "round trip", measure: wire::round_trip },
    Row { name: "tools/list", measure: wire::tools_list },
    Row { name: "commit", measure: disk::commit },
    Row { name: "claims", measure: claims::next },
    Row { name: "cold open", measure: disk::cold_open },
    Row { name: "listing", measure: listing::listing },
    Row { name: "validate", measure: openspec::validate },
    Row { name: "overlaps", measure: openspec::overlaps },
    Row { name: "search", measure: search::search },
    Row { name: "embedding", measure: search::embedding },
    Row { name: "clients", measure: clients::clients },
    Row { name: "workstation", measure: workstation::workstation },
    Row { name: "graph tree", measure: graph::tree },
    Row { name: "operations", measure: graph::operations },
    Row { name: "http throughput", measure: http::throughput },
    Row { name: "http load", measure: http::load },
    Row { name: "http writers", measure: http::writers },
    Row { name: "hub push", measure: hub_push::push },
    Row { name: "hub claims", measure: hub::claims },
    Row { name: "hub search", measure: hub_search::search },
    Row { name: "hub overlaps", measure: hub::overlaps },
    Row { name: "tokens", measure: tokens::tokens },
    Row { name: "link scan", measure: proof::links },
    Row { name: "matrix", measure: proof::matrix },
    Row { name: "adopt", measure: adopt::inventory },
    Row { name: "reports", measure: reports::junit },
    Row { name: "dashboard", measure: web::dashboard },
    Row { name: "binary", measure: disk::binary },
];
