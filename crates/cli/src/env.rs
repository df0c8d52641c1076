//! Every environment variable that hewto reads, in one list.
//!
//! Nothing else in the workspace looks at the environment. (`NO_COLOR` and `CLICOLOR_FORCE` are honoured by the
//! terminal stream, `TMPDIR` by the temporary folder of `hewto demo`.) An empty value counts as unset.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hewto_engine::decision::{Interviewer, ModelChoice, ModelSettings, ModelWish};
use hewto_engine::install::Personal;
use hewto_engine::trust::Trust;
use hewto_engine::{Agent, Clock, MachineSecret, Result};

use crate::failure::machine;

/// Where the workspace is, when `--workspace` does not say.
pub(crate) const WORKSPACE: &str = "HEWTO_WORKSPACE";
/// The same, as SpecMan's tools spell it.
pub(crate) const SPECMAN_WORKSPACE: &str = "SPECMAN_WORKSPACE";
/// Which versions of the protocol are spoken, of those that hewto knows.
const SPECMAN_PROTOCOLS: &str = "SPECMAN_MCP_PROTOCOLS";
/// Where the operation log is kept.
const SPECMAN_LOG_PATH: &str = "SPECMAN_MCP_LOG_PATH";
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
/// `--model` of all commands that search.
pub(crate) const SEARCH_MODEL: &str = "HEWTO_SEARCH_MODEL";

/// `hewto hub --database`, which keeps a password out of the list of processes.
pub(crate) const HUB_DATABASE: &str = "HEWTO_HUB_DATABASE";

/// The hub of a pipeline, which has no configuration of its own.
const HUB_URL: &str = "HEWTO_HUB_URL";
/// Its token.
const HUB_TOKEN: &str = "HEWTO_HUB_TOKEN";
/// Where a person's own configuration is.
const CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// `hewto serve --root`, as seed 001's original spells it; for its profile only.
const BASE_PATH: &str = "FILESYSTEM_TOOLS_BASE_PATH";
/// Where the summary of a workflow's step goes.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";
/// Where the logs of a server go that has roots and no workspace.
const STATE_HOME: &str = "XDG_STATE_HOME";

/// Who runs the model that asks the questions of a clarification.
const LLM_PROVIDER: &str = "HEWTO_LLM_PROVIDER";
/// Which model.
const LLM_MODEL: &str = "HEWTO_LLM_MODEL";
/// Where it is reached.
const LLM_BASE_URL: &str = "HEWTO_LLM_BASE_URL";
/// By how many seconds the clock is moved; in debug builds only, to try what expires.
#[cfg(debug_assertions)]
const TEST_CLOCK_SKEW: &str = "HEWTO_TEST_CLOCK_SKEW_S";
/// How many milliseconds a model has for an attempt; in debug builds only.
#[cfg(debug_assertions)]
const TEST_LLM_ATTEMPT: &str = "HEWTO_TEST_LLM_ATTEMPT_MS";

/// Variables that coding agents set for the programs they start. A person's decision is not taken where one of them is.
const OF_AGENTS: [&str; 17] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_THREAD_ID",
    "CODEX_SANDBOX",
    "CODEX_CI",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "COPILOT_AGENT_SESSION_ID",
    "CLINE_ACTIVE",
    "OPENCODE",
    "AUGMENT_AGENT",
    "GOOSE_TERMINAL",
    "AMP_CURRENT_THREAD_ID",
    "QWEN_CODE",
    "AIDER_MODEL",
    "AI_AGENT",
];

/// The editor in which people write longer texts.
const VISUAL: &str = "VISUAL";
/// The same, older.
const EDITOR: &str = "EDITOR";

/// Set by a shell that asks for completions.
pub(crate) const COMPLETE: &str = "HEWTO_COMPLETE";

/// Variables that make a server different from one that is started plainly.
pub(crate) const OF_THE_SERVER: [&str; 7] =
    [TOOLSETS, TOOLS, READ_ONLY, PROFILE, LLM_PROVIDER, "PREFLIGHTS_LLM_PROVIDER", WORKSPACE];

/// The variables and what they are for, as `--help` shows them.
pub(crate) const ALL: [(&str, &str); 23] = [
    (WORKSPACE, "start looking for the workspace here (as --workspace)"),
    (SPECMAN_WORKSPACE, "the same, when HEWTO_WORKSPACE is not set"),
    (SPECMAN_PROTOCOLS, "speak only these MCP versions, separated by commas"),
    (SPECMAN_LOG_PATH, "keep the operation log in this file"),
    (LOG, "what to log on stderr, e.g. `debug` or `hewto_mcp=trace`"),
    (TOOLSETS, "as `serve --toolsets`"),
    (TOOLS, "as `serve --tools`"),
    (READ_ONLY, "as `serve --read-only`"),
    (PROFILE, "as `serve --profile`"),
    (BASE_PATH, "as `serve --root`, with `--profile ancplua`"),
    (
        STATE_HOME,
        "what `hewto trust` records, and logs of `serve --root` without a workspace, go to `hewto/` in it",
    ),
    (SEARCH_MODEL, "as `search --model`, for all commands that search"),
    (LLM_PROVIDER, "let a model ask: anthropic, openai, openrouter or local"),
    (LLM_MODEL, "which model; keys come from ANTHROPIC_API_KEY and the like"),
    (LLM_BASE_URL, "where it is reached (with /v1, except for Anthropic)"),
    (CONFIG_HOME, "a person's own configuration is `hewto/config.toml` in it"),
    (HUB_DATABASE, "as `hub serve --database`"),
    (HUB_URL, "the hub, where no configuration names it"),
    (HUB_TOKEN, "the token for it"),
    (VISUAL, "the editor of `change new`, `change edit` and `plan edit`"),
    (EDITOR, "the same, when VISUAL is not set"),
    ("NO_COLOR", "never colour the output"),
    ("CLICOLOR_FORCE", "colour it even when it is not a terminal"),
];

/// Whether a variable is set to nothing.
pub(crate) fn is_empty(name: &OsStr) -> bool {
    raw(name).is_some_and(|value| value.is_empty())
}

/// The override of the workspace and the name of the variable that holds it.
pub(crate) fn workspace() -> Option<(&'static str, PathBuf)> {
    [WORKSPACE, SPECMAN_WORKSPACE].into_iter().find_map(|name| Some((name, PathBuf::from(read(name)?))))
}

/// The versions of the protocol that may be spoken; all when nobody says.
pub(crate) fn protocols() -> Option<Vec<String>> {
    let list = read(SPECMAN_PROTOCOLS)?.into_string().ok()?;
    Some(
        list.split(',')
            .map(|version| version.trim().to_owned())
            .filter(|version| !version.is_empty())
            .collect(),
    )
}

/// The file of the operation log, when somebody chose one.
pub(crate) fn operation_log() -> Option<PathBuf> {
    read(SPECMAN_LOG_PATH).map(PathBuf::from)
}

/// The log filter, where one is set and is text.
pub(crate) fn log_filter() -> Option<String> {
    read(LOG)?.into_string().ok()
}

/// Who asks the questions of a clarification: the catalogue, or a model. `hewto_net` knows the variables.
pub(crate) fn interviewer(wish: &ModelWish) -> Interviewer {
    let choice = ModelSettings::choose(|name| match &wish.provider {
        Some(provider) if name == LLM_PROVIDER => Some(provider.clone()),
        _ => read(name)?.into_string().ok(),
    });
    Interviewer::hired(hurried(choice), wish)
}

/// Tests do not wait as long as people do.
#[cfg(debug_assertions)]
fn hurried(choice: ModelChoice) -> ModelChoice {
    use std::time::Duration;
    let attempt = read(TEST_LLM_ATTEMPT).and_then(|text| text.into_string().ok()?.parse().ok());
    match (choice, attempt) {
        (ModelChoice::Model(mut settings), Some(attempt)) => {
            settings.limits.attempt = Duration::from_millis(attempt);
            settings.limits.first_pause = Duration::from_millis(1);
            ModelChoice::Model(settings)
        }
        (choice, _) => choice,
    }
}

#[cfg(not(debug_assertions))]
fn hurried(choice: ModelChoice) -> ModelChoice {
    choice
}

/// The allowed folder that the original of seed 001 was configured with.
pub(crate) fn base_path() -> Option<PathBuf> {
    read(BASE_PATH).map(PathBuf::from)
}

/// The folder for what belongs to this user on this machine.
pub(crate) fn state_dir() -> Option<PathBuf> {
    let state = read(STATE_HOME).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(read("HOME")?).join(".local/state"));
    Some(state.or_else(home)?.join("hewto"))
}

/// The folder of a person's own configuration.
pub(crate) fn config_dir() -> Option<PathBuf> {
    let config = read(CONFIG_HOME).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(config.or_else(|| Some(home()?.join(".config")))?.join("hewto"))
}

pub(crate) fn home() -> Option<PathBuf> {
    read("HOME").map(PathBuf::from)
}

pub(crate) fn hub_url() -> Option<String> {
    read(HUB_URL)?.into_string().ok()
}

pub(crate) fn hub_token() -> Option<String> {
    Some(read(HUB_TOKEN)?.into_string().ok()?.trim().to_owned())
}

/// What the owner of this machine has trusted.
pub(crate) fn trust() -> Trust {
    state_dir().map_or_else(Trust::nothing, Trust::in_state_dir)
}

/// The variable by which a coding agent shows, where one has started this.
pub(crate) fn agent() -> Option<&'static str> {
    OF_AGENTS.into_iter().find(|name| read(name).is_some())
}

/// Where this machine keeps its key: in the folder of this user or, where that cannot hold one, in one that survives a
/// restart and belongs to this user alone.
pub(crate) fn secret() -> MachineSecret {
    let spare = PathBuf::from(format!("/var/tmp/hewto-{}", rustix::process::geteuid().as_raw()));
    MachineSecret::keeping_in(state_dir().into_iter().chain([spare]))
}

/// The file that a GitHub workflow shows as the summary of the step.
pub(crate) fn step_summary() -> Option<PathBuf> {
    read(STEP_SUMMARY).map(PathBuf::from)
}

/// What long texts are shown in: `PAGER`, else `less`, where there is one.
pub(crate) fn pager() -> Option<String> {
    let chosen = read("PAGER").and_then(|pager| pager.into_string().ok());
    chosen.or_else(|| is_on_path("less").then(|| "less".to_owned()))
}

/// The entries of `PATH`.
pub(crate) fn search_path() -> Vec<PathBuf> {
    read("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// `PATH` as it is, where it is text.
pub(crate) fn search_path_text() -> Option<String> {
    read("PATH")?.into_string().ok()
}

/// Everything, for the programs that the workstation starts; it passes on what they need.
pub(crate) fn whole() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// Who runs this process, as the operation log names them.
pub(crate) fn user() -> String {
    let named = |name| read(name)?.into_string().ok();
    named("USER").or_else(|| named("LOGNAME")).unwrap_or_else(user_of_process)
}

/// The name that this machine has for the owner of the process.
fn user_of_process() -> String {
    let id = rustix::process::getuid().as_raw().to_string();
    let accounts = fs_err::read_to_string("/etc/passwd").unwrap_or_default();
    let name = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == id).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("uid {id}"))
}

/// The editor that this person writes in: the program and its arguments.
pub(crate) fn editor() -> Option<Vec<String>> {
    let command = read(VISUAL).or_else(|| read(EDITOR))?.into_string().ok()?;
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}

/// The clock that commands go by.
#[cfg(debug_assertions)]
pub(crate) fn clock() -> Clock {
    let skew = read(TEST_CLOCK_SKEW).and_then(|text| text.into_string().ok()?.parse().ok()).unwrap_or(0);
    Clock::system().moved_by(skew)
}

/// The clock that commands go by.
#[cfg(not(debug_assertions))]
pub(crate) fn clock() -> Clock {
    Clock::system()
}

/// The folder that relative paths start from.
#[expect(clippy::disallowed_methods, reason = "this is the one place that asks for the current directory")]
pub(crate) fn current_dir() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// What starts this program: its name where the shell finds it, else its file.
pub(crate) fn program() -> Result<String> {
    if is_on_path("hewto") {
        return Ok("hewto".to_owned());
    }
    let file =
        std::env::current_exe().map_err(|error| machine("cannot find this program's own file", error))?;
    Ok(file.to_string_lossy().into_owned())
}

/// The agents that have left a folder in this person's home.
pub(crate) fn agents_at_home() -> Vec<Agent> {
    let Some(home) = read("HOME") else { return Vec::new() };
    let is_there = |agent: &Agent| Path::new(&home).join(agent.home_trace()).is_dir();
    Agent::all().filter(is_there).collect()
}

/// The files of this person that agents keep their servers in.
pub(crate) fn personal() -> Option<Personal> {
    let home = read("HOME").map(PathBuf::from).filter(|home| home.is_absolute())?;
    Some(Personal::new(home, state_dir()?))
}

/// Whether typing this program name would find a program.
pub(crate) fn is_on_path(program: &str) -> bool {
    find_program(program).is_some()
}

/// The file that typing this program name would start.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    search_path().into_iter().map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn read(name: &str) -> Option<OsString> {
    raw(name.as_ref()).filter(|value| !value.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn raw(name: &OsStr) -> Option<OsString> {
    std::env::var_os(name)
}
