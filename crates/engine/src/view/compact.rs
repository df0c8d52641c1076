//! The same answers without what a client has or can ask for: whole documents, and what is told twice.

use hewto_core::document::Document;

use super::{CreationPlan, DependencyEdge, DependencyTree, MetadataPatched, ScratchPadPlan};

/// How much of a document is shown unless somebody asks for all of it.
const MOST_OF_A_DOCUMENT: usize = 1_500;
/// What says how an edge stands; the rest belongs to the artifact itself.
const OF_AN_EDGE: [&str; 2] = ["resolution", "metadata_status"];

impl DependencyTree {
    /// The tree with each artifact described once, by its own entry.
    #[must_use]
    pub fn compact(mut self) -> Self {
        for edges in [&mut self.upstream, &mut self.downstream, &mut self.aggregate] {
            edges.iter_mut().for_each(DependencyEdge::shorten);
        }
        self
    }
}

impl DependencyEdge {
    fn shorten(&mut self) {
        for end in [&mut self.from, &mut self.to] {
            end.metadata.retain(|key, _| OF_AN_EDGE.contains(&key.as_str()));
        }
    }
}

impl CreationPlan {
    /// The plan with the beginning of its document.
    #[must_use]
    pub fn compact(mut self) -> Self {
        cut(&mut self.rendered.body, &mut self.rendered.omitted_chars);
        self.dependencies = self.dependencies.compact();
        self
    }
}

impl ScratchPadPlan {
    /// The plan with the beginning of its document.
    #[must_use]
    pub fn compact(mut self) -> Self {
        self.plan = self.plan.compact();
        self
    }
}

impl MetadataPatched {
    /// The answer with what is different; of a long document only its front matter.
    #[must_use]
    pub fn compact(mut self) -> Self {
        if self.updated_document.chars().count() > MOST_OF_A_DOCUMENT {
            let head = Document::parse(&self.updated_document).body_start();
            cut_at(&mut self.updated_document, head, &mut self.omitted_chars);
        }
        cut(&mut self.updated_document, &mut self.omitted_chars);
        self
    }

    /// The answer of the seed, with the document and nothing beside it.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { diff: None, ..self }
    }
}

fn cut(text: &mut String, omitted: &mut Option<usize>) {
    if let Some((at, _)) = text.char_indices().nth(MOST_OF_A_DOCUMENT) {
        cut_at(text, at, omitted);
    }
}

fn cut_at(text: &mut String, at: usize, omitted: &mut Option<usize>) {
    let rest = text.split_off(at).chars().count();
    *omitted = Some(omitted.unwrap_or(0) + rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_document_is_cut_and_the_rest_is_counted() {
        let (mut text, mut omitted) = ("ü".repeat(2_000), Some(10));
        cut(&mut text, &mut omitted);
        assert_eq!((text.chars().count(), omitted), (1_500, Some(510)));
        let (mut short, mut none) = ("x".to_owned(), None);
        cut(&mut short, &mut none);
        assert_eq!((short.as_str(), none), ("x", None));
    }
}
