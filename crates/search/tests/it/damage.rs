//! What others did to the files of an index: it is made right again, and nothing else is touched.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hewto_search::{Index, IndexPlace, Query};
use tempfile::tempdir;

use crate::stand_in::{StandIn, fill, found, spec};

fn model() -> Arc<StandIn> {
    Arc::new(StandIn { near: Some(0.5), ..StandIn::default() })
}

/// An index whose entries have tokens.
fn filled(folder: &Path) {
    let index = Index::open(folder, Some(model())).unwrap();
    fill(&index, vec![spec("a", &[("One", "parcels are returned precisely"), ("Two", "parcels are sent")])]);
}

fn scores(index: &Index) -> Vec<(String, f32)> {
    let answer = index.search(&Query { threshold: Some(0.0), ..Query::new("parcels") }).unwrap();
    answer.hits.iter().map(|hit| (format!("{:?}", hit.requirement), hit.score)).collect()
}

fn tokens(folder: &Path) -> PathBuf {
    let files = fs_err::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|end| end == "tokens")).unwrap()
}

#[test]
fn tokens_that_are_cut_emptied_or_overwritten_are_made_again() {
    type Damage = fn(&Path, &[u8]);
    let damages: [(&str, Damage); 6] = [
        ("cut", |path, whole| fs_err::write(path, &whole[..whole.len() / 2]).unwrap()),
        ("emptied", |path, _| fs_err::write(path, "").unwrap()),
        ("overwritten", |path, whole| fs_err::write(path, vec![0x5a; whole.len()]).unwrap()),
        ("a byte off", |path, whole| fs_err::write(path, &whole[1..]).unwrap()),
        ("a folder", |path, _| {
            fs_err::remove_file(path).unwrap();
            fs_err::create_dir(path).unwrap();
        }),
        ("gone", |path, _| fs_err::remove_file(path).unwrap()),
    ];
    for (name, damage) in damages {
        let folder = tempdir().unwrap();
        filled(folder.path());
        let right = scores(&Index::open(folder.path(), Some(model())).unwrap());
        let path = tokens(folder.path());
        let open_all_the_time = Index::open(folder.path(), Some(model())).unwrap();
        damage(&path, &fs_err::read(&path).unwrap());
        let model = model();
        let index = Index::open(folder.path(), Some(Arc::clone(&model) as _)).unwrap();
        index.embed_all(|_| true).unwrap();
        assert!(model.embedded.load(Ordering::Relaxed) > 0, "{name}");
        assert_eq!(scores(&index), right, "{name}");
        assert_eq!(scores(&open_all_the_time), right, "{name}: mended by another process");
        drop(index);
        assert_eq!(scores(&Index::open(folder.path(), Some(self::model())).unwrap()), right, "{name}");
    }
}

#[test]
fn nothing_is_written_through_a_link_in_the_place_of_a_file() {
    for end in ["tokens", "bin"] {
        let (folder, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
        filled(folder.path());
        let victim = elsewhere.path().join("victim");
        let of_end = |path: &PathBuf| path.extension().is_some_and(|found| found == end);
        let files = fs_err::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let path = files.into_iter().find(of_end).unwrap();
        // What it leads to is what was there, so that it would be taken for it.
        fs_err::rename(&path, &victim).unwrap();
        symlink(&victim, &path).unwrap();
        let before = fs_err::read(&victim).unwrap();
        let index = Index::open(folder.path(), Some(model())).unwrap();
        fill(&index, vec![spec("b", &[("Three", "letters are kept")])]);
        assert_eq!(found(&index, "letters")[0], "b/Three");
        assert_eq!(fs_err::read(&victim).unwrap(), before, "{end}");
    }
}

#[test]
fn only_what_an_index_consists_of_is_cleared() {
    let folder = tempdir().unwrap();
    filled(folder.path());
    let kept =
        ["words-of-love/poem.txt", "words-list.txt", "vectors-thesis.tokens", "vectors-7/x", "words-2"];
    for name in kept {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "mine").unwrap();
    }
    Index::clear(folder.path()).unwrap();
    assert!(!Index::exists(folder.path()));
    assert!(kept.iter().all(|name| folder.path().join(name).is_file()));
    let left = fs_err::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, kept.len() + 2, "the locks stay");
}

#[test]
fn a_shared_folder_that_is_deleted_under_an_open_index_is_made_again() {
    let (folder, shared) = (tempdir().unwrap(), tempdir().unwrap());
    let vectors = shared.path().join("search");
    let place = IndexPlace { vectors: Some(&vectors), ..IndexPlace::new(folder.path()) };
    let index = Index::open_at(&place, Some(model())).unwrap();
    fill(&index, vec![spec("a", &[("One", "parcels are returned precisely")])]);
    let right = scores(&index);
    fs_err::remove_dir_all(&vectors).unwrap();
    index.apply(Vec::new(), &[]).unwrap();
    index.embed_all(|_| true).unwrap();
    assert_eq!(scores(&index), right);
    assert!(vectors.is_dir());
}

#[test]
fn an_index_whose_words_are_damaged_while_it_is_open_is_made_anew_by_the_next_edit() {
    for end in ["term", "idx", "fast", "fieldnorm"] {
        let folder = tempdir().unwrap();
        filled(folder.path());
        let index = Index::open(folder.path(), Some(model())).unwrap();
        let words = fs_err::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let words = words.into_iter().find(|path| path.is_dir()).unwrap();
        for file in fs_err::read_dir(words).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == end) {
                fs_err::write(&file, vec![0x5a; fs_err::read(&file).unwrap().len()]).unwrap();
            }
        }
        let edited =
            || [spec("a", &[("One", "parcels are burnt")]), spec("b", &[("Two", "parcels are kept")])];
        // It is made anew before the edit, or by it; then whoever edits is told and does it again.
        let first = index.apply(edited(), &[]);
        assert!(matches!(first, Ok(2) | Err(_)), "{end}: {first:?}");
        index.apply(edited(), &[]).unwrap();
        for index in [index, Index::open(folder.path(), Some(model())).unwrap()] {
            assert_eq!(scores(&index).len(), 2, "{end}");
        }
    }
}
