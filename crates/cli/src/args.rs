//! What can be typed: the global flags, the help page, and what happens to a call that cannot be parsed.
//!
//! The arguments of a command stand in that command's own file; their doc comments are its help.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{Resettable, Styles};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};
use hewto_engine::{Kind, neighbours};

use crate::commands::Command;
use crate::env;
use crate::failure::{exit_code, usage};
use crate::ids;
use crate::ui::{Format, HEADING, NAME, Ui, paint};

/// Code that hews to its spec: one shared truth about what to build, for people and agents
#[derive(Debug, Parser)]
#[command(name = "hewto", version, disable_help_subcommand = true, max_term_width = 100, styles = STYLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Globals {
    /// Look for the workspace at or above PATH instead of the current folder
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub(crate) workspace: Vec<PathBuf>,
    /// Answer with JSON on standard output, errors included
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Send this claim number with every write
    #[arg(long, global = true, value_name = "NUMBER", help_heading = "Global options")]
    pub(crate) claim: Option<u64>,
}

/// The help page's groups: what one wants to do, and the commands for it.
const GROUPS: [(&str, &[&str]); 9] = [
    ("Start, or leave", &["init", "import", "export", "adopt", "demo", "upgrade", "uninstall"]),
    ("Clarify and decide, in any git repository", &["clarify", "decision", "architecture"]),
    ("Take a spec from draft to done", &["spec", "plan", "build"]),
    ("Change what specs promise", &["change", "archive", "requirement", "search"]),
    ("Prove that code keeps what specs promise", &["proof", "link", "drift"]),
    ("Decide, and take turns", &["ui", "approve", "review", "gate", "claim", "release", "who"]),
    ("See what depends on what", &["graph", "artifact", "template", "why"]),
    (
        "Inspect the workspace",
        &["status", "next", "list", "validate", "doctor", "log", "ops", "index", "trust"],
    ),
    (
        "Connect agents, teams and shells",
        &["serve", "hub", "client-config", "mcp-check", "completions", "man"],
    ),
];

const EXAMPLES: [(&str, &str); 6] = [
    ("hewto demo", "see it work in a throw-away project"),
    ("hewto init", "make a workspace here and connect the agents in use"),
    ("hewto spec new \"User login\" --description \"…\"", "write down what is wanted"),
    ("hewto status", "see where everything stands and what is next"),
    ("hewto validate --strict", "check every document"),
    ("hewto doctor", "find out why an agent cannot see the server"),
];

const EXIT_CODES: &str = "0 ok, 1 the answer is no, 2 wrong usage, 3 the machine failed";

const STYLES: Styles = Styles::styled().header(HEADING).usage(HEADING).literal(NAME);

impl Cli {
    /// Reads the arguments of this process.
    pub(crate) fn from_command_line() -> Result<Self, Rejection> {
        let arguments = with_workspace(std::env::args_os().collect());
        let format = if wants_json(&arguments) { Format::Json } else { Format::Human };
        command()
            .try_get_matches_from(&arguments)
            .and_then(|matches| Self::from_arg_matches(&matches))
            .map_err(|error| Rejection { error: Box::new(error), format, is_clarify: is_clarify(&arguments) })
    }

    pub(crate) fn format(&self) -> Format {
        if self.globals.json { Format::Json } else { Format::Human }
    }
}

/// The whole command line, with its help page.
pub(crate) fn command() -> clap::Command {
    let command = without_empty_variables(ids::attach(Cli::command()));
    let groups = groups(&command);
    let options = paint(HEADING, "Options:");
    // Clap cannot group commands, so the groups stand where it would put its own list.
    command
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{before-help}}{options}\n{{options}}{{after-help}}\n"
        ))
        .before_help(groups)
        .after_help(after_help())
}

/// A variable that is set to nothing stands in for no flag.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let unless_empty = |flag: clap::Arg| match flag.get_env() {
        Some(name) if env::is_empty(name) => flag.env(Resettable::Reset),
        _ => flag,
    };
    command.mut_args(unless_empty).mut_subcommands(without_empty_variables)
}

/// The same without colours and columns, for the manual.
pub(crate) fn plain_command() -> clap::Command {
    let strip = |text: String| anstream::adapter::strip_str(&text).to_string();
    Cli::command().after_help(strip(after_help()))
}

/// A call that was not understood, or that asked for help.
#[derive(Debug)]
pub(crate) struct Rejection {
    error: Box<clap::Error>,
    format: Format,
    /// Whether it was to be `clarify`, whose errors have a shape of their own.
    is_clarify: bool,
}

impl Rejection {
    /// Prints the help or the complaint and picks the exit code.
    pub(crate) fn tell(self) -> ExitCode {
        let mut ui = Ui::new(self.format);
        if matches!(self.error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            // A reader that went away has read enough.
            let _ = ui.print(&self.error.render().ansi().to_string());
            return ExitCode::SUCCESS;
        }
        let _ = match self.format {
            Format::Human => ui.note(self.error.render().ansi().to_string().trim_end()),
            Format::Json if self.is_clarify => ui.clarify_error(&self.explain()),
            Format::Json => ui.error(&self.explain()),
        };
        exit_code(Kind::Usage)
    }

    /// The complaint without its decoration.
    fn explain(&self) -> hewto_engine::Error {
        let text = self.error.render().to_string();
        let mut paragraphs = text.split("\n\n");
        let message = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        usage(message).hint("run the command with `--help` to see its arguments")
    }
}

/// Takes the workspace off an id that names it: `hewto spec show web:auth` is `hewto --workspace …/web spec show auth`.
fn with_workspace(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_named = |argument: &OsString| argument.to_string_lossy().starts_with("--workspace");
    if arguments.iter().any(is_named) || env::workspace().is_some() {
        return arguments;
    }
    let Ok(here) = env::current_dir() else { return arguments };
    let start = neighbours::at(&here).unwrap_or_else(|| here.clone());
    for at in 2..arguments.len() {
        let is_value = arguments[at - 1].to_string_lossy().starts_with('-');
        let Some(text) = arguments[at].to_str().filter(|text| !is_value && text.contains(':')) else {
            continue;
        };
        if text.contains(char::is_whitespace) {
            continue;
        }
        if let Some((root, id)) = neighbours::qualified(&start, text) {
            arguments[at] = id.into();
            let below = root.strip_prefix(&here).map(Path::to_owned).unwrap_or(root);
            arguments.splice(1..1, ["--workspace".into(), below.into_os_string()]);
            return arguments;
        }
    }
    arguments
}

/// Whether `--json` was typed, even if the rest cannot be parsed.
fn wants_json(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Whether the command is `clarify`, even if its arguments cannot be parsed.
fn is_clarify(arguments: &[OsString]) -> bool {
    let matches = command().ignore_errors(true).try_get_matches_from(arguments);
    matches.is_ok_and(|matches| matches.subcommand_name() == Some("clarify"))
}

/// Whether a word is the name of a command.
pub(crate) fn is_command(name: &str) -> bool {
    GROUPS.iter().any(|(_, names)| names.contains(&name))
}

fn groups(command: &clap::Command) -> String {
    let about = |name: &str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        about.map(ToString::to_string).unwrap_or_default()
    };
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let sections = GROUPS.map(|(title, names)| {
        let rows: Vec<(&str, String)> = names.iter().map(|name| (*name, about(name))).collect();
        section(title, rows.iter().map(|(name, about)| (*name, about.as_str())), width)
    });
    sections.join("\n\n")
}

fn after_help() -> String {
    let width = |rows: &[(&str, &str)]| rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
    format!(
        "{}\n\n{}\n\n{} {EXIT_CODES}",
        section("Examples", EXAMPLES, width(&EXAMPLES)),
        section("Environment", env::ALL, width(&env::ALL)),
        paint(HEADING, "Exit codes:"),
    )
}

/// A heading with two columns under it.
fn section<'a>(title: &str, rows: impl IntoIterator<Item = (&'a str, &'a str)>, width: usize) -> String {
    let mut out = paint(HEADING, &format!("{title}:"));
    for (left, right) in rows {
        let _ = write!(out, "\n  {}  {right}", paint(NAME, &format!("{left:width$}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        command().debug_assert();
    }

    #[test]
    fn the_help_page_shows_every_command_once() {
        let command = command();
        let mut shown: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        shown.sort_unstable();
        known.sort_unstable();
        assert_eq!(shown, known);
    }

    #[test]
    fn what_a_command_is_for_fits_its_line_of_the_help_page() {
        let page = command().render_help().to_string();
        let groups = page.split("Options:").next().expect("a split has a first part");
        for line in groups.lines() {
            assert!(line.chars().count() < 100, "clap would wrap this without aligning it: {line}");
        }
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(groups.contains(&format!("\n  {name} ")), "{name}");
        }
    }

    #[test]
    fn every_argument_explains_itself() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some() || argument.is_hide_set(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
            command.get_subcommands().for_each(check);
        }
        check(&command());
    }

    #[test]
    fn clarify_is_noticed_in_a_call_that_cannot_be_parsed() {
        for (arguments, expected) in [
            (vec!["hewto", "clarify", "start", "--json"], true),
            (vec!["hewto", "--workspace", "x", "clarify", "--nonsense"], true),
            (vec!["hewto", "spec", "new", "clarify", "--nonsense"], false),
            (vec!["hewto", "nonsense"], false),
        ] {
            let typed: Vec<OsString> = arguments.iter().map(Into::into).collect();
            assert_eq!(is_clarify(&typed), expected, "{arguments:?}");
        }
    }

    #[test]
    fn json_is_noticed_in_a_call_that_cannot_be_parsed() {
        for (arguments, expected) in
            [(vec!["hewto", "nonsense", "--json"], true), (vec!["hewto", "--", "--json"], false)]
        {
            let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
            assert_eq!(wants_json(&arguments), expected, "{arguments:?}");
        }
    }
}
