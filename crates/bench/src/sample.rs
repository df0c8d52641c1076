//! Taking times: medians, and ours and the control's in turns, so that a busy minute hits both.

use std::time::{Duration, Instant};

pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

/// Medians of two kinds of work, taken in turns.
pub(crate) fn in_turns(
    rounds: usize,
    mut ours: impl FnMut() -> Result<Duration, Box<dyn std::error::Error>>,
    mut control: impl FnMut() -> Result<Duration, Box<dyn std::error::Error>>,
) -> Result<(Duration, Duration), Box<dyn std::error::Error>> {
    let (mut our_times, mut control_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        our_times.push(ours()?);
        control_times.push(control()?);
    }
    Ok((median(&mut our_times), median(&mut control_times)))
}
