use super::*;
use crate::model::{Embedding, ModelError};

/// A model that embeds nothing: only its name and its lengths count here.
#[derive(Debug)]
struct Named {
    seed: u8,
    dimensions: usize,
    has_tokens: bool,
}

impl Embedder for Named {
    fn identity(&self) -> Identity {
        Identity([self.seed; 32])
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        Ok(Vec::new())
    }

    fn has_tokens(&self) -> bool {
        self.has_tokens
    }
}

fn plain() -> Named {
    Named { seed: 7, dimensions: 4, has_tokens: false }
}

fn with_tokens() -> Named {
    Named { has_tokens: true, ..plain() }
}

fn three(folder: &Path, model: &Named) -> (VectorFile, Vectors) {
    let mut file = VectorFile::new(folder, model);
    let mut vectors = Vectors::new(4);
    file.append(&[made(1), made(2)]).unwrap();
    file.refresh(&mut vectors).unwrap();
    file.append(&[made(3)]).unwrap();
    assert_eq!(file.refresh(&mut vectors).unwrap(), News::More);
    (file, vectors)
}

fn made(seed: u8) -> Made {
    let signed = seed.cast_signed();
    let vector = Quantized { factor: f32::from(seed), values: vec![signed, -signed, 0, 1] };
    Made { key: u64::from(seed), vector, tokens: vec![seed; 5] }
}

fn keys(folder: &Path, model: &Named) -> Vec<u64> {
    let mut vectors = Vectors::new(model.dimensions);
    VectorFile::new(folder, model).refresh(&mut vectors).unwrap();
    vectors.iter().map(|row| row.key).collect()
}

/// The keys whose tokens can be read too.
fn with_their_tokens(folder: &Path, model: &Named) -> Vec<u64> {
    let (mut file, mut vectors) = (VectorFile::new(folder, model), Vectors::new(4));
    file.refresh(&mut vectors).unwrap();
    let tokens = file.tokens();
    let own = |key: u64| vec![u8::try_from(key).unwrap(); 5];
    vectors.iter().filter(|row| tokens.read(row.tokens) == Some(own(row.key))).map(|row| row.key).collect()
}

fn token_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs_err::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.to_string_lossy().ends_with(TOKENS)).collect()
}

#[test]
fn what_was_appended_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, mut vectors) = three(folder.path(), &plain());
    assert_eq!(file.refresh(&mut vectors).unwrap(), News::Nothing);
    let last = vectors.iter().last().unwrap();
    assert_eq!((last.key, last.values), (3, &[3_i8, -3, 0, 1][..]));
    assert_eq!(keys(folder.path(), &plain()), [1, 2, 3]);
    assert!(token_files(folder.path()).is_empty());
}

#[test]
fn tokens_lie_in_one_file_beside_their_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let (file, vectors) = three(folder.path(), &with_tokens());
    assert_eq!(with_their_tokens(folder.path(), &with_tokens()), [1, 2, 3]);
    let tokens = file.tokens();
    let rest: Vec<_> = vectors.iter().skip(1).collect();
    file.replace(rest.iter().map(|row| (row.key, row.factor, row.values, tokens.read(row.tokens).unwrap())))
        .unwrap();
    assert_eq!(with_their_tokens(folder.path(), &with_tokens()), [2, 3]);
    assert_eq!(token_files(folder.path()).len(), 1);
    assert_eq!(tokens.read(rest[0].tokens), Some(vec![2; 5]), "whoever had the old one open reads on");
}

#[test]
fn vectors_whose_tokens_were_removed_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    three(folder.path(), &with_tokens());
    fs_err::remove_file(&token_files(folder.path())[0]).unwrap();
    assert!(keys(folder.path(), &with_tokens()).is_empty());
    let (mut file, mut vectors) = (VectorFile::new(folder.path(), &with_tokens()), Vectors::new(4));
    file.refresh(&mut vectors).unwrap();
    file.append(&[made(9)]).unwrap();
    assert_eq!(with_their_tokens(folder.path(), &with_tokens()), [9]);
}

#[test]
fn tokens_that_were_cut_cost_themselves_and_new_ones_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    three(folder.path(), &with_tokens());
    let path = token_files(folder.path()).remove(0);
    let bytes = fs_err::read(&path).unwrap();
    for length in 0..bytes.len() {
        let copy = tempfile::tempdir().unwrap();
        for file in fs_err::read_dir(folder.path()).unwrap() {
            let from = file.unwrap().path();
            fs_err::copy(&from, copy.path().join(from.file_name().unwrap())).unwrap();
        }
        fs_err::write(copy.path().join(path.file_name().unwrap()), &bytes[..length]).unwrap();
        let whole: Vec<u64> = [1, 2, 3].into_iter().take(length / 9).collect();
        assert_eq!(with_their_tokens(copy.path(), &with_tokens()), whole, "cut at {length}");
        let (mut file, mut vectors) = (VectorFile::new(copy.path(), &with_tokens()), Vectors::new(4));
        file.refresh(&mut vectors).unwrap();
        file.append(&[made(9)]).unwrap();
        assert_eq!(with_their_tokens(copy.path(), &with_tokens()).last(), Some(&9), "cut at {length}");
    }
}

#[test]
fn cut_at_any_byte_it_gives_the_whole_records_and_takes_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = three(folder.path(), &plain());
    let bytes = fs_err::read(&file.path).unwrap();
    for length in 0..bytes.len() {
        fs_err::write(&file.path, &bytes[..length]).unwrap();
        let whole = length.saturating_sub(HEADER) / file.record();
        assert_eq!(keys(folder.path(), &plain()).len(), whole, "cut at {length}");
        let mut again = VectorFile::new(folder.path(), &plain());
        again.append(&[made(9)]).unwrap();
        let found = keys(folder.path(), &plain());
        assert_eq!(found.last(), Some(&9), "cut at {length}");
        assert_eq!(found.len(), whole + 1, "cut at {length}");
    }
}

#[test]
fn a_flipped_bit_costs_one_vector_or_in_the_header_all() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = three(folder.path(), &plain());
    let bytes = fs_err::read(&file.path).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs_err::write(&file.path, &damaged).unwrap();
        let expected = if at < HEADER { 0 } else { 2 };
        assert_eq!(keys(folder.path(), &plain()).len(), expected, "flipped at {at}");
    }
}

#[test]
fn another_model_or_length_sees_nothing_and_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = three(folder.path(), &plain());
    let (stranger, longer) = (Named { seed: 8, ..plain() }, Named { dimensions: 5, ..plain() });
    assert!(keys(folder.path(), &stranger).is_empty());
    assert!(keys(folder.path(), &longer).is_empty());
    let mut other = VectorFile::new(folder.path(), &longer);
    other.append(&[Made { vector: Quantized { factor: 1.0, values: vec![0; 5] }, ..made(4) }]).unwrap();
    assert_eq!(keys(folder.path(), &longer), [4]);
    assert!(keys(folder.path(), &plain()).is_empty());
    assert_eq!(&file.path, &other.path);
}

#[test]
fn a_reader_notices_that_the_file_was_written_anew_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, mut vectors) = three(folder.path(), &plain());
    let writer = VectorFile::new(folder.path(), &plain());
    writer.replace([(5, 1.0, &[1_i8, 1, 1, 1][..], Vec::new())].into_iter()).unwrap();
    assert_eq!(file.refresh(&mut vectors).unwrap(), News::Others);
    assert_eq!(vectors.iter().map(|row| row.key).collect::<Vec<_>>(), [5]);
    fs_err::remove_file(&file.path).unwrap();
    assert_eq!(file.refresh(&mut vectors).unwrap(), News::Others);
    assert_eq!(vectors.len(), 0);
    assert_eq!(file.refresh(&mut vectors).unwrap(), News::Nothing);
}
