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

/// More than glibc ever takes from what threads gave back. What is smaller teaches it, once freed, to keep blocks of that size, and twice
/// as much at the end of each thread's share of memory; this is given back to the system, and only what is written takes memory.
const PASSING: usize = 33 << 20;

/// The bytes as they were; `None` where these are no such bytes.
pub(super) fn expand(squeezed: &[u8]) -> Option<Vec<u8>> {
    expand_into(0, squeezed)
}

/// The same for who needs them for a moment.
pub(super) fn expand_for_now(squeezed: &[u8]) -> Option<Vec<u8>> {
    expand_into(PASSING, squeezed)
}

fn expand_into(room: usize, squeezed: &[u8]) -> Option<Vec<u8>> {
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
    for size in sizes {
        let (stream, after) = rest.split_at_checked(size)?;
        streams.push(stream);
        rest = after;
    }
    (rest.is_empty() && streams.len() == length.div_ceil(part)).then_some(())?;
    // Each stream goes where it belongs: parts that are put together later would be as large as all of it once more.
    let mut bytes = vec![0; length.max(room)];
    bytes.truncate(length);
    read_all(&streams, &mut bytes, part, &table, hewto_parallel::cores());
    Some(bytes)
}

/// Each stream into a part of so many bytes, on so many threads.
fn read_all(streams: &[&[u8]], out: &mut [u8], part: usize, table: &[Told], threads: usize) {
    if threads < 2 || streams.len() < 2 {
        for (stream, out) in streams.iter().zip(out.chunks_mut(part)) {
            read(stream, out, table);
        }
        return;
    }
    let (streams, others) = streams.split_at(streams.len().div_ceil(2));
    let (out, rest) = out.split_at_mut(streams.len() * part);
    hewto_parallel::join(
        || read_all(streams, out, part, table, threads.div_ceil(2)),
        || read_all(others, rest, part, table, threads / 2),
    );
}

/// As many bytes of a stream as there is room for.
fn read(stream: &[u8], out: &mut [u8], table: &[Told]) {
    let mut stream = Stream { rest: stream, bits: 0, held: 0, numbers: 0, waiting: 0 };
    let mut fours = out.chunks_exact_mut(4);
    for four in &mut fours {
        #[expect(clippy::cast_possible_truncation, reason = "eight numbers of four bits")]
        four.copy_from_slice(&(stream.take(8, table) as u32).to_be_bytes());
    }
    for byte in fours.into_remainder() {
        *byte = (stream.take(2, table) & 0xff) as u8;
    }
}

/// A stream on its way into bytes. One that is too short is read as if nothing but zeros came after it.
struct Stream<'s> {
    rest: &'s [u8],
    /// The last bits that were read, and how many of them nobody has looked at.
    bits: u64,
    held: usize,
    /// The last numbers that they told, and how many of them nobody has taken.
    numbers: u64,
    waiting: usize,
}

impl Stream<'_> {
    /// The next numbers, eight at most, the last of them lowest; above them stand those before.
    fn take(&mut self, count: usize, table: &[Told]) -> u64 {
        while self.waiting < count {
            if self.held < 32 {
                self.read();
            }
            let next = self.bits >> (self.held - LONGEST) & ((1 << LONGEST) - 1);
            let told = usize::try_from(next).map_or_else(|_| Told::default(), |next| table[next]);
            self.held -= usize::from(told.bits);
            self.numbers = self.numbers << (4 * usize::from(told.count)) | u64::from(told.numbers);
            self.waiting += usize::from(told.count);
        }
        self.waiting -= count;
        self.numbers >> (4 * self.waiting)
    }

    fn read(&mut self) {
        let next = self.rest.first_chunk::<4>().copied().unwrap_or_else(|| {
            let mut last = [0; 4];
            last[..self.rest.len()].copy_from_slice(self.rest);
            last
        });
        self.rest = self.rest.get(4..).unwrap_or_default();
        self.bits = self.bits << 32 | u64::from(u32::from_be_bytes(next));
        self.held += 32;
    }
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
            let squeezed = squeeze(&bytes);
            prop_assert_eq!(expand_for_now(&squeezed), expand(&squeezed));
            prop_assert_eq!(expand(&squeezed), Some(bytes));
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
