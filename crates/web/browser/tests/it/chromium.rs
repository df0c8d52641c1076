//! A browser without a window, and what a person does in it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};

use crate::shop::{PATIENCE, Shop};

/// A browser, its driver and its folder.
pub(crate) struct Browser {
    pub(crate) client: Client,
    driver: Child,
    _profile: tempfile::TempDir,
}

/// Runs a story in a browser of its own.
pub(crate) fn in_browser<F>(width: u32, story: impl FnOnce(Browser) -> F)
where
    F: Future<Output = Browser>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let Some(browser) = Browser::start(width).await else {
            assert!(std::env::var_os("CI").is_none(), "chromium and chromedriver have to be installed");
            return;
        };
        story(browser).await.close().await;
    });
}

impl Browser {
    async fn start(width: u32) -> Option<Self> {
        let is_there = |name: &str| Path::new("/usr/bin").join(name).exists();
        if !is_there("chromium") || !is_there("chromedriver") {
            return None;
        }
        let mut driver = Command::new("/usr/bin/chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let port = line.split_once("started successfully on port ")?.1;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.expect("the driver says its port");
        // A browser that has ended may write a last line, which is then left under `target/`.
        let profiles = target().join("profiles");
        std::fs::create_dir_all(&profiles).expect("a folder for profiles");
        let profile = tempfile::tempdir_in(profiles).expect("a folder");
        let usual = include_str!("../../chromium-arguments.txt").lines();
        let mut arguments: Vec<String> = usual
            .chain(["--disable-dev-shm-usage", "--force-device-scale-factor=1"])
            .map(str::to_owned)
            .collect();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        arguments.push(format!("--window-size={},900", width.max(500)));
        let mut options = json!({ "binary": "/usr/bin/chromium", "args": arguments });
        if width < 500 {
            options["mobileEmulation"] =
                json!({ "deviceMetrics": { "width": width, "height": 740, "pixelRatio": 1.0 } });
        }
        // A script that looks at all of a page takes long on a busy machine.
        let timeouts = json!({ "script": 2 * PATIENCE.as_secs() * 1_000 });
        let wanted = [("goog:chromeOptions", options), ("timeouts", timeouts)];
        let wanted: Map<String, Value> =
            wanted.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let connected = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await;
        Some(Self { client: connected.expect("a browser"), driver, _profile: profile })
    }

    pub(crate) async fn close(mut self) {
        self.client.clone().close().await.expect("the browser ends");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }

    /// Opens a one-time link, as `hewto ui` does.
    pub(crate) async fn sign_in(&self, shop: &mut Shop) {
        self.client.goto(&shop.link()).await.expect("the link opens");
        self.wait_for("#region-board").await;
    }

    pub(crate) async fn open(&self, shop: &Shop, path: &str) {
        self.client.goto(&format!("{}{path}", shop.origin())).await.expect("the page opens");
        self.whole().await;
    }

    /// Waits until all of the page is there: on a busy machine the driver answers while it is still being read.
    async fn whole(&self) {
        self.until("the page is whole", "document.readyState === 'complete'").await;
    }

    /// Opens a page, and waits until it hears of changes.
    pub(crate) async fn open_live(&self, shop: &Shop, path: &str) {
        self.open(shop, path).await;
        self.until("the page listens", "document.querySelector('#live')?.textContent.includes('● live')")
            .await;
    }

    pub(crate) async fn wait_for(&self, selector: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(selector)).await;
        match found {
            Ok(found) => found,
            Err(error) => {
                self.shoot("failure").await;
                let at = self.client.current_url().await.map(|url| url.to_string()).unwrap_or_default();
                panic!("{selector} does not appear at {at}: {error}")
            }
        }
    }

    /// Waits until the page says that a verdict was taken; it may say so of a comment before.
    pub(crate) async fn recorded(&self) {
        let said = "document.querySelector('.notice')?.textContent.includes('verdict is recorded')";
        self.until("the verdict is recorded", said).await;
    }

    /// Waits until a script finds what it looks for.
    pub(crate) async fn until(&self, what: &str, script: &str) {
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            // A page that is just being left cannot answer.
            let answer = self.client.execute(&format!("return Boolean({script})"), Vec::new()).await;
            if matches!(answer, Ok(Value::Bool(true))) {
                return;
            }
            if tokio::time::Instant::now() > end {
                self.shoot("failure").await;
                panic!("{what} does not happen");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Runs a script on the whole page.
    pub(crate) async fn script(&self, script: &str) -> Value {
        self.whole().await;
        self.client.execute(script, Vec::new()).await.expect("the script runs")
    }

    pub(crate) async fn click(&self, selector: &str) {
        let clicked = self.with_element(selector, async |element| element.click().await).await;
        clicked.unwrap_or_else(|error| panic!("{selector} cannot be clicked: {error}"));
    }

    pub(crate) async fn write(&self, selector: &str, text: &str) {
        self.with_element(selector, async |element| element.send_keys(text).await)
            .await
            .expect("it can be typed");
    }

    /// Does something with an element; one that the page replaces at this moment is looked for again.
    async fn with_element<T>(
        &self,
        selector: &str,
        act: impl AsyncFn(Element) -> Result<T, CmdError>,
    ) -> Result<T, CmdError> {
        let mut done = act(self.wait_for(selector).await).await;
        for _ in 0..5 {
            if done.is_ok() {
                break;
            }
            done = act(self.wait_for(selector).await).await;
        }
        done
    }

    /// Types where the focus is, once the page hears keys.
    pub(crate) async fn keys(&self, text: &str) {
        self.until("the page hears keys", "document.documentElement.dataset.ready").await;
        let mut typed = Ok(());
        // A region that is replaced at this moment has its focus again at once, in another element.
        for _ in 0..5 {
            let active = self.client.active_element().await.expect("something has the focus");
            typed = active.send_keys(text).await;
            if typed.is_ok() {
                break;
            }
        }
        typed.expect("it can be typed");
    }

    pub(crate) async fn press(&self, key: Key) {
        self.keys(&String::from(char::from(key))).await;
    }

    pub(crate) async fn text(&self, selector: &str) -> String {
        self.wait_for(selector).await;
        self.whole().await;
        self.with_element(selector, async |element| element.text().await).await.expect("it has a text")
    }

    /// Keeps a picture of the page under `target/`.
    pub(crate) async fn shoot(&self, name: &str) {
        let folder = target().join("screenshots");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        let picture = self.client.screenshot().await.expect("a picture");
        std::fs::write(folder.join(format!("{name}.png")), picture).expect("it can be kept");
    }

    /// Everything that the page asked for was ours.
    pub(crate) async fn asked_only(&self, shop: &Shop) {
        let asked =
            self.script("return performance.getEntriesByType('resource').map((one) => one.name)").await;
        for address in asked.as_array().expect("a list") {
            let address = address.as_str().expect("an address");
            assert!(address.starts_with(&shop.origin()), "{address} is not ours");
        }
    }
}

/// Where builds and what the tests leave are.
pub(crate) fn target() -> PathBuf {
    let chosen = std::env::var_os("HEWTO_TARGET").map(PathBuf::from);
    chosen.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target"))
}
