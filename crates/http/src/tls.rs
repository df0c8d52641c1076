//! TLS: the certificate and the key of the server, and a stream that may be either.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hewto_core::failure::{Key, Kind};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::error::{Error, Result};

/// The certificate and the key by which a server is known.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
}

impl Tls {
    /// Reads both from files of PEM. The key must be nobody else's to read.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self> {
        let mode = fs_err::metadata(key).map_err(|error| unreadable(key, error))?.permissions().mode();
        if mode & 0o077 != 0 {
            let shown = key.display();
            return Err(usage(format!("others can read the key: `{shown}` has mode {:04o}", mode & 0o7777))
                .hint(format!(
                    "run `chmod 600 {shown}`, and take a new key if others may have seen this one"
                )));
        }
        let read = |path: &Path| fs_err::read(path).map_err(|error| unreadable(path, error));
        Self::parse(&read(certificate)?, &read(key)?).map_err(|fault| {
            usage(format!(
                "cannot serve TLS with `{}` and `{}`: {fault}",
                certificate.display(),
                key.display()
            ))
            .hint("name a certificate with its chain (PEM) and the key that belongs to it (PEM)")
        })
    }

    fn parse(certificate: &[u8], key: &[u8]) -> std::result::Result<Self, String> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate)
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| error.to_string())?;
        if chain.is_empty() {
            return Err("there is no certificate in the file".to_owned());
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| "there is no key in the file".to_owned())?;
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
                .map_err(|error| error.to_string())?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)) })
    }

    /// Shakes hands with a client.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<Stream> {
        Ok(Stream::Tls(Box::new(self.acceptor.accept(stream).await?)))
    }
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::usage(format!("cannot read `{}`", path.display())).caused_by(error)
}

fn usage(message: String) -> Error {
    Error::new(Kind::Usage, Key::Usage, message)
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// What a client is connected by.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_rustls::TlsConnector;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::server::{HttpOptions, HttpServer};

    const AUTHORITY: &[u8] = include_bytes!("../../net/tests/tls/authority.pem");
    const CERTIFICATE: &[u8] = include_bytes!("../../net/tests/tls/server.pem");
    const KEY: &[u8] = include_bytes!("../../net/tests/tls/server.key");

    fn connector() -> TlsConnector {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(AUTHORITY).unwrap()).unwrap();
        let config =
            rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth();
        TlsConnector::from(Arc::new(config))
    }

    #[tokio::test]
    async fn a_client_that_knows_the_authority_is_answered_and_plain_text_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (certificate, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
        fs_err::write(&certificate, CERTIFICATE).unwrap();
        fs_err::write(&key, KEY).unwrap();
        fs_err::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
        let tls = Some(Tls::open(&certificate, &key).unwrap());
        let server = HttpServer::bind("127.0.0.1:0", HttpOptions { tls, ..HttpOptions::default() }).unwrap();
        let (address, stop) = (server.address(), CancellationToken::new());
        let serving = tokio::spawn(server.run(stop.clone().cancelled_owned()));

        let stream = TcpStream::connect(address).await.unwrap();
        let name = rustls::pki_types::ServerName::try_from("127.0.0.1").unwrap();
        let mut stream = connector().connect(name, stream).await.unwrap();
        let request = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

        let mut plain = TcpStream::connect(address).await.unwrap();
        plain.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        // It may be reset.
        let _ = plain.read_to_end(&mut answer).await;
        assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
        stop.cancel();
        serving.await.unwrap().unwrap();
    }

    #[test]
    fn files_that_cannot_serve_are_refused_and_so_is_a_key_that_others_can_read() {
        assert!(Tls::parse(CERTIFICATE, KEY).is_ok());
        for (certificate, key) in [(&b""[..], KEY), (CERTIFICATE, &b"nothing"[..]), (AUTHORITY, KEY)] {
            assert!(Tls::parse(certificate, key).is_err());
        }
        let dir = tempfile::tempdir().unwrap();
        let key = dir.path().join("key.pem");
        fs_err::write(&key, KEY).unwrap();
        fs_err::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = Tls::open(&dir.path().join("cert.pem"), &key).unwrap_err();
        assert!(error.message.starts_with("others can read the key"), "{error}");
    }
}
