//! Ids of runs: ULIDs, so that their order is that of time.

use hewto_store::Context;
use jiff::Timestamp;

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// An id for now, later than another one whatever the clock says.
pub(super) fn later_than(ctx: &Context, last: Option<&str>) -> String {
    let now = u64::try_from(ctx.now().as_millisecond()).unwrap_or(0);
    let least = last.and_then(millis_of).map_or(0, |last| last + 1);
    encode(now.max(least), ctx.uuid().as_u128())
}

/// When a run was asked for, RFC 3339, as its id says.
pub fn begun_at(run: &str) -> Option<String> {
    let millis = i64::try_from(millis_of(run)?).ok()?;
    Some(hewto_store::rfc3339_seconds(Timestamp::from_millisecond(millis).ok()?))
}

fn encode(millis: u64, random: u128) -> String {
    let value = (u128::from(millis) << 80) | (random & ((1 << 80) - 1));
    (0..26)
        .rev()
        .map(|place| char::from(DIGITS[usize::try_from((value >> (place * 5)) & 31).unwrap_or(0)]))
        .collect()
}

fn millis_of(id: &str) -> Option<u64> {
    let digits = id.get(..10).filter(|_| id.len() == 26)?;
    digits.bytes().try_fold(0_u64, |so_far, byte| {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        Some(so_far * 32 + digit as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_in_the_order_of_time_even_when_the_clock_goes_back() {
        let ctx = Context::background();
        let first = later_than(&ctx, None);
        assert_eq!(first.len(), 26);
        let future = encode(u64::try_from(ctx.now().as_millisecond()).unwrap() + 1_000_000, 7);
        let next = later_than(&ctx, Some(&future));
        assert!(future > first && next > future, "{first} {future} {next}");
        assert_eq!(millis_of(&next), millis_of(&future).map(|millis| millis + 1));
        assert_eq!(millis_of("short"), None);
    }
}
