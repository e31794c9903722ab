//! Draining as OpenShift's controllers do it: everything leaves the node but pods of daemon sets and those that the node
//! itself keeps.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machine/drain_controller.go`,
//! `openshift/machine-config-operator:pkg/controller/drain/drain_controller.go` (both set up `kubectl`'s drain).

use fbc_cluster::api::ApiServer;
use fbc_cluster::drain::{ApiClient, Drain, Filters, Progress, Removal, choose};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Milliseconds;

use crate::writer::Writer;

/// An attempt to drain a node.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    drain: Drain,
}

/// What an attempt came to so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The node is empty.
    Drained,
    /// Look again after a while.
    Busy(Milliseconds),
    /// It is over, with this text.
    Failed(String),
}

impl Attempt {
    /// Begins with the pods that are on a node now. A pod that has just been told to go is waited for as well.
    pub(crate) fn start(api: &ApiServer, node: &str, removal: Removal) -> Self {
        let filters = Filters {
            force: true,
            ignore_daemon_sets: true,
            delete_empty_dir_data: true,
            skip_wait_for_delete: removal.skip_wait_for_delete,
        };
        let has_daemon_set = |name: &ObjectName| {
            let found = api.find("apps", "DaemonSet", name);
            found.map(drop).ok_or_else(|| ApiError::not_found("apps", "daemonsets", &name.name))
        };
        let pods = api.all("", "Pod").filter(|pod| pod.text(&["spec", "nodeName"]) == node);
        let choice = choose(pods.map(|pod| Object::clone(pod)), &filters, api.now(), &has_daemon_set);
        Self { drain: Drain::new(&choice.pods, removal, api.now()) }
    }

    /// Does what is due.
    pub(crate) fn advance(&mut self, api: &mut ApiServer, writer: &Writer) -> Step {
        let now = api.now();
        let mut client = ApiClient { api, caller: writer.caller() };
        // Nobody listens to the steps of a drain.
        match self.drain.advance(&mut client, &mut Vec::new()) {
            Progress::Waiting(until) => Step::Busy(until.since(now)),
            Progress::Over(failures) => match failures.as_slice() {
                [] => Step::Drained,
                [only] => Step::Failed(only.clone()),
                several => Step::Failed(format!("[{}]", several.join(", "))),
            },
        }
    }

    /// True if a pod is among those that are waited for.
    pub(crate) fn concerns(&self, pod: &ObjectName) -> bool {
        self.drain.remaining().any(|name| name == pod)
    }
}
