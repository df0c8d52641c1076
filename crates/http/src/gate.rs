//! How many requests are under way, of one client and in all.
//!
//! A client is a principal or, where everybody is anonymous, a machine. Who finds the gate full is told to come back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Far above what the tools work on at once, so that a burst waits inside; a flood does not.
const IN_ALL: usize = 1_024;
const PER_CLIENT: usize = 512;

/// Counts requests from their first byte to their last.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    under_way: Mutex<UnderWay>,
}

#[derive(Debug, Default)]
struct UnderWay {
    in_all: usize,
    by_client: HashMap<String, usize>,
}

/// A place inside; leaves when it is dropped.
#[derive(Debug)]
pub struct Place {
    gate: Arc<Gate>,
    client: String,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    ForClient,
    ForAll,
}

impl Gate {
    pub(crate) fn enter(self: &Arc<Self>, client: &str) -> Result<Place, Full> {
        let mut under_way = self.lock();
        if under_way.in_all >= IN_ALL {
            return Err(Full::ForAll);
        }
        let theirs = under_way.by_client.entry(client.to_owned()).or_default();
        if *theirs >= PER_CLIENT {
            return Err(Full::ForClient);
        }
        *theirs += 1;
        under_way.in_all += 1;
        Ok(Place { gate: Arc::clone(self), client: client.to_owned() })
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().in_all
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut under_way = self.gate.lock();
        under_way.in_all -= 1;
        if let Some(theirs) = under_way.by_client.get_mut(&self.client) {
            *theirs -= 1;
            if *theirs == 0 {
                under_way.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_takes_all_its_places_leaves_room_for_others_and_all_together_find_an_end() {
        let gate = Arc::new(Gate::default());
        let mut inside: Vec<Place> = (0..PER_CLIENT).map(|_| gate.enter("a").unwrap()).collect();
        assert_eq!(gate.enter("a").unwrap_err(), Full::ForClient);
        inside.extend((0..IN_ALL - PER_CLIENT).map(|_| gate.enter("b").unwrap()));
        assert_eq!(gate.enter("c").unwrap_err(), Full::ForAll);
        inside.clear();
        assert_eq!(gate.count(), 0);
        assert!(gate.lock().by_client.is_empty(), "nobody is remembered who is gone");
        assert!(gate.enter("a").is_ok());
    }
}
