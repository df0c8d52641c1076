use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> Moment {
    let wall = Timestamp::from_second(1_800_000_000 + seconds).unwrap();
    Moment { wall, steady: None }
}

fn steady(seconds: i64, ms: u64) -> Moment {
    Moment { steady: Some(Steady { boot: "b".to_owned(), ms }), ..at(seconds) }
}

fn holder(name: &str) -> Holder {
    Holder { principal: name.to_owned(), ..Holder::default() }
}

fn wish(work: &[String], token: Option<u64>) -> Wish<'_> {
    Wish { work, token }
}

#[test]
fn a_holder_that_comes_back_too_late_is_refused_by_number() {
    let work = ["a".to_owned()];
    let mut claims = Claims::default();
    let first = claims.take("a", holder("x"), 600, &at(0)).token;
    assert_eq!(claims.judge(wish(&work, Some(first)), &at(10)), Judgement::Mine { renewed: false });
    assert!(matches!(claims.judge(wish(&work, None), &at(10)), Judgement::Claimed(_)));
    // Expired but untaken still counts.
    assert_eq!(claims.judge(wish(&work, Some(first)), &at(700)), Judgement::Mine { renewed: true });
    claims.drop_expired(&at(2_000));
    let second = claims.take("a", holder("y"), 600, &at(2_000)).token;
    assert!(second > first);
    assert!(matches!(claims.judge(wish(&work, Some(first)), &at(2_001)), Judgement::Lost(Some(_))));
    // Even when the other has finished and let go.
    claims.by_token(second).unwrap().1.released = true;
    assert!(matches!(claims.judge(wish(&work, Some(first)), &at(2_002)), Judgement::Lost(_)));
    assert!(matches!(claims.judge(wish(&work, None), &at(2_002)), Judgement::Free));
    assert!(matches!(claims.judge(wish(&work, Some(99)), &at(2_002)), Judgement::Lost(_)));
}

#[test]
fn a_write_with_the_number_of_a_released_claim_does_not_take_it_again() {
    let work = ["a".to_owned()];
    let mut claims = Claims::default();
    let number = claims.take("a", holder("x"), 600, &at(0)).token;
    claims.by_token(number).unwrap().1.released = true;
    assert_eq!(claims.judge(wish(&work, Some(number)), &at(1)), Judgement::Free);
    assert!(!claims.claims["a"].is_held(&at(1)), "it stays free for others");
}

#[test]
fn a_clock_that_jumps_frees_nothing_where_a_steady_one_is() {
    let mut claims = Claims::default();
    let claim = claims.take("a", holder("x"), 600, &steady(0, 1_000)).clone();
    assert!(claim.is_held(&steady(1_000_000, 2_000)), "the wall's clock ran ahead");
    assert!(claim.is_held(&steady(-1_000_000, 600_999)));
    assert!(!claim.is_held(&steady(-1_000_000, 601_000)), "and back");
    // Elsewhere it is wrong by the length of the lease at most.
    assert_eq!(claim.left_ms(&at(-1_000_000)), 600_000);
    assert!(!claim.is_held(&at(600)));
}

#[test]
fn the_file_reads_back_and_a_broken_one_is_told_with_its_line() {
    let mut claims = Claims::default();
    claims.take("change:a", holder("x"), 5, &steady(0, 7));
    assert_eq!(claims.claims["change:a"].lease_s, SHORTEST_LEASE_S);
    assert_eq!(Claims::read(claims.render().as_bytes()), Ok(claims.clone()));
    assert_eq!(Claims::read(b"{\n\"last\": }").unwrap_err().0, 2);
    claims.last = 0;
    assert!(Claims::read(claims.render().as_bytes()).is_err(), "numbers would be given twice");
    claims.last = HIGHEST;
    assert!(Claims::read(claims.render().as_bytes()).is_err(), "and so they would when they are used up");
    claims.last = HIGHEST - 1;
    assert_eq!(
        Claims::read(claims.render().as_bytes()).unwrap().take("b", holder("y"), 60, &at(0)).token,
        HIGHEST
    );
}

proptest! {
    /// Whatever stands in the place of a claim: the others are read, it is written back as it is, and its number is not given again.
    #[test]
    fn a_claim_that_cannot_be_read_takes_no_other_down(
        row in prop_oneof![
            any::<String>().prop_map(serde_json::Value::from),
            any::<u64>().prop_map(|token| serde_json::json!({ "token": token, "holder": 1 })),
            Just(serde_json::json!({ "token": -1 })),
            Just(serde_json::json!([1, null])),
        ],
    ) {
        let mut claims = Claims::default();
        claims.take("a", holder("x"), 600, &at(0));
        let mut file: serde_json::Value = serde_json::from_str(&claims.render()).unwrap();
        file["claims"]["b"] = row.clone();
        let read = Claims::read(file.to_string().as_bytes());
        if row["token"].as_u64().is_some_and(|token| token > claims.last) {
            prop_assert!(read.is_err(), "its number would be given twice");
        } else {
            let mut read = read.unwrap();
            prop_assert_eq!(&read.claims, &claims.claims);
            prop_assert_eq!(read.unread.get("b"), Some(&row));
            read.take("c", holder("y"), 600, &at(1));
            let again = Claims::read(read.render().as_bytes()).unwrap();
            prop_assert_eq!(again, read);
        }
    }

    /// However holders, waits and clocks interleave: of all that write, at most one has the highest number, and it is the
    /// last that was given.
    #[test]
    fn only_the_last_number_writes(steps in prop::collection::vec((0usize..4, 0i64..900, any::<bool>()), 1..60)) {
        let work = ["w".to_owned()];
        let mut claims = Claims::default();
        let mut tokens = [None; 4];
        let mut now = at(0);
        for (who, wait, takes) in steps {
            now.wall = now.wall.checked_add(SignedDuration::from_secs(wait)).unwrap();
            if takes {
                claims.drop_expired(&now);
                let free = claims.claims.get("w").is_none_or(|claim| !claim.is_held(&now));
                if free {
                    tokens[who] = Some(claims.take("w", holder("x"), 600, &now).token);
                }
            } else if let Some(token) = tokens[who] {
                let may = matches!(claims.judge(wish(&work, Some(token)), &now), Judgement::Mine { .. });
                prop_assert_eq!(may, token == claims.last);
            }
        }
    }
}
