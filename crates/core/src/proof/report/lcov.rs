//! LCOV tracefiles: `SF:` begins a file, `DA:` is a line, `end_of_record` ends it.

use std::collections::BTreeMap;

use super::{Coverage, ReportError};
use crate::proof::LineHits;

pub(super) fn read(text: &str) -> Result<Coverage, ReportError> {
    let mut files: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    let mut file: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(path) = line.strip_prefix("SF:") {
            let path = path.replace('\\', "/");
            files.entry(path.clone()).or_default();
            file = Some(path);
        } else if line == "end_of_record" {
            file = None;
        } else if let Some(data) = line.strip_prefix("DA:") {
            let Some(lines) = file.as_ref().and_then(|file| files.get_mut(file)) else {
                return Err(ReportError::malformed(index + 1, "`DA:` is outside a file"));
            };
            let mut parts = data.split(',').map(str::trim);
            let number = parts.next().and_then(|number| number.parse::<u32>().ok());
            // Some writers give `-` or a negative count for what they do not know: it was not executed.
            let hits = parts.next().map(|hits| hits.parse::<u64>().unwrap_or(0));
            let (Some(number), Some(hits)) = (number, hits) else {
                return Err(ReportError::malformed(index + 1, "`DA:` needs a line and a count"));
            };
            let so_far = lines.entry(number).or_default();
            *so_far = so_far.saturating_add(hits);
        }
    }
    if files.is_empty() && !text.trim().is_empty() && !text.trim_start().starts_with("TN:") {
        return Err(ReportError::malformed(1, "it is neither LCOV nor Cobertura"));
    }
    let files = files.into_iter().map(|(file, lines)| (file, LineHits(lines.into_iter().collect())));
    Ok(Coverage { files: files.collect() })
}
