//! Pods leave nodes with taints of effect `NoExecute`: at once, or when their tolerations run out.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/tainteviction/{taint_eviction,timed_workers}.go`.

use std::collections::HashMap;

use super::events::Recorder;
use super::pods_by_node::PodsByNode;
use super::write::{manager, outcome, set_observed_condition};
use crate::api::{ApiServer, DeleteOptions, Subresource, WriteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::taints::{Effect, Stay, Taint, Toleration, stay, taints, tolerations};
use crate::time::{Moment, SECOND};

/// Evicts pods from tainted nodes.
#[derive(Debug)]
pub struct TaintEviction {
    events: Recorder,
    /// The taints of effect `NoExecute` of nodes that have any.
    tainted: HashMap<String, Vec<Taint>>,
    pods_on: PodsByNode,
    pods: HashMap<ObjectName, BoundPod>,
}

#[derive(Debug)]
struct BoundPod {
    uid: String,
    node: String,
    tolerations: Vec<Toleration>,
    eviction: Eviction,
}

/// What is planned for a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Eviction {
    None,
    /// It goes at this moment.
    Due(Moment),
    /// It was asked to go.
    Done,
}

impl Default for TaintEviction {
    fn default() -> Self {
        Self {
            events: Recorder::new("taint-eviction-controller"),
            tainted: HashMap::new(),
            pods_on: PodsByNode::default(),
            pods: HashMap::new(),
        }
    }
}

impl Controller for TaintEviction {
    fn name(&self) -> &'static str {
        "taint-eviction-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Pod" {
            if self.follow_pod(name, change.before.as_deref(), change.after.as_deref()) {
                requests.push(name.clone());
            }
            return;
        }
        let mut now = change.after.as_deref().map(taints).unwrap_or_default();
        now.retain(|taint| taint.effect == Effect::NoExecute);
        let before = if now.is_empty() {
            self.tainted.remove(&name.name)
        } else {
            self.tainted.insert(name.name.clone(), now.clone())
        };
        if before.unwrap_or_default() != now {
            requests.extend(self.pods_on.on(&name.name).cloned());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(pod) = self.pods.get_mut(request) else { return Outcome::Done };
        let Some(object) = api.find("", "Pod", request).cloned() else { return Outcome::Done };
        let now = api.now();
        let cancel = |pod: &mut BoundPod, events: &mut Recorder, api: &mut ApiServer| {
            if matches!(pod.eviction, Eviction::Due(_)) {
                events.normal(api, &object, REASON, &format!("Cancelling deletion of Pod {request}"));
            }
            pod.eviction = Eviction::None;
        };
        let taints = self.tainted.get(&pod.node).map_or(&[][..], Vec::as_slice);
        match (stay(taints, &pod.tolerations), pod.eviction) {
            (_, Eviction::Due(due)) if due <= now && !taints.is_empty() => {}
            (Stay::Forever, _) => {
                cancel(pod, &mut self.events, api);
                return Outcome::Done;
            }
            // What is planned stays planned, however the time would be counted now.
            (Stay::For(_), Eviction::Due(due)) => return Outcome::After(due.since(now)),
            (Stay::For(_), Eviction::Done) => return Outcome::Done,
            (Stay::For(seconds), Eviction::None) => {
                pod.eviction = Eviction::Due(now + seconds * SECOND);
                return Outcome::After(seconds * SECOND);
            }
            (Stay::No, Eviction::Done) if pod.is_tolerating(taints) => return Outcome::Done,
            (Stay::No, _) => cancel(pod, &mut self.events, api),
        }
        pod.eviction = Eviction::Done;
        self.events.normal(api, &object, REASON, &format!("Marking for deletion Pod {request}"));
        outcome(evict(api, &object))
    }
}

const REASON: &str = "TaintManagerEviction";

impl BoundPod {
    /// True if every taint is tolerated, be it for no time at all.
    fn is_tolerating(&self, taints: &[Taint]) -> bool {
        taints.iter().all(|taint| crate::taints::tolerates(&self.tolerations, taint))
    }
}

impl TaintEviction {
    /// Writes a pod down. True if it has to be looked at.
    fn follow_pod(&mut self, name: &ObjectName, before: Option<&Object>, pod: Option<&Object>) -> bool {
        let bound = pod.filter(|pod| !pod.text(&["spec", "nodeName"]).is_empty());
        let same_pod = |known: &&mut BoundPod| bound.is_some_and(|pod| pod.uid() == known.uid);
        if let (Some(known), Some(pod)) = (self.pods.get_mut(name).filter(same_pod), bound) {
            let path = ["spec", "tolerations"];
            if before.is_some_and(|before| before.list(&path) == pod.list(&path)) {
                return false;
            }
            let tolerations = tolerations(pod);
            let is_new = known.tolerations != tolerations;
            known.tolerations = tolerations;
            return is_new && (self.tainted.contains_key(&known.node) || known.eviction != Eviction::None);
        }
        self.pods.remove(name);
        self.pods_on.follow(name, bound);
        let Some(pod) = bound else { return false };
        let node = pod.text(&["spec", "nodeName"]).to_owned();
        let is_tainted = self.tainted.contains_key(&node);
        let (uid, tolerations) = (pod.uid().to_owned(), tolerations(pod));
        self.pods.insert(name.clone(), BoundPod { uid, node, tolerations, eviction: Eviction::None });
        is_tainted
    }
}

/// Writes into a pod why it goes, and deletes it.
fn evict(api: &mut ApiServer, pod: &Object) -> Result<(), ApiError> {
    let mut object = pod.clone();
    let mut conditions = pod.list(&["status", "conditions"]).to_vec();
    let text = "Taint manager: deleting due to NoExecute taint";
    let condition = ("DisruptionTarget", "True", "DeletionByTaintManager", text);
    set_observed_condition(&mut conditions, api.now(), pod.generation(), condition);
    object.set(&["status", "conditions"], conditions);
    api.update(&manager(), object, Subresource::Status, WriteOptions::default())?;
    let Some(kind) = api.kind_id("", "Pod") else { return Ok(()) };
    let options = DeleteOptions { uid: Some(pod.uid().to_owned()), ..DeleteOptions::default() };
    api.delete(&manager(), kind, &pod.object_name(), &options).map(drop)
}
