//! What changes is pushed to the hub that the owner named, for as long as a server runs.

use hewto_engine::hub;
use serde_json::json;

use crate::act;
use crate::place::Place;

/// Pushes from now on; nothing where there is no workspace, or no hub.
pub(crate) fn start(place: &Place) -> Option<hub::Pusher> {
    let workspace = place.workspace().ok()?;
    let noted = workspace.clone();
    hub::watch(&workspace, move |look| {
        // It says itself what went wrong, once.
        let _ = act::perhaps_in_workspace(&noted, "hub push", json!({}), |context| look(context));
    })
}
