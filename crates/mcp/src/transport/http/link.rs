//! rmcp's end of HTTP: messages come from POSTs, and what goes out finds the stream it belongs to.
//!
//! A request of the new era has a link of its own; a session of the old era has one for all its requests. Frames are
//! made and logged here as on stdio, so that one transcript has equal bodies on both. What a stream becomes, JSON or
//! events, is `answer`'s business.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use hewto_call::AuditLog;
use rmcp::RoleServer;
use rmcp::model::{
    ErrorCode, GetExtensions, JsonRpcMessage, ProgressToken, RequestId, ServerNotification, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use crate::transport::frame;

/// How many frames a client may leave unread before its stream is given up.
const FRAMES_AHEAD: usize = 256;

/// A message for rmcp.
pub(super) type Incoming = RxJsonRpcMessage<RoleServer>;

/// One service's connection to its clients.
#[derive(Debug)]
pub(crate) struct Link {
    incoming: mpsc::Receiver<Incoming>,
    streams: Arc<Streams>,
    audit: AuditLog,
}

/// A message on its way to the client.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) bytes: Bytes,
    pub(super) last: Last,
}

/// Whether a frame ends its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    No,
    Result,
    Error(ErrorCode),
}

/// What a stream can carry besides its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    Everything,
    ResponseOnly,
}

/// The streams that wait for something.
#[derive(Debug, Default)]
pub(super) struct Streams {
    open: Mutex<Vec<Open>>,
    /// Where a session hears what belongs to none of its requests: the stream of its GET.
    common: Mutex<Option<mpsc::Sender<Frame>>>,
}

#[derive(Debug)]
struct Open {
    id: RequestId,
    token: Option<ProgressToken>,
    carries: Carries,
    frames: mpsc::Sender<Frame>,
}

impl Link {
    /// A link and the way to hand it messages.
    pub(super) fn new(streams: Arc<Streams>, audit: AuditLog) -> (mpsc::Sender<Incoming>, Self) {
        let (sender, incoming) = mpsc::channel(64);
        (sender, Self { incoming, streams, audit })
    }

    fn pass_on(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let bytes: Bytes = frame::encode(message)?.into();
        let last = match message {
            JsonRpcMessage::Response(_) => Last::Result,
            JsonRpcMessage::Error(error) => Last::Error(error.error.code),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => Last::No,
        };
        if last != Last::No {
            self.audit.response(&bytes);
        }
        self.streams.deliver(message, Frame { bytes, last })
    }
}

impl Transport<RoleServer> for Link {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(self.pass_on(&message))
    }

    async fn receive(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Streams {
    /// Opens the stream of a request; `None` when one with its id is still open.
    pub(super) fn open(
        &self,
        id: RequestId,
        token: Option<ProgressToken>,
        carries: Carries,
    ) -> Option<mpsc::Receiver<Frame>> {
        let mut open = self.lock();
        if open.iter().any(|stream| stream.id == id) {
            return None;
        }
        let (frames, waiting) = mpsc::channel(FRAMES_AHEAD);
        open.push(Open { id, token, carries, frames });
        Some(waiting)
    }

    /// Ends the stream of a request without a response.
    pub(super) fn close(&self, id: &RequestId) {
        self.lock().retain(|stream| stream.id != *id);
    }

    /// Opens the stream for what belongs to no request; one that was open before ends.
    pub(super) fn open_common(&self) -> mpsc::Receiver<Frame> {
        let (frames, waiting) = mpsc::channel(FRAMES_AHEAD);
        *self.common.lock().unwrap_or_else(PoisonError::into_inner) = Some(frames);
        waiting
    }

    /// Ends that stream.
    pub(super) fn close_common(&self) {
        *self.common.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn has_listeners(&self) -> bool {
        let common = self.common.lock().unwrap_or_else(PoisonError::into_inner);
        !self.lock().is_empty() || common.as_ref().is_some_and(|frames| !frames.is_closed())
    }

    fn deliver(&self, message: &TxJsonRpcMessage<RoleServer>, frame: Frame) -> io::Result<()> {
        match message {
            JsonRpcMessage::Response(response) => {
                self.finish(Some(&response.id), frame);
                Ok(())
            }
            JsonRpcMessage::Error(error) => {
                self.finish(error.id.as_ref(), frame);
                Ok(())
            }
            JsonRpcMessage::Notification(note) => {
                // A client that cannot hear a notification is not told, and nothing waits for it.
                let _ = match &note.notification {
                    ServerNotification::ProgressNotification(progress) => {
                        let token = &progress.params.progress_token;
                        self.tell(|stream| stream.token.as_ref() == Some(token), frame)
                    }
                    other => self.tell_related(other.extensions().get(), frame),
                };
                Ok(())
            }
            JsonRpcMessage::Request(request) => {
                let related = match &request.request {
                    ServerRequest::ElicitRequest(ask) => ask.extensions.get(),
                    other => other.extensions().get(),
                };
                self.tell_related(related, frame)
            }
        }
    }

    /// Ends a stream with its response. When the client is gone, nobody is left to be told.
    fn finish(&self, id: Option<&RequestId>, frame: Frame) {
        let stream = {
            let mut open = self.lock();
            let at = open.iter().position(|stream| Some(&stream.id) == id);
            at.map(|at| open.swap_remove(at))
        };
        if let Some(stream) = stream {
            // There is always room for it, see `tell`.
            let _ = stream.frames.try_send(frame);
        }
    }

    /// Says something on the stream of the request that it came from, or else where everybody listens.
    fn tell_related(&self, related: Option<&OriginatingRequestId>, frame: Frame) -> io::Result<()> {
        let only = {
            let open = self.lock();
            match open.as_slice() {
                [only] => Some(only.id.clone()),
                _ => None,
            }
        };
        match related.map(|related| related.0.clone()).or(only) {
            Some(id) => self.tell(|stream| stream.id == id, frame),
            None => self.tell_common(frame),
        }
    }

    fn tell(&self, is_meant: impl Fn(&Open) -> bool, frame: Frame) -> io::Result<()> {
        let mut open = self.lock();
        let at = open
            .iter()
            .position(|stream| is_meant(stream) && stream.carries == Carries::Everything)
            .ok_or(io::ErrorKind::NotConnected)?;
        let frames = &open[at].frames;
        // One place stays free for the response. A client that is so far behind is not listening.
        if frames.capacity() > 1 && frames.try_send(frame).is_ok() {
            return Ok(());
        }
        open.swap_remove(at);
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn tell_common(&self, frame: Frame) -> io::Result<()> {
        let mut common = self.common.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = common.as_ref().is_some_and(|frames| frames.try_send(frame).is_ok());
        if sent {
            return Ok(());
        }
        *common = None;
        Err(io::ErrorKind::NotConnected.into())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
