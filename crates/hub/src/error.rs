//! What goes wrong at the hub, and how it is answered.

use hewto_core::failure::{Key, Kind};
use hewto_core::hub::{Reason, Refused};
use hewto_http::Refusal;
use hewto_http::hyper::StatusCode;
use serde_json::{Map, Value};

/// An error with its status, its name and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub(crate) status: StatusCode,
    pub reason: Reason,
    pub message: String,
    pub hint: Option<String>,
    pub(crate) details: Map<String, Value>,
    pub source: Option<sqlx::Error>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(status: StatusCode, reason: Reason, message: impl Into<String>) -> Self {
        Self { status, reason, message: message.into(), hint: None, details: Map::new(), source: None }
    }

    /// What was asked for cannot be.
    pub(crate) fn bad(reason: Reason, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, reason, message)
    }

    pub(crate) fn conflict(reason: Reason, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, reason, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The same for a repository that is not there and for one that is not theirs: which of the two is nobody's business.
    pub(crate) fn no_repo() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            Reason::RepoNotFound,
            "no repository of this name is open to this token",
        )
        .hint("ask an administrator of the hub for a token that is bound to it")
    }

    pub(crate) fn not_allowed(what: &str, role: &str) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            Reason::RoleInsufficient,
            format!("a token with the role `{role}` may not {what}"),
        )
        .detail("role", role)
        .hint("use a token with a role that may (`hewto hub token create --role ROLE`)")
    }

    pub(crate) fn unavailable() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            Reason::DatabaseUnavailable,
            "the hub cannot reach its database",
        )
        .hint("try again; the same key makes sure that nothing is done twice")
    }

    pub fn details(&self) -> &Map<String, Value> {
        &self.details
    }

    /// What kind of failure it is, for a command that ran into it.
    pub fn kind(&self) -> Kind {
        match self.status.as_u16() {
            500.. => Kind::Machine,
            400 | 422 => Kind::Usage,
            _ => Kind::Refused,
        }
    }

    /// The name that commands show.
    pub fn failure_key(&self) -> Key {
        match self.reason {
            Reason::DatabaseUnavailable | Reason::DatabaseNotFound | Reason::DatabaseRefused => {
                Key::DatabaseUnavailable
            }
            Reason::SchemaMismatch => Key::SchemaMismatch,
            _ if self.kind() == Kind::Machine => Key::InternalError,
            _ => Key::Usage,
        }
    }

    /// What the audit may say of it: nothing that quotes a body, or tells of the database.
    pub(crate) fn for_audit(&self) -> Option<&str> {
        let is_quiet = matches!(self.reason, Reason::InvalidBody | Reason::InternalError);
        (!is_quiet).then_some(self.message.as_str())
    }

    /// As the `.json` of a page tells it.
    pub(crate) fn to_json(&self) -> Value {
        let mut told = self.details.clone();
        told.insert("error".to_owned(), self.reason.as_str().into());
        told.insert("message".to_owned(), self.message.clone().into());
        if let Some(hint) = &self.hint {
            told.insert("hint".to_owned(), hint.clone().into());
        }
        Value::Object(told)
    }

    pub(crate) fn into_refusal(self) -> Refusal {
        if let Some(source) = &self.source {
            tracing::warn!(error = %source, key = self.reason.as_str(), "a call to the hub failed");
        }
        let mut refusal = Refusal::new(self.status, self.reason.as_str(), self.message);
        if let Some(hint) = &self.hint {
            refusal = refusal.with_hint(hint);
        }
        for (name, value) in self.details {
            refusal = refusal.detail(&name, value);
        }
        refusal
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let is_gone = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_) => true,
            // Shutting down, starting up, out of connections, or something that another attempt may get past.
            sqlx::Error::Database(database) => database.code().is_some_and(|code| {
                code.starts_with("57P")
                    || code.starts_with("53")
                    || code.starts_with("08")
                    || code.starts_with("40")
            }),
            _ => false,
        };
        let code = match &error {
            sqlx::Error::Database(database) => database.code().unwrap_or_default().into_owned(),
            _ => String::new(),
        };
        let mut told = match code.as_str() {
            _ if is_gone => Self::unavailable(),
            "3D000" => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                Reason::DatabaseNotFound,
                "PostgreSQL runs there, but has no database of this name",
            )
            .hint("make it with `createdb --owner USER NAME`, or correct the name in the address"),
            "28000" | "28P01" => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                Reason::DatabaseRefused,
                "PostgreSQL does not let this user in",
            )
            .hint("look at the user and the password in the address, and at `pg_hba.conf`"),
            "42501" => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                Reason::DatabaseRefused,
                "PostgreSQL does not allow the hub's user what the hub needs",
            )
            .hint("make that user the owner of the database: `ALTER DATABASE NAME OWNER TO USER`"),
            _ => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                Reason::InternalError,
                "the database refused what the hub asked",
            ),
        };
        told.source = Some(error);
        told
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::bad(refused.reason, refused.message).hint(refused.hint)
    }
}
