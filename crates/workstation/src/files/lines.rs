//! Which lines of a file are wanted.

use crate::error::{Error, Result};

/// Which lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    All,
    Head(u64),
    Tail(u64),
    /// From 1, both ends included.
    Range {
        start: u64,
        end: Option<u64>,
    },
}

impl Lines {
    /// The lines that a call names in one of three ways.
    pub fn named(
        head: Option<u64>,
        tail: Option<u64>,
        start_line: Option<u64>,
        end_line: Option<u64>,
    ) -> Result<Self> {
        let range = start_line.is_some() || end_line.is_some();
        match (head, tail, range) {
            (None, None, false) => Ok(Self::All),
            (Some(count), None, false) => Ok(Self::Head(count)),
            (None, Some(count), false) => Ok(Self::Tail(count)),
            (None, None, true) => Ok(Self::Range { start: start_line.unwrap_or(1), end: end_line }),
            _ => Err(Error::invalid_argument(
                if tail.is_some() { "tail" } else { "head" },
                "one of `head`, `tail`, or `start_line` with `end_line`",
                "`head`, `tail` and a line range exclude each other",
            )),
        }
    }

    pub(super) fn checked(self) -> Result<Self> {
        let at_least_one = |field: &str, value: u64| {
            if value == 0 {
                let expected = "a number from 1";
                Err(Error::invalid_argument(field, expected, format!("`{field}` counts from 1")))
            } else {
                Ok(())
            }
        };
        match self {
            Self::All => {}
            Self::Head(n) => at_least_one("head", n)?,
            Self::Tail(n) => at_least_one("tail", n)?,
            Self::Range { start, end } => {
                at_least_one("start_line", start)?;
                if end.is_some_and(|end| end < start) {
                    let expected = "a line not before `start_line`";
                    return Err(Error::invalid_argument(
                        "end_line",
                        expected,
                        "`end_line` is before `start_line`",
                    ));
                }
            }
        }
        Ok(self)
    }
}
