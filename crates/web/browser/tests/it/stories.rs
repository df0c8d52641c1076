//! The stories: reviewing and deciding, with the mouse, by keyboard alone, while things change and break.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;

use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::chromium::in_browser;
use crate::shop::{PATIENCE, SHOP, Shop, call};

const ITEM: &str = "change:sign-in-by-mail";
const PAGE: &str = "/w/default/change/sign-in-by-mail";
const DELTA: &str = "changes/sign-in-by-mail/specs/accounts/spec.md";

#[test]
fn an_agent_is_refused_the_owner_comments_the_agent_mends_and_the_owner_approves() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        let start = json!({ "spec_id": ITEM, "plan_approved": true });
        let refused = shop.call("build_start", &start);
        assert_eq!(refused["error"], "approval_pending", "{refused}");
        browser.sign_in(&mut shop).await;
        browser.click("a[href$='/change/sign-in-by-mail']").await;
        // The clause THEN of the scenario Fresh link.
        let opened = "const box = [...document.querySelectorAll('.clauses li')].find((line) => \
                      line.textContent.includes('a mail is sent')).querySelector('details'); box.open = true; \
                      box.querySelector('textarea').focus()";
        browser.wait_for(".clauses li").await;
        browser.script(opened).await;
        browser.keys("which mail?").await;
        browser.script("document.activeElement.closest('form').querySelector('button').click()").await;
        browser.wait_for(".scenario .comment").await;
        browser.write("#note", "name the mail").await;
        browser.click("button[value=request_changes]").await;
        browser.recorded().await;
        assert_eq!(shop.standing(), "changes_requested");
        // The agent goes on, and only that is new.
        shop.edit(DELTA, "a link is asked for", "a member asks for a link");
        browser.open(&shop, &format!("{PAGE}?since=look")).await;
        let news = browser.text("#region-news").await;
        assert!(news.contains("1 difference") && news.contains("Scenario Fresh link"), "{news}");
        let promises =
            browser.script("return document.querySelectorAll('#region-promises .promise').length").await;
        assert_eq!(promises, 1);
        let anchored = browser.text(".scenario .comment").await;
        assert!(anchored.contains("which mail?"), "{anchored}");
        // Whoever waits hears of the approval.
        let (told, hear) = mpsc::channel();
        let port = shop.port;
        let waiting = std::thread::spawn(move || {
            // A wait that ends without a verdict is taken up again, as an agent does.
            let wait = || call(port, "approval_wait", &json!({ "spec_id": ITEM, "wait_s": 25 }));
            let decided = std::iter::repeat_with(wait).find(|waited| waited["decided"] == true);
            told.send(decided.expect("somebody decides")["standing"].clone()).expect("somebody listens");
        });
        browser.open(&shop, PAGE).await;
        browser.click("button[value=approve]").await;
        browser.recorded().await;
        assert_eq!(hear.recv_timeout(PATIENCE).expect("the wait ends"), "approved");
        waiting.join().expect("it is over");
        let started = shop.call("build_start", &start);
        assert_eq!(started["build_started"], true, "{started}");
        shop.edit("changes/sign-in-by-mail/tasks.md", "- [ ] 1.1 Token", "- [x] 1.1 Token");
        assert_eq!(shop.standing(), "approved", "a tick is not a change");
        shop.edit(DELTA, "a mail is sent", "a letter is sent");
        assert_eq!(shop.standing(), "stale", "a word is");
        browser
    });
}

#[test]
fn the_same_by_keyboard_alone() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        browser.sign_in(&mut shop).await;
        browser.keys("?").await;
        browser.wait_for("dialog[open]").await;
        browser.press(Key::Escape).await;
        browser.until("the help closes", "!document.querySelector('dialog[open]')").await;
        browser.keys("j").await;
        let first = browser.script("return document.activeElement.textContent").await;
        assert!(first.as_str().is_some_and(|text| text.contains("Sign in by mail")), "{first}");
        browser.press(Key::Enter).await;
        browser.wait_for("#verdict").await;
        browser.keys("j").await;
        browser.keys("c").await;
        browser.until("a box is open", "document.activeElement.matches('textarea')").await;
        browser.keys("typed only").await;
        browser.press(Key::Tab).await;
        browser.press(Key::Enter).await;
        browser.wait_for(".comment").await;
        browser.keys("j").await;
        browser.keys("s").await;
        browser.wait_for("[data-seen] button[aria-pressed=true]").await;
        browser.keys("a").await;
        browser.until("the note has the focus", "document.activeElement.id === 'note'").await;
        browser.keys("fine").await;
        browser.press(Key::Tab).await;
        browser.press(Key::Enter).await;
        browser.recorded().await;
        assert_eq!(shop.standing(), "approved");
        // At once: the page waits for the second key for a moment only.
        browser.keys("gs").await;
        browser.wait_for("#region-specs").await;
        browser
    });
}

#[test]
fn an_edit_on_disk_appears_and_takes_neither_focus_nor_note() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        browser.sign_in(&mut shop).await;
        browser.open_live(&shop, PAGE).await;
        browser.write("#note", "half a no").await;
        shop.edit(DELTA, "a mail is sent", "a pigeon is sent");
        browser
            .until(
                "the edit shows",
                "document.querySelector('#region-promises').textContent.includes('pigeon')",
            )
            .await;
        browser.keys("te").await;
        browser
            .until("both halves are there", "document.querySelector('#note').value === 'half a note'")
            .await;
        assert_eq!(browser.script("return document.activeElement.id").await, "note");
        browser.open_live(&shop, "/w/default/board").await;
        shop.write("//- changes/brand-new/proposal.md\n# Change: Brand new\n\n## Why\n\nBecause.\n\n## What Changes\n\n- x\n");
        browser
            .until(
                "a change appears",
                "document.querySelector('#region-board').textContent.includes('Brand new')",
            )
            .await;
        browser
    });
}

#[test]
fn an_edit_of_a_test_appears_on_the_page_of_proof() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        shop.edit(".hewto/proof.toml", "policy = \"off\"", "policy = \"warn\"");
        browser.sign_in(&mut shop).await;
        browser.open_live(&shop, "/w/default/proof").await;
        let states = "document.querySelector('#region-matrix').textContent";
        browser.until("nothing is linked", &format!("{states}.includes('uncovered')")).await;
        shop.write("//- tests/login.rs\n// @spec accounts#sign-in/known\n#[test]\nfn known() {}\n");
        browser.until("the test shows", &format!("{states}.includes('tests/login.rs')")).await;
        browser
    });
}

#[test]
fn two_reviewers_at_once_are_both_recorded_and_a_reply_stands_under_its_comment() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        browser.sign_in(&mut shop).await;
        browser.open(&shop, PAGE).await;
        let first = browser.client.window().await.expect("a window");
        let other = browser.client.new_window(true).await.expect("a tab");
        browser.client.switch_to_window(other.handle).await.expect("it opens");
        browser.open(&shop, PAGE).await;
        browser.write("#note", "name the mail").await;
        browser.click("button[value=request_changes]").await;
        browser.recorded().await;
        browser.client.switch_to_window(first).await.expect("back again");
        browser.write("#note", "good enough").await;
        browser.click("button[value=approve]").await;
        browser.recorded().await;
        let said = browser.text("#region-verdicts").await;
        assert!(said.contains("name the mail") && said.contains("good enough"), "{said}");
        // The bar with the verdict may lie over them, so no pointer is used.
        let opened = "const box = document.querySelector('SELECTOR'); box.open = true; box.querySelector('textarea').focus()";
        let sent = "document.activeElement.closest('form').querySelector('button').click()";
        for (selector, words, then) in [
            ("#region-comments > details", "who tells support?", "#region-comments .comment"),
            ("#region-comments .comment details", "I do", "#region-comments .reply"),
        ] {
            browser.script(&opened.replace("SELECTOR", selector)).await;
            browser.keys(words).await;
            browser.script(sent).await;
            browser.wait_for(then).await;
        }
        let reply = browser.text("#region-comments .reply").await;
        assert!(reply.contains("I do"), "{reply}");
        browser
    });
}

#[test]
fn a_server_that_is_gone_takes_no_note_with_it_and_comes_back() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        browser.sign_in(&mut shop).await;
        browser.open_live(&shop, PAGE).await;
        browser.write("#note", "not lost").await;
        let again = shop.restart();
        browser.until("a banner shows", "!document.querySelector('#banner').hidden").await;
        let mut shop = again();
        browser
            .until(
                "it says what to do",
                "document.querySelector('#banner').textContent.includes('signed out')",
            )
            .await;
        let first = browser.client.window().await.expect("a window");
        let other = browser.client.new_window(true).await.expect("a tab");
        browser.client.switch_to_window(other.handle).await.expect("it opens");
        browser.sign_in(&mut shop).await;
        browser.client.switch_to_window(first).await.expect("back again");
        browser.until("the page is back", "document.querySelector('#banner').hidden || document.querySelector('#banner').textContent.includes('back')").await;
        assert_eq!(browser.script("return document.querySelector('#note').value").await, "not lost");
        browser.click("button[value=approve]").await;
        browser.recorded().await;
        assert_eq!(shop.standing(), "approved");
        browser
    });
}

#[test]
fn a_dev_server_on_another_port_gets_no_cookie_and_its_pages_no_answer() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        browser.sign_in(&mut shop).await;
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let (told, heard) = mpsc::channel();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let told = told.clone();
                // A browser may open connections that it says nothing on.
                std::thread::spawn(move || {
                    let mut head = vec![0; 16 * 1024];
                    let read = stream.read(&mut head).unwrap_or(0);
                    if read == 0 {
                        return;
                    }
                    let _ = told.send(String::from_utf8_lossy(&head[..read]).into_owned());
                    let page = "<!doctype html><title>dev</title>";
                    let _ = write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{page}",
                        page.len()
                    );
                });
            }
        });
        for host in ["127.0.0.1", "localhost"] {
            browser.client.goto(&format!("http://{host}:{port}/")).await.expect("the dev server answers");
            let asked = heard.recv_timeout(PATIENCE).expect("it was asked");
            assert!(!asked.to_lowercase().contains("hewto_session"), "{asked}");
            let script = format!(
                "const done = arguments[arguments.length - 1]; fetch('{}/w/default/board.json', {{ credentials: 'include' }})\
                 .then((reply) => reply.text()).then(done, () => done('refused'))",
                shop.origin()
            );
            let answer = browser.client.execute_async(&script, Vec::new()).await.expect("a script");
            assert_eq!(answer, Value::from("refused"), "{host}");
        }
        browser
    });
}
