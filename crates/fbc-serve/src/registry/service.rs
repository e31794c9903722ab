//! The services `api.Registry` and `api.ExperimentalRegistry` over gRPC.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::{self, BoxStream, StreamExt as _};
use http::{Request, Response};
use prost::Message;
use tonic::Status;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::server::{Grpc, NamedService, ServerStreamingService, UnaryService};
use tonic_prost::ProstCodec;
use tower_service::Service;

use super::bundle::Extent;
use super::index::Registry;
use super::message::{
    CustomSchemasRequest, GetBundleRequest, GetPackageRequest, GetReplacementRequest, GroupVersionKind,
    HealthCheckRequest, HealthCheckResponse, ListRequest, PackageName,
};
use super::query::Refusal;
use crate::current::Current;

/// The header with which clients say that they know what experimental means.
const ACKNOWLEDGEMENT: &str = "x-acknowledge-experimental";

/// The numbers of `grpc.health.v1.HealthCheckResponse.ServingStatus`.
const SERVING: i32 = 1;
const NOT_SERVING: i32 = 2;

/// The registry's API over whatever catalog is current.
#[derive(Clone)]
pub struct RegistryService {
    current: Arc<Current<Registry>>,
    /// The largest message that is taken from a client, in bytes.
    largest_request: usize,
}

type Answer<T> = Result<T, Status>;
type Answers<T> = Result<BoxStream<'static, Result<T, Status>>, Status>;
type Reply = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl RegistryService {
    /// A service with a limit for the messages of clients.
    #[must_use]
    pub fn new(current: Arc<Current<Registry>>, largest_request: usize) -> Self {
        Self { current, largest_request }
    }

    fn grpc<T, U>(&self) -> Grpc<ProstCodec<T, U>>
    where
        T: Message + Default + 'static,
        U: Message + Default + 'static,
    {
        Grpc::new(ProstCodec::default())
            .max_decoding_message_size(self.largest_request)
            .max_encoding_message_size(usize::MAX)
    }

    /// Answers with one message.
    fn unary<B, Q, A>(&self, request: Request<B>, answer: fn(&Registry, Q) -> Result<A, Refusal>) -> Reply
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
        B::Data: Send,
        Q: Message + Default + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc();
        let registry = self.current.get();
        let method = Unary(move |question: Q| match &registry {
            Some(registry) => {
                answer(registry, question).map_err(|refusal| Status::unknown(refusal.to_string()))
            }
            None => Err(Status::unavailable("no catalog is loaded yet")),
        });
        Box::pin(async move { Ok(grpc.unary(method, request).await) })
    }

    /// Answers with a stream of messages.
    fn streaming<B, Q, A>(
        &self,
        request: Request<B>,
        answers: fn(Arc<Registry>, Q, &MetadataMap) -> Answers<A>,
    ) -> Reply
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
        B::Data: Send,
        Q: Message + Default + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc();
        let method = Streaming { registry: self.current.get(), answers };
        Box::pin(async move { Ok(grpc.server_streaming(method, request).await) })
    }

    /// Says whether a catalog is there, whatever service is asked for.
    ///
    /// Source: `operator-framework/operator-registry:pkg/server/health.go`, where it is always there.
    fn health<B>(&self, request: Request<B>) -> Reply
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
        B::Data: Send,
    {
        let status = if self.current.get().is_some() { SERVING } else { NOT_SERVING };
        let mut grpc = self.grpc();
        let method = Unary(move |_: HealthCheckRequest| Ok(HealthCheckResponse { status }));
        Box::pin(async move { Ok(grpc.unary(method, request).await) })
    }

    fn route<B>(&self, request: Request<B>) -> Reply
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
        B::Data: Send,
    {
        match request.uri().path() {
            "/api.Registry/ListPackages" => self.streaming(request, |registry, _: ListRequest, _| {
                let names: Vec<String> = registry.packages.keys().cloned().collect();
                Ok(stream::iter(names).map(|name| Ok(PackageName { name })).boxed())
            }),
            "/api.Registry/GetPackage" => {
                self.unary(request, |registry, asked: GetPackageRequest| registry.package(&asked.name))
            }
            "/api.Registry/ListBundles" => self.streaming(request, |registry, _: ListRequest, _| {
                // Each message is made when the client has room for it.
                let bundles = stream::iter(0..registry.listing.len()).filter_map(move |index| {
                    let key = registry.listing.get(index);
                    std::future::ready(key.and_then(|key| registry.message(key, Extent::Listed)).map(Ok))
                });
                Ok(bundles.boxed())
            }),
            "/api.Registry/GetBundle" => self.unary(request, |registry, asked: GetBundleRequest| {
                registry.bundle(&asked.pkg_name, &asked.channel_name, &asked.csv_name)
            }),
            "/api.Registry/GetBundleForChannel" => self
                .unary(request, |registry, asked: GetBundleRequest| {
                    registry.head(&asked.pkg_name, &asked.channel_name)
                }),
            "/api.Registry/GetBundleThatReplaces" => {
                self.unary(request, |registry, asked: GetReplacementRequest| {
                    registry.replacement(&asked.csv_name, &asked.pkg_name, &asked.channel_name)
                })
            }
            "/api.Registry/GetChannelEntriesThatReplace" => {
                self.streaming(request, |registry, asked: GetReplacementRequest, _| {
                    all(registry.entries_that_replace(&asked.csv_name))
                })
            }
            "/api.Registry/GetChannelEntriesThatProvide" => {
                self.streaming(request, |registry, asked: GroupVersionKind, _| {
                    all(registry.entries_that_provide(&without_plural(asked), false))
                })
            }
            "/api.Registry/GetLatestChannelEntriesThatProvide" => {
                self.streaming(request, |registry, asked: GroupVersionKind, _| {
                    all(registry.entries_that_provide(&without_plural(asked), true))
                })
            }
            "/api.Registry/GetDefaultBundleThatProvides" => self
                .unary(request, |registry, asked: GroupVersionKind| {
                    registry.default_provider(&without_plural(asked))
                }),
            "/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas" => {
                self.streaming(request, custom_schemas)
            }
            "/grpc.health.v1.Health/Check" => self.health(request),
            path => {
                let text = unknown(path);
                Box::pin(async move { Ok(Status::unimplemented(text).into_http()) })
            }
        }
    }
}

/// What the reference's server says of a path that it does not know.
///
/// Source: `grpc/grpc-go:server.go` (`handleStream`).
fn unknown(path: &str) -> String {
    const SERVICES: [&str; 3] = ["api.Registry", "api.ExperimentalRegistry", "grpc.health.v1.Health"];
    match path.trim_start_matches('/').rsplit_once('/') {
        Some((service, method)) if SERVICES.contains(&service) => {
            format!("unknown method {method} for service {service}")
        }
        Some((service, _)) => format!("unknown service {service}"),
        None => format!("malformed method name: {}", fbc_go::text::quote(path)),
    }
}

/// The plural name of a kind is never looked at.
fn without_plural(kind: GroupVersionKind) -> GroupVersionKind {
    GroupVersionKind { plural: String::new(), ..kind }
}

fn all<T: Send + 'static>(found: Result<Vec<T>, Refusal>) -> Answers<T> {
    let found = found.map_err(|refusal| Status::unknown(refusal.to_string()))?;
    Ok(stream::iter(found).map(Ok).boxed())
}

/// Clients that do not say that they know what experimental means get an empty stream, so that nothing disturbs them.
fn custom_schemas(
    registry: Arc<Registry>,
    asked: CustomSchemasRequest,
    metadata: &MetadataMap,
) -> Answers<prost_types::Struct> {
    if metadata.get(ACKNOWLEDGEMENT).is_none_or(|value| value != "true") {
        return Ok(stream::empty().boxed());
    }
    if asked.schema.is_empty() {
        return Err(Status::invalid_argument("schema is required"));
    }
    super::custom::check_key(&asked.schema, &asked.package_name)
        .map_err(|error| Status::invalid_argument(format!("invalid custom schema query: {error}")))?;
    let blobs: Vec<_> = registry.custom_blobs(&asked.schema, &asked.package_name).collect();
    Ok(stream::iter(blobs).map(Ok).boxed())
}

struct Unary<F>(F);

impl<F, Q, A> UnaryService<Q> for Unary<F>
where
    F: Fn(Q) -> Answer<A>,
    A: Send + 'static,
{
    type Response = A;
    type Future = std::future::Ready<Result<tonic::Response<A>, Status>>;

    fn call(&mut self, request: tonic::Request<Q>) -> Self::Future {
        std::future::ready((self.0)(request.into_inner()).map(tonic::Response::new))
    }
}

struct Streaming<Q, A> {
    registry: Option<Arc<Registry>>,
    answers: fn(Arc<Registry>, Q, &MetadataMap) -> Answers<A>,
}

impl<Q, A: Send + 'static> ServerStreamingService<Q> for Streaming<Q, A> {
    type Response = A;
    type ResponseStream = BoxStream<'static, Result<A, Status>>;
    type Future = std::future::Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<Q>) -> Self::Future {
        let (metadata, _, question) = request.into_parts();
        let answers = match &self.registry {
            Some(registry) => (self.answers)(Arc::clone(registry), question, &metadata),
            None => Err(Status::unavailable("no catalog is loaded yet")),
        };
        std::future::ready(answers.map(tonic::Response::new))
    }
}

impl NamedService for RegistryService {
    const NAME: &'static str = "api.Registry";
}

impl<B> Service<Request<B>> for RegistryService
where
    B: http_body::Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
    B::Data: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Reply;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Reply {
        self.route(request)
    }
}
