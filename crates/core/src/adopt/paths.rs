//! What the path of a file says of it.

/// Whether a file holds tests, or what tests need.
pub(super) fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let folders =
        ["test", "tests", "__tests__", "spec", "e2e", "testdata", "fixtures", "__mocks__", "benches"];
    let mut parts = lower.split('/');
    let name = parts.next_back().unwrap_or_default();
    if parts.any(|part| folders.contains(&part)) || lower.contains("src/test/") || lower.contains(".tests/") {
        return true;
    }
    let stem = name.split('.').next().unwrap_or_default();
    name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "tests"
        || stem == "conftest"
        || ((name.ends_with(".java") || name.ends_with(".cs"))
            && (stem.ends_with("test") || stem.ends_with("tests")))
}

/// `someName` or `some_name` as people type it: `some-name`.
pub(super) fn kebab(name: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for c in name.trim_start_matches("r#").chars() {
        if c == '_' || c == '-' || c == ' ' {
            out.push('-');
            was_lower = false;
        } else if c.is_uppercase() {
            if was_lower {
                out.push('-');
            }
            out.extend(c.to_lowercase());
            was_lower = false;
        } else {
            out.push(c);
            was_lower = c.is_lowercase() || c.is_numeric();
        }
    }
    out
}

/// A path of a route in one form, however a framework writes its parameters: `/users/:id`, `<int:id>`, `{id}`, `[id]`,
/// `${id}`.
pub(super) fn route(prefix: &str, path: &str) -> String {
    let mut out = String::new();
    let joined = format!("{}/{}", prefix.trim_end_matches('/'), path.trim_start_matches('/'));
    for segment in segments(&joined).filter(|segment| !segment.is_empty()) {
        out.push('/');
        out.push_str(&parameter(segment));
    }
    if out.is_empty() { "/".to_owned() } else { out }
}

/// A regular expression as a path: `^users/(?P<name>\w+)/?$` as `users/{name}`.
pub(super) fn of_pattern(text: &str) -> String {
    let mut rest = text.trim_start_matches('^').trim_end_matches('$').trim_end_matches("/?");
    let mut out = String::new();
    while let Some((before, behind)) = rest.split_once("(?P<") {
        let (name, pattern) = behind.split_once('>').unwrap_or((behind, ""));
        let mut depth = 1_usize;
        let end = pattern.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        out.push_str(before);
        out.push('{');
        out.push_str(name);
        out.push('}');
        rest = end.map_or("", |(at, _)| &pattern[at + 1..]);
    }
    out.push_str(rest);
    out.replace("\\.", ".").replace("\\-", "-").replace("\\/", "/")
}

/// The parts between slashes; one in an expression of a template divides nothing.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    path.split(move |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '/' && depth == 0
    })
}

fn parameter(segment: &str) -> String {
    // Of `${user.id}` in a template the last name says most; a segment that is only partly computed keeps the rest.
    if let Some((before, rest)) = segment.split_once("${")
        && let Some((inner, behind)) = rest.split_once('}')
    {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = inner.split(|c: char| !is_name(c)).rfind(|part| !part.is_empty()).unwrap_or("value");
        return format!("{before}{{{name}}}{}", parameter(behind));
    }
    if let Some(name) = segment.strip_prefix(':') {
        return format!("{{{}}}", name.trim_end_matches(['?', '+', '*']));
    }
    if let Some(inner) = segment.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return format!("{{{}}}", inner.rsplit(':').next().unwrap_or(inner));
    }
    if let Some(inner) = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return format!("{{{}}}", inner.trim_matches(['[', ']', '.']));
    }
    if let Some(inner) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let name = inner.split([':', '=']).next().unwrap_or(inner);
        return format!("{{{}}}", name.trim_matches(['*', '?']));
    }
    segment.to_owned()
}
