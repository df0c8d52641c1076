//! Repositories that want to keep us busy: large documents, many names that are almost alike.

use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::check::{Strictness, validate};
use hewto_engine::spec::{self, SpecFilter};
use hewto_engine::{PageRequest, proof};

use crate::support::Fixture;

#[test]
fn a_document_over_16_mib_is_listed_with_a_diagnostic_and_not_read() {
    let f = Fixture::new();
    f.write("specs/small/spec.md", "# Small\n\nText.\n");
    f.write("specs/big/spec.md", "# Big\n\nText.\n");
    // A gigabyte that takes no room; reading it would.
    let file = std::fs::OpenOptions::new().write(true).open(f.path("specs/big/spec.md")).unwrap();
    file.set_len(1 << 30).unwrap();
    std::os::unix::fs::symlink("../big/spec.md", f.path("specs/small/linked.md")).unwrap();
    let list = spec::list(&f.ws, &f.ctx, &SpecFilter::default(), &PageRequest::default()).unwrap();
    assert_eq!(list.specs.len(), 2, "{list:?}");
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    let issue = report.issues.iter().find(|issue| issue.file.contains("big")).unwrap();
    assert!(issue.message.contains("larger than 16 MiB"), "{issue:?}");
    assert!(issue.hint.contains("split it"), "{issue:?}");
}

/// A file that costs whoever brings it nothing, and its length in memory whoever reads it.
fn sparse(f: &Fixture, path: &str) {
    f.write(path, "");
    std::fs::OpenOptions::new().write(true).open(f.path(path)).unwrap().set_len(1 << 40).unwrap();
}

#[test]
fn a_change_to_a_document_that_is_too_large_is_refused_without_reading_it() {
    let f = Fixture::new();
    sparse(&f, "specs/cap/spec.md");
    f.write(
        "changes/c/proposal.md",
        format!("# C\n\n## Why\n{}\n\n## What Changes\n- y\n", "because ".repeat(20)),
    );
    let body = "The system SHALL x.\n\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n";
    f.write("changes/c/specs/cap/spec.md", format!("## MODIFIED Requirements\n\n### Requirement: R\n{body}"));
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    assert!(report.issues.iter().any(|issue| issue.message.contains("larger than 16 MiB")), "{report:?}");
    let error = change::archive(&f.ws, &f.ctx, "c", ArchiveOptions::default()).unwrap_err();
    assert!(error.full_message().contains("larger than 16 MiB"), "{error:?}");
    assert_eq!(std::fs::metadata(f.path("specs/cap/spec.md")).unwrap().len(), 1 << 40);
}

#[test]
fn rules_that_are_a_pipe_or_too_large_are_told_and_neither_waited_for_nor_read() {
    for folder in ["", "src/"] {
        let f = Fixture::new();
        f.write("src/a.rs", "fn a() {}\n");
        let rules = format!("{folder}.gitignore");
        std::process::Command::new("mkfifo").arg(f.path(&rules)).status().unwrap();
        let refused =
            |f: &Fixture| proof::matrix(&f.ws, &f.ctx, &proof::Query::default()).unwrap_err().full_message();
        assert!(refused(&f).contains(&format!("`{rules}` is not a file")), "{}", refused(&f));
        std::fs::remove_file(f.path(&rules)).unwrap();
        sparse(&f, &rules);
        assert!(refused(&f).contains("too large"), "{}", refused(&f));
        assert_eq!(hewto_engine::neighbours::below(f.root()).len(), 1);
    }
}

#[test]
fn a_git_folder_that_is_a_pipe_or_too_large_holds_nobody_up() {
    let f = Fixture::new();
    f.write("specs/a/spec.md", "# A\n");
    std::process::Command::new("mkfifo").arg(f.path(".git")).status().unwrap();
    assert!(validate(&f.ws, &f.ctx, Strictness::Normal).is_ok());
    std::fs::remove_file(f.path(".git")).unwrap();
    sparse(&f, ".git");
    assert!(validate(&f.ws, &f.ctx, Strictness::Normal).is_ok());
}

/// So many near-alike requirements that comparing each with each would take minutes.
#[test]
fn thousands_of_names_that_are_almost_alike_are_judged_all_the_same() {
    let f = Fixture::new();
    let requirement = |name: String| {
        format!(
            "\n### Requirement: {name}\nThe system SHALL x.\n\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n"
        )
    };
    let names = |letter: &str| -> String {
        (0..3_000).map(|at| requirement(format!("{}{letter}{at}", "a".repeat(199)))).collect()
    };
    f.write("specs/cap/spec.md", format!("# C\n\n## Purpose\nx\n\n## Requirements\n{}", names("a")));
    for change in ["c", "d"] {
        let why = "because ".repeat(20);
        f.write(
            &format!("changes/{change}/proposal.md"),
            format!("# C\n\n## Why\n{why}\n\n## What Changes\n- y\n"),
        );
        f.write(
            &format!("changes/{change}/specs/cap/spec.md"),
            format!("## MODIFIED Requirements\n{}", names("b")),
        );
    }
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    let refused = report.issues.iter().filter(|issue| issue.message.contains("it is not in the spec"));
    assert_eq!(refused.count(), 6_000);
    let guessed = report.issues.iter().filter(|issue| issue.hint.contains("did you mean"));
    assert_eq!(guessed.count(), 40, "what was meant is guessed for the first few");
}

#[test]
fn names_of_200_000_letters_are_compared_by_their_beginnings() {
    let f = Fixture::new();
    let body = "The system SHALL x.\n\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n";
    let long = "a".repeat(200_000);
    f.write(
        "specs/cap/spec.md",
        format!("# C\n\n## Purpose\nx\n\n## Requirements\n\n### Requirement: {long}c\n{body}"),
    );
    f.write(
        "changes/c/proposal.md",
        format!("# C\n\n## Why\n{}\n\n## What Changes\n- y\n", "because ".repeat(20)),
    );
    f.write(
        "changes/c/specs/cap/spec.md",
        format!("## MODIFIED Requirements\n\n### Requirement: b{long}\n{body}"),
    );
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    assert!(
        report.issues.iter().any(|issue| issue.message.contains("it is not in the spec")),
        "{}",
        report.issues.len()
    );
}
