//! Ctrl-C while something is written: the work is called off before its commit point, and finished after it.

use std::sync::mpsc;
use std::thread;

use hewto_engine::{Context, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::machine;

/// From here on Ctrl-C and a request to end call off what this context is for, instead of ending the process at once.
///
/// The thread that listens is there before the signals are taken: where none can be had, they end the process as ever.
pub(crate) fn calls_off(context: &Context) -> Result<()> {
    let cannot = |error| machine("cannot listen for signals", error);
    let cancellation = context.cancellation().clone();
    let (hand_over, handed_over) = mpsc::channel::<(Runtime, Signal, Signal)>();
    let listener = thread::Builder::new().name("hewto-signals".to_owned()).spawn(move || {
        let Ok((runtime, mut interrupted, mut terminated)) = handed_over.recv() else { return };
        runtime.block_on(async {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        });
        cancellation.cancel();
    });
    if listener.is_err() {
        return Ok(());
    }
    let runtime = Builder::new_current_thread().enable_io().build().map_err(cannot)?;
    let guard = runtime.enter();
    let interrupted = signal(SignalKind::interrupt()).map_err(cannot)?;
    let terminated = signal(SignalKind::terminate()).map_err(cannot)?;
    drop(guard);
    // The listener waits for just this.
    let _ = hand_over.send((runtime, interrupted, terminated));
    Ok(())
}
