//! The terminal: the only place that writes to it or asks a question on it.
//!
//! Answers go to standard output, as JSON or for people; everything else goes to standard error. Colour is decided
//! by the streams (terminal, `NO_COLOR`, `CLICOLOR_FORCE`), and nothing that is printed needs it to be understood.
//! Text that came out of files has its control characters made visible, so that a title cannot drive the terminal.

mod fit;
mod fold;
mod progress;
mod style;
mod table;
mod tty;

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};

use hewto_engine::Error;
use hewto_engine::decision::error_envelope;
use hewto_mcp::seed_code;
use serde::Serialize;
use serde_json::Value;

use crate::actions;

pub(crate) use fit::fitted;
use fit::folded;
pub(crate) use progress::bar;
pub(crate) use style::{BAD, DIM, GOOD, HEADING, HIT, NAME, WARN, paint, state};
pub(crate) use table::{Cell, Table, facts};
pub(crate) use tty::Tty;

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
}

/// Standard output could not be written.
#[derive(Debug)]
pub(crate) struct OutputError(pub(crate) io::Error);

pub(crate) type Written = Result<(), OutputError>;

/// Whoever left early has read enough. That is no failure, and it does not take the place of the answer: the command goes on to
/// its end, and its exit code says what it would have said.
fn unless_left(written: io::Result<()>) -> Written {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(OutputError),
    }
}

/// Writes a remark to standard error from a thread that has no hold of the terminal.
pub(crate) fn remark(text: &str) {
    // A terminal that is gone has nobody to tell.
    let _ = writeln!(io::stderr(), "{}", folded(text, &io::stderr()));
}

/// The terminal as the commands see it.
#[derive(Debug)]
pub(crate) struct Ui {
    format: Format,
    out: anstream::Stdout,
    err: anstream::Stderr,
}

/// Tells on standard error what somebody should hear though nothing failed.
pub(crate) fn warn(text: &str) {
    progress::clear();
    // Nobody reads it: nothing is lost that the answer does not say.
    let text = format!("{} {}", paint(WARN, "warning:"), visible(text));
    let _ = writeln!(anstream::stderr(), "{}", folded(&text, &io::stderr()));
}

impl Ui {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, out: anstream::stdout(), err: anstream::stderr() }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Writes an answer: the view itself with `--json`, else what `human` makes of it.
    pub(crate) fn answer<V: Serialize>(&mut self, view: &V, human: impl FnOnce(&V) -> String) -> Written {
        match self.format {
            Format::Json => self.json(view),
            Format::Human => self.print(&human(view)),
        }
    }

    /// The same for a text that a file or another program takes: no line of it is folded.
    pub(crate) fn answer_verbatim<V: Serialize>(
        &mut self,
        view: &V,
        text: impl FnOnce(&V) -> String,
    ) -> Written {
        match self.format {
            Format::Json => self.json(view),
            Format::Human => self.verbatim(&text(view)),
        }
    }

    /// Writes one JSON document.
    pub(crate) fn json(&mut self, view: &impl Serialize) -> Written {
        let text = serde_json::to_string_pretty(view).map_err(|error| OutputError(error.into()))?;
        let text = hewto_core::visible::visible_json(&text);
        progress::clear();
        // Past the stream that takes out colours: it would take bytes out of strings as well.
        let mut out = self.out.as_inner();
        unless_left(writeln!(out, "{text}").and_then(|()| out.flush()))
    }

    /// Writes text for people to standard output and ends the line; on a terminal no line is wider than it.
    pub(crate) fn print(&mut self, text: &str) -> Written {
        self.verbatim(&folded(text, &io::stdout()))
    }

    /// Writes text as it is, however wide the terminal, and ends the line.
    pub(crate) fn verbatim(&mut self, text: &str) -> Written {
        progress::clear();
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        unless_left(write!(self.out, "{text}{end}").and_then(|()| self.out.flush()))
    }

    /// Writes a text that is meant for a file or another program, to the byte.
    pub(crate) fn raw(&mut self, text: &str) -> Written {
        progress::clear();
        let mut out = self.out.as_inner();
        unless_left(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Writes one JSON document on one line, for whoever reads a stream of them; it fails, and so ends, when they leave.
    pub(crate) fn json_line(&mut self, view: &impl Serialize) -> Written {
        let text = serde_json::to_string(view).map_err(|error| OutputError(error.into()))?;
        let mut out = self.out.as_inner();
        writeln!(out, "{text}").and_then(|()| out.flush()).map_err(OutputError)
    }

    /// Puts a picture in the place of the last one; below it where the output is no terminal. It fails as a stream does.
    pub(crate) fn redraw(&mut self, picture: &str) -> Written {
        let clear = if io::stdout().is_terminal() { "\u{1b}[H\u{1b}[2J" } else { "" };
        write!(self.out, "{clear}{picture}").and_then(|()| self.out.flush()).map_err(OutputError)
    }

    /// Whether nobody reads the output any more.
    pub(crate) fn is_gone(&self) -> bool {
        let mut fds = [rustix::event::PollFd::new(self.out.as_inner(), rustix::event::PollFlags::empty())];
        let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut fds, Some(&now)).is_ok_and(|_| {
            fds[0].revents().intersects(rustix::event::PollFlags::ERR | rustix::event::PollFlags::HUP)
        })
    }

    /// Writes a remark to standard error.
    pub(crate) fn note(&mut self, text: impl fmt::Display) -> Written {
        progress::clear();
        let text = text.to_string();
        unless_left(writeln!(self.err, "{}", folded(&text, &io::stderr())))
    }

    /// Writes remarks, lines and all, to standard error; nothing where there are none.
    pub(crate) fn notes(&mut self, text: &str) -> Written {
        unless_left(write!(self.err, "{}", folded(text, &io::stderr())))
    }

    /// Asks a question whose answer is yes unless somebody says no, or says nothing because the terminal is gone.
    pub(crate) fn confirm(&mut self, question: &str) -> Result<bool, OutputError> {
        // What the question is about was shown to nobody.
        if self.is_gone() {
            return Ok(false);
        }
        let question = format!("{} {} ", paint(HEADING, question), paint(DIM, "[yes]"));
        write!(self.err, "{}", folded(&question, &io::stderr()))
            .and_then(|()| self.err.flush())
            .map_err(OutputError)?;
        let mut line = String::new();
        let is_there = io::stdin().lock().read_line(&mut line).is_ok_and(|read| read > 0);
        Ok(is_there && matches!(line.trim().to_lowercase().as_str(), "" | "y" | "yes"))
    }

    /// Tells why a command failed: on standard output with `--json`, else on standard error.
    pub(crate) fn error(&mut self, error: &Error) -> Written {
        if self.format == Format::Json {
            return self.json(&error.to_object(seed_code(error.key), actions::hint(error)));
        }
        self.error_beside(error)
    }

    /// The same on standard error, where an answer has been given.
    pub(crate) fn error_beside(&mut self, error: &Error) -> Written {
        self.note(format_args!("{} {}", paint(BAD, "error:"), visible(&error.full_message())))?;
        for fault in other_faults(error) {
            self.note(format_args!("  {}", visible(&fault)))?;
        }
        match actions::hint(error) {
            Some(hint) => self.note(format_args!("{} {}", paint(NAME, "hint:"), visible(&hint))),
            None => Ok(()),
        }
    }

    /// The same in the shape of seed 003, whose codes people look up.
    pub(crate) fn clarify_error(&mut self, error: &Error) -> Written {
        if self.format == Format::Json {
            return self.json(&error_envelope(error, actions::hint(error)));
        }
        let code = error.key.as_str().to_ascii_uppercase();
        let label = paint(BAD, &format!("error[{code}]:"));
        self.note(format_args!("{label} {}", visible(&error.full_message())))?;
        let answers = error.details.get("answers").and_then(Value::as_array).map(Vec::as_slice);
        for fault in answers.unwrap_or_default().iter().filter(|_| answers.is_some_and(|all| all.len() > 1)) {
            let text = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or_default();
            self.note(format_args!("  {}: {}", visible(text("question_id")), visible(text("message"))))?;
        }
        match actions::hint(error) {
            Some(hint) => self.note(format_args!("{} {}", paint(NAME, "hint:"), visible(&hint))),
            None => Ok(()),
        }
    }

    /// Whether a person sits at both ends, so that a question makes sense.
    pub(crate) fn can_ask(&self) -> bool {
        self.format == Format::Human && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks for one line; an empty one, or the end of the input, means the default.
    pub(crate) fn ask(&mut self, question: &str, default: &str) -> Result<String, OutputError> {
        let shown = match default {
            "" => String::new(),
            default => format!(" {}", paint(DIM, &format!("[{default}]"))),
        };
        let question = format!("{}{shown}: ", paint(HEADING, question));
        write!(self.err, "{}", folded(&question, &io::stderr()))
            .and_then(|()| self.err.flush())
            .map_err(OutputError)?;
        let line = read_line();
        let line = line.as_deref().unwrap_or_default().trim();
        Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
    }

    /// Asks for one line; `None` at the end of the input.
    pub(crate) fn line(&mut self, prompt: &str) -> Result<Option<String>, OutputError> {
        write!(self.err, "{}", folded(prompt, &io::stderr()))
            .and_then(|()| self.err.flush())
            .map_err(OutputError)?;
        Ok(read_line())
    }
}

/// The next line of standard input; `None` at its end.
fn read_line() -> Option<String> {
    let mut line = Vec::new();
    // A terminal that cannot be read has been closed, which is an end of the input too.
    let read = io::stdin().lock().read_until(b'\n', &mut line).unwrap_or(0);
    (read > 0).then(|| String::from_utf8_lossy(&line).into_owned())
}

/// Whether standard error shows colours.
pub(crate) fn stderr_has_colour() -> bool {
    !matches!(anstream::AutoStream::choice(&io::stderr()), anstream::ColorChoice::Never)
}

/// The text with everything written out that a terminal would obey or that nobody would see, line ends and tabs kept.
pub(crate) fn visible(text: &str) -> String {
    hewto_core::visible::visible(text).into_owned()
}

/// The text on one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `1 spec`, `2 specs`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("{number} {noun}") } else { format!("{number} {noun}s") }
}

/// Faults, and what else is in the way, that the message does not already tell.
fn other_faults(error: &Error) -> Vec<String> {
    let listed = |name| error.details.get(name).and_then(Value::as_array).map(Vec::as_slice);
    let text = |fault: &Value, name| fault.get(name).and_then(Value::as_str).map(str::to_owned);
    let told =
        |fault: &&Value| text(fault, "message").is_some_and(|message| !error.message.contains(&message));
    let faults = listed("faults").unwrap_or_default().iter().filter(told);
    let open = listed("open").unwrap_or_default().iter().filter(told).map(|point| {
        let hint = text(point, "hint").map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("also: {}{hint}", text(point, "message").unwrap_or_default())
    });
    faults.filter_map(|fault| text(fault, "message")).chain(open).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_cannot_reach_the_terminal() {
        for (text, expected) in [
            ("plain größe 日本", "plain größe 日本"),
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("bell\u{7}", "bell\\u{7}"),
            ("c1 \u{9b}2J", "c1 \\u{9b}2J"),
            ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }

    proptest! {
        #[test]
        fn nothing_but_line_ends_and_tabs_is_left_of_controls(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert!(shown.chars().all(|ch| !ch.is_control() || ch == '\n' || ch == '\t'));
            prop_assert!(!one_line(&text).contains(['\n', '\t']));
        }
    }

    #[test]
    fn one_line_folds_every_run_of_blanks() {
        assert_eq!(one_line("  a\n\n b\tc\u{1b} "), "a b c\\u{1b}");
    }

    #[test]
    fn counts_know_the_plural() {
        assert_eq!([0, 1, 2].map(|n| count(n, "spec")).join(", "), "0 specs, 1 spec, 2 specs");
    }
}
