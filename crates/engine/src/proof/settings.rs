//! `.hewto/proof.toml` of a workspace, as it stands now.

use hewto_core::diagnostic::Diagnostic;
use hewto_core::proof::settings::{Check, Policy, Settings, digest};
use hewto_store::{Context, DocKey, Own};
use serde_json::json;

use crate::error::{Error, Key, Kind, Result};
use crate::trust::{self, Subject};
use crate::view::{LinkProblemView, ProblemSeverity};
use crate::workspace::Workspace;

/// The settings with the text they were read from.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    /// Absent where there is no file.
    pub text: Option<String>,
    /// Misspelt keys: they mean nothing, which whoever wrote them should learn wherever the settings matter.
    pub warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// The warnings as problems of a table.
    pub(super) fn problems(&self) -> impl Iterator<Item = LinkProblemView> {
        self.warnings.iter().map(|fault| LinkProblemView {
            error: fault.code.replace('-', "_"),
            severity: ProblemSeverity::Warning,
            path: Own::Proof.path().to_owned(),
            line: u32::try_from(fault.line).unwrap_or(u32::MAX),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            ..LinkProblemView::default()
        })
    }
}

/// Reads the settings; a file that cannot be understood is refused with all its faults.
pub fn load(ws: &Workspace, ctx: &Context) -> Result<Loaded> {
    let path = Own::Proof.path();
    let Some(doc) = ws.store().read(ctx, &DocKey::Own(Own::Proof))? else {
        return Ok(Loaded { settings: Settings::absent(), text: None, warnings: Vec::new() });
    };
    let (settings, diagnostics) = Settings::read(&doc.text);
    if settings.is_valid() {
        return Ok(Loaded { settings, text: Some(doc.text), warnings: diagnostics });
    }
    let faults: Vec<_> = diagnostics
        .iter()
        .map(|fault| json!({"line": fault.line, "message": fault.message, "hint": fault.hint}))
        .collect();
    let first = &diagnostics[0];
    Err(Error::new(
        Kind::Refused,
        Key::ProofSettingsInvalid,
        format!("`{path}`, line {}: {}", first.line, first.message),
    )
    .detail("file", path)
    .detail("faults", faults)
    .hint("correct the file; until then nothing is run, and gates stay closed"))
}

/// The same for whoever runs checks: what cannot be understood cannot run, which is no answer (exit code 3).
pub(super) fn load_to_run(ws: &Workspace, ctx: &Context) -> Result<Loaded> {
    load(ws, ctx).map_err(|mut error| {
        if error.key == Key::ProofSettingsInvalid {
            error.kind = Kind::Machine;
        }
        error
    })
}

/// What the stricter of the present and the last trusted settings asks for: losing trust opens nothing.
pub fn policy(ws: &Workspace, ctx: &Context) -> Result<Policy> {
    let present = load(ws, ctx)?.settings.policy;
    let trusted = ws.trust().last_trusted(ws.root(), Subject::Proof)?;
    Ok(trusted.map_or(present, |text| present.max(Settings::read(&text).0.policy)))
}

/// The digest of what a check does; how long it may take is no part of it.
pub(crate) fn check_digest(check: &Check) -> String {
    let told = json!({
        "name": check.name,
        "run": check.run,
        "report": check.report,
        "format": check.format.as_str(),
        "inputs": check.inputs,
        "harness": check.harness,
        "isolate": check.isolate,
        "coverage": check.coverage,
    });
    digest(told.to_string().as_bytes())
}

/// The declared checks whose runs are believed. Once the owner has trusted some, what somebody declared since counts for
/// nothing until it is trusted too, or its digest is given to this very command: else a run of `--trust` with a check of
/// one's own would open a gate.
pub(crate) fn believed_checks<'l>(ws: &Workspace, loaded: &'l Loaded) -> Result<Vec<&'l Check>> {
    let text = loaded.text.as_deref().unwrap_or_default();
    let is_given = is_given(ws, text);
    let trusted = ws.trust().last_trusted(ws.root(), Subject::Proof)?;
    let known: Option<Vec<String>> = trusted
        .filter(|trusted| !is_given && trusted != text)
        .map(|trusted| Settings::read(&trusted).0.checks.iter().map(check_digest).collect());
    let is_believed =
        |check: &&Check| known.as_ref().is_none_or(|known| known.contains(&check_digest(check)));
    Ok(loaded.settings.checks.iter().filter(is_believed).collect())
}

/// Whether the owner of this machine has never trusted any check here, and this command was not told to either.
pub(crate) fn is_self_trusted(ws: &Workspace, loaded: &Loaded) -> Result<bool> {
    let text = loaded.text.as_deref().unwrap_or_default();
    Ok(!is_given(ws, text) && ws.trust().last_trusted(ws.root(), Subject::Proof)?.is_none())
}

/// Whether this very command was given the digest of these settings.
fn is_given(ws: &Workspace, text: &str) -> bool {
    ws.children().given_trust.is_some_and(|given| given == trust::digest(text))
}
