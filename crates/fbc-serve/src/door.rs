//! What every request passes before it is answered: whether it is meant for this server, and whether there is room for it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::hosts::{Hosts, Stranger};
use crate::listener::{Encryption, Peer};

/// The door of a connection.
pub(crate) struct Door {
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) encryption: Option<Arc<Encryption>>,
    /// For requests of all connections.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) peer: Arc<Peer>,
}

/// An answer, or the refusal to make one.
type Guarded<B> = Response<Either<Held<B>, Full<Bytes>>>;

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
                    Ok(response.map(|body| Either::Left(Held { body: Box::pin(body), _permit: permit })))
                })
            }
            Err(refused) => {
                tracing::warn!(peer = %self.peer.address, %refused, "a request is refused");
                let is_grpc = head
                    .headers
                    .get(header::CONTENT_TYPE)
                    .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
                let response = if is_grpc { refused.to_grpc() } else { refused.to_http() };
                Box::pin(async move { Ok(response.map(Either::Right)) })
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
    fn to_http(&self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::from(format!("{self}\n")));
        *response.status_mut() = match self {
            Self::Stranger(stranger) => stranger.status(),
            Self::Full => StatusCode::SERVICE_UNAVAILABLE,
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if matches!(self, Self::Full) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
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

/// The body of an answer, which has its room until its end.
pub(crate) struct Held<B> {
    body: Pin<Box<B>>,
    _permit: OwnedSemaphorePermit,
}

impl<B: Body> Body for Held<B> {
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
