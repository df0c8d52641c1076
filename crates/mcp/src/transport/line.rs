//! One line of stdin at a time, with a cap on its length.
//!
//! A line over the cap is read to its end and thrown away without being held in memory; only its request id is
//! looked for, so that the caller learns which request was refused. Meaning is `decode`'s business.

use std::io::{self, BufRead, Read};

use rmcp::model::RequestId;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::task::JoinHandle;
use tokio_util::io::SyncIoBridge;

/// The longest line that is read as a message.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// How far into an over-long line its id is looked for.
const ID_PROBE_BYTES: u64 = 64 * 1024 * 1024;

/// An id longer than this is not worth echoing.
const MAX_ID_BYTES: usize = 256;

/// What stood between two line feeds.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    Text(Vec<u8>),
    TooLong { id: Option<RequestId> },
}

/// Splits a stream into lines.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    source: Source<R>,
    /// The beginning of the line that is being read.
    text: Vec<u8>,
    max: usize,
}

#[derive(Debug)]
enum Source<R> {
    Lines(BufReader<R>),
    /// A thread throws the rest of an over-long line away.
    Skipping(JoinHandle<io::Result<(BufReader<R>, Line)>>),
    Ended,
}

impl<R: AsyncRead + Unpin + Send + 'static> LineReader<R> {
    pub(crate) fn new(input: R, max: usize) -> Self {
        let input = BufReader::with_capacity(64 * 1024, input);
        Self { source: Source::Lines(input), text: Vec::new(), max }
    }

    /// The next line without its line ending; blank lines are passed over, and `None` is the end of the stream.
    ///
    /// A last line that lacks its line feed counts. Whoever stops waiting loses nothing.
    pub(crate) async fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let input = match &mut self.source {
                Source::Lines(input) => input,
                Source::Skipping(skipping) => {
                    let skipped = skipping.await;
                    self.source = Source::Ended;
                    let (input, line) = skipped??;
                    self.source = Source::Lines(input);
                    return Ok(Some(line));
                }
                Source::Ended => return Ok(None),
            };
            // One more than the cap.
            let room = self.max + 1 - self.text.len();
            let read = input.take(room as u64).read_until(b'\n', &mut self.text).await;
            let mut text = std::mem::take(&mut self.text);
            if read.is_ok() && text.last() == Some(&b'\n') {
                text.pop();
            } else if read.is_ok() && text.len() > self.max {
                self.skip_rest(text);
                continue;
            } else {
                // Nothing is read behind the end, though a terminal would go on.
                self.source = Source::Ended;
                read?;
            }
            if text.last() == Some(&b'\r') {
                text.pop();
            }
            if !text.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(Line::Text(text)));
            }
        }
    }

    fn skip_rest(&mut self, head: Vec<u8>) {
        let Source::Lines(input) = std::mem::replace(&mut self.source, Source::Ended) else { return };
        self.source = Source::Skipping(tokio::task::spawn_blocking(move || {
            let mut input = SyncIoBridge::new(input);
            let mut rest = RestOfLine { input: &mut input, ended: false };
            let id = find_id(Read::chain(io::Cursor::new(head), &mut rest).take(ID_PROBE_BYTES));
            io::copy(&mut rest, &mut io::sink())?;
            Ok((input.into_inner(), Line::TooLong { id }))
        }));
    }
}

/// The `id` member of the object that `input` begins with, read without keeping anything else.
fn find_id(input: impl Read) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Probe {
        id: RequestId,
    }
    let probe: Probe = serde_json::from_reader(io::BufReader::new(input)).ok()?;
    match &probe.id {
        RequestId::String(text) if text.len() > MAX_ID_BYTES => None,
        _ => Some(probe.id),
    }
}

/// Reads up to and including the next line feed, then says the stream has ended.
struct RestOfLine<'a, R> {
    input: &'a mut R,
    ended: bool,
}

impl<R: BufRead> Read for RestOfLine<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let available = self.input.fill_buf()?;
        let line_feed = available.iter().position(|byte| *byte == b'\n');
        let take = line_feed.unwrap_or(available.len()).min(out.len());
        out[..take].copy_from_slice(&available[..take]);
        let at_line_feed = line_feed == Some(take);
        self.ended = at_line_feed || available.is_empty();
        self.input.consume(take + usize::from(at_line_feed));
        Ok(take)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use proptest::prelude::*;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    fn lines(input: &[u8], max: usize) -> Vec<Line> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut reader = LineReader::new(io::Cursor::new(input.to_vec()), max);
        std::iter::from_fn(|| runtime.block_on(reader.next_line()).unwrap()).collect()
    }

    fn text(line: &str) -> Line {
        Line::Text(line.as_bytes().to_vec())
    }

    #[test]
    fn lines_end_in_lf_or_crlf_or_the_end_of_the_stream() {
        assert_eq!(lines(b"one\r\n\n  \ntwo\nthree", 100), [text("one"), text("two"), text("three")]);
    }

    #[tokio::test]
    async fn whoever_stops_waiting_in_the_middle_of_a_line_loses_nothing() {
        let (input, mut client) = tokio::io::duplex(64);
        let mut reader = LineReader::new(input, 8);
        let mut found = Vec::new();
        for piece in ["fi", "rst\nsec", "ond\r", "\n", "much too ", "long: \"\"", " here\nla", "st"] {
            client.write_all(piece.as_bytes()).await.unwrap();
            // A look that is given up whenever nothing whole is there.
            while let Some(line) = reader.next_line().now_or_never() {
                found.extend(line.unwrap());
            }
        }
        drop(client);
        while let Some(line) = reader.next_line().await.unwrap() {
            found.push(line);
        }
        assert_eq!(found, [text("first"), text("second"), Line::TooLong { id: None }, text("last")]);
        assert_eq!(reader.next_line().await.unwrap(), None, "the end stays the end");
    }

    #[test]
    fn a_line_of_exactly_the_cap_is_read_and_one_byte_more_is_not() {
        assert_eq!(lines(b"12345\nok\n", 5), [text("12345"), text("ok")]);
        assert_eq!(lines(b"123456\nok\n", 5), [Line::TooLong { id: None }, text("ok")]);
        assert_eq!(lines(b"123456", 5), [Line::TooLong { id: None }]);
    }

    #[test]
    fn an_over_long_request_still_names_its_id_wherever_it_stands() {
        let first = br#"{"jsonrpc":"2.0","id":"a7","method":"x","params":{"id":1}}"#;
        let last = br#"{"jsonrpc":"2.0","method":"x","params":{"id":[{}]},"id":12}"#;
        assert_eq!(lines(first, 20), [Line::TooLong { id: Some(RequestId::String("a7".into())) }]);
        assert_eq!(lines(last, 20), [Line::TooLong { id: Some(RequestId::Number(12)) }]);
        let huge = format!(r#"{{"id":"{}"}}"#, "x".repeat(MAX_ID_BYTES + 1));
        assert_eq!(lines(huge.as_bytes(), 20), [Line::TooLong { id: None }]);
    }

    proptest! {
        #[test]
        fn what_follows_an_over_long_line_is_read_as_if_it_had_not_been(
            long in "[a-z{}\":]{9,200}", next in "[a-z]{1,8}"
        ) {
            let found = lines(format!("{long}\n{next}\n").as_bytes(), 8);
            prop_assert_eq!(found.len(), 2);
            prop_assert!(matches!(found[0], Line::TooLong { .. }), "{:?}", found);
            prop_assert_eq!(&found[1], &text(&next));
        }
    }
}
