//! What holds of every report.

use proptest::prelude::*;

use super::super::*;
use super::SAMPLES;

proptest! {
    #[test]
    fn a_damaged_report_is_read_or_refused(
        which in 0..SAMPLES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let (format, text) = SAMPLES[which];
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte, how) in cuts {
            let at = at.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match how {
                0 if !bytes.is_empty() => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        for (other, _) in SAMPLES {
            let _ = read(other, &bytes);
        }
        let _ = read_coverage(&bytes);
        prop_assert!(read(format, &bytes).is_ok_and(|cases| cases.len() <= bytes.len()) || read(format, &bytes).is_err());
    }

    #[test]
    fn any_title_survives_junit(title in "\\PC{1,30}", failed in any::<bool>()) {
        let escaped = quick_xml::escape::escape(title.as_str());
        let end = if failed { "<failure/>" } else { "" };
        let text = format!("<testsuite name=\"s\"><testcase name=\"{escaped}\">{end}</testcase></testsuite>");
        let cases = read(Format::Junit, text.as_bytes()).unwrap();
        let (modules, last) = text::rust_path(&title);
        prop_assert_eq!(&cases[0].title, last);
        prop_assert_eq!(cases[0].suites.len(), 1 + modules.len());
        prop_assert_eq!(cases[0].outcome == CaseOutcome::Failed, failed);
    }
}
