//! `hewto demo`: a small project in the middle of its work, and the journey of one change through the MCP server.
//!
//! The server is this same program, started the way an agent's host starts it and spoken to over its standard streams,
//! so what is shown is what an agent gets. [`sample`] is the project, [`story`] the script, [`disk`] watches the files.

mod disk;
mod prove;
mod sample;
mod story;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use hewto_engine::{Error, Key, Kind, Result, Start, Workspace};
use serde::Serialize;

use self::disk::Watch;
use self::sample::Sample;
use self::story::{Scene, Teller};
use crate::actions::quoted;
use crate::env;
use crate::failure::{Outcome, Verdict, machine};
use crate::mcp_client::{Client, Launch};
use crate::place::absolute;
use crate::ui::{BAD, DIM, Format, GOOD, HEADING, NAME, Ui, WARN, one_line, paint};

/// See the whole journey of a change in a throw-away project
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Makes a small sample project (specs, two changes that collide, a plan half built, a spec that waits for another, a decision, \
a document that cannot be read) and takes one change from a vague wish to the archive through the MCP server, showing each \
call, what came back and what changed on disk. Works offline, without a model; the project is kept so that you can look \
around in it.")]
pub(crate) struct Args {
    /// The folder to use, absent or empty [default: a new temporary folder]
    dir: Option<PathBuf>,
}

/// How much of the arguments and of an answer is shown.
const ARGUMENT_CHARS: usize = 200;
const ANSWER_CHARS: usize = 160;

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
    let root = make_folder(args.dir.as_deref())?;
    sample::lay_out(&root)?;
    let mut client = Client::start(&Launch::own(&program, &root))?;
    let sample = sample::bring_to_life(&mut client)?;
    let format = ui.format();
    if format == Format::Human {
        ui.print(&opening(&root))?;
    }

    let mut watch = Watch::new(&root);
    watch.look()?;
    let mut steps = Vec::new();
    let show = |scene: Scene| {
        if format == Format::Human {
            ui.print(&show(steps.len() + 1, &scene))?;
        }
        steps.push(scene);
        Ok(())
    };
    let mut teller =
        Teller { client: &mut client, watch, root: root.clone(), program: program.clone(), show, phase: "" };
    story::tell(&mut teller)?;
    client.end()?;

    let next = commands_to_try(&program, &sample);
    match format {
        Format::Human => ui.print(&closing(&root, &next))?,
        Format::Json => {
            let next = next.into_iter().map(|(command, _)| command).collect();
            ui.json(&DemoView { workspace: root.display().to_string(), steps, next })?;
        }
    }
    Ok(Verdict::Yes)
}

fn make_folder(dir: Option<&Path>) -> Result<PathBuf> {
    match dir {
        Some(dir) => empty_folder(&absolute(dir)?),
        None => tempfile::Builder::new()
            .prefix("hewto-demo-")
            .tempdir()
            .map(tempfile::TempDir::keep)
            .map_err(|error| machine("cannot make a temporary folder", error)),
    }
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
    Error::new(Kind::Refused, Key::FolderInUse, message)
        .hint("name a folder that does not exist yet, or none at all for a temporary one")
}

/// What to run next, spelled so that it can be pasted, and what it shows.
fn commands_to_try(program: &Path, sample: &Sample) -> Vec<(String, &'static str)> {
    let hewto =
        if env::is_on_path("hewto") { "hewto".to_owned() } else { quoted(&program.display().to_string()) };
    [
        ("status".to_owned(), "where everything stands and what is next"),
        ("change overlaps".to_owned(), "two changes that collide"),
        (format!("spec deps {}", sample.waiting), "what a blocked spec waits for"),
        ("validate".to_owned(), "the broken document, with its line and a fix"),
        ("log --limit 5".to_owned(), "what the agent did, call by call"),
        ("ui".to_owned(), "all of it in a browser: the board, reviews, the graph"),
    ]
    .map(|(command, about)| (format!("{hewto} {command}"), about))
    .into()
}

fn opening(root: &Path) -> String {
    format!(
        "{} {}\n{}\n\n",
        paint(HEADING, "A small shop, in the middle of its work:"),
        root.display(),
        paint(
            DIM,
            "→ a call to the MCP server   ← its answer   + a new file   ~ a changed one   - one that is gone"
        )
    )
}

fn show(number: usize, scene: &Scene) -> String {
    let title = format!("{number}. {}: {}", scene.phase, scene.about);
    let mut out = format!("{}\n", paint(HEADING, &title));
    let arguments = cut(&scene.arguments.to_string(), ARGUMENT_CHARS);
    let _ = writeln!(out, "   → {} {}", paint(NAME, scene.tool), one_line(&arguments));
    match &scene.refusal {
        None => {
            let result = scene.result.as_ref().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "   ← {}", one_line(&cut(&result, ANSWER_CHARS)));
        }
        Some(refusal) => {
            let text = |key: &str| refusal.get(key).and_then(|value| value.as_str()).unwrap_or_default();
            let title = format!("refused: {}", text("error"));
            let _ = writeln!(out, "   ← {}: {}", paint(BAD, &title), one_line(text("message")));
            let _ = writeln!(out, "     hint: {}", one_line(text("hint")));
        }
    }
    for (mark, style, files) in
        [("+", GOOD, &scene.created), ("~", WARN, &scene.changed), ("-", BAD, &scene.removed)]
    {
        for file in files {
            let _ = writeln!(out, "   {} {}", paint(style, mark), one_line(file));
        }
    }
    out.push('\n');
    out
}

fn closing(root: &Path, next: &[(String, &str)]) -> String {
    let mut out = format!(
        "{}\n",
        paint(GOOD, "From a wish to the archive, and every step is a file. The project is kept; try:")
    );
    let _ = writeln!(out, "  cd {}", quoted(&root.display().to_string()));
    let width = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    for (command, about) in next {
        let _ = writeln!(out, "  {command:width$}  {}", paint(DIM, &format!("# {about}")));
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
