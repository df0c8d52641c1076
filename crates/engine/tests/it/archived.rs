//! Changes that were put away: in lists and in what is found.

use hewto_engine::search::{self, ContextRequest, EntryKind, FindRequest, SearchRequest};
use hewto_engine::spec::{self, ItemKind, SpecFilter};
use hewto_engine::{Lifecycle, PageRequest};

use crate::support::Fixture;

#[test]
fn archived_changes_stand_in_the_one_list_where_they_are_asked_for() {
    let f = Fixture::new();
    f.write("specs/cap/spec.md", "# Cap\n");
    f.write("changes/open/proposal.md", "# Change: open\n");
    f.write("changes/archive/2026-01-01-mail/proposal.md", "# Change: mail\n");
    let ids = |filter: SpecFilter| {
        let list = spec::list(&f.ws, &f.ctx, &filter, &PageRequest::default()).unwrap();
        list.specs.into_iter().map(|entry| entry.id).collect::<Vec<_>>()
    };
    let all = SpecFilter { archived: true, ..SpecFilter::default() };
    assert_eq!(ids(all.clone()), ["cap", "2026-01-01-mail", "open"]);
    assert_eq!(ids(SpecFilter { kind: Some(ItemKind::Work), ..all }), ["cap"]);
    let archived = SpecFilter { state: Some(Lifecycle::Archived), changes: true, ..SpecFilter::default() };
    assert_eq!(ids(archived), ["2026-01-01-mail"]);
    assert_eq!(ids(SpecFilter::default()), ["cap"]);
}

#[test]
fn changes_are_found_too_where_archived_ones_are_asked_for() {
    let f = Fixture::new();
    let why = "# Change: mail\n\n## Why\n\nZeppelins bring the mail.\n\n## What Changes\n\nAll.\n";
    f.write("changes/archive/2026-01-01-mail/proposal.md", why);
    let ids = |include_archived| {
        let request =
            SearchRequest { query: "zeppelins".to_owned(), include_archived, ..SearchRequest::default() };
        let found = search::search(&f.ws, &f.ctx, &request).unwrap();
        found.results.into_iter().map(|hit| (hit.spec_id, hit.archived)).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some(true)), [("change:2026-01-01-mail".to_owned(), true)]);
    assert!(ids(None).is_empty());
}

/// A promise, and what was promised before it in the very words of the question.
fn mail() -> Fixture {
    let f = Fixture::new();
    f.write(
        "specs/mail/spec.md",
        "# Mail\n\n## Requirements\n\n### Requirement: Carriers\n\nLetters SHALL travel by rail.\n",
    );
    let why = "# Change: mail\n\n## Why\n\nZeppelins carry letters.\n\n## What Changes\n\nAll.\n";
    f.write("changes/archive/2026-01-01-mail/proposal.md", why);
    f.write("changes/pigeons/proposal.md", why.replace("Zeppelins", "Pigeons"));
    f
}

fn found(f: &Fixture, request: &FindRequest) -> (Vec<(String, bool)>, usize) {
    let request = FindRequest { query: "zeppelins carry letters".to_owned(), ..request.clone() };
    let view = search::find(&f.ws, &f.ctx, &request).unwrap();
    let results = view.results.into_iter().map(|hit| (format!("{}:{}", hit.kind, hit.id), hit.archived));
    (results.collect(), view.archived_left_out)
}

#[test]
fn what_was_archived_is_left_out_of_a_search_unless_it_is_asked_for() {
    let f = mail();
    let (results, left_out) = found(&f, &FindRequest::default());
    assert!(!results.is_empty() && results.iter().all(|(_, archived)| !archived), "{results:?}");
    assert_eq!(left_out, 1);
    let changes = FindRequest { kind: Some(EntryKind::Change), ..FindRequest::default() };
    assert_eq!(found(&f, &changes), (vec![("change:pigeons".to_owned(), false)], 1));
    let decisions = FindRequest { kind: Some(EntryKind::Decision), ..FindRequest::default() };
    assert_eq!(found(&f, &decisions), (Vec::new(), 0));
}

#[test]
fn what_was_archived_stands_behind_what_holds_now_however_near_it_comes() {
    let f = mail();
    let everything = FindRequest { archived: true, ..FindRequest::default() };
    let (results, left_out) = found(&f, &everything);
    let (last, before) = results.split_last().unwrap();
    assert_eq!((last, left_out), (&("change:2026-01-01-mail".to_owned(), true), 0));
    assert!(before.iter().any(|(name, _)| name == "requirement:mail"), "{before:?}");
    // The nearest of each: nothing that holds now makes room for it.
    let one = FindRequest { limit: Some(1), archived: true, ..FindRequest::default() };
    let (results, _) = found(&f, &one);
    assert_eq!(results.iter().map(|(_, archived)| *archived).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_change_that_is_archived_ceases_to_be_found_as_an_open_one() {
    let f = mail();
    search::build(&f.ws, &f.ctx).unwrap();
    std::fs::rename(f.path("changes/pigeons"), f.path("changes/archive/2026-02-02-pigeons")).unwrap();
    let changes = FindRequest { kind: Some(EntryKind::Change), archived: true, ..FindRequest::default() };
    let (results, _) = found(&f, &changes);
    assert!(results.len() == 2 && results.iter().all(|(_, archived)| *archived), "{results:?}");
}

#[test]
fn a_task_is_given_what_is_open_and_nothing_that_was_archived() {
    let f = mail();
    let request =
        ContextRequest { text: Some("zeppelins carry letters".to_owned()), ..ContextRequest::default() };
    let view = search::context_for(&f.ws, &f.ctx, &request).unwrap();
    let handles: Vec<&str> = view.items.iter().map(|item| item.handle.as_str()).collect();
    assert!(handles.contains(&"change:pigeons"), "{handles:?}");
    assert!(!handles.iter().any(|handle| handle.contains("2026-01-01")), "{handles:?}");
}
