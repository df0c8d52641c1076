//! `hewto completions`: the completion script of a shell.

use clap_complete::Shell;
use serde::Serialize;

use crate::args;
use crate::failure::{Outcome, Verdict};
use crate::ui::Ui;

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Load it in the shell's start-up file, e.g. `source <(hewto completions bash)`.")]
pub(crate) struct Args {
    /// The shell that will load the script
    shell: Shell,
}

#[derive(Debug, Serialize)]
struct ScriptView {
    shell: String,
    script: String,
}

pub(crate) fn run(ui: &mut Ui, args: &Args) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "hewto", &mut script);
    let view = ScriptView {
        shell: args.shell.to_string(),
        script: String::from_utf8(script).expect("completion scripts are made of UTF-8 names"),
    };
    ui.answer(&view, |view| view.script.clone())?;
    Ok(Verdict::Yes)
}
