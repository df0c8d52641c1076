//! The programs that are measured, built from this workspace as they are published: with the profile `dist`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the built programs are.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The product.
    pub(crate) hewto: PathBuf,
    /// The smallest server that rmcp makes: the control for everything on the wire.
    pub(crate) bare: PathBuf,
    /// The same on a port, with axum.
    pub(crate) bare_http: PathBuf,
}

impl Programs {
    /// A program that is there already; the controls are those beside it, where there are any.
    pub(crate) fn given(hewto: &Path) -> std::io::Result<Self> {
        let hewto = fs_err::canonicalize(hewto)?;
        let examples = hewto.with_file_name("examples");
        Ok(Self { hewto, bare: examples.join("bare_rmcp"), bare_http: examples.join("bare_http") })
    }
}

pub(crate) fn build() -> Result<Programs, Box<dyn std::error::Error>> {
    let own = std::env::current_exe()?.parent().ok_or("the bench has no folder")?.to_owned();
    let built = if cfg!(debug_assertions) { own } else { own.with_file_name("dist") };
    cargo(&["build", "-p", "hewto"])?;
    cargo(&["build", "-p", "hewto-mcp", "--example", "bare_rmcp", "--example", "bare_http"])?;
    let examples = built.join("examples");
    Ok(Programs {
        hewto: built.join("hewto"),
        bare: examples.join("bare_rmcp"),
        bare_http: examples.join("bare_http"),
    })
}

fn cargo(arguments: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--profile", "dist"] };
    let status = Command::new("cargo").args(arguments).args(profile).status()?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" ")).into()) }
}
