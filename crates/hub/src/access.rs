//! Roles, what each of them may, and for which repositories.

use std::fmt;

use hewto_http::Scope;

use crate::database::Database;
use crate::error::{Error, Result};

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Reader,
    Agent,
    Reviewer,
    Ci,
    Admin,
}

/// Something that a role may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    Read,
    /// To open a page on which people decide. Whoever only looks may; what runs by itself may not.
    Review,
    /// To push one's own work trees.
    PushWorktree,
    /// To push branches.
    PushBranch,
    Claim,
    Comment,
    /// To decide as a person does.
    Approve,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Reader, Self::Agent, Self::Reviewer, Self::Ci, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Agent => "agent",
            Self::Reviewer => "reviewer",
            Self::Ci => "ci",
            Self::Admin => "admin",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    pub(crate) fn may(self, right: Right) -> bool {
        match right {
            Right::Read => true,
            Right::Review => matches!(self, Self::Reader | Self::Reviewer | Self::Admin),
            Right::PushWorktree => matches!(self, Self::Agent | Self::Reviewer | Self::Admin),
            // No laptop fakes `main`, not even an administrator's.
            Right::PushBranch => self == Self::Ci,
            Right::Claim | Right::Comment => matches!(self, Self::Agent | Self::Reviewer | Self::Admin),
            Right::Approve => matches!(self, Self::Reviewer | Self::Admin),
        }
    }

    /// What is left of the role for whoever holds only some of its scopes: the most that they and it both allow. A role that
    /// pushes branches leaves none that pushes work trees.
    pub(crate) fn within(self, may: impl Fn(Scope) -> bool) -> Option<Self> {
        let lesser: &[Self] = match self {
            Self::Reader => &[],
            Self::Agent | Self::Ci => &[Self::Reader],
            Self::Reviewer => &[Self::Agent, Self::Reader],
            Self::Admin => &[Self::Reviewer, Self::Agent, Self::Reader],
        };
        std::iter::once(&self).chain(lesser).find(|role| role.scopes().into_iter().all(&may)).copied()
    }

    /// The scopes by which other services of the same server know it.
    pub(crate) fn scopes(self) -> Vec<Scope> {
        match self {
            Self::Reader => vec![Scope::Read],
            Self::Agent | Self::Ci => vec![Scope::Read, Scope::Write],
            Self::Reviewer => vec![Scope::Read, Scope::Write, Scope::Approve],
            Self::Admin => vec![Scope::Read, Scope::Write, Scope::Approve, Scope::Admin],
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Right {
    fn words(self) -> &'static str {
        match self {
            Self::Read => "read it",
            Self::Review => "open a page that is for people who decide",
            Self::PushWorktree => "push a work tree",
            Self::PushBranch => "push a branch",
            Self::Claim => "claim work",
            Self::Comment => "comment",
            Self::Approve => "decide",
        }
    }
}

/// A repository and what somebody is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) role: Role,
}

/// Who somebody is, and what is open to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) principal: i64,
    pub(crate) name: String,
    /// What they are in every repository, where that is so.
    pub(crate) everywhere: Option<Role>,
    pub(crate) repos: Vec<Granted>,
}

impl Access {
    /// The repository of this name, if they may do this there.
    pub(crate) async fn repo(&self, database: &Database, name: &str, right: Right) -> Result<Granted> {
        let known = self.repos.iter().find(|one| one.name == name).cloned();
        let granted = match (known, self.everywhere) {
            (Some(granted), _) => granted,
            (None, None) => return Err(Error::no_repo()),
            (None, Some(role)) => {
                let id = database.repo_id(name).await?;
                let brings = matches!(right, Right::PushBranch | Right::PushWorktree | Right::Claim);
                let id = match id {
                    Some(id) => id,
                    // Whoever may work anywhere brings new repositories with them.
                    None if brings && role.may(right) => crate::admin::make_repo(database, name).await?,
                    None => return Err(Error::no_repo()),
                };
                Granted { id, name: name.to_owned(), role }
            }
        };
        if granted.role.may(right) {
            Ok(granted)
        } else {
            Err(Error::not_allowed(right.words(), granted.role.as_str()))
        }
    }

    /// The repository of this name, or all that they may read.
    pub(crate) async fn readable_of(&self, database: &Database, repo: Option<&str>) -> Result<Vec<Granted>> {
        match repo {
            Some(name) => Ok(vec![self.repo(database, name, Right::Read).await?]),
            None => self.readable(database).await,
        }
    }

    /// All repositories that they may read.
    pub(crate) async fn readable(&self, database: &Database) -> Result<Vec<Granted>> {
        let Some(role) = self.everywhere else { return Ok(self.repos.clone()) };
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT id, name FROM repo ORDER BY name").fetch_all(&database.pool).await?;
        Ok(rows.into_iter().map(|(id, name)| Granted { id, name, role }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_bounds_a_role_and_what_both_allow_is_left() {
        use Scope::{Admin, Approve, Read, Write};
        for (role, scopes, left) in [
            (Role::Admin, &[Read, Write, Approve, Admin][..], Some(Role::Admin)),
            (Role::Admin, &[Read, Write, Approve], Some(Role::Reviewer)),
            (Role::Admin, &[Read, Write], Some(Role::Agent)),
            (Role::Admin, &[Read], Some(Role::Reader)),
            (Role::Admin, &[Admin], None),
            (Role::Reviewer, &[Read, Write, Admin], Some(Role::Agent)),
            (Role::Agent, &[Read, Write, Approve, Admin], Some(Role::Agent)),
            (Role::Ci, &[Read, Write], Some(Role::Ci)),
            (Role::Ci, &[Read], Some(Role::Reader)),
            (Role::Reader, &[Read, Write, Approve, Admin], Some(Role::Reader)),
            (Role::Reader, &[], None),
        ] {
            assert_eq!(role.within(|scope| scopes.contains(&scope)), left, "{role} {scopes:?}");
        }
    }
}
