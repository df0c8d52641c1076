//! What children see of the server's environment: a few names, and nothing that could be a secret.

use std::ffi::{OsStr, OsString};

use crate::station::Workstation;

/// Who the user is and how they write.
pub(crate) const USER_NAMES: &[&str] =
    &["HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CONFIG_HOME"];

/// Where toolchains live.
pub(crate) const BUILD_NAMES: &[&str] = &[
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CONDA_PREFIX",
    "DOTNET_CLI_HOME",
    "DOTNET_ROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "JAVA_HOME",
    "M2_HOME",
    "MAVEN_HOME",
    "NUGET_PACKAGES",
    "NVM_DIR",
    "PNPM_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SOURCE_DATE_EPOCH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
];

/// The environment of a child: these names, what the user passes on, and a `PATH` without the roots.
pub(crate) fn child_environment(station: &Workstation, names: &[&[&str]]) -> Vec<(OsString, OsString)> {
    let settings = station.settings();
    let passed = |name: &OsStr| {
        names.iter().copied().flatten().any(|kept| name == *kept)
            || settings.pass_environment.iter().any(|kept| name == kept.as_str())
    };
    let mut environment: Vec<(OsString, OsString)> =
        settings.environment.iter().filter(|(name, _)| passed(name) && name != "PATH").cloned().collect();
    environment.push(("PATH".into(), station.search_path().clone()));
    environment
}
