//! Names of another tool as names that can stand here.

use crate::id::{SpecId, slug};

/// Longest name that is made of a foreign one, in characters.
const MAX_CHARS: usize = 60;

/// A folder name that can be an id: as it is where that is possible.
pub(super) fn plain(name: &str) -> String {
    let is_plain = name.chars().all(|ch| ch.is_alphanumeric() || matches!(ch, '-' | '_' | '.'))
        && !name.starts_with(['.', '_'])
        && !name.eq_ignore_ascii_case("archive")
        && SpecId::parse(name).is_ok();
    if is_plain { name.to_owned() } else { letters(name) }
}

/// Letters and digits of any script, and `-` for whatever stands between them.
fn letters(name: &str) -> String {
    let mut out = String::new();
    for ch in name.chars() {
        if ch.is_alphanumeric() {
            out.extend(ch.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    let is_id = out.chars().count() <= MAX_CHARS && out != "archive" && SpecId::parse(&out).is_ok();
    if is_id { out } else { slug(name) }
}

/// `photo-albums` as `Photo albums`, without a number in front.
pub(super) fn in_words(name: &str) -> String {
    let bare = without_number(name);
    let words = bare.split(['-', '_']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => name.to_owned(),
    }
}

/// `001-photo-albums` as `photo-albums`.
pub fn without_number(name: &str) -> &str {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    match name[digits..].strip_prefix(['-', '_']) {
        Some(rest) if digits > 0 && !rest.is_empty() => rest,
        _ => name,
    }
}

/// The name that a file gets beside a spec: none of hewto's own.
pub(super) fn beside(below: &str) -> String {
    let (folder, name) = below.rsplit_once('/').map_or(("", below), |(folder, name)| (folder, name));
    let name = match name {
        "spec.md" => "spec-source.md",
        "plan.md" => "technical-plan.md",
        "state.toon" => "state-source.toon",
        other => other,
    };
    let folder = if folder.split('/').next() == Some("review") {
        format!("source-{folder}")
    } else {
        folder.to_owned()
    };
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
