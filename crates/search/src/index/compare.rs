//! A second look at the best, which is worth more than one vector for all of them and costs too much for all: token by token, and,
//! where it is in doubt whether anything answers, by reading question and entry together.

use tantivy::TantivyError;

use super::question::Question;
use super::weigh::{Best, Scored, Weighed};
use crate::language::Language;
use crate::model::Embedder;
use crate::rank::{Closely, Nearness, doubt, is_doubtful, is_worth_reading, lift};

/// So many of the best are compared with the question token by token, unless it says otherwise.
pub(super) const MOST_COMPARED: usize = 100;
/// So many are read together with the question where there is doubt.
const READ: usize = 2;
/// Of the best so many parts are compared with it there.
const PARTS: usize = 4;

/// Compares the best of one or several indexes with the question, as far as these hold tokens.
pub(super) fn compare(weighed: &mut [Weighed], question: &Question<'_>) {
    let Some(asked) = question.tokens() else { return };
    let best = best_places(weighed, question.query().compared, |scored| scored.tokens.is_somewhere());
    for (index, at) in best {
        let one = &mut weighed[index];
        // Tokens that are torn or gone say nothing.
        if let Some(tokens) = one.tokens.read(one.scored[at].tokens) {
            one.scored[at].compared(asked.nearness(&tokens), one.ranker, question.query().words);
        }
    }
}

/// The places of so many of the best that are wanted, by index and entry; of those of one score the first. One walk: what is not better
/// than the worst of those so far is passed over.
pub(super) fn best_places(
    weighed: &[Weighed],
    most: usize,
    is_wanted: impl Fn(&Scored) -> bool,
) -> Vec<(usize, usize)> {
    let (mut best, mut least) = (Vec::new(), f32::NEG_INFINITY);
    let Some(last) = most.checked_sub(1) else { return Vec::new() };
    let cut = |best: &mut Vec<(f32, usize, usize)>| {
        if best.len() > most {
            let better = |a: &(f32, usize, usize), b: &(f32, usize, usize)| {
                b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
            };
            let worst = best.select_nth_unstable_by(last, better).1.0;
            best.truncate(most);
            return worst;
        }
        f32::NEG_INFINITY
    };
    for (index, one) in weighed.iter().enumerate() {
        for (at, scored) in one.scored.iter().enumerate() {
            if scored.score > least && is_wanted(scored) {
                best.push((scored.score, index, at));
            }
        }
        if best.len() > 4 * most {
            least = cut(&mut best);
        }
    }
    cut(&mut best);
    best.into_iter().map(|(_, index, at)| (index, at)).collect()
}

/// Where it is in doubt whether anything answers: looks at the parts of the best, and reads it together with the question.
pub(super) fn read_closely(weighed: &mut Weighed, question: &Question<'_>) -> Result<(), TantivyError> {
    let Some(embedder) = weighed.embedder() else { return Ok(()) };
    if !is_doubtful(weighed.ranker, weighed.confidence()) {
        return Ok(());
    }
    // Of a question in another language than the model's, or of words that it spells out, the reader says anything.
    let is_english = Language::of([question.text()]) == Language::English;
    let is_strange = weighed.known <= 0.0 && !embedder.knows_any(&question.spelled());
    if !is_english || is_strange || !is_worth_reading(weighed.confidence(), weighed.known) {
        weighed.closely = Closely { lift: 0.0, doubt: doubt(None) };
        return Ok(());
    }
    let best = weighed.best(READ, PARTS)?;
    let texts: Vec<&str> = best.iter().map(|one| one.text.as_str()).collect();
    weighed.closely = Closely {
        lift: best.first().and_then(|first| lift_by_parts(first, question, &*embedder)).unwrap_or(0.0),
        doubt: doubt(embedder.read(question.text(), &texts).as_deref()),
    };
    Ok(())
}

/// Nothing where it has no parts, where nobody can tell what they mean, or where its own vector was made in bulk (no tokens
/// are kept then): that is too rough to be held against theirs.
fn lift_by_parts(best: &Best, question: &Question<'_>, embedder: &dyn Embedder) -> Option<f32> {
    let meaning = best.meaning.filter(|meaning| matches!(meaning.tokens, Nearness::Known(_)))?;
    let parts: Vec<&str> = best.parts.iter().map(String::as_str).collect();
    if parts.is_empty() {
        return None;
    }
    let embeddings = embedder.embed(&parts).ok()?;
    let nearest = embeddings.iter().filter_map(|part| question.nearness(&part.vector)).reduce(f32::max)?;
    Some(lift(meaning, nearest))
}
