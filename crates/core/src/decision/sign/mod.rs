//! What the files of a repository say about it: languages, frameworks, databases, test runners, CI.
//!
//! The table is data, `signs.toml` beside this file. What was seen is never decided anew: nobody is asked about it, and
//! it stands in the context of a record, with the file that it was seen in.

mod manifest;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

const BUILTIN: &str = include_str!("signs.toml");
/// Folders whose manifests say nothing about the project itself.
const ELSEWHERE: [&str; 14] = [
    "test",
    "tests",
    "__tests__",
    "fixtures",
    "__fixtures__",
    "testdata",
    "example",
    "examples",
    "sample",
    "samples",
    "docs",
    "vendor",
    "third_party",
    "templates",
];
/// How many folders down a project of the repository may lie.
const DEPTH: usize = 3;

/// Something that is known without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The id of the question that it answers, or what it is about in words.
    pub about: String,
    pub value: String,
    /// The file that says so.
    pub seen_in: String,
}

/// The table of signs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signs {
    #[serde(rename = "sign")]
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    value: String,
    file: Files,
    #[serde(default)]
    has: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Files {
    One(String),
    Several(Vec<String>),
}

impl Files {
    fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(file) => std::slice::from_ref(file),
            Self::Several(files) => files,
        }
        .iter()
        .map(String::as_str)
    }
}

impl Signs {
    pub fn builtin() -> &'static Self {
        static TABLE: OnceLock<Signs> = OnceLock::new();
        TABLE.get_or_init(|| {
            toml_edit::de::from_str(BUILTIN).expect("the table of signs is well formed: a test reads it")
        })
    }

    /// The hidden files and folders that are signs; a survey of the repository leaves them out.
    pub fn hidden(&self) -> BTreeSet<&str> {
        self.rows.iter().flat_map(|row| row.file.iter()).filter(|file| file.starts_with('.')).collect()
    }

    /// Which of these paths have to be read: manifests whose dependencies are signs, those of the root first.
    pub fn manifests<'p>(&self, paths: &'p [String]) -> Vec<&'p str> {
        let named: BTreeSet<&str> =
            self.rows.iter().filter(|row| !row.has.is_empty()).flat_map(|row| row.file.iter()).collect();
        let mut found: Vec<&str> = paths
            .iter()
            .map(String::as_str)
            .filter(|path| named.iter().any(|file| is_called(file_name(path), file)) && depth(path).is_some())
            .collect();
        found.sort_by_key(|path| (depth(path), *path));
        found
    }

    /// What these paths and the texts of the manifests among them say. For each matter one thing: what lies nearest to
    /// the root, and of those what stands first in the table.
    pub fn seen(&self, paths: &[String], texts: &BTreeMap<String, String>) -> Vec<Known> {
        let names: BTreeMap<&str, BTreeSet<String>> = texts
            .iter()
            .map(|(path, text)| (path.as_str(), manifest::dependencies(file_name(path), text)))
            .collect();
        let mut found: Vec<(usize, Known)> = Vec::new();
        for row in &self.rows {
            let shown = paths.iter().filter_map(|path| {
                let at = row.file.iter().find_map(|file| stands_for(file, path))?;
                let has = row.has.is_empty()
                    || names
                        .get(path.as_str())
                        .is_some_and(|names| row.has.iter().any(|name| names.contains(name)));
                has.then_some((at, path))
            });
            let Some((at, path)) = shown.min() else { continue };
            let known = Known { about: row.about.clone(), value: row.value.clone(), seen_in: path.clone() };
            match found.iter_mut().find(|(_, other)| other.about == row.about) {
                Some(other) if at < other.0 => *other = (at, known),
                Some(_) => {}
                None => found.push((at, known)),
            }
        }
        found.into_iter().map(|(_, known)| known).collect()
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How deep a path lies; `None` where it says nothing about the project.
fn depth(path: &str) -> Option<usize> {
    let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
    let elsewhere = folders.iter().any(|folder| ELSEWHERE.contains(folder));
    (!elsewhere && folders.len() <= DEPTH).then_some(folders.len())
}

/// Whether a file is what a row of the table calls: `*` stands for any letters.
fn is_called(name: &str, file: &str) -> bool {
    match file.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == file,
    }
}

/// How deep the project lies whose sign this path is.
fn stands_for(file: &str, path: &str) -> Option<usize> {
    let project = match file.strip_suffix('/') {
        Some(folder) => {
            let padded = format!("/{path}/");
            padded.find(&format!("/{folder}/")).map(|at| &path[..at.min(path.len())])?
        }
        None if file.contains('/') => path.strip_suffix(file)?,
        None => {
            let name = file_name(path);
            if !is_called(name, file) {
                return None;
            }
            &path[..path.len() - name.len()]
        }
    };
    let inside = format!("{}/x", project.trim_matches('/'));
    depth(inside.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(files: &[(&str, &str)]) -> Vec<(String, String, String)> {
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let signs = Signs::builtin();
        let read = signs.manifests(&paths);
        let texts = files
            .iter()
            .filter(|(path, _)| read.contains(path))
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        signs
            .seen(&paths, &texts)
            .into_iter()
            .map(|known| (known.about, known.value, known.seen_in))
            .collect()
    }

    fn value(files: &[(&str, &str)], about: &str) -> Option<String> {
        seen(files).into_iter().find(|(known, ..)| known == about).map(|(_, value, _)| value)
    }

    #[test]
    fn a_small_typescript_project_tells_most_of_itself() {
        let files = [
            (
                "package.json",
                r#"{"dependencies": {"express": "^5", "pg": "8"}, "devDependencies": {"vitest": "3"}}"#,
            ),
            ("tsconfig.json", "{}"),
            ("pnpm-lock.yaml", ""),
            ("compose.yaml", "services:\n  cache:\n    image: \"redis:7-alpine\"\n"),
            (".github/workflows/", ""),
        ];
        for (about, wanted, file) in [
            ("language", "TypeScript", "tsconfig.json"),
            ("backend_language", "TypeScript/Node", "package.json"),
            ("backend_framework", "Express.js", "package.json"),
            ("api_style", "REST", "package.json"),
            ("db_type", "PostgreSQL", "package.json"),
            ("caching", "Redis", "compose.yaml"),
            ("test runner", "Vitest", "package.json"),
            ("package manager", "pnpm", "pnpm-lock.yaml"),
            ("ci_cd", "GitHub Actions", ".github/workflows/"),
        ] {
            let found = seen(&files);
            let known = found.iter().find(|(known, ..)| known == about);
            assert_eq!(
                known.map(|(_, value, file)| (value.as_str(), file.as_str())),
                Some((wanted, file)),
                "{about}"
            );
        }
    }

    #[test]
    fn what_lies_nearest_to_the_root_is_the_project() {
        let files = [
            ("web/package.json", r#"{"dependencies": {"next": "15"}}"#),
            ("web/tsconfig.json", ""),
            ("Cargo.toml", "[dependencies]\naxum = \"0.8\"\n"),
        ];
        assert_eq!(value(&files, "language").as_deref(), Some("Rust"));
        assert_eq!(value(&files, "backend_framework").as_deref(), Some("Axum"));
        assert_eq!(value(&files, "frontend_framework").as_deref(), Some("Next.js"));
    }

    #[test]
    fn fixtures_examples_and_words_of_a_description_are_no_signs() {
        let files = [
            ("tests/fixtures/package.json", r#"{"dependencies": {"express": "4"}}"#),
            ("package.json", r#"{"description": "like express, with pg", "scripts": {"vue": "x"}}"#),
            ("a/b/c/d/go.mod", "module x"),
        ];
        assert_eq!(value(&files, "backend_framework"), None);
        assert_eq!(value(&files, "db_type"), None);
        assert_eq!(value(&files, "frontend_framework"), None);
        assert_eq!(value(&files, "language").as_deref(), Some("JavaScript"));
    }

    #[test]
    fn every_language_has_its_manifest() {
        for (file, text, about, wanted) in [
            (
                "go.mod",
                "module x\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1\n)\n",
                "backend_framework",
                "Echo",
            ),
            (
                "requirements.txt",
                "# django is not used\nFastAPI[all]>=0.1 ; python_version > '3'\n",
                "backend_framework",
                "FastAPI",
            ),
            (
                "pyproject.toml",
                "[project]\ndependencies = [\"flask ~= 3.0\", \"psycopg[binary]\"]\n",
                "db_type",
                "PostgreSQL",
            ),
            (
                "pyproject.toml",
                "[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n",
                "test runner",
                "pytest",
            ),
            ("Gemfile", "gem 'rails', '~> 8'\n# gem 'sinatra'\n", "backend_framework", "Ruby on Rails"),
            (
                "pom.xml",
                "<artifactId>spring-boot-starter-web</artifactId>",
                "backend_framework",
                "Spring Boot",
            ),
            ("Cargo.toml", "[workspace.dependencies]\nsqlx = { version = \"0.8\" }\n", "db_orm", "SQLx"),
            (
                "docker-compose.yml",
                "    image: docker.io/library/postgres@sha256:00\n",
                "db_type",
                "PostgreSQL",
            ),
            ("api/prisma/schema.prisma", "", "db_orm", "Prisma"),
            ("App.csproj", "", "language", "C#"),
            (
                "src/App/App.csproj",
                r#"<Project Sdk="Microsoft.NET.Sdk.Web">"#,
                "backend_framework",
                "ASP.NET Core",
            ),
            ("App.csproj", r#"<PackageReference Include="xunit" Version="2" />"#, "test runner", "xUnit"),
            ("pom.xml", "<artifactId>junit-jupiter</artifactId>", "test runner", "JUnit"),
            (
                "build.gradle.kts",
                "testImplementation(\"org.junit.jupiter:junit-jupiter:5\")",
                "test runner",
                "JUnit",
            ),
            ("go.mod", "require gorm.io/driver/sqlite v1.5\n", "db_type", "SQLite"),
            ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-q\"\n", "test runner", "pytest"),
            (
                "prisma/schema.prisma",
                "datasource db {\n  provider = \"postgresql\"\n}\n",
                "db_type",
                "PostgreSQL",
            ),
        ] {
            assert_eq!(value(&[(file, text)], about).as_deref(), Some(wanted), "{file}");
        }
    }

    #[test]
    fn a_manifest_that_cannot_be_read_says_only_that_it_is_there() {
        let files = [("package.json", "{ not json"), ("Cargo.toml", "[[["), ("pyproject.toml", "")];
        assert_eq!(value(&files, "backend_framework"), None);
        assert!(value(&files, "language").is_some());
    }
}
