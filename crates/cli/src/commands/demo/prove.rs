//! The end of the story: a promise that nobody has shown to hold, the test that was missing, and the tick that is allowed.

use std::os::unix::fs::PermissionsExt as _;

use hewto_core::proof::settings::digest;
use serde_json::json;

use super::sample::text;
use super::story::{Scene, Teller};
use crate::failure::{Outcome, machine};

/// What the owner of the project asks for: a check, and that nothing is ticked without it.
const SETTINGS: &str = "policy = \"enforce\"\ntests = [\"tests/**\"]\n\n[check.unit]\nrun = [\"./run-tests\"]\nformat = \"tap\"\n";

/// A runner that needs nothing but a shell: every `test("…")` passes while links live for 15 minutes, and is told in TAP.
const RUNNER: &str = "#!/bin/sh\nPATH=/usr/bin:/bin\ngrep -q 'lifetimeInMinutes = 15' src/login/token.ts && end=ok || end='not ok'\nsed -n 's/^test(\"\\([^\"]*\\)\".*/\\1/p' tests/*.ts | while read -r title; do echo \"$end - $title\"; done\n[ \"$end\" = ok ]\n";

/// The promise that is at stake.
const PROMISE: &str = "accounts#sign-in-by-mail/the-link-is-fresh";

const TEST: &str = "// @spec accounts#sign-in-by-mail/the-link-is-fresh\ntest(\"a fresh link signs in\", () => {\n  expect(lifetimeInMinutes).toBe(15);\n});\n";

pub(super) fn tell<Show: FnMut(Scene) -> Outcome<()>>(teller: &mut Teller<'_, Show>) -> Outcome<()> {
    teller.phase = "prove";
    teller.write(".hewto/proof.toml", SETTINGS)?;
    teller.write("run-tests", RUNNER)?;
    let runner = teller.root.join("run-tests");
    std::fs::set_permissions(runner, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| machine("cannot write the sample", error))?;
    let spec = teller.act(
        "From now on nothing is ticked that no test has shown",
        "spec_create",
        json!({ "title": "Show that fresh links work", "description": "Nobody has tested the links by mail" }),
    )?;
    let id = text(&spec, "spec_id");
    teller.act(
        "A step says what it proves",
        "plan_create",
        json!({
            "spec_id": id,
            "approach": "A test beside the code",
            "steps": [{ "title": "Fresh link", "description": format!("Test the lifetime\n\n- **Proves:** {PROMISE}") }],
        }),
    )?;
    let tick = json!({ "spec_id": id, "step_index": 0 });
    teller.refused("A tick alone shows nothing", "plan_step_complete", tick.clone())?;
    teller.write("tests/login.test.ts", TEST)?;
    // The demonstration is its own owner: it trusts exactly what it wrote a moment ago.
    let trusted = digest(SETTINGS.as_bytes());
    teller.command(
        "The missing test is written, and run by hewto itself",
        &["proof", "run", "--trust", &trusted],
    )?;
    teller.act("Now the tick is allowed", "plan_step_complete", tick)?;
    Ok(())
}
