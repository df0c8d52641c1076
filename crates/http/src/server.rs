//! A server on a port: taking it, mounting services, running to the end.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;

use hewto_core::failure::{Key, Kind};

use crate::access::Authenticator;
use crate::error::{Error, Result};
use crate::listen;
use crate::origin::OriginPolicy;
use crate::service::Service;
use crate::state::HttpState;
use crate::tls::Tls;

/// Who may reach a server, and how.
#[derive(Debug, Default)]
pub struct HttpOptions {
    /// Hosts that the server answers to, besides loopback.
    pub allow_hosts: Vec<String>,
    /// Origins whose pages may speak to it, besides loopback.
    pub allow_origins: Vec<String>,
    /// Without any, everybody who reaches the port may do everything; only loopback can be bound then.
    pub authenticators: Vec<Arc<dyn Authenticator>>,
    /// How many connections may be open, where that is less than the server would take.
    pub max_connections: Option<usize>,
    /// Without it everything is said in the clear.
    pub tls: Option<Tls>,
}

/// A server on a port.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
    services: Vec<Arc<dyn Service>>,
}

impl HttpServer {
    /// Takes the port. An address beyond loopback is refused unless there are tokens.
    pub fn bind(address: &str, options: HttpOptions) -> Result<Self> {
        OriginPolicy::check_options(&options.allow_hosts, &options.allow_origins)?;
        let addresses: Vec<SocketAddr> = address
            .to_socket_addrs()
            .map_err(|_| {
                Error::usage(format!("`{address}` is not an address")).hint("write it as `127.0.0.1:7420`")
            })?
            .collect();
        if options.authenticators.is_empty() && !addresses.iter().all(|address| address.ip().is_loopback()) {
            return Err(Error::usage(format!(
                "`{address}` is open to other machines, and there are no tokens"
            ))
            .hint("name a token file with `--token-file PATH`, or bind `127.0.0.1`"));
        }
        let taken = |error| {
            Error::new(Kind::Machine, Key::AddressUnavailable, format!("cannot listen on `{address}`"))
                .caused_by(error)
                .hint("choose another port with `--http 127.0.0.1:PORT`")
        };
        let listener = TcpListener::bind(&addresses[..]).map_err(taken)?;
        listener.set_nonblocking(true).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        Ok(Self { listener, address, options, services: Vec::new() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds a service; of two that own a path the one that was mounted first answers.
    pub fn mount(&mut self, service: impl Service) {
        self.services.push(Arc::new(service));
    }

    /// Serves until `stop`; what is under way then is still answered, within ten seconds.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(|error| {
            Error::new(Kind::Machine, Key::InternalError, "cannot serve the port").caused_by(error)
        })?;
        let state = Arc::new(HttpState::new(self.options, self.services));
        for service in &state.services {
            service.start();
        }
        listen::serve(listener, &state, stop).await;
        for service in &state.services {
            service.finish().await;
        }
        Ok(())
    }
}
