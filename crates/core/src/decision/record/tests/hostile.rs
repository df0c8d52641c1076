//! Texts that look like the documents they stand in.

use proptest::prelude::*;

use super::*;
use crate::decision::text::{clean, one_line};

/// Text that tries to become structure.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```"),
        Just("~~~\n"),
        Just("## Allowlist\n"),
        Just("### Positive"),
        Just("<!-- UID: x -->"),
        Just("-->"),
        Just("<!--"),
        Just("> "),
        Just("- **Type**: x"),
        Just("- [ ] "),
        Just("\n---\n"),
        Just("\n"),
        Just("\n\n"),
        Just("`"),
        Just("\\"),
        Just("**"),
        Just(": "),
        Just("Decision: "),
        Just("Related ADR: "),
        Just("In more words:"),
        Just(" (ADR 20250108T143512.237Z-A001)"),
        Just("#"),
        Just("_None_"),
        Just("word "),
        Just("é"),
        Just("PART 2"),
        Just("<script>"),
        Just("&lt;"),
        Just("1. "),
        Just("    code"),
        Just("|a|\n|-|"),
        Just("Context given with it:"),
    ];
    proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = String> {
    hostile().prop_map(|text| one_line(&text)).prop_filter("not empty", |line| !line.is_empty())
}

fn text() -> impl Strategy<Value = String> {
    hostile().prop_map(|text| clean(&text)).prop_filter("not empty", |text| !text.is_empty())
}

/// An entry of a list that a reader does not take for the mark of a task.
fn entry() -> impl Strategy<Value = String> {
    line().prop_map(|line| format!("Use {line}"))
}

proptest! {
    #[test]
    fn a_task_comes_back_as_it_was_written(
        title in line(), intention in text(), given in proptest::option::of(text()),
        description in proptest::option::of(text()), value in line(),
        paths in proptest::collection::vec(line(), 0..3), criteria in proptest::collection::vec(line(), 0..3),
        constraints in proptest::collection::vec(entry(), 0..3), with_adr in any::<bool>(),
    ) {
        let mut task = sample_task();
        task.title = title;
        task.intention = intention;
        task.decision = Some(format!("Other - Description={value}"));
        task.given_context = given;
        task.description = description;
        task.allowlist = paths;
        task.constraints = constraints;
        task.criteria = criteria;
        if !with_adr {
            task.related_adr = None;
        }
        let text = task.render();
        prop_assert_eq!(Task::read(&text).unwrap(), task.clone(), "{}", text);
        prop_assert_eq!(Task::read(&text.replace('\n', "\r\n")).unwrap(), task);
    }

    #[test]
    fn a_record_comes_back_as_it_was_written(
        title in line(), intention in text(), more in text(), value in line(), other in line(),
    ) {
        let mut adr = sample_adr();
        adr.title = format!("Other: Note = {title}");
        adr.changes = vec![format!("Added: Other.Note = {value}")];
        adr.snapshot.set("Other", "Note", Decided { value: value.clone(), by: Some(uid(UID)) });
        adr.snapshot.set("Other", "Loose", Decided { value: format!("{other}."), by: None });
        adr.decision = vec![("Note".into(), value)];
        adr.alternatives = vec![format!("Note: {other}")];
        adr.context.push(Passage { lead: "In more words:".into(), text: more });
        adr.context[0].text = intention;
        let text = adr.render();
        prop_assert_eq!(Adr::read(&text).unwrap(), adr.clone(), "{}", text);
        prop_assert_eq!(Adr::read(&text.replace('\n', "\r\n")).unwrap(), adr);
    }

    #[test]
    fn whatever_cannot_be_read_is_told_with_a_line_of_the_text(text in "\\PC{0,200}", hostile in hostile()) {
        for text in [text.clone(), format!("<!-- UID: {UID} -->\n{hostile}\n## Categories\n### {text}\n{hostile}")] {
            let told = [Adr::read(&text).err(), Task::read(&text).err(), ArchitectureState::read(&text).err()];
            for malformed in told.into_iter().flatten() {
                prop_assert!((1..=text.lines().count().max(1)).contains(&malformed.line), "{malformed:?}");
            }
            if let Some(prompt) = AgentPrompt::extract(&text) {
                prop_assert!(text.contains(prompt.lines().next().unwrap_or_default()));
            }
        }
    }
}
