//! Namespaces on their way out: everything in them is deleted, then the finalizer `kubernetes` is taken away.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/namespace/namespace_controller.go`,
//! `pkg/controller/namespace/deletion/{namespaced_resources_deleter,status_condition_utils}.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::write::{manager, set_condition, update_status};
use crate::api::{ApiServer, DeleteOptions, Subresource, WriteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, Moment, SECOND};

/// The entry of `spec.finalizers` that this controller takes away.
pub const FINALIZER: &str = "kubernetes";
/// How long after a change the work on a namespace starts.
const DELAY: Milliseconds = 5 * SECOND;
/// The first wait after a failure; every further one doubles it.
const FIRST_BACK_OFF: Milliseconds = 5;
/// The longest wait after failures.
const LONGEST_BACK_OFF: Milliseconds = 60 * SECOND;
/// Seconds that objects with finalizers are thought to need.
const FINALIZERS_NEED: i64 = 15;

/// Empties namespaces that are being deleted.
#[derive(Debug, Default)]
pub struct Namespaces {
    waiting: BTreeMap<ObjectName, Waiting>,
}

/// When a namespace is looked at again.
#[derive(Debug, Default)]
struct Waiting {
    due: BTreeSet<Moment>,
    failures: u32,
    /// The last object that was deleted of the kind where the work stopped, because there are many.
    stopped: Option<(KindId, String)>,
}

impl Controller for Namespaces {
    fn name(&self) -> &'static str {
        "namespace-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        match &change.after {
            None => {
                self.waiting.remove(name);
            }
            Some(namespace) if namespace.is_terminating() => {
                self.waiting.entry(name.clone()).or_default().due.insert(api.now() + DELAY);
                requests.push(name.clone());
            }
            Some(_) => {}
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let now = api.now();
        let Some(waiting) = self.waiting.get_mut(request) else { return Outcome::Done };
        let later = waiting.due.split_off(&(now + 1));
        let is_due = !waiting.due.is_empty();
        waiting.due = later;
        if is_due {
            match empty(api, request, &mut waiting.stopped) {
                Ok(Progress::Unfinished) => {
                    waiting.due.insert(now);
                }
                Ok(Progress::Finished) => {
                    self.waiting.remove(request);
                    return Outcome::Done;
                }
                Ok(Progress::Remaining { seconds }) => {
                    waiting.failures = 0;
                    waiting.due.insert(now + (seconds / 2 + 1) * SECOND);
                }
                Ok(Progress::Failing) | Err(_) => {
                    let wait = FIRST_BACK_OFF << waiting.failures.min(14);
                    waiting.failures += 1;
                    waiting.due.insert(now + wait.min(LONGEST_BACK_OFF));
                }
            }
        }
        waiting.due.first().map_or(Outcome::Done, |due| Outcome::After(due.since(now)))
    }
}

/// How far the work on a namespace is.
enum Progress {
    /// There is so much that others come first.
    Unfinished,
    /// Nothing is left to do.
    Finished,
    /// Objects need so many seconds to go.
    Remaining { seconds: u64 },
    /// Something is left that should not be.
    Failing,
}

/// What is left in a namespace.
#[derive(Default)]
struct Remains {
    by_kind: BTreeMap<String, usize>,
    by_finalizer: BTreeMap<String, usize>,
    failures: Vec<String>,
    /// Seconds that it is thought to need.
    estimate: i64,
}

fn empty(
    api: &mut ApiServer,
    name: &ObjectName,
    stopped: &mut Option<(KindId, String)>,
) -> Result<Progress, ApiError> {
    let Some(namespace) = api.find("", "Namespace", name).cloned() else { return Ok(Progress::Finished) };
    if !namespace.list(&["spec", "finalizers"]).iter().any(|finalizer| finalizer == FINALIZER) {
        return Ok(Progress::Finished);
    }
    let pods = api.kind_id("", "Pod");
    let done = stopped.take();
    let mut remains = Remains::default();
    // Pods go before what they may need; only then the rest.
    if let Some(pods) = pods {
        remains.empty_kind(api, pods, &namespace, &done, stopped);
    }
    if remains.by_kind.is_empty() && remains.failures.is_empty() && stopped.is_none() {
        let kinds = api.registry().iter().filter(|(id, kind)| kind.namespaced && Some(*id) != pods);
        for id in kinds.map(|(id, _)| id).collect::<Vec<_>>() {
            remains.empty_kind(api, id, &namespace, &done, stopped);
            if stopped.is_some() {
                break;
            }
        }
    }
    if stopped.is_some() {
        return Ok(Progress::Unfinished);
    }
    let status = remains.status(&namespace, api.now());
    let namespace = update_status(api, &namespace, status)?;
    if !remains.failures.is_empty() {
        return Ok(Progress::Failing);
    }
    if remains.estimate > 0 {
        return Ok(Progress::Remaining { seconds: remains.estimate.unsigned_abs() });
    }
    let mut object = Object::clone(&namespace);
    let finalizers = namespace.list(&["spec", "finalizers"]).iter();
    let others: Vec<Value> = finalizers.filter(|finalizer| *finalizer != FINALIZER).cloned().collect();
    object.set(&["spec", "finalizers"], others);
    api.update(&manager(), object, Subresource::Finalize, WriteOptions::default())?;
    Ok(Progress::Finished)
}

impl Remains {
    /// Deletes all objects of a kind, those after the last one if it stopped there, and counts what stays. Sets where it stops.
    fn empty_kind(
        &mut self,
        api: &mut ApiServer,
        id: KindId,
        namespace: &Object,
        done: &Option<(KindId, String)>,
        stopped: &mut Option<(KindId, String)>,
    ) {
        let Some(kind) = api.registry().get(id) else { return };
        let version = kind.preferred().version;
        let (plural, group) = (kind.plural.clone(), kind.group.clone());
        let objects: Vec<Arc<Object>> = api.store().in_namespace(id, namespace.name()).cloned().collect();
        let patience = patience(&objects, namespace, api.now());
        let last = done.as_ref().filter(|(kind, _)| *kind == id).map(|(_, name)| name.as_str());
        let is_left = |object: &Arc<Object>| last.is_none_or(|last| object.name() > last);
        for object in objects.into_iter().filter(is_left) {
            let options = DeleteOptions::default();
            match api.delete(&manager(), id, &object.object_name(), &options) {
                Err(error) if !error.is_not_found() => self.failures.push(error.message),
                _ => {}
            }
            if api.has_written_much() {
                *stopped = Some((id, object.name().to_owned()));
                return;
            }
        }
        let mut count = 0;
        let mut has_finalizers = false;
        for object in api.store().in_namespace(id, namespace.name()) {
            count += 1;
            for finalizer in object.finalizers() {
                has_finalizers = true;
                *self.by_finalizer.entry(finalizer.to_owned()).or_default() += 1;
            }
        }
        if count == 0 {
            return;
        }
        let patience = if patience == 0 && has_finalizers { FINALIZERS_NEED } else { patience };
        if patience == 0 {
            let version = if group.is_empty() { format!("/{version}") } else { format!("{group}/{version}") };
            self.failures.push(format!(
                "unexpected items still remain in namespace: {} for gvr: {version}, Resource={plural}",
                namespace.name()
            ));
            return;
        }
        self.by_kind.insert(format!("{plural}.{group}"), count);
        self.estimate = self.estimate.max(patience);
    }

    fn status(&self, namespace: &Object, now: Moment) -> Value {
        let listed = |counts: &BTreeMap<String, usize>, verb: &str| {
            let entries: Vec<String> = counts
                .iter()
                .map(|(name, count)| format!("{name} {verb} {count} resource instances"))
                .collect();
            entries.join(", ")
        };
        let mut failures = self.failures.clone();
        failures.sort();
        let failure = (!failures.is_empty()).then(|| {
            let (count, texts) = (failures.len(), failures.join(", "));
            (
                "ContentDeletionFailed",
                format!("Failed to delete all resource types, {count} remaining: {texts}"),
            )
        });
        let content = (!self.by_kind.is_empty()).then(|| {
            let text = format!("Some resources are remaining: {}", listed(&self.by_kind, "has"));
            ("SomeResourcesRemain", text)
        });
        let finalizers = (!self.by_finalizer.is_empty()).then(|| {
            let entries = listed(&self.by_finalizer, "in");
            let text = format!("Some content in the namespace has finalizers remaining: {entries}");
            ("SomeFinalizersRemain", text)
        });
        let mut conditions = namespace.list(&["status", "conditions"]).to_vec();
        let rows = [
            (
                "NamespaceDeletionDiscoveryFailure",
                None,
                ("ResourcesDiscovered", "All resources successfully discovered"),
            ),
            (
                "NamespaceDeletionGroupVersionParsingFailure",
                None,
                ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
            ),
            (
                "NamespaceDeletionContentFailure",
                failure,
                ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
            ),
            ("NamespaceContentRemaining", content, ("ContentRemoved", "All content successfully removed")),
            (
                "NamespaceFinalizersRemaining",
                finalizers,
                ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
            ),
        ];
        for (condition, problem, (reason, message)) in rows {
            match problem {
                Some((reason, message)) => {
                    set_condition(&mut conditions, now, condition, "True", reason, &message);
                }
                None => set_condition(&mut conditions, now, condition, "False", reason, message),
            }
        }
        json!({"phase": "Terminating", "conditions": conditions})
    }
}

/// Seconds that the pods among these objects may still need: the longest grace period, less the time since the
/// deletion of the namespace was asked for.
fn patience(objects: &[Arc<Object>], namespace: &Object, now: Moment) -> i64 {
    let is_over = |pod: &Object| ["Succeeded", "Failed"].contains(&pod.text(&["status", "phase"]));
    let grace = objects
        .iter()
        .filter(|object| object.kind() == "Pod" && !is_over(object))
        .filter_map(|pod| pod.number(&["spec", "terminationGracePeriodSeconds"]))
        .max()
        .unwrap_or_default();
    let since =
        Moment::parse(namespace.text(&["metadata", "deletionTimestamp"])).map_or(0, |at| now.since(at));
    let elapsed = i64::try_from(since / SECOND).unwrap_or(i64::MAX);
    grace.saturating_sub(elapsed).max(0)
}
