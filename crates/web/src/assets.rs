//! What the pages are drawn and driven with: our own, compiled in, under names that change with their contents.

use std::fmt::Write as _;
use std::sync::LazyLock;

use hewto_http::bytes::Bytes;
use hewto_http::hyper::StatusCode;
use hewto_http::hyper::header::{CACHE_CONTROL, HeaderValue};
use hewto_http::{Reply, typed};
use sha2::{Digest, Sha256};

/// Where they are.
const FOLDER: &str = "/assets/";

/// A file that is sent with the pages.
#[derive(Debug)]
pub(crate) struct Asset {
    name: &'static str,
    extension: &'static str,
    content_type: &'static str,
    body: &'static str,
    mark: LazyLock<String>,
}

macro_rules! asset {
    ($file:literal, $name:literal, $extension:literal, $type:literal) => {
        Asset {
            name: $name,
            extension: $extension,
            content_type: $type,
            body: include_str!(concat!("../assets/", $file)),
            mark: LazyLock::new(|| mark(include_str!(concat!("../assets/", $file)))),
        }
    };
}

pub(crate) static STYLE: Asset = asset!("style.css", "style", "css", "text/css; charset=utf-8");
pub(crate) static SCRIPT: Asset = asset!("hewto.js", "hewto", "js", "text/javascript; charset=utf-8");
pub(crate) static LOGIN: Asset = asset!("login.js", "login", "js", "text/javascript; charset=utf-8");
pub(crate) static ICON: Asset = asset!("icon.svg", "icon", "svg", "image/svg+xml");

impl Asset {
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}{}-{}.{}", self.name, *self.mark, self.extension)
    }
}

/// The asset at this path.
pub fn find(path: &str) -> Option<Reply> {
    let asset = [&STYLE, &SCRIPT, &LOGIN, &ICON].into_iter().find(|asset| asset.path() == path)?;
    let mut reply = typed(StatusCode::OK, asset.content_type, Bytes::from_static(asset.body.as_bytes()));
    let for_good = HeaderValue::from_static("public, max-age=31536000, immutable");
    reply.headers_mut().insert(CACHE_CONTROL, for_good);
    Some(reply)
}

fn mark(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    digest.iter().take(6).fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_together_is_small_and_plain() {
        let all = [&STYLE, &SCRIPT, &LOGIN, &ICON];
        let bytes: usize = all.iter().map(|asset| asset.body.len()).sum();
        assert!(bytes < 60 * 1024, "{bytes} bytes before compression");
        for asset in all {
            assert!(!asset.body.contains("http://") || asset.extension == "svg", "{}", asset.name);
            assert!(!asset.body.contains("eval(") && !asset.body.contains("innerHTML ="), "{}", asset.name);
        }
    }
}
