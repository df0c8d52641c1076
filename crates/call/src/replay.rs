//! The same call twice is one call: a caller that did not get the answer may ask again without doing it again.
//!
//! A key that the caller chose says that two calls are the same. Without one only a call is matched whose first answer
//! could not be delivered, and only once: whoever got an answer and calls again means it. What failed without changing
//! anything is not kept, so that it can be tried again. Kept in memory, for one server.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use tokio::sync::watch;

/// So many calls are remembered; the oldest go first.
const MOST_CALLS: usize = 1_000;
/// Longest key that a caller may choose.
const LONGEST_KEY: usize = 255;

/// What a call asks for, whatever it is called: two with the same are alike.
pub type Fingerprint = [u8; 32];

/// The answers of calls that may come again.
#[derive(Debug)]
pub struct Replays<T> {
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    calls: HashMap<Name, Call<T>>,
    order: VecDeque<Name>,
}

/// Whose call, and which.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Keyed { client: String, key: String },
    Undelivered { client: String, call: Fingerprint },
}

#[derive(Debug)]
struct Call<T> {
    fingerprint: Fingerprint,
    /// `None` while it runs.
    answer: watch::Receiver<Option<T>>,
}

/// What is to be done with a call.
#[derive(Debug)]
pub enum Verdict<T> {
    /// It is the first: carry it out, and say how it went.
    First(First<T>),
    /// Nobody can say that it was made before.
    Unkeyed,
    /// It was made before, and this was the answer.
    Repeated(T),
    /// The key was used for another call.
    Conflict,
    /// The key is empty or too long.
    BadKey,
}

/// A call under way that others may wait for. Dropped without an answer it was never made.
#[derive(Debug)]
pub struct First<T> {
    answer: watch::Sender<Option<T>>,
    replays: Arc<Replays<T>>,
    name: Name,
    is_answered: bool,
}

impl<T> Default for Replays<T> {
    fn default() -> Self {
        Self { kept: Mutex::new(Kept { calls: HashMap::new(), order: VecDeque::new() }) }
    }
}

/// The fingerprint of an operation with its inputs.
pub fn fingerprint(operation: &str, inputs: &serde_json::Value) -> Fingerprint {
    let mut digest = Sha256::new();
    digest.update(operation.as_bytes());
    digest.update([0]);
    digest.update(inputs.to_string().as_bytes());
    digest.finalize().into()
}

impl<T: Clone> Replays<T> {
    /// Looks whether a call was made before, and waits for its answer if it is under way.
    pub async fn look(self: &Arc<Self>, client: &str, key: Option<&str>, call: Fingerprint) -> Verdict<T> {
        let Some(key) = key else {
            let name = Name::Undelivered { client: client.to_owned(), call };
            let found = self.lock().calls.remove(&name);
            let answer = found.and_then(|known| known.answer.borrow().clone());
            return answer.map_or(Verdict::Unkeyed, Verdict::Repeated);
        };
        if key.is_empty() || key.len() > LONGEST_KEY {
            return Verdict::BadKey;
        }
        let name = Name::Keyed { client: client.to_owned(), key: key.to_owned() };
        loop {
            let mut answer = match self.enter(&name, call) {
                Ok(first) => return Verdict::First(first),
                Err(Some(answer)) => answer,
                Err(None) => return Verdict::Conflict,
            };
            // Ends with an error when the first was given up without an answer; then this one is the first.
            if let Ok(answer) = answer.wait_for(Option::is_some).await
                && let Some(answer) = answer.clone()
            {
                return Verdict::Repeated(answer);
            }
        }
    }

    /// Begins a call of this name; else the answer to wait for, or nothing where the name means another call.
    fn enter(
        self: &Arc<Self>,
        name: &Name,
        fingerprint: Fingerprint,
    ) -> Result<First<T>, Option<watch::Receiver<Option<T>>>> {
        let mut kept = self.lock();
        match kept.calls.get(name) {
            Some(known) if known.fingerprint != fingerprint => Err(None),
            // One that was given up leaves a sender that is gone.
            Some(known) if known.answer.borrow().is_some() || known.answer.has_changed().is_ok() => {
                Err(Some(known.answer.clone()))
            }
            _ => {
                let (answer, receiver) = watch::channel(None);
                kept.insert(name.clone(), Call { fingerprint, answer: receiver });
                Ok(First { answer, replays: Arc::clone(self), name: name.clone(), is_answered: false })
            }
        }
    }

    /// Keeps an answer that could not be delivered, for the next call that is alike.
    pub fn keep_undelivered(&self, client: &str, call: Fingerprint, answer: T) {
        let name = Name::Undelivered { client: client.to_owned(), call };
        let (_, receiver) = watch::channel(Some(answer));
        self.lock().insert(name, Call { fingerprint: call, answer: receiver });
    }
}

impl<T> Replays<T> {
    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Kept<T> {
    fn insert(&mut self, name: Name, call: Call<T>) {
        if self.calls.insert(name.clone(), call).is_none() {
            self.order.push_back(name);
        }
        while self.order.len() > MOST_CALLS {
            if let Some(oldest) = self.order.pop_front() {
                self.calls.remove(&oldest);
            }
        }
    }
}

impl<T> First<T> {
    /// Keeps the answer for whoever comes again, and gives it to those who wait.
    pub fn answered(mut self, answer: T) {
        self.is_answered = true;
        self.answer.send_replace(Some(answer));
    }
}

impl<T> Drop for First<T> {
    fn drop(&mut self) {
        if !self.is_answered {
            let mut kept = self.replays.lock();
            kept.calls.remove(&self.name);
            kept.order.retain(|name| *name != self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(title: &str) -> Fingerprint {
        fingerprint("spec_create", &json!({ "title": title }))
    }

    async fn first(replays: &Arc<Replays<u32>>, key: &str) -> First<u32> {
        match replays.look("ann", Some(key), call("a")).await {
            Verdict::First(first) => first,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_key_answers_with_the_first_result_to_its_caller_alone() {
        let replays = Arc::new(Replays::default());
        first(&replays, "k").await.answered(1);
        assert!(matches!(replays.look("ann", Some("k"), call("a")).await, Verdict::Repeated(1)));
        assert!(matches!(replays.look("ann", Some("k"), call("b")).await, Verdict::Conflict));
        assert!(matches!(replays.look("bob", Some("k"), call("a")).await, Verdict::First(_)));
        assert!(matches!(replays.look("ann", None, call("a")).await, Verdict::Unkeyed));
        assert!(matches!(replays.look("ann", Some(""), call("a")).await, Verdict::BadKey));
        assert!(matches!(replays.look("ann", Some(&"k".repeat(256)), call("a")).await, Verdict::BadKey));
    }

    #[tokio::test]
    async fn whoever_comes_while_the_first_is_under_way_waits_for_its_answer() {
        let replays = Arc::new(Replays::default());
        let running = first(&replays, "k").await;
        let (second, ()) = tokio::join!(replays.look("ann", Some("k"), call("a")), async {
            tokio::task::yield_now().await;
            running.answered(7);
        });
        assert!(matches!(second, Verdict::Repeated(7)));
    }

    #[tokio::test]
    async fn a_call_that_was_given_up_can_be_made_again() {
        let replays = Arc::new(Replays::default());
        let running = first(&replays, "k").await;
        let (second, ()) = tokio::join!(replays.look("ann", Some("k"), call("a")), async {
            tokio::task::yield_now().await;
            drop(running);
        });
        assert!(matches!(second, Verdict::First(_)));
    }

    #[tokio::test]
    async fn an_answer_that_was_not_delivered_is_given_once() {
        let replays = Arc::new(Replays::default());
        replays.keep_undelivered("ann", call("a"), 3);
        assert!(matches!(replays.look("bob", None, call("a")).await, Verdict::Unkeyed));
        assert!(matches!(replays.look("ann", None, call("b")).await, Verdict::Unkeyed));
        assert!(matches!(replays.look("ann", None, call("a")).await, Verdict::Repeated(3)));
        assert!(matches!(replays.look("ann", None, call("a")).await, Verdict::Unkeyed));
    }

    #[tokio::test]
    async fn the_oldest_are_forgotten() {
        let replays = Arc::new(Replays::default());
        for number in 0..=MOST_CALLS {
            first(&replays, &number.to_string()).await.answered(1);
        }
        assert!(matches!(replays.look("ann", Some("0"), call("a")).await, Verdict::First(_)));
        assert!(matches!(replays.look("ann", Some("1000"), call("a")).await, Verdict::Repeated(1)));
    }
}
