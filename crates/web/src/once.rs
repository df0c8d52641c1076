//! A form that is sent twice counts once: by a double click, by going back, by a browser that tries again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// How many forms are remembered.
const MOST: usize = 4_096;

/// What came of the forms that were sent.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    known: HashMap<String, Arc<OnceCell<String>>>,
    order: VecDeque<String>,
}

impl Sent {
    /// Does what a form asks for unless it was done, and says where that led. What failed may be tried again.
    pub(crate) async fn once<E>(
        &self,
        form: Option<&str>,
        work: impl Future<Output = Result<String, E>>,
    ) -> Result<String, E> {
        let Some(form) = form else { return work.await };
        let place = self.place(form);
        place.get_or_try_init(|| work).await.cloned()
    }

    fn place(&self, form: &str) -> Arc<OnceCell<String>> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = book.known.get(form) {
            return Arc::clone(known);
        }
        let place = Arc::<OnceCell<String>>::default();
        book.known.insert(form.to_owned(), Arc::clone(&place));
        book.order.push_back(form.to_owned());
        if book.order.len() > MOST
            && let Some(oldest) = book.order.pop_front()
        {
            book.known.remove(&oldest);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn the_second_time_answers_as_the_first_and_failures_may_be_tried_again() {
        let sent = Sent::default();
        let count = AtomicUsize::new(0);
        let work = |fails: bool| {
            let count = &count;
            async move {
                count.fetch_add(1, Ordering::Relaxed);
                if fails { Err(()) } else { Ok(format!("{}", count.load(Ordering::Relaxed))) }
            }
        };
        assert_eq!(sent.once(Some("a"), work(true)).await, Err(()));
        assert_eq!(sent.once(Some("a"), work(false)).await, Ok("2".to_owned()));
        assert_eq!(sent.once(Some("a"), work(false)).await, Ok("2".to_owned()));
        assert_eq!(sent.once(Some("b"), work(false)).await, Ok("3".to_owned()));
        assert_eq!(sent.once(None, work(false)).await, Ok("4".to_owned()));
    }
}
