//! Ports as channels of a WebSocket: the first byte of a message is its channel, two for each port, bytes and errors. Both begin
//! with the number of the port.

use std::pin::pin;
use std::sync::Arc;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures_util::future::{Either, select};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::ForwardedPod;
use super::carrier::{Piece, Room, SILENCE, WAITING_MESSAGES, carry, send_all};
use super::transport::{Incoming, Outgoing};

/// Carries ports until all have ended or the client is gone.
pub(super) async fn serve(
    mut input: impl Incoming,
    output: impl Outgoing,
    ports: &[u16],
    pod: Arc<ForwardedPod>,
) {
    let (outbox, messages) = mpsc::channel(WAITING_MESSAGES);
    let writer = tokio::spawn(send_all(output, messages, |message: Bytes| message));
    let mut tasks = JoinSet::new();
    let (mut inputs, room) = (Vec::new(), Room::default());
    for (index, port) in ports.iter().copied().enumerate() {
        let channel = u8::try_from(2 * index).unwrap_or(u8::MAX);
        let (sender, receiver) = mpsc::unbounded_channel();
        inputs.push(sender);
        tasks.spawn(one(Arc::clone(&pod), port, channel, receiver, outbox.clone()));
    }
    drop(outbox);
    {
        let all_ended = async { while tasks.join_next().await.is_some() {} };
        let reading = async {
            while let Ok(Ok(Some(message))) = timeout(SILENCE, input.receive()).await {
                take(message, &room, &inputs).await;
            }
        };
        if let Either::Right(_) = select(pin!(all_ended), pin!(reading)).await {
            tracing::debug!("a client of ports is gone");
        }
    }
    tasks.abort_all();
    // What was put is sent before the end.
    let _ = writer.await;
}

/// Puts a message on the way to its port. What is sent in a channel of errors means nothing.
async fn take(mut message: Bytes, room: &Room, inputs: &[mpsc::UnboundedSender<Piece>]) {
    let Ok(channel) = message.try_get_u8() else { return };
    if channel.is_multiple_of(2)
        && let Some(input) = inputs.get(usize::from(channel / 2))
    {
        room.put(message, input).await;
    }
}

/// Carries one port.
async fn one(
    pod: Arc<ForwardedPod>,
    port: u16,
    channel: u8,
    input: mpsc::UnboundedReceiver<Piece>,
    output: mpsc::Sender<Bytes>,
) {
    let errors = channel + 1;
    for channel in [channel, errors] {
        // A client that is gone shows when something follows.
        let _ = output.send(message(channel, &port.to_le_bytes())).await;
    }
    let carried = match pod.address(port) {
        Ok(address) => carry(address, input, &output, |bytes| message(channel, &bytes)).await,
        Err(error) => Err(error),
    };
    if let Err(error) = carried {
        let _ = output.send(message(errors, pod.fault(port, &error).as_bytes())).await;
    }
}

fn message(channel: u8, bytes: &[u8]) -> Bytes {
    let mut message = BytesMut::with_capacity(1 + bytes.len());
    message.put_u8(channel);
    message.put_slice(bytes);
    message.freeze()
}
