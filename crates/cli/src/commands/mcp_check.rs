//! `hewto mcp-check -- COMMAND…`: what hosts would refuse in an MCP server.

use std::ffi::OsString;
use std::fmt::Write;
use std::time::Duration;

use hewto_engine::host_check::Level;

use crate::env;
use crate::failure::{Outcome, Verdict, machine};
use crate::mcp_probe::{CheckView, Target, check};
use crate::ui::{BAD, Cell, DIM, GOOD, NAME, Table, Ui, WARN, count, one_line, paint};

/// Start an MCP server as a client would and report what hosts would refuse
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Starts the command three times, with the newest and the oldest version of the protocol that hosts speak and with the new era, and \
looks at names, schemas, sizes, answers, and at what else it writes to standard output. Exits with 1 when a host would refuse \
something.

Examples:
  hewto mcp-check -- hewto serve
  hewto mcp-check --json -- npx -y @modelcontextprotocol/server-everything")]
pub(crate) struct Args {
    /// How many seconds an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    patience: u64,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(ui: &mut Ui, args: &Args) -> Outcome {
    let mut words = args.command.iter().cloned();
    let program = words.next().unwrap_or_default();
    let target = Target {
        program,
        args: words.collect(),
        folder: env::current_dir().map_err(|error| machine("cannot find the current folder", error))?,
        env: None,
        patience: Duration::from_secs(args.patience),
    };
    let view = check(&target)?;
    ui.answer(&view, show)?;
    Ok(if view.ok { Verdict::Yes } else { Verdict::No })
}

fn show(view: &CheckView) -> String {
    let mut out = String::new();
    let server = if view.server.is_empty() { "a server without a name" } else { &view.server };
    let version =
        if view.version.is_empty() { String::new() } else { format!(" {}", one_line(&view.version)) };
    let _ = writeln!(
        out,
        "{}{version}: {}, {} bytes, protocol {}",
        paint(NAME, &one_line(server)),
        count(view.tools, "tool"),
        view.bytes,
        if view.eras.is_empty() { "none".to_owned() } else { view.eras.join(", ") },
    );
    let mut table = Table::default();
    for finding in &view.findings {
        let (word, style) = match finding.level {
            Level::Error => ("error", BAD),
            Level::Warning => ("warning", WARN),
            Level::Info => ("info", DIM),
        };
        table.row([
            Cell::styled(word, style),
            Cell::plain(&finding.rule),
            Cell::styled(one_line(&finding.subject), NAME),
            Cell::plain(one_line(&finding.message)),
        ]);
    }
    out.push_str(&table.render());
    let of = |level| view.findings.iter().filter(|finding| finding.level == level).count();
    match (of(Level::Error), of(Level::Warning)) {
        (0, 0) => {
            let _ = writeln!(out, "{}", paint(GOOD, "every host would take it"));
        }
        (errors, warnings) => {
            let _ = writeln!(out, "{}, {}", count(errors, "error"), count(warnings, "warning"));
        }
    }
    out
}
