//! What a turn costs: a claim among many items, beside the fsyncs that it cannot do without.

use hewto_engine::claim::{self, ClaimRequest};
use hewto_engine::{Context, Start, Workspace};

use super::Outcome;
use super::disk::bare_fsyncs;
use crate::generate;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{in_turns, time};

const ITEMS: usize = 10_000;

/// `claim_next` takes the best that is ready and free.
pub(super) fn next(_: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), ITEMS)?;
    for entry in fs_err::read_dir(folder.path().join("specs"))? {
        let entry = entry?;
        let id = entry.file_name().to_string_lossy().into_owned();
        let state = format!(
            "spec_id: \"{id}\"\nlifecycle: draft\nphase: spec\nbuild_progress:\n  percentage: 0\n  current_step: null\n  notes: null\nupdated_at: \"2026-01-01T00:00:00Z\"\n"
        );
        fs_err::write(entry.path().join("state.toon"), state)?;
    }
    let ws = Workspace::discover(Start::Here(folder.path()))?;
    let bare = folder.path().join("bare");
    fs_err::create_dir_all(&bare)?;
    let (ours, control) = in_turns(
        report.rounds * 5,
        || {
            // Another session each time: nobody gets what somebody has.
            let ctx = Context::background();
            let mut outcome = Ok(());
            let took = time(|| outcome = claim::next(&ws, &ctx, &ClaimRequest::default()).map(drop));
            outcome?;
            Ok(took)
        },
        || bare_fsyncs(&bare),
    )?;
    report.times(
        "claim_next among 10,000 items",
        ours,
        Some((control, "two files written and fsynced bare")),
        "≤ 2 ×",
    );
    Ok(())
}
