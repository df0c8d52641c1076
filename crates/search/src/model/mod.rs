//! Meaning as numbers: a text becomes a vector of length one, and texts that mean the same point the same way.
//!
//! [`Embedder`] is what the index needs; [`Model`] is the real one, a sentence transformer run on the processor.
//! It is loaded when it is first used, and once. Nothing is ever downloaded.

mod session;
mod sound;
#[cfg(all(test, feature = "bundled-model"))]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use session::Session;

use crate::language::Language;
use crate::wordpiece;

/// Turns texts into vectors of length one.
pub trait Embedder: Send + Sync + fmt::Debug {
    /// Names the weights and the way they are used: vectors of different identities are never compared.
    fn identity(&self) -> Identity;
    fn dimensions(&self) -> usize;
    /// One vector for each text, in order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError>;

    /// Whether there is a faster and less exact way to the same space.
    fn has_bulk(&self) -> bool {
        false
    }

    /// As [`Embedder::embed`], for very many texts: vectors that can be compared with its own.
    fn embed_in_bulk(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.embed(texts)
    }

    /// How near each text comes to every word of a query that says something: the mean over those words of the cosine with
    /// the nearest word of the text. `None` where words have no vectors of their own.
    fn nearness(&self, _query: &str, _texts: &[&str]) -> Result<Option<Vec<f32>>, ModelError> {
        Ok(None)
    }
}

/// A SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub [u8; 32]);

/// Why there are no vectors.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    #[error("cannot read the model: {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: Arc<std::io::Error>,
    },
    #[error("not a sentence model that can be run: {reason}")]
    Unusable { reason: String },
    #[error("the model failed: {reason}")]
    Run { reason: String },
}

impl ModelError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } => "give the path of an ONNX file",
            Self::Unusable { .. } => {
                "use an ONNX export of a BERT sentence model with the uncased vocabulary, such as all-MiniLM-L6-v2"
            }
            Self::Run { .. } => "search still works by words",
        }
    }
}

/// A sentence transformer with BERT's uncased vocabulary.
#[derive(Debug)]
pub struct Model {
    identity: Identity,
    dimensions: usize,
    session: OnceLock<Result<Session, ModelError>>,
    load: Load,
    /// A smaller one for very many texts, in the same space.
    bulk: OnceLock<Result<Session, ModelError>>,
    load_bulk: Option<Load>,
}

type Load = fn() -> Result<Session, ModelError>;

impl Model {
    /// hewto's own model (`docs/model.md`), which is part of this library.
    #[cfg(feature = "bundled-model")]
    pub fn bundled() -> Self {
        Self {
            identity: identity(&bundled::SHA256, bundled::arithmetic()),
            dimensions: bundled::DIMENSIONS,
            session: OnceLock::new(),
            load: bundled::load,
            bulk: OnceLock::new(),
            load_bulk: bundled::bulk(),
        }
    }

    /// A model in an ONNX file. It is read and tried at once, so that a wrong file is refused here.
    pub fn from_file(path: &Path) -> Result<Self, ModelError> {
        let bytes = fs_err::read(path)
            .map_err(|error| ModelError::Read { path: path.to_owned(), source: Arc::new(error) })?;
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let session = Session::from_onnx(bytes)?;
        let dimensions = sound::check(&session)?;
        Ok(Self {
            identity: identity(&digest, Arithmetic::Floats),
            dimensions,
            session: OnceLock::from(Ok(session)),
            load: || Err(ModelError::Unusable { reason: "not loaded".to_owned() }),
            bulk: OnceLock::new(),
            load_bulk: None,
        })
    }
}

impl Model {
    fn session(&self) -> Result<&Session, ModelError> {
        self.session.get_or_init(self.load).as_ref().map_err(ModelError::clone)
    }
}

fn nearness(session: &Session, query: &str, texts: &[&str]) -> Result<Option<Vec<f32>>, ModelError> {
    let Some(mut asked) = session.words(query)? else { return Ok(None) };
    asked.retain(|(word, _)| word.chars().any(char::is_alphanumeric));
    let language = Language::of([query]);
    if asked.iter().any(|(word, _)| !language.is_small(word)) {
        asked.retain(|(word, _)| !language.is_small(word));
    }
    let near = |text: &&str| -> Result<f32, ModelError> {
        let there = session.words(text)?.unwrap_or_default();
        let nearest =
            |vector: &[f32]| there.iter().map(|(_, other)| cosine(vector, other)).fold(0.0, f32::max);
        let sum: f32 = asked.iter().map(|(_, vector)| nearest(vector)).sum();
        #[expect(clippy::cast_precision_loss, reason = "a text of 256 tokens has no more words")]
        Ok(sum / asked.len().max(1) as f32)
    };
    texts.iter().map(near).collect::<Result<_, _>>().map(Some)
}

/// Of vectors of length one.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The model that is part of this library, the same one for everybody in this process; `None` where it was left out.
pub fn bundled_model() -> Option<Arc<dyn Embedder>> {
    #[cfg(feature = "bundled-model")]
    {
        static SHARED: OnceLock<Arc<Model>> = OnceLock::new();
        Some(Arc::clone(SHARED.get_or_init(|| Arc::new(Model::bundled()))) as Arc<dyn Embedder>)
    }
    #[cfg(not(feature = "bundled-model"))]
    None
}

impl Embedder for Model {
    fn identity(&self) -> Identity {
        self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.session()?.embed(texts)
    }

    fn nearness(&self, query: &str, texts: &[&str]) -> Result<Option<Vec<f32>>, ModelError> {
        nearness(self.session()?, query, texts)
    }

    fn has_bulk(&self) -> bool {
        self.load_bulk.is_some()
    }

    fn embed_in_bulk(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let Some(load) = self.load_bulk else { return self.embed(texts) };
        match self.bulk.get_or_init(load) {
            Ok(session) => session.embed(texts),
            Err(error) => Err(error.clone()),
        }
    }
}

/// How a model multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arithmetic {
    Floats,
    #[cfg(feature = "bundled-model")]
    Integers,
}

/// The weights together with how text gets to them, and how they are multiplied.
fn identity(weights: &[u8; 32], arithmetic: Arithmetic) -> Identity {
    let mut hash = Sha256::new();
    hash.update(weights);
    hash.update(match arithmetic {
        Arithmetic::Floats => b"f32".as_slice(),
        #[cfg(feature = "bundled-model")]
        Arithmetic::Integers => b"int8".as_slice(),
    });
    hash.update(wordpiece::VERSION.to_be_bytes());
    hash.update(session::VERSION.to_be_bytes());
    Identity(hash.finalize().into())
}

#[cfg(feature = "bundled-model")]
mod bundled {
    use super::session::Packing;
    use super::{Arithmetic, Load, ModelError, Session};

    static WEIGHTS: &[u8] = include_bytes!("../../model/model.onnx");
    static GRAPH: &[u8] = include_bytes!("../../model/graph.onnx");
    static GRAPH_INT8: &[u8] = include_bytes!("../../model/graph-int8.onnx");
    /// The small one: one layer behind the same word table, which lies in `WEIGHTS`.
    static BULK_INT8: &[u8] = include_bytes!("../../model/bulk-int8.onnx");
    pub(super) const DIMENSIONS: usize = 384;
    /// Of `model.onnx`.
    pub(super) const SHA256: [u8; 32] = [
        0xe8, 0xc0, 0xa2, 0xd4, 0xa2, 0x50, 0xc7, 0x86, 0xcd, 0xab, 0x64, 0x54, 0xd7, 0xcf, 0x0c, 0x55, 0x72,
        0x89, 0xf1, 0x0c, 0x43, 0x77, 0x37, 0xa6, 0x10, 0x05, 0xb6, 0x77, 0x71, 0x38, 0xd2, 0xc5,
    ];

    /// Integers where the processor multiplies them without losing any: older ones saturate on the way.
    pub(super) fn arithmetic() -> Arithmetic {
        #[cfg(target_arch = "x86_64")]
        let exact = is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw");
        #[cfg(not(target_arch = "x86_64"))]
        let exact = cfg!(target_arch = "aarch64");
        if exact { Arithmetic::Integers } else { Arithmetic::Floats }
    }

    pub(super) fn load() -> Result<Session, ModelError> {
        load_for(arithmetic())
    }

    /// The small one, where integers are multiplied.
    pub(super) fn bulk() -> Option<Load> {
        let load: Load = || Session::from_parts(BULK_INT8, WEIGHTS, Packing::Ahead);
        (arithmetic() == Arithmetic::Integers).then_some(load)
    }

    pub(super) fn load_for(arithmetic: Arithmetic) -> Result<Session, ModelError> {
        match arithmetic {
            Arithmetic::Floats => Session::from_parts(GRAPH, WEIGHTS, Packing::Never),
            Arithmetic::Integers => Session::from_parts(GRAPH_INT8, WEIGHTS, Packing::Ahead),
        }
    }

    #[cfg(test)]
    mod tests {
        use sha2::{Digest, Sha256};

        #[test]
        fn the_weights_are_those_that_were_checked() {
            let digest: [u8; 32] = Sha256::digest(super::WEIGHTS).into();
            assert_eq!(digest, super::SHA256);
        }
    }
}
