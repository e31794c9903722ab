//! A gRPC client that writes its own frames, so that it can do what no client should.

use std::net::SocketAddr;

use bytes::{Buf as _, Bytes};
use h2::RecvStream;
use h2::client::{self, SendRequest};
use http::{HeaderMap, Request, Response};
use tokio::net::TcpStream;

/// A connection.
pub(crate) struct Client {
    requests: SendRequest<Bytes>,
    connection: tokio::task::JoinHandle<()>,
}

/// What a call ends with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) messages: Vec<Vec<u8>>,
    /// The status of gRPC.
    pub(crate) code: i32,
    pub(crate) text: String,
}

/// A message with its head.
pub(crate) fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).unwrap();
    [&[0][..], &length.to_be_bytes(), message].concat().into()
}

/// A message with texts in its first fields.
pub(crate) fn texts(fields: &[&str]) -> Bytes {
    let mut message = Vec::new();
    for (number, text) in (1_u8..).zip(fields).filter(|(_, text)| !text.is_empty()) {
        message.extend([number << 3 | 2, u8::try_from(text.len()).unwrap()]);
        message.extend(text.as_bytes());
    }
    framed(&message)
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        // Streams have small windows, as by default, and the connection has room for all of them: one that nobody reads holds
        // up itself alone.
        let mut builder = client::Builder::new();
        builder.initial_connection_window_size(1 << 30);
        let (requests, connection) = builder.handshake::<_, Bytes>(stream).await.unwrap();
        // A connection that breaks is what some tests are about.
        let connection = tokio::spawn(async move { drop(connection.await) });
        Self { requests, connection }
    }

    /// Begins a call and gives its answer as soon as that begins.
    pub(crate) async fn begin(
        &mut self,
        path: &str,
        content: Bytes,
    ) -> Result<Response<RecvStream>, h2::Error> {
        self.begin_with(path, content, &[]).await
    }

    async fn begin_with(
        &mut self,
        path: &str,
        content: Bytes,
        metadata: &[(String, String)],
    ) -> Result<Response<RecvStream>, h2::Error> {
        let request = Request::post(format!("http://test{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        let request = metadata.iter().fold(request, |request, (name, value)| request.header(name, value));
        let (response, mut body) =
            self.requests.clone().ready().await?.send_request(request.body(()).unwrap(), false)?;
        body.send_data(content, true)?;
        response.await
    }

    /// Makes a call.
    pub(crate) async fn call(&mut self, path: &str, content: Bytes) -> Ended {
        finish(self.begin(path, content).await.unwrap()).await
    }

    /// Makes a call with metadata.
    pub(crate) async fn call_with(
        &mut self,
        path: &str,
        content: Bytes,
        metadata: &[(String, String)],
    ) -> Ended {
        finish(self.begin_with(path, content, metadata).await.unwrap()).await
    }

    /// The status of a call under another name.
    pub(crate) async fn call_under(&mut self, name: &str, path: &str) -> Ended {
        let request =
            Request::post(format!("http://{name}{path}")).header("content-type", "application/grpc");
        let requests = self.requests.clone().ready().await.unwrap();
        let (response, mut body) = { requests }.send_request(request.body(()).unwrap(), false).unwrap();
        body.send_data(framed(&[]), true).unwrap();
        finish(response.await.unwrap()).await
    }

    /// Ends without a word.
    pub(crate) fn vanish(self) {
        self.connection.abort();
    }
}

/// Reads an answer to its end.
pub(crate) async fn finish(response: Response<RecvStream>) -> Ended {
    assert_eq!(response.status(), 200);
    let (head, mut body) = response.into_parts();
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        bytes.extend_from_slice(&data);
    }
    let trailers = body.trailers().await.unwrap().unwrap_or_default();
    let status = |headers: &HeaderMap| {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        text("grpc-status").map(|code| (code.parse().unwrap(), text("grpc-message").unwrap_or_default()))
    };
    let (code, text) = status(&trailers).or_else(|| status(&head.headers)).expect("a status");
    Ended { messages: messages(&bytes), code, text: decoded(&text) }
}

/// The messages of an answer, all of them whole.
fn messages(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(bytes.get_u8(), 0);
        let length = bytes.get_u32() as usize;
        found.push(bytes[..length].to_vec());
        bytes.advance(length);
    }
    found
}

/// A text without its percent signs.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_at(2);
        found.push(char::from(u8::from_str_radix(code, 16).unwrap()));
        found.push_str(rest);
    }
    found
}
