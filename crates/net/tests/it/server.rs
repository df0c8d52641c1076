//! A server that answers each connection with the next line of its script and remembers what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What happens to one connection.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A whole answer: status, extra headers, body.
    Http(u16, &'static str, String),
    /// Nothing, until the client gives up.
    Silence,
    /// The connection is closed in the middle of the body.
    Torn,
}

#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Answers by the script, then repeats its last reply.
    pub(crate) fn with(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            // Kept open, so that the client waits and is not told that nobody is there.
            let mut silent = Vec::new();
            for (turn, stream) in listener.incoming().enumerate() {
                let Ok(mut stream) = stream else { break };
                let reply = script.get(turn).or(script.last()).cloned().expect("a script has a reply");
                log.lock().unwrap().push(read_request(&stream));
                match reply {
                    Reply::Http(status, headers, body) => {
                        let length = body.len();
                        let head = format!(
                            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
                        );
                        let _ = stream.write_all(format!("{head}{body}").as_bytes());
                    }
                    Reply::Torn => {
                        let _ = stream
                            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"content\": [");
                    }
                    Reply::Silence => silent.push(stream),
                }
            }
        });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap() > 2 {}
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.trim().parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Asked { head, body: serde_json::from_slice(&body).unwrap_or_default() }
}

/// An answer that calls the tool, as Anthropic writes it.
pub(crate) fn anthropic(input: &Value) -> Reply {
    let content = json!([{"type": "text", "text": "Sure."}, {"type": "tool_use", "id": "t", "name": "submit", "input": input}]);
    Reply::Http(200, "", json!({"id": "m", "role": "assistant", "content": content}).to_string())
}

/// An answer that calls the tool, as OpenAI writes it.
pub(crate) fn openai(input: &Value) -> Reply {
    let call = json!({"id": "c", "type": "function", "function": {"name": "submit", "arguments": input.to_string()}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    Reply::Http(200, "", json!({"choices": [{"index": 0, "message": message}]}).to_string())
}

pub(crate) fn status(code: u16) -> Reply {
    Reply::Http(code, "", "{\"error\": \"no\"}".to_owned())
}
