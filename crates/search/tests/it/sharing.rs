use std::sync::Arc;
use std::time::Duration;

use hewto_search::{Index, Query, SearchError};
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
            writer.catch_up().unwrap();
        }
        for reader in readers {
            reader.join().unwrap();
        }
    });
}

#[test]
fn a_writer_gives_up_when_another_keeps_the_index_and_the_old_one_serves() {
    let folder = tempdir().unwrap();
    let index =
        Index::open_with_patience(folder.path(), Some(Arc::new(StandIn::default())), Duration::ZERO).unwrap();
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
