//! A model provider on this machine: it answers each connection with the next line of its script, and remembers what
//! it was asked. Scripts may misbehave.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Long, because test machines are busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// What happens to one connection.
#[derive(Debug, Clone)]
pub enum ModelReply {
    /// A whole answer: status, extra headers, body.
    Http(u16, &'static str, String),
    /// Nothing, until the client gives up.
    Silence,
    /// The connection is closed in the middle of the body.
    Torn,
}

/// What the server was asked.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub head: String,
    pub body: Value,
}

/// The server; it ends with the process.
#[derive(Debug)]
pub struct ModelServer {
    /// Without a path.
    pub url: String,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelServer {
    /// Answers by the script, then repeats its last reply.
    pub fn with(script: Vec<ModelReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let asked: Arc<Mutex<Vec<ModelRequest>>> = Arc::default();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            // Kept open, so that the client waits and is not told that nobody is there.
            let mut silent = Vec::new();
            for (turn, stream) in listener.incoming().enumerate() {
                let Ok(mut stream) = stream else { break };
                let reply = script.get(turn).or(script.last()).cloned().expect("a script has a reply");
                log.lock().expect("nobody panics while holding it").push(read_request(&stream));
                match reply {
                    ModelReply::Http(status, headers, body) => {
                        let length = body.len();
                        let head = format!(
                            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
                        );
                        let _ = stream.write_all(format!("{head}{body}").as_bytes());
                    }
                    ModelReply::Torn => {
                        let _ = stream
                            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"content\": [");
                    }
                    ModelReply::Silence => silent.push(stream),
                }
            }
        });
        Self { url, asked }
    }

    /// How often it was asked, which is so often at least: who has given up may be read only after that.
    pub fn times_asked(&self, at_least: usize) -> usize {
        let until = Instant::now() + PATIENCE;
        while self.asked().len() < at_least && Instant::now() < until {
            std::thread::yield_now();
        }
        self.asked().len()
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().expect("nobody panics while holding it").clone()
    }
}

fn read_request(stream: &TcpStream) -> ModelRequest {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.trim().parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        body.clear();
    }
    ModelRequest { head, body: serde_json::from_slice(&body).unwrap_or_default() }
}

impl ModelReply {
    /// An answer that calls the tool, as Anthropic writes it.
    pub fn anthropic(tool: &str, input: &Value) -> Self {
        let content = json!([{"type": "text", "text": "Sure."}, {"type": "tool_use", "id": "t", "name": tool, "input": input}]);
        Self::Http(200, "", json!({"id": "m", "role": "assistant", "content": content}).to_string())
    }

    /// An answer that calls the tool, as OpenAI writes it.
    pub fn openai(tool: &str, input: &Value) -> Self {
        let call = json!({"id": "c", "type": "function", "function": {"name": tool, "arguments": input.to_string()}});
        let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        Self::Http(200, "", json!({"choices": [{"index": 0, "message": message}]}).to_string())
    }

    /// A failure with this status.
    pub fn status(code: u16) -> Self {
        Self::Http(code, "", "{\"error\": \"no\"}".to_owned())
    }
}
