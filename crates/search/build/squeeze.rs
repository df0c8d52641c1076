//! Writes numbers of four bits so that frequent ones take fewer: what the model's own four bits leave unused, a tenth and more.
//!
//! The code is Huffman's. First come the number of bytes, the lengths of the sixteen codes, how many streams there are and how long each
//! is; then the streams, each of which can be read by itself. The upper half of a byte stands before the lower one.

/// No code is longer, so that one look at so many bits tells at least one number.
pub(crate) const LONGEST: usize = 12;
/// So many streams, for as many threads at most.
const STREAMS: usize = 8;

pub(crate) fn squeeze(bytes: &[u8]) -> Vec<u8> {
    let lengths = code_lengths(bytes);
    let codes = codes(&lengths);
    let streams: Vec<Vec<u8>> = bytes
        .chunks(bytes.len().div_ceil(STREAMS).max(1))
        .map(|part| stream(part, &lengths, &codes))
        .collect();
    let number = |number: usize| u32::try_from(number).expect("a model has less than 4 GB").to_le_bytes();
    let mut out = number(bytes.len()).to_vec();
    out.extend(lengths.map(|length| u8::try_from(length).expect("codes are short")));
    out.extend(number(streams.len()));
    out.extend(streams.iter().flat_map(|stream| number(stream.len())));
    out.extend(streams.concat());
    out
}

/// The codes that belong to these lengths: those of one length count up, and shorter ones come first.
pub(crate) fn codes(lengths: &[usize; 16]) -> [u32; 16] {
    let mut codes = [0; 16];
    let mut next = 0;
    for length in 1..=LONGEST {
        for number in (0..16).filter(|number| lengths[*number] == length) {
            codes[number] = next;
            next += 1;
        }
        next <<= 1;
    }
    codes
}

fn code_lengths(bytes: &[u8]) -> [usize; 16] {
    let mut counts = [0_u64; 16];
    for byte in bytes {
        counts[usize::from(byte >> 4)] += 1;
        counts[usize::from(byte & 15)] += 1;
    }
    loop {
        let lengths = depths(&counts);
        if lengths.iter().all(|length| *length <= LONGEST) {
            return lengths;
        }
        // Closer to each other, so that none gets a code that is too long.
        counts = counts.map(|count| count.div_ceil(2));
    }
}

/// How deep each number lies in Huffman's tree. Each has a place there, seen or not.
fn depths(counts: &[u64; 16]) -> [usize; 16] {
    let mut trees: Vec<(u64, Vec<usize>)> =
        counts.iter().enumerate().map(|(number, count)| (*count.max(&1), vec![number])).collect();
    let mut depths = [0; 16];
    while trees.len() > 1 {
        trees.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let (Some(last), Some(before)) = (trees.pop(), trees.pop()) else { break };
        let numbers = [last.1, before.1].concat();
        for number in &numbers {
            depths[*number] += 1;
        }
        trees.push((last.0 + before.0, numbers));
    }
    depths
}

fn stream(part: &[u8], lengths: &[usize; 16], codes: &[u32; 16]) -> Vec<u8> {
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u64, 0);
    for number in part.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(usize::from) {
        bits = bits << lengths[number] | u64::from(codes[number]);
        held += lengths[number];
        while held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xff) as u8);
        }
    }
    if held > 0 {
        out.push((bits << (8 - held) & 0xff) as u8);
    }
    out
}
