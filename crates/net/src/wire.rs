//! How a call travels: by one write where it fits, to an address that is looked up once in a while.
//!
//! Left to itself the client writes the head of a request and its body apart, so that the other side wakes up twice, and looks
//! up the host in a new thread for every call, also where a connection is open. Both take longer than a small call itself.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// What waits for more to be written at once.
const MOST_WAITING: usize = 64 * 1024;
/// A host may move; a call that does not find it there is soon right again.
const REMEMBERED: Duration = Duration::from_secs(10);

/// Makes connections whose output goes out when an answer is waited for.
#[derive(Debug)]
pub(crate) struct Gathered;

impl<In: Transport> Connector<In> for Gathered {
    type Out = Gathering<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(|inner| Gathering { inner, waiting: Vec::new() }))
    }
}

#[derive(Debug)]
pub(crate) struct Gathering<T> {
    inner: T,
    waiting: Vec<u8>,
}

impl<T: Transport> Gathering<T> {
    fn send(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut rest = waiting.as_slice();
        while !rest.is_empty() {
            let output = self.inner.buffers().output();
            let (now, later) = rest.split_at(rest.len().min(output.len()));
            output[..now.len()].copy_from_slice(now);
            self.inner.transmit_output(now.len(), timeout)?;
            rest = later;
        }
        Ok(())
    }
}

impl<T: Transport> Transport for Gathering<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.waiting.extend_from_slice(&self.inner.buffers().output()[..amount]);
        if self.waiting.len() > MOST_WAITING { self.send(timeout) } else { Ok(()) }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.send(timeout)?;
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

/// Looks a host up, and remembers where it is for a moment.
#[derive(Debug, Default)]
pub(crate) struct Remembering {
    resolver: DefaultResolver,
    last: Mutex<Option<(Instant, Uri, ResolvedSocketAddrs)>>,
}

impl Resolver for Remembering {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let is_same = |other: &Uri| other.scheme() == uri.scheme() && other.authority() == uri.authority();
        let known = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, of, addresses)) = known
            && at.elapsed() < REMEMBERED
            && is_same(&of)
        {
            return Ok(addresses);
        }
        let addresses = self.resolver.resolve(uri, config, timeout)?;
        let found = Some((Instant::now(), uri.clone(), addresses.clone()));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = found;
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// Answers so many calls on one connection, and how many reads each of them took.
    fn server(calls: usize, length: usize) -> (String, std::thread::JoinHandle<Vec<usize>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut all = Vec::new();
            for _ in 0..calls {
                let (mut got, mut reads, mut buffer) = (Vec::new(), 0, vec![0; 256 * 1024]);
                let whole = |got: &[u8]| {
                    let head = got.windows(4).position(|four| four == b"\r\n\r\n");
                    head.is_some_and(|head| got.len() == head + 4 + length)
                };
                while !whole(&got) {
                    let read = stream.read(&mut buffer).unwrap();
                    assert_ne!(read, 0, "the call ended early");
                    got.extend_from_slice(&buffer[..read]);
                    reads += 1;
                }
                assert!(got.ends_with(&vec![b'x'; length]));
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
                all.push(reads);
            }
            all
        });
        (address, served)
    }

    fn agent() -> ureq::Agent {
        use ureq::unversioned::transport::DefaultConnector;
        let config = Config::builder().timeout_global(Some(Duration::from_mins(1))).build();
        ureq::Agent::with_parts(config, DefaultConnector::new().chain(Gathered), Remembering::default())
    }

    #[test]
    fn a_small_call_is_one_write_on_one_connection() {
        let (address, served) = server(3, 3_000);
        let agent = agent();
        for _ in 0..3 {
            let mut answer = agent.post(&address).send(&vec![b'x'; 3_000][..]).unwrap();
            assert_eq!(answer.body_mut().read_to_string().unwrap(), "ok");
        }
        assert_eq!(served.join().unwrap(), [1, 1, 1]);
    }

    #[test]
    fn a_large_call_arrives_whole() {
        let (address, served) = server(2, 1_000_000);
        let agent = agent();
        for _ in 0..2 {
            let mut answer = agent.post(&address).send(&vec![b'x'; 1_000_000][..]).unwrap();
            assert_eq!(answer.body_mut().read_to_string().unwrap(), "ok");
        }
        assert_eq!(served.join().unwrap().len(), 2);
    }
}
