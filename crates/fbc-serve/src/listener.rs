//! Connections: how many there may be, how slow a client may be, encryption, and the end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::current::Current;
use crate::door::{self, Door};
use crate::hosts::Hosts;
use crate::opening::Opening;

pub use crate::door::Words;

/// What clients may ask of a server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time; more wait.
    pub connections: usize,
    /// Requests of all connections at a time, each from its head to the end of its answer; more are refused.
    pub requests: usize,
    /// How long a client may take for the handshake and for its first bytes.
    pub head: Duration,
    /// How long a connection may wait for its next request. hyper has one clock for that and for the head of a request, so
    /// what a client may take for a head is this as well. A short time breaks clients that keep connections: they learn that one was
    /// closed only when they use it.
    pub idle: Duration,
    /// How long requests that have begun may take when the server stops.
    pub drain: Duration,
}

/// How much of an answer the system takes for a client that does not read, in bytes. Left alone, it takes some megabytes for
/// each, and a thousand such clients use up what all connections of a machine share.
const SEND_BUFFER: u32 = 256 << 10;

/// How much of a request's head and of an answer is kept for a client of HTTP/1, in bytes.
const BUFFER: usize = 64 << 10;

/// Connections at a time.
pub const CONNECTIONS: usize = 10_000;

/// Requests of all connections at a time.
pub const REQUESTS: usize = 20_000;

/// Requests of a connection of HTTP/2 at a time.
pub const STREAMS: u32 = 200;

/// How many clients may wait to be accepted.
const BACKLOG: u32 = 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: CONNECTIONS,
            requests: REQUESTS,
            head: Duration::from_secs(5),
            idle: Duration::from_secs(90),
            drain: Duration::from_secs(30),
        }
    }
}

/// Who is at the other end of a connection. Every request carries it as an extension, in an [`Arc`].
#[derive(Debug, Clone)]
pub struct Peer {
    /// The address.
    pub address: SocketAddr,
    /// The certificates that it showed, its own first; none over plain text.
    pub certificates: Vec<CertificateDer<'static>>,
}

/// How connections are encrypted.
#[derive(Debug)]
pub struct Encryption {
    /// The protocol, with the certificate.
    pub config: Arc<ServerConfig>,
    /// The names in the certificate.
    pub names: Hosts,
}

impl Encryption {
    /// Encryption with the names that stand in its certificate.
    #[must_use]
    pub fn new(config: ServerConfig, certificate: &CertificateDer<'_>) -> Self {
        // One that cannot be read has no names; clients will not take it either.
        let names = webpki::EndEntityCert::try_from(certificate)
            .map(|certificate| Hosts::named(certificate.valid_dns_names()))
            .unwrap_or_default();
        Self { config: Arc::new(config), names }
    }
}

/// A socket that waits for clients.
pub struct Listener {
    socket: TcpListener,
    /// By which names it answers, besides those in the certificate.
    hosts: Arc<Hosts>,
    /// The encryption of connections that come from now on; plain text without it.
    encryption: Option<Arc<Current<Encryption>>>,
    limits: Limits,
    /// The form of its refusals.
    words: Words,
}

impl Listener {
    /// Listens at an address. What is asked under another name than those of `hosts` is refused before anything sees it,
    /// and so is what a browser sends for a page of another server.
    ///
    /// # Errors
    /// What the system says, such as that the port is in use.
    #[allow(clippy::unused_async, reason = "sockets need the runtime around them")]
    pub async fn bind(
        address: SocketAddr,
        hosts: Hosts,
        encryption: Option<Arc<Current<Encryption>>>,
        limits: Limits,
    ) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // As servers do that are started again at once.
        socket.set_reuseaddr(true)?;
        socket.set_send_buffer_size(SEND_BUFFER)?;
        socket.bind(address)?;
        let (socket, hosts) = (socket.listen(BACKLOG)?, Arc::new(hosts));
        Ok(Self { socket, hosts, encryption, limits, words: door::as_text })
    }

    /// Refuses requests in these words, instead of with a text.
    #[must_use]
    pub fn refusing(self, words: Words) -> Self {
        Self { words, ..self }
    }

    /// The address, with the port that was taken.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Serves until `stop` is done; then requests that have begun are finished.
    pub async fn serve<A, F, B>(self, answer: A, stop: impl Future<Output = ()>)
    where
        A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
        F: Future<Output = Result<Response<B>, Infallible>> + Send + 'static,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let graceful = GracefulShutdown::new();
        let room = Arc::new(Semaphore::new(self.limits.connections));
        let requests = Arc::new(Semaphore::new(self.limits.requests));
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = match select(stop.as_mut(), std::pin::pin!(self.accept(&room))).await {
                Either::Left(_) => break,
                Either::Right((accepted, _)) => accepted,
            };
            let (stream, address, permit) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Such as too many open files: what is open ends some time.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let watcher = graceful.watcher();
            let encryption = self.encryption.as_ref().and_then(|encryption| encryption.get());
            let (answer, limits, words) = (answer.clone(), self.limits, self.words);
            let (hosts, requests) = (Arc::clone(&self.hosts), Arc::clone(&requests));
            tokio::spawn(async move {
                let _permit = permit;
                match encryption {
                    None => {
                        let peer = Peer { address, certificates: Vec::new() };
                        let peer = Arc::new(peer);
                        let door = Door { hosts, encryption: None, room: requests, peer, words };
                        let answer = move |request| door.let_in(request, &answer);
                        converse(stream, answer, limits, watcher).await;
                    }
                    Some(encryption) => {
                        let handshake = TlsAcceptor::from(Arc::clone(&encryption.config)).accept(stream);
                        match tokio::time::timeout(limits.head, handshake).await {
                            Ok(Ok(stream)) => {
                                let shown = stream.get_ref().1.peer_certificates().unwrap_or_default();
                                let certificates = shown.iter().map(|one| one.clone().into_owned()).collect();
                                let peer = Peer { address, certificates };
                                let (encryption, peer) = (Some(encryption), Arc::new(peer));
                                let door = Door { hosts, encryption, room: requests, peer, words };
                                let answer = move |request| door.let_in(request, &answer);
                                converse(stream, answer, limits, watcher).await;
                            }
                            Ok(Err(error)) => tracing::debug!(%error, "handshake"),
                            Err(_) => tracing::debug!("the handshake took too long"),
                        }
                    }
                }
            });
        }
        drop(self.socket);
        if tokio::time::timeout(self.limits.drain, graceful.shutdown()).await.is_err() {
            tracing::warn!("requests were cut off, because they did not end in time");
        }
    }

    async fn accept(
        &self,
        room: &Arc<Semaphore>,
    ) -> io::Result<(TcpStream, SocketAddr, Option<tokio::sync::OwnedSemaphorePermit>)> {
        // The semaphore is never closed.
        let permit = Arc::clone(room).acquire_owned().await.ok();
        let (stream, address) = self.socket.accept().await?;
        // A client that asks little waits for little answers.
        stream.set_nodelay(true)?;
        Ok((stream, address, permit))
    }
}

async fn converse<S, A, F, B>(
    stream: S,
    answer: A,
    limits: Limits,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Result<Response<B>, Infallible>> + Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.idle).max_buf_size(BUFFER);
    let mut http2 = builder.http2();
    http2.timer(TokioTimer::new()).keep_alive_interval(Duration::from_secs(60));
    http2.max_concurrent_streams(STREAMS);
    let answer = service_fn(answer);
    let (stream, is_told) = Opening::watch(stream);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), answer);
    let patience = async {
        tokio::time::sleep(limits.head).await;
        if is_told.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    match select(std::pin::pin!(watcher.watch(connection)), std::pin::pin!(patience)).await {
        Either::Left((Ok(()), _)) => {}
        Either::Left((Err(error), _)) => tracing::debug!(error, "connection"),
        Either::Right(_) => tracing::debug!("the client said nothing"),
    }
}
