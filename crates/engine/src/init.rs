//! `init`: makes a workspace where there is none.

use std::path::Path;

use hewto_store::{Context, LayoutKind, Start, Store, discover, plan_init};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::text;

/// Longest name of a project, in characters.
const MAX_NAME_CHARS: usize = 100;
/// Longest description of a project, in characters.
const MAX_DESCRIPTION_CHARS: usize = 500;

/// What kind of workspace is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitOptions {
    pub layout: LayoutKind,
    /// The folder's name when absent.
    pub name: Option<String>,
    pub description: Option<String>,
}

/// What `init` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitView {
    pub root: String,
    pub layout: String,
    /// False when there was a workspace already; nothing was changed then
    pub created: bool,
    /// What was created, relative to the root
    pub files: Vec<String>,
}

/// Makes a workspace in a folder, unless the folder is in one already.
pub fn init(folder: &Path, ctx: &Context, options: &InitOptions) -> Result<InitView> {
    if let Ok(layout) = discover(Start::Here(folder)) {
        let kinds: Vec<&str> = layout.kinds().iter().map(|kind| kind.as_str()).collect();
        return Ok(InitView {
            root: layout.root().display().to_string(),
            layout: kinds.join(", "),
            created: false,
            files: Vec::new(),
        });
    }
    let root = Store::make_root(folder)?;
    let name = match &options.name {
        Some(name) => limited("name", &text::title("name", name)?, MAX_NAME_CHARS)?,
        None => {
            root.file_name().map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
        }
    };
    let description = text::optional("description", options.description.as_deref())?.unwrap_or_default();
    let description = limited("description", &description, MAX_DESCRIPTION_CHARS)?;
    let plan = plan_init(&root, options.layout, &name, &description);
    Store::init(ctx, &plan)?;
    let mut files: Vec<String> = plan.folders.iter().map(|folder| format!("{folder}/")).collect();
    files.extend(plan.files.iter().map(|(path, _)| path.to_string()));
    files.sort();
    Ok(InitView {
        root: root.display().to_string(),
        layout: options.layout.as_str().to_owned(),
        created: true,
        files,
    })
}

fn limited(field: &str, text: &str, most: usize) -> Result<String> {
    if text.chars().count() > most {
        return Err(Error::validation(format!("`{field}` has more than {most} characters"))
            .detail("field", field)
            .hint("shorten it"));
    }
    Ok(text.to_owned())
}
