//! How somebody wants an index to be looked after, and by which model.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hewto_search::{Embedder, bundled_model};

/// Who turns texts into vectors.
#[derive(Debug, Clone, Default)]
pub enum ModelChoice {
    /// The model that was compiled in, or none.
    #[default]
    Bundled,
    /// A model in an ONNX file.
    File(PathBuf),
    /// Somebody's own.
    Given(Arc<dyn Embedder>),
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled if bundled_model().is_none() => f.write_str("none"),
            Self::Bundled => f.write_str("bundled"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Given(_) => f.write_str("given"),
        }
    }
}

/// How an index is looked after. The default suits a command, which is over soon: what takes long is left to
/// [`super::build`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexCare {
    /// What takes long is done in the background.
    pub in_background: bool,
    /// No file is written; the index ends with the process.
    pub in_memory: bool,
    /// Searches are refused where there is no index, as seed 004 has it.
    pub refuses_without: bool,
}
