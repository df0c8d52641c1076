//! `hewto spec new`.

use hewto_core::spec::Category;
use hewto_engine::spec::{self, NewSpec};
use serde_json::json;

use crate::act;
use crate::actions::typed;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};
use crate::values::{self, Dependency, Source};

/// Write a new spec
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What is wanted, in a few words
    title: String,
    /// What is wanted and why, in a sentence or two
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// The kind of work [default: what the workspace's configuration says]
    #[arg(long, value_parser = values::category())]
    category: Option<Category>,
    /// Take the body of the spec from this Markdown file, or from standard input for `-`
    #[arg(long, value_name = "FILE")]
    content: Option<Source>,
    /// Depend on another spec: ID, ID:hard (must be done before the build) or ID:soft; may be repeated
    #[arg(long = "depends", value_name = "ID[:KIND]")]
    depends: Vec<Dependency>,
    /// Name the decision that it follows from
    #[arg(long, value_name = "UID")]
    decision: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let spec = NewSpec {
        title: args.title,
        description: args.description,
        category: args.category,
        content: args.content.as_ref().map(Source::read).transpose()?,
        dependencies: args.depends.into_iter().map(Into::into).collect(),
        decision: args.decision,
    };
    let inputs = json!({ "title": spec.title, "description": spec.description, "decision": spec.decision });
    let created =
        act::in_workspace(&workspace, "spec new", inputs, |ctx| spec::create(&workspace, ctx, &spec))?;
    ui.answer(&created, |created| {
        let next =
            typed(&format!("plan new {} --approach \"…\" --step \"title: description\"", created.spec_id));
        facts([
            ("created", Cell::styled(&created.spec_id, NAME)),
            ("folder", Cell::plain(&created.path)),
            ("next", Cell::plain(next)),
        ])
    })?;
    Ok(Verdict::Yes)
}
