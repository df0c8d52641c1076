//! Whose turn it is at an item: those who speak of one item in this replica do so one after the other, before any of them
//! takes a connection.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Repository and item.
type Place = (i64, String);

static TURNS: LazyLock<Mutex<HashMap<Place, Weak<Turn<()>>>>> = LazyLock::new(Mutex::default);

/// Waits until nobody else speaks of the item.
pub(super) async fn of((repo, item): (i64, &str)) -> OwnedMutexGuard<()> {
    turn(repo, item).lock_owned().await
}

fn turn(repo: i64, item: &str) -> Arc<Turn<()>> {
    let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    // Those that nobody waits for or has are over.
    turns.retain(|_, turn| turn.strong_count() > 0);
    let place = (repo, item.to_owned());
    if let Some(turn) = turns.get(&place).and_then(Weak::upgrade) {
        return turn;
    }
    let turn = Arc::new(Turn::new(()));
    turns.insert(place, Arc::downgrade(&turn));
    turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_item_has_one_turn_at_a_time_and_others_do_not_wait_for_it() {
        let first = of((-1, "a")).await;
        assert!(turn(-1, "a").try_lock().is_err(), "somebody has it");
        drop(of((-1, "b")).await);
        drop(of((-2, "a")).await);
        drop(first);
        drop(of((-1, "a")).await);
        assert!(turn(-1, "a").try_lock().is_ok(), "nobody has it any more");
    }
}
