//! Which language a text is in, as far as words need to know it: whose endings are cut off, which words say nothing.
//!
//! A language is told by its small words. A text with none of them, such as a name or an identifier, passes for
//! English; so does one in a language that is not listed here, whose words are then found as they are written.

use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

use crate::words::{folded, spelled};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
}

/// So much of a text is looked at.
const SAMPLE: usize = 2_000;
/// Stands before the letter of a language in a text that was told to be in it.
const MARK: char = '\u{1}';

impl Language {
    pub(crate) const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// The language whose small words are most frequent in these texts, read as one.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = [0_usize; Self::ALL.len()];
        let mut left = SAMPLE;
        for text in texts {
            let text = &text[..text.floor_char_boundary(left)];
            left -= text.len();
            // Keywords such as WHEN and SHALL are written in texts of any language.
            for word in spelled(text).filter(|word| !is_keyword(word)) {
                let word = folded(word);
                for (count, language) in counts.iter_mut().zip(Self::ALL) {
                    *count += usize::from(language.small_words().binary_search(&word.as_ref()).is_ok());
                }
            }
        }
        let mut best = (counts[0], Self::English);
        for (count, language) in counts.into_iter().zip(Self::ALL).skip(1) {
            if count > best.0 {
                best = (count, language);
            }
        }
        best.1
    }

    /// A word without its endings. It is lower case and has no accents.
    pub(crate) fn stem(self, word: &str) -> Cow<'_, str> {
        let algorithm = match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
        };
        let word = if self == Self::French { without_elision(word) } else { word };
        Cow::Owned(Stemmer::new(algorithm).stem(word).into_owned())
    }

    /// Whether a word, lower case and without accents, says nothing by itself.
    pub(crate) fn is_small(self, word: &str) -> bool {
        let word = if self == Self::French { without_elision(word) } else { word };
        self.small_words().binary_search(&word).is_ok()
    }

    /// The text with a mark that tells its language to [`Language::read_mark`].
    pub(crate) fn marked(self, text: &str) -> Cow<'_, str> {
        match self.letter() {
            None => Cow::Borrowed(text),
            Some(letter) => Cow::Owned(format!("{MARK}{letter}{text}")),
        }
    }

    /// The language that a text is marked with, and the text.
    pub(crate) fn read_mark(text: &str) -> (Self, &str) {
        let marked = text.strip_prefix(MARK).and_then(|rest| {
            let language = Self::ALL.into_iter().find(|language| language.letter() == rest.chars().next())?;
            language.letter().and_then(|letter| Some((language, rest.strip_prefix(letter)?)))
        });
        marked.unwrap_or((Self::English, text))
    }

    fn letter(self) -> Option<char> {
        match self {
            Self::English => None,
            Self::German => Some('d'),
            Self::French => Some('f'),
            Self::Spanish => Some('e'),
        }
    }

    /// Sorted, lower case, without accents.
    fn small_words(self) -> &'static [&'static str] {
        match self {
            Self::English => ENGLISH,
            Self::German => GERMAN,
            Self::French => FRENCH,
            Self::Spanish => SPANISH,
        }
    }
}

fn is_keyword(word: &str) -> bool {
    word.chars().nth(1).is_some() && word.chars().all(char::is_uppercase)
}

/// `l'article` as `article`.
fn without_elision(word: &str) -> &str {
    match word.split_once('\'') {
        Some((head, rest)) if head.len() <= 2 && !rest.is_empty() => rest,
        _ => word,
    }
}

const ENGLISH: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "may",
    "me", "must", "my", "no", "not", "of", "on", "or", "our", "shall", "should", "so", "some", "such",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
    "your",
];

const GERMAN: &[&str] = &[
    "aber", "alle", "als", "also", "am", "an", "auch", "auf", "aus", "bei", "beim", "bis", "da", "damit",
    "dann", "darf", "das", "dass", "dem", "den", "denn", "der", "des", "die", "dies", "diese", "diesem",
    "diesen", "dieser", "dieses", "doch", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er",
    "es", "fur", "gibt", "haben", "hat", "ich", "ihm", "ihn", "ihr", "ihre", "ihrer", "im", "in", "ist",
    "ja", "jede", "jedem", "jeden", "jeder", "jedes", "kann", "kein", "keine", "konnen", "man", "mit",
    "muss", "mussen", "nach", "nicht", "noch", "nur", "ob", "oder", "ohne", "sein", "seine", "seiner",
    "sich", "sie", "sind", "so", "soll", "sollen", "uber", "um", "und", "unter", "vom", "von", "vor", "wann",
    "war", "was", "wenn", "wer", "werden", "wie", "wir", "wird", "wo", "zu", "zum", "zur",
];

const FRENCH: &[&str] = &[
    "a", "alors", "au", "aucun", "aussi", "aux", "avec", "avoir", "ce", "ces", "cet", "cette", "chaque",
    "comme", "comment", "dans", "de", "des", "doit", "doivent", "donc", "du", "elle", "elles", "en", "entre",
    "est", "et", "etre", "il", "ils", "je", "la", "le", "les", "leur", "leurs", "lors", "lorsque", "lui",
    "mais", "meme", "ne", "nos", "notre", "nous", "on", "ou", "par", "pas", "peut", "peuvent", "plus",
    "pour", "quand", "que", "quel", "quelle", "qui", "sa", "sans", "se", "ses", "si", "son", "sont", "sous",
    "sur", "tous", "tout", "toute", "toutes", "tres", "un", "une", "vers", "vos", "votre", "vous", "y",
];

const SPANISH: &[&str] = &[
    "a", "al", "algo", "cada", "como", "con", "cual", "cuando", "de", "debe", "deben", "del", "desde",
    "donde", "el", "ella", "ellos", "en", "entre", "era", "es", "esa", "ese", "eso", "esta", "este", "esto",
    "estos", "fue", "ha", "hay", "la", "las", "le", "les", "lo", "los", "mas", "mi", "mientras", "muy", "ni",
    "no", "nos", "o", "para", "pero", "por", "porque", "puede", "pueden", "que", "quien", "se", "ser", "si",
    "sin", "sobre", "son", "su", "sus", "tambien", "tiene", "todo", "todos", "tras", "un", "una", "uno", "y",
    "ya",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_told_by_its_small_words() {
        for (text, expected) in [
            ("A session SHALL end after thirty minutes without any request", Language::English),
            ("Eine Sitzung MUSS nach dreißig Minuten ohne Anfrage enden", Language::German),
            ("Une session DOIT expirer après trente minutes d'inactivité", Language::French),
            ("La sesión DEBE terminar tras treinta minutos sin actividad", Language::Spanish),
            ("session_ttl", Language::English),
            ("検索の仕様", Language::English),
            ("", Language::English),
            ("Rechnungen für Kunden", Language::German),
            ("WHEN der Kunde MUST THEN die Rechnung AND IS NOT", Language::German),
        ] {
            assert_eq!(Language::of([text]), expected, "{text}");
        }
    }

    #[test]
    fn small_words_are_sorted_and_written_as_they_are_compared() {
        for language in Language::ALL {
            let words = language.small_words();
            assert!(words.is_sorted(), "{language:?}");
            assert!(words.iter().all(|word| folded(word) == *word), "{language:?}");
        }
    }

    #[test]
    fn a_mark_is_read_back_and_other_texts_are_left_alone() {
        for language in Language::ALL {
            assert_eq!(Language::read_mark(&language.marked("text")), (language, "text"));
        }
        for text in ["", "\u{1}", "\u{1}x", "plain"] {
            assert_eq!(Language::read_mark(text), (Language::English, text));
        }
    }

    #[test]
    fn endings_are_cut_in_each_language() {
        assert_eq!(Language::German.stem("rechnungen"), Language::German.stem("rechnung"));
        assert_eq!(Language::French.stem("l'utilisateur"), Language::French.stem("utilisateurs"));
        assert_eq!(Language::Spanish.stem("facturas"), Language::Spanish.stem("factura"));
    }
}
