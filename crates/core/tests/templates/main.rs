//! The templates that tools bring along, imported: what the tool counts in them, hewto counts too.
//!
//! They are the released packages' own (MADR's on npm, spec-kit's on PyPI), fetched by `scripts/import/install.sh`. Where
//! they cannot be fetched the comparison is passed over with a message.

#![expect(clippy::disallowed_methods, reason = "the test reads the templates")]
#![expect(clippy::print_stderr, reason = "a skipped comparison says so")]

mod tools;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use hewto_core::document::Document;
use hewto_core::import::render::{SpecMeta, plan, spec};
use hewto_core::import::{Bundle, Format, Links, SourceFile, render_decision};
use hewto_core::plan::Plan;
use hewto_core::requirement::SpecDoc;

/// The folder of the templates, once for all tests.
fn templates() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/import/install.sh");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("import-templates");
        let run = Command::new(script).arg(&folder).output();
        let is_there = run.as_ref().is_ok_and(|output| output.status.success());
        if !is_there {
            eprintln!("skipped: the templates could not be fetched: {run:?}");
        }
        is_there.then_some(folder)
    });
    folder.as_deref()
}

fn read(format: Format, files: &[(&str, &str)]) -> Bundle {
    let file =
        |(path, text): &(&str, &str)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() };
    format.read(&files.iter().map(file).collect::<Vec<_>>())
}

/// The words of a text, without markup.
fn words(text: &str) -> Vec<String> {
    text.split(|ch: char| !ch.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .map(str::to_lowercase)
        .collect()
}

fn assert_told(source: &str, told: &str) {
    let told: std::collections::HashSet<String> = words(told).into_iter().collect();
    // Headings and labels that the tool itself puts into every file say nothing of the project.
    let is_said = |line: &&str| !line.starts_with('#') && !line.starts_with("**Acceptance Scenarios**");
    let source: String = source.lines().filter(is_said).flat_map(|line| [line, "\n"]).collect();
    let lost: Vec<String> = words(&source).into_iter().filter(|word| !told.contains(word)).collect();
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn the_templates_of_spec_kit_give_what_they_number() {
    let Some(folder) = templates() else { return };
    let template = |name: &str| {
        std::fs::read_to_string(folder.join("specify/specify_cli/core_pack/templates").join(name)).unwrap()
    };
    let (text, tasks, technical) =
        (template("spec-template.md"), template("tasks-template.md"), template("plan-template.md"));
    let bundle = read(
        Format::SpecKit,
        &[
            ("specs/001-x/spec.md", &text),
            ("specs/001-x/tasks.md", &tasks),
            ("specs/001-x/plan.md", &technical),
            (".specify/memory/constitution.md", &template("constitution-template.md")),
        ],
    );
    let item = &bundle.items[0];
    let meta = SpecMeta { id: "x", from: "spec-kit", dependencies: Vec::new(), now: "2026-01-24T10:00:00Z" };
    let made = spec(item, &meta).expect("it reads back");
    let document = Document::parse(&made);
    let read = SpecDoc::read(&document);

    let lines = |of: &str, start: &str| of.lines().filter(|line| line.starts_with(start)).count();
    let stories = lines(&text, "### User Story ");
    let rules = lines(&text, "- **FR-") + lines(&text, "- **SC-") + lines(&text, "- **NFR-");
    assert!(stories > 1 && rules > 3, "the template has stories and rules: {text}");
    assert_eq!(read.requirements.len(), stories + rules);
    let told: usize = read.requirements.iter().take(stories).map(|story| story.scenarios.len()).sum();
    assert_eq!(told, text.lines().filter(|line| line.contains("**Given**")).count());

    let (steps, _) = Plan::read(&plan(item, &meta).expect("there is a plan"));
    let boxes = tasks.lines().filter(|line| line.trim_start().starts_with("- [ ] T")).count();
    assert!(boxes > 10, "the template has tasks: {tasks}");
    assert_eq!(steps.steps.len(), boxes);

    let mut all = made + &plan(item, &meta).unwrap_or_default();
    all.extend(item.files.iter().map(|file| format!("\n{}\n", file.text)));
    all.extend(bundle.left_out.iter().map(|one| format!("\n{} {}\n", one.text, one.why)));
    assert_told(&text, &all);
    assert_told(&tasks, &all);
    assert_told(&technical, &all);
    assert_eq!(bundle.documents.len(), 1, "the constitution");
}

#[test]
fn the_templates_of_madr_lose_no_section() {
    let Some(folder) = templates() else { return };
    let folder = folder.join("madr/package/template");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let is_record = name.starts_with("adr-template") || name.starts_with("0000-");
        if !is_record || !name.ends_with(".md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let bundle = read(Format::Madr, &[(&format!("docs/decisions/0007-{name}"), &text)]);
        let decision = &bundle.decisions[0];
        assert_eq!(decision.alias, "0007", "{name}");
        let uid = "20250108T143512.237Z-A001".parse().unwrap();
        let files = std::collections::BTreeMap::new();
        let links =
            Links { uid: &uid, previous: None, supersedes: Vec::new(), date: "2025-01-08", files: &files };
        let mut all = render_decision(decision, &links);
        all.extend(bundle.left_out.iter().map(|one| format!("\n{} {}\n", one.text, one.why)));
        // Three sections have hewto's names.
        all.push_str("Context and Problem Statement, Decision Outcome, Considered Options, status, date");
        // A key of the front matter without a value says nothing.
        let said: String = text
            .lines()
            .filter(|line| !line.trim_end().ends_with(':'))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_told(&said, &all);
        seen += 1;
    }
    assert!(seen >= 4, "{seen} templates");
}
