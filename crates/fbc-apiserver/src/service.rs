//! A program in the cluster that answers requests, what answers one of them, and a request that is passed on to it.

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;

use bytes::Bytes;
use fbc_cluster::api::ApiServer;
use fbc_cluster::error::ApiError;
use http::header::{self, HeaderMap, HeaderName};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use crate::body::{AnswerBody, LARGEST_BODY, whole};

/// An answer while it is made.
type Answering = Pin<Box<dyn Future<Output = Response<AnswerBody>> + Send>>;

/// A program in the cluster that answers requests.
pub trait Service {
    /// The Service by which clients find it, and the pods that it is said to run in.
    fn objects(&self) -> Vec<Value>;
    /// The name of the port that it answers at.
    fn port(&self) -> &'static str;
    /// Whether it answers over HTTPS, and not plain text.
    fn is_encrypted(&self) -> bool;
    /// The address on this machine at which it answers connections that clients forward to that port of its pods.
    fn listener(&self) -> Option<SocketAddr>;
    /// What answers a request for a path, from the state of the cluster as it is now.
    fn handler(&mut self, api: &ApiServer, path: &str) -> Handler;
}

/// Answers one request, on the threads of the connections.
pub struct Handler(Box<dyn FnOnce(Request<Full<Bytes>>) -> Answering + Send>);

impl Handler {
    /// A handler.
    pub fn new<F>(answer: impl FnOnce(Request<Full<Bytes>>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Response<AnswerBody>> + Send + 'static,
    {
        Self(Box::new(move |request| Box::pin(answer(request))))
    }

    /// What a server says that speaks HTTPS alone.
    pub(crate) fn https_only() -> Self {
        Self::new(async |_| {
            refusal(StatusCode::BAD_REQUEST, "Client sent an HTTP request to an HTTPS server.\n")
        })
    }

    /// Answers a request of a connection to the service itself.
    pub async fn answer(self, request: Request<Incoming>) -> Response<AnswerBody> {
        let (head, body) = request.into_parts();
        match Limited::new(body, LARGEST_BODY).collect().await {
            Ok(body) => (self.0)(Request::from_parts(head, Full::new(body.to_bytes()))).await,
            Err(error) => {
                refusal(StatusCode::PAYLOAD_TOO_LARGE, &format!("the body cannot be read: {error}\n"))
            }
        }
    }
}

/// A response with a text alone.
pub fn refusal(code: StatusCode, text: &str) -> Response<AnswerBody> {
    let mut response = Response::new(whole(text.to_owned()));
    *response.status_mut() = code;
    response
}

/// A request that is passed on, still without the headers of the client.
pub struct Forward {
    request: Request<Full<Bytes>>,
    handler: Handler,
}

impl fmt::Debug for Forward {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Forward").field("request", &self.request).finish_non_exhaustive()
    }
}

/// Headers that concern the API server alone.
const OWN_HEADERS: [HeaderName; 6] = [
    header::AUTHORIZATION,
    header::CONNECTION,
    header::HOST,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

impl Forward {
    pub(crate) fn new(request: &crate::request::Request, handler: Handler) -> Result<Self, ApiError> {
        let mut address = path_behind_proxy(&request.path).to_owned();
        if !request.query.is_empty() {
            address.push('?');
            address.push_str(&request.query);
        }
        let address: Uri =
            address.parse().map_err(|_| ApiError::bad_request(format!("{address:?} is not a path")))?;
        let mut passed_on = Request::new(Full::new(request.body.clone()));
        *passed_on.method_mut() = request.method.clone();
        *passed_on.uri_mut() = address;
        Ok(Self { request: passed_on, handler })
    }

    /// What the service answers.
    pub(crate) async fn answer(self, mut headers: HeaderMap) -> Response<AnswerBody> {
        OWN_HEADERS.iter().for_each(|name| drop(headers.remove(name)));
        let mut request = self.request;
        *request.headers_mut() = headers;
        (self.handler.0)(request).await
    }
}

/// What follows `/api/v1/namespaces/NAMESPACE/services/SERVICE/proxy` in a path.
pub(crate) fn path_behind_proxy(path: &str) -> &str {
    path.match_indices('/').nth(7).map_or("/", |(at, _)| &path[at..])
}
