//! Our words as tantivy's tokens.

use tantivy::Index;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::language::Language;
use crate::words::{Word, words};

pub(super) const NAME: &str = "hewto-words";

pub(super) fn register(index: &Index) {
    index.tokenizers().register(NAME, Words);
}

#[derive(Debug, Clone)]
struct Words;

impl Tokenizer for Words {
    type TokenStream<'a> = Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream {
        let (language, text) = Language::read_mark(text);
        Stream { rest: words(text, language).into_iter(), token: Token::default() }
    }
}

#[derive(Debug)]
struct Stream {
    rest: std::vec::IntoIter<Word>,
    token: Token,
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let Some(word) = self.rest.next() else { return false };
        self.token = Token {
            offset_from: word.span.start,
            offset_to: word.span.end,
            position: word.position,
            text: word.text,
            position_length: 1,
        };
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
