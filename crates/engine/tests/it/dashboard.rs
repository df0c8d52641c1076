//! What pages ask for: whether something is different, and what an address may have meant.

use hewto_engine::dashboard::{self, WorkWatch};
use hewto_engine::{Key, LayoutKind};

use crate::support::Fixture;

const PROPOSAL: &str = "openspec/changes/sign-in/proposal.md";

fn shop() -> Fixture {
    let fx = Fixture::with_layout(LayoutKind::Openspec);
    fx.write(PROPOSAL, "# Sign in\n\n## Why\n\nPeople ask.\n");
    std::fs::create_dir_all(fx.path("openspec/changes/sign-in/specs/accounts")).unwrap();
    fx
}

/// Waits until a folder that was just written counts as known.
fn settle(fx: &Fixture) {
    let ticks = fx.ws.store().ticks();
    let last = ticks.moment();
    while !ticks.moment().is_past(last) {
        std::thread::yield_now();
    }
}

#[test]
fn whatever_happens_to_a_change_is_news_and_nothing_else_is() {
    let (fx, watch) = (shop(), WorkWatch::default());
    settle(&fx);
    let mut last = watch.mark(&fx.ws, &fx.ctx).unwrap();
    let mut is_news = |what: &str| {
        let now = watch.mark(&fx.ws, &fx.ctx).unwrap();
        assert_ne!(now, last, "{what}");
        assert_eq!(watch.mark(&fx.ws, &fx.ctx).unwrap(), now, "{what}");
        settle(&fx);
        last = watch.mark(&fx.ws, &fx.ctx).unwrap();
        assert_eq!(last, now, "{what}");
    };
    fx.write(PROPOSAL, "# Sign in\n\n## Why\n\nPeople ask for it.\n");
    is_news("a file was edited");
    fx.write("openspec/changes/sign-in/specs/accounts/spec.md", "## ADDED Requirements\n");
    is_news("a file came into a folder that had none");
    fx.write("openspec/changes/sign-in/specs/accounts/spec.md", "## MODIFIED Requirements\n");
    is_news("a file that came later was edited");
    fx.write("openspec/changes/fast/tasks.md", "- [ ] Begin\n");
    is_news("a change came");
    std::fs::rename(fx.path("openspec/changes/fast"), fx.path("openspec/changes/faster")).unwrap();
    is_news("a change has another name");
    std::fs::rename(fx.path("openspec/changes"), fx.path("openspec/old")).unwrap();
    is_news("all changes are gone");
    std::fs::create_dir(fx.path("openspec/changes")).unwrap();
    std::fs::rename(fx.path("openspec/old/sign-in"), fx.path("openspec/changes/sign-in")).unwrap();
    is_news("their folder is another one");
    fx.write(PROPOSAL, "# Sign in\n");
    is_news("a file in it was edited");
    fx.write("openspec/notes.txt", "not part of any change");
    assert_eq!(watch.mark(&fx.ws, &fx.ctx).unwrap(), last);
}

#[test]
fn what_comes_while_changes_are_listed_is_not_lost() {
    let (fx, watch) = (shop(), WorkWatch::default());
    for turn in 0..50 {
        let file = format!("openspec/changes/sign-in/note-{turn}.md");
        fx.write(&file, "one");
        let first = watch.mark(&fx.ws, &fx.ctx).unwrap();
        fx.write(&file, "another");
        assert_ne!(watch.mark(&fx.ws, &fx.ctx).unwrap(), first, "{turn}");
    }
}

#[test]
fn an_address_that_no_id_could_have_leads_nowhere_and_names_what_is_near() {
    let fx = shop();
    let long = "accounts-".repeat(22);
    let long = long.trim_end_matches('-');
    fx.write(&format!("openspec/specs/{long}/spec.md"), "# Accounts\n\n## Requirements\n");
    let wanted = format!("{long}{}", "x".repeat(60));
    let page = dashboard::spec(&fx.ws, &fx.ctx, &wanted).unwrap_err();
    assert_eq!((page.key, &page.details["near"]), (Key::SpecNotFound, &serde_json::json!([long])));
    let page = dashboard::requirement(&fx.ws, &fx.ctx, &wanted, "any").unwrap_err();
    assert_eq!((page.key, &page.details["near"]), (Key::SpecNotFound, &serde_json::json!([long])));
    for name in ["change:sign-in/", "change:sign-in\\", "change:sign-in\u{1}"] {
        let page = dashboard::review(&fx.ws, &fx.ctx, name, "ana").unwrap_err();
        assert_eq!((page.key, &page.details["near"]), (Key::ChangeNotFound, &serde_json::json!(["sign-in"])));
    }
    let page = dashboard::review(&fx.ws, &fx.ctx, &"y".repeat(5_000), "ana").unwrap_err();
    assert_eq!(page.key, Key::SpecNotFound);
    assert!(page.to_string().len() < 300, "{page}");
}
