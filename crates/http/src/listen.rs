//! Connections: accepting them, serving them, and ending them all in time.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::patient::Patient;
use crate::request::Ends;
use crate::route::answer_request;
use crate::state::HttpState;

/// The most connections at once; who comes then is turned away.
pub(crate) const MOST_CONNECTIONS: usize = 4_096;
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
pub(crate) async fn serve(
    listener: TcpListener,
    state: &Arc<HttpState>,
    most: usize,
    stop: impl Future<Output = ()>,
) {
    let mut stop = pin!(stop);
    let mut connections = JoinSet::new();
    let mut tidy = interval(TIDY_INTERVAL);
    tidy.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, remote)) => {
                    if connections.len() >= most {
                        state.metrics.connections_refused.fetch_add(1, Ordering::Relaxed);
                        tracing::warn!(%remote, "too many connections; this one is turned away");
                        continue;
                    }
                    if let Ok(local) = stream.local_addr() {
                        let ends = Ends { remote, local };
                        connections.spawn(connection(Arc::clone(state), stream, ends));
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(BREATH).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            _ = tidy.tick() => state.tidy(),
        }
        state.connections.store(connections.len(), Ordering::Relaxed);
    }
    drop(listener);
    state.close();
    if timeout(FINISH_TIME, all(&mut connections)).await.is_err() {
        state.cutting.cancel();
        let _ = timeout(CUT_TIME, all(&mut connections)).await;
    }
    connections.abort_all();
}

async fn all(connections: &mut JoinSet<()>) {
    while connections.join_next().await.is_some() {}
}

async fn connection(state: Arc<HttpState>, stream: TcpStream, ends: Ends) {
    state.metrics.connections.fetch_add(1, Ordering::Relaxed);
    // Small answers leave at once instead of waiting for the client's acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let closing = state.closing.clone();
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        let reply = answer_request(state, ends, request);
        Box::pin(async move { Ok::<_, Infallible>(reply.await) })
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    let ended = tokio::select! {
        ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => Some(ended),
        () = closing.cancelled() => None,
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

#[cfg(test)]
mod tests {
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

    #[tokio::test]
    async fn who_comes_when_all_connections_are_taken_is_turned_away() {
        let state = Arc::new(HttpState::new(HttpOptions::default(), Vec::new()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving = tokio::spawn({
            let (state, stop) = (Arc::clone(&state), stop.clone());
            async move { serve(listener, &state, 2, stop.cancelled_owned()).await }
        });
        let connect = || async { TcpStream::connect(address).await.unwrap() };
        let (mut first, mut second) = (connect().await, connect().await);
        assert_eq!(health(&mut first).await, "HTTP/1.1 200");
        assert_eq!(health(&mut second).await, "HTTP/1.1 200");
        assert_eq!(health(&mut connect().await).await, "");
        assert_eq!(state.metrics.connections_refused.load(Ordering::Relaxed), 1);
        drop((first, second));
        while health(&mut connect().await).await.is_empty() {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        serving.await.unwrap();
    }
}
