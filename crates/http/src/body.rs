//! The body of a POST: read whole, within a limit and a time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, StatusCode};
use tokio::time::timeout;

use crate::refusal::Refusal;

/// The largest body that a message may have.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// How long a client may take to send its body.
const BODY_TIME: Duration = Duration::from_secs(15);

pub(crate) async fn read(
    headers: &HeaderMap,
    body: Incoming,
    content_type: &str,
    most: usize,
) -> Result<Bytes, Refusal> {
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
    match timeout(BODY_TIME, collect(body, most)).await {
        Ok(read) => read,
        Err(_) => {
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the body did not arrive in time")
                .closing())
        }
    }
}

async fn collect(mut body: Incoming, most: usize) -> Result<Bytes, Refusal> {
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
        whole.extend_from_slice(data);
    }
    Ok(whole.freeze())
}

fn too_large(most: usize) -> Refusal {
    let message = format!("a body may have {most} bytes at most");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message).closing()
}
