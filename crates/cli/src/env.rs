//! Every environment variable that hewto reads, in one list.
//!
//! Nothing else in the workspace looks at the environment. (`NO_COLOR` and `CLICOLOR_FORCE` are honoured by the
//! terminal stream, `TMPDIR` by the temporary folder of `hewto demo`.) An empty value counts as unset.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the workspace is, when `--workspace` does not say.
pub(crate) const WORKSPACE: &str = "HEWTO_WORKSPACE";
/// The same, as SpecMan's tools spell it.
pub(crate) const SPECMAN_WORKSPACE: &str = "SPECMAN_WORKSPACE";
/// What goes to stderr, as a tracing filter.
pub(crate) const LOG: &str = "HEWTO_LOG";
/// `hewto serve --toolsets`.
pub(crate) const TOOLSETS: &str = "HEWTO_TOOLSETS";
/// `hewto serve --tools`.
pub(crate) const TOOLS: &str = "HEWTO_TOOLS";
/// `hewto serve --read-only`.
pub(crate) const READ_ONLY: &str = "HEWTO_READ_ONLY";
/// `hewto serve --profile`.
pub(crate) const PROFILE: &str = "HEWTO_PROFILE";

/// The variables and what they are for, as `--help` shows them.
pub(crate) const ALL: [(&str, &str); 9] = [
    (WORKSPACE, "start looking for the workspace here (as --workspace)"),
    (SPECMAN_WORKSPACE, "the same, when HEWTO_WORKSPACE is not set"),
    (LOG, "what to log on stderr, e.g. `debug` or `hewto_mcp=trace`"),
    (TOOLSETS, "as `serve --toolsets`"),
    (TOOLS, "as `serve --tools`"),
    (READ_ONLY, "as `serve --read-only`"),
    (PROFILE, "as `serve --profile`"),
    ("NO_COLOR", "never colour the output"),
    ("CLICOLOR_FORCE", "colour it even when it is no terminal"),
];

/// The override of the workspace and the name of the variable that holds it.
pub(crate) fn workspace() -> Option<(&'static str, PathBuf)> {
    [WORKSPACE, SPECMAN_WORKSPACE].into_iter().find_map(|name| Some((name, PathBuf::from(read(name)?))))
}

/// The log filter, where one is set and is text.
pub(crate) fn log_filter() -> Option<String> {
    read(LOG)?.into_string().ok()
}

/// The folder that relative paths start from.
#[expect(clippy::disallowed_methods, reason = "this is the one place that asks for the current directory")]
pub(crate) fn current_dir() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Whether typing this program name would find a program.
pub(crate) fn is_on_path(program: &str) -> bool {
    read("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file())
    })
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn read(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
