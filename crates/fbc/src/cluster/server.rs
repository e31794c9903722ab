//! A cluster from its start to its end: a thread that owns it, and connections in front of it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use fbc_apiserver::actor::{Actor, Inbox, Mailbox, Recorder, Settings, Stillness, mailbox};
use fbc_apiserver::server::Front;
use fbc_scenario::Prepared;
use fbc_serve::current::Current;
use fbc_serve::listener::{Limits, Listener};
use rustls::pki_types::UnixTime;
use tokio::sync::watch;

use super::authority::Authority;
use super::{Header, kubeconfig, played};
use crate::failure::Failure;
use crate::runtime::COMMAND_STACK_BYTES;

/// What a cluster is made of, and how it is served.
pub(crate) struct Plan {
    pub(crate) prepared: Prepared,
    pub(crate) listen: SocketAddr,
    pub(crate) kubeconfig: Option<PathBuf>,
    pub(crate) anonymous: bool,
    /// The flags that the cluster is made of.
    pub(crate) header: Header,
    pub(crate) trace: Option<PathBuf>,
}

/// A cluster that is served. It ends with this value.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) kubeconfig: PathBuf,
    runtime: tokio::runtime::Runtime,
    serving: tokio::task::JoinHandle<()>,
    stop: watch::Sender<bool>,
    mailbox: Option<Mailbox>,
    owner: JoinHandle<Result<(), Failure>>,
    /// Where the kubeconfig lies if the user named no place.
    _folder: Option<tempfile::TempDir>,
}

/// Starts a cluster; the answer comes when it answers requests.
pub(crate) fn start(mut plan: Plan) -> Result<Running, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("the system gives no threads to serve with: {error}")))?;
    let authority = Authority::new(&[plan.listen.ip(), SocketAddr::from(([127, 0, 0, 1], 0)).ip()])?;
    let encryption = Arc::new(Current::default());
    encryption.set(Arc::new(authority.encryption.clone()));
    let listen = plan.listen;
    let listener = runtime.block_on(Listener::bind(listen, Some(encryption), Limits::default()));
    let listener = listener.map_err(|error| {
        Failure::new(format!("cannot listen at {listen}: {}", crate::failure::words(&error)))
            .help("another process may have the port; port 0 takes a free one")
    })?;
    let address = listener.address().map_err(|error| Failure::new(error.to_string()))?;
    let (kubeconfig, folder) = match plan.kubeconfig.take() {
        Some(path) => (path, None),
        None => {
            let folder = tempfile::Builder::new().prefix("fbc-cluster-").tempdir();
            let folder = folder
                .map_err(|error| Failure::new(format!("cannot create a temporary directory: {error}")))?;
            (folder.path().join("kubeconfig"), Some(folder))
        }
    };
    kubeconfig::write(&kubeconfig, &format!("https://{}", reachable(address)), &authority)?;
    let (stop, stopped) = watch::channel(false);
    let (mailbox, inbox) = mailbox();
    let front =
        Front { mailbox: mailbox.clone(), verifier: Arc::clone(&authority.verifier), clock: UnixTime::now };
    let pace = plan.header.pace;
    if let Some(start) = pace.start() {
        plan.prepared.scenario.start = start;
    }
    let settings = Settings {
        address: reachable(address).to_string(),
        time: pace.mode(),
        stillness: Stillness::default(),
        tokens: authority.tokens,
        anonymous: plan.anonymous,
        openshift: plan.prepared.scenario.target.is_openshift(),
        stop: stopped.clone(),
        recorder: plan
            .trace
            .as_deref()
            .map(|path| recorder(path, &plan.header, plan.prepared.scenario.start.0))
            .transpose()?,
    };
    let (ready, is_ready) = std::sync::mpsc::channel();
    let owner = std::thread::Builder::new()
        .name("cluster".to_owned())
        .stack_size(COMMAND_STACK_BYTES)
        .spawn(move || own(&plan, settings, inbox, &ready))
        .map_err(|error| Failure::new(format!("the system gives no thread for the cluster: {error}")))?;
    if is_ready.recv().is_err() {
        // It ended before it could begin, and says why.
        return Err(match owner.join() {
            Ok(Err(failure)) => failure,
            _ => Failure::new("the cluster could not start"),
        });
    }
    let end = async move {
        let mut stopped = stopped;
        // The sender lives as long as the server.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    let serving = runtime.spawn(listener.serve(move |request| front.answer(request), end));
    runtime.spawn(pace.keep(mailbox.clone()));
    Ok(Running {
        address,
        kubeconfig,
        runtime,
        serving,
        stop,
        mailbox: Some(mailbox),
        owner,
        _folder: folder,
    })
}

/// An address that clients on this machine reach.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    SocketAddr::from(([127, 0, 0, 1], address.port()))
}

/// Builds the cluster, plays the steps of its scenario, and answers requests until nobody can send any more.
fn own(
    plan: &Plan,
    settings: Settings,
    inbox: Inbox,
    ready: &std::sync::mpsc::Sender<()>,
) -> Result<(), Failure> {
    let mut session = played(&plan.prepared, &plan.header)?;
    for fault in session.faults() {
        Failure::new(fault).warn();
    }
    let mut actor = Actor::new(session.cluster(), settings);
    actor.begin();
    // Nobody waits any more if the start was given up.
    let _ = ready.send(());
    actor.run(inbox);
    Ok(())
}

/// Writes a session down, a line for each request that changes something.
fn recorder(path: &Path, header: &Header, start: u64) -> Result<Recorder, Failure> {
    let failure = |error| Failure::io("write", path, &error);
    let file = File::create(path).map_err(failure)?;
    let mut out = BufWriter::new(file);
    writeln!(out, "{}", header.line(start)).and_then(|()| out.flush()).map_err(failure)?;
    let path = path.to_owned();
    Ok(Recorder::new(move |record| {
        if let Err(error) = writeln!(out, "{record}").and_then(|()| out.flush()) {
            tracing::error!(%error, path = %path.display(), "the session is not written down any more");
        }
    }))
}

impl Running {
    /// Ends the cluster when all requests are answered.
    pub(crate) fn end(mut self) {
        self.stop.send_replace(true);
        self.mailbox = None;
        // A listener ends when it is asked to.
        let _ = self.runtime.block_on(self.serving);
        self.runtime.shutdown_background();
        if let Ok(Err(failure)) = self.owner.join() {
            failure.warn();
        }
    }

    /// Waits for something on the threads of the server.
    pub(crate) fn wait_for<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}
