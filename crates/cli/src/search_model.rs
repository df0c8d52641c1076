//! `--model`: which model search goes by.

use std::path::PathBuf;

use hewto_engine::Result;
use hewto_engine::search::ModelChoice;

use crate::env;
use crate::place::absolute;

#[derive(Debug, clap::Args)]
pub(crate) struct SearchModel {
    /// Search with the model in this ONNX file instead of the bundled one
    #[arg(long, value_name = "PATH", env = env::SEARCH_MODEL, hide_env_values = true)]
    model: Option<PathBuf>,
}

impl SearchModel {
    pub(crate) fn choice(&self) -> Result<ModelChoice> {
        match &self.model {
            Some(path) => Ok(ModelChoice::File(absolute(path)?)),
            None => Ok(ModelChoice::Bundled),
        }
    }
}
