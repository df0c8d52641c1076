//! `ci_diagnostics`: the machine, the programs on it, and what is allowed. Never the environment.

use rustix::system::uname;
use schemars::JsonSchema;
use serde::Serialize;

use crate::process::find_program;
use crate::show::show_path;
use crate::station::Workstation;

const PROGRAMS: [&str; 18] = [
    "cargo", "rustc", "go", "dotnet", "mvn", "gradle", "java", "node", "npm", "pnpm", "yarn", "python3",
    "pytest", "pip", "make", "just", "git", "rg",
];

/// A program on the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProgramView {
    pub name: String,
    pub path: String,
}

/// What runs are allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LimitsView {
    pub run_time_s: u64,
    pub longest_run_time_s: u64,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagnosticsView {
    pub os: String,
    pub architecture: String,
    pub processor_count: usize,
    /// Where relative paths start
    pub working_directory: String,
    pub roots: Vec<String>,
    /// The programs that were found outside the allowed folders
    pub programs: Vec<ProgramView>,
    /// What `ci_run` may start
    pub allowed_commands: Vec<String>,
    pub limits: LimitsView,
}

/// Looks at the machine.
pub fn diagnostics(station: &Workstation) -> DiagnosticsView {
    let uname = uname();
    let roots: Vec<String> = station.roots().paths().into_iter().map(show_path).collect();
    let limits = station.limits();
    DiagnosticsView {
        os: format!("{} {}", uname.sysname().to_string_lossy(), uname.release().to_string_lossy()),
        architecture: uname.machine().to_string_lossy().into_owned(),
        processor_count: std::thread::available_parallelism().map_or(1, usize::from),
        working_directory: roots.first().cloned().unwrap_or_default(),
        roots,
        programs: PROGRAMS
            .iter()
            .filter_map(|name| {
                let path = find_program(station, name).ok()?;
                Some(ProgramView { name: (*name).to_owned(), path: show_path(&path) })
            })
            .collect(),
        allowed_commands: station.settings().commands.keys().cloned().collect(),
        limits: LimitsView {
            run_time_s: limits.run_time.as_secs(),
            longest_run_time_s: limits.longest_run_time.as_secs(),
        },
    }
}
