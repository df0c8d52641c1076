//! The labelled set on disk.

use std::collections::HashMap;
use std::path::Path;

use hewto_search::{CommonWords, Document, DocumentKey, Entry, Fingerprint, Kind};

/// Specs and queries.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) documents: Vec<Document>,
    pub(crate) queries: Vec<Labelled>,
}

/// A query and what answers it.
#[derive(Debug)]
pub(crate) struct Labelled {
    pub(crate) style: Style,
    pub(crate) text: String,
    /// `spec#Requirement` with 2 for an answer and 1 for what bears on it; empty if nothing answers.
    pub(crate) grades: HashMap<String, u32>,
}

/// How a query is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// In the words of the requirement.
    Lexical,
    /// In other words.
    Paraphrase,
    /// As a symptom or a wish.
    Vague,
    /// About something that no requirement answers.
    Unanswerable,
}

/// Which half of the queries one belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// Settings were chosen by these.
    Tuned,
    /// Nobody looked at these while choosing.
    Held,
}

impl Half {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Tuned => "tuned on",
            Self::Held => "held out",
        }
    }
}

impl Style {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Paraphrase => "paraphrase",
            Self::Vague => "vague",
            Self::Unanswerable => "none",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Lexical, Self::Paraphrase, Self::Vague, Self::Unanswerable]
            .into_iter()
            .find(|style| style.as_str() == text)
    }
}

impl Labelled {
    /// By a hash of the text, so that a new query moves no old one.
    pub(crate) fn half(&self) -> Half {
        if Fingerprint::of(self.text.as_bytes()).0.is_multiple_of(2) { Half::Tuned } else { Half::Held }
    }

    fn parse(line: &str) -> Result<Self, String> {
        let wrong = || format!("not a query: `{line}`");
        let mut fields = line.split('\t');
        let style = fields.next().and_then(Style::parse).ok_or_else(wrong)?;
        let text = fields.next().ok_or_else(wrong)?.to_owned();
        let mut grades = HashMap::new();
        for judgement in
            fields.next().unwrap_or_default().split(" | ").filter(|judgement| !judgement.is_empty())
        {
            let (name, grade) = judgement.rsplit_once('=').ok_or_else(wrong)?;
            grades.insert(name.to_owned(), grade.parse().map_err(|_| wrong())?);
        }
        if grades.is_empty() != (style == Style::Unanswerable) {
            return Err(wrong());
        }
        Ok(Self { style, text, grades })
    }
}

impl Set {
    /// Reads `specs/*/spec.md` and `queries.tsv`. A judgement of a requirement that does not exist is an error.
    pub(crate) fn load(folder: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let mut documents = Vec::new();
        for spec in fs_err::read_dir(folder.join("specs"))? {
            let spec = spec?;
            let id = spec.file_name().to_string_lossy().into_owned();
            documents.push(document(&id, &fs_err::read_to_string(spec.path().join("spec.md"))?));
        }
        documents.sort_by(|a, b| a.key.cmp(&b.key));
        let usual = CommonWords::of(documents.iter().map(|document| document.title.as_str()));
        for document in &mut documents {
            document.heading = usual.heading(&document.title);
        }
        let text = fs_err::read_to_string(folder.join("queries.tsv"))?;
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let queries = lines.map(Labelled::parse).collect::<Result<Vec<_>, _>>()?;
        let set = Self { documents, queries };
        let names: Vec<String> = set.names().collect();
        for name in set.queries.iter().flat_map(|query| query.grades.keys()) {
            if !names.contains(name) {
                return Err(format!("no requirement is named `{name}`").into());
            }
        }
        Ok(set)
    }

    pub(crate) fn requirements(&self) -> usize {
        self.names().count()
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.documents.iter().flat_map(|document| {
            let requirements = document.entries.iter().filter_map(|entry| entry.requirement.as_ref());
            requirements.map(|requirement| format!("{}#{requirement}", document.key.id))
        })
    }
}

fn document(id: &str, text: &str) -> Document {
    let read = hewto_core::document::Document::parse(text);
    let title = hewto_core::requirement::SpecDoc::read(&read).title.unwrap_or(id).to_owned();
    Document {
        key: DocumentKey::new(Kind::Spec, id),
        fingerprint: Fingerprint::of(text.as_bytes()),
        heading: title.clone(),
        title,
        entries: Entry::of_spec(&read),
    }
}
