//! The identity of decisions and tasks: a moment in UTC and four random digits (seed 003, 2.2).
//!
//! Order is that of the text, so the latest decision is the greatest UID on every machine and branch. Slugs only
//! decorate file names; nothing refers to them.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Longest slug of a file name, in bytes.
const MAX_SLUG_BYTES: usize = 50;
/// `YYYYMMDDTHHMMSS.mmmZ`, which is also a whole UID of older records.
const MOMENT_LEN: usize = 20;

/// How far clocks of machines may lie apart where names are given. What is named by a later moment was named by nobody's clock, and
/// decides nothing about the names to come.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// A moment in UTC and four hexadecimal digits: `20250129T143522.123Z-1A2B`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Uid(String);

/// The text is no UID.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a UID such as `20250129T143522.123Z-1A2B`")]
pub struct NoUid(pub String);

impl Uid {
    pub fn parse(text: &str) -> Result<Self, NoUid> {
        let refused = || NoUid(text.chars().take(80).collect());
        let (moment, suffix) = text.split_at_checked(MOMENT_LEN).ok_or_else(refused)?;
        let hex = |digits: &str| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !suffix.is_empty() && !suffix.strip_prefix('-').is_some_and(hex) {
            return Err(refused());
        }
        read_moment(moment).map(|_| Self(text.to_owned())).ok_or_else(refused)
    }

    /// A new UID: of this moment, or of the first millisecond after `above` if that is later. `None` only at the
    /// end of the calendar.
    pub fn mint(now: Timestamp, chance: u16, above: Option<&Self>) -> Option<Self> {
        let floor = above.map_or(0, |uid| uid.millisecond() + 1);
        let moment = Timestamp::from_millisecond(now.as_millisecond().max(floor)).ok()?;
        let stamp = TimeZone::UTC.to_datetime(moment).strftime("%Y%m%dT%H%M%S%.3fZ").to_string();
        Self::parse(&format!("{stamp}-{chance:04X}")).ok()
    }

    /// A new UID that sorts behind all that are known here, but for those of days to come: a name that somebody made up must not
    /// use up all names behind it. It is none of those either. `None` only at the end of the calendar.
    pub fn mint_among(now: Timestamp, chance: u16, known: &[&Self]) -> Option<Self> {
        let last = known.iter().copied().filter(|uid| !uid.is_ahead(now)).max();
        let mut uid = Self::mint(now, chance, last)?;
        while known.contains(&&uid) {
            uid = Self::mint(now, chance, Some(&uid))?;
        }
        Some(uid)
    }

    /// Whether it is named by a moment further ahead than clocks may differ.
    pub fn is_ahead(&self, now: Timestamp) -> bool {
        let horizon = now.saturating_add(AHEAD).unwrap_or(Timestamp::MAX);
        self.millisecond() > horizon.as_millisecond()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The UID at the start of a file name such as `<UID>_<slug>.md`.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".md")?;
        Self::parse(stem.split_once('_').map_or(stem, |(uid, _)| uid)).ok()
    }

    /// `<UID>_<slug>.md`.
    pub fn file_name(&self, title: &str) -> String {
        format!("{self}_{}.md", slug(title))
    }

    /// The moment that it is named by.
    pub fn moment(&self) -> Timestamp {
        Timestamp::from_millisecond(self.millisecond()).unwrap_or(Timestamp::MAX)
    }

    fn millisecond(&self) -> i64 {
        let moment = read_moment(&self.0[..MOMENT_LEN]).expect("a UID begins with a moment");
        TimeZone::UTC.to_timestamp(moment).map_or(i64::MAX - 1, Timestamp::as_millisecond)
    }
}

fn read_moment(text: &str) -> Option<DateTime> {
    let shape = text.bytes().enumerate().all(|(at, byte)| match at {
        8 => byte == b'T',
        15 => byte == b'.',
        19 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    });
    if !shape || text.len() != MOMENT_LEN {
        return None;
    }
    let number = |from: usize, to: usize| text[from..to].parse::<i16>().ok();
    let small = |from: usize, to: usize| text[from..to].parse::<i8>().ok();
    DateTime::new(
        number(0, 4)?,
        small(4, 6)?,
        small(6, 8)?,
        small(9, 11)?,
        small(11, 13)?,
        small(13, 15)?,
        i32::from(number(16, 19)?) * 1_000_000,
    )
    .ok()
}

/// What a file in the folder of decisions is known by: its UID or, for records of other tools, its name. Nothing for
/// a file that records no decision.
pub fn record_id(file_name: &str) -> Option<String> {
    let stem = file_name.strip_suffix(".md").filter(|stem| !stem.eq_ignore_ascii_case("readme"))?;
    Some(Uid::of_file_name(file_name).map_or_else(|| stem.to_owned(), |uid| uid.0))
}

/// The decorative part of a file name: ASCII letters, digits and `_`.
pub fn slug(title: &str) -> String {
    let mut out = String::new();
    for ch in title.chars().flat_map(char::to_lowercase) {
        match ch {
            ' ' => out.push('_'),
            'a'..='z' | '0'..='9' | '_' => out.push(ch),
            _ => {}
        }
    }
    out.truncate(MAX_SLUG_BYTES);
    if out.is_empty() { "untitled".to_owned() } else { out }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Uid {
    type Err = NoUid;
    fn from_str(text: &str) -> Result<Self, NoUid> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Uid {
    type Error = NoUid;
    fn try_from(text: String) -> Result<Self, NoUid> {
        Self::parse(&text)
    }
}

impl From<Uid> for String {
    fn from(uid: Uid) -> Self {
        uid.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_grammar_is_the_documented_one() {
        for good in ["20250108T143512.237Z-A001", "20250108T143512.237Z-ffff", "20250108T143512.237Z"] {
            assert_eq!(Uid::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "20250108T143512.237Z-T001",
            "20250108T143512.237Z-A01",
            "20250108T143512.237Z-A0011",
            "20250108T143512.237Z_A001",
            "20251308T143512.237Z-A001",
            "20250230T143512.237Z-A001",
            "2025-01-08T14:35:12.237Z",
            "２0250108T143512.237Z",
            "20250108T143512.237Z-é1",
        ] {
            assert!(Uid::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_new_uid_shows_the_moment_in_milliseconds() {
        let uid = Uid::mint(at("2025-01-08T14:35:12.2379Z"), 0xA001, None).unwrap();
        assert_eq!(uid.as_str(), "20250108T143512.237Z-A001");
        assert_eq!(
            Uid::mint(at("0033-01-08T00:00:00Z"), 1, None).unwrap().as_str(),
            "19700101T000000.000Z-0001"
        );
    }

    #[test]
    fn a_clock_that_stands_still_or_runs_backwards_does_not_repeat_a_uid() {
        let first = Uid::mint(at("2025-01-08T14:35:12.999Z"), 0xFFFF, None).unwrap();
        let second = Uid::mint(at("2025-01-08T14:35:12.999Z"), 0, Some(&first)).unwrap();
        assert_eq!(second.as_str(), "20250108T143513.000Z-0000");
        let third = Uid::mint(at("2001-01-01T00:00:00Z"), 0, Some(&second)).unwrap();
        assert!(third > second);
        let last = Uid::parse("99991231T235959.999Z").unwrap();
        assert_eq!(Uid::mint(at("2025-01-08T14:35:12Z"), 0, Some(&last)), None);
    }

    #[test]
    fn file_names_carry_the_uid_and_a_decoration() {
        let uid = Uid::parse("20250108T143512.237Z-A001").unwrap();
        let name = uid.file_name("Authentication: Strategy = OAuth");
        assert_eq!(name, "20250108T143512.237Z-A001_authentication_strategy__oauth.md");
        assert_eq!(Uid::of_file_name(&name), Some(uid.clone()));
        assert_eq!(Uid::of_file_name("20250108T143512.237Z-A001.md"), Some(uid.clone()));
        assert_eq!(uid.file_name("日本語"), "20250108T143512.237Z-A001_untitled.md");
        for foreign in ["0001-one-journal.md", "README.md", "20250108T143512.237Z-A001_x.txt", ".md"] {
            assert_eq!(Uid::of_file_name(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn slugs_are_cut_at_fifty() {
        assert_eq!(slug(&"Ab ".repeat(40)).len(), 50);
        assert_eq!(slug("Ünï codé"), "n_cod");
    }

    #[test]
    fn a_name_of_days_to_come_is_passed_over_and_one_of_today_is_not() {
        let now = at("2026-11-18T13:11:40Z");
        let uid = |text: &str| Uid::parse(text).unwrap();
        let (today, last) = (uid("20261118T140000.000Z-0001"), uid("99991231T235959.999Z-FFFF"));
        assert!(last.is_ahead(now) && uid("20261119T131140.001Z").is_ahead(now));
        assert!(!today.is_ahead(now) && !uid("20261119T131140.000Z").is_ahead(now));
        let minted = |known: &[&Uid]| Uid::mint_among(now, 7, known).unwrap();
        assert_eq!(minted(&[&last]).as_str(), "20261118T131140.000Z-0007");
        assert_eq!(minted(&[&today, &last]).as_str(), "20261118T140000.001Z-0007");
        // The one that would come next is a name of days to come.
        let edge = [uid("20261119T131140.000Z-0007"), uid("20261119T131140.001Z-0007")];
        assert_eq!(minted(&edge.each_ref()).as_str(), "20261119T131140.002Z-0007");
    }

    proptest! {
        /// Whatever names somebody has made up: there is a new one, it is not far ahead, and it sorts behind what clocks gave.
        #[test]
        fn made_up_names_use_up_no_others(
            seconds in 0i64..10_000_000_000,
            chance in any::<u16>(),
            known in prop::collection::vec((-100_000_000i64..1_000_000_000_000, any::<u16>()), 0..20),
        ) {
            let now = Timestamp::from_second(seconds).unwrap();
            let mut names: Vec<Uid> = known.iter().filter_map(|(millis, chance)| {
                Uid::mint(Timestamp::from_millisecond(seconds * 1_000 + millis).ok()?, *chance, None)
            }).collect();
            names.push(Uid::parse("99991231T235959.999Z-FFFF").unwrap());
            let uid = Uid::mint_among(now, chance, &names.iter().collect::<Vec<_>>()).unwrap();
            prop_assert!(!names.contains(&uid));
            prop_assert!(names.iter().filter(|one| !one.is_ahead(now)).all(|one| *one < uid));
            prop_assert!(uid.millisecond() <= (seconds + 86_400) * 1_000 + 1 + 20);
        }

        #[test]
        fn minting_is_strictly_increasing(times in proptest::collection::vec((0i64..4_000_000_000_000, any::<u16>()), 1..20)) {
            let mut last: Option<Uid> = None;
            for (millis, chance) in times {
                let next = Uid::mint(Timestamp::from_millisecond(millis).unwrap(), chance, last.as_ref()).unwrap();
                prop_assert!(last.as_ref().is_none_or(|last| *last < next));
                prop_assert_eq!(Uid::parse(next.as_str()).unwrap(), next.clone());
                last = Some(next);
            }
        }
    }

    #[test]
    fn records_of_other_tools_are_known_by_their_file_and_a_readme_records_nothing() {
        for (name, id) in [
            ("20250108T143512.237Z-A001_use_redis.md", Some("20250108T143512.237Z-A001")),
            ("0001-use-redis.md", Some("0001-use-redis")),
            ("README.md", None),
            ("readme.md", None),
            ("template.txt", None),
        ] {
            assert_eq!(record_id(name).as_deref(), id, "{name}");
        }
    }
}
