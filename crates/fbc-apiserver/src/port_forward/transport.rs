//! Connections as pieces of bytes, in both directions.

use std::io;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// How much is read at once.
pub(super) const PIECE: usize = 32 << 10;

/// Where bytes come from.
pub(super) trait Incoming: Send {
    /// The next bytes; none at the end. What is given up while it waits loses nothing.
    fn receive(&mut self) -> impl Future<Output = io::Result<Option<Bytes>>> + Send;
}

/// Where bytes go.
pub(super) trait Outgoing: Send + 'static {
    /// Sends bytes.
    fn send(&mut self, bytes: Bytes) -> impl Future<Output = io::Result<()>> + Send;

    /// Says that nothing follows.
    fn end(&mut self) -> impl Future<Output = io::Result<()>> + Send;
}

impl<R: AsyncRead + Unpin + Send> Incoming for R {
    async fn receive(&mut self) -> io::Result<Option<Bytes>> {
        let mut piece = BytesMut::with_capacity(PIECE);
        Ok((self.read_buf(&mut piece).await? > 0).then(|| piece.freeze()))
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> Outgoing for W {
    async fn send(&mut self, bytes: Bytes) -> io::Result<()> {
        self.write_all(&bytes).await?;
        self.flush().await
    }

    async fn end(&mut self) -> io::Result<()> {
        self.shutdown().await
    }
}

/// The messages of a WebSocket that a client sends.
pub(super) struct Messages<S>(SplitStream<WebSocketStream<S>>);
/// Messages that it is sent.
pub(super) struct Sender<S>(SplitSink<WebSocketStream<S>, Message>);

/// Both directions of a WebSocket.
pub(super) fn split<S>(socket: WebSocketStream<S>) -> (Messages<S>, Sender<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (sender, messages) = socket.split();
    (Messages(messages), Sender(sender))
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Incoming for Messages<S> {
    async fn receive(&mut self) -> io::Result<Option<Bytes>> {
        while let Some(message) = self.0.next().await {
            match message.map_err(io::Error::other)? {
                Message::Binary(bytes) => return Ok(Some(bytes)),
                Message::Close(_) => return Ok(None),
                Message::Text(_) => return Err(io::Error::other("a WebSocket has text, expected bytes")),
                // They are answered by themselves.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
        Ok(None)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Outgoing for Sender<S> {
    async fn send(&mut self, bytes: Bytes) -> io::Result<()> {
        self.0.send(Message::Binary(bytes)).await.map_err(io::Error::other)
    }

    async fn end(&mut self) -> io::Result<()> {
        self.0.close().await.map_err(io::Error::other)
    }
}
