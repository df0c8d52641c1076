//! Every error of seed 003.

use hewto_testkit::{Era, ModelReply, ModelServer, TestWorkspace};
use serde_json::{Value, json};

use super::{AUTH, arguments, clarify, ids, legacy, refused, repository, serve};

#[test]
fn repo_not_found() {
    let place = TestWorkspace::empty();
    let mut session = legacy(&place);
    for tool in ["require_clarification", "read_architecture"] {
        let call = if tool == "read_architecture" { json!({}) } else { arguments(AUTH, json!({})) };
        let error = refused(&mut session, tool, call);
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!("REPO_NOT_FOUND"), &json!("No git repository found"))
        );
    }
    let error = refused(&mut session, "read_architecture", json!({"repo_path": "/nowhere/at/all"}));
    assert_eq!(error["code"], "REPO_NOT_FOUND");
}

#[test]
fn session_not_found() {
    let place = repository();
    let mut session = legacy(&place);
    let error =
        refused(&mut session, "require_clarification", arguments("x", json!({"session_id": "sess-0001"})));
    assert_eq!(error["code"], "SESSION_NOT_FOUND");
    // Another process does not know the sessions of this one.
    let first = clarify(&mut session, json!({}));
    drop(session);
    let mut other = legacy(&place);
    let error = refused(
        &mut other,
        "require_clarification",
        arguments("x", json!({"session_id": first["session_id"]})),
    );
    assert_eq!(error["code"], "SESSION_NOT_FOUND");
}

#[test]
fn a_session_of_another_repository_names_its_own() {
    let place = TestWorkspace::from_fixture("//- a/.git/HEAD\n\n//- b/.git/HEAD\n\n");
    let mut session = legacy(&place);
    let first = clarify(&mut session, json!({"repo_path": "a"}));
    let call = arguments("x", json!({"repo_path": "b", "session_id": first["session_id"]}));
    let error = refused(&mut session, "require_clarification", call);
    assert!(error["details"]["session_repo_path"].as_str().unwrap().ends_with("/a"), "{error}");
}

#[test]
fn validation_failed() {
    let place = repository();
    let mut session = legacy(&place);
    for intention in [AUTH, "Add a PostgreSQL database with Prisma"] {
        session.call("require_clarification", arguments(intention, json!({}))).ok();
    }
    let name = place.names_in("docs/adr").pop().unwrap();
    let text = place.read(&format!("docs/adr/{name}"));
    let (start, end) = (text.find("### Authentication").unwrap(), text.find("### Database").unwrap());
    place.add(&format!("//- docs/adr/{name}\n{}{}", &text[..start], &text[end..]));
    let error = refused(&mut session, "require_clarification", arguments("Add a Redis cache", json!({})));
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("VALIDATION_FAILED"), &json!("ADR snapshot validation failed"))
    );
    assert_eq!(error["details"]["missing_keys"], json!(["Authentication"]));
    let error = refused(&mut session, "require_clarification", arguments(" ", json!({})));
    assert_eq!(
        (&error["code"], &error["details"]["reason"]),
        (&json!("VALIDATION_FAILED"), &json!("EMPTY_INTENTION"))
    );
}

#[test]
fn parse_error() {
    let place = repository();
    let mut session = legacy(&place);
    place.add("//- docs/CURRENT_TASK.md\n# mine\n");
    let error = refused(&mut session, "require_clarification", arguments(AUTH, json!({})));
    assert_eq!(
        (&error["code"], &error["details"]["path"]),
        (&json!("PARSE_ERROR"), &json!("docs/CURRENT_TASK.md"))
    );
    assert_eq!(place.read("docs/CURRENT_TASK.md"), "# mine\n");
    place.add("//- docs/ARCHITECTURE_STATE.md\nbroken\n");
    let error = refused(&mut session, "read_architecture", json!({}));
    assert_eq!((&error["code"], &error["details"]["line"]), (&json!("PARSE_ERROR"), &json!(1)));
}

#[test]
fn filesystem_error() {
    let place = repository();
    let mut session = legacy(&place);
    place.add("//- docs/adr\nin the way\n");
    let error = refused(&mut session, "require_clarification", arguments(AUTH, json!({})));
    assert_eq!(error["code"], "FILESYSTEM_ERROR");
    assert_eq!(place.names_in("docs"), ["adr"]);
}

#[test]
fn in_a_read_only_folder_nothing_is_half_written_and_the_session_goes_on() {
    let place = repository();
    place.add("//- docs/adr/README.md\nours\n");
    let mut session = legacy(&place);
    let first = clarify(&mut session, json!({}));
    let answers = json!({"auth_strategy": "SAML", "auth_library": "Clerk"});
    let more = arguments("x", json!({"session_id": first["session_id"], "answers": answers}));
    for shut in ["docs", "docs/adr"] {
        let allow = |mode: u32| {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs_err::set_permissions(place.root().join(shut), permissions).unwrap();
        };
        allow(0o555);
        if fs_err::create_dir(place.root().join(shut).join("probe")).is_ok() {
            // Whoever may write anywhere cannot be kept out.
            fs_err::remove_dir(place.root().join(shut).join("probe")).unwrap();
            continue;
        }
        let error = refused(&mut session, "require_clarification", more.clone());
        assert_eq!(error["code"], "FILESYSTEM_ERROR", "{shut}: {error}");
        assert_eq!(place.names_in("docs"), ["adr"], "{shut}");
        assert_eq!(place.names_in("docs/adr"), ["README.md"], "{shut}");
        allow(0o755);
    }
    assert_eq!(session.call("require_clarification", more).ok()["status"], "completed");
}

#[test]
fn patch_extraction_failed() {
    let questions = json!([
        {"id": "a", "type": "single_choice", "question": "A?", "options": ["1", "2"]},
        {"id": "b", "type": "single_choice", "question": "B?", "options": ["1", "2"]},
    ]);
    let asks = ModelReply::anthropic(
        "submit_clarification",
        &json!({"questions": questions, "missing_info": ["a", "b"]}),
    );
    let declines = ModelReply::anthropic("submit_decision", &json!({"status": "insufficient"}));
    let model = ModelServer::with(vec![asks, declines]);
    let place = repository();
    let env = [("HEWTO_LLM_PROVIDER", "anthropic"), ("HEWTO_LLM_BASE_URL", model.url.as_str())];
    let mut session = serve(&place, Era::Legacy, &env);
    let first = session.call("require_clarification", arguments("Improve everything", json!({}))).ok();
    assert_eq!(ids(&first), ["a", "b"]);
    let go_on =
        |answers: Value| arguments("x", json!({"session_id": first["session_id"], "answers": answers}));
    let other = json!({"a": "Other (specify)", "b": "Other (specify)"});
    let second = session.call("require_clarification", go_on(other)).ok();
    assert_eq!(ids(&second), ["a__other", "b__other"]);
    let mut reply = session.call("require_clarification", go_on(json!({"a__other": "x", "b__other": "y"})));
    if !reply.is_error {
        reply = session.call("require_clarification", go_on(json!({"description": "z"})));
    }
    assert!(reply.text.contains("PATCH_EXTRACTION_FAILED"), "{}", reply.text);
    assert!(!place.exists("docs"));
}
