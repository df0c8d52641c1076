//! Ctrl-C while something is written: the work is called off before its commit point, and finished after it.

use hewto_engine::{Context, Result};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::machine;

/// From here on Ctrl-C and a request to end call off what this context is for, instead of ending the process at once.
pub(crate) fn calls_off(context: &Context) -> Result<()> {
    let cannot = |error| machine("cannot listen for signals", error);
    let cancellation = context.cancellation().clone();
    let runtime = runtime::Builder::new_current_thread().enable_io().build().map_err(cannot)?;
    let guard = runtime.enter();
    let mut interrupted = signal(SignalKind::interrupt()).map_err(cannot)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(cannot)?;
    drop(guard);
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        });
        cancellation.cancel();
    });
    Ok(())
}
