//! `hewto demo`: a throw-away workspace, and the whole journey of a spec through the MCP server.
//!
//! The server is this same program, started the way an agent's host starts it and spoken to over its standard
//! streams, so what is shown is what an agent gets. [`story`] is the script, [`client`] speaks, [`disk`] watches.

mod client;
mod disk;
mod story;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use hewto_engine::init::{self, InitOptions};
use hewto_engine::{Error, Kind, LayoutKind, Result, Start, Workspace};
use serde::Serialize;

use self::client::Client;
use self::disk::Watch;
use self::story::{Journey, Scene};
use crate::env;
use crate::failure::{Outcome, Verdict, machine};
use crate::place::{absolute, context};
use crate::ui::{BAD, DIM, Format, GOOD, HEADING, NAME, Ui, WARN, one_line, paint};

/// See the whole journey of a spec in a throw-away workspace
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Makes a sample workspace and takes a spec from draft to done through the MCP server, showing each call, what came back \
and what changed on disk. Works offline; the workspace is kept so that you can look around in it.")]
pub(crate) struct Args {
    /// The folder to use, absent or empty [default: a new temporary folder]
    dir: Option<PathBuf>,
}

/// How much of the arguments and of an answer is shown.
const ARGUMENT_CHARS: usize = 200;
const ANSWER_CHARS: usize = 110;

/// The whole demonstration.
#[derive(Debug, Serialize)]
struct DemoView {
    workspace: String,
    steps: Vec<Scene>,
    /// Commands to go on with, to be run in the workspace
    #[serde(rename = "try")]
    next: Vec<String>,
}

pub(crate) fn run(ui: &mut Ui, args: &Args) -> Outcome {
    let program =
        std::env::current_exe().map_err(|error| machine("cannot find this program's own file", error))?;
    let workspace = make_workspace(args.dir.as_deref())?;
    let root = workspace.root().to_owned();
    let format = ui.format();
    if format == Format::Human {
        ui.print(&opening(&root))?;
    }

    let mut journey = Journey::new(Client::start(&program, &root)?, Watch::new(&workspace));
    let mut steps = Vec::new();
    let login = story::tell(&mut journey, |scene| {
        if format == Format::Human {
            ui.print(&show(steps.len() + 1, &scene))?;
        }
        steps.push(scene);
        Ok(())
    })?;
    journey.end()?;

    let next = commands_to_try(&program, &login);
    match format {
        Format::Human => ui.print(&closing(&root, &next))?,
        Format::Json => ui.json(&DemoView { workspace: root.display().to_string(), steps, next })?,
    }
    Ok(Verdict::Yes)
}

fn make_workspace(dir: Option<&Path>) -> Result<Workspace> {
    let root = match dir {
        Some(dir) => empty_folder(&absolute(dir)?)?,
        None => tempfile::Builder::new()
            .prefix("hewto-demo-")
            .tempdir()
            .map(tempfile::TempDir::keep)
            .map_err(|error| machine("cannot make a temporary folder", error))?,
    };
    let options = InitOptions {
        layout: LayoutKind::Native,
        name: Some("hewto demo".to_owned()),
        description: Some("A small web shop that wants a login".to_owned()),
    };
    let made = init::init(&root, &context(), &options)?;
    if !made.created {
        // Only a temporary folder comes here: one that the user named has been looked at.
        return Err(refused(format!("temporary folders are in a workspace: {}", made.root)));
    }
    Workspace::discover(Start::Here(&root))
}

/// Makes sure that nothing of the user's is in the way, before anything is made.
fn empty_folder(dir: &Path) -> Result<PathBuf> {
    let there = dir.ancestors().find(|path| path.exists()).unwrap_or(dir);
    if !there.is_dir() {
        return Err(refused(format!("this is a file: {}", there.display())));
    }
    if let Ok(workspace) = Workspace::discover(Start::Here(there)) {
        return Err(refused(format!("this folder is in a workspace: {}", workspace.root().display())));
    }
    fs_err::create_dir_all(dir).map_err(|error| machine("cannot make the folder", error))?;
    let mut entries = fs_err::read_dir(dir).map_err(|error| machine("cannot look into the folder", error))?;
    match entries.next() {
        None => Ok(dir.to_owned()),
        Some(_) => Err(refused(format!("the folder is not empty: {}", dir.display()))),
    }
}

fn refused(message: String) -> Error {
    Error::new(Kind::Refused, "folder_in_use", None, message)
        .hint("name a folder that does not exist yet, or none at all for a temporary one")
}

/// What to run next, spelled so that it can be pasted.
fn commands_to_try(program: &Path, spec_id: &str) -> Vec<String> {
    let hewto =
        if env::is_on_path("hewto") { "hewto".to_owned() } else { quoted(&program.display().to_string()) };
    [
        "spec list".to_owned(),
        format!("spec show {spec_id}"),
        format!("plan show {spec_id}"),
        "log --limit 5".to_owned(),
        "validate --strict".to_owned(),
    ]
    .map(|command| format!("{hewto} {command}"))
    .into()
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let plain = |ch: char| ch.is_alphanumeric() || "/._-+~@".contains(ch);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

fn opening(root: &Path) -> String {
    format!(
        "{} {}\n{}\n\n",
        paint(HEADING, "A sample workspace:"),
        root.display(),
        paint(DIM, "→ a call to the MCP server   ← its answer   + a new file   ~ a changed file")
    )
}

fn show(number: usize, scene: &Scene) -> String {
    let mut out = format!("{}\n", paint(HEADING, &format!("{number}. {}", scene.about)));
    let arguments = cut(&scene.arguments.to_string(), ARGUMENT_CHARS);
    let _ = writeln!(out, "   → {} {}", paint(NAME, scene.tool), one_line(&arguments));
    match &scene.refusal {
        None => {
            let result = scene.result.as_ref().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "   ← {}", one_line(&cut(&result, ANSWER_CHARS)));
        }
        Some(refusal) => {
            let text = |key: &str| refusal.get(key).and_then(|value| value.as_str()).unwrap_or_default();
            let code = refusal.get("code").map(ToString::to_string).unwrap_or_default();
            let title = format!("refused: {} ({code})", text("error"));
            let _ = writeln!(out, "   ← {} {}", paint(BAD, &title), one_line(text("message")));
            let _ = writeln!(out, "     hint: {}", one_line(text("hint")));
        }
    }
    for file in &scene.created {
        let _ = writeln!(out, "   {} {}", paint(GOOD, "+"), one_line(file));
    }
    for file in &scene.changed {
        let _ = writeln!(out, "   {} {}", paint(WARN, "~"), one_line(file));
    }
    out.push('\n');
    out
}

fn closing(root: &Path, next: &[String]) -> String {
    let mut out =
        format!("{}\n", paint(GOOD, "Both specs went from draft to done. The workspace is kept; try:"));
    let _ = writeln!(out, "  cd {}", quoted(&root.display().to_string()));
    for command in next {
        let _ = writeln!(out, "  {command}");
    }
    out
}

/// The beginning of a long JSON text, cut between two values.
fn cut(json: &str, chars: usize) -> String {
    match json.char_indices().nth(chars) {
        Some((end, _)) => {
            let whole = json[..end].rfind(',').map_or(end, |comma| comma + 1);
            format!("{} …", &json[..whole])
        }
        None => json.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_only_where_a_shell_needs_it() {
        for (path, expected) in [
            ("/tmp/a-b_c.d", "/tmp/a-b_c.d"),
            ("/tmp/my dir", "'/tmp/my dir'"),
            ("/tmp/it's", "'/tmp/it'\\''s'"),
        ] {
            assert_eq!(quoted(path), expected);
        }
    }

    #[test]
    fn long_json_is_cut_between_two_values() {
        for (chars, expected) in [(8, r#"{"a":1, …"#), (16, r#"{"a":1, …"#), (17, r#"{"a":1,"größe":2}"#)]
        {
            assert_eq!(cut(r#"{"a":1,"größe":2}"#, chars), expected);
        }
        assert_eq!(cut("ßßßß", 2), "ßß …");
    }
}
