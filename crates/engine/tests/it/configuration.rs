//! One configuration, read once, with one policy about what is wrong.

use std::path::Path;

use hewto_engine::check::{Strictness, validate};
use hewto_engine::config::{OWNER_KEYS, WORKSPACE_KEYS, key_table};

use crate::support::Fixture;

#[test]
fn the_tables_of_keys_in_the_guide_are_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let text = fs_err::read_to_string(&path).unwrap();
    let fresh = [("<!-- workspace keys -->\n", WORKSPACE_KEYS), ("<!-- owner keys -->\n", OWNER_KEYS)]
        .into_iter()
        .fold(text.clone(), |text, (mark, keys)| {
            let (before, rest) = text.split_once(mark).expect("the mark stands before the table");
            let (_, after) = rest.split_once("<!-- end -->").expect("the table ends");
            format!("{before}{mark}{}<!-- end -->{after}", key_table(keys))
        });
    #[expect(clippy::disallowed_methods, reason = "a switch of this test, not of the program")]
    if std::env::var_os("HEWTO_REGENERATE").is_some() {
        fs_err::write(&path, &fresh).unwrap();
        return;
    }
    assert!(
        text == fresh,
        "docs/configuration.md is stale: HEWTO_REGENERATE=1 cargo test -p hewto-engine keys"
    );
}

#[test]
fn every_fault_of_the_configuration_is_reported_at_once_and_a_misspelt_key_fails_nothing() {
    let f = Fixture::new();
    let config = f.root().join(".hewto/config.toml");
    let text = fs_err::read_to_string(&config).unwrap();
    fs_err::write(&config, format!("{text}[limits]\ncall_timout_s = 5\n")).unwrap();
    let report = validate(&f.ws, &f.ctx, Strictness::Strict).unwrap();
    let found: Vec<(&str, &str)> =
        report.issues.iter().map(|issue| (issue.code.as_str(), issue.hint.as_str())).collect();
    assert!(found.contains(&("config-key-unknown", "did you mean `limits.call_timeout_s`?")), "{found:?}");
    assert!(report.valid, "{found:?}");

    fs_err::write(&config, format!("{text}[limits]\ncall_timeout_s = 0\n[rate]\nper_second = \"x\"\n"))
        .unwrap();
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    let lines: Vec<Option<usize>> =
        report.issues.iter().filter(|issue| issue.code == "config-invalid").map(|issue| issue.line).collect();
    assert_eq!(lines.len(), 2, "{:?}", report.issues);
    assert!(!report.valid);
    assert_eq!(f.ws.configuration(&f.ctx).config.call_timeout, None, "the default holds");
}
