//! Whose turn it is at something: those who want the same do it one after the other, and everybody else goes on.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Turns in this replica. Nothing is remembered of what nobody waits for.
#[derive(Debug)]
pub(crate) struct Turns<K>(Mutex<HashMap<K, Weak<Turn<()>>>>);

impl<K> Default for Turns<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Turns<K> {
    /// Waits until nobody else has it.
    pub(crate) async fn of(&self, what: K) -> OwnedMutexGuard<()> {
        self.turn(what).lock_owned().await
    }

    fn turn(&self, what: K) -> Arc<Turn<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody waits for or has are over.
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(&what).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::new(Turn::new(()));
        turns.insert(what, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_thing_has_one_turn_at_a_time_and_others_do_not_wait_for_it() {
        let turns: Turns<(i64, &str)> = Turns::default();
        let first = turns.of((1, "a")).await;
        assert!(turns.turn((1, "a")).try_lock().is_err(), "somebody has it");
        drop(turns.of((1, "b")).await);
        drop(turns.of((2, "a")).await);
        drop(first);
        drop(turns.of((1, "a")).await);
        assert!(turns.turn((1, "a")).try_lock().is_ok(), "nobody has it any more");
    }
}
