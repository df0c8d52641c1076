//! Cursors belong to whoever got them (D-14).
//!
//! The engine binds a cursor to its workspace, its list and its filters. Here it is bound to the principal too, for
//! every tool at once. Where nobody has to say who they are, cursors stay as the engine made them.

use hewto_core::page::seal;
use hewto_engine::{Context, Error, Result};
use hewto_http::ANONYMOUS;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::table::Output;

/// Puts the caller's mark on the cursor that a view ends with.
pub(crate) fn give(output: &mut Output, context: &Context) {
    if let Some(mark) = mark(context)
        && let Some(marked) = marked(output.view.get(), &mark)
    {
        output.view = marked;
    }
}

/// The view with the mark before its cursor; `None` when it has no cursor.
fn marked(view: &str, mark: &str) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Paged<'v> {
        #[serde(borrow)]
        next_cursor: Option<&'v RawValue>,
    }
    let paged: Paged<'_> = serde_json::from_str(view).ok()?;
    let cursor = paged.next_cursor?.get().strip_prefix('"')?;
    let (before, behind) = view.split_at(cursor.as_ptr().addr() - view.as_ptr().addr());
    RawValue::from_string([before, mark, behind].concat()).ok()
}

/// Takes the mark off a cursor that came back; refuses one that was given to somebody else.
pub(crate) fn take(arguments: &mut Value, context: &Context) -> Result<()> {
    let Some(mark) = mark(context) else { return Ok(()) };
    if let Some(Value::String(cursor)) = arguments.get_mut("cursor") {
        *cursor = cursor.strip_prefix(&mark).ok_or_else(foreign)?.to_owned();
    }
    Ok(())
}

/// What the cursors of this caller begin with; nothing when they are for everybody.
pub(crate) fn mark(context: &Context) -> Option<String> {
    let principal = context.caller().principal.as_deref().filter(|name| *name != ANONYMOUS)?;
    Some(seal(&principal))
}

fn foreign() -> Error {
    Error::foreign_cursor("a `next_cursor` that you were given")
}

#[cfg(test)]
mod tests {
    use hewto_engine::Caller;
    use serde_json::json;

    use super::*;

    fn context(principal: Option<&str>) -> Context {
        let ground = Context::background();
        let caller = Caller { principal: principal.map(str::to_owned), ..ground.caller().clone() };
        ground.with_caller(caller)
    }

    #[test]
    fn a_cursor_comes_back_from_its_own_principal_only() {
        let (ann, bob) = (context(Some("ann")), context(Some("bob")));
        let mut output = Output::of(
            &json!({ "specs": [{ "next_cursor": "no" }], "next_cursor": "seal.last", "more": {} }),
        )
        .unwrap();
        give(&mut output, &ann);
        let given = json!({ "cursor": output.value().unwrap()["next_cursor"], "limit": 1 });
        let mut taken = given.clone();
        take(&mut taken, &ann).unwrap();
        assert_eq!(taken, json!({ "cursor": "seal.last", "limit": 1 }));
        assert_eq!(take(&mut given.clone(), &bob).unwrap_err().key.as_str(), "invalid_params");
        assert_eq!(
            take(&mut json!({ "cursor": "seal.last" }), &ann).unwrap_err().key.as_str(),
            "invalid_params"
        );
    }

    #[test]
    fn cursors_of_nobody_in_particular_and_calls_without_any_stay_as_they_are() {
        for principal in [None, Some(ANONYMOUS)] {
            let mut output = Output::of(&json!({ "next_cursor": "seal.last" })).unwrap();
            give(&mut output, &context(principal));
            assert_eq!(output.value().unwrap()["next_cursor"], "seal.last");
            take(&mut json!({ "cursor": "seal.last" }), &context(principal)).unwrap();
        }
        let mut arguments = json!({ "limit": 1 });
        take(&mut arguments, &context(Some("ann"))).unwrap();
        assert_eq!(arguments, json!({ "limit": 1 }));
    }
}
