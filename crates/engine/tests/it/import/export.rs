//! Exporting again.

use std::collections::BTreeMap;
use std::path::Path;

use hewto_engine::export::{self, Shape};

use super::{files, kiro, run};
use crate::support::Fixture;

#[test]
fn an_export_to_openspec_comes_back_as_it_was() {
    let f = Fixture::new();
    kiro(&f);
    run(&f, "kiro", None).unwrap();
    f.write("specs/auth/login/spec.md", "# Login\r\n\r\n## Purpose\r\nWindows line ends stay as they are, to the last byte.\r\n\r\n## Requirements\r\n### Requirement: A\r\nIt MUST a.\r\n#### Scenario: S\r\n- **WHEN** a\r\n- **THEN** b\r\n");
    f.write("changes/add-x/proposal.md", "# Change: X\n\n## Why\n\nBecause.\n\n## What Changes\n\n- x\n");
    f.write("changes/archive/2026-01-01-old/proposal.md", "# Old\n");
    f.write("docs/standards/project.md", "# Project\n\nWe write tests.\n");
    f.write("docs/adr/20250108T143512.237Z-A001_use_rust.md", "# Use Rust\n");
    f.write(".hewto/links.toml", "[[link]]\nref = \"a#b\"\nfile = \"x\"\n");
    let exported = export::export(&f.ws, &f.ctx, "openspec", Shape::Tree).unwrap();
    let told = exported.left_out.join("\n");
    for part in ["1 decision ", "1 document ", ".hewto/links.toml"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let names: Vec<&str> = exported.files.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"openspec/project.md") && names.contains(&"docs/standards/tech.md"), "{names:?}");
    let out = tempfile::tempdir().unwrap();
    export::write(&exported, out.path(), Shape::Tree, false).unwrap();
    let other = Fixture::new();
    let view = run(&other, "openspec", Some(out.path())).unwrap();
    assert!(view.complete, "{:?}", view.left_out);
    let of = |root: &Path| -> BTreeMap<String, Vec<u8>> {
        files(root)
            .into_iter()
            .filter(|(name, _)| ["specs/", "changes/", "docs/"].iter().any(|part| name.starts_with(part)))
            .collect()
    };
    assert_eq!(of(other.root()), of(f.root()));
}

#[test]
fn a_page_stands_alone_and_carries_no_markup_of_others() {
    let f = Fixture::new();
    f.write("specs/a/spec.md", "# <script>alert(1)</script>\n\n## Purpose\n\n<img src=x onerror=alert(1)> & more words than fifty characters need.\n\n## Requirements\n\n### Requirement: R\nIt MUST \"x\".\n\n#### Scenario: S\n- **WHEN** a\n- **THEN** <b>\n");
    f.write("changes/c/proposal.md", "# Change: <i>\n\n## Why\n\n<iframe>\n\n## What Changes\n\n- x\n");
    f.write("docs/adr/0001-x.md", "# <u>\n");
    let exported = export::export(&f.ws, &f.ctx, "html", Shape::One).unwrap();
    let [(_, page)] = exported.files.as_slice() else { panic!() };
    for bad in ["<script", "<img", "<iframe", "<b>", "<i>", "<u>", "http://", "https://"] {
        assert!(!page.contains(bad), "{bad} in {page}");
    }
    for part in ["id=\"specs\"", "id=\"changes\"", "id=\"decisions\"", "id=\"coverage\"", "&lt;img"] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    for (format, shape, names) in [
        ("json", Shape::One, vec!["hewto.json"]),
        ("markdown", Shape::One, vec!["hewto.md"]),
        ("csv", Shape::One, vec!["promises.csv"]),
        ("csv", Shape::Tree, vec!["promises.csv", "specs.csv", "steps.csv", "changes.csv", "decisions.csv"]),
    ] {
        let exported = export::export(&f.ws, &f.ctx, format, shape).unwrap();
        let found: Vec<&str> = exported.files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, names, "{format}");
    }
}

#[test]
fn records_that_an_import_does_not_bring_back_are_told_as_that() {
    let f = Fixture::new();
    f.write("docs/adr/0001-use-rust.md", "# 1. Use Rust\n\nDate: 2024-01-01\n\n## Status\n\nAccepted\n");
    let exported = export::export(&f.ws, &f.ctx, "openspec", Shape::Tree).unwrap();
    let told = exported.left_out.join("\n");
    assert!(told.contains("hewto import adr-tools") && !told.contains("takes it along"), "{told}");
}
