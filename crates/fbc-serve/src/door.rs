//! What every request passes before it is answered: whether it is meant for this server, and whether there is room for it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::hosts::{Hosts, Stranger};
use crate::listener::{Encryption, Peer};

/// How much of what comes with a refused request is read, in bytes. A client that is cut off while it sends does not
/// read why.
const DRAINED: usize = 1 << 20;

/// How long that may take.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Words a refusal for the clients of a server: a status and a reason become an answer.
pub type Words = fn(StatusCode, &str) -> Response<Bytes>;

/// The door of a connection.
pub(crate) struct Door {
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) encryption: Option<Arc<Encryption>>,
    /// For requests of all connections.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) words: Words,
}

/// An answer that has its room until its end, or a refusal that has what it refuses.
type Guarded<B> = Response<Either<Held<B, OwnedSemaphorePermit>, Held<Full<Bytes>, Incoming>>>;

/// Why a request is not answered.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Stranger(#[from] Stranger),
    #[error("the server is at work on as many requests as it takes; try again later")]
    Full,
}

impl Door {
    /// Answers a request that may come in, with whom it comes from.
    pub(crate) fn let_in<A, F, B>(
        &self,
        request: Request<Incoming>,
        answer: &A,
    ) -> Pin<Box<dyn Future<Output = Result<Guarded<B>, Infallible>> + Send>>
    where
        A: Fn(Request<Incoming>) -> F,
        F: Future<Output = Result<Response<B>, Infallible>> + Send + 'static,
        B: Send + 'static,
    {
        let (head, body) = request.into_parts();
        match self.check(&head) {
            Ok(permit) => {
                let mut request = Request::from_parts(head, body);
                request.extensions_mut().insert(Arc::clone(&self.peer));
                let answering = answer(request);
                Box::pin(async move {
                    let response = answering.await?;
                    Ok(response.map(|body| Either::Left(Held::new(body, permit))))
                })
            }
            Err(refused) => {
                tracing::warn!(peer = %self.peer.address, %refused, "a request is refused");
                let is_grpc = head
                    .headers
                    .get(header::CONTENT_TYPE)
                    .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
                let response = if is_grpc { refused.to_grpc() } else { refused.to_http(self.words) };
                // Whoever asks first whether to send hears it before.
                let is_coming = !head.headers.contains_key(header::EXPECT);
                let mut body = body;
                Box::pin(async move {
                    if is_coming {
                        drain(&mut body).await;
                    }
                    Ok(response.map(|text| Either::Right(Held::new(text, body))))
                })
            }
        }
    }

    fn check(&self, head: &http::request::Parts) -> Result<OwnedSemaphorePermit, Refused> {
        let no_names = Hosts::default();
        let names = self.encryption.as_ref().map_or(&no_names, |encryption| &encryption.names);
        self.hosts.check(head, names)?;
        Arc::clone(&self.room).try_acquire_owned().map_err(|_| Refused::Full)
    }
}

impl Refused {
    fn to_http(&self, words: Words) -> Response<Full<Bytes>> {
        let status = match self {
            Self::Stranger(stranger) => stranger.status(),
            Self::Full => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut response = words(status, &self.to_string());
        if matches!(self, Self::Full) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response.map(Full::new)
    }

    fn to_grpc(&self) -> Response<Full<Bytes>> {
        let text = self.to_string();
        let status = match self {
            Self::Stranger(_) => tonic::Status::permission_denied(text),
            Self::Full => tonic::Status::resource_exhausted(text),
        };
        status.into_http()
    }
}

/// A refusal as text.
pub(crate) fn as_text(status: StatusCode, reason: &str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(format!("{reason}\n")));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Reads what a client sends, within limits.
async fn drain(body: &mut Incoming) {
    let all = async {
        let mut left = DRAINED;
        while let Some(Ok(frame)) = body.frame().await {
            let count = frame.data_ref().map_or(0, Bytes::len);
            let Some(rest) = left.checked_sub(count) else { return };
            left = rest;
        }
    };
    // Whoever is slower is answered before the end.
    let _ = tokio::time::timeout(DRAIN_TIME, all).await;
}

/// The body of an answer, with what is kept until its end.
pub(crate) struct Held<B, K> {
    body: Pin<Box<B>>,
    _kept: K,
}

impl<B, K> Held<B, K> {
    fn new(body: B, kept: K) -> Self {
        Self { body: Box::pin(body), _kept: kept }
    }
}

impl<B: Body, K: Unpin> Body for Held<B, K> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.body.as_mut().poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
