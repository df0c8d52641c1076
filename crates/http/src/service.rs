//! What is mounted on the server: a service answers the paths that it owns, past the checks that hold for all of them.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::Method;
use hyper::body::Incoming;
use hyper::http::request::Parts;

use crate::access::Principal;
use crate::metrics::Gauge;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::request::AuthorizedRequest;

/// Whether a path asks who comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; the service looks for itself.
    Public,
    /// Only who has a token, where the server knows any.
    Token,
}

/// What pages of allowed origins may send to a service, and read of its answers.
#[derive(Debug, Clone, Copy)]
pub struct Cors {
    pub methods: &'static str,
    pub headers: &'static str,
    pub exposed: &'static str,
}

/// Somebody who came with a token that nobody has.
#[derive(Debug, Clone, Copy)]
pub struct Rejected<'r> {
    pub remote: SocketAddr,
    pub path: &'r str,
    /// How many times that happened from there.
    pub count: u64,
}

/// A request that was answered in a service's name, and that the service never saw: it was turned away at the door, or asked
/// for figures of the whole server.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredFor<'r> {
    /// Who asked; nobody, where that was not found out.
    pub principal: Option<&'r str>,
    pub path: &'r str,
    /// The key of the refusal, where it was one.
    pub refused: Option<&'r str>,
}

/// Something behind a set of paths.
pub trait Service: Send + Sync + fmt::Debug + 'static {
    /// What its requests are counted under.
    fn name(&self) -> &'static str;

    /// Whether this path leads to it. The first service that says so is asked.
    fn owns(&self, path: &str) -> bool;

    /// Whether it answers, with a page, who asks for one where nothing is.
    fn tells_of_nothing(&self) -> bool {
        false
    }

    fn access(&self, method: &Method, path: &str) -> Access {
        let _ = (method, path);
        Access::Token
    }

    /// Knows who comes by other means than a token, as a page does by its cookie. Asked first.
    fn authenticate(&self, parts: &Parts) -> Option<Arc<Principal>> {
        let _ = parts;
        None
    }

    /// Without it no other origin's pages may speak to the service: a request that names an origin must name its own.
    fn cors(&self) -> Option<&'static Cors> {
        None
    }

    fn answer<'a>(
        &'a self,
        request: AuthorizedRequest<'a>,
        body: Incoming,
    ) -> BoxFuture<'a, Result<Reply, Refusal>>;

    /// How a request that was turned away is answered.
    fn refuse(&self, refusal: Refusal) -> Reply {
        refusal.into_reply()
    }

    /// Whether it can answer now; `/ready` says no while any service does.
    fn ready(&self) -> BoxFuture<'_, bool> {
        std::future::ready(true).boxed()
    }

    /// What it shows in `/metrics` besides its requests.
    fn gauges(&self) -> Vec<Gauge> {
        Vec::new()
    }

    /// Whether somebody may see the figures of the whole server; `/metrics` is shown to whoever every service shows it to.
    fn shows_figures_to<'a>(&'a self, parts: &'a Parts, principal: &'a Principal) -> BoxFuture<'a, bool> {
        let _ = (parts, principal);
        std::future::ready(true).boxed()
    }

    /// Told of wrong tokens, more and more rarely the more there are; never of the token.
    fn rejected(&self, rejected: Rejected<'_>) {
        let _ = rejected;
    }

    /// Told of each request that was answered in its name without it; never of a token, nor of what a browser asks before a
    /// request of another origin.
    fn answered_for(&self, answered: AnsweredFor<'_>) {
        let _ = answered;
    }

    /// Called once before the first request.
    fn start(&self) {}

    /// Called now and then: ends what was forgotten.
    fn tidy(&self, now: Instant) {
        let _ = now;
    }

    /// Nobody new comes in; ends what would go on for ever.
    fn close(&self) {}

    /// Called once after the last request.
    fn finish(&self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}
