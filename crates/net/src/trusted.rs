//! A document of a machine that the owner of this one named: https, or http on loopback, without detours.

use std::time::Duration;

/// Longest document that is read.
const MAX_BYTES: u64 = 256 * 1024;
const WITHIN: Duration = Duration::from_secs(5);

/// Fetches a text from exactly this address; says why not.
pub fn fetch_trusted(url: &str) -> Result<String, String> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(WITHIN))
        .proxy(None)
        .user_agent(concat!("hewto/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let failed = |error: ureq::Error| format!("cannot fetch `{url}`: {error}");
    let mut response = agent.get(url).call().map_err(failed)?;
    let status = response.status().as_u16();
    if status != 200 {
        return Err(format!("`{url}` answers with {status}"));
    }
    let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec().map_err(failed)?;
    String::from_utf8(body).map_err(|_| format!("`{url}` is not text"))
}
