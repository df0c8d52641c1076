//! Newline-delimited JSON on stdin and stdout, as an rmcp transport.
//!
//! The runtime reads, and a thread writes what cannot be written at once, so a slow client blocks neither the runtime
//! nor the tools. What is no well-formed request is answered here and never reaches rmcp. Requests and replies go to
//! the wire log on the way.

use std::io::{self, Write};
use std::sync::Arc;

use hewto_call::AuditLog;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::AsyncRead;
use tokio::task::coop;
use tokio_util::sync::CancellationToken;

use super::decode::{Decoded, Handshake, decode, is_request};
use super::frame;
use super::in_flight::InFlight;
use super::line::{Line, LineReader, MAX_LINE_BYTES};
use super::outlet::{Completes, Outlet, WriteNow};

/// How many replies a client may leave unread before it is not read from any more.
const MAX_IN_FLIGHT: usize = 4096;

/// The server's end of a pair of pipes.
#[derive(Debug)]
pub(crate) struct StdioTransport<R> {
    lines: LineReader<R>,
    outlet: Outlet,
    in_flight: Arc<InFlight>,
    /// Cancelled when nobody can be written to any more.
    broken: CancellationToken,
    handshake: Handshake,
    /// An `initialize` that is not answered yet; what follows it waits, as it would for a patient client.
    opening: Option<RequestId>,
    audit: AuditLog,
    /// Cancelled at the end of input.
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send + 'static> StdioTransport<R> {
    /// `now` writes to the same place as `output`.
    pub(crate) fn new(
        input: R,
        output: impl Write + Send + 'static,
        now: Option<WriteNow>,
        audit: AuditLog,
        closing: CancellationToken,
    ) -> Self {
        let lines = LineReader::new(input, MAX_LINE_BYTES);
        let in_flight = Arc::new(InFlight::new());
        let broken = CancellationToken::new();
        let outlet = Outlet::new(output, now, Arc::clone(&in_flight), broken.clone());
        Self {
            lines,
            outlet,
            in_flight,
            broken,
            handshake: Handshake::Awaited,
            opening: None,
            audit,
            closing,
        }
    }

    /// The message in a line, unless the line is answered or passed over here.
    fn accept(&mut self, line: Line) -> Option<RxJsonRpcMessage<RoleServer>> {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong { id } => {
                let message = format!("a line may have {MAX_LINE_BYTES} bytes at most");
                self.refuse(
                    id,
                    ErrorData::invalid_request(message, Some(json!({ "error": "line_too_long" }))),
                );
                return None;
            }
        };
        let message: Value = match serde_json::from_slice(&text) {
            Ok(message) => message,
            Err(error) => {
                let message = format!("this line is not valid JSON: {error}");
                self.refuse(None, ErrorData::parse_error(message, Some(json!({ "error": "parse_error" }))));
                return None;
            }
        };
        if is_request(&message) {
            self.audit.request(&text);
        }
        match decode(message, self.handshake) {
            Decoded::Message(message) => self.admit(*message),
            Decoded::Refused { id, error } => {
                self.refuse(id, error);
                None
            }
            Decoded::Ignored => None,
        }
    }

    fn admit(&mut self, message: RxJsonRpcMessage<RoleServer>) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.in_flight.admit(&request.id) {
                    let text = format!("a request with the id `{}` is still in flight", request.id);
                    let data = json!({ "error": "duplicate_id" });
                    self.refuse(Some(request.id.clone()), ErrorData::invalid_request(text, Some(data)));
                    return None;
                }
                if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    self.handshake = Handshake::Done;
                    self.opening = Some(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                // rmcp sends no reply to what was cancelled.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.in_flight.forgive(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    #[expect(clippy::needless_pass_by_value, reason = "a refusal is used up by sending it")]
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        let frame = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        self.in_flight.add_refusal();
        // A client that is gone needs no refusal.
        let _ = self.write(frame.to_string().into_bytes(), Completes::Other);
    }

    fn write(&mut self, mut bytes: Vec<u8>, completes: Completes) -> io::Result<()> {
        if !matches!(completes, Completes::Nothing) {
            self.audit.response(&bytes);
        }
        bytes.push(b'\n');
        self.outlet.send(bytes, completes)
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for StdioTransport<R> {
    type Error = io::Error;

    /// Frames leave in the order of these calls.
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let completes = match &message {
            JsonRpcMessage::Response(response) => Completes::Request(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone().map_or(Completes::Nothing, Completes::Request),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => Completes::Nothing,
        };
        let written =
            frame::encode(&message).map_err(Into::into).and_then(|bytes| self.write(bytes, completes));
        std::future::ready(written)
    }

    /// The next message; after the end of input, `None` once every reply is written.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // rmcp drops this future whenever something else happens first: nothing may be lost between two awaits.
        let broken = self.broken.clone();
        loop {
            let line = tokio::select! {
                line = async {
                    if let Some(id) = &self.opening {
                        self.in_flight.settled(id).await;
                        self.opening = None;
                    }
                    self.in_flight.fewer_than(MAX_IN_FLIGHT).await;
                    // However fast they come, the runtime gets to look at everything else.
                    coop::consume_budget().await;
                    self.lines.next_line().await
                } => line,
                () = broken.cancelled() => return None,
            };
            let line = match line {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "cannot read from the client");
                    break;
                }
            };
            if let Some(message) = self.accept(line) {
                return Some(message);
            }
        }
        // What goes on until somebody ends it ends here, and is answered.
        self.closing.cancel();
        tokio::select! {
            () = self.in_flight.fewer_than(1) => {}
            () = broken.cancelled() => {}
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outlet.flush().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use futures::FutureExt;

    use super::*;
    use crate::transport::test_input;

    /// A client that closed its end.
    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_client_that_cannot_be_written_to_ends_the_transport_though_its_input_stays_open() {
        let (input, mut open) = io::pipe().unwrap();
        let mut transport = StdioTransport::new(
            test_input(input),
            Gone,
            None,
            AuditLog::new("test".into()),
            CancellationToken::new(),
        );
        open.write_all(b"no JSON\n").unwrap();
        assert!(transport.receive().await.is_none());
        transport.close().await.unwrap();
        drop(open);
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_not_read_from_without_end() {
        let (input, mut client) = io::pipe().unwrap();
        let (_unread, output) = io::pipe().unwrap();
        let mut transport = StdioTransport::new(
            test_input(input),
            output,
            None,
            AuditLog::new("test".into()),
            CancellationToken::new(),
        );
        let writer = thread::spawn(move || {
            // What is left when the transport goes is of no interest.
            (0..MAX_IN_FLIGHT + 100)
                .try_for_each(|id| writeln!(client, r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
        });
        for _ in 0..MAX_IN_FLIGHT {
            assert!(transport.receive().await.is_some());
        }
        assert!(transport.receive().now_or_never().is_none(), "the next waits until a reply is written");
        transport.in_flight.forgive(&RequestId::Number(0));
        assert!(transport.receive().await.is_some());
        drop(transport);
        let _ = writer.join().unwrap();
    }
}
