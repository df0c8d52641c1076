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
/// Upper-case keywords open a step wherever they stand, others at the start of a line. `None` when the text does not
/// begin with a step.
pub fn steps_in(text: &str) -> Option<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '+']).trim_start();
        for (at, word) in line.split_whitespace().enumerate() {
            let bare = word.trim_matches(['*', '_', ':', ',']);
            let is_shouted = bare.bytes().all(|byte| byte.is_ascii_uppercase());
            if let Some(keyword) = Keyword::of(bare).filter(|_| is_shouted || at == 0) {
                steps.push(Step { keyword, text: String::new() });
            } else {
                let step = &mut steps.last_mut()?.text;
                if !step.is_empty() {
                    step.push(' ');
                }
                step.push_str(word);
            }
        }
    }
    for step in &mut steps {
        step.text.truncate(step.text.trim_end_matches([',', ';']).len());
    }
    let opens = steps.first().is_some_and(|step| !matches!(step.keyword, Keyword::And | Keyword::But));
    (opens && steps.iter().all(|step| !step.text.is_empty())).then_some(steps)
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
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
        for text in ["", "it works", "AND so", "WHEN THEN b", "\n"] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
