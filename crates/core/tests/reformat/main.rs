//! Formatters at their most different: files of our own before and after rustfmt, black and prettier with hostile settings
//! (width, quotes, commas, semicolons, parentheses). The hash of a declaration has to survive them, and no edit may hide.

#![expect(
    clippy::unwrap_used,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the samples are ours"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use hewto_core::proof::{FileRole, read_file_tags};

/// How many declarations in a hundred may seem to have changed.
const MOST_DRIFT: usize = 1;

/// A file with a tag above each function, named by the function and its count.
fn tagged(path: &str, text: &str) -> String {
    let mark = if path.ends_with(".py") { "#" } else { "//" };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = String::new();
    for line in text.lines() {
        if let Some(name) = declared(path, line) {
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            let indent = &line[..line.len() - line.trim_start().len()];
            let _ = writeln!(out, "{indent}{mark} @spec-code a#{name}/n{count}");
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The name of the function that a line begins.
fn declared(path: &str, line: &str) -> Option<String> {
    let words = match path.rsplit('.').next()? {
        "rs" => ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn "].as_slice(),
        "py" => ["def ", "async def ", "class "].as_slice(),
        _ => ["function ", "async function ", "export function ", "export async function "].as_slice(),
    };
    let rest = words.iter().find_map(|word| line.trim_start().strip_prefix(word))?;
    let name: String = rest.chars().take_while(|ch| ch.is_alphanumeric() || *ch == '_').collect();
    (!name.is_empty()).then(|| name.to_lowercase().replace('_', "-"))
}

/// What each declaration of a file says.
fn hashes(path: &str, text: &str) -> BTreeMap<String, String> {
    let found = read_file_tags(path, &tagged(path, text), FileRole::Other);
    let hash = |link: &hewto_core::proof::Link| link.anchor.as_ref().unwrap().token_hash.clone();
    found.links.iter().map(|link| (link.reference.to_string(), hash(link))).collect()
}

/// Name, text before and text after of each sample.
fn samples() -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reformat/samples");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".before."))
        .collect();
    names.sort();
    let text = |name: &str| {
        String::from_utf8(std::fs::File::open(folder.join(name)).and_then(bytes).unwrap()).unwrap()
    };
    names
        .iter()
        .map(|name| {
            let path = name.replace(".before", "").trim_end_matches(".txt").to_owned();
            (path, text(name), text(&name.replace(".before.", ".after.")))
        })
        .collect()
}

fn bytes(mut file: std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn a_formatter_changes_the_hash_of_at_most_one_declaration_in_a_hundred() {
    let (mut all, mut drifted) = (0, Vec::new());
    for (path, before, after) in samples() {
        let (before, after) = (hashes(&path, &before), hashes(&path, &after));
        assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "{path}");
        all += before.len();
        let changed = before.iter().filter(|(name, hash)| after.get(*name) != Some(hash));
        drifted.extend(changed.map(|(name, _)| format!("{path}: {name}")));
    }
    assert!(all > 100, "{all} declarations are too few to say something");
    assert!(drifted.len() * 100 <= all * MOST_DRIFT, "{} of {all}: {drifted:#?}", drifted.len());
}

#[test]
fn one_edited_body_is_exactly_one_drift() {
    for (path, _, after) in samples() {
        let clean = hashes(&path, &after);
        // A word of the last third, so that it is in a body; the first function around it is the one that changed.
        let from = after.len() * 2 / 3;
        let from = (from..after.len()).find(|at| after.is_char_boundary(*at)).unwrap();
        let Some(at) =
            after[from..].find("return ").or_else(|| after[from..].find("let ")).map(|at| from + at)
        else {
            continue;
        };
        let edited = format!("{}return changed_here, {}", &after[..at], &after[at..]);
        let changed: Vec<&String> = {
            let edited = hashes(&path, &edited);
            clean
                .iter()
                .filter(|(name, hash)| edited.get(*name) != Some(hash))
                .map(|(name, _)| name)
                .collect()
        };
        // A function in a function changes with it.
        assert!((1..=2).contains(&changed.len()), "{path}: {changed:?}");
    }
}
