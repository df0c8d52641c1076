//! The configuration of a project: what its `config.toml` says, and how a new one is written.
//!
//! Keys that are not known here are nobody's business and stay. A value of the wrong kind is reported and counts
//! as absent.

use toml_edit::{Document, Item, TableLike, Value};

use crate::diagnostic::Diagnostic;
use crate::document::line_of;
use crate::rules::workspace::CONFIG_INVALID;
use crate::spec::Category;

/// What a `config.toml` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectConfig {
    pub name: Option<String>,
    pub description: Option<String>,
    /// The category of specs that name none.
    pub default_category: Option<Category>,
    /// `[paths]` of a `.spox/config.toml`.
    pub paths: ConfigPaths,
}

/// Folders that Spec Oxide lets a project choose, as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigPaths {
    pub spec_folder: Option<String>,
    pub changes_folder: Option<String>,
    pub archive_folder: Option<String>,
}

impl ProjectConfig {
    /// Reads a configuration, with what is wrong with it.
    pub fn read(text: &str) -> (Self, Vec<Diagnostic>) {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let message = error.message().lines().next().unwrap_or("it is not TOML").to_owned();
                return (Self::default(), vec![invalid(text, span, &message)]);
            }
        };
        let mut reader = Reader { text, root: document.as_table(), diagnostics: Vec::new() };
        let config = Self {
            name: reader.string("project", "name"),
            description: reader.string("project", "description"),
            default_category: reader.category(),
            paths: ConfigPaths {
                spec_folder: reader.string("paths", "spec_folder"),
                changes_folder: reader.string("paths", "changes_folder"),
                archive_folder: reader.string("paths", "archive_folder"),
            },
        };
        (config, reader.diagnostics)
    }
}

/// The text of a new `config.toml`.
pub fn render_config(name: &str, description: &str) -> String {
    let (name, description) = (Value::from(name), Value::from(description));
    let category = Category::default();
    format!(
        "[project]\nname = {name}\ndescription = {description}\n\n[defaults]\ncategory = \"{category}\"\n"
    )
}

struct Reader<'t> {
    text: &'t str,
    root: &'t dyn TableLike,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn item(&mut self, table: &str, key: &str) -> Option<&'t Item> {
        let item = self.root.get(table)?;
        let Some(entries) = item.as_table_like() else {
            let problem = format!("`{table}` is not a table");
            // Said once, however many keys are asked for.
            if !self.diagnostics.iter().any(|diagnostic| diagnostic.message.ends_with(&problem)) {
                self.diagnostics.push(invalid(self.text, item.span().unwrap_or(0..0), &problem));
            }
            return None;
        };
        entries.get(key)
    }

    fn string(&mut self, table: &str, key: &str) -> Option<String> {
        let item = self.item(table, key)?;
        if item.as_str().is_none() {
            let problem = format!("`{table}.{key}` is not a string");
            self.diagnostics.push(invalid(self.text, item.span().unwrap_or(0..0), &problem));
        }
        item.as_str().map(str::to_owned)
    }

    fn category(&mut self) -> Option<Category> {
        let name = self.string("defaults", "category")?;
        let category = name.parse().ok();
        if category.is_none() {
            let span = self.item("defaults", "category").and_then(Item::span).unwrap_or(0..0);
            let known = Category::ALL.map(Category::as_str).join("`, `");
            let problem = format!("`defaults.category` is `{}`, not one of `{known}`", name.escape_debug());
            self.diagnostics.push(invalid(self.text, span, &problem));
        }
        category
    }
}

fn invalid(text: &str, span: std::ops::Range<usize>, problem: &str) -> Diagnostic {
    CONFIG_INVALID.at(
        line_of(text, span.start),
        span,
        format!("the configuration is not valid: {problem}"),
        "correct the file; `[project]` with `name` and `description` is all it needs",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SAMPLE: &str = "[project]\nname = \"my-project\"\ndescription = \"My awesome project\"\n\n[defaults]\ncategory = \"feature\"\n";

    #[test]
    fn the_sample_of_seed_000_is_read_and_written_alike() {
        let (config, diagnostics) = ProjectConfig::read(SAMPLE);
        assert_eq!(config.name.as_deref(), Some("my-project"));
        assert_eq!(config.description.as_deref(), Some("My awesome project"));
        assert_eq!(config.default_category, Some(Category::Feature));
        assert!(diagnostics.is_empty());
        assert_eq!(render_config("my-project", "My awesome project"), SAMPLE);
    }

    #[test]
    fn the_paths_of_spec_oxide_are_read_and_other_keys_tolerated() {
        let text = "[paths]\nspec_folder = \"specs/\"\nchanges_folder = \"c\"\narchive_folder = 'a'\n[rules]\nsystem = [\"mcp\"]\n";
        let (config, diagnostics) = ProjectConfig::read(text);
        assert_eq!(config.paths.spec_folder.as_deref(), Some("specs/"));
        assert_eq!(config.paths.archive_folder.as_deref(), Some("a"));
        assert_eq!((config.name, diagnostics), (None, vec![]));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, line, problem) in [
            ("[project]\nname = \n", 2, ""),
            ("[project", 1, ""),
            ("a = 1\nproject = 3\n", 2, "`project` is not a table"),
            ("[project]\nname = 3\n", 2, "`project.name` is not a string"),
            ("[defaults]\n\ncategory = \"epic\"\n", 3, "`defaults.category` is `epic`"),
        ] {
            let (_, diagnostics) = ProjectConfig::read(text);
            assert_eq!(diagnostics.len(), 1, "{text:?} {diagnostics:?}");
            assert_eq!((diagnostics[0].code, diagnostics[0].line), ("config-invalid", line), "{text:?}");
            assert!(diagnostics[0].message.contains(problem), "{}", diagnostics[0].message);
        }
        assert_eq!(ProjectConfig::read(""), (ProjectConfig::default(), vec![]));
    }

    proptest! {
        #[test]
        fn any_name_and_description_read_back(name in any::<String>(), description in any::<String>()) {
            let (config, diagnostics) = ProjectConfig::read(&render_config(&name, &description));
            prop_assert!(diagnostics.is_empty());
            prop_assert_eq!(config.name, Some(name));
            prop_assert_eq!(config.description, Some(description));
        }

        #[test]
        fn any_text_is_survived(text in "[\\[\\]a-z=\"'\n. 0-9{}]{0,40}") {
            let (_, diagnostics) = ProjectConfig::read(&text);
            prop_assert!(diagnostics.iter().all(|diagnostic| diagnostic.line >= 1));
        }
    }
}
