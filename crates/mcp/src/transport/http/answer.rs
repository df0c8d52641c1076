//! How an answer leaves: as one JSON object when there is nothing else to say, as a stream of events otherwise.
//!
//! The status must be known before the first byte, so the first frame decides. A call that is quiet for long becomes a
//! stream too, which comments keep open. Dropping the answer, as hyper does when the client goes, drops what it keeps.

use std::convert::Infallible;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use futures::stream;
use hewto_http::http_body_util::{BodyExt, StreamBody};
use hewto_http::{Reply, json, no_content};
use hyper::body::Frame as BodyFrame;
use hyper::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use rmcp::model::ErrorCode;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::link::{Carries, Frame, Last};

/// A call that says nothing for so long is answered with a stream.
const QUIET_TIME: Duration = Duration::from_secs(5);
/// How often a stream with nothing to say shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// What the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepts {
    json: bool,
    events: bool,
}

impl Accepts {
    /// Nothing said means anything goes, as JSON.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut accepts = Self { json: false, events: false };
        let values: Vec<&HeaderValue> = headers.get_all(ACCEPT).iter().collect();
        if values.is_empty() {
            return Self { json: true, events: false };
        }
        for value in values.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','))
        {
            match value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
                JSON | "application/*" => accepts.json = true,
                EVENTS | "text/*" => accepts.events = true,
                "*/*" => accepts = Self { json: true, events: true },
                _ => {}
            }
        }
        accepts
    }

    pub(super) fn anything(self) -> bool {
        self.json || self.events
    }

    pub(super) fn events(self) -> bool {
        self.events
    }

    pub(super) fn carries(self) -> Carries {
        if self.events { Carries::Everything } else { Carries::ResponseOnly }
    }
}

/// Answers a request with what comes out of its stream, and keeps `kept` until then.
pub(super) async fn answer<K: Send + 'static>(
    mut frames: mpsc::Receiver<Frame>,
    kept: K,
    accepts: Accepts,
    status_of: fn(Last) -> StatusCode,
) -> Reply {
    let first = if accepts.events {
        timeout(QUIET_TIME, frames.recv()).await.ok()
    } else {
        Some(last_of(&mut frames).await)
    };
    match first {
        Some(Some(frame)) if frame.last != Last::No => {
            let status = status_of(frame.last);
            if accepts.json || status != StatusCode::OK {
                drop(kept);
                return json(status, frame.bytes);
            }
            events(Some(frame), frames, kept)
        }
        Some(Some(frame)) => events(Some(frame), frames, kept),
        // Cancelled by the client itself, which expects no response then: a stream that ends at once has none in it.
        Some(None) if !accepts.events => no_content(StatusCode::NO_CONTENT),
        Some(None) | None => events(None, frames, kept),
    }
}

async fn last_of(frames: &mut mpsc::Receiver<Frame>) -> Option<Frame> {
    loop {
        let frame = frames.recv().await?;
        if frame.last != Last::No {
            return Some(frame);
        }
    }
}

/// A stream that ends with the response, with its last sender or with the client.
pub(super) fn events<K: Send + 'static>(
    first: Option<Frame>,
    frames: mpsc::Receiver<Frame>,
    kept: K,
) -> Reply {
    let begun = Some(Streaming { first, frames, _kept: kept });
    let body = StreamBody::new(stream::unfold(begun, next_event));
    let mut reply = Response::new(body.boxed_unsync());
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies that gather what they pass on would hold events back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    reply
}

struct Streaming<K> {
    first: Option<Frame>,
    frames: mpsc::Receiver<Frame>,
    _kept: K,
}

type Event = Result<BodyFrame<Bytes>, Infallible>;

async fn next_event<K>(begun: Option<Streaming<K>>) -> Option<(Event, Option<Streaming<K>>)> {
    let mut streaming = begun?;
    let frame = if let Some(frame) = streaming.first.take() {
        frame
    } else {
        tokio::select! {
            biased;
            frame = streaming.frames.recv() => frame?,
            () = sleep(KEEP_ALIVE) => {
                return Some((Ok(BodyFrame::data(Bytes::from_static(b":\n\n"))), Some(streaming)));
            }
        }
    };
    let mut event = BytesMut::with_capacity(frame.bytes.len() + 24);
    event.put_slice(b"event: message\ndata: ");
    event.put_slice(&frame.bytes);
    event.put_slice(b"\n\n");
    let rest = (frame.last == Last::No).then_some(streaming);
    Some((Ok(BodyFrame::data(event.freeze())), rest))
}

/// The old era tells a failure by the body alone.
pub(super) fn legacy_status(_: Last) -> StatusCode {
    StatusCode::OK
}

/// The new era has statuses for what is wrong with a request as such.
pub(super) fn modern_status(last: Last) -> StatusCode {
    match last {
        Last::Error(
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            | ErrorCode::HEADER_MISMATCH,
        ) => StatusCode::BAD_REQUEST,
        Last::Error(ErrorCode::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// The same for a request whose `_meta` lacks what it must have.
pub(super) fn malformed_status(last: Last) -> StatusCode {
    match last {
        Last::Error(ErrorCode::INVALID_PARAMS) => StatusCode::BAD_REQUEST,
        last => modern_status(last),
    }
}
