//! Changes that were put away: in lists and in what is found.

use hewto_engine::search::{self, SearchRequest};
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
        found.results.into_iter().map(|hit| hit.spec_id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some(true)), ["change:2026-01-01-mail"]);
    assert!(ids(None).is_empty());
}
