//! The model that is part of this library: its files, and which of them a processor runs.

use std::sync::OnceLock;

use super::packed::unpack;
use super::session::Packing;
use super::squeezed::{expand, expand_for_now};
use super::{Arithmetic, Load, ModelError, Session};

// What lies in `model/`, squeezed while this was built.
static WORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/words.squeezed"));
static LAYERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/layers.squeezed"));
static BULK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bulk.squeezed"));
static GRAPH: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/graph.lz4"));
static GRAPH_INT8: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/graph-int8.lz4"));
static BULK_INT8: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bulk-int8.lz4"));
static READER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/reader.lz4"));
static READER_INT8: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/reader-int8.lz4"));
static QUESTION: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/question.lz4"));
static QUESTION_INT8: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/question-int8.lz4"));
pub(super) const DIMENSIONS: usize = 384;
/// Of `words.bin`, `layers.bin` and `floats.bin`, one after the other.
pub(super) const SHA256: [u8; 32] = [
    0x04, 0xff, 0xc4, 0xee, 0xc3, 0x43, 0x97, 0x63, 0x97, 0x10, 0xde, 0x5f, 0x63, 0x30, 0x74, 0x93, 0xa0,
    0x05, 0x8d, 0xe6, 0xf9, 0x79, 0x94, 0x2e, 0x43, 0x08, 0x66, 0xed, 0xe8, 0x48, 0xb5, 0xc6,
];

fn floats() -> &'static [u8] {
    rten::include_external_data!("../../model/floats.bin")
}

/// The word table, which all of them read where it lies.
fn words() -> Option<&'static [u8]> {
    static TABLE: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    TABLE.get_or_init(|| expand(WORDS)).as_deref()
}

/// The matrices of the layers, one byte a number: the same for texts, questions and pairs, so they are unpacked once.
fn layers() -> Option<&'static [u8]> {
    static MATRICES: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    MATRICES.get_or_init(|| expand_for_now(LAYERS).and_then(|layers| unpack(&layers))).as_deref()
}

fn of_bulk() -> Option<&'static [u8]> {
    static MATRICES: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    MATRICES.get_or_init(|| expand_for_now(BULK).and_then(|layer| unpack(&layer))).as_deref()
}

fn of_reader() -> &'static [u8] {
    rten::include_external_data!("../../model/reader.bin")
}

fn of_question() -> &'static [u8] {
    rten::include_external_data!("../../model/question.bin")
}

fn whole(graph: &[u8]) -> Option<Vec<u8>> {
    lz4_flex::block::decompress_size_prepended(graph).ok()
}

/// Integers where the processor multiplies them without losing any: older ones saturate on the way.
pub(super) fn arithmetic() -> Arithmetic {
    #[cfg(target_arch = "x86_64")]
    let exact = is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw");
    #[cfg(not(target_arch = "x86_64"))]
    let exact = cfg!(target_arch = "aarch64");
    if exact { Arithmetic::Integers } else { Arithmetic::Floats }
}

/// What a graph finds under a name.
#[cfg(test)]
pub(super) fn parts() -> (Vec<u8>, [(&'static str, Vec<u8>); 3]) {
    let layers = layers().unwrap().to_vec();
    let words = words().unwrap().to_vec();
    let graph = whole(GRAPH).unwrap();
    (graph, [("words.data", words), ("floats.data", floats().to_vec()), ("layers.data", layers)])
}

pub(super) fn load() -> Result<Session, ModelError> {
    load_for(arithmetic())
}

/// The small one, one layer behind the same word table, where integers are multiplied.
pub(super) fn bulk() -> Option<Load> {
    let load: Load = || session(BULK_INT8, ("bulk.data", of_bulk()), Packing::Ahead);
    (arithmetic() == Arithmetic::Integers).then_some(load)
}

pub(super) fn load_for(arithmetic: Arithmetic) -> Result<Session, ModelError> {
    let layers = ("layers.data", layers());
    match arithmetic {
        Arithmetic::Floats => session(GRAPH, layers, Packing::Never),
        Arithmetic::Integers => session(GRAPH_INT8, layers, Packing::Ahead),
    }
}

/// The same weights with some beside them, which read two texts at once.
pub(super) fn reader_for(arithmetic: Arithmetic) -> Result<Session, ModelError> {
    let layers = ("layers.data", layers());
    match arithmetic {
        Arithmetic::Floats => session(READER, layers, Packing::Never),
        // It is asked now and then: 14 MB less for two or three milliseconds more.
        Arithmetic::Integers => session(READER_INT8, layers, Packing::Never),
    }
}

/// The same weights with some beside them, which place a question where what answers it lies.
pub(super) fn question_for(arithmetic: Arithmetic) -> Result<Session, ModelError> {
    let layers = ("layers.data", layers());
    match arithmetic {
        Arithmetic::Floats => session(QUESTION, layers, Packing::Never),
        Arithmetic::Integers => session(QUESTION_INT8, layers, Packing::Ahead),
    }
}

fn session(
    graph: &[u8],
    (name, matrices): (&str, Option<&'static [u8]>),
    packing: Packing,
) -> Result<Session, ModelError> {
    let torn = || ModelError::Unusable { reason: "its matrices are torn".to_owned() };
    let words = words().ok_or_else(torn)?;
    let weights = [
        ("words.data", words),
        ("floats.data", floats()),
        ("reader.data", of_reader()),
        ("question.data", of_question()),
        (name, matrices.ok_or_else(torn)?),
    ];
    Session::from_parts(whole(graph).ok_or_else(torn)?, &weights, packing)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn the_weights_are_those_that_were_checked() {
        let mut digest = Sha256::new();
        let layers = super::expand(super::LAYERS).unwrap();
        for part in [super::words().unwrap(), &layers, super::floats()] {
            digest.update(part);
        }
        let digest: [u8; 32] = digest.finalize().into();
        assert_eq!(digest, super::SHA256);
    }
}
