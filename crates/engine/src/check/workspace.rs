//! The workspace itself: its configuration, its folders, and writes that were left undone.

use hewto_core::diagnostic::Finding;
use hewto_core::rules::workspace as rules;
use hewto_store::{Context, Distrust, Snapshot};

use crate::claim;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// What the scan met: ids in two roots, folders that cannot be specs. A missing root is judged by itself.
pub(super) fn met(snapshot: &Snapshot) -> impl Iterator<Item = &Finding> {
    snapshot.findings.iter().filter(|finding| finding.code != rules::ROOT_MISSING.code)
}

pub(super) fn findings(ws: &Workspace, ctx: &Context, snapshot: &Snapshot) -> Result<Vec<Finding>> {
    let mut findings = ws.layout_findings().to_vec();
    findings.extend(met(snapshot).cloned());
    let places = ws.places();
    findings.extend(ws.configuration(ctx).findings.iter().cloned());
    for folder in ws.store().missing_folders() {
        let (rule, what) = if folder == places.wire_logs {
            (&rules::LOGS_MISSING, "the folder for logs is missing")
        } else {
            (&rules::ROOT_MISSING, "the folder of specs is missing")
        };
        findings.push(rule.on(folder.as_str(), None, what, "run `hewto validate --fix` to create it"));
    }
    let remains = ws.store().machine().journal_remains(ctx)?;
    for stranded in remains.stranded {
        let hint = match &stranded.kept {
            Some(kept) => {
                format!("compare it with `{kept}`, take over what is missing, then delete that file's folder")
            }
            None => "look at the file and decide".to_owned(),
        };
        findings.push(rules::WRITE_STRANDED.on(
            stranded.path.as_str(),
            None,
            match &stranded.because_of {
                None => {
                    format!(
                        "`{}` could not write it because somebody else had changed it",
                        stranded.operation
                    )
                }
                Some(other) => format!(
                    "`{}` did not write it because somebody else had changed `{other}`, which it may rest on",
                    stranded.operation
                ),
            },
            hint,
        ));
    }
    for (path, why) in remains.distrusted {
        findings.push(rules::RECORD_DISTRUSTED.on(
            path.as_str(),
            None,
            format!("this record of a write is ignored: {}", distrust(why)),
            "run `hewto doctor --fix` to remove it",
        ));
    }
    findings.extend(unreadable_claims(ws, ctx));
    Ok(findings)
}

/// Claims that cannot be read stop everybody who writes; one of them, everybody who writes to what it is about.
fn unreadable_claims(ws: &Workspace, ctx: &Context) -> Vec<Finding> {
    claim::faults(ws, ctx).iter().map(|error| unreadable(ws, error)).collect()
}

fn unreadable(ws: &Workspace, error: &Error) -> Finding {
    let file = claim::file(ws);
    let shown = file.strip_prefix(ws.root()).unwrap_or(&file).display().to_string();
    let line = error.details.get("line").and_then(serde_json::Value::as_u64);
    let hint = error.plain_hint().unwrap_or_else(|| "move away what is in its place".to_owned());
    let line = line.and_then(|line| usize::try_from(line).ok());
    rules::CLAIMS_UNREADABLE.on(shown, line, error.full_message(), hint)
}

/// Why a record in the journal is not carried out.
pub(crate) fn distrust(why: Distrust) -> &'static str {
    match why {
        Distrust::NoSeal => "this machine did not write it, or it is damaged",
        Distrust::Tracked => "git tracks the journal, so it may have come with the repository",
        Distrust::Unreadable => "it cannot be read, or a link is in its place",
    }
}
