//! Who makes a request, and what they may do.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

/// The name of everybody, where no tokens are asked for.
pub const ANONYMOUS: &str = "anonymous";

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// To read the workspace.
    Read,
    /// To change it.
    Write,
    /// To use the tools of the toolset `workstation`.
    Workstation,
    /// To run the project's own code: builds, tests, checks.
    Run,
    /// To decide as a person does: verdicts, waivers, acceptance of drift.
    Approve,
    /// To see what everybody did.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Write, Self::Workstation, Self::Run, Self::Approve, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Workstation => "workstation",
            Self::Run => "run",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }

    /// The scope of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// Who makes a request, and what they may do.
#[derive(Debug, PartialEq, Eq)]
pub struct Principal {
    pub name: String,
    scopes: Vec<Scope>,
    /// The workspaces that they may open; all, where the owner says nothing else.
    workspaces: Option<Vec<String>>,
    /// When what they came with ends, in seconds since 1970; never, where nobody says.
    until: Option<i64>,
}

impl Principal {
    pub fn new(name: impl Into<String>, scopes: Vec<Scope>) -> Self {
        Self { name: name.into(), scopes, workspaces: None, until: None }
    }

    /// The same, bound to these workspaces.
    #[must_use]
    pub fn within(mut self, workspaces: Vec<String>) -> Self {
        self.workspaces = Some(workspaces);
        self
    }

    /// The same, until this second since 1970.
    #[must_use]
    pub fn ending(mut self, until: i64) -> Self {
        self.until = Some(until);
        self
    }

    /// When what they came with ends, in seconds since 1970.
    pub fn until(&self) -> Option<i64> {
        self.until
    }

    /// The workspaces that they are bound to.
    pub fn workspaces(&self) -> Option<&[String]> {
        self.workspaces.as_deref()
    }

    pub fn may_open(&self, workspace: &str) -> bool {
        self.workspaces.as_ref().is_none_or(|theirs| theirs.iter().any(|name| name == workspace))
    }

    /// Whoever can reach a server that asks for no token. A person decides by other means, so `approve` is not theirs.
    pub fn anonymous() -> Self {
        let scopes = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Approve);
        Self::new(ANONYMOUS, scopes.collect())
    }

    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// Why a token leads to nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenFault {
    /// It is not known here; somebody else may know it.
    Unknown,
    /// It is one that would be known here, but for this.
    Invalid(&'static str),
    /// Who it is cannot be found out at the moment.
    Unavailable,
}

/// Knows people by their bearer tokens. A server may have several, asked one after the other.
pub trait Authenticator: Send + Sync + std::fmt::Debug + 'static {
    fn identify<'a>(&'a self, token: &'a [u8]) -> BoxFuture<'a, Result<Arc<Principal>, TokenFault>>;

    /// Where a client learns how to get a token, and what it learns there (RFC 9728).
    fn metadata(&self) -> Option<(String, Value)> {
        None
    }
}
