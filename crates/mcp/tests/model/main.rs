//! Every tool of every toolset, called at random, against a model in memory: what is refused changes nothing, what reads changes
//! nothing, what is done is what was asked for and nothing else, and the readers say so.
//!
//! `HEWTO_MODEL_SECONDS` makes it longer, and `HEWTO_PROVE_SEED` has the dice fall otherwise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]
#![allow(clippy::disallowed_methods, reason = "only this test reads this variable")]
#![allow(clippy::print_stdout, reason = "the calls that led to a failure have to be shown")]

mod changes;
mod decisions;
mod deltas;
mod dice;
mod files;
mod found;
mod git;
mod graph;
mod people;
mod server;
mod state;
mod table;
mod tree;
mod work;
mod work_read;
mod world;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::server::Server;
use crate::table::rows;
use crate::world::{Act, World};

/// How many sequences there are in a run, and between two looks at the clock.
const AT_ONCE: u32 = 12;

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let numbers = proptest::collection::vec(any::<u16>(), 14);
    let spoilt = proptest::option::weighted(0.08, any::<u16>());
    // What writes is called more often than what reads.
    let tools: Vec<usize> = rows().iter().enumerate().flat_map(|(at, row)| vec![at; row.weight]).collect();
    let act = (proptest::sample::select(tools), numbers, spoilt).prop_map(|(tool, dice, spoilt)| Act {
        tool,
        dice,
        spoilt,
    });
    proptest::collection::vec(act, 1..32)
}

#[test]
fn whatever_tools_are_called_in_whatever_order_the_workspace_is_what_the_model_says() {
    let setting =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let end = Instant::now() + Duration::from_secs(setting("HEWTO_MODEL_SECONDS", 0));
    let first_seed = setting("HEWTO_PROVE_SEED", 17);
    let mut sequences = 0_u32;
    loop {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&first_seed.wrapping_add(sequences.into()).to_le_bytes());
        let config =
            ProptestConfig { cases: AT_ONCE, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let ended = runner.run(&acts(), |acts| {
            let mut world = World::furnished();
            for act in &acts {
                world.act(act);
            }
            world.end();
            Ok(())
        });
        if let Err(failure) = ended {
            panic!("seed {}: {failure}", first_seed.wrapping_add(sequences.into()));
        }
        sequences += AT_ONCE;
        if Instant::now() >= end {
            break;
        }
    }
    println!("{sequences} sequences, {}", world::calls());
}

#[test]
fn every_tool_that_is_listed_is_tried() {
    let _world = World::new();
    let mut tried: Vec<&str> = rows().iter().map(|row| row.tool).collect();
    tried.sort_unstable();
    assert_eq!(tried, Server::tools().keys().map(String::as_str).collect::<Vec<&str>>());
}
