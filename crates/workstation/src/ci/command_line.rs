//! Splits a command line into words. There is no shell: `|`, `>`, `;`, `$` and `*` are characters like any other.
//!
//! Words are separated by blanks (U+0020 alone). Double and single quotes group and are removed. A backslash takes
//! the next `"` or `\` literally inside quotes, and a `"` outside; before anything else it stays. Unlike the original,
//! an empty pair of quotes is an argument, so that positions do not shift.

use crate::error::{Error, Result};

/// The words of a command line; there is at least one.
pub(crate) fn split(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => {
                let collapses = match chars.peek() {
                    Some('"') => true,
                    Some('\\') => quote.is_some(),
                    _ => false,
                };
                let word = word.get_or_insert_default();
                if !collapses {
                    word.push('\\');
                }
                // Inside quotes the next character is part of the pair, whatever it is.
                if collapses || quote.is_some() {
                    word.extend(chars.next());
                }
            }
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        let kind = if open == '"' { "double" } else { "single" };
        return Err(bad(format!("unclosed {kind} quote")));
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err(bad("the command is empty".to_owned()));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(bad("the command contains a NUL character".to_owned()));
    }
    Ok(words)
}

fn bad(message: String) -> Error {
    Error::invalid_argument("command", "a program and its arguments", message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_cut_at_blanks_and_kept_together_by_quotes() {
        let table: [(&str, &[&str]); 17] = [
            ("git status", &["git", "status"]),
            ("git    status    --short ", &["git", "status", "--short"]),
            ("ls", &["ls"]),
            (r#"git commit -m "Fix bug""#, &["git", "commit", "-m", "Fix bug"]),
            (r#"echo "He said \"hello\"""#, &["echo", r#"He said "hello""#]),
            ("echo 'hello world'", &["echo", "hello world"]),
            (r#"echo '"quoted"'"#, &["echo", r#""quoted""#]),
            (r#""Program Files/app" --help"#, &["Program Files/app", "--help"]),
            (r#"echo "path\\to\\file""#, &["echo", r"path\to\file"]),
            (r#"echo "path\nvalue""#, &["echo", r"path\nvalue"]),
            (r#"echo a"b c"'d e'f"#, &["echo", "ab cd ef"]),
            (r#"echo \"x\" a\\b"#, &["echo", r#""x""#, r"a\\b"]),
            (r#"run "" a '' b"#, &["run", "", "a", "", "b"]),
            ("echo a\tb\nc", &["echo", "a\tb\nc"]),
            (
                "echo $(id) `id` ; rm * > x | y && z",
                &["echo", "$(id)", "`id`", ";", "rm", "*", ">", "x", "|", "y", "&&", "z"],
            ),
            (r"echo 'it\'s'", &["echo", r"it\'s"]),
            (r"echo a\", &["echo", r"a\"]),
        ];
        for (line, words) in table {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn a_line_that_makes_no_sense_says_so() {
        let table = [
            (r#"git commit -m "unclosed"#, "unclosed double quote"),
            ("echo 'unclosed", "unclosed single quote"),
            (r#"echo "test\""#, "unclosed double quote"),
            ("", "the command is empty"),
            ("   ", "the command is empty"),
            (r#""" x"#, "the command is empty"),
            ("echo \0", "the command contains a NUL character"),
        ];
        for (line, message) in table {
            assert_eq!(split(line).unwrap_err().message, message, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn quoted_words_come_back_as_they_were(words in prop::collection::vec("[a \t\"'\\\\$]{0,6}", 1..6)) {
            prop_assume!(!words[0].is_empty());
            let quoted: Vec<String> = words
                .iter()
                .map(|word| format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")))
                .collect();
            prop_assert_eq!(split(&quoted.join(" ")).unwrap(), words);
        }
    }
}
