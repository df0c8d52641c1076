//! `hewto completions`: the script by which a shell asks this program what can follow.
//!
//! The script holds no list of its own. The shell asks the program each time, so ids of specs and changes are completed
//! as they are at that moment.

use clap_complete::env::Shells;
use serde::Serialize;

use crate::env;
use crate::failure::{Outcome, Verdict, machine};
use crate::ui::Ui;

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Commands, flags and the ids of the workspace are completed. Load the script in the shell's start-up file:

  bash        source <(hewto completions bash)
  zsh         source <(hewto completions zsh)
  fish        hewto completions fish | source
  PowerShell  hewto completions powershell | Out-String | Invoke-Expression")]
pub(crate) struct Args {
    /// The shell that will load the script
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(["bash", "elvish", "fish", "powershell", "zsh"]))]
    shell: String,
}

#[derive(Debug, Serialize)]
struct ScriptView {
    shell: String,
    script: String,
}

pub(crate) fn run(ui: &mut Ui, args: &Args) -> Outcome {
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell).expect("only names of known shells get through");
    let mut script = Vec::new();
    shell
        .write_registration(env::COMPLETE, "hewto", "hewto", &env::program()?, &mut script)
        .map_err(|error| machine("cannot make the script", error))?;
    let view =
        ScriptView { shell: args.shell.clone(), script: String::from_utf8_lossy(&script).into_owned() };
    ui.answer_verbatim(&view, |view| view.script.clone())?;
    Ok(Verdict::Yes)
}
