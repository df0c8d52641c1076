//! Whether a version is a semantic one; what it means is nobody's business here.

/// `1.2.3`, with an optional `-pre.release` and `+build`.
pub fn is_semantic_version(text: &str) -> bool {
    let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (core, pre) = rest.split_once('-').map_or((rest, None), |(core, pre)| (core, Some(pre)));
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let is_label = |labels: &str| {
        labels.split('.').all(|label| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre.is_none_or(is_label)
        && build.is_none_or(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_three_numbers() {
        for good in ["0.1.0", "1.2.3-rc.1", "1.2.3+b7", "10.0.0-a-b+c"] {
            assert!(is_semantic_version(good), "{good}");
        }
        for bad in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.x"] {
            assert!(!is_semantic_version(bad), "{bad}");
        }
    }
}
