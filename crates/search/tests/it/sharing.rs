use std::sync::Arc;
use std::time::Duration;

use hewto_search::{
    Embedder, Embedding, Identity, Index, IndexPlace, Leftover, ModelError, Query, Question, SearchError,
    best_of,
};
use tempfile::tempdir;

use crate::stand_in::{StandIn, fill, found, key, open, spec};

#[test]
fn one_handle_sees_what_another_wrote() {
    let folder = tempdir().unwrap();
    let writer = open(folder.path());
    let reader = open(folder.path());
    fill(&writer, vec![spec("a", &[("One", "parcels are returned")])]);
    assert_eq!(found(&reader, "parcels are returned")[0], "a/One");
    assert_eq!(reader.search(&Query::new("parcels")).unwrap().mode, "fused");
    writer.apply([], &[key("a")]).unwrap();
    assert!(found(&reader, "parcels are returned").is_empty());
}

#[test]
fn two_builds_at_once_give_one_index() {
    let folder = tempdir().unwrap();
    let documents = || (0..60).map(|n| spec(&format!("s{n}"), &[("Only", "parcels")]));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let index = open(folder.path());
                index.apply(documents(), &[]).unwrap();
                index.embed_all(|_| true).unwrap();
            });
        }
    });
    let index = open(folder.path());
    let status = index.status().unwrap();
    assert_eq!((status.documents, status.entries), (60, 120));
    index.embed_all(|_| true).unwrap();
    assert_eq!(index.progress().unwrap().done, 120);
}

#[test]
fn readers_are_served_while_documents_come_and_go() {
    let folder = tempdir().unwrap();
    let writer = open(folder.path());
    let steady = spec("steady", &[("Here", "parcels are returned")]);
    fill(&writer, vec![steady]);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let reader = open(folder.path());
                    for _ in 0..40 {
                        assert!(found(&reader, "parcels are returned").contains(&"steady/Here".to_owned()));
                    }
                })
            })
            .collect();
        for n in 0..12 {
            writer.apply([spec(&format!("s{}", n % 3), &[("Some", &format!("text {n}"))])], &[]).unwrap();
            writer.catch_up(Duration::from_mins(1), Leftover::NextCall).unwrap();
        }
        for reader in readers {
            reader.join().unwrap();
        }
    });
}

#[test]
fn a_writer_gives_up_when_another_keeps_the_index_and_the_old_one_serves() {
    let folder = tempdir().unwrap();
    let index = {
        let place = IndexPlace { patience: Duration::ZERO, ..IndexPlace::new(folder.path()) };
        Index::open_at(&place, Some(Arc::new(StandIn::default()))).unwrap()
    };
    fill(&index, vec![spec("a", &[("One", "parcels are returned")])]);
    let held = std::fs::File::options().write(true).open(folder.path().join("lock")).unwrap();
    held.lock().unwrap();
    let refused = index.apply([spec("b", &[])], &[]).unwrap_err();
    assert!(matches!(refused, SearchError::Busy { .. }));
    assert_eq!(found(&index, "parcels are returned")[0], "a/One");
    drop(held);
    assert_eq!(index.apply([spec("b", &[])], &[]).unwrap(), 1);
}

#[test]
fn two_models_keep_apart() {
    let folder = tempdir().unwrap();
    let first = open(folder.path());
    fill(&first, vec![spec("a", &[("One", "parcels are returned")])]);
    let other = Arc::new(StandIn { seed: 9, ..StandIn::default() });
    let second = Index::open(folder.path(), Some(other)).unwrap();
    assert_eq!(second.progress().unwrap().done, 0);
    second.embed_all(|_| true).unwrap();
    assert_eq!((first.progress().unwrap().done, second.progress().unwrap().done), (2, 2));
}

/// Two work trees of a repository: each has its own words, and a text that both have is embedded once.
#[test]
fn indexes_share_the_vectors_of_the_texts_they_have_in_common() {
    let folder = tempdir().unwrap();
    let vectors = folder.path().join("git/search");
    let embedder = Arc::new(StandIn::default());
    let open = |name: &str| {
        let own = folder.path().join(name);
        let place = IndexPlace { vectors: Some(&vectors), ..IndexPlace::new(&own) };
        Index::open_at(&place, Some(embedder.clone())).unwrap()
    };
    let (main, feature) = (open("main"), open("feature"));
    fill(&main, vec![spec("a", &[("One", "parcels are returned")])]);
    let made = embedder.embedded.load(std::sync::atomic::Ordering::Relaxed);
    fill(&feature, vec![spec("a", &[("One", "parcels are returned")])]);
    assert_eq!(embedder.embedded.load(std::sync::atomic::Ordering::Relaxed), made);
    assert_eq!(feature.progress().unwrap().done, 2);
    fill(&feature, vec![spec("b", &[("Two", "only here")])]);
    assert!(!found(&main, "only here").contains(&"b/Two".to_owned()));
    let own = folder.path().join("feature");
    Index::clear_at(&IndexPlace { vectors: Some(&vectors), ..IndexPlace::new(&own) }).unwrap();
    assert_eq!(main.progress().unwrap().done, 0);
    main.embed_all(|_| true).unwrap();
    assert_eq!(found(&main, "parcels are returned")[0], "a/One");
}

/// Makes the vectors of another index that shares them while it makes its own.
#[derive(Debug)]
struct Meanwhile {
    reader: StandIn,
    other: Index,
}

impl Embedder for Meanwhile {
    fn identity(&self) -> Identity {
        self.reader.identity()
    }

    fn dimensions(&self) -> usize {
        self.reader.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        assert_eq!(self.other.catch_up(Duration::from_mins(1), Leftover::NextCall).unwrap().done, 2);
        self.reader.embed(texts)
    }
}

#[test]
fn no_index_waits_for_the_vectors_of_another_that_shares_them() {
    let folder = tempdir().unwrap();
    let vectors = folder.path().join("git/search");
    let open = |name: &str, embedder: Arc<dyn Embedder>| {
        let own = folder.path().join(name);
        Index::open_at(&IndexPlace { vectors: Some(&vectors), ..IndexPlace::new(&own) }, Some(embedder))
            .unwrap()
    };
    let other = open("feature", Arc::new(StandIn::default()));
    other.apply([spec("b", &[("Two", "only here")])], &[]).unwrap();
    let index = open("main", Arc::new(Meanwhile { reader: StandIn::default(), other }));
    fill(&index, vec![spec("a", &[("One", "parcels are returned")])]);
    assert_eq!(index.progress().unwrap().done, 2);
}

#[test]
fn a_shared_folder_that_cannot_be_written_is_done_without() {
    let folder = tempdir().unwrap();
    let vectors = folder.path().join("taken");
    fs_err::write(&vectors, "a file").unwrap();
    let own = folder.path().join("own");
    let place = IndexPlace { vectors: Some(&vectors), ..IndexPlace::new(&own) };
    let index = Index::open_at(&place, Some(Arc::new(StandIn::default()))).unwrap();
    fill(&index, vec![spec("a", &[("One", "parcels are returned")])]);
    assert_eq!(index.search(&Query::new("parcels are returned")).unwrap().mode, "fused");
}

#[test]
fn one_question_to_many_indexes_gives_the_best_of_all_in_the_order_of_each() {
    let folders: Vec<_> = (0..3).map(|_| tempdir().unwrap()).collect();
    let texts = ["parcels are returned", "parcels", "something else entirely"];
    let indexes: Vec<Index> = folders.iter().map(|folder| open(folder.path())).collect();
    for (index, text) in indexes.iter().zip(texts) {
        fill(index, vec![spec("b", &[("One", text)]), spec("a", &[("One", text)])]);
    }
    let query = Query { threshold: Some(0.0), ..Query::new("parcels are returned") };
    let question = Question::new(&query);
    let weighed = || indexes.iter().map(|index| index.weigh(&question).unwrap()).collect::<Vec<_>>();
    let mut expected: Vec<(usize, String, f32)> = Vec::new();
    for (place, index) in indexes.iter().enumerate() {
        let hits = index.search(&Query { limit: 100, ..query.clone() }).unwrap().hits;
        expected.extend(hits.into_iter().map(|hit| (place, hit.document.id, hit.score)));
    }
    expected.sort_by(|a, b| b.2.total_cmp(&a.2));
    let best = best_of(weighed(), &question, 5, |_, _| true).unwrap();
    let told: Vec<_> = best.into_iter().map(|(place, hit)| (place, hit.document.id, hit.score)).collect();
    assert_eq!(told, expected[..5]);
    let one_each = best_of(weighed(), &question, 3, {
        let mut seen = Vec::new();
        move |place, _| {
            !seen.contains(&place) && {
                seen.push(place);
                true
            }
        }
    });
    assert_eq!(one_each.unwrap().into_iter().map(|(place, _)| place).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn of_many_indexes_too_what_says_each_word_of_the_question_goes_first() {
    let folders: Vec<_> = (0..2).map(|_| tempdir().unwrap()).collect();
    let model = || Arc::new(StandIn { near: Some(0.2), ..StandIn::default() });
    let indexes: Vec<Index> =
        folders.iter().map(|folder| Index::open(folder.path(), Some(model())).unwrap()).collect();
    for (index, text) in indexes.iter().zip(["parcels are returned soon", "parcels are precisely returned"]) {
        fill(index, vec![spec("a", &[("One", text)])]);
    }
    let query = Query { threshold: Some(0.0), ..Query::new("parcels are returned") };
    let question = Question::new(&query);
    let weighed: Vec<_> = indexes.iter().map(|index| index.weigh(&question).unwrap()).collect();
    let best = best_of(weighed, &question, 2, |_, hit| hit.requirement.is_some()).unwrap();
    assert_eq!(best.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [1, 0]);
    assert!(best[0].1.score > best[1].1.score, "{best:?}");
}

#[test]
fn where_only_wholes_count_each_entry_has_one_vector() {
    let long = "parcels are returned ".repeat(80);
    let documents = || vec![spec("a", &[("One", &long)])];
    let count = |wholes_only: bool| {
        let folder = tempdir().unwrap();
        let place = IndexPlace { wholes_only, ..IndexPlace::new(folder.path()) };
        let index = Index::open_at(&place, Some(Arc::new(StandIn::default()))).unwrap();
        fill(&index, documents());
        assert_eq!(found(&index, "parcels are returned")[0], "a/One");
        let status = index.status().unwrap();
        (status.entries, status.embedded.total)
    };
    assert_eq!(count(true), (2, 2));
    assert!(count(false).1 > 2);
}

/// Beyond a number of entries vectors are made in bulk; those that the model made itself before do not count among them.
#[test]
fn how_many_entries_there_were_before_changes_no_score() {
    let names: Vec<String> = (0..20_010).map(|number| format!("number {number}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "it is kept")).collect();
    let few = || spec("few", &[("One", "parcels are returned"), ("Two", "parcels are sent")]);
    let open = |folder: &std::path::Path| {
        Index::open(folder, Some(Arc::new(StandIn { in_bulk: true, ..StandIn::default() }))).unwrap()
    };
    let scores = |index: &Index| -> Vec<f32> {
        let query = Query { threshold: Some(0.0), ..Query::new("parcels are returned") };
        index.search(&query).unwrap().hits.iter().map(|hit| hit.score).collect()
    };
    let (grown, fresh) = (tempdir().unwrap(), tempdir().unwrap());
    let (grown, fresh) = (open(grown.path()), open(fresh.path()));
    fill(&grown, vec![few()]);
    fill(&grown, vec![spec("many", &many)]);
    fill(&fresh, vec![few(), spec("many", &many)]);
    assert_eq!(scores(&grown), scores(&fresh));
}
