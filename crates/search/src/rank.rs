//! From evidence to a score: words and meaning joined.
//!
//! The score is a similarity between 0 and 1 that means the same from query to query: two parts the cosine and one part how near
//! the entry comes to each token of the query, raised by the share of the query's information that its words hold. It is not a rank, and it does not depend on what else was
//! found. Whether anything answers at all is decided for the query as a whole ([`confidence`]), not hit by hit. The
//! weights were tuned on one half of the set in `crates/bench/quality`.

use serde::Deserialize;

use crate::lexical::WordMatch;

/// Which evidence counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ranker {
    /// Words and meaning.
    #[default]
    Fused,
    Lexical,
    Dense,
}

impl Ranker {
    pub const ALL: [Self; 3] = [Self::Fused, Self::Lexical, Self::Dense];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fused => "fused",
            Self::Lexical => "lexical",
            Self::Dense => "dense",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ranker| ranker.as_str() == text)
    }

    /// What a hit must score unless the query says otherwise.
    pub fn threshold(self) -> f32 {
        match self {
            Self::Fused | Self::Dense => 0.0,
            Self::Lexical => 0.1,
        }
    }
}

/// What is known about an entry and a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    pub(crate) role: Role,
    /// `None` when its meaning has not been taken yet.
    pub(crate) meaning: Option<Meaning>,
    pub(crate) words: WordMatch,
}

/// How near an entry is by its meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meaning {
    pub(crate) cosine: f32,
    pub(crate) tokens: Nearness,
}

/// How near an entry comes to the tokens of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Nearness {
    /// The model does not tell tokens apart.
    Untold,
    /// It does, and nobody has looked.
    Guessed,
    Known(f32),
}

impl Meaning {
    /// The cosine and what the tokens say, as one number between 0 and 1, and what of it words can add.
    fn weighed(self) -> (f32, f32) {
        let cosine = self.cosine.clamp(0.0, 1.0);
        let near = match self.tokens {
            Nearness::Untold => return (cosine, 1.0),
            Nearness::Guessed => USUAL + USUAL_SLOPE * cosine,
            Nearness::Known(near) => near,
        };
        ((cosine + TOKENS * near) / (1.0 + TOKENS), 1.0 / (1.0 + TOKENS))
    }
}

/// What an entry is to its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It says something of its own.
    Content,
    /// The head of a document whose other entries say it in full.
    Summary,
}

/// What a full match by words adds to the cosine: one part words to ten parts meaning.
pub(crate) const WORDS: f32 = 0.1;
/// What nearness token by token counts beside the cosine.
const TOKENS: f32 = 0.5;
/// How near entries come token by token that nobody has looked at, from their cosine: a line through those of the tuning half.
const USUAL: f32 = 0.35;
const USUAL_SLOPE: f32 = 0.38;
/// With less confidence than this nothing is worth showing for the query.
const SURE: f32 = 0.24;
/// From these log odds on a reading of query and entry together raises no doubt, and what each unit below them takes from the
/// confidence, up to a limit: further up nothing would be silenced that is worth it, and reading takes some milliseconds.
const LIKELY: f32 = 0.0;
const UNLIKELY: f32 = 0.05;
const MOST_DOUBT: f32 = 0.25;
/// What is taken where nobody can read the two together.
const UNREAD: f32 = 0.12;
/// With less confidence than this before a closer look nothing is read.
const NEAR: f32 = 0.2;
/// The same where the documents know no word of the question.
const NEAR_WITHOUT_WORDS: f32 = 0.3;
/// More than this a part that comes nearer than the whole adds to no confidence.
const MOST_LIFT: f32 = 0.1;
/// How far an exact hit on the whole query lifts a score towards 1.
const EXACT: f32 = 0.5;
/// A summary speaks a little about everything; what answers in full is worth more.
const SUMMARY: f32 = 0.75;
/// What a full match by words is worth while the meaning is not known.
const WORDS_ALONE: f32 = 0.6;

/// `None` when this is no match whatever the threshold.
pub(crate) fn score(ranker: Ranker, evidence: Evidence, words: f32) -> Option<f32> {
    let WordMatch { share, exact, .. } = evidence.words;
    let base = match (ranker, evidence.meaning.map(Meaning::weighed)) {
        (Ranker::Lexical, _) => share,
        (Ranker::Dense, meaning) => meaning?.0,
        (Ranker::Fused, Some((meaning, part))) => (meaning + part * words * share).min(1.0),
        (Ranker::Fused, None) => WORDS_ALONE * share,
    };
    let lifted = if ranker == Ranker::Dense { base } else { base + EXACT * exact * (1.0 - base) };
    let weighed = match evidence.role {
        Role::Content => lifted,
        Role::Summary => SUMMARY * lifted,
    };
    // Rounded, so that noise in the last digits decides nothing.
    let score = (weighed * 10_000.0).round() / 10_000.0;
    (score > 0.0).then_some(score)
}

/// How sure it is that the best hit is worth showing for the query, between 0 and 1.
pub(crate) fn confidence(best: f32, closely: Closely) -> f32 {
    in_hundredths(best + closely.lift - closely.doubt)
}

/// What a closer look at the best entries changes in the confidence.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Closely {
    /// A part of it comes nearer to the query than the whole.
    pub(crate) lift: f32,
    /// Who reads query and entry together doubts that the one answers the other.
    pub(crate) doubt: f32,
}

/// Whether a closer look may decide if anything answers: further up it would change nothing.
pub(crate) fn is_doubtful(ranker: Ranker, confidence: f32) -> bool {
    ranker != Ranker::Lexical && confidence < SURE + MOST_DOUBT
}

/// Whether what comes so near is worth the look. What is further off answers nothing, whatever somebody reads into it, and the
/// more so where the documents know no word of the question.
pub(crate) fn is_worth_reading(confidence: f32, known: f32) -> bool {
    confidence >= if known > 0.0 { NEAR } else { NEAR_WITHOUT_WORDS }
}

/// What it adds that a part of an entry comes so near: as if the part stood in place of the whole.
pub(crate) fn lift(meaning: Meaning, nearest_part: f32) -> f32 {
    let (_, share) = meaning.weighed();
    (share * (nearest_part - meaning.cosine.max(0.0))).clamp(0.0, MOST_LIFT)
}

/// What such a reading takes from the confidence, by its log odds for the entries that it was given.
pub(crate) fn doubt(told: Option<&[f32]>) -> f32 {
    let best = told.and_then(|told| told.iter().copied().reduce(f32::max));
    best.map_or(UNREAD, |odds| (UNLIKELY * (LIKELY - odds)).clamp(0.0, MOST_DOUBT))
}

fn in_hundredths(confidence: f32) -> f32 {
    (confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

/// Whether so little is known that saying nothing is the better answer. Words that stand alone say what they found.
pub(crate) fn is_silence(ranker: Ranker, confidence: f32) -> bool {
    ranker != Ranker::Lexical && confidence < SURE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(ranker: Ranker, evidence: Evidence) -> Option<f32> {
        super::score(ranker, evidence, WORDS)
    }

    fn evidence(cosine: Option<f32>, share: f32, exact: f32) -> Evidence {
        let meaning = cosine.map(|cosine| Meaning { cosine, tokens: Nearness::Untold });
        Evidence { role: Role::Content, meaning, words: WordMatch { share, exact, quotes: 0 } }
    }

    #[test]
    fn a_far_meaning_ranks_low_instead_of_vanishing() {
        let far = score(Ranker::Fused, evidence(Some(0.1), 0.0, 0.0));
        let near = score(Ranker::Fused, evidence(Some(0.4), 0.0, 0.0));
        assert!(far.is_some() && far < near, "{far:?} {near:?}");
        assert_eq!(score(Ranker::Dense, evidence(None, 1.0, 1.0)), None);
        assert_eq!(score(Ranker::Lexical, evidence(Some(1.0), 0.0, 0.0)), None);
    }

    fn doubted(doubt: f32) -> Closely {
        Closely { doubt, lift: 0.0 }
    }

    #[test]
    fn silence_is_for_queries_that_nothing_is_near_to() {
        assert!(is_silence(Ranker::Fused, confidence(0.1, Closely::default())));
        assert!(!is_silence(Ranker::Fused, confidence(0.6, doubted(MOST_DOUBT))));
        assert!(!is_silence(Ranker::Lexical, confidence(0.1, Closely::default())));
    }

    #[test]
    fn a_closer_look_decides_only_where_it_could_change_the_answer() {
        for (confidence, changed) in [(SURE + MOST_DOUBT, SURE), (1.0, 1.0 - MOST_DOUBT)] {
            assert!(!is_doubtful(Ranker::Fused, confidence), "{confidence}");
            assert_eq!(is_silence(Ranker::Fused, confidence), is_silence(Ranker::Fused, changed));
        }
        for confidence in [0.0, SURE, SURE + MOST_DOUBT - 0.01] {
            assert!(is_doubtful(Ranker::Fused, confidence) && !is_doubtful(Ranker::Lexical, confidence));
        }
        for (least, known) in [(NEAR, 0.5), (NEAR_WITHOUT_WORDS, 0.0)] {
            let unread = least - 0.01;
            assert!(is_worth_reading(least, known) && !is_worth_reading(unread, known));
            assert!(is_silence(Ranker::Fused, unread - UNREAD));
        }
        assert!(doubt(Some(&[-9.0, 2.0])) == 0.0 && doubt(Some(&[-9.0])) == MOST_DOUBT);
        assert!(doubt(Some(&[-2.0])) > 0.0 && doubt(None) == UNREAD && doubt(Some(&[])) == UNREAD);
    }

    #[test]
    fn a_part_that_comes_nearer_than_the_whole_lifts_the_confidence_a_little() {
        let whole = |tokens| Meaning { cosine: 0.4, tokens };
        let near = lift(whole(Nearness::Untold), 0.44);
        assert!((near - 0.04).abs() < 1e-6, "{near}");
        assert!(lift(whole(Nearness::Known(0.5)), 0.44) < near);
        assert!(lift(whole(Nearness::Untold), 0.3).abs() < 1e-6);
        assert!((lift(whole(Nearness::Untold), 1.0) - MOST_LIFT).abs() < 1e-6);
    }

    #[test]
    fn tokens_that_come_near_lift_a_score_and_others_lower_it() {
        let with = |tokens| {
            let meaning = Some(Meaning { cosine: 0.5, tokens });
            score(Ranker::Fused, Evidence { meaning, ..evidence(None, 0.3, 0.0) })
        };
        let (guessed, near, far) =
            (with(Nearness::Guessed), with(Nearness::Known(0.9)), with(Nearness::Known(0.1)));
        assert!(near > guessed && guessed > far, "{near:?} {guessed:?} {far:?}");
    }

    #[test]
    fn an_exact_hit_on_the_whole_query_outranks_any_usual_likeness() {
        let exact = score(Ranker::Fused, evidence(Some(0.2), 1.0, 1.0));
        let alike = score(Ranker::Fused, evidence(Some(0.55), 0.5, 0.0));
        assert!(exact > alike, "{exact:?} {alike:?}");
    }

    #[test]
    fn what_answers_goes_before_a_summary() {
        let answer = evidence(Some(0.5), 0.5, 0.0);
        let summary = Evidence { role: Role::Summary, ..answer };
        assert!(score(Ranker::Fused, answer) > score(Ranker::Fused, summary));
    }

    proptest! {
        #[test]
        fn scores_lie_between_nothing_and_one_and_grow_with_the_evidence(
            cosine in -1.0_f32..1.0, share in 0.0_f32..1.0, exact in 0.0_f32..1.0, more in 0.0_f32..0.5,
        ) {
            for ranker in Ranker::ALL {
                let before = score(ranker, evidence(Some(cosine), share, exact));
                let after = score(ranker, evidence(Some((cosine + more).min(1.0)), (share + more).min(1.0), exact));
                prop_assert!(before.is_none_or(|score| score > 0.0 && score <= 1.0));
                prop_assert!(after >= before);
            }
        }
    }

    #[test]
    fn rankers_are_known_by_name() {
        for ranker in Ranker::ALL {
            assert_eq!(Ranker::parse(ranker.as_str()), Some(ranker));
        }
        assert_eq!(Ranker::parse("fuzzy"), None);
    }
}
