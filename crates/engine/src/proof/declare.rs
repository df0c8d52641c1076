//! How a check is declared that is not there yet: the table to write, word for word.

use hewto_core::proof::settings::Format;
use hewto_store::Own;
use serde_json::json;

use crate::error::Error;

/// The checks that `hewto proof init` knows, as it writes them where a project says nothing else.
const KNOWN: [(&str, &str); 9] = [
    ("cargo", "run = [\"cargo\", \"test\", \"--no-fail-fast\"]\nformat = \"libtest\"\n"),
    (
        "nextest",
        "run = [\"cargo\", \"nextest\", \"run\", \"--no-fail-fast\", \"--profile\", \"ci\"]\nreport = \"target/nextest/ci/junit.xml\"\nformat = \"junit\"\nharness = [\".config/nextest.toml\"]\n",
    ),
    (
        "pytest",
        "run = [\"python3\", \"-m\", \"pytest\", \"-q\", \"--junitxml=.hewto/cache/proof/pytest.xml\"]\nreport = \".hewto/cache/proof/pytest.xml\"\nformat = \"pytest\"\n",
    ),
    (
        "vitest",
        "run = [\"npx\", \"--no-install\", \"vitest\", \"run\", \"--reporter=json\", \"--outputFile=.hewto/cache/proof/vitest.json\"]\nreport = \".hewto/cache/proof/vitest.json\"\nformat = \"vitest\"\n",
    ),
    (
        "jest",
        "run = [\"npx\", \"--no-install\", \"jest\", \"--json\", \"--outputFile=.hewto/cache/proof/jest.json\"]\nreport = \".hewto/cache/proof/jest.json\"\nformat = \"jest\"\n",
    ),
    ("go", "run = [\"go\", \"test\", \"-json\", \"-count=1\", \"./...\"]\nformat = \"gotest\"\n"),
    (
        "maven",
        "run = [\"mvn\", \"-B\", \"--fail-at-end\", \"test\"]\nreport = \"**/target/surefire-reports/TEST-*.xml\"\nformat = \"junit\"\n",
    ),
    (
        "gradle",
        "run = [\"gradle\", \"test\", \"--continue\", \"--no-build-cache\"]\nreport = \"**/build/test-results/test/TEST-*.xml\"\nformat = \"junit\"\n",
    ),
    (
        "dotnet",
        "run = [\"dotnet\", \"test\", \"--logger\", \"trx\", \"--results-directory\", \".hewto/cache/proof/dotnet\"]\nreport = \".hewto/cache/proof/dotnet/*.trx\"\nformat = \"trx\"\n",
    ),
];

/// For a runner that nobody knows: what every check has to say.
const OTHER: &str =
    "run = [\"PROGRAM\", \"ARGUMENT\"]\nreport = \"PATH/OF/ITS/REPORT.xml\"\nformat = \"junit\"\n";

/// The table that declares a check of this name.
fn table(name: &str) -> String {
    let known = KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let (name, lines) = known.copied().unwrap_or((name, OTHER));
    format!("[check.{name}]\n{lines}")
}

/// Says what can be declared, and how: presets, formats, and the table for `name`.
pub(super) fn with_declaration(error: Error, name: &str, before: &str) -> Error {
    let is_name = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-');
    let name = Some(name).filter(|name| !name.is_empty() && name.len() <= 64 && name.chars().all(is_name));
    let table = table(name.unwrap_or("unit"));
    let presets = KNOWN.map(|(name, _)| name);
    let formats = Format::ALL.map(Format::as_str);
    let file = Own::Proof.path();
    error
        .detail("presets", json!(presets))
        .detail("formats", json!(formats))
        .detail("declaration", table.as_str())
        .hint(format!(
            "{before}`hewto proof init` knows {}; any other runner is declared in `{file}` by its program, its report and a format ({}), and trusted by the owner (`hewto trust`):\n{table}",
            presets.join(", "),
            formats.join(", "),
        ))
}

#[cfg(test)]
mod tests {
    use hewto_core::proof::settings::Settings;

    use super::*;
    use crate::error::{Key, Kind};

    #[test]
    fn every_table_that_is_shown_can_be_written_as_it_is() {
        for name in KNOWN.map(|(name, _)| name).into_iter().chain(["robot", "unit"]) {
            let (settings, faults) = Settings::read(&table(name));
            assert!(faults.is_empty(), "{name}: {faults:?}");
            assert_eq!(settings.checks[0].name, name);
        }
    }

    #[test]
    fn what_is_no_name_is_not_repeated_as_one() {
        for odd in ["", "a]\nrun = 1", "ünit", &"x".repeat(65)] {
            let error = Error::new(Kind::Usage, Key::CheckUnknown, "no such check");
            let told = format!("{:?}", with_declaration(error, odd, ""));
            assert!(told.contains("[check.unit]"), "{told}");
        }
    }
}
