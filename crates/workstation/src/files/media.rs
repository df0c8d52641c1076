//! Which files are images and sounds, by their first bytes.

use schemars::JsonSchema;
use serde::Serialize;

/// What a client can do with a file that is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    Image,
    Audio,
    /// Anything else
    Binary,
}

/// A file that is no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MediaView {
    pub kind: MediaKind,
    pub mime_type: String,
}

/// What the first bytes of a binary file say it is.
pub(crate) fn media_of(head: &[u8]) -> MediaView {
    let (kind, mime_type) = KNOWN
        .iter()
        .find(|known| {
            head.get(known.at..).is_some_and(|rest| rest.starts_with(known.magic))
                && head.starts_with(known.start)
        })
        .map_or((MediaKind::Binary, "application/octet-stream"), |known| (known.kind, known.mime_type));
    MediaView { kind, mime_type: mime_type.to_owned() }
}

struct Known {
    start: &'static [u8],
    at: usize,
    magic: &'static [u8],
    kind: MediaKind,
    mime_type: &'static str,
}

const fn known(at: usize, magic: &'static [u8], kind: MediaKind, mime_type: &'static str) -> Known {
    Known { start: b"", at, magic, kind, mime_type }
}

const fn riff(magic: &'static [u8], kind: MediaKind, mime_type: &'static str) -> Known {
    Known { start: b"RIFF", at: 8, magic, kind, mime_type }
}

const KNOWN: [Known; 21] = [
    known(0, b"\x89PNG\r\n\x1a\n", MediaKind::Image, "image/png"),
    known(0, b"\xff\xd8\xff", MediaKind::Image, "image/jpeg"),
    known(0, b"GIF87a", MediaKind::Image, "image/gif"),
    known(0, b"GIF89a", MediaKind::Image, "image/gif"),
    riff(b"WEBP", MediaKind::Image, "image/webp"),
    known(4, b"ftypavif", MediaKind::Image, "image/avif"),
    known(0, b"II*\0", MediaKind::Image, "image/tiff"),
    known(0, b"MM\0*", MediaKind::Image, "image/tiff"),
    known(0, b"\0\0\x01\0", MediaKind::Image, "image/x-icon"),
    known(0, b"BM", MediaKind::Image, "image/bmp"),
    riff(b"WAVE", MediaKind::Audio, "audio/wav"),
    known(0, b"ID3", MediaKind::Audio, "audio/mpeg"),
    known(0, b"\xff\xfb", MediaKind::Audio, "audio/mpeg"),
    known(0, b"\xff\xf3", MediaKind::Audio, "audio/mpeg"),
    known(0, b"OggS", MediaKind::Audio, "audio/ogg"),
    known(0, b"fLaC", MediaKind::Audio, "audio/flac"),
    known(4, b"ftypM4A", MediaKind::Audio, "audio/mp4"),
    known(0, b"%PDF-", MediaKind::Binary, "application/pdf"),
    known(0, b"PK\x03\x04", MediaKind::Binary, "application/zip"),
    known(0, b"\x1f\x8b", MediaKind::Binary, "application/gzip"),
    known(0, b"\x7fELF", MediaKind::Binary, "application/x-executable"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_first_bytes() {
        let table: [(&[u8], MediaKind, &str); 5] = [
            (b"\x89PNG\r\n\x1a\n\0\0", MediaKind::Image, "image/png"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", MediaKind::Image, "image/webp"),
            (b"RIFF\x10\0\0\0WAVEfmt ", MediaKind::Audio, "audio/wav"),
            (b"\0\x01\x02", MediaKind::Binary, "application/octet-stream"),
            (b"", MediaKind::Binary, "application/octet-stream"),
        ];
        for (head, kind, mime_type) in table {
            assert_eq!(media_of(head), MediaView { kind, mime_type: mime_type.to_owned() });
        }
    }
}
