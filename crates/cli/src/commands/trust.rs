//! `hewto trust`: the owner of this machine says what this repository may do on it.

use std::fmt::Write as _;
use std::path::PathBuf;

use hewto_engine::decision::Climb;
use hewto_engine::gate::{Lowering, lowering};
use hewto_engine::review::Channel;
use hewto_engine::trust::{self, Request, TrustState};
use hewto_engine::view::{TrustSubjectView, TrustView};
use hewto_engine::{Context, Key, Result, Workspace};
use serde_json::json;

use crate::act;
use crate::env;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::{Place, context};
use crate::sign;
use crate::ui::{BAD, DIM, Format, GOOD, NAME, Tty, Ui, WARN, one_line, paint, visible};

/// Let this repository run its code and contact its hosts on this machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A repository's own build and tests, the commands of [workstation] in its configuration, the checks of .hewto/proof.toml and the \
hosts that it names do nothing on this machine until you have trusted them here. This shows them, in a terminal, and asks. \
What changes afterwards is off until it is trusted again; gates never fall below what was trusted.

Where there is no terminal, commands that run checks take --trust DIGEST instead (see `hewto trust --status`). An agent cannot \
trust anything: it is refused where its variables are set, and no tool does it.

Examples:
  hewto trust            show what is asked for, and decide
  hewto trust --status   what is trusted, with digests (exit 1 when something is not)
  hewto trust --revoke   take everything back")]
pub(crate) struct Args {
    /// Show what is trusted and what is not, and change nothing
    #[arg(long, conflicts_with = "revoke")]
    status: bool,
    /// Take all trust back; gates stay as strict as they were
    #[arg(long)]
    revoke: bool,
    /// Trust this https host too; may be repeated
    #[arg(long, value_name = "URL", conflicts_with_all = ["status", "revoke"])]
    host: Vec<String>,
    /// Sign with this SSH key, where a gate is lowered that wants a signature
    #[arg(long, value_name = "KEY", conflicts_with_all = ["status", "revoke"])]
    sign: Option<PathBuf>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let trust = env::trust();
    let (request, workspace) = request(place)?;
    if args.status {
        let view = trust::status(&trust, &request)?;
        ui.answer(&view, show)?;
        return Ok(if view.is_complete() { Verdict::Yes } else { Verdict::No });
    }
    if args.revoke {
        let view = noted(place, workspace.as_ref(), "trust --revoke", &request, |_| {
            trust::revoke(&trust, &request)
        })?;
        ui.answer(&view, |view| {
            format!("nothing is trusted any more: {}\n{}", one_line(&view.root), show(view))
        })?;
        return Ok(Verdict::Yes);
    }
    let hosts = args.host.iter().map(|url| origin(url)).collect::<Result<Vec<_>>>()?;
    let before = trust::status(&trust, &request)?;
    let mut tty = Tty::for_a_person("trusting a repository", "hewto trust")?;
    if before.is_complete() && hosts.iter().all(|host| before.hosts.iter().any(|known| known.host == *host)) {
        ui.answer(&before, |view| format!("everything is trusted already: {}\n", one_line(&view.root)))?;
        return Ok(Verdict::Yes);
    }
    let lowering = match &workspace {
        Some(workspace) => lowering(workspace, &context())?,
        None => None,
    };
    if let (Some(workspace), Some(lowering)) = (&workspace, &lowering) {
        let (channel, signature) = match &args.sign {
            Some(key) => {
                let signature = sign::sign(key, lowering.statement(), workspace.root())?;
                (sign::channel_of(key)?, Some(signature))
            }
            None => (Channel::Terminal, None),
        };
        lowering.require(workspace, &context(), channel, signature.as_deref())?;
    }
    tty.show(&question(&before, &hosts, lowering.as_ref()))?;
    if !tty.agrees("Trust this on this machine?")? {
        if ui.format() == Format::Human {
            ui.print("nothing was trusted")?;
        }
        return Ok(Verdict::No);
    }
    let view = noted(place, workspace.as_ref(), "trust", &request, |ctx| {
        trust::accept(&trust, &request, &hosts, ctx)
    })?;
    ui.answer(&view, show)?;
    Ok(Verdict::Yes)
}

/// What is asked for by the workspace here or, without one, by the folder.
fn request(place: &Place) -> Result<(Request, Option<Workspace>)> {
    match place.workspace() {
        Ok(workspace) => Ok((Request::of(&workspace, &context())?, Some(workspace))),
        Err(error) if error.key == Key::WorkspaceNotFound && place.start().is_dir() => {
            Ok((Request::of_folder(place.start()), None))
        }
        Err(error) => Err(error),
    }
}

/// Decides, and notes it in the log of the workspace, or of the git repository, where there is one.
fn noted(
    place: &Place,
    workspace: Option<&Workspace>,
    command: &str,
    request: &Request,
    decide: impl FnOnce(&Context) -> Result<TrustView>,
) -> Result<TrustView> {
    let inputs = json!({ "digests": request.digests() });
    match (workspace, place.repository(None, Climb::Up)) {
        (Some(workspace), _) => act::in_workspace(workspace, command, inputs, decide),
        (None, Ok(repository)) => act::in_repository(&repository, command, inputs, decide),
        (None, Err(_)) => decide(&context()),
    }
}

fn origin(url: &str) -> Result<String> {
    let named = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    trust::origin_of(&named).ok_or_else(|| {
        usage(format!("`{}` is not an https host", url.escape_debug()))
            .hint("write it as `example.org` or `https://example.org:8443`")
    })
}

/// Everything that a person has to see before they agree.
fn question(view: &TrustView, more_hosts: &[String], lowering: Option<&Lowering>) -> String {
    let mut out = format!("{} asks to do this on this machine, with your rights:\n", view.root);
    for subject in &view.subjects {
        if !subject.is_trusted() && subject.standing != TrustState::Gone {
            let _ = writeln!(out, "\n{}", asked(subject));
        }
    }
    for host in view.hosts.iter().filter(|host| !host.trusted) {
        let by = host.named_by.as_deref().unwrap_or_default();
        let _ = writeln!(out, "\n* contact {} (named by {by})", host.host);
    }
    for host in more_hosts {
        let _ = writeln!(out, "\n* contact {host}");
    }
    if let Some(lowering) = lowering {
        let _ = writeln!(out, "\n! This lowers {}.", lowering.what.join(", "));
    }
    out.push_str(
        "\nWhoever can write here, agents included, can then run any program through its build and its tests.\n",
    );
    out
}

fn asked(subject: &TrustSubjectView) -> String {
    let mut out = String::new();
    let what = match subject.subject.as_str() {
        "workstation" if subject.text.is_empty() => {
            "* run its own build and tests for agents (ci_build, ci_test, ci_restore); it names no other commands"
        }
        "workstation" => {
            "* run its own build and tests for agents (ci_build, ci_test, ci_restore), and what this allows:"
        }
        _ => "* run the checks and hold the gates of .hewto/proof.toml:",
    };
    let _ = writeln!(out, "{what}");
    let text = match &subject.changes {
        Some(changes) => {
            let at = subject.trusted_at.as_deref().unwrap_or_default();
            let _ = writeln!(out, "  (changed since {at}; all of it, then what changed)");
            format!("{}\n{changes}", subject.text)
        }
        None => subject.text.clone(),
    };
    for line in text.lines() {
        let _ = writeln!(out, "    {line}");
    }
    let _ = write!(out, "  digest {}", subject.digest.as_deref().unwrap_or_default());
    out
}

fn show(view: &TrustView) -> String {
    let mut out = String::new();
    for subject in &view.subjects {
        let (word, style) = match subject.standing {
            TrustState::Trusted => ("trusted    ", GOOD),
            TrustState::Changed => ("changed    ", WARN),
            TrustState::Gone => ("gone       ", WARN),
            TrustState::Untrusted => ("not trusted", BAD),
        };
        let name = match subject.subject.as_str() {
            "workstation" => "run builds, tests and [workstation]",
            _ => ".hewto/proof.toml",
        };
        let digest = subject.digest.as_deref().or(subject.trusted_digest.as_deref()).unwrap_or_default();
        let _ = writeln!(out, "{}  {}  {}", paint(style, word), paint(NAME, name), paint(DIM, digest));
    }
    for host in &view.hosts {
        let (word, style) = if host.trusted { ("trusted    ", GOOD) } else { ("not trusted", BAD) };
        let _ = writeln!(out, "{}  {}", paint(style, word), paint(NAME, &visible(&host.host)));
    }
    if !view.is_complete() {
        let _ = writeln!(out, "{}", paint(DIM, "run `hewto trust` in a terminal to look at it and decide"));
    }
    out
}
