//! Answers, with the headers that every one of them has.

use hewto_engine::{Error, Key, Kind};
use hewto_http::bytes::Bytes;
use hewto_http::hyper::StatusCode;
use hewto_http::hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, LOCATION, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hewto_http::{Reply, no_content, typed};
use maud::Markup;
use serde::Serialize;

/// Nothing is loaded, sent or framed but what is our own; no script and no style stands in a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub fn html(status: StatusCode, page: Markup) -> Reply {
    typed(status, "text/html; charset=utf-8", Bytes::from(page.into_string()))
}

pub fn json(status: StatusCode, view: &impl Serialize) -> Reply {
    match serde_json::to_vec(view) {
        Ok(body) => typed(status, "application/json", body.into()),
        Err(error) => {
            tracing::error!(%error, "a view cannot be written");
            no_content(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// Leads to another page, which is asked for anew.
pub fn see_other(address: &str) -> Reply {
    leading(StatusCode::SEE_OTHER, address)
}

/// The same is found under another name.
pub(crate) fn elsewhere(address: &str) -> Reply {
    leading(StatusCode::TEMPORARY_REDIRECT, address)
}

fn leading(status: StatusCode, address: &str) -> Reply {
    let mut reply = no_content(status);
    if let Ok(address) = HeaderValue::from_str(address) {
        reply.headers_mut().insert(LOCATION, address);
    }
    reply
}

pub(crate) fn set_cookie(reply: &mut Reply, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        reply.headers_mut().append(SET_COOKIE, cookie);
    }
}

/// Adds what holds for every answer.
pub fn guarded(mut reply: Reply) -> Reply {
    let headers = reply.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // Forms have to say where they came from, so the address of a page may be told to our own pages.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert(
        "permissions-policy",
        HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=()"),
    );
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    reply
}

/// The status of a page that cannot be shown. It only reads, so a file that resists is a document that cannot be read.
pub(crate) fn status_of_page(error: &Error) -> StatusCode {
    match error.key {
        Key::IoError if error.details.contains_key("file") => StatusCode::UNPROCESSABLE_ENTITY,
        _ => status_of(error),
    }
}

/// The status that a failed use case has on the web.
pub fn status_of(error: &Error) -> StatusCode {
    match error.key {
        Key::ApprovalStale | Key::Conflict | Key::Changed | Key::ClaimLost => StatusCode::CONFLICT,
        Key::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Key::Timeout => StatusCode::GATEWAY_TIMEOUT,
        // A document that cannot be read is no fault of the server.
        Key::ParseError => StatusCode::UNPROCESSABLE_ENTITY,
        Key::NotAReviewer | Key::PersonRequired => StatusCode::FORBIDDEN,
        key if key.as_str().ends_with("_not_found") => StatusCode::NOT_FOUND,
        _ => match error.kind {
            Kind::Usage => StatusCode::BAD_REQUEST,
            Kind::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::Machine => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}
