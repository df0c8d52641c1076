//! Reads what the documents of a spec say about it, and what is wrong with them as files.

use std::io;
use std::sync::Arc;

use hewto_core::diagnostic::Diagnostic;
use hewto_core::id::SpecId;
use hewto_core::rules::workspace as rules;
use hewto_core::spec::SpecHead;
use hewto_core::state::WorkflowState;

use crate::snapshot::StateRead;

pub(super) fn read_head(id: &SpecId, bytes: io::Result<Vec<u8>>) -> (Arc<SpecHead>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    if !id.is_plain() {
        let hint = "rename the folder when nothing refers to it by its old name";
        let message = format!("`{id}` is not made of lower-case letters, digits, `.`, `_` and `-`");
        diagnostics.push(rules::ID_STYLE.at(1, 0..0, message, hint));
    }
    let head = match bytes.map(String::from_utf8) {
        Ok(Ok(text)) => SpecHead::read(&text),
        Ok(Err(error)) => {
            diagnostics.push(not_utf8(&error));
            SpecHead::read(&String::from_utf8_lossy(error.as_bytes()))
        }
        Err(error) => {
            diagnostics.push(unreadable(&error));
            SpecHead::default()
        }
    };
    (Arc::new(head), diagnostics)
}

pub(super) fn read_state(bytes: io::Result<Vec<u8>>) -> StateRead {
    match bytes.map(String::from_utf8) {
        Ok(Ok(text)) => match WorkflowState::read(&text) {
            Ok(state) => StateRead::Valid(Arc::new(state)),
            Err(diagnostic) => StateRead::Broken(diagnostic),
        },
        Ok(Err(error)) => StateRead::Broken(not_utf8(&error)),
        Err(error) => StateRead::Broken(unreadable(&error)),
    }
}

fn not_utf8(error: &std::string::FromUtf8Error) -> Diagnostic {
    let offset = error.utf8_error().valid_up_to();
    let line = 1 + error.as_bytes()[..offset].split(|byte| *byte == b'\n').skip(1).count();
    rules::UNREADABLE.at(
        line,
        offset..offset,
        format!("not UTF-8 from byte {offset} on"),
        "save the file as UTF-8",
    )
}

fn unreadable(error: &io::Error) -> Diagnostic {
    let hint = match error.kind() {
        io::ErrorKind::FileTooLarge => "split it into several documents",
        _ => "make it a regular file that this user can read",
    };
    rules::UNREADABLE.at(1, 0..0, format!("cannot be read: {error}"), hint)
}
