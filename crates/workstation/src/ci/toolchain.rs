//! The build tools that are known, by the files that give them away.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::os::fd::OwnedFd;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::build::Action;
use crate::confine::{entries, open_child_folder, open_child_regular};
use crate::error::{Error, Result};

/// A longer project file is not read to its end.
const MAX_PROJECT_BYTES: u64 = 1 << 20;

/// A build tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    Cargo,
    Go,
    Dotnet,
    Maven,
    Gradle,
    Pnpm,
    Npm,
    Pytest,
    Make,
    Just,
}

/// A tool that a folder is built with.
#[derive(Debug)]
pub(super) struct Toolchain {
    pub(super) tool: Tool,
    /// The file that gives it away.
    pub(super) marker: String,
}

/// What a folder has in it, as far as build tools care.
#[derive(Debug)]
pub(super) struct Project {
    names: BTreeSet<String>,
    folder: OwnedFd,
}

/// In this order the tools are asked.
const ORDER: [Tool; 10] = [
    Tool::Cargo,
    Tool::Go,
    Tool::Dotnet,
    Tool::Maven,
    Tool::Gradle,
    Tool::Pnpm,
    Tool::Npm,
    Tool::Pytest,
    Tool::Make,
    Tool::Just,
];

impl Project {
    pub(super) fn look(folder: &OwnedFd, shown: &str) -> Result<Self> {
        let fail = |error: rustix::io::Errno| Error::io("list", shown, error);
        // The folder may be open for passing through only.
        let folder = open_child_folder(folder, ".".as_ref()).map_err(fail)?;
        let names =
            entries(&folder).map_err(fail)?.filter_map(|entry| entry.ok()?.0.into_string().ok()).collect();
        Ok(Self { names, folder })
    }

    /// The tools that this folder is built with, the most telling first.
    pub(super) fn toolchains(&self) -> Vec<Toolchain> {
        ORDER
            .into_iter()
            .filter_map(|tool| self.marker(tool).map(|marker| Toolchain { tool, marker }))
            .collect()
    }

    fn marker(&self, tool: Tool) -> Option<String> {
        match tool {
            Tool::Cargo => self.first(&["Cargo.toml"]),
            Tool::Go => self.first(&["go.mod", "go.work"]),
            Tool::Dotnet => self.with_ending(&[".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"]),
            Tool::Maven => self.first(&["pom.xml"]),
            Tool::Gradle => {
                self.first(&["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"])
            }
            Tool::Pnpm => self.first(&["package.json"]).and_then(|package| {
                let manager = self.package().get("packageManager").and_then(Value::as_str).map(str::to_owned);
                let named = manager.is_some_and(|manager| manager.starts_with("pnpm"));
                self.first(&["pnpm-lock.yaml", "pnpm-workspace.yaml"]).or(named.then_some(package))
            }),
            Tool::Npm => self.first(&["package.json"]).filter(|_| self.marker(Tool::Pnpm).is_none()),
            Tool::Pytest => self.pytest(),
            Tool::Make => self.first(&["GNUmakefile", "makefile", "Makefile"]),
            Tool::Just => self.first(&["justfile", "Justfile", ".justfile"]),
        }
    }

    fn pytest(&self) -> Option<String> {
        let speaks_of_pytest = |name: &str| {
            self.names.contains(name) && self.text(name).is_some_and(|text| text.contains("pytest"))
        };
        let configured = || {
            let files = ["pyproject.toml", "setup.cfg", "tox.ini"];
            files.into_iter().find(|name| speaks_of_pytest(name)).map(str::to_owned)
        };
        self.first(&["pytest.ini", "conftest.py"])
            .or_else(configured)
            .or_else(|| self.names.iter().find(|name| is_python_test(name)).cloned())
            .or_else(|| {
                let tests = open_child_folder(&self.folder, "tests".as_ref()).ok()?;
                let mut names = entries(&tests).ok()?.filter_map(|entry| entry.ok()?.0.into_string().ok());
                names.find(|name| is_python_test(name)).map(|name| format!("tests/{name}"))
            })
    }

    fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find(|name| self.names.contains(**name)).map(|name| (*name).to_owned())
    }

    fn with_ending(&self, endings: &[&str]) -> Option<String> {
        endings.iter().find_map(|ending| self.names.iter().find(|name| name.ends_with(ending)).cloned())
    }

    fn text(&self, name: &str) -> Option<String> {
        let open = open_child_regular(&self.folder, name.as_ref(), name).ok()?;
        let mut bytes = Vec::new();
        open.file.take(MAX_PROJECT_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn package(&self) -> Value {
        self.text("package.json").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn script(&self, name: &str) -> Option<()> {
        self.package().get("scripts")?.get(name).map(|_| ())
    }

    /// Whether a Makefile or justfile has a target with this name.
    fn target(&self, file: &str, name: &str) -> bool {
        self.text(file).is_some_and(|text| {
            text.lines().any(|line| {
                line.strip_prefix(name).is_some_and(|rest| {
                    let rest = rest.trim_start();
                    let plain = rest.starts_with(':') && !rest.starts_with(":=");
                    // A recipe of just may have parameters.
                    plain
                        || (file.ends_with("ustfile")
                            && line[name.len()..].starts_with(' ')
                            && rest.contains(':'))
                })
            })
        })
    }
}

fn is_python_test(name: &str) -> bool {
    name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

impl Toolchain {
    /// The command for an action: programs to try, and arguments. `None` when the tool has nothing to do for it.
    pub(super) fn command(
        &self,
        action: Action,
        project: &Project,
    ) -> Option<(Vec<&'static str>, Vec<&'static str>)> {
        let command = match (self.tool, action) {
            (Tool::Cargo, Action::Build) => (vec!["cargo"], vec!["build"]),
            (Tool::Cargo, Action::Test) => (vec!["cargo"], vec!["test", "--no-fail-fast"]),
            (Tool::Cargo, Action::Restore) => (vec!["cargo"], vec!["fetch"]),
            (Tool::Go, Action::Build) => (vec!["go"], vec!["build", "./..."]),
            (Tool::Go, Action::Test) => (vec!["go"], vec!["test", "-v", "./..."]),
            (Tool::Go, Action::Restore) => (vec!["go"], vec!["mod", "download"]),
            (Tool::Dotnet, Action::Build) => (vec!["dotnet"], vec!["build"]),
            (Tool::Dotnet, Action::Test) => (vec!["dotnet"], vec!["test"]),
            (Tool::Dotnet, Action::Restore) => (vec!["dotnet"], vec!["restore"]),
            (Tool::Maven, Action::Build) => (vec!["mvn"], vec!["-B", "-ntp", "package", "-DskipTests"]),
            (Tool::Maven, Action::Test) => (vec!["mvn"], vec!["-B", "-ntp", "test"]),
            (Tool::Maven, Action::Restore) => (vec!["mvn"], vec!["-B", "-ntp", "dependency:go-offline"]),
            (Tool::Gradle, Action::Build) => {
                (vec!["gradle"], vec!["--no-daemon", "--console=plain", "assemble"])
            }
            (Tool::Gradle, Action::Test) => (vec!["gradle"], vec!["--no-daemon", "--console=plain", "test"]),
            (Tool::Gradle, Action::Restore) => {
                (vec!["gradle"], vec!["--no-daemon", "--console=plain", "dependencies"])
            }
            (Tool::Pnpm, Action::Build) => {
                project.script("build").map(|()| (vec!["pnpm"], vec!["run", "build"]))?
            }
            (Tool::Pnpm, Action::Test) => {
                project.script("test").map(|()| (vec!["pnpm"], vec!["run", "test"]))?
            }
            (Tool::Pnpm, Action::Restore) => (vec!["pnpm"], vec!["install"]),
            (Tool::Npm, Action::Build) => {
                project.script("build").map(|()| (vec!["npm"], vec!["run", "build"]))?
            }
            (Tool::Npm, Action::Test) => project.script("test").map(|()| (vec!["npm"], vec!["test"]))?,
            (Tool::Npm, Action::Restore) => {
                let locked = project.first(&["package-lock.json", "npm-shrinkwrap.json"]).is_some();
                (vec!["npm"], vec![if locked { "ci" } else { "install" }])
            }
            (Tool::Pytest, Action::Test) => (vec!["pytest", "py.test"], vec!["-rfE", "--color=no"]),
            (Tool::Pytest, Action::Restore) => {
                project.first(&["requirements.txt"])?;
                (vec!["pip", "pip3"], vec!["install", "-r", "requirements.txt"])
            }
            (Tool::Make, Action::Build) => (vec!["make", "gmake"], vec![]),
            (Tool::Make, Action::Test) => {
                let target = ["test", "check"].into_iter().find(|name| project.target(&self.marker, name))?;
                (vec!["make", "gmake"], vec![target])
            }
            (Tool::Just, Action::Build | Action::Test) => {
                let name = if action == Action::Build { "build" } else { "test" };
                project.target(&self.marker, name).then(|| (vec!["just"], vec![name]))?
            }
            (Tool::Pytest, Action::Build) | (Tool::Make | Tool::Just, Action::Restore) => return None,
        };
        Some(command)
    }
}
