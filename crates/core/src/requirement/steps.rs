//! The steps of a scenario one by one: GIVEN, WHEN, THEN, AND, BUT, each with its text.

use std::fmt;

/// What opens a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keyword {
    Given,
    When,
    Then,
    And,
    But,
}

/// One line of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Step {
    pub keyword: Keyword,
    pub text: String,
}

impl Keyword {
    pub const ALL: [Self; 5] = [Self::Given, Self::When, Self::Then, Self::And, Self::But];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Given => "GIVEN",
            Self::When => "WHEN",
            Self::Then => "THEN",
            Self::And => "AND",
            Self::But => "BUT",
        }
    }

    /// The keyword of this name, in any case.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|keyword| word.eq_ignore_ascii_case(keyword.as_str()))
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The steps in one text, such as `WHEN a user signs in AND is known THEN a session starts`.
///
/// Upper-case keywords open a step wherever they stand, others at the start of a line and where a sentence goes on with
/// its next part: `Given a key, when it is used, then it works`. `None` when the text does not begin with a step.
pub fn steps_in(text: &str) -> Option<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    // Of GIVEN, WHEN and THEN the last one that opened a step.
    let mut part = None;
    for line in text.lines() {
        let mut ends_clause = true;
        for (at, word) in unmarked(line).split_whitespace().enumerate() {
            let bare = word.trim_matches(['*', '_', ':', ',']);
            let opens = |keyword: &Keyword| {
                at == 0 || is_shouted(bare) || ((ends_clause || is_titled(bare)) && goes_on(part, *keyword))
            };
            if let Some(keyword) = Keyword::of(bare).filter(opens) {
                if !matches!(keyword, Keyword::And | Keyword::But) {
                    part = Some(keyword);
                }
                steps.push(Step { keyword, text: String::new() });
            } else {
                let step = &mut steps.last_mut()?.text;
                if !step.is_empty() {
                    step.push(' ');
                }
                step.push_str(word);
            }
            ends_clause = word.ends_with([',', ';', '.']);
        }
    }
    for step in &mut steps {
        step.text.truncate(step.text.trim_end_matches([',', ';']).len());
    }
    let opens = steps.first().is_some_and(|step| !matches!(step.keyword, Keyword::And | Keyword::But));
    (opens && steps.iter().all(|step| !step.text.is_empty())).then_some(steps)
}

/// A line without the mark of a list: `-`, `+`, `*` or a number.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let line = line.trim_start_matches(['-', '+']).trim_start();
    let line = line.strip_prefix("* ").unwrap_or(line).trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')']).filter(|rest| digits > 0 && rest.starts_with(' '));
    rest.map_or(line, str::trim_start)
}

fn is_shouted(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_titled(word: &str) -> bool {
    word.starts_with(|ch: char| ch.is_ascii_uppercase())
}

/// Whether a sentence in this part can go on with that one.
fn goes_on(part: Option<Keyword>, next: Keyword) -> bool {
    matches!(
        (part, next),
        (Some(Keyword::Given), Keyword::When | Keyword::Then) | (Some(Keyword::When), Keyword::Then)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_is_taken_apart_at_its_keywords() {
        let told = |text: &str| {
            let steps = steps_in(text)?;
            Some(steps.iter().map(|step| format!("{}|{}", step.keyword, step.text)).collect::<Vec<_>>())
        };
        let expected = Some(vec!["WHEN|a and b".to_owned(), "THEN|c".to_owned(), "AND|d".to_owned()]);
        for text in [
            "WHEN a and b THEN c AND d",
            "WHEN a and b, THEN c, AND d",
            "- **WHEN** a and b\n- **THEN** c\n- **AND** d\n",
            "When a and b\nthen c\nand d",
            "When a and b THEN c AND d",
            "* **WHEN** a and b\r\n* **THEN** c\r\n* **AND** d\r\n",
            "1. WHEN a and b\n2. THEN c\n3) AND d",
            "When a and b, then c\nand d",
            "when a and b Then c AND d",
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
        let sentence = ["GIVEN|x, if so", "WHEN|y then", "THEN|z, when it can, then more"];
        let sentence = Some(sentence.map(str::to_owned).to_vec());
        assert_eq!(told("Given x, if so, when y then, then z, when it can, then more"), sentence);
        for text in ["", "it works", "AND so", "WHEN THEN b", "\n"] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
