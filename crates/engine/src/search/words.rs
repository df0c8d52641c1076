//! Finding by words alone, in the files themselves: what a question gets where there is no index yet.

use hewto_store::Context;

use super::documents::Sources;
use super::query::FindRequest;
use crate::error::Result;
use crate::view::{FoundHit, FoundView};
use crate::workspace::Workspace;

/// How the answer says what it is, and how to get the rest.
const MODE: &str = "words, without an index: `hewto index build` makes one that knows meaning too";
/// How much of a text is shown round the first word that was found.
const BEFORE: usize = 40;
const SHOWN: usize = 160;

/// Every document that has one of the words; those with most of them first.
pub(super) fn find(ws: &Workspace, ctx: &Context, request: &FindRequest, limit: usize) -> Result<FoundView> {
    let words: Vec<String> = request.query.split_whitespace().map(str::to_lowercase).collect();
    let mut hits: Vec<FoundHit> = Vec::new();
    for source in Sources::look(ws, ctx)?.all() {
        ctx.check()?;
        let Some(texts) = source.texts(ws, ctx) else { continue };
        let document = source.document(&texts);
        for entry in document.entries {
            if request.kind.is_some_and(|kind| kind != entry.kind) {
                continue;
            }
            let text = format!("{} {}", entry.requirement.as_deref().unwrap_or_default(), entry.text);
            let Some((score, snippet)) = judged(&text, &words) else { continue };
            let of_spec = document.key.kind == super::EntryKind::Spec;
            hits.push(FoundHit {
                kind: entry.kind.to_string(),
                spec_id: of_spec.then(|| document.key.id.clone()),
                id: document.key.id.clone(),
                title: document.title.clone(),
                requirement: entry.requirement,
                scenario: None,
                score,
                highlights: Vec::new(),
                snippet,
            });
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    let total = hits.len();
    hits.truncate(limit);
    Ok(FoundView { results: hits, mode: MODE.to_owned(), total })
}

/// The share of the words that a text has, and where the first of them stands.
fn judged(text: &str, words: &[String]) -> Option<(f64, String)> {
    let folded = text.to_lowercase();
    let found: Vec<usize> = words.iter().filter_map(|word| folded.find(word.as_str())).collect();
    let first = *found.iter().min()?;
    #[expect(clippy::cast_precision_loss, reason = "a question has few words")]
    let score = found.len() as f64 / words.len().max(1) as f64;
    let before = folded[..first].chars().count();
    let start = before.saturating_sub(BEFORE);
    let mut snippet: String = text.chars().skip(start).take(SHOWN).collect();
    if start > 0 {
        snippet.insert(0, '…');
    }
    Some((score, snippet))
}
