//! The body of a request: read whole, within a limit, a time and a share of the memory that all bodies have together.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, StatusCode};
use tokio::time::timeout;

use crate::pool::{Full, Share};
use crate::refusal::Refusal;

/// The largest body that a message may have.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// How long a client may take to send its body.
const BODY_TIME: Duration = Duration::from_secs(15);
/// When a client whose share of the memory is used up should come back.
const COME_BACK: Duration = Duration::from_secs(1);

/// A body, and the memory that it stands for until it is dropped.
#[derive(Debug)]
pub struct ReadBody {
    pub bytes: Bytes,
    share: Share,
}

impl ReadBody {
    /// Asks for so many bytes more, before the body is made into something larger than itself.
    #[expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]
    pub fn reserve(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.share.grow(bytes as u64).map_err(no_memory)
    }

    /// The share alone, for whoever keeps what was made of the body.
    pub fn into_share(self) -> Share {
        self.share
    }
}

pub(crate) async fn read(
    headers: &HeaderMap,
    body: Incoming,
    content_type: &str,
    most: usize,
    mut share: Share,
) -> Result<ReadBody, Refusal> {
    if let Some(named) = headers.get(CONTENT_TYPE) {
        let name = named.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
        if !name.trim().eq_ignore_ascii_case(content_type) {
            let message = format!("the body must be `{content_type}`");
            return Err(
                Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message).closing()
            );
        }
    }
    // What says at once that it is too large is not waited for.
    if body.size_hint().lower() > most as u64 {
        return Err(too_large(most));
    }
    match timeout(BODY_TIME, collect(body, most, &mut share)).await {
        Ok(read) => Ok(ReadBody { bytes: read?, share }),
        Err(_) => {
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the body did not arrive in time")
                .closing())
        }
    }
}

async fn collect(mut body: Incoming, most: usize, share: &mut Share) -> Result<Bytes, Refusal> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            let message = "the body broke off";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "broken_body", message).closing());
        };
        let Some(data) = frame.data_ref() else { continue };
        if whole.len() + data.len() > most {
            return Err(too_large(most));
        }
        share.grow(data.len() as u64).map_err(|full| no_memory(full).closing())?;
        whole.extend_from_slice(data);
    }
    Ok(whole.freeze())
}

fn too_large(most: usize) -> Refusal {
    let message = format!("a body may have {most} bytes at most");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message).closing()
}

fn no_memory(full: Full) -> Refusal {
    match full {
        Full::ForHolder => {
            let message = "the requests of this client that are under way are too large together";
            Refusal::busy(StatusCode::TOO_MANY_REQUESTS, message, COME_BACK)
        }
        Full::ForAll => {
            let message = "the requests that are under way are too large together";
            Refusal::busy(StatusCode::SERVICE_UNAVAILABLE, message, COME_BACK)
        }
    }
}
