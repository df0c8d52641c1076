//! How an answer is put together.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

/// The bytes of an answer, all at once or one by one.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;
/// An answer.
pub type Reply = Response<Body>;

pub fn json(status: StatusCode, body: Bytes) -> Reply {
    typed(status, "application/json", body)
}

pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    typed(status, "text/plain; charset=utf-8", body.into())
}

pub fn no_content(status: StatusCode) -> Reply {
    let mut reply = Response::new(Empty::new().boxed_unsync());
    *reply.status_mut() = status;
    reply
}

pub fn typed(status: StatusCode, content_type: &'static str, body: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(body).boxed_unsync());
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    reply
}
