//! A client that does nothing but send a POST on a connection that stays open, and wait for its answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

const VERSION: &str = "2026-07-28";

/// A server under measurement, on a port of its own.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// Open as long as the server lives, which may want to say something.
    _stderr: BufReader<ChildStderr>,
    address: SocketAddr,
}

/// One client's connection to it.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    next_id: u64,
    body: Vec<u8>,
}

impl Server {
    /// Starts a server that says on standard error where it serves.
    pub(crate) fn start(program: &Path, arguments: &[&str], folder: &Path) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let mut line = String::new();
        stderr.read_line(&mut line)?;
        let address = line.trim().trim_start_matches("serving http://").trim_end_matches("/mcp");
        let address = address.parse().map_err(|_| io::Error::other(format!("the server said: {line}")))?;
        Ok(Self { child, _stderr: stderr, address })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream: BufReader::new(stream), address: self.address, next_id: 0, body: Vec::new() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Connection {
    /// Calls a tool; anything but a result is an error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<()> {
        self.next_id += 1;
        let body = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments, "_meta": {
                "io.modelcontextprotocol/protocolVersion": VERSION,
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        } })
        .to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {VERSION}\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len(),
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        self.read_answer(tool)
    }

    fn read_answer(&mut self, tool: &str) -> io::Result<()> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.trim().to_owned();
        let mut length = None;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok();
            }
        }
        let length = length.ok_or_else(|| io::Error::other(format!("{tool}: `{status}` has no length")))?;
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        let text = String::from_utf8_lossy(&self.body);
        if !status.contains(" 200 ") || text.contains("\"error\":{") || text.contains("\"isError\":true") {
            return Err(io::Error::other(format!("{tool} failed: {status}: {text}")));
        }
        Ok(())
    }
}
