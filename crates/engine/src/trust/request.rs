//! What a repository asks to be trusted with, as it is now.

use std::path::{Path, PathBuf};

use hewto_core::template::Pointer;
use hewto_store::{Context, DocKey, LayoutKind, Own};
use serde_json::Value;

use super::Subject;
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// Everything at once, read before it is shown: what is trusted is what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub(super) root: PathBuf,
    /// `[workstation]`, as it is understood; empty where there is none.
    pub(super) workstation: String,
    /// The whole of `.hewto/proof.toml`, where it is.
    pub(super) proof: Option<String>,
    pub(super) hosts: Vec<HostRequest>,
}

/// A host that the repository names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostRequest {
    /// Such as `https://example.org`.
    pub origin: String,
    /// What names it.
    pub named_by: String,
}

impl Request {
    /// What a workspace asks for.
    pub fn of(ws: &Workspace, ctx: &Context) -> Result<Self> {
        Ok(Self {
            root: ws.root().to_owned(),
            workstation: workstation_text(ws, ctx)?,
            proof: proof_text(ws, ctx)?,
            hosts: hosts(ws, ctx)?,
        })
    }

    /// What a folder asks for that is no workspace: running its code, and nothing else.
    pub fn of_folder(root: &Path) -> Self {
        Self { root: root.to_owned(), workstation: String::new(), proof: None, hosts: Vec::new() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The digests of all that there is to trust.
    pub fn digests(&self) -> Vec<String> {
        let texts = Subject::ALL.into_iter().filter_map(|subject| self.text(subject));
        texts.map(|text| super::digest(text).to_string()).collect()
    }

    pub(super) fn text(&self, subject: Subject) -> Option<&str> {
        match subject {
            Subject::Workstation => Some(&self.workstation),
            Subject::Proof => self.proof.as_deref(),
        }
    }
}

/// `[workstation]` in one spelling: its keys sorted, without comments. Whatever means the same has the same digest, and
/// what is shown to the owner is what the digest is of.
pub(crate) fn workstation_text(ws: &Workspace, ctx: &Context) -> Result<String> {
    // The settings of other tools are theirs: nothing in them is obeyed.
    if !ws.store().has(LayoutKind::Native) {
        return Ok(String::new());
    }
    section_text(&ws.config_text(ctx)?)
}

pub(crate) fn section_text(config: &str) -> Result<String> {
    let invalid = |why: String| {
        Error::new(
            Kind::Refused,
            Key::ConfigInvalid,
            format!("the `[workstation]` settings cannot be read: {}", why.trim_end()),
        )
        .hint("correct `[workstation]` in the configuration of the workspace")
    };
    let file: Value = toml_edit::de::from_str(config).map_err(|error| invalid(error.to_string()))?;
    let Some(section) = file.get("workstation") else { return Ok(String::new()) };
    let sorted = serde_json::json!({ "workstation": sorted(section) });
    toml_edit::ser::to_string_pretty(&sorted).map_err(|error| invalid(error.to_string()))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// The whole of `.hewto/proof.toml`, where it is.
pub(crate) fn proof_text(ws: &Workspace, ctx: &Context) -> Result<Option<String>> {
    let key = DocKey::Own(Own::Proof);
    Ok(ws.store().read(ctx, &key)?.map(|doc| doc.text))
}

/// The hosts that template pointers name.
#[expect(clippy::unnecessary_wraps, reason = "as everything that reads the workspace")]
fn hosts(ws: &Workspace, ctx: &Context) -> Result<Vec<HostRequest>> {
    let mut hosts = Vec::new();
    for pointer in Pointer::ALL {
        let Ok(Some(doc)) = ws.store().read(ctx, &DocKey::TemplatePointer(pointer)) else { continue };
        let named = doc.text.split_whitespace().filter_map(origin_of);
        hosts.extend(named.map(|origin| HostRequest { origin, named_by: doc.path.to_string() }));
    }
    hosts.sort();
    hosts.dedup();
    Ok(hosts)
}

/// The origin of an `https` address in one spelling: no user, no path, no default port. `None` for everything else.
pub fn origin_of(url: &str) -> Option<String> {
    let url = url.trim_start_matches('\u{feff}');
    let rest = url.get(..8).filter(|scheme| scheme.eq_ignore_ascii_case("https://")).map(|_| &url[8..])?;
    // A backslash ends the host for some readers; no host holds one.
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let host = host.strip_suffix(":443").unwrap_or(&host).trim_end_matches('.');
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "-._:[]".contains(ch);
    (!host.is_empty() && host.chars().all(is_plain)).then(|| format!("https://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_one_spelling_however_it_is_written() {
        let plain = section_text(
            "[project]\nname = \"x\"\n[workstation]\ntimeout_s = 5\n[workstation.commands]\ngit = []\nls = []\n",
        )
        .unwrap();
        let other = section_text(
            "# a comment\nworkstation = { commands = { ls = [], git = [] }, timeout_s = 5 } # and another\n",
        )
        .unwrap();
        assert_eq!(plain, other);
        let changed = section_text("[workstation]\ntimeout_s = 5\ncommands = { git = [], ls = [[]] }\n");
        assert_ne!(plain, changed.unwrap());
        assert_eq!(section_text("[project]\nname = \"x\"\n").unwrap(), "");
        assert_eq!(section_text("[workstation").unwrap_err().key.as_str(), "config_invalid");
    }

    #[test]
    fn a_host_has_one_spelling_and_what_is_no_host_has_none() {
        for url in [
            "https://Example.org/a",
            "HTTPS://u:p@example.org:443?x",
            "https://example.org.",
            "\u{feff}https://example.org",
        ] {
            assert_eq!(origin_of(url).as_deref(), Some("https://example.org"), "{url}");
        }
        assert_eq!(origin_of("https://[::1]:8443/x").as_deref(), Some("https://[::1]:8443"));
        assert_eq!(origin_of("https://trusted.org\\@evil.org/").as_deref(), Some("https://trusted.org"));
        for url in [
            "http://example.org",
            "https://",
            "https:///x",
            "spec://a",
            "https://exa mple.org",
            "https://é.org",
        ] {
            assert_eq!(origin_of(url), None, "{url}");
        }
    }
}
