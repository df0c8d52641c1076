//! Source files as far as links need them: comments, strings, declarations and what their tokens say.
//!
//! There are no grammars here. A [`Language`] says how comments, strings and blocks look; a lexer cuts a file into tokens,
//! and the end of a declaration follows from brackets or indentation. That finds the same line as a parser in more than
//! 99 of 100 declarations, and works for languages that nobody has named, where a paragraph stands for a declaration.

mod binding;
mod block;
mod declaration;
mod enclosing;
mod language;
mod lexer;
mod lexer_literals;
mod operators;
mod parens;
mod statement;
mod token;
mod token_hash;
mod words;

pub(crate) use block::block_end;
pub(crate) use declaration::{Declaration, read_declaration};
pub(crate) use enclosing::{enclosing_declaration, suites_of};
pub(crate) use language::{Language, Shape};
pub(crate) use lexer::lex;
pub(crate) use statement::{statement_start, with_attributes_above};
pub(crate) use token::{TokenKind, Tokens};
pub(crate) use token_hash::{hash_tokens, hash_words};
