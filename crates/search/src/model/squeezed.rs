//! Reads numbers of four bits that were squeezed when this library was built (`build/squeeze.rs`).

#[path = "../../build/squeeze.rs"]
#[cfg_attr(not(test), expect(dead_code, reason = "what squeezes runs while building"))]
mod squeeze;

use self::squeeze::{LONGEST, codes};

/// What the next bits say: up to four numbers, how many, and how many bits they take.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    numbers: u16,
    count: u8,
    bits: u8,
}

/// The bytes as they were; `None` where these are no such bytes.
pub(super) fn expand(squeezed: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = number(squeezed)?;
    let (lengths, rest) = rest.split_first_chunk::<16>()?;
    let (count, mut rest) = number(rest)?;
    let table = table(&lengths.map(usize::from))?;
    let part = length.div_ceil(count.max(1)).max(1);
    let mut sizes = Vec::with_capacity(count.min(rest.len()));
    for _ in 0..count {
        let (size, after) = number(rest)?;
        sizes.push(size);
        rest = after;
    }
    let mut streams = Vec::with_capacity(sizes.len());
    for (at, size) in sizes.into_iter().enumerate() {
        let (stream, after) = rest.split_at_checked(size)?;
        streams.push((stream, part.min(length.checked_sub(at * part)?)));
        rest = after;
    }
    let read = |streams: &[(&[u8], usize)]| -> Vec<u8> {
        streams.iter().flat_map(|(stream, length)| read(stream, *length, &table)).collect()
    };
    let bytes = hewto_parallel::map_chunks(&streams, read).concat();
    (rest.is_empty() && bytes.len() == length).then_some(bytes)
}

/// So many bytes of a stream. One that is too short is read as if nothing but zeros came after it.
fn read(stream: &[u8], length: usize, table: &[Told]) -> Vec<u8> {
    let mut out = Vec::with_capacity(length + 8);
    let (mut bits, mut held, mut at) = (0_u64, 0_usize, 0);
    let (mut numbers, mut waiting) = (0_u64, 0_usize);
    while out.len() < length {
        if held < 32 {
            let next = stream.get(at..).and_then(<[u8]>::first_chunk::<4>);
            let next = next.copied().unwrap_or_else(|| {
                let mut last = [0; 4];
                let rest = stream.get(at..).unwrap_or_default();
                last[..rest.len()].copy_from_slice(rest);
                last
            });
            bits = bits << 32 | u64::from(u32::from_be_bytes(next));
            held += 32;
            at += 4;
        }
        let next = bits >> (held - LONGEST) & ((1 << LONGEST) - 1);
        let told = usize::try_from(next).map_or_else(|_| Told::default(), |next| table[next]);
        held -= usize::from(told.bits);
        numbers = numbers << (4 * usize::from(told.count)) | u64::from(told.numbers);
        waiting += usize::from(told.count);
        if waiting >= 8 {
            waiting -= 8;
            #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
            out.extend(((numbers >> (4 * waiting)) as u32).to_be_bytes());
        } else if out.len() + waiting / 2 >= length {
            #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
            out.extend(((numbers << (4 * (8 - waiting))) as u32).to_be_bytes());
        }
    }
    out.truncate(length);
    out
}

/// What each run of bits says; `None` where these are no lengths of codes.
fn table(lengths: &[usize; 16]) -> Option<Vec<Told>> {
    let is_code = |length: &usize| (1..=LONGEST).contains(length);
    let filled: usize =
        lengths.iter().filter(|length| is_code(length)).map(|length| 1 << (LONGEST - length)).sum();
    (lengths.iter().all(is_code) && filled == 1 << LONGEST).then_some(())?;
    let codes = codes(lengths);
    let mut first = vec![(0_u16, 0_usize); 1 << LONGEST];
    for (number, (code, length)) in (0_u16..).zip(codes.iter().zip(lengths)) {
        let spread = LONGEST - length;
        first.get_mut((*code as usize) << spread..(*code as usize + 1) << spread)?.fill((number, *length));
    }
    let told = |bits: usize| {
        let (mut told, mut taken) = (Told::default(), 0);
        for _ in 0..4 {
            let (number, length) = first[(bits << taken) % (1 << LONGEST)];
            if taken + length > LONGEST {
                break;
            }
            taken += length;
            told.numbers = told.numbers << 4 | number;
            told.count += 1;
        }
        Told { bits: u8::try_from(taken).unwrap_or(0), ..told }
    };
    Some((0..1 << LONGEST).map(told).collect())
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*head)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::squeeze::squeeze;
    use super::*;

    proptest! {
        #[test]
        fn what_was_squeezed_comes_out_again(
            bytes in proptest::collection::vec(any::<u8>(), 0..2_000), mask in any::<u8>(), rare in 0_usize..2_000,
        ) {
            let bytes: Vec<u8> = bytes.iter().enumerate().map(|(at, byte)| if at == rare { *byte } else { byte & mask }).collect();
            prop_assert_eq!(expand(&squeeze(&bytes)), Some(bytes));
        }

        #[test]
        fn bytes_of_somebody_else_end_in_nothing_worse_than_nothing(bytes in proptest::collection::vec(0_u8..16, 0..200)) {
            let _ = expand(&bytes);
        }
    }

    #[test]
    fn what_is_cut_is_nothing() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3_000).collect();
        let squeezed = squeeze(&bytes);
        for length in 0..squeezed.len() {
            assert_eq!(expand(&squeezed[..length]), None, "{length}");
        }
        let even = |skew: u8| squeeze(&bytes.iter().map(|byte| byte & skew).collect::<Vec<u8>>()).len();
        assert!(even(0x11) < even(0xff) / 2);
    }
}
