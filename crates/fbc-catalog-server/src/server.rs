//! The listeners of a server, from the start to the end.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fbc_app::memory;
use fbc_serve::catalogs::CatalogService;
use fbc_serve::current::Current;
use fbc_serve::hosts::Hosts;
use fbc_serve::listener::{self, Limits, Listener};
use fbc_serve::stop;
use fbc_source::Error;

use super::answers::{Http, OtherService, registry_answers};
use super::content::Wanted;
use super::encryption::Encryption;
use super::health::Health;
use super::pages::Pages;
use super::slot::{Served, Slot, keep_current};

/// What to serve, and how.
pub struct Plan {
    /// The catalogs.
    pub catalogs: Vec<Served>,
    /// Where the gRPC API listens.
    pub grpc: Option<SocketAddr>,
    /// Where the HTTP API listens.
    pub http: Option<SocketAddr>,
    /// The certificate, if connections are encrypted.
    pub encryption: Option<Encryption>,
    /// By which names the server answers.
    pub hosts: Hosts,
    /// How often to look for changes; never without it.
    pub poll: Option<Duration>,
    /// A file for the error that ends the server.
    pub termination_log: Option<PathBuf>,
    /// What answers beside the catalogs, such as an update service.
    pub other: Option<Box<dyn OtherService>>,
    /// Whether the pages for browsers are served over HTTP.
    pub ui: bool,
    /// Whether questions in GraphQL are answered over HTTP.
    pub graphql: bool,
}

/// Serves until a signal ends it.
///
/// # Errors
/// A catalog cannot be loaded, or an address cannot be listened at.
pub fn run(plan: Plan) -> Result<(), Error> {
    memory::use_small_pages();
    let log = plan.termination_log.clone();
    let result = serve(plan);
    if let (Some(log), Err(failure)) = (log, &result)
        && let Ok(mut file) = fbc_staging::in_place::end_of(&log)
    {
        // Kubernetes shows it; whoever reads standard error has it anyway.
        let _ = writeln!(file, "{}", failure.message());
    }
    result
}

fn serve(mut plan: Plan) -> Result<(), Error> {
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
            graphql: plan.graphql,
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
        .map_err(|error| Error::new(format!("the system gives no threads to serve with: {error}")))?;
    runtime.block_on(async {
        let encryption = plan.encryption.as_ref().map(|encryption| Arc::clone(&encryption.current));
        let mut tasks = Vec::new();
        if let Some(address) = plan.grpc {
            // Whom browsers ask, they ask over TLS, or over HTTP/1.
            let hosts = if encryption.is_some() { plan.hosts.clone() } else { Hosts::any() };
            let listener = bind(address, hosts, encryption.clone()).await?;
            announce("grpc", &listener);
            let answer = registry_answers(Arc::clone(&registry), Arc::clone(&health));
            tasks.push(tokio::spawn(listener.serve(answer, stop::wait(asked.clone()))));
        }
        if let Some(address) = plan.http {
            let listener = bind(address, plan.hosts.clone(), encryption).await?;
            announce("http", &listener);
            let other = plan.other.take();
            if pages.is_some()
                && let Ok(address) = listener.address()
            {
                let scheme = if plan.encryption.is_some() { "https" } else { "http" };
                tracing::info!(address = format!("{scheme}://{address}/ui/"), "pages for browsers");
            }
            let http = Arc::new(Http { service, other, pages, health: Arc::clone(&health) });
            let answer = move |request| Arc::clone(&http).answer(request);
            tasks.push(tokio::spawn(listener.serve(answer, stop::wait(asked.clone()))));
        }
        if let Some(poll) = plan.poll {
            tokio::spawn(keep_current(slots, plan.encryption, poll, Arc::clone(&health)));
        }
        for task in tasks {
            // A listener ends when it is asked to.
            let _ = task.await;
        }
        tracing::info!("stopped");
        Ok(())
    })
}

async fn bind(
    address: SocketAddr,
    hosts: Hosts,
    encryption: Option<Arc<Current<listener::Encryption>>>,
) -> Result<Listener, Error> {
    Listener::bind(address, hosts, encryption, Limits::default()).await.map_err(|error| {
        Error::new(format!("failed to listen: listen tcp {address}: {}", fbc_source::system_words(&error)))
            .help("another process may have the port; name another address")
    })
}

fn announce(api: &str, listener: &Listener) {
    if let Ok(address) = listener.address() {
        tracing::info!(api, %address, "serving");
    }
}
