//! The sample project: a small shop in the middle of its work.
//!
//! Files that people would have written are written here; everything that hewto keeps is made through the server, like
//! in any other project. There are living specs, two changes that touch the same requirement, a plan that is half
//! built, a spec that waits for another, a decision, and a document that cannot be read.

use std::path::Path;

use hewto_engine::init::{self, InitOptions};
use hewto_engine::{Error, Key, Kind, LayoutKind, Result};
use serde_json::{Value, json};

use crate::failure::machine;
use crate::mcp_client::{Client, Reply};
use crate::place::context;

/// The requirement that two people want to change.
const DISPUTED: &str = "Checkout in three steps";

/// What people wrote.
const FILES: [(&str, &str); 8] = [
    // A repository of its own, so that decisions made in it stay in it.
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/objects/.keep", ""),
    (".git/refs/.keep", ""),
    ("package.json", "{ \"name\": \"corner-shop\", \"private\": true }\n"),
    (
        "src/login/password.ts",
        "export function check(address: string, password: string): boolean {\n  return false; // not yet\n}\n",
    ),
    (
        "specs/accounts/spec.md",
        "# Accounts\n\n## Purpose\n\nLet customers come back and be recognised, without keeping more about them than needed.\n\n\
         ## Requirements\n\n### Requirement: Sign in\n\nThe shop SHALL let a customer sign in with an address and a password.\n\n\
         #### Scenario: The password is right\n\n- **GIVEN** a customer with an account\n- **WHEN** address and password match\n- **THEN** the customer is signed in\n\n\
         #### Scenario: The password is wrong\n\n- **WHEN** the password does not match\n- **THEN** the answer is the same as for an unknown address\n",
    ),
    (
        "specs/checkout/spec.md",
        "# Checkout\n\n## Purpose\n\nTake an order from the basket to the payment with as few questions as the law allows.\n\n\
         ## Requirements\n\n### Requirement: Checkout in three steps\n\nThe shop SHALL ask for address, delivery and payment, in this order.\n\n\
         #### Scenario: All is filled in\n\n- **WHEN** the third step is confirmed\n- **THEN** the order is placed\n",
    ),
    // A list that somebody did not close.
    (
        "specs/returns/spec.md",
        "---\ntitle: Returns\ndependencies: [accounts\n---\n\n# Returns\n\nGoods can be sent back for 30 days.\n",
    ),
];

/// What the rest of the demonstration refers to.
#[derive(Debug)]
pub(super) struct Sample {
    /// The spec that waits for another one.
    pub(super) waiting: String,
}

/// Makes the folder a workspace with the files of the project.
pub(super) fn lay_out(root: &Path) -> Result<()> {
    let options = InitOptions {
        name: Some("Corner shop".to_owned()),
        description: Some("A small web shop, in the middle of its work".to_owned()),
        ..InitOptions::new(LayoutKind::Native)
    };
    if !init::init(root, &context(), &options)?.created {
        let message = format!("the folder is in a workspace already: {}", root.display());
        return Err(Error::new(Kind::Refused, Key::FolderInUse, message));
    }
    let cannot = |error| machine("cannot write the sample", error);
    for (path, text) in FILES {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder).map_err(cannot)?;
        }
        fs_err::write(path, text).map_err(cannot)?;
    }
    Ok(())
}

/// Brings the project to where the story begins.
pub(super) fn bring_to_life(client: &mut Client) -> Result<Sample> {
    let mut server = Quiet { client };
    let cards = server.ask(
        "spec_create",
        &json!({ "title": "Gift cards", "description": "Customers buy a card and pay with its code" }),
    )?;
    let cards = text(&cards, "spec_id");
    server.ask(
        "plan_create",
        &json!({
            "spec_id": cards,
            "approach": "A card is a code with a balance; paying with it is one transaction",
            "steps": [
                { "title": "Codes", "description": "Twelve characters that cannot be guessed" },
                { "title": "Balance", "description": "Never below zero, even when two people pay at once" },
                { "title": "Till", "description": "Pay with one card, or with several" },
            ],
        }),
    )?;
    server.ask("build_start", &json!({ "spec_id": cards, "plan_approved": true }))?;
    server.ask("plan_step_complete", &json!({ "spec_id": cards, "step_index": 0 }))?;
    let mails = server.ask(
        "spec_create",
        &json!({
            "title": "Gift card mails",
            "description": "Send a card to somebody on a day of one's choice",
            "dependencies": [{ "spec_id": cards, "kind": "hard" }],
        }),
    )?;
    for (change, why, sentence) in [
        (
            "guest-checkout",
            "Half of all visitors have no account and leave when they are asked to make one",
            "without an account",
        ),
        (
            "one-page-checkout",
            "Every step of the checkout loses one visitor in ten, and there are three",
            "on one page",
        ),
    ] {
        server.ask("change_create", &disputed(change, why, sentence))?;
    }
    let asked = server.ask(
        "require_clarification",
        &json!({
            "user_intention": "Choose the database of the shop: PostgreSQL with Drizzle",
            "answers": { "allowlist_paths": "src/", "acceptance_criteria": "Orders survive a restart" },
        }),
    )?;
    if text(&asked, "status") != "completed" {
        server.ask(
            "require_clarification",
            &json!({
                "user_intention": "Choose the database of the shop: PostgreSQL with Drizzle",
                "session_id": asked.get("session_id"),
                "answers": { "allowlist_paths": "src/", "acceptance_criteria": "Orders survive a restart" },
            }),
        )?;
    }
    Ok(Sample { waiting: text(&mails, "spec_id") })
}

fn disputed(change: &str, why: &str, sentence: &str) -> Value {
    json!({
        "change_id": change,
        "why": why,
        "what_changes": format!("- Checkout works {sentence}"),
        "tasks": ["Build it", "Measure it"],
        "deltas": { "checkout": { "modified": [{
            "name": DISPUTED,
            "text": format!("The shop SHALL ask for address, delivery and payment, {sentence}."),
            "scenarios": [
                { "name": "All is filled in", "when": "the last field is confirmed", "then": ["the order is placed"] },
            ],
        }] } },
    })
}

/// Calls that are not part of the story.
struct Quiet<'a> {
    client: &'a mut Client,
}

impl Quiet<'_> {
    fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        match self.client.call(tool, arguments)? {
            Reply::Result(result) => Ok(result),
            Reply::Refusal(refusal) => {
                let message = format!("`{tool}` did not answer as it should: {refusal}");
                Err(Error::new(Kind::Machine, Key::DemoFailed, message))
            }
        }
    }
}

pub(super) fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
