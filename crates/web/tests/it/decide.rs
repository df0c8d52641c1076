//! What people decide: bound to what was seen, once, with the note kept.

use crate::shop::{Guest, SHOP, Shop};
use crate::wire::field;

const ITEM: &str = "change:sign-in-by-mail";
const PAGE: &str = "/w/shop/change/sign-in-by-mail";

fn records(shop: &Shop) -> Vec<String> {
    shop.workspace.names_in("changes/sign-in-by-mail/review")
}

fn verdict(guest: &Guest<'_>, page: &str, verdict: &str, note: &str) -> u16 {
    let (shown, once) = (field(page, "shown"), "n1");
    let fields = [
        ("item", ITEM),
        ("shown", shown),
        ("verdict", verdict),
        ("note", note),
        ("once", once),
        ("back", PAGE),
    ];
    guest.post("/w/shop/verdict", &fields).status
}

#[test]
fn a_verdict_is_recorded_as_the_word_of_this_person_by_this_channel() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let page = guest.get(PAGE);
    assert_eq!(verdict(&guest, &page.body, "approve", "good"), 303);
    let [record] = &records(&shop)[..] else { panic!("one record: {:?}", records(&shop)) };
    let text = shop.workspace.read(&format!("changes/sign-in-by-mail/review/{record}"));
    assert!(text.contains("ana") && text.contains("web") && text.contains("approved"), "{text}");
    let after = guest.get(PAGE);
    assert!(after.main().contains("approved"), "{}", after.main());
    let log = shop.workspace.read(".hewto/logs/operations.jsonl");
    assert!(log.contains("\"web verdict\"") && log.contains("\"channel\":\"web\""), "{log}");
}

#[test]
fn a_verdict_on_an_older_text_is_409_with_the_difference_and_the_note() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let page = guest.get(PAGE);
    let path = "changes/sign-in-by-mail/specs/accounts/spec.md";
    let text = shop.workspace.read(path).replace("a mail is sent", "a letter is sent");
    shop.workspace.add(&format!("//- {path}\n{text}"));
    let shown = field(&page.body, "shown");
    let fields =
        [("item", ITEM), ("shown", shown), ("verdict", "approve"), ("note", "my long note"), ("back", PAGE)];
    let answer = guest.post("/w/shop/verdict", &fields);
    assert_eq!(answer.status, 409);
    let main = answer.main();
    assert!(main.contains("my long note"), "{main}");
    assert!(main.contains("letter") && main.contains("Scenario Fresh link"), "{main}");
    assert!(!main.contains("Remember me"), "only what is different is shown: {main}");
    assert!(records(&shop).is_empty(), "nothing was recorded");
    assert_ne!(field(main, "shown"), shown, "the form is about the new text");
}

#[test]
fn a_form_that_is_posted_twice_counts_once() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let fields = [("item", ITEM), ("text", "which mail?"), ("once", "same"), ("back", PAGE)];
    for _ in 0..3 {
        let answer = guest.post("/w/shop/comments", &fields);
        assert_eq!(answer.status, 303);
        assert_eq!(answer.header("location"), Some("/w/shop/change/sign-in-by-mail?done=comment"));
    }
    assert_eq!(records(&shop).len(), 1);
}

#[test]
fn a_comment_on_a_then_stays_with_it_while_the_text_moves() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let fields = [
        ("item", ITEM),
        ("capability", "accounts"),
        ("requirement", "Sign in"),
        ("scenario", "Fresh link"),
        ("quote", "a mail is sent"),
        ("text", "which <b>mail</b>?"),
        ("back", PAGE),
    ];
    assert_eq!(guest.post("/w/shop/comments", &fields).status, 303);
    let page = guest.get(PAGE);
    let scenario = page.main().find("Fresh link").unwrap();
    assert!(page.main()[scenario..].contains("which &lt;b&gt;mail&lt;/b&gt;?"), "{}", page.main());
    let comment = field(page.main(), "comment").to_owned();
    let settled = [("item", ITEM), ("comment", comment.as_str()), ("back", PAGE)];
    assert_eq!(guest.post("/w/shop/resolve", &settled).status, 303);
    assert!(guest.get(PAGE).main().contains("settled"));
}

#[test]
fn what_was_seen_is_new_again_when_it_changes() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let page = guest.get(PAGE);
    assert!(guest.get(&format!("{PAGE}?since=look")).main().contains("everything is new"));
    let seen = [("item", ITEM), ("shown", field(&page.body, "shown")), ("back", PAGE)];
    assert_eq!(guest.post("/w/shop/seen", &seen).status, 303);
    let looked = guest.get(&format!("{PAGE}?since=look"));
    assert!(looked.main().contains("Nothing is different since"), "{}", looked.main());
    assert!(!guest.get("/w/shop/board").main().contains("since your look"));
    let path = "changes/sign-in-by-mail/specs/accounts/spec.md";
    let text = shop.workspace.read(path).replace("a mail is sent", "a letter is sent");
    shop.workspace.add(&format!("//- {path}\n{text}"));
    let looked = guest.get(&format!("{PAGE}?since=look"));
    let main = looked.main();
    assert!(main.contains("1 difference") && main.contains("letter"), "{main}");
    assert_eq!(main.matches("class=\"card promise").count(), 1, "one promise is new: {main}");
    let board = guest.get("/w/shop/board");
    assert!(board.main().contains("1 new since your look"), "{}", board.main());
}

#[test]
fn two_reviewers_are_both_recorded_and_a_second_word_of_one_is_not() {
    let shop = Shop::open(SHOP);
    let (one, other) = (shop.sign_in(), shop.sign_in());
    let page = one.get(PAGE);
    assert_eq!(verdict(&one, &page.body, "request_changes", "name the mail"), 303);
    assert_eq!(verdict(&other, &page.body, "approve", ""), 303);
    assert_eq!(records(&shop).len(), 2);
}

#[test]
fn open_questions_are_answered_on_the_page() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let refused = guest.post("/w/shop/answer", &[("answer.x", "y")]);
    assert!(refused.status >= 400, "there is no question");
    assert!(refused.main().contains("no clarification is under way"), "{}", refused.main());
}

#[test]
fn nothing_that_is_missing_is_written() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    for (path, fields) in [
        ("comments", &[("item", ITEM)][..]),
        ("comments", &[("text", "x")]),
        ("verdict", &[("item", ITEM), ("verdict", "approve")]),
        ("verdict", &[("item", ITEM), ("verdict", "perhaps"), ("shown", "00")]),
        ("release", &[("claim", "99")]),
        ("accept", &[("ref", "nope#x/y"), ("reason", "because")]),
    ] {
        let answer = guest.post(&format!("/w/shop/{path}"), fields);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
    }
    assert!(records(&shop).is_empty());
    assert_eq!(guest.get("/w/shop/verdict").status, 405);
    assert_eq!(guest.post("/w/shop/board", &[]).status, 405);
}
