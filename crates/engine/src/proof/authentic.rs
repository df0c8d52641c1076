//! Whether a record was made on this machine.

use hewto_store::Context;
use hewto_store::secret::Seal;

/// Whether this machine's key made the seal over these bytes.
pub(crate) fn is_ours(ctx: &Context, purpose: &str, signed: &[u8], mac: &str) -> bool {
    let (Some(seal), Ok(Some(key))) = (Seal::parse(mac), ctx.secret().known_key()) else { return false };
    key.is_sealed(purpose, &[signed], &seal)
}

/// The seal of this machine over these bytes.
pub(crate) fn seal(ctx: &Context, purpose: &str, signed: &[u8]) -> String {
    ctx.secret().key().seal(purpose, &[signed]).to_string()
}
