//! Stateful sets: pods with names of their own, one after another.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/statefulset/{stateful_set,stateful_set_control,stateful_set_utils,
//! stateful_pod_control}.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::claims::{Selectors, claim};
use super::events::Recorder;
use super::pods::{available_from, from_template, is_finished};
use super::replica_sets::{min_ready_seconds, replicas};
use super::revisions::{HASH_LABEL, data, data_hash, present_revision, revisions, template, truncate};
use super::write::{create, manager, outcome, update_status};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;
use crate::time::{Moment, SECOND};

/// Keeps the pods of stateful sets.
#[derive(Debug)]
pub struct StatefulSets {
    selectors: Selectors,
    events: Recorder,
    /// The pods of each set when it was looked at last, by name: at most one or two of them change between two looks.
    known: BTreeMap<ObjectName, Vec<Member>>,
}

impl Default for StatefulSets {
    fn default() -> Self {
        let events = Recorder::new("statefulset-controller");
        Self { selectors: Selectors::default(), events, known: BTreeMap::new() }
    }
}

impl Controller for StatefulSets {
    fn name(&self) -> &'static str {
        "statefulset-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "StatefulSet"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "StatefulSet" {
            self.selectors.follow(change);
            if change.after.is_none() {
                self.known.remove(&change.key.name);
            }
            requests.extend(change.after.is_some().then(|| change.key.name.clone()));
        } else {
            self.selectors.concerned(change, "StatefulSet", requests);
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (Some(set), Some(pods)) =
            (api.find("apps", "StatefulSet", request).cloned(), api.kind_id("", "Pod"))
        else {
            return Outcome::Done;
        };
        if set.is_terminating() {
            return Outcome::Done;
        }
        self.sync(api, &set, pods).unwrap_or_else(|error| outcome(Err::<(), _>(error)))
    }
}

/// A pod of a set, with what is asked of it again and again: sets have thousands of them.
#[derive(Debug)]
struct Member {
    pod: Arc<Object>,
    /// The number in its name.
    ordinal: usize,
    /// Since when it is ready.
    ready_since: Option<Moment>,
    /// What it is made of.
    revision: Option<String>,
    is_terminating: bool,
    is_finished: bool,
    /// From when on it counts as available, if it is ready, and whether it is.
    available_from: Option<Moment>,
    serves: bool,
}

impl Member {
    fn of(set: &Object, pod: Arc<Object>) -> Option<Self> {
        Some(Self {
            ordinal: ordinal(set, &pod)?,
            ready_since: available_from(&pod, 0),
            revision: pod.label(HASH_LABEL).map(str::to_owned),
            is_terminating: pod.is_terminating(),
            is_finished: is_finished(&pod),
            available_from: None,
            serves: false,
            pod,
        })
    }

    /// The pods of a set by name; what is known of those that are as they were is kept.
    fn of_all(set: &Object, pods: Vec<Arc<Object>>, known: Vec<Self>, now: Moment) -> Vec<Self> {
        let seconds = min_ready_seconds(set);
        let mut known = known.into_iter().peekable();
        let members = pods.into_iter().filter_map(|pod| {
            while known.next_if(|member| member.pod.name() < pod.name()).is_some() {}
            let same = known.next_if(|member| Arc::ptr_eq(&member.pod, &pod));
            same.or_else(|| Self::of(set, pod))
        });
        let available = |mut member: Self| {
            member.available_from = member.ready_since.map(|since| since + seconds * SECOND);
            member.serves = member.available_from.is_some_and(|from| from <= now);
            member
        };
        members.map(available).collect()
    }
}

/// One look at one stateful set.
struct Sync<'c> {
    api: &'c mut ApiServer,
    events: &'c mut Recorder,
    set: &'c Object,
    kind: KindId,
    /// The revision that was rolled out last, and the one that is wanted.
    current: Arc<Object>,
    wanted: Arc<Object>,
    /// One pod after another.
    in_order: bool,
}

impl StatefulSets {
    fn sync(&mut self, api: &mut ApiServer, set: &Arc<Object>, kind: KindId) -> Result<Outcome, ApiError> {
        let Ok(selector) = LabelSelector::of_object(set.at(&["spec", "selector"])) else {
            return Ok(Outcome::Done);
        };
        let pods = claim(api, set, kind, &selector)?;
        let known = self.known.remove(&set.object_name()).unwrap_or_default();
        let members = Member::of_all(set, pods, known, api.now());
        let all = revisions(api, set);
        let collisions = set.number(&["status", "collisionCount"]).unwrap_or_default();
        let wanted = present_revision(api, set, &all, &data_hash(&data(set), collisions))?;
        let named = set.text(&["status", "currentRevision"]);
        let current = all.iter().find(|revision| revision.name() == named).unwrap_or(&wanted);
        let current = Arc::clone(current);
        let in_order = set.text(&["spec", "podManagementPolicy"]) != "Parallel";
        let mut sync = Sync { api, events: &mut self.events, set, kind, current, wanted, in_order };
        let mut counts = sync.counts(&members);
        let worked = sync.work(&members, &mut counts);
        let status = sync.status(counts);
        let live = [sync.current.name().to_owned(), sync.wanted.name().to_owned()];
        update_status(api, set, status)?;
        worked?;
        let is_live = |revision: &Object| {
            live.iter().any(|name| name == revision.name())
                || members.iter().any(|member| member.revision.as_deref() == Some(revision.name()))
        };
        truncate(api, set, &all, is_live)?;
        let next =
            members.iter().filter_map(|member| member.available_from).filter(|from| *from > api.now()).min();
        self.known.insert(set.object_name(), members);
        Ok(next.map_or(Outcome::Done, |next| Outcome::After(next.since(api.now()))))
    }
}

/// The number in the name of a pod, if it is one of the set.
fn ordinal(set: &Object, pod: &Object) -> Option<usize> {
    pod.name().strip_prefix(set.name())?.strip_prefix('-')?.parse().ok()
}

fn first_ordinal(set: &Object) -> usize {
    set.number(&["spec", "ordinals", "start"])
        .and_then(|start| usize::try_from(start).ok())
        .unwrap_or_default()
}

fn is_rolling(set: &Object) -> bool {
    set.text(&["spec", "updateStrategy", "type"]) != "OnDelete"
}

/// Pods below this number keep the revision that was rolled out last.
fn partition(set: &Object) -> usize {
    let path = ["spec", "updateStrategy", "rollingUpdate", "partition"];
    let partition = set.number(&path).and_then(|number| usize::try_from(number).ok());
    first_ordinal(set) + partition.unwrap_or_default()
}

type Counts = BTreeMap<&'static str, i64>;

impl Sync<'_> {
    fn counts(&self, members: &[Member]) -> Counts {
        let count = |is_counted: &dyn Fn(&Member) -> bool| {
            i64::try_from(members.iter().filter(|member| is_counted(member)).count()).unwrap_or(i64::MAX)
        };
        let has_revision = |member: &Member, revision: &Object| {
            !member.is_terminating && member.revision.as_deref() == Some(revision.name())
        };
        Counts::from([
            ("replicas", count(&|_| true)),
            ("readyReplicas", count(&|member| member.available_from.is_some())),
            ("availableReplicas", count(&|member| member.serves)),
            ("currentReplicas", count(&|member| has_revision(member, &self.current))),
            ("updatedReplicas", count(&|member| has_revision(member, &self.wanted))),
        ])
    }

    fn status(&self, mut counts: Counts) -> Value {
        let get = |counts: &Counts, field: &str| counts.get(field).copied().unwrap_or_default();
        let total = get(&counts, "replicas");
        let is_over = is_rolling(self.set)
            && get(&counts, "updatedReplicas") == total
            && get(&counts, "readyReplicas") == total;
        let mut current = self.current.name();
        if is_over {
            counts.insert("currentReplicas", get(&counts, "updatedReplicas"));
            current = self.wanted.name();
        }
        let mut status = Map::new();
        for (field, number) in counts {
            if number != 0 || ["replicas", "availableReplicas"].contains(&field) {
                status.insert(field.into(), number.into());
            }
        }
        status.insert("observedGeneration".into(), self.set.generation().into());
        status.insert("currentRevision".into(), current.into());
        status.insert("updateRevision".into(), self.wanted.name().into());
        let collisions = self.set.number(&["status", "collisionCount"]).unwrap_or_default();
        status.insert("collisionCount".into(), collisions.into());
        Value::Object(status)
    }

    /// Makes, deletes and replaces pods, in order one at a time.
    fn work(&mut self, members: &[Member], counts: &mut Counts) -> Result<(), ApiError> {
        let first = first_ordinal(self.set);
        let wanted = first..first + replicas(self.set);
        let numbered: BTreeMap<usize, &Member> =
            members.iter().map(|member| (member.ordinal, member)).collect();
        let unhealthy = numbered.values().find(|member| !member.serves || member.is_terminating);
        let first_unhealthy = unhealthy.map(|member| member.pod.uid());
        // The pods that are made or deleted bring the controller back.
        for number in wanted.clone() {
            if self.api.has_written_much() || self.keep(number, numbered.get(&number).copied())? {
                return Ok(());
            }
        }
        for (_, member) in numbered.iter().rev().filter(|(number, _)| !wanted.contains(number)) {
            if self.api.has_written_much() || self.condemn(member, first_unhealthy)? {
                return Ok(());
            }
        }
        if !is_rolling(self.set) {
            return Ok(());
        }
        let newest = partition(self.set).max(wanted.start)..wanted.end.max(partition(self.set));
        for (_, member) in numbered.range(newest).rev() {
            if member.revision.as_deref() != Some(self.wanted.name()) && !member.is_terminating {
                *counts.entry("currentReplicas").or_default() -= 1;
                return self.remove(&member.pod);
            }
            if !member.serves || member.is_terminating {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sees to it that a wanted pod is there. True if the others must wait.
    fn keep(&mut self, number: usize, member: Option<&Member>) -> Result<bool, ApiError> {
        let Some(member) = member else {
            self.make(number)?;
            return Ok(self.in_order);
        };
        let pod = &member.pod;
        if member.is_finished && !member.is_terminating {
            let text = format!(
                "StatefulSet {}/{} is recreating failed Pod {}",
                self.set.namespace(),
                self.set.name(),
                pod.name()
            );
            self.events.warning(self.api, self.set, "RecreatingFailedPod", &text);
            self.remove(pod)?;
            return Ok(self.in_order);
        }
        Ok(self.in_order && (member.is_terminating || !member.serves))
    }

    /// Sees to it that a pod goes that is no longer wanted. True if the others must wait.
    fn condemn(&mut self, member: &Member, first_unhealthy: Option<&str>) -> Result<bool, ApiError> {
        if member.is_terminating {
            return Ok(self.in_order);
        }
        if self.in_order && !member.serves && first_unhealthy != Some(member.pod.uid()) {
            return Ok(true);
        }
        self.remove(&member.pod)?;
        Ok(self.in_order)
    }

    fn make(&mut self, number: usize) -> Result<(), ApiError> {
        let is_kept = is_rolling(self.set) && number < partition(self.set);
        let revision = if is_kept { &self.current } else { &self.wanted };
        let template = template(revision);
        let name = format!("{}-{number}", self.set.name());
        let mut pod = from_template(&template, self.set);
        pod.set(&["metadata", "name"], name.clone());
        for (label, value) in [
            ("statefulset.kubernetes.io/pod-name", name.as_str()),
            ("apps.kubernetes.io/pod-index", number.to_string().as_str()),
            (HASH_LABEL, revision.name()),
        ] {
            pod.set(&["metadata", "labels", label], value);
        }
        pod.set(&["spec", "hostname"], name.clone());
        pod.set(&["spec", "subdomain"], self.set.text(&["spec", "serviceName"]));
        self.make_claims(&name, &mut pod)?;
        match create(self.api, pod) {
            Ok(_) => {
                let text = format!("Create Pod {name} in StatefulSet {} successful", self.set.name());
                self.events.normal(self.api, self.set, "SuccessfulCreate", &text);
                Ok(())
            }
            Err(error) => {
                let text =
                    format!("create Pod {name} in StatefulSet {} failed error: {error}", self.set.name());
                self.events.warning(self.api, self.set, "FailedCreate", &text);
                Err(error)
            }
        }
    }

    /// Makes the volume claims of a pod that are not there, and names them in the pod.
    fn make_claims(&mut self, pod_name: &str, pod: &mut Object) -> Result<(), ApiError> {
        let set = self.set;
        let mut volumes = pod.list(&["spec", "volumes"]).to_vec();
        for template in set.list(&["spec", "volumeClaimTemplates"]) {
            let volume = template.name();
            let name = format!("{volume}-{pod_name}");
            volumes.retain(|one| one["name"] != volume);
            volumes.push(json!({"name": volume, "persistentVolumeClaim": {"claimName": name}}));
            let key = ObjectName::namespaced(set.namespace(), name.clone());
            let is_served = self.api.kind_id("", "PersistentVolumeClaim").is_some();
            if !is_served || self.api.find("", "PersistentVolumeClaim", &key).is_some() {
                continue;
            }
            let labels = set.at(&["spec", "selector", "matchLabels"]).cloned().unwrap_or_else(|| json!({}));
            create(
                self.api,
                json!({
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": template["spec"],
                    "metadata": {"name": name, "namespace": set.namespace(), "labels": labels},
                }),
            )?;
            let text = format!("Create Claim {name} Pod {pod_name} in StatefulSet {} success", set.name());
            self.events.normal(self.api, set, "SuccessfulCreate", &text);
        }
        if !volumes.is_empty() {
            pod.set(&["spec", "volumes"], volumes);
        }
        Ok(())
    }

    fn remove(&mut self, pod: &Object) -> Result<(), ApiError> {
        match self.api.delete(&manager(), self.kind, &pod.object_name(), &DeleteOptions::default()) {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        let text = format!("Delete Pod {} in StatefulSet {} successful", pod.name(), self.set.name());
        self.events.normal(self.api, self.set, "SuccessfulDelete", &text);
        Ok(())
    }
}
