//! A person who lets something pass that is not proven: asked as for an approval, on a terminal, with a code to retype.

use std::path::PathBuf;

use hewto_engine::proof::{Concession, Person};
use hewto_engine::review::Channel;
use hewto_engine::{Error, Key, Kind, Result, Workspace};

use crate::place::context;
use crate::ui::Tty;
use crate::{env, sign};

/// Who decides, and by which key.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Decider {
    /// Who you are, if not the user of this session
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Sign with this SSH key, where the gates want a signature; a security key has to be touched
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
}

impl Decider {
    /// Shows what would pass and asks for a code. `what` and `command` are for whoever cannot be asked.
    pub(crate) fn confirm(
        &self,
        workspace: &Workspace,
        (what, command): (&str, &str),
        shown: &str,
        concession: &Concession<'_>,
    ) -> Result<Person> {
        let mut tty = Tty::for_a_person(what, command)?;
        let channel = match &self.sign {
            Some(key) => sign::channel_of(key)?,
            None => Channel::Terminal,
        };
        let name = self.name.clone().unwrap_or_else(env::user);
        tty.show(shown)?;
        let code = context().uuid().simple().to_string()[..6].to_owned();
        if tty.ask(&format!("To record this as {name}, type {code}:"))?.as_deref() != Some(code.as_str()) {
            let message = "the code was not typed; nothing was recorded";
            return Err(
                Error::new(Kind::Refused, Key::NotConfirmed, message).hint(format!("run `{command}` again"))
            );
        }
        let signature = match &self.sign {
            Some(key) => Some(sign::sign(key, &concession.statement(workspace), workspace.root())?),
            None => None,
        };
        Ok(Person { signature, ..Person::new(name, channel) })
    }
}
