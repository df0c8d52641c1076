//! Connections: accepting them, serving them, and ending them all in time.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::connections::{Busy, Registered};
use crate::patient::Patient;
use crate::reply::{self, Reply};
use crate::request::Endpoints;
use crate::route::answer_request;
use crate::state::HttpState;
use crate::steady::Steady;
use crate::tls::Stream;

/// The longest head of a request.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long a client may take to send a head, and to begin the next.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How often forgotten sessions are looked for.
const TIDY_INTERVAL: Duration = Duration::from_mins(1);
/// Calls under way may finish within this time after the end was asked for.
const FINISH_TIME: Duration = Duration::from_secs(8);
/// And have this long to answer after they were cancelled.
const CUT_TIME: Duration = Duration::from_millis(1_500);
/// How long what a client still sends is read after the last answer, so that it gets to read that answer.
const LINGER_TIME: Duration = Duration::from_secs(2);
/// The same when the server closes, which idle clients must not hold up.
const CLOSING_LINGER_TIME: Duration = Duration::from_millis(200);
/// A machine that is out of descriptors needs a moment.
const BREATH: Duration = Duration::from_millis(100);

/// Serves until `stop`, then until everything under way is answered or time is up.
pub(crate) async fn serve(listener: TcpListener, state: &Arc<HttpState>, stop: impl Future<Output = ()>) {
    let mut stop = pin!(stop);
    let mut connections = JoinSet::new();
    let mut tidy = interval(TIDY_INTERVAL);
    tidy.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, remote)) => {
                    let Some(registered) = state.connections.admit(remote.ip().into()) else {
                        let refused = state.metrics.connections_refused.fetch_add(1, Ordering::Relaxed) + 1;
                        // What is turned away is counted; a line for each would only help to fill the disk.
                        if refused.is_power_of_two() {
                            tracing::warn!(%remote, refused, "too many connections; this one is turned away");
                        }
                        continue;
                    };
                    if let Ok(local) = stream.local_addr() {
                        let ends = Endpoints { remote, local, is_spare: registered.connection.is_spare };
                        connections.spawn(connection(Arc::clone(state), stream, ends, registered));
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    // Most likely the machine is out of descriptors.
                    if !state.connections.evict_one() {
                        sleep(BREATH).await;
                    }
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            _ = tidy.tick() => state.tidy(),
        }
    }
    drop(listener);
    state.close();
    if timeout(FINISH_TIME, all(&mut connections)).await.is_err() {
        state.cutting.cancel();
        let _ = timeout(CUT_TIME, all(&mut connections)).await;
    }
    // Whoever was cut off is gone when this returns, and everything is told that had to be.
    connections.shutdown().await;
}

async fn all(connections: &mut JoinSet<()>) {
    while connections.join_next().await.is_some() {}
}

async fn connection(state: Arc<HttpState>, stream: TcpStream, ends: Endpoints, registered: Registered) {
    state.metrics.connections.fetch_add(1, Ordering::Relaxed);
    // Small answers leave at once instead of waiting for the client's acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let closing = state.closing.clone();
    let stream = match &state.tls {
        None => Stream::Plain(stream),
        Some(tls) => tokio::select! {
            shaken = timeout(HEAD_TIME, tls.accept(stream)) => match shaken {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => {
                    tracing::debug!(%error, remote = %ends.remote, "a handshake failed");
                    return;
                }
                Err(_) => return,
            },
            () = closing.cancelled() => return,
            () = registered.connection.evicted.cancelled() => return,
        },
    };
    let this = Arc::clone(&registered.connection);
    let service = service_fn(move |request| {
        let busy = this.busy();
        let reply = answer_request(Arc::clone(&state), ends, request);
        Box::pin(async move { Ok::<_, Infallible>(until_sent(reply.await, busy)) })
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    let steady = Steady::new();
    let ended = tokio::select! {
        ended = poll_fn(|cx| steady.poll(cx, |cx| connection.poll_without_shutdown(cx))) => Some(ended),
        () = closing.cancelled() => None,
        // Nobody is being answered on it, so nothing is lost.
        () = registered.connection.evicted.cancelled() => return,
    };
    let (ended, linger) = if let Some(ended) = ended {
        (ended, LINGER_TIME)
    } else {
        Pin::new(&mut connection).graceful_shutdown();
        (poll_fn(|cx| connection.poll_without_shutdown(cx)).await, CLOSING_LINGER_TIME)
    };
    if let Err(error) = ended {
        tracing::debug!(%error, remote = %ends.remote, "a connection ended early");
    }
    connection.into_parts().io.into_inner().part(linger).await;
}

/// Keeps the connection from being idle until the whole answer is on its way.
fn until_sent(reply: Reply, busy: Busy) -> Reply {
    reply.map(|body| Sending { body, _busy: busy }.boxed_unsync())
}

struct Sending {
    body: reply::Body,
    _busy: Busy,
}

impl Body for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::server::HttpOptions;

    /// Asks how the server is; nothing when it closes instead of answering.
    async fn health(stream: &mut TcpStream) -> String {
        // Who was turned away cannot always write.
        let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        let mut answer = [0; 12];
        let read = stream.read_exact(&mut answer).await;
        read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&answer).into_owned())
    }

    struct Running {
        address: SocketAddr,
        state: Arc<HttpState>,
        stop: CancellationToken,
        serving: tokio::task::JoinHandle<()>,
    }

    async fn start(max_connections: usize) -> Running {
        let options = HttpOptions { max_connections: Some(max_connections), ..HttpOptions::default() };
        let state = Arc::new(HttpState::new(options, Vec::new()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving = tokio::spawn({
            let (state, stop) = (Arc::clone(&state), stop.clone());
            async move { serve(listener, &state, stop.cancelled_owned()).await }
        });
        Running { address, state, stop, serving }
    }

    #[tokio::test]
    async fn a_crowd_that_says_nothing_keeps_nobody_out() {
        let Running { address, state, stop, serving } = start(8).await;
        let connect = || async { TcpStream::connect(address).await.unwrap() };
        let mut crowd = Vec::new();
        for _ in 0..100 {
            crowd.push(connect().await);
        }
        assert_eq!(health(&mut connect().await).await, "HTTP/1.1 200");
        let mut first = [0];
        let heard = crowd[0].read(&mut first).await;
        assert!(heard.is_err() || heard.is_ok_and(|read| read == 0), "who was silent for longest had to go");
        assert!(state.connections.count() <= 8);
        stop.cancel();
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn half_a_head_is_silence_too() {
        let Running { address, stop, serving, .. } = start(4).await;
        let mut crowd = Vec::new();
        for _ in 0..50 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Who was turned away cannot always write.
            let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: loc").await;
            crowd.push(stream);
        }
        let mut late = TcpStream::connect(address).await.unwrap();
        assert_eq!(health(&mut late).await, "HTTP/1.1 200");
        drop(crowd);
        stop.cancel();
        serving.await.unwrap();
    }
}
