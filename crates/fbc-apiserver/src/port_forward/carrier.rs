//! One connection to a port: bytes of a client in, bytes of what answers out.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::transport::{Incoming as _, Outgoing};

/// So many bytes wait for what answers at most, for all ports of a client together; then nothing more is read from it.
const WAITING_BYTES: usize = 4 << 20;
/// What a piece costs besides its bytes.
const PIECE_BYTES: usize = 128;
/// A client that says nothing for so long is gone. As kubelets have it (`streamingConnectionIdleTimeout`).
pub(super) const SILENCE: Duration = Duration::from_secs(4 * 60 * 60);
/// A client that takes nothing for so long is gone.
const STALL: Duration = Duration::from_secs(60);
/// So many messages wait for a client at most.
pub(super) const WAITING_MESSAGES: usize = 64;

/// Bytes on their way to a port.
#[derive(Debug)]
pub(super) struct Piece {
    bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Bounds what waits for the ports of a client.
#[derive(Debug, Clone)]
pub(super) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(WAITING_BYTES)))
    }
}

impl Room {
    /// Puts bytes on their way, as soon as there is room.
    pub(super) async fn put(&self, bytes: Bytes, to: &mpsc::UnboundedSender<Piece>) {
        if bytes.is_empty() {
            return;
        }
        let cost = u32::try_from(bytes.len() + PIECE_BYTES).unwrap_or(u32::MAX);
        // It is never closed.
        let room = Arc::clone(&self.0).acquire_many_owned(cost).await.ok();
        // What answers may have ended already.
        let _ = to.send(Piece { bytes, _room: room });
    }
}

/// Connects a client with a port until what answers there ends; `message` makes what the client is sent.
pub(super) async fn carry<M>(
    address: SocketAddr,
    mut input: mpsc::UnboundedReceiver<Piece>,
    output: &mpsc::Sender<M>,
    message: impl Fn(Bytes) -> M,
) -> io::Result<()> {
    let (mut from, mut to) = TcpStream::connect(address).await?.into_split();
    let upward = async {
        while let Some(piece) = input.recv().await {
            if to.write_all(&piece.bytes).await.is_err() {
                break;
            }
        }
        let _ = to.shutdown().await;
        // It may still have something to say.
        pending::<()>().await;
    };
    let downward = async {
        while let Some(bytes) = from.receive().await? {
            if output.send(message(bytes)).await.is_err() {
                break;
            }
        }
        Ok(())
    };
    match select(pin!(downward), pin!(upward)).await {
        Either::Left((ended, _)) => ended,
        Either::Right(_) => Ok(()),
    }
}

/// Sends a client what is put, until nobody can put anything any more or the client takes nothing.
pub(super) async fn send_all<M>(
    mut output: impl Outgoing,
    mut messages: mpsc::Receiver<M>,
    mut bytes: impl FnMut(M) -> Bytes,
) {
    while let Some(message) = messages.recv().await {
        if !matches!(timeout(STALL, output.send(bytes(message))).await, Ok(Ok(()))) {
            return;
        }
    }
    // A client that is gone needs no end.
    let _ = timeout(STALL, output.end()).await;
}
