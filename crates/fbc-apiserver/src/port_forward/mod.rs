//! Ports of pods, carried over connections of the API server to what answers there.
//!
//! Clients speak one of three protocols. Up to kubectl 1.30 it is SPDY, with a stream for the bytes and another for errors of
//! each connection to a port; newer ones tunnel that through a WebSocket. Client libraries that have no SPDY take a WebSocket with
//! two channels for each port.
//!
//! Source: `kubernetes/kubernetes:pkg/kubelet/cri/streaming/portforward`, KEP 4006.

mod carrier;
mod channels;
mod negotiation;
pub mod pod;
mod streams;
mod transport;

use std::sync::Arc;

use http::header::{self, HeaderMap};
use http::{HeaderValue, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use negotiation::{Protocol, STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER, negotiated};
use tokio::sync::Semaphore;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use self::pod::ForwardedPod;
use crate::answer::Answer;
use crate::body::{AnswerBody, whole};

/// So many connections carry ports at a time.
const CONNECTIONS: usize = 256;
/// The longest message of a WebSocket; clients send what they read at once, some tens of kilobytes.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Carries ports, and bounds how many connections do.
#[derive(Debug, Clone)]
pub struct PortForwarding {
    room: Arc<Semaphore>,
}

impl Default for PortForwarding {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(CONNECTIONS)) }
    }
}

impl PortForwarding {
    /// Answers a client that wants to reach a pod, and carries its connection on.
    pub(crate) fn answer(
        &self,
        pod: ForwardedPod,
        asked: &HeaderMap,
        upgrade: Option<OnUpgrade>,
    ) -> Result<Response<AnswerBody>, Box<Answer>> {
        let refused = |code, reason, text: &str| Box::new(Answer::status(code, reason, text));
        let protocol =
            negotiated(asked, &pod.query).map_err(|error| refused(400, "BadRequest", &error.to_string()))?;
        let upgrade = upgrade.ok_or_else(|| refused(400, "BadRequest", "Upgrade request required"))?;
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            let text =
                format!("{CONNECTIONS} connections to pods are open already; close some and try again");
            return Err(refused(429, "TooManyRequests", &text));
        };
        let response = switching(&protocol);
        tokio::spawn(async move {
            let _permit = permit;
            match upgrade.await {
                Ok(upgraded) => carry(TokioIo::new(upgraded), protocol, Arc::new(pod)).await,
                Err(error) => tracing::debug!(%error, "a connection was not upgraded"),
            }
        });
        Ok(response)
    }
}

/// The answer after which a connection speaks another protocol.
fn switching(protocol: &Protocol) -> Response<AnswerBody> {
    let mut response = Response::new(whole(""));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    let upgrade = match protocol {
        Protocol::Spdy => {
            headers.insert(STREAM_PROTOCOL_HEADER, HeaderValue::from_static(STREAM_PROTOCOL));
            "SPDY/3.1"
        }
        Protocol::Tunnel { key, subprotocol } | Protocol::Channels { key, subprotocol, .. } => {
            if let Ok(accepted) = HeaderValue::from_str(&derive_accept_key(key.as_bytes())) {
                headers.insert(header::SEC_WEBSOCKET_ACCEPT, accepted);
            }
            if let Some(subprotocol) = subprotocol {
                headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(subprotocol));
            }
            "websocket"
        }
    };
    headers.insert(header::UPGRADE, HeaderValue::from_static(upgrade));
    response
}

/// Carries a connection to its end.
async fn carry(connection: TokioIo<hyper::upgrade::Upgraded>, protocol: Protocol, pod: Arc<ForwardedPod>) {
    match protocol {
        Protocol::Spdy => {
            let (input, output) = tokio::io::split(connection);
            streams::serve(input, output, pod).await;
        }
        Protocol::Tunnel { .. } => {
            let (input, output) = transport::split(web_socket(connection).await);
            streams::serve(input, output, pod).await;
        }
        Protocol::Channels { ports, .. } => {
            let (input, output) = transport::split(web_socket(connection).await);
            channels::serve(input, output, &ports, pod).await;
        }
    }
}

async fn web_socket(
    connection: TokioIo<hyper::upgrade::Upgraded>,
) -> WebSocketStream<TokioIo<hyper::upgrade::Upgraded>> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    WebSocketStream::from_raw_socket(connection, Role::Server, Some(config)).await
}
