//! The bundled model as one ONNX file, for tests of models that somebody names: what the graph finds elsewhere is put into it.

use super::bundled;

/// The graph in floats with all of its weights.
pub(super) fn plain_file() -> Vec<u8> {
    let (graph, parts) = bundled::parts();
    with_weights(&graph, &parts)
}

/// As [`plain_file`], with the rows of the word table in another order: it runs, and every word means something else.
pub(super) fn with_another_vocabulary() -> Vec<u8> {
    let (graph, mut parts) = bundled::parts();
    parts[0].1.rotate_left(1_000 * 192);
    with_weights(&graph, &parts)
}

type Parts = [(&'static str, Vec<u8>); 3];

// Fields of ONNX's messages.
const GRAPH: u64 = 7;
const INITIALIZER: u64 = 5;
const RAW_DATA: u64 = 9;
const EXTERNAL_DATA: u64 = 13;
const DATA_LOCATION: u64 = 14;

fn with_weights(model: &[u8], parts: &Parts) -> Vec<u8> {
    mapped(model, GRAPH, |graph| mapped(graph, INITIALIZER, |tensor| whole(tensor, parts)))
}

/// A message with each of its fields of a number replaced.
fn mapped(message: &[u8], number: u64, change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields(message) {
        match field.value {
            Some(value) if field.number == number => put(&mut out, number, &change(value)),
            _ => out.extend_from_slice(field.bytes),
        }
    }
    out
}

/// A tensor with its bytes in the place of where they are.
fn whole(tensor: &[u8], parts: &Parts) -> Vec<u8> {
    let (mut out, mut told) = (Vec::new(), Vec::new());
    for field in fields(tensor) {
        match (field.number, field.value) {
            (EXTERNAL_DATA, Some(entry)) => {
                let texts = fields(entry).filter_map(|text| std::str::from_utf8(text.value?).ok());
                told.push(texts.collect::<Vec<_>>());
            }
            (DATA_LOCATION, _) => {}
            _ => out.extend_from_slice(field.bytes),
        }
    }
    let value = |key: &str| told.iter().find(|entry| entry[0] == key).map(|entry| entry[1]);
    if let Some((_, data)) = parts.iter().find(|(name, _)| Some(*name) == value("location")) {
        let number =
            |key| value(key).and_then(|text| text.parse::<usize>().ok()).expect("a place in the part");
        put(&mut out, RAW_DATA, &data[number("offset")..][..number("length")]);
    }
    out
}

struct Field<'m> {
    number: u64,
    bytes: &'m [u8],
    /// Of a field that is a text or a message.
    value: Option<&'m [u8]>,
}

fn fields(message: &[u8]) -> impl Iterator<Item = Field<'_>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        let before = rest;
        let tag = varint(&mut rest)?;
        // Numbers of any length, of eight bytes, of four, or else as many bytes as are told.
        let (length, is_text) = match tag & 7 {
            0 => varint(&mut rest).map(|_| (0, false))?,
            1 => (8, false),
            5 => (4, false),
            _ => (usize::try_from(varint(&mut rest)?).expect("a length"), true),
        };
        let (value, after) = rest.split_at(length);
        rest = after;
        let value = is_text.then_some(value);
        Some(Field { number: tag >> 3, bytes: &before[..before.len() - rest.len()], value })
    })
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

fn put(out: &mut Vec<u8>, number: u64, value: &[u8]) {
    for mut rest in [number << 3 | 2, value.len() as u64] {
        while rest >= 0x80 {
            out.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        out.push(rest.to_le_bytes()[0]);
    }
    out.extend_from_slice(value);
}
