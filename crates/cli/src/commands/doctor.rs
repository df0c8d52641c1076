//! `hewto doctor`: is everything sound, and does each agent's server answer?
//!
//! The agents' files come with the repository, so nothing in them is started: what they say is compared, in words, with
//! this program, and this program alone is tried.

use std::cell::OnceCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hewto_engine::doctor::{self, DoctorView, Examiner, Probe, Status};
use hewto_engine::install::ConfiguredServer;
use serde_json::json;

use crate::act;
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::mcp_client::Launch;
use crate::mcp_probe::{self, Target};
use crate::place::{Place, context};
use crate::ui::{BAD, DIM, GOOD, NAME, Ui, WARN, count, one_line, paint};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Check workspace, machine and agents, with a fix for each finding
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Looks at workspace, layout, documents, logs, lock, journal, index, git and each agent's configuration, compares the \
commands in them with this program, and starts this program, and no other, to ask it for its tools. Exits with 1 when there is an error.

Examples:
  hewto doctor          say what is wrong and what to do
  hewto doctor --fix    fix what needs no judgement, then look again
  hewto doctor --json   for scripts")]
pub(crate) struct Args {
    /// Fix what can be fixed without judgement, then look again
    #[arg(long)]
    fix: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let own = OnceCell::new();
    let examiner = Examiner {
        probe: &|server, root| probe(server, root, &own),
        has_git: env::find_program("git").is_some(),
        command: env::program()?,
        personal: env::personal(),
    };
    let view = match place.workspace() {
        Ok(workspace) if args.fix => {
            act::in_workspace(&workspace, "doctor", json!({ "fix": true }), |ctx| {
                Ok(doctor::mend(place.look_from(), ctx, &examiner))
            })?
        }
        _ => doctor::examine(place.look_from(), &context(), &examiner),
    };
    ui.answer(&view, render)?;
    Ok(if view.healthy { Verdict::Yes } else { Verdict::No })
}

/// What an agent's configuration would start, judged by its words. The only program that is started is this one, and what
/// the file says does not reach it.
fn probe(server: &ConfiguredServer, root: &Path, own: &OnceCell<Probe>) -> Probe {
    let folder = server.cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd));
    let program = match Path::new(&server.command) {
        path if path.components().count() > 1 => Some(folder.join(path)).filter(|path| path.is_file()),
        _ => env::find_program(&server.command),
    };
    let Some(program) = program else { return Probe::Missing };
    match compare(server, &program, root) {
        Ok(()) => own.get_or_init(|| start_own(root)).clone(),
        Err(why) => Probe::NotStarted(why),
    }
}

/// Starts this program as a server of the workspace, with nothing of the configuration and nothing of the environment, and
/// looks at it as hosts do.
fn start_own(root: &Path) -> Probe {
    let checked = Launch::scrubbed(root, PATIENCE).and_then(|(launch, _folder)| {
        let env = launch.env.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let target = Target {
            program: launch.program.into(),
            args: launch.args,
            folder: launch.folder,
            env: Some(env),
            patience: launch.patience,
        };
        mcp_probe::check(&target)
    });
    match checked {
        Ok(view) if view.ok => Probe::Answers { tools: view.tools },
        Ok(view) => {
            let refused = view.findings.into_iter().next().map(|finding| finding.message);
            Probe::Silent(format!("hosts would refuse it: {}", refused.unwrap_or_default()))
        }
        Err(error) => Probe::Silent(error.to_string()),
    }
}

/// Flags that choose what the server offers, and lead it nowhere else. The first have a value.
const PLAIN_FLAGS: [&[&str]; 2] =
    [&["--toolsets", "--tools", "--profile"], &["--read-only", "--debug", "--stdio"]];
/// The same as variables.
const PLAIN_VARIABLES: [&str; 6] =
    [env::TOOLSETS, env::TOOLS, env::READ_ONLY, env::PROFILE, env::LOG, "NO_COLOR"];

/// Whether the words of a configuration mean this program as a server of this workspace; else what they mean.
fn compare(server: &ConfiguredServer, program: &Path, root: &Path) -> Result<(), String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (file, own): (PathBuf, Option<PathBuf>) =
        (real(program), std::env::current_exe().ok().map(|own| real(&own)));
    if own.as_ref() != Some(&file) {
        return Err(if file.starts_with(real(root)) {
            "it is a program of the repository itself".to_owned()
        } else if file.file_stem() == Some("hewto".as_ref()) {
            format!("it is another hewto than this one: `{}`", file.display())
        } else {
            "it is another program".to_owned()
        });
    }
    let mut words = server.args.iter().map(String::as_str);
    if !matches!(words.next(), Some("serve" | "mcp")) {
        return Err("it is not told to `serve`".to_owned());
    }
    if server.args.iter().chain(&server.cwd).any(|text| text.contains("${")) {
        return Err("it uses a variable that only the agent knows".to_owned());
    }
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        if PLAIN_FLAGS[1].contains(&name) {
            continue;
        }
        // The value stands behind the `=`, or comes next.
        let value = value.or_else(|| words.next()).unwrap_or_default();
        let is_here = || name == "--workspace" && real(&root.join(value)) == real(root);
        if !PLAIN_FLAGS[0].contains(&name) && !is_here() {
            return Err(format!("`{name}` leads it elsewhere"));
        }
    }
    let steers_the_loader = |name: &String| name.starts_with("LD_") || name.starts_with("DYLD_");
    if server.env.keys().any(steers_the_loader) {
        return Err("its environment changes how programs are loaded".to_owned());
    }
    match server.env.keys().find(|name| !PLAIN_VARIABLES.contains(&name.as_str())) {
        Some(name) => Err(format!("its environment sets `{name}`")),
        None => Ok(()),
    }
}

fn render(view: &DoctorView) -> String {
    let mut out = String::new();
    for line in &view.fixed {
        let _ = writeln!(out, "{} {}", paint(GOOD, "fixed"), one_line(line));
    }
    let width = view.findings.iter().map(|finding| finding.check.chars().count()).max().unwrap_or(0);
    for finding in &view.findings {
        let (mark, style) = match finding.status {
            Status::Ok => ("ok     ", GOOD),
            Status::Warning => ("warning", WARN),
            Status::Error => ("error  ", BAD),
        };
        let check = paint(NAME, &format!("{:width$}", finding.check));
        let _ = writeln!(out, "{}  {check}  {}", paint(style, mark), one_line(&finding.message));
        if let Some(fix) = &finding.fix {
            let _ =
                writeln!(out, "{}{}", " ".repeat(width + 11), paint(DIM, &format!("fix: {}", one_line(fix))));
        }
    }
    let number = |status| view.findings.iter().filter(|finding| finding.status == status).count();
    let (errors, warnings) = (number(Status::Error), number(Status::Warning));
    let verdict = match (errors, warnings) {
        (0, 0) => paint(GOOD, "all is well"),
        (0, _) => paint(WARN, &count(warnings, "warning")),
        _ => paint(BAD, &format!("{}, {}", count(errors, "error"), count(warnings, "warning"))),
    };
    let _ = writeln!(out, "\n{verdict}");
    out
}
