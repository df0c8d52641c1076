//! Bytes of a foreign file as text.

/// What a file was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16,
    /// Or one like it: every byte is a character.
    Latin1,
}

/// The text of a file with line feeds, without a byte order mark; `None` for what is no text. `exactly` leaves line ends
/// and the mark of UTF-8 as they are, for what is kept to the byte.
pub fn decode(bytes: &[u8], exactly: bool) -> Option<(String, Encoding)> {
    let (text, encoding) = match bytes {
        [0xff, 0xfe, rest @ ..] => (utf16(rest, u16::from_le_bytes)?, Encoding::Utf16),
        [0xfe, 0xff, rest @ ..] => (utf16(rest, u16::from_be_bytes)?, Encoding::Utf16),
        _ if bytes.contains(&0) => return None,
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if exactly => return Some((text.to_owned(), Encoding::Utf8)),
            Ok(text) => (text.trim_start_matches('\u{feff}').to_owned(), Encoding::Utf8),
            Err(_) => (bytes.iter().map(|byte| char::from(*byte)).collect(), Encoding::Latin1),
        },
    };
    if text.contains('\0') {
        return None;
    }
    Some((text.replace("\r\n", "\n").replace('\r', "\n"), encoding))
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Option<String> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
    bytes.len().is_multiple_of(2).then(|| String::from_utf16(&units).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_whatever_they_were_written_in() {
        let read = |bytes: &[u8]| decode(bytes, false).map(|(text, _)| text);
        assert_eq!(read("\u{feff}Größe\r\nx\ry".as_bytes()).as_deref(), Some("Größe\nx\ny"));
        assert_eq!(decode(b"Gr\xf6\xdfe", false), Some(("Größe".to_owned(), Encoding::Latin1)));
        assert_eq!(read(b"\xff\xfea\0\n\0").as_deref(), Some("a\n"));
        assert_eq!(decode(b"a\r\n", true).unwrap().0, "a\r\n");
        assert_eq!(read(b"\x89PNG\0\0"), None);
    }
}
