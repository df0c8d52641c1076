//! Documents that want to do more than be read.

use std::collections::BTreeSet;

use crate::shop::{SHOP, Shop};

#[test]
fn markup_and_invisible_characters_of_a_repository_are_shown_as_text() {
    let shop = Shop::open(SHOP);
    shop.workspace.add(
        "//- specs/evil/spec.md\n# <script>alert(1)</script>\u{202e}evil\n\n## Purpose\n\n[x](javascript:alert(1)) ![i](https://evil.example/i.png) <iframe src=//evil.example></iframe>\n\n## Requirements\n\n### Requirement: <img src=x onerror=alert(1)>\nIt SHALL \u{200b}hide \u{2066}nothing.\n\n#### Scenario: \"><script>\n- **WHEN** a\n- **THEN** b\n",
    );
    let guest = shop.sign_in();
    for page in ["specs", "spec/evil", "board", "graph", "health", "specs?q=%3Cscript%3E"] {
        let body = guest.get(&format!("/w/shop/{page}")).body;
        for bad in ["<script>", "<img", "<iframe", "href=\"javascript", "\u{202e}", "\u{200b}", "\u{2066}"] {
            assert!(!body.contains(bad), "{page} has {bad:?}");
        }
    }
    let page = guest.get("/w/shop/spec/evil");
    assert!(page.main().contains("\\u{202e}"), "{}", page.main());
}

#[test]
fn what_cannot_be_read_stands_among_its_neighbours() {
    let shop = Shop::open(SHOP);
    fs_err::create_dir_all(shop.workspace.path("specs/broken")).unwrap();
    fs_err::write(shop.workspace.path("specs/broken/spec.md"), b"# Broken \xff\xfe\n").unwrap();
    shop.workspace.add("//- specs/odd/spec.md\n# Odd\n//- specs/odd/state.toon\n{{{ no toon\n");
    let guest = shop.sign_in();
    let list = guest.get("/w/shop/specs");
    assert_eq!(list.status, 200);
    for name in ["/w/shop/spec/broken", "/w/shop/spec/odd", "/w/shop/spec/accounts"] {
        assert!(list.main().contains(name), "{name}: {}", list.main());
    }
    assert_eq!(guest.get("/w/shop/board").status, 200);
    assert_eq!(guest.get("/w/shop/health").status, 200);
    fs_err::create_dir_all(shop.workspace.path("specs/folder/spec.md")).unwrap();
    fs_err::create_dir_all(shop.workspace.path("specs/linked")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", shop.workspace.path("specs/linked/spec.md")).unwrap();
    for name in ["broken", "folder", "linked"] {
        let page = guest.get(&format!("/w/shop/spec/{name}"));
        assert_eq!(page.status, 422, "{name}: {}", page.main());
        assert!(page.main().contains("This cannot be read"), "{}", page.main());
        assert!(page.main().contains(&format!("specs/{name}/spec.md")), "{}", page.main());
        assert_eq!(guest.get(&format!("/w/shop/spec/{name}.json")).status, 422, "{name}");
    }
}

#[test]
fn every_link_of_every_page_leads_somewhere_whatever_things_are_called() {
    let shop = Shop::open(SHOP);
    let odd = [
        "a?b#c",
        "100% sure",
        "a+b & c",
        "שלום",
        "🎉🎉",
        "quote\"'<b>",
        "semi;colon",
        "a.json",
        "deep/er/one",
        "board",
    ];
    for name in odd {
        shop.workspace.add(&format!(
            "//- specs/{name}/spec.md\n# {name}\n\n## Requirements\n\n### Requirement: Is {name} 100% / safe?\nIt SHALL hold.\n\n#### Scenario: {name}\n- **WHEN** a\n- **THEN** b\n"
        ));
        let change = name.replace('/', "-");
        shop.workspace.add(&format!(
            "//- changes/{change}/proposal.md\n# {change}\n\n## Why\n\nBecause.\n\n## What Changes\n\n- it\n\
             //- changes/{change}/specs/{name}/spec.md\n## MODIFIED Requirements\n\n### Requirement: Is {name} 100% / safe?\nIt SHALL hold well.\n"
        ));
    }
    let guest = shop.sign_in();
    let (mut waiting, mut seen) = (vec!["/w/shop/board".to_owned()], BTreeSet::new());
    while let Some(address) = waiting.pop() {
        if !seen.insert(address.clone()) {
            continue;
        }
        let page = guest.get(&address);
        assert_eq!(page.status, 200, "{address}: {}", page.main());
        let links = page.body.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let links =
            links.map(|link| link.replace("&amp;", "&").split('#').next().unwrap_or_default().to_owned());
        waiting.extend(links.filter(|link| link.starts_with("/w/shop/") && !link.contains("depth=3")));
    }
    assert!(seen.len() > 3 * odd.len(), "{seen:?}");
}

#[test]
fn long_lines_and_thousands_of_scenarios_are_laid_out() {
    let shop = Shop::open(SHOP);
    let line = "word ".repeat(200_000);
    shop.workspace.add(&format!("//- specs/long/spec.md\n# Long\n\n## Purpose\n\n{line}\n"));
    let scenarios: String = (0..5_000)
        .map(|number| format!("#### Scenario: Case {number}\n- **WHEN** {number}\n- **THEN** it holds\n\n"))
        .collect();
    shop.workspace.add(&format!(
        "//- specs/many/spec.md\n# Many\n\n## Purpose\n\nMuch.\n\n## Requirements\n\n### Requirement: All\nIt SHALL hold.\n\n{scenarios}"
    ));
    let name = "ü".repeat(90);
    shop.workspace.add(&format!("//- specs/{name}/spec.md\n# שלום 🎉 {name}\n"));
    let guest = shop.sign_in();
    assert_eq!(guest.get("/w/shop/spec/long").status, 200);
    let many = guest.get("/w/shop/spec/many");
    assert!(many.main().contains("Case 4999"));
    assert_eq!(guest.get("/w/shop/specs").status, 200);
    let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    assert_eq!(guest.get(&format!("/w/shop/spec/{encoded}")).status, 200);
}

#[test]
fn odd_requests_are_answered_and_break_nothing() {
    let shop = Shop::open(SHOP);
    let guest = shop.sign_in();
    let deep = format!("/w/shop/spec/{}", "a%2F".repeat(2_000));
    for path in [
        "/w/shop/spec/..%2F..%2Fetc%2Fpasswd",
        "/w/shop/spec/%00",
        "/w/shop/board?column=nope&from=99999999999999999999",
        "/w/shop/graph?around=%F0%9F%8E%89&depth=-1",
        "/w/shop/specs?cursor=zzz",
        "/w/shop/proof?state=nope",
        "/w/shop/ops?status=nope",
        "/w/shop/ops?since=nope",
        &deep,
    ] {
        let status = guest.get(path).status;
        assert!((200..500).contains(&status), "{path}: {status}");
    }
    assert_eq!(shop.ask("DELETE", "/w/shop/board", &[("Cookie", &guest.cookie)], "").status, 405);
    assert_eq!(guest.get("/w/shop/board").status, 200);
}

/// Everything that a verdict binds is on the page of the review, wherever in the documents it stands.
#[test]
fn a_review_leaves_out_no_line_that_a_verdict_is_about() {
    let hidden = [
        "preamble of the proposal",
        "impact of the change",
        "[//]: # (a comment in Markdown)",
        "why-in-code",
        "limit-in-code 9999",
        "<!-- comment in a requirement -->",
        "**Priority**: fact of a requirement",
        "cell of a table",
        "prose before the clauses",
        "quoted in a scenario",
        "prose behind the clauses",
        "below a deeper heading",
        "preamble of the delta",
        "A heading that is no requirement",
        "section of the delta",
        "A heading that says it all",
        "prose between tasks",
    ];
    let [
        preamble,
        impact,
        link,
        why,
        limit,
        comment,
        fact,
        cell,
        before,
        quote,
        behind,
        deeper,
        delta,
        odd,
        section,
        heading,
        tasks,
    ] = hidden;
    let shop = Shop::open(SHOP);
    shop.workspace.add(&format!(
        "//- changes/odd/proposal.md\n# Odd\n\n{preamble}\n\n## Why\n\nBecause.\n\n{link}\n\n```sh\n{why}\n```\n\n## What Changes\n\n- all\n\n## Impact\n\n{impact}\n\n## {heading}\n\
         //- changes/odd/tasks.md\n## 1. Build\n\n{tasks}\n\n- [ ] 1.1 One\n\
         //- changes/odd/specs/accounts/spec.md\n{delta}\n\n## ADDED Requirements\n\n### Requirement: Odd\nIt SHALL hold.\n\n{fact}\n\n{comment}\n\n| a |\n|---|\n| {cell} |\n\n```json\n{limit}\n```\n\n##### Deeper\n\n{deeper}\n\n\
         #### Scenario: One\n{before}\n\n- **WHEN** a\n- **THEN** b\n\n> {quote}\n\n{behind}\n\n### {odd}\n\n## Notes\n\n{section}\n"
    ));
    let guest = shop.sign_in();
    let page = guest.get("/w/shop/change/odd");
    assert_eq!(page.status, 200, "{}", page.main());
    let main = page.main().replace("&lt;", "<").replace("&gt;", ">");
    for line in hidden {
        assert!(main.contains(line), "{line:?} is not on the page: {main}");
    }
    // What the cards tell is not told twice.
    assert_eq!(main.matches("It SHALL hold.").count(), 1, "{main}");
    assert!(!main.contains("- **WHEN** a"), "{main}");
}
