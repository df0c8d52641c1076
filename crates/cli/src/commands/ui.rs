//! `hewto ui`: the dashboard of one or several workspaces, in a browser.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::process::{Command, Stdio};

use hewto_engine::{Error, Key, Kind};
use hewto_http::{HttpOptions, HttpServer};
use hewto_web::SignInLinks;
use tokio::runtime;

use super::serve::{Signals, dashboard, run_to_the_end};
use crate::args::Globals;
use crate::env;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::program;
use crate::ui::Ui;

/// Where the pages are unless told otherwise; the next ports are tried when it is taken.
const FIRST_PORT: u16 = 7420;
const PORTS: u16 = 16;
/// What opens an address in the user's browser.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];
/// What a workspace without a name is called.
const DEFAULT_NAME: &str = "default";

/// See, review and decide in a browser
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The pages are at http://hewto.localhost:7420, on this machine only. The link that signs you in works once, within a minute; it is \
shown on a terminal and nowhere else. Press Enter for another one, Ctrl-C to stop. Several workspaces are shown with --workspace \
NAME=PATH, repeated.")]
pub(crate) struct Args {
    /// Show the link instead of opening the browser
    #[arg(long)]
    no_open: bool,
    /// Listen on this port of the machine; another one is found if it is taken and none is named
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub(crate) fn run(ui: &mut Ui, globals: &Globals, args: &Args) -> Outcome {
    if let Some(variable) = env::agent() {
        return Err(Error::new(
            Kind::Refused,
            Key::PersonRequired,
            format!("the dashboard is for a person, and `{variable}` says that an agent has started this"),
        )
        .hint("run `hewto ui` in a terminal of your own")
        .detail("command", "hewto ui")
        .into());
    }
    let has_terminal = std::io::stderr().is_terminal();
    let opener = OPENERS.into_iter().find_map(|name| program::outside(name, &[])).filter(|_| !args.no_open);
    if opener.is_none() && !has_terminal {
        return Err(Error::new(Kind::Refused, Key::TerminalRequired, "the link is shown on a terminal only")
            .hint("run `hewto ui --no-open` in a terminal")
            .detail("command", "hewto ui --no-open")
            .into());
    }
    let places = Place::several(globals, DEFAULT_NAME)?;
    for (_, place) in &places {
        place.workspace()?;
    }
    let mut server = bind(args.port)?;
    let routes = dashboard(&places, &server, &env::user(), None, Vec::new());
    let sign_in_links = routes.sign_in_links();
    server.mount(routes);
    let _pushers: Vec<_> = places.iter().filter_map(|(_, place)| crate::pusher::start(place)).collect();
    let mut builder = runtime::Builder::new_multi_thread();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    builder.worker_threads(cores + 1);
    run_to_the_end(builder, async {
        let signals = Signals::listen()?;
        // A terminal that is gone takes nothing from whoever is signed in.
        let _ = ui.note(format_args!("serving {}", sign_in_links.origin()));
        let opened = opener.is_some_and(|opener| open(&opener, &sign_in_links.link()));
        if !opened {
            show_link(ui, &sign_in_links, has_terminal);
        }
        offer_links(&sign_in_links, has_terminal);
        server.run(signals.received()).await.map_err(Failure::from)
    })
}

fn bind(port: Option<u16>) -> Outcome<HttpServer> {
    let at = |port: u16| HttpServer::bind(&format!("127.0.0.1:{port}"), HttpOptions::default());
    if let Some(port) = port {
        return Ok(at(port)?);
    }
    let free = (FIRST_PORT..FIRST_PORT + PORTS).find_map(|port| at(port).ok());
    match free {
        Some(server) => Ok(server),
        None => Ok(at(0)?),
    }
}

/// The link goes to a terminal and nowhere else: a pipe may lead to an agent, or to a log.
pub(super) fn show_link(ui: &mut Ui, sign_in_links: &SignInLinks, has_terminal: bool) {
    if has_terminal {
        let _ = ui.note(format_args!("open {}", sign_in_links.link()));
        let _ = ui.note("it works once, within a minute; press Enter for another one");
    }
}

/// Shows another link whenever somebody presses Enter.
pub(super) fn offer_links(sign_in_links: &SignInLinks, has_terminal: bool) {
    if !has_terminal || !std::io::stdin().is_terminal() {
        return;
    }
    let sign_in_links = sign_in_links.clone();
    // The thread waits for the terminal as long as the process lives; where none can be had, the first link has to do.
    let _ = std::thread::Builder::new().name("hewto-links".to_owned()).spawn(move || {
        let mut line = String::new();
        while std::io::stdin().lock().read_line(&mut line).is_ok_and(|read| read > 0) {
            line.clear();
            crate::ui::remark(&format!("open {}", sign_in_links.link()));
        }
    });
}

/// Opens the browser; false where there is none to open.
fn open(opener: &Path, link: &str) -> bool {
    let started = Command::new(opener)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => {
            // Some openers end at once with a failure; those that go on have found a browser.
            let _ = std::thread::Builder::new().spawn(move || drop(child.wait()));
            true
        }
        Err(_) => false,
    }
}
