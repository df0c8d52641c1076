//! Documents that want to do more than be read, in a browser that would let them.

use crate::chromium::in_browser;
use crate::shop::{SHOP, Shop};

/// What acts sets this.
const EVIL: &str =
    "<script>window.hacked=1</script><img src=x onerror=window.hacked=1><svg onload=window.hacked=1>";

#[test]
fn markup_long_lines_other_directions_and_thousands_of_scenarios_are_text() {
    in_browser(1280, |browser| async move {
        let mut shop = Shop::open(SHOP);
        let scenarios: String = (0..5_000)
            .map(|number| {
                format!("#### Scenario: Case {number}\n- **WHEN** {number}\n- **THEN** it holds\n\n")
            })
            .collect();
        shop.write(&format!(
            "//- specs/evil/spec.md\n# {EVIL} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{1f389}\n\n## Purpose\n\n[go](javascript:window.hacked=1) {EVIL}\n\n## Requirements\n\n### Requirement: {EVIL}\nIt SHALL {EVIL}.\n\n#### Scenario: {EVIL}\n- **WHEN** {EVIL}\n- **THEN** \u{202e}turned\n\
             //- specs/long/spec.md\n# Long\n\n## Purpose\n\n{}\n\
             //- specs/many/spec.md\n# Many\n\n## Purpose\n\nMuch.\n\n## Requirements\n\n### Requirement: All\nIt SHALL hold.\n\n{scenarios}\
             //- changes/evil/proposal.md\n# Change: {EVIL}\n\n## Why\n\n{EVIL}\n\n## What Changes\n\n- {EVIL}\n\
             //- changes/evil/specs/evil/spec.md\n## MODIFIED Requirements\n\n### Requirement: {EVIL}\nIt SHALL never {EVIL}.\n\n#### Scenario: {EVIL}\n- **WHEN** {EVIL}\n- **THEN** it is text\n",
            "x".repeat(1_000_000),
        ));
        let broken = shop.root.join("specs/broken");
        std::fs::create_dir_all(&broken).expect("a folder");
        std::fs::write(broken.join("spec.md"), b"# Broken \xff\xfe\n").expect("a file");
        browser.sign_in(&mut shop).await;
        for path in [
            "board",
            "specs",
            "spec/evil",
            "spec/broken",
            "spec/long",
            "spec/many",
            "change/evil",
            "graph?around=spec%3A%2F%2Fevil&depth=2",
            "health",
            "specs?q=hacked",
        ] {
            browser.open(&shop, &format!("/w/default/{path}")).await;
            browser.wait_for("main h1").await;
            browser.shoot(&format!("hostile-{}", path.replace(['/', '?', '&', '='], "-"))).await;
            assert_eq!(browser.script("return window.hacked ?? 0").await, 0, "{path} acted");
            let foreign = "return document.querySelectorAll('main script, main img, main iframe, a[href^=javascript]').length";
            assert_eq!(browser.script(foreign).await, 0, "{path}");
            let wide = "return document.documentElement.scrollWidth - innerWidth";
            let wide = browser.script(wide).await.as_f64().expect("a number");
            assert!(wide <= 0.0, "{path} is {wide} too wide");
            browser.asked_only(&shop).await;
        }
        browser.open(&shop, "/w/default/spec/many").await;
        assert_eq!(browser.script("return document.querySelectorAll('.scenario').length").await, 5_000);
        // A long review has links in place of ten thousand boxes, and each of them opens its own.
        browser.open(&shop, "/w/default/review/many").await;
        assert_eq!(
            browser.script("return document.querySelectorAll('#region-promises textarea').length").await,
            0
        );
        browser.script("document.querySelector('a[href$=\"#comment-0-4999-1\"]').click()").await;
        browser.until("its box has the focus", "document.activeElement?.id === 'comment-0-4999-1'").await;
        browser.open(&shop, "/w/default/spec/evil").await;
        let title = browser.text("h1").await;
        assert!(title.contains("<script>window.hacked=1</script>"), "{title}");
        browser
    });
}
