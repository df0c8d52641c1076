//! A checksum for records of a cache.

/// FNV-1a over words of eight bytes: fast enough to check 40 MB at every start, and all that a torn write needs.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(PRIME);
        hash ^= hash >> 29;
    };
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        mix(word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word)));
    }
    for byte in words.remainder() {
        mix(u64::from(*byte));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the low half of a hash is a hash")]
    let sum = (hash ^ (hash >> 32)) as u32;
    sum
}
