//! `hewto client-config`: what to write into an agent's configuration so that it knows this workspace.
//!
//! Standard output carries the configuration and nothing else; where it belongs is said on standard error.

use clap::builder::{PossibleValue, PossibleValuesParser};
use hewto_engine::client::{Agent, Connection, client_config};

use super::serve::DEFAULT_ADDRESS;
use crate::env;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::Place;
use crate::ui::{Format, Ui};

/// Print the configuration that connects an agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Standard output is the configuration alone; merge it into the file named on standard error. The agent starts the server \
itself, unless --http names one that runs already (`hewto serve --http`).")]
pub(crate) struct Args {
    /// The agent to connect
    #[arg(value_name = "CLIENT", required_unless_present = "http", value_parser = PossibleValuesParser::new(Agent::all().map(known)))]
    client: Option<String>,
    /// Connect to a running server at this address or URL [default: 127.0.0.1:7420]
    #[arg(long, value_name = "ADDR|URL", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS, hide_default_value = true)]
    http: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let (client, http) = args.chosen()?;
    let reach = match http {
        Some(address) => Connection::Http { url: endpoint(address) },
        None => Connection::Stdio { command: env::program()?, args: client.serve_args(&root(place)) },
    };
    let view = client_config(client, &reach);
    if ui.format() == Format::Human {
        ui.note(format_args!("{client}: merge this into {}", view.file))?;
        if let Some(note) = &view.note {
            ui.note(note)?;
        }
    }
    ui.answer_verbatim(&view, |view| view.config.clone())?;
    Ok(Verdict::Yes)
}

impl Args {
    /// The client and the address. `--http CLIENT` reads as an address that is a client's name, and is meant otherwise.
    fn chosen(&self) -> Outcome<(Agent, Option<&str>)> {
        let http = self.http.as_deref();
        if let Some(client) = self.client.as_deref().and_then(by_name) {
            return Ok((client, http));
        }
        let client = http.and_then(by_name).ok_or_else(|| {
            let names = Agent::all().map(Agent::name).collect::<Vec<_>>().join("`, `");
            usage("no client is named").hint(format!("name one of `{names}`"))
        })?;
        Ok((client, Some(DEFAULT_ADDRESS)))
    }
}

fn known(agent: Agent) -> PossibleValue {
    PossibleValue::new(agent.name()).aliases(agent.aliases())
}

fn by_name(name: &str) -> Option<Agent> {
    name.parse().ok()
}

/// The URL of the protocol at an address; a URL is taken as it is.
fn endpoint(address: &str) -> String {
    if address.contains("://") { address.to_owned() } else { format!("http://{address}/mcp") }
}

/// The workspace to name: the one that was found, else the folder where it is looked for.
fn root(place: &Place) -> String {
    let root = match place.workspace() {
        Ok(workspace) => workspace.root().to_owned(),
        Err(_) => place.start().to_owned(),
    };
    root.to_string_lossy().into_owned()
}
