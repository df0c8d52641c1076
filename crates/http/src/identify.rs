//! Whose token a request carries. Whoever guesses is counted and slowed down.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;

use crate::access::{Principal, TokenFault};
use crate::refusal::{Presented, Refusal};
use crate::request::Endpoints;
use crate::service::Rejected;
use crate::state::HttpState;
use crate::wrong_tokens::Answer;

/// When whoever cannot be told from others should ask again.
const COME_BACK: Duration = Duration::from_secs(5);

/// The principal of the bearer token that stands in the head of a request.
pub(crate) async fn identify(
    state: &HttpState,
    ends: Endpoints,
    parts: &Parts,
) -> Result<Arc<Principal>, Refusal> {
    let mut values = parts.headers.get_all(AUTHORIZATION).iter();
    let unauthorized = |presented| {
        let metadata = state.metadata.as_ref().map(|(address, _)| address.as_str());
        Refusal::unauthorized(presented, metadata).closing()
    };
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(unauthorized(Presented::Nothing));
    };
    let token =
        value.as_bytes().split_at_checked(7).filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"bearer "));
    let Some((_, token)) = token else { return Err(unauthorized(Presented::Nothing)) };
    let mut fault = None;
    for authenticator in &state.authenticators {
        match authenticator.identify(token.trim_ascii()).await {
            Ok(principal) => return Ok(principal),
            Err(TokenFault::Unknown) => {}
            Err(TokenFault::Invalid(why)) => fault = Some(why),
            Err(TokenFault::Unavailable) => {
                let message = "it cannot be determined at the moment whose token this is";
                return Err(Refusal::unavailable("identity_unavailable", message, COME_BACK).closing());
            }
        }
    }
    slow_down(state, ends, parts.uri.path()).await?;
    Err(unauthorized(fault.map_or(Presented::Unknown, Presented::Invalid)))
}

/// Counts it, slows whoever guesses down, and says so in the logs; the token itself is in none of them.
pub(crate) async fn slow_down(state: &HttpState, ends: Endpoints, path: &str) -> Result<(), Refusal> {
    let (answer, worth_a_line) = state.wrong_tokens.note(ends.remote.ip().into(), Instant::now());
    if let Some(count) = worth_a_line {
        tracing::warn!(remote = %ends.remote, path, count, "an unknown token");
        let rejected = Rejected { remote: ends.remote, path, count };
        state.services.iter().for_each(|service| service.rejected(rejected));
    }
    match answer {
        Answer::After(wait) => {
            if wait > Duration::ZERO {
                tokio::time::sleep(wait).await;
            }
            Ok(())
        }
        Answer::TurnAway(wait) => {
            let message = "too many unknown tokens from this address";
            Err(Refusal::busy(StatusCode::TOO_MANY_REQUESTS, message, wait).closing())
        }
    }
}
