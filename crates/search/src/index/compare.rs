//! A second look at the best, which is worth more than one vector for all of them and costs too much for all: token by token, and,
//! where it is in doubt whether anything answers, by reading question and entry together.

use tantivy::TantivyError;

use super::weigh::{Question, Weighed};
use crate::rank::{doubt, is_doubtful};

/// So many of the best are compared with the question token by token, unless it says otherwise.
pub(super) const MOST_COMPARED: usize = 100;
/// So many are read together with the question where there is doubt.
const READ: usize = 2;

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

/// Where it is in doubt whether anything answers: reads the best together with the question.
pub(super) fn read_closely(weighed: &mut Weighed, question: &Question<'_>) -> Result<(), TantivyError> {
    let Some(embedder) = weighed.embedder() else { return Ok(()) };
    if !is_doubtful(weighed.ranker, weighed.confidence()) {
        return Ok(());
    }
    let best = weighed.best(READ)?;
    let texts: Vec<&str> = best.iter().map(String::as_str).collect();
    weighed.doubt = doubt(embedder.read(question.text(), &texts).as_deref());
    Ok(())
}
