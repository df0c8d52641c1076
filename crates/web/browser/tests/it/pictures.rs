//! The pictures of README and guide, made from the project of `hewto demo`. They are made when `HEWTO_PICTURES` names the folder
//! they go to.

use std::process::Command;

use crate::chromium::in_browser;
use crate::shop::Shop;

#[test]
fn the_board_and_a_review_of_the_demonstration_are_worth_a_picture() {
    let Some(folder) = std::env::var_os("HEWTO_PICTURES").map(std::path::PathBuf::from) else { return };
    let home = tempfile::tempdir().expect("a folder");
    let binary = std::env::var("HEWTO_BINARY").expect("HEWTO_BINARY names the program");
    let shown = Command::new(binary)
        .args(["demo", "shop"])
        .current_dir(home.path())
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .output()
        .expect("the demonstration runs");
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let root = home.path().join("shop");
    let changes = std::fs::read_dir(root.join("changes")).expect("the demonstration has changes");
    let mut changes: Vec<String> = changes
        .flatten()
        .filter(|entry| entry.path().join("specs").exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    changes.sort();
    let change = changes.pop().expect("one of them is open");
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    in_browser(1280, |browser| async move {
        let mut shop = Shop::at(home, root, 0);
        browser.sign_in(&mut shop).await;
        for (name, path) in [("board", "board".to_owned()), ("review", format!("change/{change}"))] {
            browser.open(&shop, &format!("/w/default/{path}")).await;
            browser.wait_for("main h1").await;
            if name == "board" {
                let known = "!document.querySelector('#region-strip').textContent.includes('checking')";
                browser.until("health is known", known).await;
            }
            let picture = browser.client.screenshot().await.expect("a picture");
            assert!(picture.len() < 200 * 1024, "{name} has {} bytes", picture.len());
            std::fs::write(folder.join(format!("{name}.png")), picture).expect("it can be kept");
        }
        browser
    });
}
