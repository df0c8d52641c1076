//! A second look at the best: token by token, which is worth more than one vector for all of them and costs too much for all.

use tantivy::TantivyError;

use super::weigh::{Question, Weighed};
use crate::rank::is_doubtful;

/// So many of the best are compared with the question token by token, unless it says otherwise.
pub(super) const MOST_COMPARED: usize = 100;
/// So many are embedded for that where the index holds no tokens and there is doubt.
const LOOKED_AT: usize = 2;

/// Compares the best of one or several indexes with the question, as far as these hold tokens.
pub(super) fn compare(weighed: &mut [Weighed], question: &Question<'_>) {
    let Some(asked) = question.tokens() else { return };
    let has_tokens = |one: &Weighed, at: usize| one.scored[at].tokens.is_somewhere();
    let all = weighed.iter().enumerate().flat_map(|(index, one)| {
        (0..one.scored.len()).filter(move |at| has_tokens(one, *at)).map(move |at| (index, at))
    });
    let mut best: Vec<(usize, usize)> = all.collect();
    let most = question.query().compared;
    if best.len() > most {
        let score = |(index, at): &(usize, usize)| weighed[*index].scored[*at].score;
        best.select_nth_unstable_by(most, |a, b| score(b).total_cmp(&score(a)).then_with(|| a.cmp(b)));
        best.truncate(most);
    }
    for (index, at) in best {
        let one = &mut weighed[index];
        // Tokens that are torn or gone say nothing.
        if let Some(tokens) = one.tokens.read(one.scored[at].tokens) {
            one.scored[at].compared(asked.nearness(&tokens), one.ranker, question.query().words);
        }
    }
}

/// Where the index holds no tokens: looks at those of the best if it is in doubt whether they answer.
pub(super) fn look_closely(weighed: &mut Weighed, question: &Question<'_>) -> Result<(), TantivyError> {
    let (Some(asked), Some(embedder)) = (question.tokens(), weighed.embedder()) else { return Ok(()) };
    let is_compared = weighed.scored.iter().any(|scored| scored.tokens.is_somewhere());
    if is_compared || !is_doubtful(weighed.ranker, weighed.confidence()) {
        return Ok(());
    }
    let best = weighed.best(LOOKED_AT)?;
    let texts: Vec<&str> = best.iter().map(|(_, text)| text.as_str()).collect();
    // A model that fails here has ranked before; its ranking stands.
    let Ok(embeddings) = embedder.embed(&texts) else { return Ok(()) };
    for ((at, _), embedding) in best.iter().zip(embeddings) {
        if let Some(tokens) = embedding.tokens {
            let (near, ranker) = (asked.nearness(&tokens.packed()), weighed.ranker);
            weighed.scored[*at].compared(near, ranker, question.query().words);
        }
    }
    Ok(())
}
