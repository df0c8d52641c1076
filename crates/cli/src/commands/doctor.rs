//! `hewto doctor`: is everything sound, and does each agent's server answer?
//!
//! Servers are started exactly as the agents' files say, but only if what they start is hewto: a repository from elsewhere
//! must not get to run a program of its own by being examined.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hewto_engine::doctor::{self, DoctorView, Examiner, Probe, Status};
use hewto_engine::install::ConfiguredServer;
use serde_json::json;

use crate::act;
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::mcp_client::{Client, Launch, Stderr};
use crate::place::{Place, context};
use crate::ui::{BAD, DIM, GOOD, NAME, Ui, WARN, count, one_line, paint};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Check workspace, machine and agents, with a fix for each finding
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Looks at workspace, layout, documents, logs, lock, journal, index, git and each agent's configuration, and starts each configured \
server as the agent would, to ask it for its tools. Exits with 1 when there is an error.

Examples:
  hewto doctor          say what is wrong and what to do
  hewto doctor --fix    mend what needs no judgement, then look again
  hewto doctor --json   for scripts")]
pub(crate) struct Args {
    /// Mend what can be mended without judgement, then look again
    #[arg(long)]
    fix: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let examiner =
        Examiner { probe: &probe, has_git: env::find_program("git").is_some(), command: env::program()? };
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

fn probe(server: &ConfiguredServer, root: &Path) -> Probe {
    let folder = server.cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd));
    let program = match Path::new(&server.command) {
        path if path.components().count() > 1 => Some(folder.join(path)).filter(|path| path.is_file()),
        _ => env::find_program(&server.command),
    };
    let Some(program) = program else { return Probe::Missing };
    if let Err(why) = check_that_it_is_ours(server, &program, root) {
        return Probe::NotStarted(why.to_owned());
    }
    let launch = Launch {
        program,
        args: server.args.iter().map(Into::into).collect(),
        folder,
        env: server
            .env
            .iter()
            .map(|(name, value)| (name.clone(), Some(value.clone())))
            .collect::<BTreeMap<_, _>>(),
        stderr: Stderr::Dropped,
        patience: PATIENCE,
    };
    let counted = Client::start(&launch).and_then(|mut client| {
        let tools = client.count_tools()?;
        client.end()?;
        Ok(tools)
    });
    match counted {
        Ok(tools) => Probe::Answers { tools },
        Err(error) => Probe::Silent(error.to_string()),
    }
}

fn check_that_it_is_ours(server: &ConfiguredServer, program: &Path, root: &Path) -> Result<(), &'static str> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (file, own): (PathBuf, Option<PathBuf>) =
        (real(program), std::env::current_exe().ok().map(|own| real(&own)));
    let is_this = own.as_ref() == Some(&file);
    if !is_this && file.file_stem() != Some("hewto".as_ref()) {
        return Err("it is another program");
    }
    if !is_this && file.starts_with(root) {
        return Err("it is a program of the repository itself");
    }
    if !matches!(server.args.first().map(String::as_str), Some("serve" | "mcp")) {
        return Err("it is not told to `serve`");
    }
    let steers_the_loader = |name: &String| name.starts_with("LD_") || name.starts_with("DYLD_");
    if server.env.keys().any(steers_the_loader) {
        return Err("its environment changes how programs are loaded");
    }
    if server.args.iter().chain(&server.cwd).any(|text| text.contains("${")) {
        return Err("it uses a variable that only the agent knows");
    }
    Ok(())
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
