//! When the feed looks: at once where something has happened, and now and then where nobody can tell.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use hewto_engine::dashboard::{self, FolderWatcher};

use super::Feed;

/// How long after a change a listener hears of it, at most, in a workspace of usual size.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// Looks that nothing called for take no more than this part of the time, however large the workspace is.
const SHARE_OF_TIME: u32 = 50;
/// The same where news would have called for them.
const SHARE_WITH_WATCHER: u32 = 100;
/// How often somebody asks whether something happened, which costs next to nothing. What happens within the same moment is
/// looked at together.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(50);
/// Looks that news called for take no more than this part of the time, however much is written.
const SHARE_AFTER_NEWS: u32 = 4;
/// For so long after the last listener the watches stay: whoever goes from one page to the next comes back at once, and to
/// watch thousands of folders anew takes longer than to show a page.
const REST: Duration = Duration::from_mins(1);
/// A watcher that has missed something is made anew after this.
const BEFORE_NEW_WATCHER: Duration = Duration::from_secs(30);

/// What came of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Done,
    /// Nothing was looked at; somebody may come back.
    NobodyListens,
    /// Nobody has come back.
    Over,
}

/// For how long nobody has listened.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rest {
    since: Option<Instant>,
}

impl Rest {
    /// Whether nobody listens, and nobody has for long enough.
    pub(super) fn is_over(&mut self, somebody_listens: bool, now: Instant) -> bool {
        if somebody_listens {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(now);
        now.saturating_duration_since(since) >= REST
    }
}

/// Looks again and again until nobody has listened for a while, or the server is gone.
pub(super) async fn keep_looking(feed: Weak<Feed>) {
    let mut watcher: Option<Arc<FolderWatcher>> = None;
    let mut made: Option<Instant> = None;
    let mut rest = Rest::default();
    let mut took = Duration::ZERO;
    loop {
        wait(watcher.as_deref(), took).await;
        let Some(feed) = feed.upgrade() else { return };
        let wants_watcher = watcher.as_ref().is_none_or(|watcher| !watcher.is_whole())
            && made.is_none_or(|made| made.elapsed() > BEFORE_NEW_WATCHER);
        let known = watcher.take();
        let looked = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            let watcher = if wants_watcher {
                dashboard::watcher(&feed.project).map(Arc::new)
            } else {
                if let Some(known) = &known {
                    known.follow();
                    dashboard::watch_new(known, &feed.project);
                }
                known
            };
            // Before the look: what happens during it is heard, and looked at next.
            let set = began.elapsed();
            let look = feed.look(&mut rest);
            (look, rest, watcher, began.elapsed().saturating_sub(set))
        });
        if wants_watcher {
            made = Some(Instant::now());
        }
        match looked.await {
            Ok((Look::Done, still, kept, time)) => (rest, watcher, took) = (still, kept, time),
            Ok((Look::NobodyListens, still, kept, _)) => (rest, watcher) = (still, kept),
            Ok((Look::Over, ..)) => return,
            Err(error) => tracing::warn!(%error, "cannot look for changes"),
        }
    }
}

/// Waits until something has happened and it is not too soon for another look, or until it is time for one anyway.
async fn wait(watcher: Option<&FolderWatcher>, took: Duration) {
    let began = Instant::now();
    let share = if watcher.is_some() { SHARE_WITH_WATCHER } else { SHARE_OF_TIME };
    let longest = BETWEEN_LOOKS.max(took * share);
    let shortest = took * SHARE_AFTER_NEWS;
    let mut has_changed = false;
    loop {
        let past = began.elapsed();
        if past >= longest || (has_changed && past >= shortest) {
            return;
        }
        tokio::time::sleep(BETWEEN_QUESTIONS.min(longest.saturating_sub(past))).await;
        let changed = watcher.is_some_and(FolderWatcher::has_changed);
        // What belongs together is written within a moment; then there is one look and not two.
        if changed && !has_changed {
            tokio::time::sleep(BETWEEN_QUESTIONS).await;
        }
        has_changed |= changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watches_stay_for_whoever_goes_from_page_to_page_and_go_when_nobody_comes_back() {
        let (mut rest, now) = (Rest::default(), Instant::now());
        assert!(!rest.is_over(true, now));
        assert!(!rest.is_over(false, now));
        let almost = REST.saturating_sub(Duration::from_millis(1));
        assert!(!rest.is_over(false, now + almost));
        assert!(!rest.is_over(true, now + REST));
        assert!(!rest.is_over(false, now + REST * 2) && !rest.is_over(false, now + REST * 2 + almost));
        assert!(rest.is_over(false, now + REST * 3));
    }
}
