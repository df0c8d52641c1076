//! For everybody: axe finds nothing, in both themes, in empty and error states; narrow screens work; nothing is foreign.

use serde_json::Value;

use crate::chromium::{Browser, in_browser, target};
use crate::shop::{SHOP, Shop};

const PAGES: [(&str, &str); 12] = [
    ("board", "board"),
    ("review", "change/sign-in-by-mail"),
    ("review-since", "change/sign-in-by-mail?since=look"),
    ("specs", "specs"),
    ("search", "specs?q=password"),
    ("spec", "spec/accounts"),
    ("requirement", "requirement/accounts/sign-in"),
    ("graph", "graph?around=spec%3A%2F%2Faccounts&depth=2"),
    ("decisions", "decisions"),
    ("proof", "proof"),
    ("operations", "ops"),
    ("health", "health"),
];

/// What axe-core finds on the page; nothing where it is not installed.
async fn axe(browser: &Browser, page: &str) {
    let place = target().join("clients/node_modules/axe-core/axe.min.js");
    let Ok(source) = std::fs::read_to_string(&place) else {
        assert!(std::env::var_os("CI").is_none(), "axe-core has to be installed");
        return;
    };
    browser.script(&format!("if (!window.axe) {{ {source} }}")).await;
    let script = "const done = arguments[arguments.length - 1]; \
                  axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations.map((one) => \
                  `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`)))";
    let found = browser.client.execute_async(script, Vec::new()).await.expect("axe runs");
    let Value::Array(found) = found else { panic!("{page}: {found}") };
    assert!(found.is_empty(), "{page}: {found:#?}");
}

#[test]
fn axe_finds_nothing_on_any_page_in_either_theme() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        browser.sign_in(&mut shop).await;
        for theme in ["light", "dark"] {
            browser.click(&format!("button[value={theme}]")).await;
            browser.wait_for(&format!("html[data-theme={theme}]")).await;
            for (name, path) in PAGES {
                browser.open(&shop, &format!("/w/default/{path}")).await;
                browser.wait_for("main h1").await;
                browser.shoot(&format!("{name}-{theme}")).await;
                axe(&browser, &format!("{name} {theme}")).await;
                browser.asked_only(&shop).await;
            }
            browser.open(&shop, "/w/default/spec/acounts").await;
            axe(&browser, "not there").await;
            browser.shoot(&format!("error-{theme}")).await;
        }
        browser
    });
}

#[test]
fn axe_finds_nothing_where_there_is_nothing() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open("//- .hewto/config.toml\n[project]\nname = \"new\"\n//- specs/\n");
        browser.open(&shop, "/login").await;
        axe(&browser, "login").await;
        browser.sign_in(&mut shop).await;
        for path in ["board", "specs", "graph", "decisions", "proof", "ops", "health"] {
            browser.open(&shop, &format!("/w/default/{path}")).await;
            browser.wait_for("main h1").await;
            browser.shoot(&format!("empty-{path}")).await;
            axe(&browser, &format!("empty {path}")).await;
        }
        browser
    });
}

#[test]
fn a_narrow_screen_scrolls_in_one_direction_only() {
    in_browser(360, |browser| async move {
        let mut shop = Shop::open(SHOP);
        let name = "ü".repeat(90);
        shop.write(&format!("//- specs/{name}/spec.md\n# {}\n", "wide".repeat(60)));
        browser.sign_in(&mut shop).await;
        for (name, path) in PAGES {
            browser.open(&shop, &format!("/w/default/{path}")).await;
            browser.wait_for("main h1").await;
            let wide = browser.script("return document.documentElement.scrollWidth").await;
            browser.shoot(&format!("narrow-{name}")).await;
            assert!(wide.as_u64().is_some_and(|wide| wide <= 360), "{name} is {wide} wide");
        }
        browser
    });
}
