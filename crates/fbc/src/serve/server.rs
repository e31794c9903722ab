//! The listeners of a server, from the start to the end.

use std::convert::Infallible;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use fbc_openshift::update_service::protocol::{PATHS, UpdateService};
use fbc_serve::catalogs::{AnswerBody, CatalogService};
use fbc_serve::current::Current;
use fbc_serve::listener::{Limits, Listener};
use fbc_serve::registry::reflection::ReflectionServices;
use fbc_serve::registry::{Registry, RegistryService};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use tonic::body::Body;
use tonic::{Code, Status};
use tower_service::Service as _;

use super::content::{Content, Wanted};
use super::encryption::Encryption;
use super::health::Health;
use super::pages::{PageRequest, Pages, Site};
use super::stop;
use super::watch::{Origin, State};
use crate::catalog_source::CatalogSource;
use crate::failure::Failure;
use crate::registry::Session;

/// The largest message that a gRPC client may send, in bytes; requests are names.
const LARGEST_REQUEST: usize = 64 << 10;

/// Opens the files of a catalog.
type Open = dyn Fn(&Session) -> Result<CatalogSource, Failure> + Send;

/// A catalog that is served.
pub(crate) struct Served {
    /// The name under which catalogd's API has it.
    pub(crate) name: String,
    /// The files, opened anew for each load.
    pub(crate) open: Box<Open>,
    /// Where they come from.
    pub(crate) origin: Origin,
    /// How images are pulled. A session keeps what a tag means; each look needs one of its own.
    pub(crate) session: Box<dyn Fn() -> Session + Send>,
}

impl Served {
    /// A directory under its own name.
    pub(crate) fn folder(root: PathBuf) -> Self {
        let name =
            root.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        Self {
            name: name.unwrap_or_else(|| "catalog".to_owned()),
            origin: Origin::Path(root.clone()),
            open: Box::new(move |session| CatalogSource::open(&root, session)),
            session: Box::new(Session::default),
        }
    }
}

/// What to serve, and how.
pub(crate) struct Plan {
    pub(crate) catalogs: Vec<Served>,
    pub(crate) grpc: Option<SocketAddr>,
    pub(crate) http: Option<SocketAddr>,
    pub(crate) encryption: Option<Encryption>,
    /// How often to look for changes; never without it.
    pub(crate) poll: Option<Duration>,
    /// A file for the error that ends the server.
    pub(crate) termination_log: Option<PathBuf>,
    /// The update service, if there is one.
    pub(crate) updates: Option<UpdateService>,
    /// Whether the pages for browsers are served over HTTP.
    pub(crate) ui: bool,
}

/// A catalog while it is served.
struct Slot {
    served: Served,
    wanted: Wanted,
    seen: Option<State>,
    registry: Option<Arc<Current<Registry>>>,
    store: Option<Arc<Current<fbc_serve::catalogs::store::Store>>>,
    site: Option<Arc<Current<Site>>>,
}

impl Slot {
    /// Loads the catalog for the first time.
    fn start(&mut self, health: &Health) -> Result<(), Failure> {
        let session = (self.served.session)();
        // What cannot be looked at cannot be loaded either, which is said better.
        self.seen = self.served.origin.state(&session).ok().flatten();
        self.load(&session, health)
    }

    /// Loads the catalog and puts it in the place of what is served.
    fn load(&self, session: &Session, health: &Health) -> Result<(), Failure> {
        let begun = Instant::now();
        let loaded = (self.served.open)(session).and_then(|source| {
            Content::load(source.tree.as_ref(), self.wanted, SystemTime::now()).map_err(Failure::new)
        });
        let content = loaded.inspect_err(|failure| health.refused(&self.served.name, failure.message()))?;
        if let (Some(current), Some(registry)) = (&self.registry, content.registry) {
            current.set(registry);
        }
        if let (Some(current), Some(store)) = (&self.store, content.store) {
            current.set(store);
        }
        if let (Some(current), Some(catalog)) = (&self.site, content.catalog) {
            current.set(Arc::new(Site::new(&self.served.name, catalog)));
        }
        health.loaded(&self.served.name);
        let millis = begun.elapsed().as_millis();
        tracing::info!(catalog = self.served.name, millis, "loaded");
        Ok(())
    }

    /// Loads the catalog again if what it comes from changed. A refusal leaves the old one in place.
    fn refresh(&mut self, health: &Health) {
        let session = (self.served.session)();
        let catalog = self.served.name.as_str();
        let state = match self.served.origin.state(&session) {
            Ok(state) => state,
            Err(failure) => {
                let error = failure.message();
                tracing::error!(
                    catalog,
                    error,
                    "nobody can tell whether the catalog changed; the old one stays"
                );
                return;
            }
        };
        if state.is_some() && state == self.seen {
            tracing::debug!(catalog, "unchanged");
            return;
        }
        if let Err(failure) = self.load(&session, health) {
            tracing::error!(
                catalog,
                error = failure.message(),
                "the new content is refused; the old one stays"
            );
        }
        self.seen = state;
    }
}

/// Serves until a signal ends it.
///
/// # Errors
/// A catalog cannot be loaded, or an address cannot be listened at.
pub(crate) fn run(plan: Plan) -> Result<(), Failure> {
    let log = plan.termination_log.clone();
    let result = serve(plan);
    if let (Some(log), Err(failure)) = (log, &result)
        && let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(log)
    {
        // Kubernetes shows it; whoever reads standard error has it anyway.
        let _ = writeln!(file, "{}", failure.message());
    }
    result
}

fn serve(mut plan: Plan) -> Result<(), Failure> {
    let health = Arc::new(Health::default());
    let service = Arc::new(CatalogService::default());
    let registry = Arc::new(Current::default());
    let names = plan.catalogs.iter().map(|served| served.name.as_str());
    let pages = plan.ui.then(|| Arc::new(Pages::new(names, Arc::clone(&health))));
    let mut slots = Vec::new();
    for (index, served) in plan.catalogs.drain(..).enumerate() {
        health.expects(&served.name);
        let site = pages.as_ref().and_then(|pages| pages.site(&served.name));
        let wanted = Wanted {
            registry: plan.grpc.is_some() && index == 0,
            store: plan.http.is_some(),
            pages: site.is_some(),
        };
        let registry = wanted.registry.then(|| Arc::clone(&registry));
        let store = wanted.store.then(|| service.catalog(&served.name));
        slots.push(Slot { served, wanted, seen: None, registry, store, site });
    }
    for slot in &mut slots {
        slot.start(&health)?;
    }
    let asked = stop::asked();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("the system gives no threads to serve with: {error}")))?;
    runtime.block_on(async {
        let encryption = plan.encryption.as_ref().map(|encryption| Arc::clone(&encryption.current));
        let mut tasks = Vec::new();
        if let Some(address) = plan.grpc {
            let listener = bind(address, encryption.clone()).await?;
            announce("grpc", &listener);
            let answer = registry_answers(Arc::clone(&registry), Arc::clone(&health));
            tasks.push(tokio::spawn(listener.serve(answer, stop::wait(asked.clone()))));
        }
        if let Some(address) = plan.http {
            let listener = bind(address, encryption).await?;
            announce("http", &listener);
            let updates = plan.updates.take().map(Arc::new);
            if pages.is_some()
                && let Ok(address) = listener.address()
            {
                let scheme = if plan.encryption.is_some() { "https" } else { "http" };
                tracing::info!(address = format!("{scheme}://{address}/ui/"), "pages for browsers");
            }
            let answer = catalog_answers(Arc::clone(&service), updates, pages, Arc::clone(&health));
            tasks.push(tokio::spawn(listener.serve(answer, stop::wait(asked.clone()))));
        }
        if let Some(poll) = plan.poll {
            tokio::spawn(watch(slots, plan.encryption, poll, Arc::clone(&health)));
        }
        for task in tasks {
            // A listener ends when it is asked to.
            let _ = task.await;
        }
        Ok(())
    })
}

async fn bind(
    address: SocketAddr,
    encryption: Option<Arc<Current<rustls::ServerConfig>>>,
) -> Result<Listener, Failure> {
    Listener::bind(address, encryption, Limits::default()).await.map_err(|error| {
        Failure::new(format!("failed to listen: listen tcp {address}: {}", crate::failure::words(&error)))
            .help("another process may have the port; name another address")
    })
}

fn announce(api: &str, listener: &Listener) {
    if let Ok(address) = listener.address() {
        tracing::info!(api, %address, "serving");
    }
}

/// Looks for changes, again and again.
async fn watch(
    mut slots: Vec<Slot>,
    mut encryption: Option<Encryption>,
    poll: Duration,
    health: Arc<Health>,
) {
    loop {
        tokio::time::sleep(poll).await;
        let health = Arc::clone(&health);
        let looked = tokio::task::spawn_blocking(move || {
            slots.iter_mut().for_each(|slot| slot.refresh(&health));
            encryption.iter_mut().for_each(Encryption::refresh);
            (slots, encryption)
        });
        match looked.await {
            Ok(back) => (slots, encryption) = back,
            Err(error) => {
                tracing::error!(%error, "changes are not looked for any more");
                return;
            }
        }
    }
}

type Answering<B> = std::pin::Pin<Box<dyn Future<Output = Result<Response<B>, Infallible>> + Send>>;

/// The services of the gRPC listener.
fn registry_answers(
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
                tracing::info!(method, ?code, message, micros, "grpc");
            }
            response
        })
    }
}

/// The services of the HTTP listener.
fn catalog_answers(
    service: Arc<CatalogService>,
    updates: Option<Arc<UpdateService>>,
    pages: Option<Arc<Pages>>,
    health: Arc<Health>,
) -> impl Fn(Request<Incoming>) -> Answering<AnswerBody> + Clone {
    move |request| {
        health.count_http();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let page = pages.as_ref().filter(|_| Pages::has(&path)).map(Arc::clone);
        let response = match path.as_str() {
            _ if page.is_some() => None,
            "/healthz" | "/livez" => Some(plain(StatusCode::OK, "ok\n".to_owned())),
            "/readyz" => {
                let (is_ready, text) = health.readiness();
                let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
                Some(plain(status, text))
            }
            "/metrics" => Some(plain(StatusCode::OK, health.metrics())),
            path if updates.is_some() && PATHS.contains(&path) => Some(graph(updates.as_deref(), &request)),
            _ => Some(service.answer(&request)),
        };
        Box::pin(async move {
            let response = match (response, page) {
                (Some(response), _) => response,
                (None, Some(page)) => page_answer(page, &request).await,
                (None, None) => plain(StatusCode::NOT_FOUND, String::new()),
            };
            tracing::info!(%method, path, status = response.status().as_u16(), "http");
            Ok(response)
        })
    }
}

/// A page, written beside the threads that serve others: some take a while.
async fn page_answer(pages: Arc<Pages>, request: &Request<Incoming>) -> Response<AnswerBody> {
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

/// The answer of the update service.
fn graph(updates: Option<&UpdateService>, request: &Request<Incoming>) -> Response<AnswerBody> {
    let accept = request.headers().get(http::header::ACCEPT).and_then(|value| value.to_str().ok());
    let answer = updates.map(|updates| updates.answer(request.uri().query().unwrap_or_default(), accept));
    let (status, body) = answer.map_or((404, String::new()), |answer| (answer.status, answer.body));
    let mut response = plain(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body);
    let value = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, value);
    response
}

fn plain(status: StatusCode, text: String) -> Response<AnswerBody> {
    let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
    *response.status_mut() = status;
    let value = http::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(http::header::CONTENT_TYPE, value);
    response
}
