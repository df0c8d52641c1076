//! Claims among machines: the hub gives the number, the file of claims remembers it.

use hewto_core::claim::Holder;
use hewto_core::hub::{ClaimAsk, ClaimKeep, Lease};

use super::{Link, astray};
use crate::error::Result;

/// Asks for the first of these that is free. An answer that is none is refused before anything of it is written down.
pub(crate) fn ask(
    link: &Link,
    items: Vec<String>,
    holder: &Holder,
    lease_s: u32,
    after: u64,
) -> Result<Lease> {
    let ask = ClaimAsk {
        repo: link.repo.clone(),
        items,
        lease_s,
        session: holder.session.clone(),
        worktree: place(holder),
        branch: holder.branch.clone(),
        after,
    };
    let given: Lease = link.post("claims", &ask)?;
    given.answers(&ask).map_err(|why| astray(&why.to_string()))?;
    Ok(given)
}

/// Renews a claim, or gives it back.
pub(crate) fn keep(
    link: &Link,
    item: &str,
    fence: u64,
    lease_s: Option<u32>,
    release: bool,
    note: Option<String>,
) -> Result<Lease> {
    let keep = ClaimKeep { repo: link.repo.clone(), item: item.to_owned(), fence, release, lease_s, note };
    link.post("claims/keep", &keep)
}

/// A work tree, told apart from one at the same path on another machine.
fn place(holder: &Holder) -> String {
    let place = format!("{}:{}", hewto_store::machine_name(), holder.worktree);
    if place.len() <= 200 { place } else { hewto_core::review::Digest::of(place.as_bytes()).to_string() }
}
