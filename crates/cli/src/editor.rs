//! Longer texts, written in a person's own editor: checked when it is closed, and opened again with what is wrong.
//!
//! What was written is never lost. It stands in a file of its own until it has been taken over, and the path of that
//! file is told whenever it was not.

use std::path::Path;
use std::process::Command;

use hewto_engine::{Error, Result};
use serde_json::Value;

use crate::env;
use crate::failure::{machine, usage};

/// Lines that tell what is wrong begin with this, and are taken out before a text is read.
const FAULT: &str = "<!-- ✗ ";
const END: &str = " -->";

/// Whether this person has an editor.
pub(crate) fn is_there() -> bool {
    env::editor().is_some()
}

/// Lets a person write until `take` is content or they give up by leaving the text as it is.
pub(crate) fn write<T>(name: &str, text: &str, mut take: impl FnMut(&str) -> Result<T>) -> Result<T> {
    let Some(editor) = env::editor() else {
        return Err(usage("there is no editor to write in")
            .hint("set `EDITOR` (such as `EDITOR=vi`), or give the texts as arguments"));
    };
    let file = tempfile::Builder::new()
        .prefix(&format!("hewto-{name}-"))
        .suffix(".md")
        .tempfile()
        .map_err(|error| machine("cannot make a file to write in", error))?;
    // From here on the file is removed only once its text has been taken over.
    let path = file.into_temp_path().keep().map_err(|error| machine("cannot keep the file", error.error))?;
    let mut last = text.to_owned();
    put(&path, &last)?;
    loop {
        open(&editor, &path)?;
        let written =
            fs_err::read_to_string(&path).map_err(|error| kept(machine("cannot read", error), &path))?;
        let text = without_faults(&written);
        let error = match take(&text) {
            Ok(taken) => {
                let _ = fs_err::remove_file(&path);
                return Ok(taken);
            }
            Err(error) => error,
        };
        // Whoever saves the same text again has nothing to add, whatever stands above it.
        if text == last {
            return Err(kept(error, &path));
        }
        put(&path, &with_faults(&text, &error))?;
        last = text;
    }
}

fn put(path: &Path, text: &str) -> Result<()> {
    fs_err::write(path, text).map_err(|error| kept(machine("cannot write", error), path))
}

fn open(editor: &[String], path: &Path) -> Result<()> {
    let [program, arguments @ ..] = editor else { return Ok(()) };
    let status = Command::new(program).args(arguments).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(kept(usage(format!("the editor `{program}` reported a failure")), path)),
        Err(error) => Err(kept(machine(format!("cannot start the editor `{program}`"), error), path)),
    }
}

/// The error with where to find what was written.
fn kept(error: Error, path: &Path) -> Error {
    let place = format!("what you wrote is in {}", path.display());
    let hint = match error.plain_hint() {
        Some(hint) => format!("{hint}; {place}"),
        None => place,
    };
    error.hint(hint).detail("kept", path.to_string_lossy().into_owned())
}

/// The text with what is wrong with it at its top.
fn with_faults(text: &str, error: &Error) -> String {
    let faults = error.details.get("faults").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut lines: Vec<String> = faults
        .iter()
        .map(|fault| {
            let part = |key: &str| fault.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            format!("{}: {}", part("field"), part("message"))
        })
        .collect();
    if lines.is_empty() {
        lines.push(error.full_message());
    }
    lines.extend(error.plain_hint());
    let flat = |line: &String| line.replace("--", "- -").replace('\n', " ");
    let comments: Vec<String> = lines.iter().map(|line| format!("{FAULT}{}{END}", flat(line))).collect();
    format!("{}\n{text}", comments.join("\n"))
}

fn without_faults(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter(|line| !line.starts_with(FAULT));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_stand_above_the_text_and_go_again() {
        let error = usage("`why` is blank").hint("say -- why");
        let shown = with_faults("# Why\n\n", &error);
        assert_eq!(shown, "<!-- ✗ `why` is blank -->\n<!-- ✗ say - - why -->\n# Why\n\n");
        assert_eq!(without_faults(&shown), "# Why\n\n");
    }
}
