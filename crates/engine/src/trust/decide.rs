//! The owner decides: what there is to trust, that it is trusted, that it no longer is.

use std::collections::BTreeSet;

use hewto_store::Context;
use similar::TextDiff;

use super::record::{Kept, Record, Records};
use super::{FILE, Request, Subject, Trust, TrustState, digest, unreadable, unwritable};
use crate::error::{Error, Key, Kind, Result};
use crate::view::{TrustHostView, TrustSubjectView, TrustView};

/// How everything stands that the repository asks for.
pub fn status(trust: &Trust, request: &Request) -> Result<TrustView> {
    let records = trust.records(&request.root)?;
    Ok(view(trust, request, records.at(&request.root)))
}

/// Trusts exactly what was asked for and shown, and these hosts. Only a person may lead here.
pub fn accept(trust: &Trust, request: &Request, more_hosts: &[String], ctx: &Context) -> Result<TrustView> {
    let at = ctx.now_rfc3339();
    change(trust, request, |record| {
        for subject in Subject::ALL {
            // A file that is gone keeps its gates: it was trusted once, and nobody has been shown anything else.
            let Some(text) = request.text(subject) else { continue };
            let kept = Kept { digest: digest(text), at: at.clone(), text: text.to_owned(), revoked: false };
            *record.subject_mut(subject) = Some(kept);
        }
        record.hosts.extend(request.hosts.iter().map(|host| host.origin.clone()));
        record.hosts.extend(more_hosts.iter().cloned());
    })?;
    status(trust, request)
}

/// Trusts the checks and gates as they are now, and nothing else that the repository asks for.
pub(crate) fn accept_proof(trust: &Trust, request: &Request, ctx: &Context) -> Result<()> {
    let Some(text) = request.text(Subject::Proof) else { return Ok(()) };
    let kept = Kept { digest: digest(text), at: ctx.now_rfc3339(), text: text.to_owned(), revoked: false };
    change(trust, request, |record| *record.subject_mut(Subject::Proof) = Some(kept))
}

/// Holds the gates as they are now and allows nothing: what was trusted before is held with what `raise` makes of it, else the
/// file as it stands.
pub(crate) fn hold_gates(
    trust: &Trust,
    request: &Request,
    ctx: &Context,
    raise: impl FnOnce(&str) -> Result<String>,
) -> Result<()> {
    let Some(present) = request.text(Subject::Proof) else { return Ok(()) };
    let before = trust.last_trusted(&request.root, Subject::Proof)?;
    let text = before.as_deref().map_or_else(|| Ok(present.to_owned()), raise)?;
    let kept = Kept { digest: digest(&text), at: ctx.now_rfc3339(), text, revoked: true };
    change(trust, request, |record| *record.subject_mut(Subject::Proof) = Some(kept))
}

/// Takes all trust back. The gates that were trusted stay on record, or taking trust back would open them.
pub fn revoke(trust: &Trust, request: &Request) -> Result<TrustView> {
    change(trust, request, |record| {
        record.workstation = None;
        record.hosts = BTreeSet::new();
        if let Some(proof) = &mut record.proof {
            proof.revoked = true;
        }
    })?;
    status(trust, request)
}

fn change(trust: &Trust, request: &Request, edit: impl FnOnce(&mut Record)) -> Result<()> {
    let file = trust.writable(&request.root)?;
    let written = file.update(|text| {
        let mut records = Records::read(text.as_deref()).map_err(|error| unreadable(file, error))?;
        let Some(record) = records.at_mut(&request.root) else {
            return Err(Error::new(
                Kind::Refused,
                Key::PathUnreadable,
                format!("`{}` cannot be named in `{FILE}`: its path is not UTF-8", request.root.display()),
            ));
        };
        edit(record);
        Ok(records.write())
    });
    written.map_err(|error| unwritable(file, error))?
}

fn view(trust: &Trust, request: &Request, record: Option<&Record>) -> TrustView {
    let subject = |subject: Subject| {
        let kept = record.and_then(|record| record.subject(subject));
        let Some(text) = request.text(subject) else {
            // Nothing asks for it; a text that was trusted still holds its gates.
            return kept.map(|kept| TrustSubjectView {
                subject: subject.as_str().to_owned(),
                standing: TrustState::Gone,
                digest: None,
                trusted_digest: Some(kept.digest.to_string()),
                trusted_at: Some(kept.at.clone()),
                text: String::new(),
                changes: None,
            });
        };
        let standing = match kept {
            Some(kept) if kept.revoked => TrustState::Untrusted,
            Some(kept) if kept.digest == digest(text) => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::Untrusted,
        };
        let changes = kept.filter(|kept| kept.text != text).map(|kept| diff(&kept.text, text));
        Some(TrustSubjectView {
            subject: subject.as_str().to_owned(),
            standing,
            digest: Some(digest(text).to_string()),
            trusted_digest: kept.map(|kept| kept.digest.to_string()),
            trusted_at: kept.map(|kept| kept.at.clone()),
            text: text.to_owned(),
            changes,
        })
    };
    let mut hosts: Vec<TrustHostView> = Vec::new();
    for host in &request.hosts {
        let trusted = record.is_some_and(|record| record.hosts.contains(&host.origin));
        hosts.push(TrustHostView {
            host: host.origin.clone(),
            named_by: Some(host.named_by.clone()),
            trusted,
        });
    }
    for origin in record.iter().flat_map(|record| &record.hosts) {
        if !hosts.iter().any(|host| host.host == *origin) {
            hosts.push(TrustHostView { host: origin.clone(), named_by: None, trusted: true });
        }
    }
    TrustView {
        root: request.root.display().to_string(),
        subjects: Subject::ALL.into_iter().filter_map(subject).collect(),
        hosts,
        file: trust.file.as_ref().map(|file| file.path().display().to_string()),
    }
}

fn diff(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().header("trusted", "now").to_string()
}
