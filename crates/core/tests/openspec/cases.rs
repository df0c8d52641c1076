//! Specs and changes written by hand: valid ones, broken ones, and those on which the two tools differ on purpose.

#[path = "cases/changes.rs"]
mod changes;

pub(crate) use self::changes::changes;

pub(crate) struct SpecCase {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) difference: Option<Difference>,
}

/// A change with a delta for one capability, whose name is the change's.
pub(crate) struct ChangeCase {
    pub(crate) id: String,
    pub(crate) current: Option<String>,
    pub(crate) delta: Option<String>,
    pub(crate) tasks: Option<String>,
    pub(crate) metadata: Option<String>,
    pub(crate) difference: Option<Difference>,
}

/// A difference on purpose; each is explained in `docs/compatibility.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    /// We read `### Requirement: Old → New`.
    ArrowRename,
    /// A heading that is no requirement stays when the requirement before it changes or goes.
    ForeignHeading,
    /// Where that heading makes the spec invalid, we refuse what OpenSpec archives without it.
    ForeignHeadingInvalid,
    /// A renamed heading keeps its blanks, its case and its closing marks.
    HeadingDress,
    /// What stands in a comment is no part of a spec or a delta.
    Comment,
    /// Bullets behind a blank line still belong to their scenario when a capability is retired.
    LooseScenario,
    /// A fence that is never closed hides what comes after it; we do not write such a spec.
    OpenFence,
}

/// What of an archive a difference changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// One archives what the other refuses.
    Archive,
    /// Both archive, and the specs differ.
    Text,
}

impl Difference {
    pub(crate) fn shows_in_verdict(self) -> bool {
        self == Self::ArrowRename
    }

    pub(crate) fn shows_in_archive(self) -> Shows {
        match self {
            Self::ArrowRename | Self::ForeignHeadingInvalid | Self::LooseScenario | Self::OpenFence => {
                Shows::Archive
            }
            Self::ForeignHeading | Self::HeadingDress | Self::Comment => Shows::Text,
        }
    }
}

const PURPOSE: &str = "## Purpose\n\nTo keep strangers out and to let friends in, by day and by night.\n\n";
const SCENARIO: &str = "#### Scenario: S\n- **WHEN** x\n- **THEN** y\n";

impl ChangeCase {
    /// The files of the change and of the spec it is for.
    pub(crate) fn files(&self) -> Vec<(String, &str)> {
        let id = &self.id;
        let folder = format!("openspec/changes/{id}");
        let files = [
            (format!("openspec/specs/{id}/spec.md"), &self.current),
            (format!("{folder}/specs/{id}/spec.md"), &self.delta),
            (format!("{folder}/tasks.md"), &self.tasks),
            (format!("{folder}/.openspec.yaml"), &self.metadata),
        ];
        let mut files: Vec<(String, &str)> =
            files.into_iter().filter_map(|(path, text)| Some((path, text.as_deref()?))).collect();
        // The folder of a change is there even when it is empty.
        files.push((format!("{folder}/notes.txt"), ""));
        files
    }
}

pub(crate) fn specs() -> Vec<SpecCase> {
    let requirement = |body: &str| format!("# T\n\n{PURPOSE}## Requirements\n\n### Requirement: A\n{body}");
    let fine = requirement(&format!("It SHALL work.\n{SCENARIO}"));
    let placeholder = "TBD - created by archiving change x. Update Purpose after archive.";
    let texts = vec![
        fine.clone(),
        fine.replace('\n', "\r\n"),
        format!("\u{feff}{fine}"),
        fine.replace("### Requirement", "###Requirement"),
        fine.replace("### Requirement", "  ### Requirement"),
        fine.replace("### Requirement", "### requirement"),
        fine.replace("### Requirement: A", "### Requirement: A ###"),
        fine.replace("### Requirement: A", "### Requirement:"),
        fine.replace("### Requirement: A", "### Requirement: "),
        fine.replace("### Requirement: A", "### The system SHALL work"),
        fine.replace("## Purpose", "# Purpose"),
        fine.replace("## Purpose", "### purpose"),
        fine.replace("## Requirements", "## requirements "),
        fine.replace("## Requirements", "## Requirements ##"),
        fine.replace("## Requirements", "# Requirements"),
        fine.replace("SHALL", "shall"),
        fine.replace("It SHALL work.", "**Priority**: MUST"),
        fine.replace("It SHALL work.", "**Priority**: high\n\nIt SHALL work."),
        fine.replace("It SHALL work.", "```\nIt SHALL work.\n```"),
        fine.replace("It SHALL work.", ""),
        fine.replace("### Requirement: A\nIt SHALL work.", "### Requirement: It SHALL"),
        fine.replace("It SHALL work.", &"It SHALL work. ".repeat(40)),
        fine.replace("It SHALL work.", "<!-- It SHALL work. -->"),
        fine.replace("#### Scenario: S", "#### S"),
        fine.replace("#### Scenario: S", "##### Scenario: S"),
        fine.replace("#### Scenario: S", "### Scenario: S"),
        fine.replace("#### Scenario: S", "**Scenario: S**"),
        fine.replace("- **WHEN** x\n- **THEN** y\n", ""),
        fine.replace("- **WHEN** x\n- **THEN** y\n", "words\n"),
        fine.replace("- **WHEN** x\n- **THEN** y\n", "##### Deep\nwords\n"),
        format!("{fine}\n### Notes\n\ntext\n"),
        format!("{fine}\n### Notes\n\n#### S\n\ntext\n"),
        format!("{fine}\n## ADDED Requirements\n"),
        format!("{fine}\n## modified \t requirements\n"),
        format!("{fine}\n## Annex\n\n### Requirement: B\nIt MUST.\n{SCENARIO}"),
        format!("{fine}\n### Requirement: A\nIt MUST.\n{SCENARIO}"),
        format!("{fine}\n### Requirement: a\nIt MUST.\n{SCENARIO}"),
        format!("{fine}\n### Requirement: A ##\nIt MUST.\n{SCENARIO}"),
        format!("{fine}\n```\n### Requirement: B\n```\n"),
        format!("{fine}\n~~~md\n### Requirement: B\n```\n## X\n~~~\n"),
        format!("{fine}\n```\n### Requirement: B\n"),
        format!("{fine}\n<!--\n### Requirement: B\n-->\n"),
        format!("{fine}\n    ### Requirement: B\n"),
        format!("{fine}\n    ```\n### Requirement: B\n"),
        format!("{fine}\n- item\n  ```\n  code\n  ```\n"),
        format!("{fine}\n> ### Requirement: B\n"),
        PURPOSE.to_owned(),
        String::new(),
        "text\n".to_owned(),
        format!("{PURPOSE}## Requirements\n"),
        format!("{PURPOSE}## Requirements\n\nwords\n"),
        format!("## Requirements\n### Requirement: A\nIt SHALL.\n{SCENARIO}"),
        fine.replace(PURPOSE, "## Purpose\n\n"),
        fine.replace(PURPOSE, "## Purpose\nShort.\n"),
        fine.replace(PURPOSE, &format!("## Purpose\n{placeholder}\n")),
        fine.replace(PURPOSE, "## Purpose\nTODO: write it, and make it long enough for the other rule.\n"),
        fine.replace(
            PURPOSE,
            "## Purpose\nTodo el mundo sabe lo que es, y por eso no hace falta decir más.\n",
        ),
        fine.replace(PURPOSE, "## Purpose\n```\nTo keep strangers out and to let friends in, by day.\n```\n"),
        fine.replace(PURPOSE, "## Purpose\n<!-- To keep strangers out and to let friends in, by day. -->\n"),
        fine.replace(
            PURPOSE,
            "## Purpose\n### Inner\nTo keep strangers out and to let friends in, by day.\n",
        ),
        fine.replace(PURPOSE, "## Purpose\nüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü\n"),
        fine.replace(PURPOSE, "## Purpose\n🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂\n"),
        format!("---\n# comment\nid: x\n---\n{fine}"),
        fine.replace("## Purpose\n", "Purpose\n-------\n"),
    ];
    let numbered = texts.into_iter().enumerate();
    numbered.map(|(at, text)| SpecCase { id: format!("hand-{at}"), text, difference: None }).collect()
}
