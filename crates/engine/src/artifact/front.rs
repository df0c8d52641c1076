//! The front matter of a new artifact: what its kind asks for, with every reference resolved.

use hewto_core::artifact::{ArtifactKind, WorkType, branch_name};
use hewto_core::document::front_matter::Value as Yaml;
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::{Context, DocKey};
use serde_json::{Map, Value, json};

use super::fragment;
use super::plan_store::Seen;
use super::request::{CreationRequest, Placed};
use crate::error::{Error, Result};
use crate::graph::not_found;
use crate::metadata::{Holder, Meant, relative_path, require_kind, to_yaml};
use crate::workspace::Workspace;

/// Makes the front matter, and notes what it looked at.
pub(super) struct Maker<'a> {
    pub(super) ws: &'a Workspace,
    pub(super) ctx: &'a Context,
    pub(super) graph: &'a WorkspaceGraph,
    pub(super) place: &'a Placed,
    pub(super) seen: Seen,
}

pub(super) type Front = Vec<(String, Yaml)>;

impl Maker<'_> {
    pub(super) fn specification(&mut self, request: &CreationRequest) -> Result<Front> {
        let mut front = plain(request, &["name", "dependencies"]);
        set_default(&mut front, "name", || request.name.as_str().into());
        set_default(&mut front, "version", || "1.0.0".into());
        let allowed = [ArtifactKind::Specification];
        let dependencies = self.references(request, "dependencies", &allowed, |meant, optional| {
            if !optional {
                return meant.written.as_str().into();
            }
            Yaml::Map(vec![
                ("ref".to_owned(), meant.written.as_str().into()),
                ("optional".to_owned(), Yaml::Bool(true)),
            ])
        })?;
        front.push(("dependencies".to_owned(), Yaml::List(dependencies)));
        Ok(front)
    }

    pub(super) fn implementation(&mut self, request: &CreationRequest) -> Result<Front> {
        let mut front = plain(request, &["name", "spec", "references", "primary_language"]);
        let spec = required(request, "spec", "an implementation implements exactly one spec")?;
        let meant = self.resolve(spec)?;
        require_kind("what is implemented", &[ArtifactKind::Specification], &meant, spec)?;
        front.push(("spec".to_owned(), meant.written.as_str().into()));
        set_default(&mut front, "name", || request.name.as_str().into());
        set_default(&mut front, "version", || "1.0.0".into());
        let code = format!("src/{}", request.name);
        let location = relative_path(self.place.folder.as_str(), &code);
        set_default(&mut front, "location", || location.as_str().into());
        if let Some(language) = request.front_matter.get("primary_language") {
            let language = match language {
                Value::String(name) => json!({ "language": name }),
                other => other.clone(),
            };
            front.extend(to_yaml(&language).map(|value| ("primary_language".to_owned(), value)));
        }
        let allowed = [ArtifactKind::Specification, ArtifactKind::Implementation];
        let references = self.references(request, "references", &allowed, |meant, optional| {
            let kind =
                if meant.kind == ArtifactKind::Implementation { "implementation" } else { "specification" };
            Yaml::Map(vec![
                ("ref".to_owned(), meant.written.as_str().into()),
                ("type".to_owned(), kind.into()),
                ("optional".to_owned(), Yaml::Bool(optional)),
            ])
        })?;
        front.push(("references".to_owned(), Yaml::List(references)));
        Ok(front)
    }

    pub(super) fn scratch_pad(&mut self, request: &CreationRequest) -> Result<(Front, WorkType, String)> {
        let mut front = plain(request, &["name", "target", "dependencies", "work_type", "branch"]);
        let (work_type, payload) = work_type(request)?;
        let target = required(request, "target", "a scratch pad is about one spec or implementation")?;
        let meant = self.resolve(target)?;
        require_kind(
            &format!("the target of `{}`", work_type.as_str()),
            &[work_type.target_kind()],
            &meant,
            target,
        )?;
        let node = meant.node.ok_or_else(|| not_found(self.graph, target))?;
        fragment::require_headings(self.ws, self.ctx, self.graph, node, work_type, &payload)?;
        let path = self.graph.node(node).path.clone().unwrap_or_default();
        let folder = path.rsplit_once('/').map_or(path.as_str(), |(folder, _)| folder);
        let target_name = folder.rsplit_once('/').map_or(folder, |(_, name)| name);
        let branch = match request.front_matter.get("branch").and_then(Value::as_str) {
            Some(branch) => branch.to_owned(),
            None => branch_name(target_name, work_type, &request.name),
        };
        front.push(("target".to_owned(), path.as_str().into()));
        front.push(("branch".to_owned(), branch.as_str().into()));
        let payload = to_yaml(&Value::Object(payload)).unwrap_or(Yaml::Map(Vec::new()));
        front.push(("work_type".to_owned(), Yaml::Map(vec![(work_type.as_str().to_owned(), payload)])));
        let dependencies =
            self.references(request, "dependencies", &[ArtifactKind::ScratchPad], |meant, _| {
                meant.written.as_str().into()
            })?;
        if !dependencies.is_empty() {
            front.push(("dependencies".to_owned(), Yaml::List(dependencies)));
        }
        Ok((front, work_type, path))
    }

    fn references(
        &mut self,
        request: &CreationRequest,
        key: &str,
        allowed: &[ArtifactKind],
        write: impl Fn(&Meant, bool) -> Yaml,
    ) -> Result<Vec<Yaml>> {
        let Some(given) = request.front_matter.get(key) else { return Ok(Vec::new()) };
        let bad = || {
            Error::invalid_argument(
                "front_matter",
                "a list of references",
                format!("`{key}` is not a list of references"),
            )
            .hint(format!("write `{key}` as a list of locators or {{\"ref\": …, \"optional\": …}}"))
        };
        let mut written = Vec::new();
        for item in given.as_array().ok_or_else(bad)? {
            let text = item.as_str().or_else(|| item.get("ref")?.as_str()).ok_or_else(bad)?;
            let optional = item.get("optional").and_then(Value::as_bool).unwrap_or(false);
            let meant = self.resolve(text)?;
            require_kind("a reference", allowed, &meant, text)?;
            written.push(write(&meant, optional));
        }
        Ok(written)
    }

    fn resolve(&mut self, text: &str) -> Result<Meant> {
        let holder = Holder { kind: self.place.scheme.kind(), path: self.place.path.clone() };
        let meant = match holder.kind {
            // Scratch pads are about others, whose names are tried too.
            ArtifactKind::ScratchPad => self.target(&holder, text)?,
            _ => holder.resolve(self.ws, self.graph, text)?,
        };
        if let Some(node) = meant.node {
            self.note(node)?;
        }
        Ok(meant)
    }

    fn target(&self, holder: &Holder, text: &str) -> Result<Meant> {
        let named = [ArtifactKind::Implementation, ArtifactKind::Specification]
            .into_iter()
            .find_map(|kind| self.graph.named(kind, text).first().copied());
        let own = self.graph.named(ArtifactKind::ScratchPad, text).first().copied();
        match own.or(named).filter(|_| !text.contains(['/', ':'])) {
            Some(node) => {
                let kind = self.graph.node(node).kind;
                Ok(Meant { node: Some(node), kind, written: text.to_owned() })
            }
            None => holder.resolve(self.ws, self.graph, text),
        }
    }

    /// Remembers what a document said when the plan was made.
    fn note(&mut self, node: NodeId) -> Result<()> {
        let Some(path) = &self.graph.node(node).path else { return Ok(()) };
        let Some(key) = DocKey::named(path) else { return Ok(()) };
        let doc = self.ws.store().read(self.ctx, &key)?;
        let hash = doc.map_or_else(|| "absent".to_owned(), |doc| doc.hash.to_string());
        self.seen.insert(path.clone(), hash);
        Ok(())
    }
}

/// The keys that are written as they were given.
fn plain(request: &CreationRequest, handled: &[&str]) -> Front {
    let given = request.front_matter.iter().filter(|(key, _)| !handled.contains(&key.as_str()));
    given.filter_map(|(key, value)| Some((key.clone(), to_yaml(value)?))).collect()
}

fn work_type(request: &CreationRequest) -> Result<(WorkType, Map<String, Value>)> {
    let bad = |message: String| {
        let known = WorkType::ALL.map(WorkType::as_str).join(", ");
        Error::invalid_argument("front_matter", "work_type: a map with one key", message)
            .hint(format!("write `work_type` as {{\"feat\": {{}}}}, with one of {known}"))
    };
    let given = request.front_matter.get("work_type");
    let object = given
        .and_then(Value::as_object)
        .ok_or_else(|| bad("a scratch pad needs a `work_type`".to_owned()))?;
    let mut entries = object.iter();
    let (Some((name, payload)), None) = (entries.next(), entries.next()) else {
        return Err(bad(format!("`work_type` has {} keys, not one", object.len())));
    };
    let work_type = WorkType::parse(name).ok_or_else(|| bad(format!("`{name}` is not a kind of work")))?;
    Ok((work_type, payload.as_object().cloned().unwrap_or_default()))
}

fn required<'r>(request: &'r CreationRequest, key: &str, why: &str) -> Result<&'r str> {
    request.front_matter.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).ok_or_else(
        || {
            Error::invalid_argument(
                "front_matter",
                &format!("{key}: a locator"),
                format!("`{key}` is missing: {why}"),
            )
            .hint(format!("give `front_matter: {{\"{key}\": \"spec://…\"}}`"))
        },
    )
}

fn set_default(front: &mut Front, key: &str, value: impl FnOnce() -> Yaml) {
    if !front.iter().any(|(known, _)| known == key) {
        front.push((key.to_owned(), value()));
    }
}
