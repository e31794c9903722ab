//! What the listeners answer with: services of gRPC, and those behind the HTTP address.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use fbc_serve::catalogs::{AnswerBody, CatalogService, body};
use fbc_serve::current::Current;
use fbc_serve::registry::reflection::ReflectionServices;
use fbc_serve::registry::{Registry, RegistryService};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tonic::body::Body;
use tonic::{Code, Status};
use tower_service::Service as _;

use super::health::Health;
use super::pages::{PageRequest, Pages};

/// The largest message that a gRPC client may send, in bytes; requests are names.
const LARGEST_REQUEST: usize = 64 << 10;

type Answering<B> = std::pin::Pin<Box<dyn Future<Output = Result<Response<B>, Infallible>> + Send>>;

/// The services of the gRPC listener.
pub(super) fn registry_answers(
    registry: Arc<Current<Registry>>,
    health: Arc<Health>,
) -> impl Fn(Request<Incoming>) -> Answering<Body> + Clone {
    let service = RegistryService::new(registry, LARGEST_REQUEST);
    let reflection = ReflectionServices::new();
    move |request| {
        health.count_grpc();
        let (begun, method) = (Instant::now(), request.uri().path().to_owned());
        let reply = match &reflection {
            Some(reflection) if method.starts_with("/grpc.reflection.") => reflection.answer(request),
            _ => service.clone().call(request),
        };
        Box::pin(async move {
            let response = reply.await;
            if let Ok(response) = &response {
                let status = Status::from_header_map(response.headers());
                let code = status.as_ref().map_or(Code::Ok, Status::code);
                let message = status.as_ref().map_or("", Status::message);
                let micros = begun.elapsed().as_micros();
                // Clusters ask thousands of these; the metrics count them.
                tracing::debug!(method, ?code, message, micros, "grpc");
            }
            response
        })
    }
}

/// Another service at the addresses of HTTP, such as that of an update graph. Its answers are JSON.
pub trait OtherService: Send + Sync {
    /// Whether a path is one of its own.
    fn has(&self, path: &str) -> bool;

    /// The status and the body of its answer to a query, for who accepts these media types.
    fn answer(&self, query: &str, accept: Option<&str>) -> (u16, String);
}

/// The services of the HTTP listener.
pub(super) struct Http {
    pub(super) service: Arc<CatalogService>,
    pub(super) other: Option<Box<dyn OtherService>>,
    pub(super) pages: Option<Arc<Pages>>,
    pub(super) health: Arc<Health>,
}

impl Http {
    /// Answers a request.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<AnswerBody>, Infallible> {
        self.health.count_http();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = self.respond(request, &path).await;
        tracing::info!(%method, path, status = response.status().as_u16(), "http");
        Ok(response)
    }

    async fn respond(&self, request: Request<Incoming>, path: &str) -> Response<AnswerBody> {
        if let Some(pages) = self.pages.as_ref().filter(|_| Pages::has(path)) {
            return page(Arc::clone(pages), &request).await;
        }
        if let Some(other) = self.other.as_deref().filter(|other| other.has(path)) {
            return json(other, &request);
        }
        match path {
            "/healthz" | "/livez" => plain(StatusCode::OK, "ok\n".to_owned()),
            "/readyz" => {
                let (is_ready, text) = self.health.readiness();
                plain(if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, text)
            }
            "/metrics" => plain(StatusCode::OK, self.health.metrics()),
            _ => self.service.answer(request).await,
        }
    }
}

/// A page, written beside the threads that serve others: some take a while.
async fn page(pages: Arc<Pages>, request: &Request<Incoming>) -> Response<AnswerBody> {
    let wanted = PageRequest {
        method: request.method().clone(),
        path: request.uri().path().to_owned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
    };
    let written = tokio::task::spawn_blocking(move || pages.answer(&wanted)).await;
    written.unwrap_or_else(|_| {
        plain(StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be written\n".to_owned())
    })
}

/// The answer of another service.
fn json(other: &dyn OtherService, request: &Request<Incoming>) -> Response<AnswerBody> {
    let accept = request.headers().get(http::header::ACCEPT).and_then(|value| value.to_str().ok());
    let (status, body) = other.answer(request.uri().query().unwrap_or_default(), accept);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = plain(status, body);
    let value = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, value);
    response
}

fn plain(status: StatusCode, text: String) -> Response<AnswerBody> {
    let mut response = Response::new(body::whole(text));
    *response.status_mut() = status;
    let value = http::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(http::header::CONTENT_TYPE, value);
    response
}
