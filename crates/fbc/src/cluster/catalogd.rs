//! What the catalogd of a simulated cluster answers: the same as `fbc serve`, for what ClusterCatalogs say that is served.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fbc_apiserver::server::AnswerBody;
use fbc_apiserver::services::{Handler, Service};
use fbc_cluster::api::ApiServer;
use fbc_cluster::object::ObjectName;
use fbc_olm::Options;
use fbc_olm::catalogd::service::{self, Served};
use fbc_olm::content::SharedImages;
use fbc_olm::names::{CLUSTER_CATALOG, GROUP};
use fbc_scenario::Session;
use fbc_serve::catalogs::CatalogService;
use fbc_serve::catalogs::store::Store;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::Header;

/// The name of the controller, by which it is left out.
const PART: &str = "catalogd";

/// catalogd's service.
pub(super) struct Catalogd {
    options: Options,
    images: SharedImages,
    /// The content of each catalog that was asked for.
    contents: BTreeMap<String, Arc<Content>>,
}

/// What is served of a catalog; written when somebody asks first.
struct Content {
    served: Served,
    store: OnceCell<Arc<Store>>,
}

impl Catalogd {
    /// catalogd of a cluster, unless it is left out.
    pub(super) fn new(session: &Session<'_>, header: &Header) -> Option<Self> {
        let is_there = !header.without.iter().any(|part| part == PART);
        is_there.then(|| Self {
            options: session.olm_options(),
            images: session.images(),
            contents: BTreeMap::new(),
        })
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
    fn object(&self) -> Value {
        service::service(&self.options)
    }

    fn port(&self) -> &'static str {
        service::PORT
    }

    fn handler(&mut self, api: &ApiServer, path: &str) -> Handler {
        // Names of objects need no escapes.
        let name = path.split('/').nth(2).unwrap_or_default().to_owned();
        let content = self.content(api, &name);
        Handler::new(async move |request| answer(&name, content, request).await)
    }
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
                tracing::error!(catalog = name, why, "the catalog cannot be served");
                let text = format!("500 Internal Server Error: {why}\n");
                let mut response = Response::new(fbc_apiserver::server::whole(text));
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                return response;
            }
        }
    }
    service.answer(request).await.map(|body| body.boxed_unsync())
}

impl Content {
    /// The lines, or why they cannot be written.
    async fn store(self: &Arc<Self>) -> Result<Arc<Store>, String> {
        let write = async || {
            let content = Arc::clone(self);
            let written = tokio::task::spawn_blocking(move || {
                let served = &content.served;
                let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(served.unpacked_at.0);
                crate::serve::store(served.image.files(), modified)
            });
            match written.await {
                Ok(Ok(store)) => Ok(Arc::new(store)),
                Ok(Err(fault)) => Err(fault.to_string()),
                Err(error) => Err(error.to_string()),
            }
        };
        self.store.get_or_try_init(write).await.cloned()
    }
}
