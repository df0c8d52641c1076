//! What was imported: which part of which source became which files, with hashes of both sides.
//!
//! It is what makes a second import change nothing, and a later one bring only what is new.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A file of the memory is not larger than this, so that it stays readable and small in a diff.
const CHUNK_BYTES: usize = 1 << 20;

/// Everything that was imported from one format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// By source and key.
    pub parts: BTreeMap<(String, String), Remembered>,
}

/// One part of a source, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The root of the source, seen from the workspace.
    pub source: String,
    pub key: String,
    /// What it is called here.
    pub id: String,
    /// When it came.
    pub at: String,
    /// By path in the workspace.
    pub files: BTreeMap<String, FileMemory>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMemory {
    /// SHA-256 of the text that the source gave last.
    pub source: String,
    /// SHA-256 of the text that was written here last; empty where nothing was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written: String,
    /// The text that the source gave last, where a later import is merged with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Chunk {
    version: u32,
    imported: Vec<Remembered>,
}

impl Chunk {
    fn render(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts are always JSON") + "\n"
    }
}

impl Memory {
    /// Reads the files of a memory; the error says which of them cannot be read, and where.
    pub fn read<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Self, (String, usize)> {
        let mut memory = Self::default();
        for (name, text) in files {
            let chunk: Chunk = serde_json::from_str(text).map_err(|error| (name.to_owned(), error.line()))?;
            for one in chunk.imported {
                memory.parts.insert((one.source.clone(), one.key.clone()), one);
            }
        }
        Ok(memory)
    }

    /// The texts of its files, in their order.
    pub fn render(&self) -> Vec<String> {
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut size = usize::MAX;
        for one in self.parts.values() {
            let own: usize = one
                .files
                .iter()
                .map(|(path, file)| path.len() + 200 + file.base.as_ref().map_or(0, String::len))
                .sum();
            if size.saturating_add(own) > CHUNK_BYTES {
                chunks.push(Chunk { version: 1, imported: Vec::new() });
                size = 0;
            }
            size += own;
            if let Some(last) = chunks.last_mut() {
                last.imported.push(one.clone());
            }
        }
        chunks.iter().map(Chunk::render).collect()
    }

    /// The text of a file that holds nothing.
    pub fn render_empty() -> String {
        Chunk { version: 1, imported: Vec::new() }.render()
    }
}

impl FileMemory {
    /// What is remembered of a text that was written as the source gave it.
    pub fn written(text: &str, keeps_base: bool) -> Self {
        let hash = hash(text);
        Self { written: hash.clone(), source: hash, base: keeps_base.then(|| text.to_owned()) }
    }
}

/// The hash by which texts are compared.
pub fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::with_capacity(64), |mut out, byte| {
        use std::fmt::Write as _;
        let _ = write!(out, "{byte:02x}");
        out
    })
}
