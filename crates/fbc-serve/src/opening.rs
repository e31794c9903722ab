//! The first bytes of a connection: they tell which protocol it speaks, and hyper waits for them however long they take.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a client of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A stream whose first bytes are looked at.
pub(crate) struct Opening<S> {
    stream: S,
    /// How many bytes of the preface were read.
    seen: usize,
    is_told: Arc<AtomicBool>,
}

impl<S> Opening<S> {
    /// A stream of which nothing was read, and whether its client has told which protocol it speaks.
    pub(crate) fn watch(stream: S) -> (Self, Arc<AtomicBool>) {
        let is_told = Arc::new(AtomicBool::new(false));
        (Self { stream, seen: 0, is_told: Arc::clone(&is_told) }, is_told)
    }

    /// Looks at bytes that were read.
    fn look(&mut self, bytes: &[u8]) {
        let rest = PREFACE.get(self.seen..).unwrap_or_default();
        if bytes.len() < rest.len() && rest.starts_with(bytes) {
            self.seen += bytes.len();
        } else {
            self.seen = PREFACE.len();
            self.is_told.store(true, Ordering::Relaxed);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Opening<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.seen < PREFACE.len() {
            let bytes = buffer.filled().get(before..).unwrap_or_default();
            self.look(bytes);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Opening<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_protocol() {
        for (parts, is_told) in [
            (vec![], false),
            (vec!["PRI", " * HT"], false),
            (vec!["P", "RI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], true),
            (vec!["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nmore"], true),
            (vec!["P", "OST"], true),
            (vec!["G"], true),
        ] {
            let (mut opening, told) = Opening::watch(());
            parts.iter().for_each(|part| opening.look(part.as_bytes()));
            assert_eq!(told.load(Ordering::Relaxed), is_told, "{parts:?}");
        }
    }
}
