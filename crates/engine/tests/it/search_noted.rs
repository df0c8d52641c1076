//! What is noted beside an index for the next process: it saves reading, and hides nothing.

use hewto_engine::search::{self, FindRequest};
use hewto_engine::{Start, Workspace};

use crate::support::Fixture;

const NOTE: &str = ".hewto/cache/search/note";

fn spec(name: &str, text: &str) -> String {
    format!("# {name}\n\n## Requirements\n\n### Requirement: {name}\n\n{text}\n")
}

/// A shop whose index has its note.
fn noted() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Parcels come back."));
    fixture.write("specs/seats/spec.md", spec("Seats", "Rows are numbered."));
    fixture.write("docs/adr/0001-use-rust.md", "# Use Rust\n\nBecause of crabs.\n");
    while !fixture.path(NOTE).exists() {
        search::build(&fixture.ws, &fixture.ctx).unwrap();
    }
    fixture
}

/// What another process finds, which knows nothing but what lies on the disk.
fn found(fixture: &Fixture, query: &str) -> Vec<String> {
    let another = Workspace::discover(Start::Here(fixture.root())).unwrap();
    let request = FindRequest { query: query.to_owned(), ..FindRequest::default() };
    let view = search::find(&another, &fixture.ctx, &request).unwrap();
    assert_eq!(view.mode, "fused");
    view.results.into_iter().map(|hit| hit.title).collect()
}

#[test]
fn the_next_process_sees_every_change_since_the_note() {
    let fixture = noted();
    assert_eq!(found(&fixture, "parcels")[0], "Return Window");
    let before = fixture.read(NOTE.replace("note", "index.json").as_str());
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Zebras come home."));
    assert_eq!(found(&fixture, "zebras")[0], "Return Window");
    fixture.write("specs/tickets/spec.md", spec("Tickets", "A walrus is let in."));
    assert_eq!(found(&fixture, "walrus")[0], "Tickets");
    fixture.write("docs/adr/0002-use-owls.md", "# Use owls\n\nBecause of owls.\n");
    assert_eq!(found(&fixture, "owls")[0], "Use owls");
    fixture.write("docs/adr/0001-use-rust.md", "# Use Rust\n\nBecause of newts.\n");
    assert_eq!(found(&fixture, "newts")[0], "Use Rust");
    std::fs::remove_dir_all(fixture.path("specs/seats")).unwrap();
    assert!(!found(&fixture, "rows numbered").contains(&"Seats".to_owned()));
    assert_eq!(fixture.read(NOTE.replace("note", "index.json").as_str()), before, "it is the same index");
}

#[test]
fn a_note_of_another_index_or_a_torn_one_is_none() {
    let fixture = noted();
    let old = std::fs::read(fixture.path(NOTE)).unwrap();
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Zebras come home."));
    assert_eq!(found(&fixture, "zebras")[0], "Return Window");
    for bytes in [&old[..], &old[..old.len() / 2], b"", b"hewtonot"] {
        std::fs::write(fixture.path(NOTE), bytes).unwrap();
        assert_eq!(found(&fixture, "zebras")[0], "Return Window");
    }
    search::clear(&fixture.ws, &fixture.ctx).unwrap();
    assert!(!fixture.path(NOTE).exists());
    assert_eq!(found(&fixture, "zebras")[0], "Return Window");
}

#[test]
fn an_index_that_another_process_changed_is_not_taken_for_the_noted_one() {
    let fixture = noted();
    let [files, note] = ["specs/refunds/spec.md", NOTE].map(|file| fixture.path(file));
    let kept = std::fs::read(&note).unwrap();
    // The files are as noted again, stamps aside; the index is not.
    fixture.write("specs/refunds/spec.md", spec("Return Window", "Zebras come home."));
    assert_eq!(found(&fixture, "zebras")[0], "Return Window");
    std::fs::remove_file(files).unwrap();
    std::fs::write(&note, kept).unwrap();
    assert!(!found(&fixture, "zebras come home").contains(&"Return Window".to_owned()));
}

#[test]
fn what_stands_in_the_place_of_a_note_and_is_none_does_no_harm() {
    let fixture = noted();
    let note = fixture.path(NOTE);
    std::fs::remove_file(&note).unwrap();
    std::fs::create_dir(&note).unwrap();
    assert_eq!(found(&fixture, "parcels")[0], "Return Window");
    search::clear(&fixture.ws, &fixture.ctx).unwrap();
    assert!(!note.exists());
    assert_eq!(found(&fixture, "parcels")[0], "Return Window");
    // More than any note holds, and none of it on the disk.
    std::fs::File::create(&note).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(found(&fixture, "parcels")[0], "Return Window");
}

/// Whatever file of the words is cut, or changed by a byte, under a process that has the index open, and something is edited at the same
/// time: the next answer knows all documents, not only the edited one.
#[test]
fn words_that_are_cut_under_an_open_index_are_made_whole_before_anything_is_answered() {
    let kinds = ["store", "idx", "fast", "pos", "term", "fieldnorm"];
    for (kind, is_cut) in kinds.into_iter().flat_map(|kind| [(kind, true), (kind, false)]) {
        let fixture = noted();
        let find = || {
            let request = FindRequest { query: "parcels come back".to_owned(), ..FindRequest::default() };
            search::find(&fixture.ws, &fixture.ctx, &request).unwrap()
        };
        let before = find();
        let words = std::fs::read_dir(fixture.path(".hewto/cache/search")).unwrap();
        let words =
            words.map(|file| file.unwrap().path()).find(|path| path.join("meta.json").is_file()).unwrap();
        let cut = std::fs::read_dir(words).unwrap().map(|file| file.unwrap().path());
        for path in cut.filter(|path| path.extension().is_some_and(|extension| extension == kind)) {
            let mut bytes = std::fs::read(&path).unwrap();
            if is_cut {
                std::fs::File::options().write(true).open(path).unwrap().set_len(5).unwrap();
            } else {
                bytes[0] ^= 1;
                std::fs::write(path, bytes).unwrap();
            }
        }
        fixture.write("specs/seats/spec.md", spec("Seats", "Rows are lettered."));
        let after = find();
        assert_eq!((after.mode.as_str(), after.total), ("fused", before.total), "{kind}");
        assert_eq!(after.results[0].title, "Return Window", "{kind}");
    }
}
