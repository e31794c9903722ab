//! What the catalogd of a simulated cluster answers: the same as `fbc serve`, for what ClusterCatalogs say that is served.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fbc_apiserver::actor::Mailbox;
use fbc_apiserver::body::AnswerBody;
use fbc_apiserver::service::{Handler, Service, refusal};
use fbc_cluster::api::ApiServer;
use fbc_cluster::object::ObjectName;
use fbc_olm::Options;
use fbc_olm::catalogd::service::{self, Served};
use fbc_olm::content::SharedImages;
use fbc_olm::names::{CLUSTER_CATALOG, GROUP};
use fbc_olm::workloads;
use fbc_scenario::Session;
use fbc_serve::catalogs::store::Store;
use fbc_serve::catalogs::{CatalogService, SchemaFault};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::sync::OnceCell;

/// catalogd's service.
pub(super) struct Catalogd {
    options: Options,
    images: SharedImages,
    listener: Option<SocketAddr>,
    /// The content of each catalog that was asked for.
    contents: BTreeMap<String, Arc<Content>>,
}

/// What is served of a catalog; written when somebody asks first.
struct Content {
    served: Served,
    store: OnceCell<Arc<Store>>,
}

impl Catalogd {
    /// catalogd of a cluster, which answers at an address of this machine.
    pub(super) fn new(session: &Session<'_>, listener: Option<SocketAddr>) -> Self {
        Self { options: session.olm_options(), images: session.images(), listener, contents: BTreeMap::new() }
    }

    /// The content that a catalog has now; nothing if it is not served.
    fn content(&mut self, api: &ApiServer, name: &str) -> Option<Arc<Content>> {
        self.contents
            .retain(|name, _| api.find(GROUP, CLUSTER_CATALOG, &ObjectName::cluster(name)).is_some());
        let Some(served) = service::served(api, &self.images.borrow(), name) else {
            self.contents.remove(name);
            return None;
        };
        let is_known = |content: &&Arc<Content>| {
            content.served.canonical == served.canonical && content.served.unpacked_at == served.unpacked_at
        };
        if let Some(known) = self.contents.get(name).filter(is_known) {
            return Some(Arc::clone(known));
        }
        let content = Arc::new(Content { served, store: OnceCell::new() });
        self.contents.insert(name.to_owned(), Arc::clone(&content));
        Some(content)
    }
}

impl Service for Catalogd {
    fn objects(&self) -> Vec<Value> {
        workloads::catalogd(&self.options)
    }

    fn port(&self) -> &'static str {
        service::PORT
    }

    fn is_encrypted(&self) -> bool {
        true
    }

    fn listener(&self) -> Option<SocketAddr> {
        self.listener
    }

    fn handler(&mut self, api: &ApiServer, path: &str) -> Handler {
        // Names of objects need no escapes.
        let name = path.split('/').nth(2).unwrap_or_default().to_owned();
        let content = self.content(api, &name);
        Handler::new(async move |request| answer(&name, content, request).await)
    }
}

/// Answers a request of a client that forwards a port of catalogd's pod.
pub(super) async fn answer_directly(
    cluster: Mailbox,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Infallible> {
    Ok(match cluster.reach(service::SERVICE, request.uri().path()).await {
        Some(handler) => handler.answer(request).await,
        None => refusal(StatusCode::SERVICE_UNAVAILABLE, "catalogd is gone\n"),
    })
}

/// Answers a request about a catalog.
async fn answer(
    name: &str,
    content: Option<Arc<Content>>,
    request: Request<Full<Bytes>>,
) -> Response<AnswerBody> {
    let service = CatalogService::default();
    if let Some(content) = content {
        match content.store().await {
            Ok(store) => service.catalog(name).set(store),
            Err(why) => {
                let why = why.to_string();
                tracing::error!(catalog = name, why, "the catalog cannot be served");
                let text = format!("500 Internal Server Error: {why}\n");
                return refusal(StatusCode::INTERNAL_SERVER_ERROR, &text);
            }
        }
    }
    service.answer(request).await.map(|body| body.boxed_unsync())
}

/// Why the lines of a catalog cannot be written.
#[derive(Debug, thiserror::Error)]
enum StoreError {
    #[error(transparent)]
    Schema(#[from] SchemaFault),
    #[error(transparent)]
    Thread(#[from] tokio::task::JoinError),
}

impl Content {
    /// The lines.
    async fn store(self: &Arc<Self>) -> Result<Arc<Store>, StoreError> {
        let write = async || {
            let content = Arc::clone(self);
            let written = tokio::task::spawn_blocking(move || {
                let served = &content.served;
                let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(served.unpacked_at.0);
                fbc_serve::catalogs::content::store(served.image.files(), modified)
            });
            Ok(Arc::new(written.await??))
        };
        self.store.get_or_try_init(write).await.cloned()
    }
}
