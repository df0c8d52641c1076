//! The names that new artifacts may have: one to four lower-case words with hyphens between them.

use thiserror::Error;

/// Most words in a name.
const MAX_WORDS: usize = 4;
/// Longest name, in bytes.
const MAX_BYTES: usize = 100;

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("a name cannot be empty")]
    Empty,
    #[error("a name has at most {MAX_BYTES} characters")]
    TooLong,
    #[error("`{0}` is not made of lower-case letters, digits and single hyphens between them")]
    Characters(String),
    #[error("`{0}` has more than {MAX_WORDS} words")]
    TooManyWords(String),
    #[error("`{name}` does not name its language `{language}`")]
    WithoutLanguage { name: String, language: String },
}

impl NameError {
    pub fn hint(&self) -> String {
        match self {
            Self::WithoutLanguage { name, language } => {
                format!("add the language as a word, such as `{name}-{language}`")
            }
            _ => "use one to four words such as `order-history`".to_owned(),
        }
    }
}

/// Checks the name of a new artifact.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if name.len() > MAX_BYTES {
        return Err(NameError::TooLong);
    }
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if !name.split('-').all(is_word) {
        return Err(NameError::Characters(name.to_owned()));
    }
    if name.split('-').count() > MAX_WORDS {
        return Err(NameError::TooManyWords(name.to_owned()));
    }
    Ok(())
}

/// Checks the name of a new implementation, which has its language (`rust@1.91.0`) among its words.
pub fn check_implementation_name(name: &str, language: Option<&str>) -> Result<(), NameError> {
    check_name(name)?;
    let Some(language) = language else { return Ok(()) };
    let language = language.split('@').next().unwrap_or(language).trim().to_ascii_lowercase();
    if language.is_empty() || name.split('-').any(|word| word == language) {
        return Ok(());
    }
    Err(NameError::WithoutLanguage { name: name.to_owned(), language })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_to_four_plain_words() {
        for good in ["a", "order-history", "a-b-c-d", "2-phase"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "a/b", "..", "a b", "ä", "a-b-c-d-e"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_implementation_names_its_language() {
        assert_eq!(check_implementation_name("core-rust", Some("rust@1.91.0")), Ok(()));
        assert_eq!(check_implementation_name("core", None), Ok(()));
        let error = check_implementation_name("core", Some("Rust@1")).unwrap_err();
        assert_eq!(error.hint(), "add the language as a word, such as `core-rust`");
    }
}
