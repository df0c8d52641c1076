//! What changes something, by its path.

use hewto_core::hub::{BlobsRequest, ClaimAsk, ClaimKeep, PushRequest, Reason};
use hewto_http::hyper::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{HubService, answer, nowhere};
use crate::access::Access;
use crate::error::{Error, Result};
use crate::review::Recorded;
use crate::{lease, push, review};

/// What came of something that was asked for.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) value: Value,
    /// Whether its row of the audit was written with it.
    pub(crate) has_told: bool,
}

impl Done {
    pub(crate) fn untold(value: Value) -> Self {
        Self { value, has_told: false }
    }
}

impl HubService {
    /// Does something.
    pub(crate) async fn act(&self, path: &str, bytes: &[u8], access: &Access) -> Result<Done> {
        let database = &self.hub.database;
        let recorded = |one: Recorded| Ok(Done { has_told: !one.was_said, value: answer(&one)? });
        match path {
            "push" => {
                let pushed = push::push(database, access, parse::<PushRequest>(bytes)?).await?;
                Ok(Done { has_told: !pushed.repeated, value: answer(&pushed)? })
            }
            "blobs" => {
                let kept = push::blobs(database, access, parse::<BlobsRequest>(bytes)?).await?;
                Ok(Done { has_told: true, value: answer(&json!({ "kept": kept }))? })
            }
            "claims" => {
                let lease = lease::claim(database, access, &parse::<ClaimAsk>(bytes)?).await?;
                Ok(Done { has_told: true, value: answer(&lease)? })
            }
            "claims/keep" => {
                let keep = parse::<ClaimKeep>(bytes)?;
                let lease = lease::keep(database, access, &keep).await?;
                Ok(Done { has_told: keep.release, value: answer(&lease)? })
            }
            "review/verdict" => recorded(review::decide(database, access, &parse(bytes)?).await?),
            "review/resolve" => recorded(review::settle(database, access, &parse(bytes)?).await?),
            "review/comment" => recorded(review::remark(database, access, &parse(bytes)?).await?),
            _ => Err(nowhere()),
        }
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    push::aside(bytes.len(), || serde_json::from_slice(bytes)).map_err(|error| {
        let message = format!("the body is not what is expected here: {error}");
        Error::new(StatusCode::BAD_REQUEST, Reason::InvalidBody, message)
            .hint("bring hewto and the hub to the same version")
    })
}
