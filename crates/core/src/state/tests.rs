use proptest::prelude::*;

use super::*;

const SEED: &str = r#"{
  spec_id: "1737734400-user-authentication"
  lifecycle: active
  phase: build
  build_progress: {
    percentage: 60
    current_step: "Implement JWT tokens"
    notes: null
  }
  updated_at: "2026-01-24T14:30:00Z"
}
"#;

const TOON: &str = r#"spec_id: 1737734400-user-authentication
lifecycle: active
phase: build
build_progress:
  percentage: 60
  current_step: Implement JWT tokens
  notes: null
updated_at: "2026-01-24T14:30:00Z"
"#;

const JSON: &str = r#"{"spec_id": "1737734400-user-authentication", "lifecycle": "active", "phase": "build",
"build_progress": {"percentage": 60, "current_step": "Implement JWT tokens", "notes": null},
"updated_at": "2026-01-24T14:30:00Z"}"#;

fn sample() -> WorkflowState {
    WorkflowState {
        lifecycle: Lifecycle::Active,
        phase: Phase::Build,
        build_progress: BuildProgress {
            percentage: 60,
            current_step: Some("Implement JWT tokens".to_owned()),
            ..BuildProgress::default()
        },
        ..WorkflowState::draft("1737734400-user-authentication", "2026-01-24T14:30:00Z")
    }
}

#[test]
fn three_notations_say_the_same() {
    let one_line = "{spec_id: \"1737734400-user-authentication\", lifecycle: active, phase: \"build\", build_progress: \
        {percentage: 60, \"current_step\": Implement JWT tokens}, updated_at: 2026-01-24T14:30:00Z}";
    for text in [
        SEED,
        TOON,
        JSON,
        one_line,
        &TOON.replace('\n', "\r\n"),
        &SEED.replace('\n', "\r\n"),
        &format!("\u{feff}{TOON}"),
    ] {
        assert_eq!(WorkflowState::read(text), Ok(sample()), "{text}");
    }
    assert_eq!(sample().render(), TOON);
}

#[test]
fn known_keys_are_written_in_order_and_unknown_ones_behind_them() {
    let text = "mine: kept\nlifecycle: done\nbuild_progress:\n  percentage: 100\n  more: 1\nspec_id: a\nupdated_at: x\nzeta:\n  deep: true\nalpha: 5\n";
    let mut state = WorkflowState::read(text).unwrap();
    state.reason = Some("over".to_owned());
    state.summary = Some("two\nlines".to_owned());
    state.completed_at = Some("2026-01-24T14:30:00Z".to_owned());
    assert_eq!(
        state.render(),
        "spec_id: a\nlifecycle: done\nphase: spec\nbuild_progress:\n  percentage: 100\n  current_step: null\n  notes: null\n  more: 1\nreason: over\nsummary: \"two\\nlines\"\ncompleted_at: \"2026-01-24T14:30:00Z\"\nupdated_at: x\nmine: kept\nzeta:\n  deep: true\nalpha: 5\n"
    );
    assert_eq!(WorkflowState::read(&state.render()), Ok(state));
}

#[test]
fn what_cannot_be_read_says_where() {
    for (text, line, message) in [
        ("", 1, "`lifecycle` is missing"),
        ("hello", 1, "holds no keys"),
        ("[1]: a", 1, "holds no keys"),
        ("spec_id: a\nlifecycle: resting\nupdated_at: x\n", 2, "`lifecycle` is `resting`"),
        ("lifecycle: draft\nphase: later\nupdated_at: x\n", 2, "`phase` is `later`"),
        ("lifecycle: draft\n", 1, "`updated_at` is missing"),
        ("lifecycle: draft\nbuild_progress:\n  percentage: 101\nupdated_at: x\n", 3, "`percentage` is not"),
        ("lifecycle: draft\nbuild_progress:\n  percentage: -1\nupdated_at: x\n", 3, "`percentage` is not"),
        ("lifecycle: draft\nbuild_progress:\n  percentage: 1.5\nupdated_at: x\n", 3, "`percentage` is not"),
        ("lifecycle: draft\nbuild_progress: 5\nupdated_at: x\n", 2, "`build_progress` is not"),
        ("lifecycle: draft\nreason:\n  a: 1\nupdated_at: x\n", 2, "`reason` is not text"),
        ("lifecycle: \"dra\nphase: spec\n", 1, ""),
        ("lifecycle: draft\nph", 2, ""),
        ("{\n  lifecycle: draft\n", 3, "a `}` is missing"),
        ("{\n  lifecycle draft\n}", 2, "a `:` is missing"),
        ("{\n  lifecycle: \"draft\n}", 2, "not closed"),
        ("{}{}", 1, "behind the last"),
        ("{\"lifecycle\": \"draft\", \"updated_at\"", 1, ""),
    ] {
        let diagnostic = WorkflowState::read(text).unwrap_err();
        assert_eq!(
            (diagnostic.code, diagnostic.line),
            ("state-invalid", line),
            "{text:?} {}",
            diagnostic.message
        );
        assert!(diagnostic.message.contains(message), "{text:?}: {}", diagnostic.message);
    }
}

#[test]
fn every_cut_of_a_written_state_is_noticed() {
    let text = sample().render();
    for end in 0..text.len() - 1 {
        assert!(WorkflowState::read(&text[..end]).is_err(), "{:?}", &text[..end]);
    }
}

#[test]
fn deep_nesting_is_refused_in_every_notation() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(5000), close.repeat(5000));
    for text in [
        format!(
            "lifecycle: draft\nupdated_at: x\n{}",
            (0..500).map(|n| "  ".repeat(n) + "a:\n").collect::<String>()
        ),
        format!("{{lifecycle: draft, updated_at: x, a: {}}}", deep("{a:", "}")),
        format!("{{lifecycle: draft, updated_at: x, a: {}}}", deep("[", "]")),
        format!("{{\"lifecycle\": \"draft\", \"updated_at\": \"x\", \"a\": {}}}", deep("[", "]")),
    ] {
        assert_eq!(WorkflowState::read(&text).unwrap_err().code, "state-invalid");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ \\-:#'\"\\[\\]{},0-9a-z.\n\r\t\\\\]{0,12}",
        "(null|true|[0-9]{1,4}|-|~| )"
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any_text().prop_map(Value::String),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::hash_map(any_text(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_state_reads_back_as_it_was_written(
        texts in prop::collection::vec(prop::option::of(any_text()), 7),
        spec_id in any_text(), updated_at in any_text(), percentage in 0u8..=100,
        extra in prop::collection::vec(("x[a-z.\\- ]{0,6}", any_value()), 0..4),
        lifecycle in prop::sample::select(Lifecycle::ALL.to_vec()),
    ) {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        let state = WorkflowState {
            spec_id, lifecycle, phase: Phase::Plan,
            build_progress: BuildProgress { percentage, current_step: next(), notes: next(), extra: Map::new() },
            reason: next(), summary: next(), deviations: next(), started_at: next(), completed_at: next(),
            updated_at, extra: extra.into_iter().collect(),
        };
        let text = state.render();
        prop_assert!(text.ends_with('\n'));
        prop_assert_eq!(WorkflowState::read(&text).map_err(|diagnostic| diagnostic.message), Ok(state.clone()));
        let json = serde_json::to_string_pretty(&toon_format::decode_default::<Value>(&text).unwrap()).unwrap();
        prop_assert_eq!(WorkflowState::read(&json).map_err(|diagnostic| diagnostic.message), Ok(state));
    }

    #[test]
    fn any_text_is_read_or_refused(text in prop_oneof![
        any::<String>(),
        "[{}\\[\\]:,\"a-z\\\\ \n\r\t0-9|#-]{0,60}",
        "(lifecycle|a|b)(: |\\[[0-9]\\]|\\{a,b\\})(draft|[0-9]|\\{|-|\n){0,4}",
        (0usize..TOON.len(), any::<char>()).prop_map(|(at, ch)| format!("{}{ch}{}", &TOON[..at], &TOON[at..])),
        (0usize..SEED.len(), any::<char>()).prop_map(|(at, ch)| format!("{}{ch}{}", &SEED[..at], &SEED[at..])),
    ]) {
        match WorkflowState::read(&text) {
            Ok(state) => prop_assert_eq!(WorkflowState::read(&state.render()), Ok(state)),
            Err(diagnostic) => prop_assert!(diagnostic.line >= 1),
        }
    }
}
