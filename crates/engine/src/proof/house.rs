//! The language of a project, by a file that stands for it: how it writes comments is how tags are shown.

use std::collections::BTreeMap;

use hewto_core::proof::is_code;
use hewto_core::proof::settings::{Check, Format};
use hewto_store::{Context, DocKey, Survey};

use super::settings::load;
use crate::workspace::Workspace;

/// How far into a project files are counted, and how many.
const SURVEY: Survey<'static> = Survey {
    depth: 4,
    files: 500,
    // Specs are no code, and there may be ten thousand of them.
    skipped: &[
        "node_modules",
        "__pycache__",
        "venv",
        "dist",
        "build",
        "target",
        "vendor",
        "specs",
        "openspec",
    ],
};
/// What lies at the top of projects, and what their code is written in.
const SIGNS: [(&str, &str); 14] = [
    ("Cargo.toml", "a.rs"),
    ("package.json", "a.ts"),
    ("go.mod", "a.go"),
    ("pyproject.toml", "a.py"),
    ("setup.py", "a.py"),
    ("setup.cfg", "a.py"),
    ("requirements.txt", "a.py"),
    ("Gemfile", "a.rb"),
    ("pom.xml", "a.java"),
    ("build.gradle", "a.java"),
    ("build.gradle.kts", "a.kt"),
    ("mix.exs", "a.exs"),
    ("composer.json", "a.php"),
    ("Package.swift", "a.swift"),
];
/// Programs that run the tests of one language.
const RUNNERS: [(&str, &str); 13] = [
    ("pytest", "a.py"),
    ("tox", "a.py"),
    ("python", "a.py"),
    ("cargo", "a.rs"),
    ("go", "a.go"),
    ("vitest", "a.ts"),
    ("jest", "a.ts"),
    ("bats", "a.bats"),
    ("mvn", "a.java"),
    ("gradle", "a.java"),
    ("dotnet", "a.cs"),
    ("rspec", "a.rb"),
    ("mix", "a.exs"),
];

/// What the checks run says it, else what lies at the top of the project, else most of its files.
pub(crate) fn house_file(ws: &Workspace, ctx: &Context) -> Option<String> {
    let checks = load(ws, ctx).map(|loaded| loaded.settings.checks).unwrap_or_default();
    let stands = |name: &str| DocKey::named(name).is_some_and(|key| ws.store().stands(&key));
    let by_check = checks.iter().find_map(of_check);
    let by_sign = || SIGNS.iter().find(|(sign, _)| stands(sign)).map(|(_, file)| *file);
    match by_check.or_else(by_sign) {
        Some(file) => Some(file.to_owned()),
        None => most(ws, ctx),
    }
}

fn of_check(check: &Check) -> Option<&'static str> {
    let by_format = match check.format {
        Format::Gotest => Some("a.go"),
        Format::Vitest | Format::Jest => Some("a.ts"),
        Format::Pytest => Some("a.py"),
        Format::Libtest | Format::Nextest => Some("a.rs"),
        Format::Trx => Some("a.cs"),
        _ => None,
    };
    let is_run = |name: &str| {
        check.run.iter().take(3).any(|word| {
            let program = word.rsplit('/').next().unwrap_or(word);
            program
                .strip_prefix(name)
                .is_some_and(|rest| rest.bytes().all(|byte| !byte.is_ascii_alphabetic()))
        })
    };
    by_format.or_else(|| RUNNERS.iter().find(|(name, _)| is_run(name)).map(|(_, file)| *file))
}

/// A file of the kind that most of the code is.
fn most(ws: &Workspace, ctx: &Context) -> Option<String> {
    let files = ws.store().survey(ctx, SURVEY).ok()?;
    let mut kinds: BTreeMap<&str, (usize, &String)> = BTreeMap::new();
    for file in files.iter().filter(|file| is_code(file)) {
        let kind = file.rsplit_once('.').map_or("", |(_, kind)| kind);
        kinds.entry(kind).or_insert((0, file)).0 += 1;
    }
    kinds.into_values().max_by_key(|(count, _)| *count).map(|(_, file)| file.clone())
}
