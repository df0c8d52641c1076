//! Streamable HTTP: both eras of the protocol on one endpoint, many clients, many workspaces.
//!
//! hyper cuts requests, [`route`] checks who asks and leads them on, [`post`] hands messages to rmcp through a [`link`],
//! and [`answer`] makes JSON or a stream of events of what comes back. rmcp's own HTTP service is not used: it decodes
//! messages its own way, and bodies are to be equal on stdio and here (docs/adr). Nothing here knows a tool.

mod answer;
mod body;
pub(crate) mod fuzz;
mod gate;
mod headers;
mod house;
mod link;
mod listen;
mod metrics;
mod mount;
mod origin;
mod patient;
mod post;
mod refusal;
mod route;
mod session;
mod token;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;

use hewto_engine::{Error, Kind, Result};
use rmcp::ServerHandler;

use self::house::House;
use self::mount::Mount;
use self::origin::Doors;
pub(crate) use self::token::ANONYMOUS;
pub use self::token::{Scope, Tokens};
use crate::server::McpServer;

/// The name of the workspace behind `/mcp`.
pub const DEFAULT_MOUNT: &str = "default";

/// Who may reach a server over HTTP, and how.
#[derive(Debug, Default)]
pub struct HttpOptions {
    /// Hosts that the server answers to, besides loopback.
    pub allow_hosts: Vec<String>,
    /// Origins whose pages may speak to it, besides loopback.
    pub allow_origins: Vec<String>,
    /// Without any, everybody who reaches the port may do everything; only loopback can be bound then.
    pub tokens: Option<Tokens>,
}

/// A server on a port.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
    mounts: BTreeMap<String, Mount>,
}

impl HttpServer {
    /// Takes the port. An address beyond loopback is refused unless there are tokens.
    pub fn bind(address: &str, options: HttpOptions) -> Result<Self> {
        Doors::check_options(&options.allow_hosts, &options.allow_origins)?;
        let addresses: Vec<SocketAddr> = address
            .to_socket_addrs()
            .map_err(|_| usage(format!("`{address}` is no address")).hint("write it as `127.0.0.1:7420`"))?
            .collect();
        if options.tokens.is_none() && !addresses.iter().all(|address| address.ip().is_loopback()) {
            return Err(usage(format!("`{address}` is open to other machines, and there are no tokens"))
                .hint("name a token file with `--token-file PATH`, or bind `127.0.0.1`"));
        }
        let taken = |error| {
            Error::new(Kind::Machine, "address_unavailable", None, format!("cannot listen on `{address}`"))
                .caused_by(error)
                .hint("choose another port with `--http 127.0.0.1:PORT`")
        };
        let listener = TcpListener::bind(&addresses[..]).map_err(taken)?;
        listener.set_nonblocking(true).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        Ok(Self { listener, address, options, mounts: BTreeMap::new() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves a workspace under `/mcp/w/NAME`, and under `/mcp` too when it is called `default`.
    pub fn mount(&mut self, name: impl Into<String>, server: McpServer) {
        self.mounts.insert(name.into(), Mount::of_server(server.into_state()));
    }

    /// Serves any handler behind the same transport, for tests of the transport itself.
    #[doc(hidden)]
    pub fn mount_handler(&mut self, name: impl Into<String>, handler: impl ServerHandler + Clone) {
        self.mounts.insert(name.into(), Mount::of_foreign(handler));
    }

    /// Serves until `stop`; what is under way then is still answered, within ten seconds.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(|error| {
            Error::new(Kind::Machine, "internal_error", Some(-32603), "cannot serve the port")
                .caused_by(error)
        })?;
        let house = Arc::new(House::new(self.options, self.mounts));
        for mount in house.mounts.values() {
            mount.open();
        }
        listen::serve(listener, &house, listen::MOST_CONNECTIONS, stop).await;
        for mount in house.mounts.values() {
            mount.audit.flush().await;
        }
        Ok(())
    }
}

fn usage(message: String) -> Error {
    Error::new(Kind::Usage, "usage", None, message)
}
