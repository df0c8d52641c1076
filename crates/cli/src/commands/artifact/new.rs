//! `hewto artifact new`.

use std::collections::BTreeMap;

use hewto_core::artifact::{ArtifactKind, Scheme};
use hewto_engine::artifact::{self, CreationRequest, Profile, Run, ScratchRequest};
use hewto_engine::graph::ArtifactRef;
use hewto_engine::view::EnvelopeView;
use hewto_engine::{Context, Result, Workspace};
use serde_json::{Map, Value, json};

use crate::act;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::Place;
use crate::ui::{NAME, Ui, paint};
use crate::values;

/// Create a spec, an implementation or a scratch pad from its template
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hewto artifact new spec order-history --depends spec://orders
  hewto artifact new impl order-history-rust --spec spec://order-history --language rust@1.91.0
  hewto artifact new scratch add-paging --profile feat --target impl://order-history-rust")]
pub(crate) struct Args {
    /// What to create
    #[arg(value_parser = ["spec", "impl", "scratch"])]
    kind: String,
    /// One to four lower-case words with hyphens
    name: String,
    /// The spec that an implementation implements
    #[arg(long, value_name = "HANDLE")]
    spec: Option<String>,
    /// The language of an implementation, such as rust@1.91.0
    #[arg(long, value_name = "ID@VERSION")]
    language: Option<String>,
    /// What it depends on or refers to; may be given several times
    #[arg(long, value_name = "HANDLE")]
    depends: Vec<String>,
    /// The kind of work of a scratch pad
    #[arg(long, value_parser = values::profile(), default_value = "ref")]
    profile: Profile,
    /// What a scratch pad is about
    #[arg(long, value_name = "HANDLE")]
    target: Option<String>,
    /// A heading that a scratch pad is about; may be given several times
    #[arg(long, value_name = "FRAGMENT")]
    heading: Vec<String>,
    /// A value for a token of the template; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    token: Vec<String>,
    /// Use this template instead of the workspace's
    #[arg(long, value_name = "LOCATOR")]
    template: Option<String>,
    /// Check everything and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let inputs = json!({ "kind": args.kind, "name": args.name, "dry_run": args.dry_run });
    let view = act::in_workspace(&workspace, "artifact new", inputs, |ctx| {
        let plan_id = plan(&workspace, ctx, args)?;
        artifact::create(&workspace, ctx, &plan_id, BTreeMap::new(), run)
    })?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn plan(workspace: &Workspace, ctx: &Context, args: Args) -> Result<String> {
    let tokens = tokens(&args.token)?;
    if args.kind == Scheme::Scratch.as_str() {
        let target = args.target.ok_or_else(|| {
            usage("a scratch pad needs `--target`")
                .hint("name a spec or an implementation: `--target HANDLE`")
        })?;
        let request = ScratchRequest {
            profile: args.profile,
            name: args.name,
            target: ArtifactRef::Locator(target),
            tokens,
            headings: args.heading,
        };
        return Ok(artifact::plan_scratchpad(workspace, ctx, &request)?.plan.plan_id);
    }
    let is_spec = args.kind == Scheme::Spec.as_str();
    if !is_spec && args.spec.is_none() {
        return Err(
            usage("an implementation needs `--spec`").hint("name the spec it implements: `--spec HANDLE`")
        );
    }
    let mut front_matter = Map::new();
    let key = if is_spec { "dependencies" } else { "references" };
    if !args.depends.is_empty() {
        front_matter.insert(key.to_owned(), json!(args.depends));
    }
    for (key, value) in [("spec", args.spec), ("primary_language", args.language)] {
        front_matter.extend(value.map(|value| (key.to_owned(), json!(value))));
    }
    let kind = if is_spec { ArtifactKind::Specification } else { ArtifactKind::Implementation };
    let request = CreationRequest { kind, name: args.name, template: args.template, tokens, front_matter };
    Ok(artifact::plan_creation(workspace, ctx, &request)?.plan_id)
}

fn tokens(given: &[String]) -> Result<BTreeMap<String, Value>> {
    let pair = |text: &String| {
        let (name, value) =
            text.split_once('=').ok_or_else(|| usage(format!("`{text}` is not NAME=VALUE")))?;
        Ok((name.to_owned(), json!(value)))
    };
    given.iter().map(pair).collect()
}

pub(super) fn render(view: &EnvelopeView) -> String {
    if view.artifacts.is_empty() {
        return "nothing was written".to_owned();
    }
    let lines =
        view.artifacts.iter().map(|touched| format!("{} {}\n", touched.action, paint(NAME, &touched.path)));
    lines.collect()
}
