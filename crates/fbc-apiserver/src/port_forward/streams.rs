//! Ports as streams of SPDY: for each connection to a port one with its bytes and one with what went wrong.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{Either, pending, select};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::ForwardedPod;
use super::carrier::{Piece, Room, SILENCE, WAITING_MESSAGES, carry, send_all};
use super::negotiation::{self, PortError};
use super::transport::{Incoming, Outgoing, PIECE};
use crate::spdy::{Frame, FrameReader, FrameWriter, HeaderBlock, ResetStatus, value};

/// So many streams are open at a time, two for each connection to a port.
const STREAMS: usize = 512;

/// Carries ports until the client ends or says what cannot be understood.
pub(super) async fn serve(mut input: impl Incoming, output: impl Outgoing, pod: Arc<ForwardedPod>) {
    let (outbox, frames) = mpsc::channel(WAITING_MESSAGES);
    let mut writer = FrameWriter::default();
    let writing = tokio::spawn(send_all(output, frames, move |frame| writer.write(&frame)));
    let mut session = Session {
        pod,
        outbox,
        pairs: BTreeMap::new(),
        streams: BTreeMap::new(),
        last: 0,
        is_ending: false,
        room: Room::default(),
        tasks: JoinSet::new(),
    };
    session.run(&mut input).await;
    // Whoever is still connected to a port ends with the session, and the last frames are sent.
    drop(session);
    let _ = writing.await;
}

/// The streams of one client.
struct Session {
    pod: Arc<ForwardedPod>,
    outbox: mpsc::Sender<Frame>,
    /// The streams of each connection to a port, by the number that the client gave it.
    pairs: BTreeMap<String, Pair>,
    /// The connection of each open stream.
    streams: BTreeMap<u32, String>,
    /// The last stream that the client opened.
    last: u32,
    /// Whether the client has said that it opens no more.
    is_ending: bool,
    room: Room,
    /// What carries the connections; each ends with the number of its own.
    tasks: JoinSet<String>,
}

/// The streams of a connection to a port.
#[derive(Default)]
struct Pair {
    errors: Option<u32>,
    data: Option<u32>,
    /// Bytes for the port; none when the client has sent its last.
    input: Option<mpsc::UnboundedSender<Piece>>,
    /// Until both streams are there, what its port is to read.
    waiting: Option<mpsc::UnboundedReceiver<Piece>>,
    task: Option<AbortHandle>,
}

/// What a stream is for.
struct Purpose {
    request: String,
    port: u16,
    is_data: bool,
}

impl Session {
    async fn run(&mut self, input: &mut impl Incoming) {
        let mut reader = FrameReader::default();
        loop {
            let ended = {
                let receiving = tokio::time::timeout(SILENCE, input.receive());
                match select(pin!(receiving), pin!(next_end(&mut self.tasks))).await {
                    Either::Left((Ok(Ok(Some(bytes))), _)) => {
                        reader.push(&bytes);
                        None
                    }
                    Either::Left(_) => return,
                    Either::Right((ended, _)) => Some(ended),
                }
            };
            if let Some(request) = ended {
                self.close(&request);
                continue;
            }
            loop {
                match reader.frame() {
                    Ok(Some(frame)) => self.take(frame).await,
                    Ok(None) => break,
                    Err(error) => {
                        tracing::debug!(%error, "a client that reaches a pod");
                        return self.send(Frame::GoAway { last: self.last, status: 1 }).await;
                    }
                }
            }
        }
    }

    /// A client that is gone shows when it is read from.
    async fn send(&self, frame: Frame) {
        let _ = self.outbox.send(frame).await;
    }

    async fn take(&mut self, frame: Frame) {
        match frame {
            Frame::Open { stream, headers, is_last } => self.open(stream, &headers, is_last).await,
            Frame::Data { stream, bytes, is_last } => self.data(stream, bytes, is_last).await,
            Frame::Reset { stream, .. } => self.reset(stream).await,
            // Those of the client are odd; the others would be answers to our own.
            Frame::Ping { id } if id % 2 == 1 => self.send(Frame::Ping { id }).await,
            Frame::GoAway { .. } => self.is_ending = true,
            Frame::Ping { .. } | Frame::Accept { .. } | Frame::Headers { .. } | Frame::Other(_) => {}
        }
    }

    async fn open(&mut self, stream: u32, headers: &HeaderBlock, is_last: bool) {
        let is_next = stream % 2 == 1 && stream > self.last;
        let refused = match purpose(stream, headers) {
            _ if !is_next => Err(ResetStatus::ProtocolError),
            _ if self.is_ending || self.streams.len() >= STREAMS => Err(ResetStatus::RefusedStream),
            Err(error) => {
                tracing::debug!(%error, "a stream to a pod");
                Err(ResetStatus::Cancel)
            }
            Ok(purpose) => Ok(purpose),
        };
        self.last = self.last.max(stream);
        match refused {
            Ok(purpose) => self.accept(stream, purpose, is_last).await,
            Err(status) => self.send(Frame::Reset { stream, status: status as u32 }).await,
        }
    }

    async fn accept(&mut self, stream: u32, purpose: Purpose, is_last: bool) {
        let Purpose { request, port, is_data } = purpose;
        let pair = self.pairs.entry(request.clone()).or_default();
        let place = if is_data { &mut pair.data } else { &mut pair.errors };
        if place.is_some() {
            let status = ResetStatus::ProtocolError as u32;
            return self.send(Frame::Reset { stream, status }).await;
        }
        *place = Some(stream);
        if is_data {
            let (sender, receiver) = mpsc::unbounded_channel();
            pair.input = (!is_last).then_some(sender);
            pair.waiting = Some(receiver);
        }
        let ready = match (pair.errors, pair.data) {
            (Some(errors), Some(data)) => pair.waiting.take().map(|input| ([errors, data], input)),
            _ => None,
        };
        self.streams.insert(stream, request.clone());
        // Clients drop what comes in a stream before they read that it is accepted.
        self.send(Frame::Accept { stream, headers: HeaderBlock::new() }).await;
        if let Some((streams, input)) = ready {
            let carried =
                carried(Arc::clone(&self.pod), port, streams, input, self.outbox.clone(), request.clone());
            let task = self.tasks.spawn(carried);
            if let Some(pair) = self.pairs.get_mut(&request) {
                pair.task = Some(task);
            }
        }
    }

    async fn data(&mut self, stream: u32, bytes: Bytes, is_last: bool) {
        let pair = self.streams.get(&stream).and_then(|request| self.pairs.get_mut(request));
        // What the client sends in its stream of errors, and after the end, means nothing.
        let Some(pair) = pair.filter(|pair| pair.data == Some(stream)) else { return };
        if let Some(input) = &pair.input {
            self.room.put(bytes, input).await;
        }
        if is_last {
            pair.input = None;
        }
    }

    /// The client gives a stream up. That of errors ends with that of data, which clients wait for.
    async fn reset(&mut self, stream: u32) {
        let Some(request) = self.streams.get(&stream).cloned() else { return };
        let Some(pair) = self.pairs.get(&request) else { return };
        if pair.data != Some(stream) {
            return;
        }
        if let Some(task) = &pair.task {
            task.abort();
        }
        if let Some(errors) = pair.errors {
            self.send(last_of(errors, Bytes::new())).await;
        }
        self.close(&request);
    }

    /// Forgets a connection that has ended.
    fn close(&mut self, request: &str) {
        if let Some(pair) = self.pairs.remove(request) {
            for stream in [pair.errors, pair.data].into_iter().flatten() {
                self.streams.remove(&stream);
            }
        }
    }
}

/// The number of the next connection that ends.
async fn next_end(tasks: &mut JoinSet<String>) -> String {
    loop {
        match tasks.join_next().await {
            Some(Ok(request)) => return request,
            // It was given up, and is forgotten.
            Some(Err(_)) => {}
            None => pending().await,
        }
    }
}

/// Carries a connection to a port, and answers with its number.
async fn carried(
    pod: Arc<ForwardedPod>,
    port: u16,
    [errors, data]: [u32; 2],
    input: mpsc::UnboundedReceiver<Piece>,
    outbox: mpsc::Sender<Frame>,
    request: String,
) -> String {
    let message = |bytes| Frame::Data { stream: data, bytes, is_last: false };
    let carried = match pod.address(port) {
        Ok(address) => carry(address, input, &outbox, message).await,
        Err(error) => Err(error),
    };
    let fault = carried.err().map(|error| Bytes::from(pod.fault(port, &error))).unwrap_or_default();
    for frame in [last_of(errors, fault), last_of(data, Bytes::new())] {
        let _ = outbox.send(frame).await;
    }
    request
}

/// The last bytes of a stream.
fn last_of(stream: u32, bytes: Bytes) -> Frame {
    debug_assert!(bytes.len() <= PIECE, "errors are short");
    Frame::Data { stream, bytes, is_last: true }
}

/// What the headers of a stream lack.
#[derive(Debug, thiserror::Error)]
enum HeaderError {
    #[error("\"port\" header is required")]
    NoPort,
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("invalid stream type {0:?}")]
    StreamType(String),
}

/// What a stream is for.
fn purpose(stream: u32, headers: &HeaderBlock) -> Result<Purpose, HeaderError> {
    let port = match value(headers, "port") {
        "" => return Err(HeaderError::NoPort),
        text => negotiation::port(text)?,
    };
    let is_data = match value(headers, "streamtype") {
        "data" => true,
        "error" => false,
        other => return Err(HeaderError::StreamType(other.to_owned())),
    };
    // Old clients give no number, and open the stream of data behind that of errors.
    let request = match value(headers, "requestid") {
        "" => stream.saturating_sub(if is_data { 2 } else { 0 }).to_string(),
        request => request.to_owned(),
    };
    Ok(Purpose { request, port, is_data })
}
