//! What only a server with its own clock can show.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hewto_engine::Clock;
use serde_json::{Value, json};

use crate::transport::test_input;
use crate::{McpServerBuilder, Profile, ServerOptions};

#[tokio::test]
async fn session_expired() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::create_dir(folder.path().join(".git")).unwrap();
    let ahead = Arc::new(AtomicI64::new(0));
    let hand = Arc::clone(&ahead);
    let clock = Clock::new(move || Clock::system().moved_by(hand.load(Ordering::Relaxed)).now());
    let options = ServerOptions { profile: Some(Profile::Preflights), ..ServerOptions::default() };
    let server = McpServerBuilder::new()
        .with_workspace(folder.path())
        .with_options(options)
        .with_clock(clock)
        .build()
        .unwrap();
    let (server_input, mut input) = std::io::pipe().unwrap();
    let (output, server_output) = std::io::pipe().unwrap();
    let running = tokio::spawn(server.run_on(test_input(server_input), server_output));
    let client = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(output).lines();
        let mut ask = |id: u64, method: &str, params: Value| -> Value {
            writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
                .unwrap();
            serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
        };
        let client = json!({"name": "x", "version": "1"});
        ask(
            1,
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        );
        let mut call = |id: u64, session: Option<&Value>| -> Value {
            let arguments = json!({"user_intention": "Add authentication", "session_id": session});
            ask(id, "tools/call", json!({"name": "require_clarification", "arguments": arguments}))["result"]
                .take()
        };
        let first = call(2, None);
        let session = &first["structuredContent"]["session_id"];
        // Each use gives another half hour; then none is left.
        for (id, minutes) in [(3, 29), (4, 58)] {
            ahead.store(minutes * 60, Ordering::Relaxed);
            assert_eq!(call(id, Some(session))["structuredContent"]["status"], "needs_clarification");
        }
        ahead.store(88 * 60, Ordering::Relaxed);
        let expired = call(5, Some(session));
        assert_eq!(expired["isError"], true);
        let envelope: Value = serde_json::from_str(expired["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(envelope["error"]["code"], "SESSION_EXPIRED");
    });
    client.await.unwrap();
    running.await.unwrap().unwrap();
}
