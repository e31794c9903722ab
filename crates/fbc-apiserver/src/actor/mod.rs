//! The one thread that owns the cluster: requests in the order in which they come, and time.

mod identity;
mod record;
mod time;
mod watches;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fbc_cluster::engine::Cluster;
use fbc_cluster::time::Milliseconds;
use http::Method;
use tokio::sync::{mpsc, oneshot, watch};

pub use record::{Recorded, Recorder};
pub(crate) use identity::Identity;
pub(crate) use watches::{WAITING_EVENTS, Watch};
pub use time::{Stillness, TimeMode};

use self::watches::Watches;
use crate::answer::Answer;
use crate::authentication::TokenAuthority;
use crate::metrics::Metrics;
use crate::request::Request;

/// So many requests wait for the cluster at most; more wait on their connections.
const WAITING_REQUESTS: usize = 1024;

/// What the cluster's front door is told.
enum Message {
    Ask(Box<Request>, oneshot::Sender<Answer>),
    /// Time has gone by.
    Pass(Milliseconds),
}

/// Where requests are put.
#[derive(Clone)]
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
    pub tokens: TokenAuthority,
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
}

/// A mailbox and its other end.
pub fn mailbox() -> (Mailbox, Inbox) {
    let (sender, receiver) = mpsc::channel(WAITING_REQUESTS);
    (Mailbox { sender }, Inbox { receiver })
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
    pub(crate) documents: crate::openapi::Documents,
    /// The version of the store up to which watches were served.
    pub(crate) revision: Arc<AtomicU64>,
}

impl<'c> Actor<'c> {
    /// A cluster that is about to be served.
    pub fn new(cluster: &'c mut Cluster, settings: Settings) -> Self {
        let seen = cluster.api.store().revision();
        Self {
            cluster,
            settings,
            watches: Watches::new(seen),
            metrics: Metrics::default(),
            documents: crate::openapi::Documents::default(),
            revision: Arc::new(AtomicU64::new(seen)),
        }
    }

    /// Answers requests until nobody can send any more.
    pub fn run(mut self, mut inbox: Inbox) {
        self.settle(self.settings.stillness.after_writes);
        while let Some(message) = inbox.receiver.blocking_recv() {
            match message {
                Message::Ask(request, reply) => {
                    let (answer, then) = self.answer(&request);
                    self.hand_out();
                    // A client that is gone needs no answer.
                    let _ = reply.send(answer);
                    self.follow(then);
                }
                Message::Pass(span) => {
                    if let Some(recorder) = &mut self.settings.recorder {
                        recorder.time(self.cluster.now(), span);
                    }
                    self.pass(span);
                }
            }
        }
    }

    /// Answers one request, and lets happen what follows from it: for tests and for sessions that are played again.
    pub fn handle(&mut self, request: &Request) -> Answer {
        let (answer, then) = self.answer(request);
        self.hand_out();
        self.follow(then);
        answer
    }

    fn answer(&mut self, request: &Request) -> (Answer, Then) {
        let before = self.cluster.api.store().revision();
        let now = self.cluster.now();
        let identity = self.identify(request);
        let answer = match &identity {
            Ok(identity) => self.respond(request, identity).unwrap_or_else(|error| Answer::refusal(&error)),
            Err(error) => Answer::refusal(error),
        };
        let has_written = self.cluster.api.store().revision() != before;
        let waits = self.watches.take_waiting();
        self.metrics.count(&request.method, answer.code);
        let is_write = request.method != Method::GET && request.method != Method::HEAD;
        if let (Some(recorder), Ok(identity)) = (&mut self.settings.recorder, &identity)
            && (is_write || waits)
        {
            recorder.request(now, request, &identity.user, answer.code);
        }
        let then = if waits {
            Then::Wait
        } else if has_written {
            Then::Settle
        } else {
            Then::Nothing
        };
        (answer, then)
    }

    fn follow(&mut self, then: Then) {
        if self.settings.time != TimeMode::Still {
            // What is due at once is done at once in every mode but the paused one.
            if then == Then::Settle && self.settings.time == TimeMode::Flowing {
                self.pass(0);
            }
            return;
        }
        match then {
            Then::Nothing => {}
            Then::Settle => self.settle(self.settings.stillness.after_writes),
            Then::Wait => self.settle(self.settings.stillness.for_waiting),
        }
    }
}

/// What follows from a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    /// The cluster comes to rest.
    Settle,
    /// A client waits for something: the cluster comes to rest for longer.
    Wait,
}
