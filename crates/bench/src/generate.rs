//! A workspace of any size, the same one for the same number.
//!
//! 10,000 specs make 45 MB with 50,000 requirements and 150,000 scenarios, every spec with a state, every fourth
//! with a plan and a dependency.

use std::fmt::Write as _;
use std::path::Path;

const WORDS: [&str; 24] = [
    "session", "invoice", "token", "ledger", "upload", "preview", "refund", "webhook", "digest", "schedule",
    "profile", "quota", "export", "audit", "tenant", "locale", "avatar", "gateway", "replica", "snapshot",
    "banner", "coupon", "sensor", "relay",
];
/// Requirements in a spec.
const REQUIREMENTS: usize = 5;
/// Scenarios in a requirement.
const SCENARIOS: usize = 3;

/// Writes a native workspace with this many specs and returns the bytes of all `spec.md` together.
pub(crate) fn workspace(root: &Path, specs: usize) -> std::io::Result<u64> {
    fs_err::create_dir_all(root.join(".hewto"))?;
    fs_err::write(
        root.join(".hewto/config.toml"),
        "[project]\nname = \"bench\"\ndescription = \"generated\"\n\n[defaults]\ncategory = \"feature\"\n",
    )?;
    let mut bytes = 0;
    for n in 0..specs {
        let id = id(n);
        let folder = root.join("specs").join(&id);
        fs_err::create_dir_all(&folder)?;
        let spec = spec(n);
        bytes += spec.len() as u64;
        fs_err::write(folder.join("spec.md"), spec)?;
        fs_err::write(folder.join("state.toon"), state(&id))?;
        if n % 4 == 0 {
            fs_err::write(folder.join("plan.md"), plan(&id))?;
        }
    }
    Ok(bytes)
}

/// Writes a repository of OpenSpec with this many specs and open changes. Ten changes touch each spec that any touches,
/// two of them the same requirement.
pub(crate) fn openspec(root: &Path, specs: usize, changes: usize) -> std::io::Result<()> {
    fs_err::create_dir_all(root.join("openspec/changes"))?;
    for n in 0..specs {
        let folder = root.join("openspec/specs").join(id(n));
        fs_err::create_dir_all(&folder)?;
        let spec = spec(n);
        // A capability of OpenSpec has no front matter.
        let body = spec.split_once("---\n\n").map_or(spec.as_str(), |(_, body)| body);
        fs_err::write(folder.join("spec.md"), body)?;
    }
    for n in 0..changes {
        let folder = root.join(format!("openspec/changes/change-{n}/specs")).join(id(n / 10));
        fs_err::create_dir_all(&folder)?;
        fs_err::write(folder.join("spec.md"), delta(n / 10, n / 2 % REQUIREMENTS, n))?;
    }
    Ok(())
}

/// A delta that adds a scenario to a requirement of a spec.
fn delta(spec: usize, number: usize, n: usize) -> String {
    let mut out = String::from("## MODIFIED Requirements\n");
    requirement(&mut out, spec, number);
    let _ = write!(
        out,
        "\n#### Scenario: Added by change {n}\n\n- **WHEN** the {} changes\n- **THEN** the {} follows\n",
        word(n),
        word(n + 1)
    );
    out
}

pub(crate) fn id(n: usize) -> String {
    format!("{}-{}-{}", 1_700_000_000 + n, word(n), word(n / 7 + 3))
}

/// The first scenario of a spec, by the name that a tag has.
pub(crate) fn reference(n: usize) -> String {
    format!("{}#{}-{}-0/{}-0", id(n), word(n), word(n * 3), word(n))
}

fn word(n: usize) -> &'static str {
    WORDS[n % WORDS.len()]
}

fn spec(n: usize) -> String {
    let mut out = String::with_capacity(5_000);
    let dependencies = match n {
        n if n > 0 && n % 4 == 0 => format!("\n  - spec_id: {}\n    kind: hard", id(n - 1)),
        _ => " []".to_owned(),
    };
    let _ = write!(
        out,
        "---\ntitle: The {} {} number {n}\ndescription: Why the {} matters\ncategory: feature\nstate: draft\n\
         dependencies:{dependencies}\ncreated_at: 2026-01-24T10:00:00Z\nupdated_at: 2026-01-24T10:00:00Z\n---\n\n\
         # The {} {} number {n}\n\n## Purpose\n\nThis capability keeps every {} in step with its {}, so that \
         nobody has to reconcile them by hand.\n\n## Requirements\n",
        word(n),
        word(n / 7 + 3),
        word(n),
        word(n),
        word(n / 7 + 3),
        word(n + 1),
        word(n + 2)
    );
    for r in 0..REQUIREMENTS {
        requirement(&mut out, n, r);
    }
    out
}

fn requirement(out: &mut String, n: usize, r: usize) {
    let _ = write!(
        out,
        "\n### Requirement: {} {} {r}\n\nThe system SHALL keep the {} of every {} consistent with the {} that was \
         last acknowledged, and SHALL refuse anything that would break this within the same transaction.\n",
        word(n + r),
        word(n * 3 + r),
        word(r),
        word(n + r),
        word(n + 5)
    );
    for s in 0..SCENARIOS {
        let _ = write!(
            out,
            "\n#### Scenario: {} {s}\n\n- **GIVEN** a {} with a pending {}\n- **WHEN** the {} arrives twice\n\
             - **THEN** only the first one changes the {}\n- **AND** the second one is reported as a duplicate\n",
            word(n + s),
            word(n + 1),
            word(s),
            word(r + s),
            word(n)
        );
    }
}

fn state(id: &str) -> String {
    format!(
        "spec_id: {id}\nlifecycle: draft\nphase: spec\nbuild_progress:\n  percentage: 0\n  current_step: null\n  \
         notes: null\nupdated_at: \"2026-01-24T10:00:00Z\"\n"
    )
}

fn plan(id: &str) -> String {
    format!(
        "---\nspec_id: {id}\napproach: One step at a time\ncreated_at: 2026-01-24T11:00:00Z\n\
         updated_at: 2026-01-24T11:00:00Z\n---\n\n# Implementation Plan\n\n## Approach\n\nOne step at a time\n\n## Steps\n\n\
         ### Step 1: Begin\n\nMake a start.\n\n- **Complexity:** simple\n- **Status:** completed\n\n\
         ### Step 2: Go on\n\nDo the rest.\n\n- **Complexity:** moderate\n- **Status:** pending\n"
    )
}
