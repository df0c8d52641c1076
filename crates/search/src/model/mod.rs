//! Meaning as numbers: a text becomes a vector of length one, and texts that mean the same point the same way.
//!
//! [`Embedder`] is what the index needs; [`Model`] is the real one, a sentence transformer run on the processor.
//! It is loaded when it is first used, and once. Nothing is ever downloaded.

#[cfg(feature = "bundled-model")]
mod bundled;
#[cfg(feature = "bundled-model")]
mod packed;
#[cfg(all(test, feature = "bundled-model"))]
mod plain_file;
mod session;
mod sound;
#[cfg(feature = "bundled-model")]
mod squeezed;
#[cfg(all(test, feature = "bundled-model"))]
mod tests;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use session::Session;

use crate::tokens::Tokens;
use crate::wordpiece::{self, WordPiece};

/// Turns texts into vectors of length one.
pub trait Embedder: Send + Sync + fmt::Debug {
    /// Names the weights and the way they are used: vectors of different identities are never compared.
    fn identity(&self) -> Identity;
    fn dimensions(&self) -> usize;
    /// What each text means, in order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError>;

    /// What a question asks for, to be held against what texts mean.
    fn embed_question(&self, question: &str) -> Result<Embedding, ModelError> {
        self.embed(&[question])?.pop().ok_or_else(ModelError::no_output)
    }

    /// Gets what questions need, so that the first of them does not wait for it.
    fn prepare_for_questions(&self) {}

    /// Whether it tells tokens apart.
    fn has_tokens(&self) -> bool {
        false
    }

    /// Whether there is a faster and less exact way to the same space.
    fn has_bulk(&self) -> bool {
        false
    }

    /// As [`Embedder::embed`], for very many texts: vectors that can be compared with its own.
    fn embed_in_bulk(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.embed(texts)
    }

    /// Whether it knows any of these words. Others may mean anything to it.
    fn knows_any(&self, _words: &[&str]) -> bool {
        true
    }

    /// How sure a reading of question and text together is that each of these answers it, as log odds; `None` where nobody
    /// reads so, or the reading failed.
    fn read(&self, _question: &str, _texts: &[&str]) -> Option<Vec<f32>> {
        None
    }
}

/// What a text means.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Embedding {
    /// All of it.
    pub vector: Vec<f32>,
    /// Its tokens, where the model tells them apart.
    pub tokens: Option<Tokens>,
}

impl From<Vec<f32>> for Embedding {
    fn from(vector: Vec<f32>) -> Self {
        Self { vector, tokens: None }
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
        source: Arc<io::Error>,
    },
    #[error("not a sentence model that can be run: {reason}")]
    Unusable { reason: String },
    #[error("the model failed: {reason}")]
    Run { reason: String },
}

impl ModelError {
    fn no_output() -> Self {
        Self::Run { reason: "it gave no output".to_owned() }
    }

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
    has_tokens: bool,
    session: OnceLock<Result<Session, ModelError>>,
    load: Load,
    /// A smaller one for very many texts, in the same space.
    bulk: OnceLock<Result<Session, ModelError>>,
    load_bulk: Option<Load>,
    /// The same weights with what lets them read two texts at once.
    reader: OnceLock<Result<Session, ModelError>>,
    load_reader: Option<Load>,
    /// The same weights with what places questions near to what answers them.
    question: OnceLock<Result<Session, ModelError>>,
    load_question: Option<Load>,
}

type Load = fn() -> Result<Session, ModelError>;

impl Model {
    /// hewto's own model (`docs/model.md`), which is part of this library.
    #[cfg(feature = "bundled-model")]
    pub fn bundled() -> Self {
        Self {
            identity: identity(&bundled::SHA256, bundled::arithmetic()),
            dimensions: bundled::DIMENSIONS,
            has_tokens: true,
            session: OnceLock::new(),
            load: bundled::load,
            bulk: OnceLock::new(),
            load_bulk: bundled::bulk(),
            reader: OnceLock::new(),
            load_reader: Some(|| bundled::reader_for(bundled::arithmetic())),
            question: OnceLock::new(),
            load_question: Some(|| bundled::question_for(bundled::arithmetic())),
        }
    }

    /// The same as processors run it that do not multiply integers exactly; for comparing the two.
    #[cfg(feature = "bundled-model")]
    pub fn bundled_in_floats() -> Self {
        Self {
            identity: identity(&bundled::SHA256, Arithmetic::Floats),
            load: || bundled::load_for(Arithmetic::Floats),
            load_bulk: None,
            load_reader: Some(|| bundled::reader_for(Arithmetic::Floats)),
            load_question: Some(|| bundled::question_for(Arithmetic::Floats)),
            ..Self::bundled()
        }
    }

    /// A model in an ONNX file. It is read and tried at once, so that a wrong file is refused here.
    pub fn from_file(path: &Path) -> Result<Self, ModelError> {
        let failed = |error| ModelError::Read { path: path.to_owned(), source: Arc::new(error) };
        // A device may have no end.
        if fs_err::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        let bytes = fs_err::read(path).map_err(failed)?;
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let session = Session::from_onnx(bytes)?;
        let dimensions = sound::check(&session)?;
        Ok(Self {
            identity: identity(&digest, Arithmetic::Floats),
            dimensions,
            has_tokens: false,
            session: OnceLock::from(Ok(session)),
            load: || Err(ModelError::Unusable { reason: "not loaded".to_owned() }),
            bulk: OnceLock::new(),
            load_bulk: None,
            reader: OnceLock::new(),
            load_reader: None,
            question: OnceLock::new(),
            load_question: None,
        })
    }
}

impl Model {
    fn session(&self) -> Result<&Session, ModelError> {
        self.session.get_or_init(self.load).as_ref().map_err(ModelError::clone)
    }

    fn session_of_questions(&self) -> Result<&Session, ModelError> {
        let Some(load) = self.load_question else { return self.session() };
        self.question.get_or_init(load).as_ref().map_err(ModelError::clone)
    }
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

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.session()?.embed(texts)
    }

    fn embed_question(&self, question: &str) -> Result<Embedding, ModelError> {
        self.session_of_questions()?.embed(&[question])?.pop().ok_or_else(ModelError::no_output)
    }

    fn prepare_for_questions(&self) {
        // What goes wrong here will go wrong for the question, which says so.
        let _ = self.session_of_questions();
    }

    fn has_tokens(&self) -> bool {
        self.has_tokens
    }

    fn has_bulk(&self) -> bool {
        self.load_bulk.is_some()
    }

    fn embed_in_bulk(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        let Some(load) = self.load_bulk else { return self.embed(texts) };
        match self.bulk.get_or_init(load) {
            Ok(session) => session.embed(texts),
            Err(error) => Err(error.clone()),
        }
    }

    fn knows_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| WordPiece::shared().knows_any(word))
    }

    fn read(&self, question: &str, texts: &[&str]) -> Option<Vec<f32>> {
        let session = self.reader.get_or_init(self.load_reader?).as_ref().ok()?;
        session.read(question, texts).ok()
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
