//! An interrupt at a question: the interview is kept, and the command says so.

use std::sync::mpsc;
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::ui::{Format, Ui};

/// Lets an interrupt end the process with the exit code of a wrong call. Everything that was answered in earlier
/// rounds is on disk, and a commit that is under way is finished by the next command (D-8).
pub(super) fn watch() {
    let (hand_over, handed_over) = mpsc::channel::<(Runtime, Signal)>();
    let listener = thread::Builder::new().name("hewto-signals".to_owned()).spawn(move || {
        let Ok((runtime, mut interrupts)) = handed_over.recv() else { return };
        if runtime.block_on(interrupts.recv()).is_some() {
            leave();
        }
    });
    // Without a listener an interrupt ends the process as ever.
    let (Ok(_), Ok(runtime)) = (listener, Builder::new_current_thread().enable_io().build()) else { return };
    let listening = {
        let _inside = runtime.enter();
        signal(SignalKind::interrupt())
    };
    let Ok(interrupts) = listening else { return };
    let _ = hand_over.send((runtime, interrupts));
}

#[expect(
    clippy::disallowed_methods,
    clippy::exit,
    reason = "main waits for a line that nobody will type, and cannot be called back"
)]
fn leave() -> ! {
    let mut ui = Ui::new(Format::Human);
    // A terminal that is gone needs no farewell.
    let _ = ui.note("\nstopped; go on with `hewto clarify resume`");
    std::process::exit(1)
}
