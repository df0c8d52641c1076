//! What keeps a repository from running programs: the environment and the configuration that git is given.
//!
//! Configuration from the environment beats every file. Settings with a name in their middle (filters, merge drivers)
//! are looked up first and overruled one by one.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::process::{USER_NAMES, child_environment};
use crate::settings::CommitHooks;
use crate::station::Workstation;

/// Settings that start a program, read a file outside, or change what git prints.
const OVERRULED: &[(&str, &str)] = &[
    // Programs.
    ("core.alternateRefsCommand", ""),
    ("core.askPass", ""),
    ("core.editor", ":"),
    ("core.fsmonitor", "false"),
    ("core.gitProxy", ""),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("credential.helper", ""),
    ("gpg.openpgp.program", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.defaultKeyCommand", ""),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("interactive.diffFilter", ""),
    ("sequence.editor", ":"),
    // What would start one of them, or something that outlives the call.
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("tag.gpgSign", "false"),
    // What would write to the index though somebody only looks.
    ("diff.autoRefreshIndex", "false"),
    // Files outside that could show in an answer.
    ("diff.orderFile", "/dev/null"),
    ("mailmap.blob", ""),
    ("mailmap.file", ""),
    // Names that other systems take for `.git`.
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    // What is printed.
    ("blame.showRoot", "false"),
    ("color.ui", "false"),
    ("column.ui", "never"),
    ("commit.cleanup", "whitespace"),
    ("commit.verbose", "false"),
    ("diff.colorMoved", "no"),
    ("diff.ignoreSubmodules", "dirty"),
    ("diff.mnemonicPrefix", "false"),
    ("diff.noprefix", "false"),
    ("diff.relative", "false"),
    ("diff.submodule", "short"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.mailmap", "false"),
    ("log.showRoot", "true"),
    ("status.submoduleSummary", "false"),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_ADVICE", "0"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", ""),
    ("GIT_EDITOR", ":"),
    // An object is what its name says: nothing stands in for it, and no commit has other parents.
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    // Or git writes each commit by itself to a pipe, and wakes us for it.
    ("GIT_FLUSH", "0"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("PAGER", "cat"),
    ("SSH_ASKPASS", ""),
    ("TERM", "dumb"),
];

/// The settings of a repository that have to be overruled by name, as a pattern for `git config`.
pub(super) const NAMED_SETTINGS: &str = r"^(core\.worktree|filter\..*|hook\..*|merge\..*\.driver)$";

/// Whether git may take locks it does not need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Locks {
    /// A call that reads must not disturb others.
    Needed,
    All,
}

/// What happens to a filter that the repository calls indispensable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequiredFilters {
    /// Contents pass unfiltered.
    Ignore,
    /// Contents that would need it are refused, so that nothing wrong is recorded.
    Insist,
}

/// What one repository configures, as far as it has to be overruled. Names are bytes to git, and here too.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) filters: Vec<OsString>,
    /// Hooks that newer versions of git take from the configuration.
    pub(super) hooks: Vec<OsString>,
    pub(super) merge_drivers: Vec<OsString>,
    pub(super) work_tree: Option<PathBuf>,
}

impl Named {
    /// Reads what `git config -z --get-regexp` prints.
    pub(super) fn parse(output: &[u8]) -> Self {
        let mut named = Self::default();
        for entry in output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let end_of_key = memchr::memchr(b'\n', entry).unwrap_or(entry.len());
            let (key, value) = (&entry[..end_of_key], entry.get(end_of_key + 1..).unwrap_or_default());
            if key == b"core.worktree" {
                named.work_tree = Some(OsStr::from_bytes(value).into());
            }
            let middle = |start: &str| {
                let rest = key.strip_prefix(start.as_bytes())?;
                let end = memchr::memrchr(b'.', rest)?;
                Some(OsStr::from_bytes(&rest[..end]).to_owned())
            };
            let known = [
                (middle("filter."), &mut named.filters),
                (middle("hook."), &mut named.hooks),
                (middle("merge."), &mut named.merge_drivers),
            ];
            for (name, names) in known {
                names.extend(name.filter(|name| !names.contains(name)));
            }
        }
        named
    }

    fn overrules(&self, required: RequiredFilters, hooks: CommitHooks) -> Vec<(OsString, &'static str)> {
        let setting = |section: &str, name: &OsStr, key: &str| {
            [section.as_ref(), name, key.as_ref()].join(OsStr::new("."))
        };
        let mut settings = Vec::new();
        for filter in &self.filters {
            for part in ["clean", "smudge", "process"] {
                settings.push((setting("filter", filter, part), ""));
            }
            if required == RequiredFilters::Ignore {
                settings.push((setting("filter", filter, "required"), "false"));
            }
        }
        if hooks == CommitHooks::Skip {
            settings.extend(self.hooks.iter().map(|hook| (setting("hook", hook, "enabled"), "false")));
        }
        for driver in &self.merge_drivers {
            // As git merges without a driver.
            settings.push((setting("merge", driver, "driver"), "git merge-file %A %O %B"));
        }
        settings
    }
}

/// The whole environment of a git process.
pub(super) fn environment(
    station: &Workstation,
    git_dir: &Path,
    named: &Named,
    locks: Locks,
    required: RequiredFilters,
    hooks: CommitHooks,
) -> Vec<(OsString, OsString)> {
    let mut environment = child_environment(station, &[USER_NAMES]);
    environment.retain(|(name, _)| !name.to_string_lossy().starts_with("LC_"));
    let mut set = |name: &str, value: OsString| environment.push((name.into(), value));
    for (name, value) in ENVIRONMENT {
        set(name, value.into());
    }
    set("GIT_OPTIONAL_LOCKS", if locks == Locks::Needed { "0".into() } else { "1".into() });
    set("GIT_DIR", git_dir.into());
    set("GIT_WORK_TREE", ".".into());
    set("GIT_CEILING_DIRECTORIES", station.roots().real(0).into());
    let mut settings: Vec<(OsString, &str)> =
        OVERRULED.iter().map(|(name, value)| (name.into(), *value)).collect();
    if hooks == CommitHooks::Skip {
        settings.push(("core.hooksPath".into(), "/dev/null"));
    }
    settings.extend(named.overrules(required, hooks));
    set("GIT_CONFIG_COUNT", settings.len().to_string().into());
    for (index, (name, value)) in settings.into_iter().enumerate() {
        set(&format!("GIT_CONFIG_KEY_{index}"), name);
        set(&format!("GIT_CONFIG_VALUE_{index}"), value.into());
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_with_a_name_are_found_whatever_the_name_is() {
        let output =
            b"filter.lfs.clean\ngit-lfs clean -- %f\0filter.lfs.required\ntrue\0filter.a=b.c.process\nx\0\
            filter.\xff.clean\nx\0hook.x.y.command\nx\0merge.ours.driver\ntrue\0core.worktree\n../x\0";
        let named = Named::parse(output);
        assert_eq!(named.filters, ["lfs".as_ref(), "a=b.c".as_ref(), OsStr::from_bytes(b"\xff")]);
        assert_eq!(named.hooks, ["x.y"]);
        assert_eq!(named.merge_drivers, ["ours"]);
        assert_eq!(named.work_tree.as_deref(), Some(Path::new("../x")));
        let overruled = named.overrules(RequiredFilters::Ignore, CommitHooks::Skip);
        for (name, value) in [
            (b"filter.a=b.c.process".as_slice(), ""),
            (b"filter.\xff.clean", ""),
            (b"filter.lfs.required", "false"),
            (b"hook.x.y.enabled", "false"),
        ] {
            assert!(overruled.contains(&(OsStr::from_bytes(name).to_owned(), value)), "{name:?}");
        }
        let left = named.overrules(RequiredFilters::Insist, CommitHooks::Run);
        assert!(!left.iter().any(|(name, _)| name.as_bytes().ends_with(b"required")));
        assert!(!left.iter().any(|(name, _)| name.as_bytes().starts_with(b"hook")));
    }
}
