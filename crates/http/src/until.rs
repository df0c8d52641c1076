//! A stream ends when what opened it does: whoever has nothing any more that lets them in hears nothing more either.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::header::CONTENT_TYPE;
use tokio::time::{Sleep, sleep};

use crate::access::Principal;
use crate::reply::{Body, Reply};

/// The same answer; a stream of events ends with what its principal came with.
pub(crate) fn until_their_end(reply: Reply, principal: &Principal) -> Reply {
    let Some(until) = principal.until() else { return reply };
    // Anything else says all that it has to say at once, and would only be torn.
    let is_stream = reply
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if !is_stream {
        return reply;
    }
    let end = Duration::from_secs(u64::try_from(until).unwrap_or(0));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    reply.map(|body| ending(body, end.saturating_sub(now)))
}

fn ending(body: Body, left: Duration) -> Body {
    if left.is_zero() {
        return Empty::new().boxed_unsync();
    }
    Ending { body: Some(body), end: Box::pin(sleep(left)) }.boxed_unsync()
}

/// A body that is over at some time, whether or not it has more to say. What it keeps is given back then.
struct Ending {
    body: Option<Body>,
    end: Pin<Box<Sleep>>,
}

impl HttpBody for Ending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.end.as_mut().poll(cx).is_ready() {
            self.body = None;
        }
        let Some(body) = self.body.as_mut() else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if frame.is_none() {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::{FutureExt as _, StreamExt as _, stream};
    use http_body_util::StreamBody;
    use hyper::Response;
    use hyper::header::HeaderValue;

    use super::*;

    /// A stream that says one thing, and then nothing for ever; `kept` shows whether it is still there.
    fn endless(kind: &'static str, kept: &Arc<()>) -> Reply {
        let (first, kept) = (stream::once(async { "data: hello\n\n" }), Arc::clone(kept));
        let frames = first.chain(stream::pending()).map(move |text| {
            let _ = &kept;
            Ok::<_, Infallible>(Frame::data(Bytes::from_static(text.as_bytes())))
        });
        let mut reply = Response::new(StreamBody::new(frames).boxed_unsync());
        reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        reply
    }

    fn ending_in(seconds: i64) -> Principal {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        Principal::new("ann@id.example", Vec::new()).ending(i64::try_from(now).unwrap() + seconds)
    }

    #[tokio::test]
    async fn a_stream_of_events_ends_with_the_token_that_opened_it() {
        let kept = Arc::new(());
        let mut body = until_their_end(endless("text/event-stream", &kept), &ending_in(2)).into_body();
        let first = body.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), "data: hello\n\n");
        assert!(body.frame().await.is_none(), "it is over");
        assert_eq!(Arc::strong_count(&kept), 1, "what the stream kept is given back");
        let over = until_their_end(endless("text/event-stream", &kept), &ending_in(-5));
        assert!(over.into_body().frame().await.is_none(), "a token that has ended opens none");
    }

    #[tokio::test]
    async fn what_is_no_stream_is_never_torn_and_who_has_no_end_is_not_ended() {
        let kept = Arc::new(());
        let whole = until_their_end(endless("application/json", &kept), &ending_in(-5));
        assert!(whole.into_body().frame().await.is_some());
        let mut body =
            until_their_end(endless("text/event-stream", &kept), &Principal::anonymous()).into_body();
        assert!(body.frame().await.is_some());
        assert!(body.frame().now_or_never().is_none(), "it goes on");
    }
}
