//! Telling services of what was answered in their name without them.

use crate::access::Principal;
use crate::refusal::Refusal;
use crate::route::Route;
use crate::service::AnsweredFor;
use crate::state::HttpState;

/// What is told of a request whose client left before it was answered.
const BROKEN_OFF: &str = "broken_off";

/// A request that stands at the door. Services are told of it however it ends, unless one of them lets it in.
#[derive(Debug)]
pub(crate) struct Door<'r> {
    state: &'r HttpState,
    route: Route<'r>,
    path: &'r str,
    principal: Option<String>,
    is_told: bool,
}

impl<'r> Door<'r> {
    pub(crate) fn before(state: &'r HttpState, route: Route<'r>, path: &'r str) -> Self {
        // Nobody is told of what is no service's: whether the server lives, and paths that lead nowhere.
        let is_told = !matches!(route, Route::Service(_) | Route::Metrics);
        Self { state, route, path, principal: None, is_told }
    }

    /// It is known who it is; what goes to a service is the service's to tell.
    pub(crate) fn enter(&mut self, principal: &Principal) {
        match self.route {
            Route::Service(_) => self.is_told = true,
            _ => self.principal = Some(principal.name.clone()),
        }
    }

    /// It was answered, perhaps by turning it away.
    pub(crate) fn answered(&mut self, refusal: Option<&Refusal>) {
        self.tell(refusal.map(Refusal::key));
    }

    fn tell(&mut self, refused: Option<&str>) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        let answered = AnsweredFor { principal: self.principal.as_deref(), path: self.path, refused };
        match self.route {
            Route::Service(service) => service.answered_for(answered),
            _ => self.state.services.iter().for_each(|service| service.answered_for(answered)),
        }
    }
}

impl Drop for Door<'_> {
    fn drop(&mut self) {
        self.tell(Some(BROKEN_OFF));
    }
}
