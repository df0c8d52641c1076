//! Secrets that no name announces, known by the form they are written in: numbers of cards, lines of password files, hashes
//! of passwords.

use std::ops::Range;

/// How many digits the number of a card has.
const CARD_DIGITS: std::ops::RangeInclusive<usize> = 14..=19;
/// How hashes of passwords begin, as `crypt` and `htpasswd` write them.
pub(super) const HASHES: [&str; 10] =
    ["$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$apr1$", "$argon2"];
/// What stands before the password of a line of `.netrc`.
pub(super) const LOGIN: &str = "login ";

/// `4111 1111 1111 1111`: digits with the sum of a card's, at most one blank or dash between two of them.
pub(super) fn cards(text: &str) -> Vec<Range<usize>> {
    numbers(text.as_bytes())
        .filter(|span| {
            let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
            let bytes = text.as_bytes();
            !is_word(span.start.checked_sub(1).and_then(|at| bytes.get(at)))
                && !is_word(bytes.get(span.end))
                && is_card(&bytes[span.clone()])
        })
        .collect()
}

/// Whether there may be one, whatever stands beside it.
pub(super) fn may_hold_card(text: &[u8]) -> bool {
    numbers(text).any(|span| CARD_DIGITS.contains(&digits(&text[span]).count()))
}

/// Whether these digits, and what stands between them, are the number of a card.
pub(in crate::audit) fn is_card(number: &[u8]) -> bool {
    let digits: Vec<u32> = digits(number).collect();
    let begins = |count: usize| digits.iter().take(count).fold(0, |number, digit| number * 10 + digit);
    let is_known = match digits.len() {
        14 => matches!(begins(2), 36 | 38 | 39) || matches!(begins(3), 300..=305),
        15 => matches!(begins(2), 34 | 37),
        16 => {
            matches!(begins(1), 4 | 6)
                || matches!(begins(2), 51..=55)
                || matches!(begins(4), 2221..=2720 | 3528..=3589)
        }
        17..=19 => matches!(begins(1), 4 | 6),
        _ => false,
    };
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    is_known && sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

fn digits(number: &[u8]) -> impl Iterator<Item = u32> + '_ {
    number.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'))
}

/// Runs of digits with at most one blank or dash between two of them.
fn numbers(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.iter().position(u8::is_ascii_digit)?;
        let mut end = start;
        while is_digit(end) || (end > start && b" -".contains(text.get(end)?) && is_digit(end + 1)) {
            end += 1;
            if end == text.len() {
                break;
            }
        }
        at = end;
        Some(start..end)
    })
}

/// `host:5432:database:user:password`, as `.pgpass` has it.
pub(super) fn in_password_files(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for word in text.split(|ch: char| ch.is_whitespace() || "\"'`,;".contains(ch)) {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        let fields: Vec<&str> = fields(word);
        let [host, port, database, user, password] = fields[..] else { continue };
        let is_port =
            port == "*" || (!port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit()));
        let is_number = |field: &str| field.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_address = is_number(database) && is_number(user) && is_number(password);
        if is_port
            && !host.is_empty()
            && !database.is_empty()
            && !user.is_empty()
            && !password.is_empty()
            && !is_address
        {
            spans.push(start + word.len() - password.len()..start + word.len());
        }
    }
    spans
}

/// The fields between colons that no backslash takes back.
fn fields(word: &str) -> Vec<&str> {
    let (mut fields, mut from) = (Vec::new(), 0);
    let bytes = word.as_bytes();
    for (at, _) in word.match_indices(':') {
        let escapes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if escapes % 2 == 0 {
            fields.push(&word[from..at]);
            from = at + 1;
        }
    }
    fields.push(&word[from..]);
    fields
}

/// Whether four colons may stand in one word.
pub(super) fn may_hold_password_file(text: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`,;".contains(byte);
    let (mut colons, mut from) = (0, 0);
    memchr::memchr_iter(b':', text).any(|at| {
        colons = if text[from..at].iter().any(is_end) { 1 } else { colons + 1 };
        from = at + 1;
        colons == 4
    })
}

/// `$2b$12$…`, and `login bob password …` of a `.netrc`.
pub(super) fn hashes_and_logins(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for mark in HASHES {
        for (at, _) in text.match_indices(mark) {
            let hash = super::run(text, at, |ch| ch.is_ascii_alphanumeric() || "$./=,+_-".contains(ch));
            if hash.len() >= 20 {
                spans.push(hash);
            }
        }
    }
    for (at, _) in text.match_indices(LOGIN) {
        let mut words = text[at + LOGIN.len()..].split_ascii_whitespace();
        let (Some(_), Some("password"), Some(password)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let start = password.as_ptr().addr() - text.as_ptr().addr();
        spans.push(start..start + password.len());
    }
    spans
}
