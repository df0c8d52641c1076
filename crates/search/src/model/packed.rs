//! Matrices in four bits, unpacked to one byte a number when a model is loaded.
//!
//! A number is `q × m` times a factor of its column, which the graph knows: `q` between -7 and 7, `m` between 1 and 16 for each 64
//! numbers of a column. The file says how many matrices there are and the rows and columns of each, then come the `q` of the
//! first and its `m`, both with two rows in one row of bytes: row `i` in the upper halves, row `i + rows / 2` in the lower ones.

/// So many numbers of a column share one `m`.
const GROUP: usize = 64;

/// All matrices one after the other; `None` where the bytes are not such matrices.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (count, mut rest) = number(packed)?;
    let mut sizes = Vec::with_capacity(count.min(packed.len()));
    for _ in 0..count {
        let (rows, after) = number(rest)?;
        let (columns, after) = number(after)?;
        (rows % (2 * GROUP) == 0 && columns > 0).then_some(())?;
        sizes.push((rows, columns));
        rest = after;
    }
    let all: usize = sizes.iter().map(|(rows, columns)| rows * columns).sum();
    let mut unpacked = Vec::with_capacity(all.min(2 * packed.len()));
    for (rows, columns) in sizes {
        let (numbers, after) = rest.split_at_checked(rows / 2 * columns)?;
        let (steps, after) = after.split_at_checked(rows / GROUP / 2 * columns)?;
        for half in [upper as fn(u8) -> u8, lower] {
            let groups = numbers.chunks_exact(GROUP * columns).zip(steps.chunks_exact(columns));
            for (group, steps) in groups {
                let steps: Vec<i8> = steps.iter().map(|byte| half(*byte).cast_signed() + 1).collect();
                for row in group.chunks_exact(columns) {
                    let number =
                        |(byte, step): (&u8, &i8)| (half(*byte).cast_signed() - 8).wrapping_mul(*step);
                    unpacked.extend(row.iter().zip(&steps).map(number).map(i8::cast_unsigned));
                }
            }
        }
        rest = after;
    }
    rest.is_empty().then_some(unpacked)
}

fn upper(byte: u8) -> u8 {
    byte >> 4
}

fn lower(byte: u8) -> u8 {
    byte & 15
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*head)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One matrix of 128 rows and 2 columns: `q` counts up and down, `m` is 1 and 16 above, 2 and 3 below.
    fn packed() -> Vec<u8> {
        let mut bytes: Vec<u8> = [1_u32, 128, 2].iter().flat_map(|number| number.to_le_bytes()).collect();
        for row in 0..64_u8 {
            let q = |number: u8| 1 + number % 15;
            bytes.extend([q(row) << 4 | q(row + 1), q(row + 2) << 4 | q(row + 3)]);
        }
        bytes.extend([0x01, 0xf2]);
        bytes
    }

    #[test]
    fn a_number_is_what_its_half_says_times_the_step_of_its_group() {
        let unpacked: Vec<i8> = unpack(&packed()).unwrap().into_iter().map(u8::cast_signed).collect();
        assert_eq!(unpacked.len(), 256);
        assert_eq!(unpacked[..4], [-7, -5 * 16, -6, -4 * 16]);
        assert_eq!(unpacked[128..132], [-6 * 2, -4 * 3, -5 * 2, -3 * 3]);
    }

    #[test]
    fn bytes_that_are_cut_or_too_many_are_no_matrices() {
        let whole = packed();
        for length in 0..whole.len() {
            assert_eq!(unpack(&whole[..length]), None, "{length}");
        }
        assert_eq!(unpack(&[whole, vec![0]].concat()), None);
        assert_eq!(unpack(&[0xff; 64]), None);
    }
}
