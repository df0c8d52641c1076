//! The text of a file that comes closest to one that was not found, and how it differs.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::call::Call;
use crate::show::{beginning, show_bytes};

/// More lines than this are not compared by likeness.
const MAX_LINES: usize = 50_000;
/// Less alike than this is no help.
const LEAST_LIKENESS: f64 = 0.45;
/// How much of the nearest text is shown.
const SHOWN_CHARS: usize = 4_000;

/// The nearest text and the difference in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Nearest {
    pub(super) start_line: usize,
    pub(super) end_line: usize,
    pub(super) content: String,
    #[serde(skip)]
    pub(super) difference: String,
}

pub(super) fn nearest(text: &[u8], wanted: &str, call: &Call<'_>) -> Option<Nearest> {
    let shown = show_bytes(text).text;
    let lines: Vec<&str> = shown.lines().collect();
    let wanted_lines: Vec<&str> = wanted.lines().collect();
    if let Some(difference) = shape(&shown, wanted, &wanted_lines) {
        let nearest = Nearest { start_line: 1, end_line: 1, content: String::new(), difference };
        return Some(locate(nearest, &lines, &wanted_lines, call));
    }
    let start = best_start(&lines, &wanted_lines, call)?;
    let end = (start + wanted_lines.len()).min(lines.len());
    let window = &lines[start..end];
    Some(Nearest {
        start_line: start + 1,
        end_line: end,
        content: beginning(&window.join("\n"), SHOWN_CHARS).to_owned(),
        difference: difference(window, &wanted_lines, start),
    })
}

/// Fills in where the text stands, for a fault that is seen without comparing lines.
fn locate(nearest: Nearest, lines: &[&str], wanted: &[&str], call: &Call<'_>) -> Nearest {
    let stripped: Vec<&str> = wanted.iter().map(|line| without_number(line).unwrap_or(line)).collect();
    match best_start(lines, &stripped, call) {
        Some(start) => {
            let end = (start + wanted.len()).min(lines.len());
            let content = beginning(&lines[start..end].join("\n"), SHOWN_CHARS).to_owned();
            Nearest { start_line: start + 1, end_line: end, content, ..nearest }
        }
        None => nearest,
    }
}

/// Faults in the form of the wanted text itself.
fn shape(text: &str, wanted: &str, wanted_lines: &[&str]) -> Option<String> {
    let stripped: Option<Vec<&str>> = wanted_lines.iter().map(|line| without_number(line)).collect();
    if stripped.is_some_and(|lines| !lines.is_empty() && text.contains(&lines.join("\n"))) {
        return Some("leave the line numbers out of `old_text`".to_owned());
    }
    let unescaped = wanted.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    if unescaped != wanted && text.contains(&unescaped) {
        let escapes = r#"`\n`, `\t` or `\"`"#;
        return Some(format!("`old_text` has {escapes} as two characters; send the character itself"));
    }
    None
}

/// What follows `   12<tab>`.
fn without_number(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once('\t')?;
    let number = number.trim_start();
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

/// The line at which the wanted lines most likely begin.
fn best_start(lines: &[&str], wanted: &[&str], call: &Call<'_>) -> Option<usize> {
    let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        at.entry(line.trim()).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (offset, line) in wanted.iter().enumerate() {
        let line = line.trim();
        // Closing braces and blank lines stand everywhere.
        if line.len() < 3 {
            continue;
        }
        for index in at.get(line).into_iter().flatten().take(100) {
            if let Some(start) = index.checked_sub(offset) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    if let Some((start, _)) = votes.iter().max_by_key(|(start, votes)| (**votes, std::cmp::Reverse(**start)))
    {
        return Some(*start);
    }
    most_alike(lines, wanted, call)
}

/// The same, by the line that is most like the longest wanted one.
fn most_alike(lines: &[&str], wanted: &[&str], call: &Call<'_>) -> Option<usize> {
    let (offset, anchor) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let pairs = pairs_of(anchor);
    let mut best: Option<(f64, usize)> = None;
    for (index, line) in lines.iter().enumerate().take(MAX_LINES) {
        if index % 1024 == 0 && call.check().is_err() {
            return None;
        }
        let likeness = likeness(&pairs, line);
        if likeness >= LEAST_LIKENESS && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, index));
        }
    }
    best.map(|(_, index)| index.saturating_sub(offset))
}

fn pairs_of(line: &str) -> Vec<(char, char)> {
    let chars: Vec<char> =
        line.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).take(400).collect();
    let mut pairs: Vec<(char, char)> = chars.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// How many pairs of neighbouring characters two lines share: 1.0 is all of them.
fn likeness(wanted: &[(char, char)], line: &str) -> f64 {
    let pairs = pairs_of(line);
    let most = wanted.len() + pairs.len();
    if most == 0 {
        return 0.0;
    }
    let (mut a, mut b, mut shared) = (0, 0, 0_u32);
    while a < wanted.len() && b < pairs.len() {
        match wanted[a].cmp(&pairs[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                a += 1;
                b += 1;
            }
        }
    }
    f64::from(2 * shared) / f64::from(u32::try_from(most).unwrap_or(u32::MAX))
}

/// Says in words how the first line differs that does. It quotes nothing: hints are on record, contents are not.
fn difference(window: &[&str], wanted: &[&str], start: usize) -> String {
    for (index, line) in wanted.iter().enumerate() {
        let number = start + index + 1;
        let Some(there) = window.get(index) else {
            return format!("the file ends at line {}, before `old_text` does", number - 1);
        };
        if line == there {
            continue;
        }
        let squeezed = |line: &str| line.split_whitespace().collect::<String>();
        let indent = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
        if squeezed(line) == squeezed(there) {
            return if indent(line) != indent(there) {
                format!(
                    "line {number} is indented by {}, `old_text` by {}",
                    blanks(&indent(there)),
                    blanks(&indent(line))
                )
            } else if line.trim_end() == there.trim_end() {
                format!("line {number} differs in its trailing whitespace")
            } else {
                format!("line {number} differs in the whitespace between its words")
            };
        }
        let (line, there) = (line.trim(), there.trim());
        if line.to_lowercase() == there.to_lowercase() {
            return format!("line {number} differs in upper and lower case");
        }
        if plain(line) == plain(there) {
            return format!(
                "line {number} has characters that only look like those of `old_text`: {}",
                odd(line, there)
            );
        }
        return format!("line {number} is different; `nearest` has it as it stands");
    }
    "the lines are the same; `old_text` begins or ends differently".to_owned()
}

fn blanks(indent: &str) -> String {
    let tabs = indent.matches('\t').count();
    let others = indent.chars().count() - tabs;
    match (tabs, others) {
        (0, 0) => "nothing".to_owned(),
        (0, spaces) => counted(spaces, "space"),
        (tabs, 0) => counted(tabs, "tab"),
        (tabs, spaces) => format!("{} and {}", counted(tabs, "tab"), counted(spaces, "space")),
    }
}

fn counted(number: usize, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// The line with typographic characters as the ones on a keyboard.
fn plain(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' => ' ',
            other => other,
        })
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}'))
        .collect()
}

/// The first pair of characters that look alike.
fn odd(line: &str, there: &str) -> String {
    line.chars()
        .zip(there.chars())
        .find(|(a, b)| a != b)
        .map(|(a, b)| format!("U+{:04X} where `old_text` has U+{:04X}", u32::from(b), u32::from(a)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn one() {\n\tlet a = 1;\n}\n\nfn two() {\n    let it\u{2019}s = \"two\";  \n}\n";

    fn check(wanted: &str, line: usize, difference: &str) {
        let nearest = nearest(FILE.as_bytes(), wanted, &Call::unbounded()).unwrap();
        assert_eq!((nearest.start_line, nearest.difference.as_str()), (line, difference), "{wanted:?}");
    }

    #[test]
    fn the_difference_is_said_in_words() {
        check("    let a = 1;", 2, "line 2 is indented by 1 tab, `old_text` by 4 spaces");
        check("fn one()  {", 1, "line 1 differs in the whitespace between its words");
        check("fn Two() {", 5, "line 5 differs in upper and lower case");
        check("fn one() {\n\tlet a = 2;\n}", 1, "line 2 is different; `nearest` has it as it stands");
        check("     1\tfn one() {\n     2\t\tlet a = 1;", 1, "leave the line numbers out of `old_text`");
        check(
            "fn two() {\n    let it\u{2019}s = \"two\";\n}",
            5,
            "line 6 differs in its trailing whitespace",
        );
        check(
            "fn two() {\n    let it's = \"two\";  \n}",
            5,
            "line 6 has characters that only look like those of `old_text`: U+2019 where `old_text` has U+0027",
        );
        check(
            "}\n\nfn two() {\n    nothing\n    more\n}\nend",
            3,
            "line 6 is different; `nearest` has it as it stands",
        );
    }

    #[test]
    fn what_is_not_there_at_all_has_no_nearest() {
        assert_eq!(nearest(FILE.as_bytes(), "SELECT * FROM xyzzy", &Call::unbounded()), None);
        assert_eq!(nearest(b"", "anything", &Call::unbounded()), None);
    }
}
