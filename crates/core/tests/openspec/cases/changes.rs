//! Changes written by hand.

use super::{ChangeCase, Difference, PURPOSE, SCENARIO};

#[expect(clippy::too_many_lines, reason = "a table of cases")]
pub(crate) fn changes() -> Vec<ChangeCase> {
    let current = format!(
        "# T\n\n{PURPOSE}## Requirements\n\n### Requirement: A\n\nIt SHALL work.\n\n{SCENARIO}\n#### Scenario: T\n\n\
         - **WHEN** x\n- **THEN** z\n\n### Requirement: B\n\nIt MUST work.\n\n{SCENARIO}"
    );
    let scenarios = format!("{SCENARIO}#### Scenario: T\n- **WHEN** x\n- **THEN** changed\n");
    let added = format!("## ADDED Requirements\n\n### Requirement: N\nIt MUST.\n{SCENARIO}\n");
    let modified =
        format!("## MODIFIED Requirements\n\n### Requirement: A\nIt SHALL work well.\n{scenarios}\n");
    let renamed =
        "## RENAMED Requirements\n\n- FROM: `### Requirement: A`\n- TO: `### Requirement: Z`\n".to_owned();
    let removed = "## REMOVED Requirements\n\n### Requirement: B\n**Reason**: gone\n".to_owned();
    let mut cases = Vec::new();
    let mut case = |delta: String| {
        let id = format!("hand-{}", cases.len());
        let current = Some(current.clone());
        cases.push(ChangeCase {
            id,
            current,
            delta: Some(delta),
            tasks: None,
            metadata: None,
            difference: None,
        });
    };

    case(added.clone());
    case(modified.clone());
    case(renamed.clone());
    case(removed.clone());
    case(format!("{added}{removed}{renamed}"));
    case(modified.replace('\n', "\r\n"));
    case(format!("\u{feff}{modified}"));
    case(modified.replace("### Requirement", "###Requirement"));
    case(modified.replace("MODIFIED Requirements", "Modified requirements"));
    case(modified.replace("MODIFIED Requirements", "MODIFIED  Requirements"));
    case(modified.replace("MODIFIED Requirements", "MODIFIED"));
    case(modified.replace(&scenarios, SCENARIO));
    case(modified.replace("#### Scenario: T", "#### Scenario: T ####"));
    case(modified.replace("#### Scenario: T", "#### T"));
    case(modified.replace("#### Scenario: T", "#### Scenario: t"));
    case(modified.replace("### Requirement: A", "### Requirement: Nope"));
    case(modified.replace("### Requirement: A", "### Requirement: a"));
    case(modified.replace("It SHALL work well.", "It shall work well."));
    case(modified.replace("It SHALL work well.", ""));
    case(added.replace(SCENARIO, ""));
    case(added.replace("- **WHEN** x\n- **THEN** y\n", ""));
    case(added.replace("### Requirement: N", "### Requirement: A"));
    case(added.replace("### Requirement: N", "### Requirement: a"));
    case(format!("## ADDED Requirements\n\n### Requirement: B\n\nIt MUST work.\n\n{SCENARIO}"));
    case(format!("{added}\n### Requirement: N\nIt MUST.\n{SCENARIO}"));
    case(format!("{added}\n## ADDED Requirements\n\n### Requirement: M\nIt MUST.\n{SCENARIO}"));
    case(format!("{added}\n## Notes\n\n### Requirement: M\nIt MUST.\n{SCENARIO}"));
    case(format!("### Requirement: M\nIt MUST.\n{SCENARIO}\n{added}"));
    case(format!("## Purpose\nAnother one.\n\n{added}"));
    case(removed.replace("### Requirement: B", "- `### Requirement: B`"));
    case(removed.replace("### Requirement: B", "* ### Requirement: B"));
    case(removed.replace("### Requirement: B", "### Requirement: b"));
    case(removed.replace("### Requirement: B", "### Requirement: Gone"));
    case(format!("{removed}\n### Requirement: B\n"));
    case(format!("{removed}\n### Requirement: A\n"));
    case(format!("{modified}## REMOVED Requirements\n- `### Requirement: A`\n"));
    case(format!("{modified}{}", added.replace(": N", ": A")));
    case(format!("{added}## REMOVED Requirements\n- `### Requirement: N`\n"));
    case(format!("{renamed}{modified}"));
    case(format!("{renamed}{}", modified.replace("Requirement: A", "Requirement: Z")));
    case(format!("{renamed}{}", added.replace(": N", ": Z")));
    case(format!("{renamed}## REMOVED Requirements\n- `### Requirement: a`\n"));
    case(renamed.replace(": Z", ": B"));
    case(renamed.replace(": Z", ": b"));
    case(renamed.replace(": Z", ": a"));
    case(renamed.replace(": A`", ": Gone`"));
    case(renamed.replace(": A`", ": Gone`").replace(": Z", ": B"));
    case(renamed.replace("- FROM", "* FROM").replace("- TO", "+ TO"));
    case(renamed.replace("- FROM", "- from"));
    case(renamed.replace('`', ""));
    case(renamed.replace("- TO: `### Requirement: Z`\n", ""));
    case(format!("{renamed}- FROM: `### Requirement: Z`\n- TO: `### Requirement: Y`\n"));
    case(format!("{renamed}- FROM: `### Requirement: A`\n- TO: `### Requirement: Y`\n"));
    case("## ADDED Requirements\n".to_owned());
    case("text\n".to_owned());
    case(String::new());
    case(format!("```\n{added}```\n"));
    case(format!("{added}\n```\n### Requirement: Fenced\n```\n"));
    case(format!("{added}\n### Notes\n\nwords\n"));
    case(format!("{added}\n#### Scenario: Fenced\n\n```\n#### Scenario: no\n\n\ncode\n```\n"));

    let mut with = |change: &dyn Fn(&mut ChangeCase)| {
        let id = format!("hand-{}", cases.len());
        let (current, delta) = (Some(current.clone()), Some(added.clone()));
        let mut case = ChangeCase { id, current, delta, tasks: None, metadata: None, difference: None };
        change(&mut case);
        cases.push(case);
    };

    let tasks = |text: &'static str| move |case: &mut ChangeCase| case.tasks = Some(text.to_owned());
    with(&tasks("- [ ] 1.1 a\n"));
    with(&tasks("- plain\n"));
    with(&tasks("1. plain\n"));
    with(&tasks("text\n"));
    with(&tasks("## 1. A\n- [ ] 1.1 a\n- [x] 1.1 b\n"));
    with(&tasks("## 1. A\n- [ ] 2.1 a\n"));
    with(&tasks("## 01. A\n- [ ] 1.1 a\n"));
    with(&tasks("## A\n- [ ] 2.1 a\n- [ ] 2.1 a\n"));
    with(&tasks("```\n- plain\n```\n"));

    let metadata = |text: &'static str| {
        move |case: &mut ChangeCase| {
            case.metadata = Some(text.to_owned());
            case.delta = None;
        }
    };
    with(&metadata("schema: spec-driven\n"));
    with(&metadata("schema: spec-driven\nskip_specs: true\n"));
    with(&metadata("skip_specs: true\n"));
    with(&metadata("schema: nope\nskip_specs: true\n"));
    with(&metadata("schema: spec-driven\nskip_specs: 'yes'\n"));
    with(&metadata("schema: [\nskip_specs: true\n"));
    with(&|case| case.metadata = Some("schema: spec-driven\nskip_specs: true\n".to_owned()));

    // A capability that does not exist yet.
    for purpose in [
        "",
        "## Purpose\nTo be new, and to be long enough to please the rule about it.\n\n",
        "## Purpose\n<!-- x -->\n",
    ] {
        with(&|case| {
            case.current = None;
            case.delta = Some(format!("{purpose}{added}"));
        });
    }
    for delta in [&modified, &renamed, &removed, &format!("{added}{removed}")] {
        with(&|case| {
            case.current = None;
            case.delta = Some(delta.clone());
        });
    }

    // A capability that goes.
    let last = current.split("### Requirement: B").next().expect("there is one").to_owned();
    let goes = "## REMOVED Requirements\n- `### Requirement: A`\n";
    let retire = "schema: spec-driven\nretire_capabilities: true\n";
    let retiring = |spec: String, metadata: Option<&'static str>, difference: Option<Difference>| {
        move |case: &mut ChangeCase| {
            case.current = Some(spec.clone());
            case.delta = Some(goes.to_owned());
            case.metadata = metadata.map(str::to_owned);
            case.difference = difference;
        }
    };
    with(&retiring(last.clone(), None, None));
    with(&retiring(last.clone(), Some(retire), None));
    with(&retiring(last.clone(), Some("retire_capabilities: true\n"), None));
    with(&retiring(format!("{last}\nA note.\n"), Some(retire), None));
    with(&retiring(format!("{last}\n## Annex\n\nwords\n"), Some(retire), None));
    with(&retiring(last.replace("x\n- ", "x\n\n- "), Some(retire), Some(Difference::LooseScenario)));

    // A spec that is not as it should be.
    for broken in [
        format!("{current}\n## Annex\n\n### Requirement: C\nIt MUST.\n"),
        format!("{current}\n### Requirement: A\n\nIt MUST.\n"),
        format!("{current}\n## ADDED Requirements\n"),
        current.replace("## Purpose", "## Why"),
        current.replace("## Requirements", "## Rules"),
        current.replace("### Requirement: B\n\nIt MUST work.", "### Requirement: B"),
    ] {
        with(&|case| case.current = Some(broken.clone()));
    }

    // Layouts whose bytes we keep; what they say is the same.
    for spaced in [
        current.replace('\n', "\r\n"),
        format!("\u{feff}{current}"),
        current.replace("\n\n", "\n"),
        current.replace("\n\n", "\n\n\n\n"),
        current.trim_end().to_owned(),
        format!("{current}\n## Annex\n\nwords\n"),
        current.replace("## Requirements\n", "## Requirements\n\nThese hold:\n"),
    ] {
        for delta in [&added, &modified, &removed, &renamed] {
            with(&|case| {
                case.current = Some(spaced.clone());
                case.delta = Some(delta.clone());
            });
        }
    }

    // Where we differ on purpose.
    with(&|case| {
        case.delta = Some("## RENAMED Requirements\n\n### Requirement: A → Z\n".to_owned());
        case.difference = Some(Difference::ArrowRename);
    });
    with(&|case| {
        let notes = format!("### Notes\n\n{SCENARIO}\n### Requirement: B");
        case.current = Some(current.replace("### Requirement: B", &notes));
        case.delta = Some(modified.replace("changed\n", &format!("changed\n{SCENARIO}")));
        case.difference = Some(Difference::ForeignHeading);
    });
    with(&|case| {
        case.current =
            Some(current.replace("### Requirement: B", "### Notes\n\nWords.\n\n### Requirement: B"));
        case.delta = Some(modified.clone());
        case.difference = Some(Difference::ForeignHeadingInvalid);
    });
    with(&|case| {
        case.current = Some(current.replace("### Requirement: A", "###   requirement:   A   ##"));
        case.delta = Some(renamed.clone());
        case.difference = Some(Difference::HeadingDress);
    });
    with(&|case| {
        case.delta = Some(format!("<!--\n{removed}\n-->\n\n{added}"));
        case.difference = Some(Difference::Comment);
    });
    with(&|case| {
        case.delta = Some(format!("{modified}\n```\nnever closed\n"));
        case.difference = Some(Difference::OpenFence);
    });
    cases
}
