//! The progress bar: one line on standard error, on a terminal only, for work that takes longer than a second.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hewto_engine::{Progress, ProgressSink};

use super::fit::cut_on;
use super::{one_line, visible};

/// Shorter work needs no bar.
const SILENT_FOR: Duration = Duration::from_secs(1);
/// A terminal shows no more pictures than this.
const BETWEEN_PICTURES: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;

/// When the bar was last drawn; `None` when there is none on the screen.
static DRAWN: Mutex<Option<Instant>> = Mutex::new(None);

/// Where work reports to: a bar, if somebody can see it.
pub(crate) fn bar() -> Option<ProgressSink> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let begun = Instant::now();
    Some(ProgressSink::new(move |progress| {
        let mut drawn = DRAWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_due = drawn.is_none_or(|last| last.elapsed() >= BETWEEN_PICTURES);
        if begun.elapsed() >= SILENT_FOR && is_due {
            // A terminal that went away needs no bar.
            let picture = cut_on(&picture(&progress), &std::io::stderr());
            let _ = write!(std::io::stderr(), "\r\u{1b}[K{picture}");
            *drawn = Some(Instant::now());
        }
    }))
}

/// Takes the bar off the screen before something else is written.
pub(super) fn clear() {
    let mut drawn = DRAWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if drawn.take().is_some() {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K");
    }
}

fn picture(progress: &Progress) -> String {
    let message = visible(&one_line(&progress.message));
    match progress.total {
        Some(total) if total > 0 => {
            let done = progress.done.min(total);
            let part =
                |of: usize| usize::try_from(done * u64::try_from(of).unwrap_or(0) / total).unwrap_or(0);
            let filled = part(WIDTH);
            format!("[{}{}] {:>3} % {message}", "#".repeat(filled), "-".repeat(WIDTH - filled), part(100))
        }
        _ => format!("{} {message}", progress.done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(done: u64, total: Option<u64>) -> String {
        picture(&Progress { done, total, message: "reading\u{1b} specs".to_owned() })
    }

    #[test]
    fn the_bar_grows_from_nothing_to_full() {
        assert_eq!(at(0, Some(8)), "[------------------------------]   0 % reading\\u{1b} specs");
        assert_eq!(at(4, Some(8)), "[###############---------------]  50 % reading\\u{1b} specs");
        assert_eq!(at(9, Some(8)), "[##############################] 100 % reading\\u{1b} specs");
        assert_eq!(at(7, None), "7 reading\\u{1b} specs");
        assert_eq!(at(7, Some(0)), "7 reading\\u{1b} specs");
    }
}
