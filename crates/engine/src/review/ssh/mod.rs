//! SSH signatures, checked here rather than by `ssh-keygen`: it only logs whether a hardware key was touched, and the
//! answer has to be the same on every machine.

mod blob;
mod signature;
mod signers;

pub use signature::{Presence, SshSignature};
pub use signers::{AllowedSigners, NotASigner, Signer};

/// What approvals are signed for; a signature for anything else is none.
pub const APPROVAL_NAMESPACE: &str = "hewto-approval";
/// What git signs commits for.
pub const COMMIT_NAMESPACE: &str = "git";

#[cfg(test)]
mod tests;
