use serde_json::json;

use super::*;

fn question(kind: QuestionKind, shape: TextShape) -> Question {
    let mut question = Question::new("q", kind, "Which thing?");
    question.shape = shape;
    if kind.is_choice() {
        question.offer(vec!["OAuth".into(), "SAML".into(), "a, b".into()]);
    }
    question
}

fn one(text: &str) -> Answer {
    Answer::One(text.into())
}

fn many(texts: &[&str]) -> Answer {
    Answer::Many(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn run(question: &Question, value: &Value) -> Result<Option<Answer>, String> {
    check(question, value).map_err(|fault| fault.message)
}

#[test]
fn a_condition_stays_with_what_follows_it() {
    assert_eq!(sentences("a, b\nc,,"), ["a", "b", "c"]);
    assert_eq!(sentences("When a, b, c"), ["When a, b", "c"]);
    assert_eq!(sentences("given a, when b, then c, d"), ["given a, when b, then c", "d"]);
    assert_eq!(sentences("- if it fails,\nnothing is lost"), ["- if it fails", "nothing is lost"]);
}

#[test]
fn what_nobody_would_type_is_refused() {
    let long = "x".repeat(MAX_LINE_CHARS + 1);
    for shape in [TextShape::Line, TextShape::Paths, TextShape::Lines] {
        let question = question(QuestionKind::FreeText, shape);
        assert!(run(&question, &json!(long)).unwrap_err().contains("too long"));
        assert!(run(&question, &json!("é".repeat(MAX_LINE_CHARS))).is_ok());
    }
    let paths = question(QuestionKind::FreeText, TextShape::Paths);
    let list = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
    assert!(run(&paths, &json!(list(MAX_ENTRIES))).is_ok());
    for many in [json!(list(MAX_ENTRIES + 1)), json!(list(100_000).join(","))] {
        assert!(run(&paths, &many).unwrap_err().contains("too many"));
    }
    let text = question(QuestionKind::FreeText, TextShape::Text);
    assert!(run(&text, &json!(long)).is_ok());
    assert!(run(&text, &json!("x".repeat(MAX_TEXT_BYTES + 1))).unwrap_err().contains("too long"));
}

#[test]
fn a_single_choice_takes_one_option() {
    let question = question(QuestionKind::SingleChoice, TextShape::Line);
    assert_eq!(run(&question, &json!("oauth")), Ok(Some(one("OAuth"))));
    assert_eq!(run(&question, &json!(["saml"])), Ok(Some(one("SAML"))));
    assert_eq!(run(&question, &json!("Other (specify)")), Ok(Some(one(OTHER))));
    assert_eq!(run(&question, &Value::Null), Ok(None));
    for bad in [
        json!("ZZZ"),
        json!(""),
        json!("  "),
        json!(5),
        json!(true),
        json!({}),
        json!([]),
        json!(["OAuth", "SAML"]),
    ] {
        assert!(run(&question, &bad).is_err(), "{bad}");
    }
    let fault = check(&question, &json!("ZZZ")).unwrap_err();
    assert_eq!(fault.question_id, "q");
    assert_eq!(fault.options.last().unwrap(), OTHER);
}

#[test]
fn a_multi_choice_counts() {
    let mut question = question(QuestionKind::MultiChoice, TextShape::Line);
    question.min_selections = Some(1);
    question.max_selections = Some(2);
    assert_eq!(run(&question, &json!(["oauth", "OAUTH", "saml"])), Ok(Some(many(&["OAuth", "SAML"]))));
    assert_eq!(run(&question, &json!("oauth, saml")), Ok(Some(many(&["OAuth", "SAML"]))));
    assert_eq!(run(&question, &json!("a, b")), Ok(Some(many(&["a, b"]))));
    for bad in [json!(["OAuth", "SAML", "a, b"]), json!([]), json!(""), json!([1]), json!({}), json!(["x"])] {
        assert!(run(&question, &bad).is_err(), "{bad}");
    }
    question.optional = true;
    assert_eq!(run(&question, &json!([])), Ok(None));
}

#[test]
fn a_free_text_is_a_text() {
    let line = question(QuestionKind::FreeText, TextShape::Line);
    assert_eq!(run(&line, &json!(" a\nb ")), Ok(Some(one("a b"))));
    let text = question(QuestionKind::FreeText, TextShape::Text);
    assert_eq!(run(&text, &json!(" a\r\n\r\nb ")), Ok(Some(one("a\n\nb"))));
    for bad in [json!(""), json!("\n"), json!("\0"), json!(5), json!(false), json!(["a"]), json!({})] {
        assert!(run(&line, &bad).is_err(), "{bad}");
    }
}

#[test]
fn paths_stay_inside_and_do_not_open_everything() {
    let paths = question(QuestionKind::FreeText, TextShape::Paths);
    assert_eq!(
        run(&paths, &json!("src/auth/, ./README.md,,src/**/*.rs")),
        Ok(Some(many(&["src/auth/", "README.md", "src/**/*.rs"])))
    );
    assert_eq!(run(&paths, &json!(["a, b.txt", ".github/"])), Ok(Some(many(&["a, b.txt", ".github/"]))));
    for bad in ["**/*", "*", ".", "./", "/etc", "../x", "a/../..", "~/x", "C:\\x", "**", "*.*"] {
        assert!(run(&paths, &json!(bad)).is_err(), "{bad}");
    }
    assert!(run(&paths, &json!("")).is_err());
    assert!(run(&paths, &json!([""])).is_err());
}

#[test]
fn criteria_are_split_and_lose_their_bullets() {
    let lines = question(QuestionKind::FreeText, TextShape::Lines);
    assert_eq!(
        run(&lines, &json!("- [ ] works\n* is fast, is small")),
        Ok(Some(many(&["works", "is fast", "is small"])))
    );
    assert_eq!(run(&lines, &json!(["works, mostly"])), Ok(Some(many(&["works, mostly"]))));
    assert!(run(&lines, &json!(["works", 3])).is_err());
}
