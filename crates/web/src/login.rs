//! Signing in and out: by a one-time key or by a token, and the cookie that remembers it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_http::hyper::{HeaderMap, StatusCode};
use hewto_http::{Principal, Refusal, Reply};

use crate::door;
use crate::form::Form;
use crate::frame::Theme;
use crate::pages;
use crate::reply::{html, see_other, set_cookie};
use crate::service::WebRoutes;

/// How long somebody waits who signs in with what nobody has.
const WRONG_KEY: Duration = Duration::from_millis(500);

impl WebRoutes {
    pub(crate) async fn login(&self, form: &Form, theme: Theme) -> Result<Reply, Refusal> {
        let principal = match (form.get("key"), form.get("token")) {
            (Some(key), _) => self.sessions.redeem(key.trim(), Instant::now()),
            (None, Some(token)) => self.known(token.trim()).await,
            (None, None) => None,
        };
        let Some(principal) = principal else {
            // As slow as somebody who guesses deserves, and on record.
            tracing::warn!("a sign-in with an unknown key or token");
            tokio::time::sleep(WRONG_KEY).await;
            return Ok(self.login_page(theme, Some(StatusCode::FORBIDDEN)));
        };
        let secret = door::fresh(&self.options.context);
        let id = self.options.context.uuid().to_string();
        let now = self.options.context.now().as_second();
        let left = principal.until().map(|end| Duration::from_secs(u64::try_from(end - now).unwrap_or(0)));
        self.sessions.open(&secret, id, principal, left, Instant::now());
        let mut reply = see_other("/");
        set_cookie(&mut reply, &self.cookie(&secret, true));
        Ok(reply)
    }

    pub(crate) fn logout(&self, headers: &HeaderMap) -> Reply {
        if let Some(secret) = door::cookie(headers, door::cookie_name(self.options.scheme)) {
            self.sessions.close(secret);
        }
        let mut reply = see_other("/login");
        set_cookie(&mut reply, &self.cookie("", false));
        reply
    }

    /// Whose token this is.
    async fn known(&self, token: &str) -> Option<Arc<Principal>> {
        for authenticator in &self.options.authenticators {
            if let Ok(principal) = authenticator.identify(token.as_bytes()).await {
                return Some(principal);
            }
        }
        None
    }

    /// Only this host gets it, no script reads it, and no other site's page sends it along.
    fn cookie(&self, secret: &str, keep: bool) -> String {
        let name = door::cookie_name(self.options.scheme);
        let end = if keep { "" } else { "; Max-Age=0" };
        format!("{name}={secret}; Path=/; HttpOnly; SameSite=Strict{}{end}", self.secure())
    }

    pub(crate) fn secure(&self) -> &'static str {
        if self.options.scheme == "https" { "; Secure" } else { "" }
    }

    pub(crate) fn login_page(&self, theme: Theme, refused: Option<StatusCode>) -> Reply {
        let takes_tokens = !self.options.authenticators.is_empty();
        let was_refused = refused == Some(StatusCode::FORBIDDEN);
        html(refused.unwrap_or(StatusCode::OK), pages::login(theme, takes_tokens, was_refused))
    }
}
