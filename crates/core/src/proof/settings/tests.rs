use proptest::prelude::*;

use super::*;

const SAMPLE: &str = r#"policy = "enforce"
tests = ["tests/**", "**/*_test.go"]
reviewers = ["ann"]
[gates]
plan = "terminal"
archive = "none"
[gates.folder."specs/billing/"]
plan = "signed"
[gates.category.bugfix]
plan = "elicited"
reviewers = ["bo"]
[check.unit]
run = ["cargo", "nextest", "run", "--profile", "ci"]
report = "target/nextest/ci/junit.xml"
format = "junit"
inputs = ["**"]
harness = [".config/nextest.toml"]
timeout_s = 60
isolate = true
coverage = "target/lcov.info"
[check.go]
run = ["go", "test", "-json", "./..."]
format = "gotest"
"#;

fn valid(text: &str) -> Settings {
    let (settings, diagnostics) = Settings::read(text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    settings
}

#[test]
fn the_sample_of_the_design_is_read() {
    let settings = valid(SAMPLE);
    assert!(settings.is_valid());
    assert_eq!(settings.policy, Policy::Enforce);
    assert_eq!(settings.tests, ["tests/**", "**/*_test.go"]);
    let unit = settings.check("unit").unwrap();
    assert_eq!(unit.run[1], "nextest");
    assert_eq!((unit.format, unit.timeout_s, unit.isolate, unit.line), (Format::Junit, 60, true, 12));
    assert_eq!(unit.report.as_deref(), Some("target/nextest/ci/junit.xml"));
    assert_eq!(unit.coverage.as_deref(), Some("target/lcov.info"));
    let go = settings.check("go").unwrap();
    assert_eq!((go.report.as_deref(), go.timeout_s), (None, DEFAULT_TIMEOUT_S));
    assert_eq!(go.inputs, ["**"]);
    assert!(settings.check("lint").is_none());
}

#[test]
fn an_absent_file_asks_for_nothing_and_wants_the_argument_of_the_call() {
    let settings = valid("");
    assert_eq!(settings, Settings::absent());
    assert_eq!(settings.policy, Policy::Off);
    assert_eq!(settings.gates.of_item("specs/x", None).plan(), Gate::Weakest(Channel::Asserted));
    assert!(!settings.gates.need_a_person());
}

#[test]
fn gates_hold_by_folder_and_category_and_the_strictest_wins() {
    let gates = valid(SAMPLE).gates;
    let plan = |folder, category| gates.of_item(folder, category).plan();
    assert_eq!(plan("specs/shop", None), Gate::Weakest(Channel::Terminal));
    assert_eq!(plan("specs/billing", None), Gate::Weakest(Channel::Signed));
    assert_eq!(plan("specs/billing/refund", Some("bugfix")), Gate::Weakest(Channel::Signed));
    assert_eq!(plan("specs/billings", Some("bugfix")), Gate::Weakest(Channel::Elicited));
    let bug = gates.of_item("specs/shop", Some("bugfix"));
    assert!(bug.is_reviewer("bo") && !bug.is_reviewer("ann"));
    assert_eq!(bug.archive(), Gate::None);
    assert!(gates.of_item("specs/shop", None).is_reviewer("ann"));
    assert!(gates.need_a_person());
}

#[test]
fn what_is_written_into_several_places_comes_to_the_strictest_of_their_gates() {
    let gates = valid(SAMPLE).gates;
    let of = |places: &[(&'static str, Option<&'static str>)]| {
        let places: Vec<Place<'_>> =
            places.iter().map(|(folder, category)| Place { folder, category: *category }).collect();
        gates.of_places(&places)
    };
    assert_eq!(of(&[("changes/mail", None)]), gates.general);
    assert_eq!(of(&[("changes/mail", None), ("specs/shop", None)]), gates.general);
    let billing = of(&[("changes/mail", None), ("specs/billing", None)]);
    assert_eq!(billing.plan(), Gate::Weakest(Channel::Signed));
    // A scope that asks for less lowers nothing of what is around it, and says who decides.
    let bugfix = of(&[("changes/mail", None), ("specs/shop", Some("bugfix"))]);
    assert_eq!(bugfix.plan(), Gate::Weakest(Channel::Terminal));
    assert!(bugfix.is_reviewer("bo") && !bugfix.is_reviewer("ann"));
}

#[test]
fn a_category_that_no_spec_can_have_is_told() {
    let (settings, diagnostics) = Settings::read("[gates.category.documentation]\nplan = \"none\"\n");
    assert!(settings.is_valid());
    let told: Vec<_> = diagnostics.iter().map(|one| (one.line, one.code, one.hint.as_str())).collect();
    assert_eq!(
        told,
        [(1, "proof-key-unknown", "known here: `feature`, `bugfix`, `refactor`, `docs`, `other`")],
        "{diagnostics:#?}"
    );
}

#[test]
fn a_channel_opens_what_it_is_strong_enough_for() {
    let gate = Gate::Weakest(Channel::Web);
    assert!(gate.opened_by(Channel::Terminal) && gate.opened_by(Channel::Touch));
    assert!(!gate.opened_by(Channel::Elicited));
    assert!(Gate::None.opened_by(Channel::Asserted) && !Gate::None.needs_a_person());
    assert_eq!(Gate::None.stricter(Gate::default()), Gate::default());
    assert_eq!(gate.stricter(Gate::None), gate);
    let mine =
        GateSet { plan: Some(gate), reviewers: Some(vec!["ann".into(), "bo".into()]), ..GateSet::default() };
    let theirs = GateSet { reviewers: Some(vec!["bo".into()]), ..GateSet::default() };
    let both = mine.stricter(&theirs);
    assert_eq!((both.plan(), both.archive), (gate, None));
    assert!(both.is_reviewer("bo") && !both.is_reviewer("ann"));
}

#[test]
fn every_fault_is_named_with_its_line() {
    let text = "policy = \"on\"\ntests = \"tests\"\nmin_verified = 101\ngates = 3\n[check.a]\nrun = []\nformat = \"xunit\"\n\
                report = \"../r.xml\"\ntimeout_s = 0\nisolate = 1\nharness = [\"/etc/x\"]\n[check.b]\nformat = \"junit\"\n";
    let (settings, diagnostics) = Settings::read(text);
    assert!(!settings.is_valid() && settings.checks.is_empty());
    let lines: Vec<usize> = diagnostics.iter().map(|diagnostic| diagnostic.line).collect();
    assert_eq!(lines, [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 12], "{diagnostics:#?}");
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.code == "proof-settings-invalid"));
    assert!(diagnostics[0].message.ends_with("`policy` is `on`, not one of `off`, `warn`, `enforce`"));
}

#[test]
fn a_misspelt_key_is_a_warning_that_names_the_right_one() {
    let (settings, diagnostics) = Settings::read(
        "polcy = \"warn\"\n[gates]\narchiv = \"web\"\n[check.a]\nrun = [\"x\"]\nformat = \"tap\"\ntimeout = 3\n",
    );
    let told: Vec<_> = diagnostics.iter().map(|d| (d.line, d.code, d.hint.as_str())).collect();
    assert_eq!(
        told,
        [
            (1, "proof-key-unknown", "did you mean `policy`?"),
            (3, "proof-key-unknown", "did you mean `archive`?"),
            (7, "proof-key-unknown", "did you mean `timeout_s`?"),
        ]
    );
    assert!(settings.is_valid() && settings.check("a").is_some());
}

#[test]
fn two_checks_cannot_write_one_report() {
    let text = "[check.a]\nrun = [\"x\"]\nformat = \"junit\"\nreport = \"r.xml\"\n[check.b]\nrun = [\"y\"]\nformat = \"junit\"\nreport = \"./r.xml\"\n";
    let (settings, diagnostics) = Settings::read(text);
    assert!(!settings.is_valid());
    assert_eq!(diagnostics[0].line, 8);
    assert!(diagnostics[0].message.contains("`check.a` writes already"), "{}", diagnostics[0].message);
}

#[test]
fn the_digest_is_that_of_the_bytes() {
    assert_eq!(digest(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_ne!(digest(b"policy = \"warn\""), digest(b"policy = \"warn\"\n"));
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "[\\[\\]a-z=\"'\n. 0-9{},#]{0,60}") {
        let (_, diagnostics) = Settings::read(&text);
        prop_assert!(diagnostics.iter().all(|diagnostic| diagnostic.line >= 1));
    }

    #[test]
    fn a_sample_with_one_byte_changed_is_survived(at in 0..SAMPLE.len(), byte in " -~") {
        let mut text = SAMPLE.to_owned();
        text.replace_range(at..=at, &byte);
        let (settings, diagnostics) = Settings::read(&text);
        prop_assert_eq!(settings.is_valid(), diagnostics.iter().all(|d| d.severity != Severity::Error));
    }
}
