//! The terminal itself, for decisions that only a person makes: neither a pipe on standard input nor a redirected
//! output takes its place.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::process::{Child, Command, Stdio};

use hewto_engine::{Error, Key, Kind, Result};

use super::fit::folded;
use super::visible;
use crate::env;
use crate::failure::machine;
use crate::program;

/// A longer text is shown in a pager.
const LINES_OF_A_SCREEN: usize = 40;

/// An open terminal with a person at it, as far as one can tell.
#[derive(Debug)]
pub(crate) struct Tty {
    input: BufReader<File>,
    output: File,
}

impl Tty {
    /// Opens the terminal that a person has to decide on. `what` says what is refused otherwise, `command` what the person
    /// types elsewhere.
    pub(crate) fn for_a_person(what: &str, command: &str) -> Result<Self> {
        if let Some(variable) = env::agent() {
            return Err(Error::new(
                Kind::Refused,
                Key::PersonRequired,
                format!("{what} is for a person, and `{variable}` says that an agent has started this"),
            )
            .hint(format!("run `{command}` in a terminal of your own"))
            .detail("command", command));
        }
        Self::open().map_err(|error| machine("cannot use the terminal", error))?.ok_or_else(|| {
            Error::new(Kind::Refused, Key::TerminalRequired, format!("{what} needs a terminal"))
                .hint(format!("run `{command}` in a terminal"))
                .detail("command", command)
        })
    }

    fn open() -> io::Result<Option<Self>> {
        let open = |path: &str| OpenOptions::new().read(true).write(true).open(path);
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            let (input, output) = (open("/dev/stdin")?, open("/dev/stderr")?);
            return Ok(Some(Self { input: BufReader::new(input), output }));
        }
        // Where a pipe or a file is in their place, the terminal of the session is asked.
        match open("/dev/tty") {
            Ok(file) => Ok(Some(Self { input: BufReader::new(file.try_clone()?), output: file })),
            Err(_) => Ok(None),
        }
    }

    /// Shows a text, with nothing hidden in it.
    pub(crate) fn show(&mut self, text: &str) -> Result<()> {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let text = visible(text);
        write!(self.output, "{}{end}", folded(&text, &self.output))
            .map_err(|error| machine("cannot use the terminal", error))
    }

    /// Shows a long text in a pager where there is one, else as it is. Colours are for people, so they stay.
    pub(crate) fn page(&mut self, text: &str) -> Result<()> {
        let fail = |error| machine("cannot use the terminal", error);
        let plain = anstream::adapter::strip_str(text).to_string();
        let text = if super::stderr_has_colour() { text } else { &plain };
        if text.lines().count() > LINES_OF_A_SCREEN
            && let Some(mut pager) = env::pager().and_then(|pager| self.start(&pager))
        {
            if let Some(mut input) = pager.stdin.take() {
                // A pager that was left early has shown enough.
                let _ = input.write_all(text.as_bytes());
            }
            if pager.wait().is_ok_and(|status| status.success()) {
                return Ok(());
            }
        }
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        write!(self.output, "{}{end}", folded(text, &self.output)).map_err(fail)
    }

    fn start(&self, pager: &str) -> Option<Child> {
        let mut words = pager.split_whitespace();
        let output = self.output.try_clone().ok()?;
        // A path is the person's own choice; a name must not stand for a file of the repository that is being shown.
        let first = words.next()?;
        let program = if first.contains('/') { first.into() } else { program::outside(first, &[])? };
        let child = Command::new(program)
            .args(words)
            .env("LESS", "FRX")
            .stdin(Stdio::piped())
            .stdout(Stdio::from(output))
            .spawn();
        child.ok()
    }

    /// Asks for one line; `None` when the terminal is closed.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Option<String>> {
        let fail = |error| machine("cannot use the terminal", error);
        let question = format!("{} ", visible(question));
        write!(self.output, "{}", folded(&question, &self.output))
            .and_then(|()| self.output.flush())
            .map_err(fail)?;
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line).unwrap_or(0);
        Ok((read > 0).then(|| String::from_utf8_lossy(&line).trim().to_owned()))
    }

    /// Asks for a yes; everything else, silence included, is a no.
    pub(crate) fn agrees(&mut self, question: &str) -> Result<bool> {
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Ok(answer.is_some_and(|answer| matches!(answer.to_lowercase().as_str(), "y" | "yes")))
    }
}
