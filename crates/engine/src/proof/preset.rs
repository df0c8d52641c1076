//! `hewto proof init`: checks for what a project is built with, declared in `.hewto/proof.toml` and tried once.

use hewto_core::proof::settings::{Check, Policy, Settings, digest};
use hewto_store::{Context, DocKey, Expect, Own, Transaction};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::declare::with_declaration;
use super::run::try_check;
use super::settings::load;
use crate::error::{Error, Key, Kind, Result};
use crate::install::note_edit;
use crate::view::{ProofInitView, ProofPresetView};
use crate::workspace::Workspace;

/// Where reports go that nobody else needs; git ignores it.
pub(crate) const REPORTS: &str = ".hewto/cache/proof";

/// Whether the checks are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    Run,
    Skip,
}

/// A check that fits a kind of project.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Preset {
    name: &'static str,
    /// The file that gives the kind away.
    because: String,
    run: Vec<String>,
    report: Option<String>,
    format: &'static str,
    harness: Vec<String>,
    tests: &'static [&'static str],
}

/// Declares the checks that fit and are not declared yet, and tries them.
pub fn init(ws: &Workspace, ctx: &Context, trial: Trial) -> Result<ProofInitView> {
    let loaded = load(ws, ctx)?;
    let found = Finder { ws, ctx }.presets()?;
    if found.is_empty() && loaded.settings.checks.is_empty() {
        let error = Error::new(Kind::Refused, Key::NoPreset, "nothing here says how its tests are run");
        return Err(with_declaration(error, "", ""));
    }
    let new: Vec<&Preset> =
        found.iter().filter(|preset| loaded.settings.check(preset.name).is_none()).collect();
    let text = edited(loaded.text.as_deref().unwrap_or_default(), &loaded.settings, &new)?;
    if loaded.text.as_deref() != Some(text.as_str()) {
        write(ws, ctx, &text)?;
    }
    let settings = Settings::read(&text).0;
    let mut presets = Vec::new();
    for check in &settings.checks {
        let preset = found.iter().find(|preset| preset.name == check.name);
        let added = new.iter().any(|preset| preset.name == check.name);
        let tried = match trial {
            Trial::Run if added => Some(try_check(ws, ctx, check)),
            _ => None,
        };
        presets.push(ProofPresetView {
            check: check.name.clone(),
            because: preset.map(|preset| preset.because.clone()),
            added,
            run: check.run.clone(),
            tried,
        });
    }
    Ok(ProofInitView {
        file: Own::Proof.path().to_owned(),
        policy: settings.policy.as_str().to_owned(),
        checks: presets,
        digest: digest(text.as_bytes()),
    })
}

fn write(ws: &Workspace, ctx: &Context, text: &str) -> Result<()> {
    let (lock, ref ws) = ws.lock(ctx)?;
    let key = DocKey::Own(Own::Proof);
    let doc = ws.store().read(ctx, &key)?;
    let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    let mut transaction = Transaction::new();
    let before = doc.as_ref().map(|doc| doc.text.as_str());
    note_edit(ws.store(), ctx, &mut transaction, Own::Proof, before, text)?;
    transaction.put(key, text.to_owned(), expect);
    lock.commit(ctx, transaction)?;
    Ok(())
}

/// The text with new checks at its end; everything else stays as it is.
fn edited(text: &str, settings: &Settings, new: &[&Preset]) -> Result<String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| Error::cannot_edit(Own::Proof.path(), error))?;
    if text.trim().is_empty() {
        document["policy"] = value(Policy::Warn.as_str());
    }
    if settings.tests.is_empty() && !document.contains_key("tests") {
        let mut globs: Vec<&str> = new.iter().flat_map(|preset| preset.tests).copied().collect();
        globs.sort_unstable();
        globs.dedup();
        if !globs.is_empty() {
            document["tests"] = value(globs.into_iter().collect::<Array>());
        }
    }
    if new.is_empty() {
        return Ok(document.to_string());
    }
    let checks = document.entry("check").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let Some(checks) = checks.as_table_mut() else {
        return Err(Error::validation("`check` in `.hewto/proof.toml` is not a table of tables"));
    };
    for preset in new {
        let mut table = Table::new();
        table["run"] = value(preset.run.iter().map(String::as_str).collect::<Array>());
        if let Some(report) = &preset.report {
            table["report"] = value(report.as_str());
        }
        table["format"] = value(preset.format);
        if !preset.harness.is_empty() {
            table["harness"] = value(preset.harness.iter().map(String::as_str).collect::<Array>());
        }
        checks.insert(preset.name, Item::Table(table));
    }
    Ok(document.to_string())
}

/// Looks for the files that give a kind of project away.
struct Finder<'w> {
    ws: &'w Workspace,
    ctx: &'w Context,
}

impl Finder<'_> {
    fn presets(&self) -> Result<Vec<Preset>> {
        let mut presets = Vec::new();
        presets.extend(self.cargo()?);
        presets.extend(self.node()?);
        presets.extend(self.python()?);
        if self.has("go.mod")? {
            let run = words(&["go", "test", "-json", "-count=1", "./..."]);
            presets.push(preset("go", "go.mod", run, None, "gotest", &["**/*_test.go"]));
        }
        presets.extend(self.java()?);
        presets.extend(self.dotnet()?);
        Ok(presets)
    }

    fn cargo(&self) -> Result<Option<Preset>> {
        if !self.has("Cargo.toml")? {
            return Ok(None);
        }
        let tests: &[&str] = &["tests/**", "crates/*/tests/**"];
        if let Some((profile, file)) = self.nextest()? {
            let run = words(&["cargo", "nextest", "run", "--no-fail-fast", "--profile", &profile]);
            let report = format!("target/nextest/{profile}/{file}");
            let mut preset = preset("nextest", ".config/nextest.toml", run, Some(report), "junit", tests);
            preset.harness = vec![".config/nextest.toml".to_owned()];
            return Ok(Some(preset));
        }
        let run = words(&["cargo", "test", "--no-fail-fast"]);
        Ok(Some(preset("cargo", "Cargo.toml", run, None, "libtest", tests)))
    }

    /// The profile of nextest that writes JUnit, with the name of its file.
    fn nextest(&self) -> Result<Option<(String, String)>> {
        let Some(text) = self.text(".config/nextest.toml")? else { return Ok(None) };
        let Ok(document) = text.parse::<DocumentMut>() else { return Ok(None) };
        let profiles = document.get("profile").and_then(Item::as_table_like);
        Ok(profiles.and_then(|profiles| {
            profiles.iter().find_map(|(name, profile)| {
                let path = profile.get("junit")?.get("path")?.as_str()?;
                Some((name.to_owned(), path.to_owned()))
            })
        }))
    }

    fn node(&self) -> Result<Option<Preset>> {
        let Some(text) = self.text("package.json")? else { return Ok(None) };
        let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let depends = |name: &str| {
            ["dependencies", "devDependencies"].iter().any(|kind| package[*kind].get(name).is_some())
        };
        let scripts = package["scripts"]["test"].as_str().unwrap_or_default();
        let tests: &[&str] = &["**/*.test.*", "**/*.spec.*", "**/__tests__/**"];
        let (name, run) = if depends("vitest") || scripts.contains("vitest") {
            ("vitest", words(&["npx", "--no-install", "vitest", "run", "--reporter=json"]))
        } else if depends("jest") || scripts.contains("jest") {
            ("jest", words(&["npx", "--no-install", "jest", "--json"]))
        } else {
            return Ok(None);
        };
        let report = format!("{REPORTS}/{name}.json");
        let run = run.into_iter().chain([format!("--outputFile={report}")]).collect();
        let mut preset = preset(name, "package.json", run, Some(report), name, tests);
        // Vitest is often told how to judge tests in the configuration of Vite.
        let configured: &[&str] = if name == "vitest" { &["vitest", "vite"] } else { &[name] };
        for tool in configured {
            for file in ["js", "ts", "mjs", "mts", "cjs", "cts"].map(|kind| format!("{tool}.config.{kind}")) {
                if self.has(&file)? {
                    preset.harness.push(file);
                }
            }
        }
        Ok(Some(preset))
    }

    fn python(&self) -> Result<Option<Preset>> {
        let mut because = None;
        for file in [
            "pytest.ini",
            "conftest.py",
            "tests/conftest.py",
            "tox.ini",
            "pyproject.toml",
            "setup.cfg",
            "setup.py",
        ] {
            if because.is_none() && self.has(file)? {
                because = Some(file);
            }
        }
        let because = because.map(str::to_owned).or_else(|| self.python_test());
        let Some(because) = because else { return Ok(None) };
        let python = if self.has(".venv/bin/python")? { "./.venv/bin/python" } else { "python3" };
        let report = format!("{REPORTS}/pytest.xml");
        // What it compiles would stand beside the sources, where not everybody ignores it.
        let run = words(&[python, "-B", "-m", "pytest", "-q", &format!("--junitxml={report}")]);
        let tests: &[&str] = &["tests/**", "**/test_*.py", "**/*_test.py"];
        let mut preset = preset("pytest", &because, run, Some(report), "pytest", tests);
        // Also where there is none yet: one that comes decides how all tests are judged.
        preset.harness.extend(["conftest.py", "tests/conftest.py"].map(str::to_owned));
        Ok(Some(preset))
    }

    /// A test as pytest would find it, at the top or where tests usually are.
    fn python_test(&self) -> Option<String> {
        let is_test = |name: &String| {
            (name.starts_with("test_") && name.ends_with(".py")) || name.ends_with("_test.py")
        };
        ["", "tests/", "test/"].into_iter().find_map(|folder| {
            let name = self.names(folder).into_iter().find(is_test)?;
            Some(format!("{folder}{name}"))
        })
    }

    /// What lies in a folder, sorted.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs_err::read_dir(self.ws.root().join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    fn java(&self) -> Result<Option<Preset>> {
        let tests: &[&str] = &["src/test/**", "**/src/test/**"];
        if self.has("pom.xml")? {
            let program = if self.has("mvnw")? { "./mvnw" } else { "mvn" };
            let run = words(&[program, "-B", "--fail-at-end", "test"]);
            let report = "**/target/surefire-reports/TEST-*.xml".to_owned();
            return Ok(Some(preset("maven", "pom.xml", run, Some(report), "junit", tests)));
        }
        for file in ["build.gradle", "build.gradle.kts"] {
            if self.has(file)? {
                let program = if self.has("gradlew")? { "./gradlew" } else { "gradle" };
                let run = words(&[program, "test", "--continue", "--no-build-cache"]);
                let report = "**/build/test-results/test/TEST-*.xml".to_owned();
                return Ok(Some(preset("gradle", file, run, Some(report), "junit", tests)));
            }
        }
        Ok(None)
    }

    #[expect(clippy::unnecessary_wraps, reason = "tried in turn with others, which can fail")]
    fn dotnet(&self) -> Result<Option<Preset>> {
        let names = self.names("");
        let is_project = |name: &&String| {
            [".sln", ".slnx", ".csproj", ".fsproj"].iter().any(|extension| name.ends_with(extension))
        };
        let Some(because) = names.iter().find(is_project) else { return Ok(None) };
        let folder = format!("{REPORTS}/dotnet");
        let run = words(&["dotnet", "test", "--logger", "trx", "--results-directory", &folder]);
        Ok(Some(preset("dotnet", because, run, Some(format!("{folder}/*.trx")), "trx", &["**/*Tests/**"])))
    }

    fn has(&self, file: &str) -> Result<bool> {
        self.ctx.check()?;
        Ok(fs_err::symlink_metadata(self.ws.root().join(file)).is_ok())
    }

    fn text(&self, file: &str) -> Result<Option<String>> {
        let Some(key) = DocKey::named(file) else { return Ok(None) };
        Ok(self.ws.store().read(self.ctx, &key)?.map(|doc| doc.text))
    }
}

fn preset(
    name: &'static str,
    because: &str,
    run: Vec<String>,
    report: Option<String>,
    format: &'static str,
    tests: &'static [&'static str],
) -> Preset {
    Preset { name, because: because.to_owned(), run, report, format, harness: Vec::new(), tests }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Whether a check writes where nobody has made a folder yet.
pub(super) fn report_folder(check: &Check) -> Option<&str> {
    let report = check.report.as_deref()?;
    let folder = report.rsplit_once('/')?.0;
    folder.starts_with(REPORTS).then_some(folder)
}
