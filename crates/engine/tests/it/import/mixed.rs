//! Several tools in one folder, and files that cannot stand for themselves.

use std::path::Path;

use hewto_engine::change::{ArchiveOptions, archive};

use super::{REQUIREMENTS, TASKS, run};
use crate::support::Fixture;

const PLAIN: &str = "# 2. Use files\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\n## Context\n\nWhy.\n\n## Decision\n\nFiles.\n";
const MADR: &str =
    "# Use tables\n\n## Context and Problem Statement\n\nWhy.\n\n## Decision Outcome\n\nTables.\n";

#[test]
fn records_of_two_tools_in_one_folder_come_each_with_its_own() {
    let f = Fixture::new();
    f.write("docs/adr/0001-use-tables.md", MADR);
    f.write("docs/adr/0002-use-files.md", PLAIN);
    let plain = run(&f, "adr-tools", None).unwrap();
    let titles: Vec<&str> = plain.imported.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Use files"]);
    let [left] = plain.left_out.as_slice() else { panic!("{:?}", plain.left_out) };
    assert_eq!((left.file.as_str(), left.fault), ("docs/adr/0001-use-tables.md", false));
    assert!(left.why.contains("`hewto import madr`"), "{}", left.why);
    let madr = run(&f, "madr", None).unwrap();
    let titles: Vec<&str> = madr.imported.iter().map(|one| one.title.as_str()).collect();
    assert_eq!((titles.as_slice(), madr.complete), (["Use tables"].as_slice(), true));
    for format in ["adr-tools", "madr"] {
        let again = run(&f, format, None).unwrap();
        assert_eq!((again.files.len(), again.notes.len(), again.complete), (0, 0, true), "{format}");
    }
}

#[test]
fn a_folder_that_is_named_is_read_whatever_its_records_are() {
    let f = Fixture::new();
    f.write("docs/adr/0001-use-tables.md", MADR);
    let refused = run(&f, "adr-tools", None).unwrap_err().to_string();
    assert_eq!(refused, "there is nothing of adr-tools here: the records are of MADR");
    let named = run(&f, "adr-tools", Some(&f.root().join("docs/adr"))).unwrap();
    assert_eq!(named.imported.len(), 1);
    let again = run(&f, "adr-tools", None).unwrap();
    assert_eq!((again.files.len(), again.notes.len(), again.unchanged), (0, 0, 1), "it came with this one");
}

#[test]
fn a_record_without_a_day_is_dated_with_the_import_and_told() {
    let f = Fixture::new();
    f.write("docs/decisions/0001-use-tables.md", MADR);
    f.write("docs/decisions/0002-use-rows.md", format!("---\ndate: 2024-02-31\n---\n{MADR}"));
    let told = run(&f, "madr", None).unwrap();
    let [note] = told.notes.as_slice() else { panic!("{:?}", told.notes) };
    assert!(
        note.contains("`docs/decisions/0001-use-tables.md`, `docs/decisions/0002-use-rows.md`"),
        "{note}"
    );
    let [kept] = told.kept_as_prose.as_slice() else { panic!("{:?}", told.kept_as_prose) };
    assert_eq!(kept.text, "- date: 2024-02-31");
    assert!(f.read(&kept.to).contains("- date: 2024-02-31"), "{}", kept.to);
    assert!(run(&f, "madr", None).unwrap().notes.is_empty(), "it is told once");
}

#[test]
fn a_link_in_the_place_of_a_file_takes_its_spec_along() {
    let f = Fixture::new();
    f.write(".kiro/specs/cart/requirements.md", REQUIREMENTS);
    f.write(".kiro/specs/sign-in/tasks.md", TASKS);
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("requirements.md");
    std::fs::write(&target, REQUIREMENTS).unwrap();
    let link = Path::new(f.root()).join(".kiro/specs/sign-in/requirements.md");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let view = run(&f, "kiro", None).unwrap();
    let ids: Vec<&str> = view.imported.iter().map(|one| one.id.as_str()).collect();
    assert_eq!((ids.as_slice(), view.complete), (["cart"].as_slice(), false));
    let files: Vec<&str> = view.left_out.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(files, [".kiro/specs/sign-in/requirements.md", ".kiro/specs/sign-in/tasks.md"]);
}

#[test]
fn a_record_that_came_before_what_it_supersedes_is_told() {
    let f = Fixture::new();
    let older = PLAIN.replace("2. Use files", "1. Use tables");
    f.write("doc/adr/0001-use-tables.md", format!("<<<<<<< a\n=======\n>>>>>>> b\n{older}"));
    let newer = PLAIN.replace("Accepted\n", "Accepted\n\nSupersedes [1. Use tables](0001-use-tables.md)\n");
    f.write("doc/adr/0002-use-files.md", &newer);
    assert!(!run(&f, "adr-tools", None).unwrap().complete);
    f.write("doc/adr/0001-use-tables.md", &older);
    let mended = run(&f, "adr-tools", None).unwrap();
    assert_eq!(mended.imported.len(), 1);
    let [note] = mended.notes.as_slice() else { panic!("{:?}", mended.notes) };
    assert!(
        note.starts_with("`doc/adr/0002-use-files.md` supersedes `doc/adr/0001-use-tables.md`"),
        "{note}"
    );
    assert!(run(&f, "adr-tools", None).unwrap().notes.is_empty());
}

#[test]
fn news_after_news_of_the_same_day_can_be_archived_too() {
    let f = Fixture::new();
    f.write(".kiro/specs/sign-in/requirements.md", REQUIREMENTS);
    run(&f, "kiro", None).unwrap();
    for (round, id) in ["import-kiro", "import-kiro-2"].into_iter().enumerate() {
        let words = REQUIREMENTS.replace("start a session", &format!("start session {round}"));
        f.write(".kiro/specs/sign-in/requirements.md", &words);
        assert_eq!(run(&f, "kiro", None).unwrap().change.as_deref(), Some(id));
        let options = ArchiveOptions { allow_open_tasks: true, ..ArchiveOptions::default() };
        archive(&f.ws, &f.ctx, id, options).unwrap();
        assert!(f.read("specs/sign-in/spec.md").contains(&format!("start session {round}")));
    }
}
