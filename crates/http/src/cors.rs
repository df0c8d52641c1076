//! What pages of other origins are told.

use hyper::StatusCode;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, VARY,
};

use crate::reply::{Reply, no_content};
use crate::service::Cors;

impl Cors {
    /// A browser asks first; whether its page may speak here was decided already.
    pub(crate) fn preflight(&self) -> Reply {
        let mut reply = no_content(StatusCode::NO_CONTENT);
        let headers = reply.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(self.methods));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(self.headers));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        reply
    }

    /// Lets a page of this origin read the reply.
    pub(crate) fn allow(&self, reply: &mut Reply, origin: &str) {
        let headers = reply.headers_mut();
        if let Ok(origin) = HeaderValue::from_str(origin) {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(self.exposed));
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}
