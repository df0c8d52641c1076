//! What a command changes goes the way of every call (D-17): guarded, and noted in the operation log with the name of
//! the user who ran it.

use hewto_call::{Operation, once};
use hewto_engine::decision::Repository;
use hewto_engine::{Context, Layout, Result, Workspace, record};
use serde_json::Value;

use crate::interrupt;
use crate::place::context;
use crate::ui;

/// Changes a workspace. `command` is what was typed after `hewto`.
pub(crate) fn in_workspace<T>(
    workspace: &Workspace,
    command: &str,
    inputs: Value,
    work: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    let context = context();
    interrupt::calls_off(&context)?;
    noted(context, command, inputs, || Some(workspace.layout().clone()), work)
}

/// The same for what often finds nothing to change: only what was committed is worth a line.
pub(crate) fn perhaps_in_workspace<T>(
    workspace: &Workspace,
    command: &str,
    inputs: Value,
    work: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    let context = context();
    let layout = || (!context.committed().is_empty()).then(|| workspace.layout().clone());
    noted(context.clone(), command, inputs, layout, work)
}

/// Changes what a git repository keeps, workspace or not. Ctrl-C still ends the process: there may be more to ask.
pub(crate) fn in_repository<T>(
    repository: &Repository,
    command: &str,
    inputs: Value,
    work: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    noted(context(), command, inputs, || Some(repository.layout().clone()), work)
}

/// Does something with this context; the log is the one that `layout` finds once it is done.
pub(crate) fn noted<T>(
    context: Context,
    command: &str,
    inputs: Value,
    layout: impl FnOnce() -> Option<Layout>,
    work: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    let context = context.with_operation(&format!("hewto {command}"));
    let outcome = once(&context, Operation::write(inputs), layout, work);
    if outcome.is_ok() {
        for remark in record::remarks(&context) {
            ui::warn(remark["message"].as_str().unwrap_or_default());
        }
    }
    outcome
}
