use std::time::Duration;

use hewto_core::decision::model::ToolRequest;
use hewto_net::model::{Choice, Client, Limits, ModelError, Patience, Settings};
use hewto_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

/// A server that stays silent for so long is given up where a test waits for that; the others wait much longer, so
/// that a slow machine fails nobody.
pub(crate) const SILENCE: Duration = Duration::from_secs(1);

/// A client of this server, with limits that suit a test.
pub(crate) fn client(provider: &str, base_url: &str, key: Option<&str>) -> Client {
    let lookup = |name: &str| match name {
        "HEWTO_LLM_PROVIDER" => Some(provider.to_owned()),
        "HEWTO_LLM_BASE_URL" => Some(base_url.to_owned()),
        "HEWTO_LLM_MODEL" => Some("test-model".to_owned()),
        "HEWTO_LLM_API_KEY" => key.map(str::to_owned),
        _ => None,
    };
    let Choice::Model(mut settings) = Settings::choose(lookup) else { panic!("no model") };
    settings.limits = Limits {
        attempt: Duration::from_secs(30),
        total: Duration::from_mins(1),
        attempts: 3,
        first_pause: Duration::from_millis(1),
    };
    Client::new(*settings)
}

pub(crate) fn ask(client: &Client) -> Result<Value, ModelError> {
    let request = ToolRequest {
        system: "Be brief".into(),
        user: "Ask me".into(),
        tool: "submit",
        description: "Submits it",
        schema: json!({"type": "object"}),
    };
    let patience = Patience { budget: Duration::from_mins(1), still_wanted: &|| true };
    client.ask(&request, patience, |answer| Ok(answer.clone()))
}

#[test]
fn anthropic_gets_its_own_format_and_headers() {
    let server = ModelServer::with(vec![ModelReply::anthropic("submit", &json!({"questions": []}))]);
    for base_url in [server.url.clone(), format!("{}/", server.url), format!("{}/v1", server.url)] {
        let answer = ask(&client("anthropic", &base_url, Some("key-1"))).unwrap();
        assert_eq!(answer, json!({"questions": []}));
    }
    for asked in server.asked() {
        assert!(asked.head.starts_with("POST /v1/messages HTTP/1.1"), "{}", asked.head);
        assert!(
            asked.head.contains("x-api-key: key-1") && asked.head.contains("anthropic-version: 2023-06-01")
        );
        assert_eq!(asked.body["system"], "Be brief");
        assert_eq!(asked.body["tool_choice"], json!({"type": "tool", "name": "submit"}));
        assert_eq!(asked.body["tools"][0]["input_schema"], json!({"type": "object"}));
        assert_eq!(asked.body["max_tokens"], 1024);
    }
}

#[test]
fn openai_and_its_likes_get_the_other_one() {
    let server = ModelServer::with(vec![ModelReply::openai("submit", &json!({"a": 1}))]);
    for (provider, limit) in
        [("openai", "max_completion_tokens"), ("openrouter", "max_tokens"), ("local", "max_tokens")]
    {
        let answer = ask(&client(provider, &format!("{}/v1", server.url), Some("key-2"))).unwrap();
        assert_eq!(answer, json!({"a": 1}));
        let asked = server.asked().pop().unwrap();
        assert!(asked.head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", asked.head);
        assert!(asked.head.contains("authorization: Bearer key-2"));
        assert_eq!(asked.body["messages"][0], json!({"role": "system", "content": "Be brief"}));
        assert_eq!(asked.body["tool_choice"]["function"]["name"], "submit");
        assert_eq!(asked.body[limit], 1024);
    }
}

#[test]
fn without_a_key_none_is_sent() {
    let server = ModelServer::with(vec![ModelReply::openai("submit", &json!({}))]);
    ask(&client("local", &server.url, None)).unwrap();
    assert!(!server.asked()[0].head.to_lowercase().contains("authorization"));
}

#[test]
fn a_model_that_writes_the_object_instead_of_calling_is_understood() {
    let message = json!({"role": "assistant", "content": "Here:\n```json\n{\"a\": 2}\n```"});
    let reply = ModelReply::Http(200, "", json!({"choices": [{"message": message}]}).to_string());
    let server = ModelServer::with(vec![reply]);
    assert_eq!(ask(&client("local", &server.url, None)).unwrap(), json!({"a": 2}));
}
