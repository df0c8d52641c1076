//! The pusher of a server: two seconds after a change it pushes, and in between it fetches what was decided.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hewto_store::Context;

use super::manifest::{Manifest, Memory, gather};
use super::push::{PushOptions, push_remembering};
use super::{Link, outbox};
use crate::error::{Key, Result};
use crate::workspace::Workspace;

/// How often the workspace is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// So long after the last change it is pushed.
const SETTLE: Duration = Duration::from_secs(2);
/// How often the hub is asked for records.
const FETCH: Duration = Duration::from_secs(2);
/// A hub that does not answer is left alone for so long.
const PAUSE: Duration = Duration::from_secs(15);

/// A thread that pushes; dropping it ends it.
#[derive(Debug)]
pub struct Pusher {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// One look at the workspace: what it writes is noted by whoever gives the context.
pub type Look<'l> = &'l mut dyn FnMut(&Context) -> Result<()>;

/// Pushes the changes of a workspace from now on; `None` where the owner has named no hub. `call` runs each look as every
/// call is run, so that records that come from the hub are in the operation log too (D-17).
pub fn watch(ws: &Workspace, call: impl Fn(Look<'_>) + Send + 'static) -> Option<Pusher> {
    ws.hub()?;
    let stop = Arc::new(AtomicBool::new(false));
    let (ws, stopping) = (ws.clone(), Arc::clone(&stop));
    let thread = std::thread::Builder::new()
        .name("hewto-hub".to_owned())
        .spawn(move || Watching::new(ws).run(&stopping, call))
        .ok()?;
    Some(Pusher { stop, thread: Some(thread) })
}

impl Drop for Pusher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It may be in a call to a hub that does not answer; nobody waits for that.
            drop(thread);
        }
    }
}

struct Watching {
    ws: Workspace,
    memory: Memory,
    pushed: Option<Manifest>,
    seen: Option<(Manifest, Instant)>,
    fetched: Option<Instant>,
    /// What was fetched the last time.
    mark: Option<String>,
    quiet_until: Option<Instant>,
    told: bool,
}

impl Watching {
    fn new(ws: Workspace) -> Self {
        Self {
            ws,
            memory: Memory::default(),
            pushed: None,
            seen: None,
            fetched: None,
            mark: None,
            quiet_until: None,
            told: false,
        }
    }

    fn run(mut self, stop: &AtomicBool, call: impl Fn(Look<'_>)) {
        while !stop.load(Ordering::Relaxed) {
            if self.quiet_until.is_none_or(|until| Instant::now() >= until) {
                call(&mut |ctx| {
                    self.look(ctx);
                    Ok(())
                });
            }
            std::thread::park_timeout(LOOK);
        }
    }

    fn look(&mut self, ctx: &Context) {
        let Ok(now) = gather(&self.ws, ctx, &mut self.memory) else { return };
        let is_pushed = self.pushed.as_ref() == Some(&now);
        let is_known = self.seen.as_ref().is_some_and(|(seen, _)| *seen == now);
        if !is_pushed && !is_known {
            self.seen = Some((now, Instant::now()));
            return;
        }
        if !is_pushed && self.seen.as_ref().is_some_and(|(_, since)| since.elapsed() >= SETTLE) {
            match push_remembering(&self.ws, ctx, &PushOptions::default(), &mut self.memory) {
                Ok(_) => {
                    self.told = false;
                    self.fetched = Some(Instant::now());
                    self.mark = None;
                    self.pushed = self.seen.take().map(|(seen, _)| seen);
                }
                Err(error) => self.failed(&error),
            }
        } else if self.fetched.is_none_or(|at| at.elapsed() >= FETCH) {
            self.fetched = Some(Instant::now());
            let fetched = Link::at_once(&self.ws, ctx).and_then(|link| match link {
                Some(link) => outbox::pull(&self.ws, ctx, &link, self.mark.as_deref()),
                None => Ok(outbox::Brought::default()),
            });
            match fetched {
                // What is about items that are not here may be so later, so it is asked for again.
                Ok(brought) if brought.elsewhere == 0 && !brought.more => self.mark = Some(brought.mark),
                Ok(_) => self.mark = None,
                Err(error) => self.failed(&error),
            }
        }
    }

    /// Says it once, and waits: work goes on without the hub.
    fn failed(&mut self, error: &crate::error::Error) {
        if !self.told {
            tracing::warn!("{error}");
        }
        self.told = true;
        let pause = if error.key == Key::HubUnreachable { PAUSE } else { PAUSE * 4 };
        self.quiet_until = Some(Instant::now() + pause);
    }
}
