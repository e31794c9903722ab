//! The one thread that owns the cluster: requests in the order in which they come, and time.
//!
//! What follows from a request is done in slices (`time`), between which the mailbox is looked at (`order`), so that nobody
//! waits long for an answer, and the end of the server for nobody.

mod identity;
mod order;
mod record;
mod task;
#[cfg(test)]
mod tests;
mod time;
mod watches;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fbc_cluster::api::{Caller, WriteOptions};
use fbc_cluster::budget::Exhausted;
use fbc_cluster::engine::Cluster;
use fbc_cluster::object::Object;
use fbc_cluster::time::{Milliseconds, Moment};
use serde_json::json;
use tokio::sync::{mpsc, oneshot, watch};

pub(crate) use identity::Identity;
pub use record::{RecordError, Recorded, RecordedInput, Recorder};
pub use time::{Stillness, TimeMode};
pub use watches::MOST_WATCHES;
pub(crate) use watches::{Seen, WAITING_EVENTS, Watch};

use self::task::Task;
use self::time::{Job, Spent};
use self::watches::Watches;
use crate::answer::Answer;
use crate::authentication::{TokenAuthority, TokenSecrets};
use crate::metrics::Metrics;
use crate::request::Request;
use crate::service::{Handler, Service};

/// So many requests wait for the cluster at most; more wait on their connections.
const WAITING_REQUESTS: usize = 1024;

/// What the cluster's front door is told.
enum Message {
    Ask(Box<Request>, oneshot::Sender<Answer>),
    /// Time has gone by.
    Pass(Milliseconds),
    /// A client has waited for an object for a while.
    Wait,
    /// A request for a path came to a service on a way of its own.
    Reach {
        service: &'static str,
        path: String,
        reply: oneshot::Sender<Option<Handler>>,
    },
}

/// Where requests are put.
#[derive(Clone, Debug)]
pub struct Mailbox {
    sender: mpsc::Sender<Message>,
}

/// How a cluster is served.
pub struct Settings {
    /// Where clients reach it, such as `127.0.0.1:6443`.
    pub address: String,
    /// What time does.
    pub time: TimeMode,
    /// When a cluster counts as still.
    pub stillness: Stillness,
    /// Who signs tokens of service accounts.
    pub tokens: Arc<TokenAuthority>,
    /// Clients that say nothing about themselves are `system:anonymous`.
    pub anonymous: bool,
    /// Whether the kinds of OpenShift are served that no definition brings.
    pub openshift: bool,
    /// Becomes true when the server ends.
    pub stop: watch::Receiver<bool>,
    /// Where requests are written down.
    pub recorder: Option<Recorder>,
}

/// Requests that wait for a cluster; made before the thread that owns it.
pub struct Inbox {
    receiver: mpsc::Receiver<Message>,
    sender: mpsc::WeakSender<Message>,
}

/// A mailbox and its other end.
pub fn mailbox() -> (Mailbox, Inbox) {
    let (sender, receiver) = mpsc::channel(WAITING_REQUESTS);
    let inbox = Inbox { receiver, sender: sender.downgrade() };
    (Mailbox { sender }, inbox)
}

impl Mailbox {
    /// Asks the cluster, and waits for the answer.
    pub async fn ask(&self, request: Request) -> Answer {
        let (sender, receiver) = oneshot::channel();
        let gone = || Answer::status(503, "ServiceUnavailable", "the simulated cluster has ended");
        if self.sender.send(Message::Ask(Box::new(request), sender)).await.is_err() {
            return gone();
        }
        receiver.await.unwrap_or_else(|_| gone())
    }

    /// What answers a request for a path of a service, by the name of its object; none if the cluster or the service is gone.
    pub async fn reach(&self, service: &'static str, path: &str) -> Option<Handler> {
        let (reply, receiver) = oneshot::channel();
        self.sender.send(Message::Reach { service, path: path.to_owned(), reply }).await.ok()?;
        receiver.await.ok()?
    }

    /// Tells the cluster that a client waits. It is told again soon, so nothing is lost if it has no room now.
    pub(crate) fn wait(&self) {
        let _ = self.sender.try_send(Message::Wait);
    }

    /// Tells the cluster that time has gone by. False if it is gone.
    pub async fn pass(&self, span: Milliseconds) -> bool {
        self.sender.send(Message::Pass(span)).await.is_ok()
    }
}

/// The owner of a cluster.
pub struct Actor<'c> {
    pub(crate) cluster: &'c mut Cluster,
    pub(crate) settings: Settings,
    pub(crate) watches: Watches,
    pub(crate) metrics: Metrics,
    /// Documents made of the kinds that are served, and the version of the definitions that they were made of.
    pub(crate) documents: crate::openapi::documents::Documents,
    /// The version of the store up to which watches were served.
    pub(crate) revision: Arc<AtomicU64>,
    /// Programs in the cluster that answer requests.
    pub(crate) services: Vec<Box<dyn Service>>,
    /// Its own mailbox, for watches that tell it that a client waits.
    mailbox: Option<mpsc::WeakSender<Message>>,
    /// What the controllers are about.
    job: Option<Job>,
    /// A request that takes more than a slice.
    task: Option<Task>,
    /// Who waits until the cluster is at rest.
    waiting: VecDeque<Message>,
    /// The budget within which the controllers did not come to rest the last time.
    unfinished: Option<Exhausted>,
    /// The budget that ended the time that was asked for before all of it had gone by.
    short: Option<Exhausted>,
    /// What the controllers did within their budget.
    spent: Spent,
    /// Time that has gone by while a request took more than a slice.
    held: Milliseconds,
    /// The work since the cluster was at rest.
    busy: u64,
    /// How many things were done since a line of the session was written.
    steps: u64,
}

impl<'c> Actor<'c> {
    /// A cluster that is about to be served. It outlives its budget.
    pub fn new(cluster: &'c mut Cluster, settings: Settings) -> Self {
        cluster.api.outlive_budget();
        cluster.add_controller(Box::new(TokenSecrets::new(Arc::clone(&settings.tokens))));
        let seen = cluster.api.store().revision();
        let spent = Spent::none(cluster.now());
        Self {
            cluster,
            settings,
            watches: Watches::new(seen),
            metrics: Metrics::default(),
            documents: crate::openapi::documents::Documents::default(),
            revision: Arc::new(AtomicU64::new(seen)),
            services: Vec::new(),
            mailbox: None,
            job: None,
            task: None,
            waiting: VecDeque::new(),
            unfinished: None,
            short: None,
            spent,
            held: 0,
            busy: 0,
            steps: 0,
        }
    }

    /// The mailbox for a watch whose client may wait for something.
    pub(crate) fn mailbox(&self) -> Option<Mailbox> {
        let is_still = self.settings.time == TimeMode::Still;
        let sender = self.mailbox.as_ref().filter(|_| is_still)?.upgrade()?;
        Some(Mailbox { sender })
    }

    /// Lets the cluster come to rest before the first request.
    pub fn begin(&mut self) {
        self.add_own_service();
        self.settle();
        self.rest();
        self.hand_out();
    }

    /// The service under which pods find the API server.
    fn add_own_service(&mut self) {
        let service = json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {
                "name": "kubernetes", "namespace": "default",
                "labels": {"component": "apiserver", "provider": "kubernetes"},
            },
            "spec": {
                "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "type": "ClusterIP",
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            },
        });
        // A scenario may have made one already.
        let _ = self.cluster.api.create(
            &Caller::administrator("kube-apiserver"),
            service,
            WriteOptions::default(),
        );
    }

    /// The present moment of the cluster.
    pub fn now(&self) -> Moment {
        self.cluster.now()
    }

    /// All objects, by kind and name.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.cluster.api.store().iter().map(|(_, _, object)| &**object)
    }
}
