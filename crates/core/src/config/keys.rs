//! Every key of hewto's own configuration: the table that misspelt ones are compared with, and that
//! `docs/configuration.md` shows.

use std::fmt::Write as _;

use crate::near::near;

/// One key of a `config.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigKey {
    /// Its whole name, such as `limits.call_timeout_s`; `*` stands for any name.
    pub name: &'static str,
    /// What it may be.
    pub value: &'static str,
    /// What holds without it.
    pub default: &'static str,
    pub about: &'static str,
}

const fn key(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    about: &'static str,
) -> ConfigKey {
    ConfigKey { name, value, default, about }
}

/// The keys of `.hewto/config.toml`.
pub const WORKSPACE_KEYS: &[ConfigKey] = &[
    key("project.name", "text", "the folder's name", "What the project is called"),
    key("project.description", "text", "none", "What the project is about"),
    key(
        "defaults.category",
        "feature, bugfix, refactor, docs or other",
        "feature",
        "The category of specs that name none",
    ),
    key(
        "limits.call_timeout_s",
        "1 to 3600",
        "30",
        "How many seconds a tool call may take; runs of the workstation have their own limit",
    ),
    key(
        "rate.per_second",
        "a number above 0",
        "2000",
        "How many tool calls a second are taken of one client; needs `rate.burst`",
    ),
    key(
        "rate.burst",
        "a whole number above 0",
        "100000",
        "How far a client may run ahead of that; needs `rate.per_second`",
    ),
    key("leases.required", "true or false", "false", "Whether work has to be claimed before it is written"),
    key("leases.seconds", "30 to 3600", "600", "How long a claim lasts unless it is renewed"),
    key(
        "hub.repo",
        "letters, digits and `-_.`, with `/` between parts",
        "the last part of `origin`, else the folder's name",
        "What the repository is called at the hub that a person's own configuration names",
    ),
    key(
        "workstation.timeout_s",
        "1 to 3600",
        "600",
        "How many seconds a build, a test run or a command may take",
    ),
    key("workstation.pass_env", "a list of names", "none", "Further variables that programs see"),
    key(
        "workstation.commands.*",
        "a list of argument lists",
        "none",
        "A program that `ci_run` may start, with arguments that begin like one of these; an empty list allows any",
    ),
    key(
        "workstation.rate.read",
        "a number, or `{ per_second, burst }`",
        "1000",
        "Calls a second that read; 0 means no limit",
    ),
    key(
        "workstation.rate.write",
        "a number, or `{ per_second, burst }`",
        "200",
        "Calls a second that write; 0 means no limit",
    ),
    key(
        "workstation.rate.run",
        "a number, or `{ per_second, burst }`",
        "5",
        "Runs a second; 0 means no limit",
    ),
    key(
        "workstation.rate.burst",
        "a number",
        "a second's worth of a pace that was named",
        "The burst of the classes that name none",
    ),
    key(
        "workstation.git.hooks",
        "true or false",
        "false",
        "Whether `git_commit` runs the repository's hooks",
    ),
];

/// The keys of the owner's configuration, which belongs to a person and not to a repository.
pub const OWNER_KEYS: &[ConfigKey] = &[
    key("hub.url", "an https address", "none", "The hub that this person's workspaces are pushed to"),
    key("hub.token_file", "a path", "none", "The file that holds the token for it"),
    key(
        "hub.ca_file",
        "a path",
        "the public authorities",
        "The file (PEM) with the authority that signed the hub's certificate",
    ),
];

/// Whether a path of keys is known, or leads to one that is.
pub(super) fn is_known(keys: &[ConfigKey], path: &str) -> bool {
    keys.iter().any(|key| matches(key.name, path) || leads_to(key.name, path))
}

/// Whether a path of keys is the whole name of a key, behind which nothing is looked at.
pub(super) fn is_whole(keys: &[ConfigKey], path: &str) -> bool {
    keys.iter().any(|key| matches(key.name, path))
}

fn matches(name: &str, path: &str) -> bool {
    match name.strip_suffix('*') {
        Some(folder) => path.strip_prefix(folder).is_some_and(|rest| !rest.is_empty()),
        None => name == path,
    }
}

fn leads_to(name: &str, path: &str) -> bool {
    name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
}

/// The known path that is nearest to one that is not: its last part may be misspelt, or a section before it.
pub(super) fn nearest(keys: &[ConfigKey], path: &str) -> Option<String> {
    let depth = path.split('.').count();
    let mut known: Vec<String> = keys
        .iter()
        .map(|key| key.name.split('.').take(depth).collect::<Vec<_>>().join("."))
        .filter(|known| !known.ends_with('*'))
        .collect();
    known.dedup();
    near(path, known.iter().map(String::as_str), 1).into_iter().next().or_else(|| {
        // The right name in the wrong section.
        let name = path.rsplit('.').next()?;
        let elsewhere = keys.iter().filter(|key| key.name.rsplit('.').next() == Some(name));
        elsewhere.map(|key| key.name.to_owned()).next()
    })
}

/// The keys as a table of Markdown.
pub fn table(keys: &[ConfigKey]) -> String {
    let mut out = String::from("| key | value | default | what it does |\n|---|---|---|---|\n");
    for ConfigKey { name, value, default, about } in keys {
        let _ = writeln!(out, "| `{name}` | {value} | {default} | {about} |");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_finds_the_right_one() {
        for (path, expected) in [
            ("limits.call_timout_s", Some("limits.call_timeout_s")),
            ("limit", Some("limits")),
            ("workstation.comands", Some("workstation.commands")),
            ("defaults.name", Some("project.name")),
            ("weather.forecast", None),
        ] {
            assert_eq!(nearest(WORKSPACE_KEYS, path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn what_is_free_may_be_called_anything() {
        assert!(is_whole(WORKSPACE_KEYS, "workstation.commands.git"));
        assert!(is_known(WORKSPACE_KEYS, "workstation.commands"));
        assert!(!is_known(WORKSPACE_KEYS, "workstation.command"));
        assert!(!is_known(WORKSPACE_KEYS, "rat"));
    }
}
