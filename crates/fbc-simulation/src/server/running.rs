//! A cluster from its start to its end: a thread that owns it, and connections in front of it.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fbc_apiserver::actor::{self, Inbox, Mailbox, Recorder, Stillness, mailbox};
use fbc_apiserver::port_forward::PortForwarding;
use fbc_apiserver::server::{Front, listener_refusal};
use fbc_app::settings::Settings;
use fbc_cluster::admission::webhooks::stand_in::StandIn;
use fbc_cluster::time::Moment;
use fbc_registry::server::{Options, Registry};
use fbc_scenario::Prepared;
use fbc_serve::current::Current;
use fbc_serve::hosts::Hosts;
use fbc_serve::listener::{Encryption, Limits, Listener, Peer};
use fbc_source::Error;
use fbc_source::Session;
use fbc_staging::StagedDirectory;
use ring::rand::{SecureRandom as _, SystemRandom};
use rustls::pki_types::UnixTime;
use tokio::sync::watch;

use super::authority::Authority;
use super::catalogd;
use super::images::{OwnRegistry, Registries};
use super::services::{self, Listening};
use super::trace::Trace;
use super::webhooks::Webhooks;
use super::{Header, kubeconfig, played};

/// The stack of threads that encode and drop objects, by recursion. Only what is used of it becomes memory.
const STACK_BYTES: usize = 64 << 20;
/// How long requests, and then the cluster itself, may take to their end.
const LONGEST_END: Duration = Duration::from_millis(400);
/// A free port that only this machine reaches.
const LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// What a cluster is made of, and how it is served.
pub struct Plan {
    /// What it starts from.
    pub prepared: Prepared,
    /// Where its API listens.
    pub listen: SocketAddr,
    /// By which names the cluster and its registry are asked, besides those that nobody else can have.
    pub hosts: Vec<String>,
    /// The file that clients are pointed to.
    pub kubeconfig: Option<PathBuf>,
    /// Whether whoever asks without credentials is anonymous, and not refused.
    pub anonymous: bool,
    /// The flags that the cluster is made of.
    pub header: Header,
    /// The file that its session is written to.
    pub trace: Option<PathBuf>,
    /// Whether the session has what Secrets hold.
    pub trace_secrets: bool,
    /// Hosts besides this machine whose webhooks are called.
    pub webhook_hosts: Vec<String>,
    /// How images are pulled that the scenario does not bring.
    pub session: Session,
    /// The registry beside it.
    pub registry: Option<RegistryPlan>,
}

/// A registry beside the cluster.
pub struct RegistryPlan {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The layout that keeps its images; without one they go with the cluster.
    pub storage: Option<PathBuf>,
    /// How many bytes its images may take.
    pub bytes: u64,
}

/// A cluster that is served. It ends with this value.
pub struct Running {
    /// Where its API listens.
    pub address: SocketAddr,
    /// The file that clients are pointed to.
    pub kubeconfig: PathBuf,
    /// Where images are pushed, if there is a registry.
    pub registry: Option<SocketAddr>,
    runtime: tokio::runtime::Runtime,
    serving: Vec<tokio::task::JoinHandle<()>>,
    stop: watch::Sender<bool>,
    mailbox: Option<Mailbox>,
    owner: JoinHandle<Result<(), Error>>,
    /// Hears when the owner has ended.
    has_ended: Receiver<()>,
    trace: Option<Trace>,
    /// Where kubeconfig and images lie for which the user named no place.
    _directory: Option<StagedDirectory>,
}

/// Starts a cluster; the answer comes when it answers requests.
pub fn start(mut plan: Plan, settings: &Settings) -> Result<Running, Error> {
    // Objects are encoded and dropped on the threads of connections, by recursion.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| Error::new(format!("the system gives no threads to serve with: {error}")))?;
    let authority = Authority::new(&[plan.listen.ip(), LOOPBACK.ip()], &plan.hosts)?;
    let hosts = Hosts::named(&plan.hosts);
    let encryption = Arc::new(Current::default());
    // The certificate has no other names than these.
    let names = Hosts::default();
    encryption.set(Arc::new(Encryption { config: Arc::new(authority.encryption.clone()), names }));
    let telling = settings.clone();
    let bind_to = |address, encryption| runtime.block_on(bind(address, hosts.clone(), encryption));
    let (listener, address) = bind_to(plan.listen, Some(Arc::clone(&encryption)))?;
    let listener = listener.refusing(listener_refusal);
    // Only this machine reaches it, and clients through the API server.
    let (catalogd, catalogd_address) = bind_to(LOOPBACK, Some(encryption))?;
    let mut directory = None;
    let kubeconfig = match plan.kubeconfig.take() {
        // Whoever gets the path may change the directory first.
        Some(path) => std::path::absolute(&path).unwrap_or(path),
        None => own_directory(&mut directory, settings)?.join("kubeconfig"),
    };
    let registry = match plan.registry.take() {
        Some(registry) => {
            let (listener, address) = bind_to(registry.listen, None)?;
            let storage = match registry.storage {
                Some(path) => path,
                None => own_directory(&mut directory, settings)?.join("images"),
            };
            let images = Registry::open(&storage, registry_options(registry.bytes)).map_err(Error::from)?;
            Some((listener, address, Arc::new(images), storage))
        }
        None => None,
    };
    kubeconfig::write(&kubeconfig, &format!("https://{}", reachable(address)), &authority, settings)?;
    let (stop, stopped) = watch::channel(false);
    let (mailbox, inbox) = mailbox();
    let front = Front {
        mailbox: mailbox.clone(),
        verifier: Arc::clone(&authority.verifier),
        clock: UnixTime::now,
        port_forwarding: PortForwarding::default(),
    };
    let pace = plan.header.pace;
    if let Some(start) = pace.start() {
        plan.prepared.scenario.start = start;
    }
    let start = plan.prepared.scenario.start.0;
    let begin = |path: &Path| Trace::begin(path, &plan.header.line(start), plan.trace_secrets, settings);
    let trace = plan.trace.as_deref().map(begin).transpose()?;
    let written = trace.clone();
    let images = Registries {
        session: std::mem::replace(&mut plan.session, settings.session()),
        own: registry.as_ref().map(|(_, address, _, storage)| OwnRegistry::new(reachable(*address), storage)),
        trace: trace.clone(),
        recent: RefCell::default(),
    };
    let listening = Listening {
        catalogd: Some(catalogd_address),
        root_certificate: authority.certificate.clone(),
        registry: registry.as_ref().map(|(_, address, images, _)| (reachable(*address), Arc::clone(images))),
    };
    let server_settings = actor::Settings {
        address: reachable(address).to_string(),
        time: pace.mode(),
        stillness: Stillness::default(),
        tokens: Arc::new(authority.tokens),
        anonymous: plan.anonymous,
        openshift: plan.prepared.scenario.target.is_openshift(),
        stop: stopped.clone(),
        recorder: trace.map(|trace| Recorder::new(move |record| trace.write(record))),
    };
    let (ready, is_ready) = std::sync::mpsc::channel();
    let (ends, has_ended) = std::sync::mpsc::channel();
    let owner = std::thread::Builder::new()
        .name("cluster".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let owned = own(&plan, images, listening, server_settings, inbox, &ready, &telling);
            // Nobody hears it if the start was given up.
            let _ = ends.send(());
            owned
        })
        .map_err(|error| Error::new(format!("the system gives no thread for the cluster: {error}")))?;
    let Ok(begun) = is_ready.recv() else {
        // It ended before it could begin, and says why.
        return Err(match owner.join() {
            Ok(Err(failure)) => failure,
            _ => Error::new("the cluster could not start"),
        });
    };
    runtime.block_on(pace.catch_up(begun, &mailbox));
    let mut serving =
        vec![runtime.spawn(listener.serve(move |request| front.answer(request), end(stopped.clone())))];
    let cluster = mailbox.clone();
    let answer = move |request| catalogd::answer_directly(cluster.clone(), request);
    serving.push(runtime.spawn(catalogd.serve(answer, end(stopped.clone()))));
    let registry = registry.map(|(listener, address, images, _)| {
        let answer = move |request: http::Request<hyper::body::Incoming>| {
            let images = Arc::clone(&images);
            let client = request.extensions().get::<Arc<Peer>>().map(|peer| peer.address.ip());
            async move { Ok(images.answer(client.unwrap_or(LOOPBACK.ip()), request).await) }
        };
        serving.push(runtime.spawn(listener.serve(answer, end(stopped))));
        reachable(address)
    });
    runtime.spawn(pace.keep(mailbox.clone()));
    Ok(Running {
        address,
        kubeconfig,
        registry,
        runtime,
        serving,
        stop,
        mailbox: Some(mailbox),
        owner,
        has_ended,
        trace: written,
        _directory: directory,
    })
}

async fn bind(
    address: SocketAddr,
    hosts: Hosts,
    encryption: Option<Arc<Current<Encryption>>>,
) -> Result<(Listener, SocketAddr), Error> {
    let listener = Listener::bind(address, hosts, encryption, Limits::default()).await.map_err(|error| {
        Error::new(format!("cannot listen at {address}: {}", fbc_source::system_words(&error)))
            .help("another process may have the port; port 0 takes a free one")
    })?;
    let address = listener.address().map_err(|error| Error::new(error.to_string()))?;
    Ok((listener, address))
}

/// What the registry needs of this process.
fn registry_options(bytes: u64) -> Options {
    let begun = Instant::now();
    let random = SystemRandom::new();
    Options {
        random: Box::new(move || {
            let mut bytes = [0; 16];
            random.fill(&mut bytes).map_err(|_| io::Error::other("the system gives none"))?;
            Ok(u128::from_be_bytes(bytes))
        }),
        clock: Box::new(move || begun.elapsed()),
        bytes,
        stall: fbc_registry::limits::STALL,
    }
}

/// A directory that goes with the cluster, made when the first file wants it.
fn own_directory<'d>(
    directory: &'d mut Option<StagedDirectory>,
    settings: &Settings,
) -> Result<&'d Path, Error> {
    if directory.is_none() {
        *directory = Some(settings.scratch_directory()?);
    }
    directory.as_ref().map(StagedDirectory::path).ok_or_else(|| Error::new("there is no temporary directory"))
}

/// Done when the server is to end.
async fn end(mut stopped: watch::Receiver<bool>) {
    // The sender lives as long as the server.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// An address that clients on this machine reach.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    SocketAddr::new(LOOPBACK.ip(), address.port())
}

/// Builds the cluster, plays the steps of its scenario, and answers requests until nobody can send any more.
fn own(
    plan: &Plan,
    images: Registries,
    listening: Listening,
    settings: actor::Settings,
    inbox: Inbox,
    ready: &std::sync::mpsc::Sender<Moment>,
    telling: &Settings,
) -> Result<(), Error> {
    let trace = images.trace.clone();
    let budget = plan.header.budget.unwrap_or_default();
    let root = Some(listening.root_certificate.as_str());
    let mut session = played(&plan.prepared, &plan.header, budget, Box::new(images), root)?;
    for fault in session.faults() {
        telling.warn(Error::new(fault));
    }
    // The steps of a scenario call nobody outside.
    let services = StandIn::new(plan.prepared.scenario.webhooks.clone());
    let webhooks = Webhooks::new(services, plan.webhook_hosts.clone(), trace).map_err(|error| {
        let reason = fbc_source::system_words(&error);
        Error::new(format!("the system gives no means to call webhooks: {reason}"))
    })?;
    session.cluster().api.set_webhook_caller(Box::new(webhooks));
    let mut actor = services::actor(&mut session, &plan.header, listening, settings)?;
    actor.begin();
    // Nobody waits any more if the start was given up.
    let _ = ready.send(actor.now());
    actor.run(inbox);
    // All objects of a large cluster are not worth the time that taking them apart takes: the process ends.
    std::mem::forget(session);
    Ok(())
}

/// Waits for the owner of a cluster. The session is whole only if that has ended, and well.
fn end_of_owner(
    owner: JoinHandle<Result<(), Error>>,
    has_ended: &Receiver<()>,
    longest: Duration,
    trace: Option<&Trace>,
) -> Result<(), Error> {
    let broken = || trace.map_or(Ok(()), Trace::give_up);
    if has_ended.recv_timeout(longest) == Err(RecvTimeoutError::Timeout) {
        // What the owner may still be about ends with the process.
        return broken();
    }
    match owner.join() {
        Ok(Ok(())) => trace.map_or(Ok(()), Trace::finish),
        Ok(Err(failure)) => broken().and(Err(failure)),
        // The panic has already said so on standard error.
        Err(_) => broken().and(Err(Error::new("the cluster ended before it was asked to"))),
    }
}

impl Running {
    /// Ends the cluster when all requests are answered, or soon: a pull or a webhook may take longer than anybody waits for the end.
    ///
    /// # Errors
    /// If the cluster failed, or its session could not be written.
    pub fn end(mut self) -> Result<(), Error> {
        self.stop.send_replace(true);
        self.mailbox = None;
        self.runtime.block_on(async {
            // A listener ends when it is asked to.
            let _ = tokio::time::timeout(LONGEST_END, futures_util::future::join_all(self.serving)).await;
        });
        self.runtime.shutdown_background();
        end_of_owner(self.owner, &self.has_ended, LONGEST_END, self.trace.as_ref())
    }

    /// Waits for something on the threads of the server, or until the session cannot be written.
    pub fn wait_for(&self, future: impl Future<Output = ()>) {
        let broken = async {
            match &self.trace {
                Some(trace) => trace.until_broken().await,
                None => std::future::pending().await,
            }
        };
        self.runtime.block_on(futures_util::future::select(pin!(future), pin!(broken)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::server::trace::lines_of;

    #[test]
    fn sessions_are_whole_if_the_cluster_ended_well() {
        type Owner = Box<dyn FnOnce() -> Result<(), Error> + Send>;
        let (let_go, held) = std::sync::mpsc::channel::<()>();
        // What the owner does, how long it may take, the error, and whether the session is whole.
        let cases: [(Owner, u64, Option<&str>, bool); 4] = [
            (Box::new(|| Ok(())), 60, None, true),
            (Box::new(|| Err(Error::new("it failed"))), 60, Some("it failed"), false),
            (Box::new(|| panic!("on purpose")), 60, Some("the cluster ended before it was asked to"), false),
            (Box::new(move || held.recv().or(Ok(()))), 0, None, false),
        ];
        let folder = tempfile::tempdir().unwrap();
        for (index, (owner, seconds, error, is_whole)) in cases.into_iter().enumerate() {
            let path = folder.path().join(index.to_string());
            let trace = Trace::begin(&path, &json!({"session": {}}), false, &Settings::default()).unwrap();
            let (ends, has_ended) = std::sync::mpsc::channel();
            let owner = std::thread::spawn(move || {
                let owned = owner();
                let _ = ends.send(());
                owned
            });
            let ended = end_of_owner(owner, &has_ended, Duration::from_secs(seconds), Some(&trace));
            assert_eq!(ended.err().as_ref().map(Error::message), error, "{index}");
            let before = std::fs::read_to_string(&path).unwrap();
            assert_eq!(lines_of(&before).1, is_whole, "{index}");
            // What comes too late is not written.
            trace.write(&json!({"waiting": true}));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "{index}");
        }
        drop(let_go);
    }
}
