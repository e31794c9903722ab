//! Copied ClusterServiceVersions: the queue that makes them of originals, and the queue that takes away what has none.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`syncCopyCSV`, `syncCopiedCsv`, `removeDanglingChildCSVs`), `operatorgroup.go` (`ensureCSVsInNamespaces`,
//! `copyToNamespace`, `csvCopyPrototype`).

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Propagation};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, SECOND};
use serde_json::{Value, json};

use super::apis::Namespaces;
use super::csv::object::{has_copy_label, is_copied, original, phase, reason};
use super::operator_groups::member_group;
use super::{COPIED, COPIES, OLM_CONFIGS, RESYNC, olm_config, tenants};
use crate::Options;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{
    CLUSTER_SERVICE_VERSION, COMPONENT_PREFIX, COPIED_FROM, EVENT_SOURCE, GROUP, OPERATOR_GROUP_ANNOTATION,
    OPERATOR_NAMESPACE, TARGET_NAMESPACES,
};
use crate::retries::Retries;

/// How long after copying the setting is looked at.
const CONFIG_DELAY: Milliseconds = 5 * SECOND;
/// The reason of the event that says that nothing is copied.
const DISABLED: &str = "DisabledCopiedCSVs";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Makes copies.
pub struct Copies {
    options: Options,
    caller: Caller,
    recorder: Recorder,
    retries: Retries,
    requeues: Vec<Requeue>,
    /// The resource versions of original and copy that were found to agree.
    agreed: BTreeMap<ObjectName, (String, String)>,
}

impl Copies {
    /// The queue of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self {
            caller: options.olm_operator(),
            options: options.clone(),
            recorder: Recorder::new(EVENT_SOURCE),
            retries: Retries::default(),
            requeues: Vec::new(),
            agreed: BTreeMap::new(),
        }
    }

    fn look(&mut self, request: &ObjectName, api: &mut ApiServer) -> Result<(), LookError> {
        let Some(version) = original(api, &request.namespace, &request.name) else { return Ok(()) };
        if olm_config::cluster(api).is_some() {
            let config = Requeue::now(OLM_CONFIGS, ObjectName::cluster(olm_config::NAME));
            self.requeues.push(Requeue { after: CONFIG_DELAY, ..config });
        }
        let Some(group) = member_group(api, &version) else {
            return fail(format!("operatorGroup for csv '{}' should have annotations", version.name()));
        };
        let targets = Namespaces::of_group(&group);
        let caller = self.caller.clone();
        if olm_config::copies(api) || !targets.are_all() {
            let result = self.copy_into(&mut Client::new(api, &caller), &version, &group, &targets);
            if targets.are_all() {
                delete_events(&mut Client::new(api, &caller), &version).map_err(|error| error.message)?;
            }
            return result;
        }
        // Shows V0-090.
        let protected = Namespaces::of(self.options.protected_namespaces.iter().map(String::as_str));
        let mut client = Client::new(api, &caller);
        self.copy_into(&mut client, &version, &group, &protected)?;
        for copy in copies_of(client.api, version.namespace()) {
            if !protected.contain(copy.namespace()) {
                client.delete(&copy, Propagation::Background).map_err(|error| error.message)?;
            }
        }
        self.say_disabled(api, &version).map_err(|error| error.message.into())
    }

    fn say_disabled(&mut self, api: &mut ApiServer, version: &Object) -> Result<(), ApiError> {
        let events = events(api, version);
        if events.len() == 1 {
            return Ok(());
        }
        delete_events(&mut Client::new(api, &self.caller), version)?;
        let message = format!("CSV copying disabled for {}", version.object_name());
        self.recorder.warning(api, version, DISABLED, &message);
        Ok(())
    }

    /// Copies an operator into those of the namespaces that there are, and looks at copies of its group elsewhere.
    fn copy_into(
        &mut self,
        client: &mut Client<'_>,
        version: &Object,
        group: &Object,
        targets: &Namespaces,
    ) -> Result<(), LookError> {
        let prototype = prototype(version);
        let namespaces: Vec<String> =
            client.api.all("", "Namespace").map(|one| one.name().to_owned()).collect();
        let mut copies = BTreeMap::new();
        for namespace in namespaces.into_iter().filter(|namespace| namespace != group.namespace()) {
            if targets.contain(&namespace) {
                // The reference goes on with the next namespace.
                if let Ok(copy) = self.copy(client, version, &prototype, &namespace) {
                    copies.insert(namespace, copy);
                }
                continue;
            }
            let stale = copies_in(client.api, &namespace)
                .into_iter()
                .filter(|copy| copy.annotation(OPERATOR_GROUP_ANNOTATION) == Some(group.name()));
            self.requeues.extend(stale.map(|copy| Requeue::now(COPIED, copy.object_name())));
        }
        tenants::ensure(client, version, group, &copies)
    }

    /// Makes a copy in a namespace what it is to be (V0-157).
    fn copy(
        &mut self,
        client: &mut Client<'_>,
        version: &Object,
        prototype: &Object,
        namespace: &str,
    ) -> Result<Arc<Object>, ApiError> {
        let name = ObjectName::namespaced(namespace, version.name());
        let existing =
            client.api.find(GROUP, CLUSTER_SERVICE_VERSION, &name).filter(|one| has_copy_label(one));
        let mut wanted = prototype.clone();
        wanted.set(&["metadata", "namespace"], namespace);
        let Some(existing) = existing.cloned() else {
            let created = client.create(wanted)?;
            return client.update_status(&created, prototype["status"].clone());
        };
        let revisions = |copy: &Object| {
            let of = |object: &Object| object.text(&["metadata", "resourceVersion"]).to_owned();
            (of(version), of(copy))
        };
        if self.agreed.get(&name) == Some(&revisions(&existing)) {
            return Ok(existing);
        }
        let mut copy = existing;
        let of = |object: &Object, field: &str| object.at(&["metadata", field]).cloned();
        let is_same = ["labels", "annotations"].iter().all(|field| of(&copy, field) == of(&wanted, field))
            && copy["spec"] == wanted["spec"];
        if !is_same {
            for field in ["resourceVersion", "uid"] {
                wanted.set(&["metadata", field], copy["metadata"][field].clone());
            }
            copy = client.update(wanted)?;
        }
        if copy["status"] != prototype["status"] {
            copy = client.update_status(&copy, prototype["status"].clone())?;
        }
        self.agreed.insert(name, revisions(&copy));
        Ok(copy)
    }
}

/// What copies look like. Shows V0-089, V0-115.
fn prototype(version: &Object) -> Object {
    let mut copy = json!({
        "apiVersion": version.api_version(), "kind": version.kind(),
        "metadata": {"name": version.name()}, "spec": version["spec"], "status": version["status"],
    });
    let members = |field| version.at(&["metadata", field]).and_then(Value::as_object).into_iter().flatten();
    for (key, value) in members("annotations") {
        if key != TARGET_NAMESPACES && key != LAST_APPLIED {
            copy.set(&["metadata", "annotations", key], value.clone());
        }
    }
    for (key, value) in members("labels").filter(|(key, _)| !key.starts_with(COMPONENT_PREFIX)) {
        copy.set(&["metadata", "labels", key], value.clone());
    }
    copy.set(&["metadata", "labels", COPIED_FROM], version.namespace());
    let message =
        format!("The operator is running in {} but is managing this namespace", version.namespace());
    copy.set(&["status", "reason"], "Copied");
    copy.set(&["status", "message"], message);
    copy
}

/// All copies of the operators of a namespace.
pub fn copies_of(api: &ApiServer, namespace: &str) -> Vec<Arc<Object>> {
    let Some(id) = api.kind_id(GROUP, CLUSTER_SERVICE_VERSION) else { return Vec::new() };
    api.store().with_label(id, COPIED_FROM, namespace).cloned().collect()
}

fn copies_in(api: &ApiServer, namespace: &str) -> Vec<Arc<Object>> {
    let Some(id) = api.kind_id(GROUP, CLUSTER_SERVICE_VERSION) else { return Vec::new() };
    api.store().in_namespace(id, namespace).filter(|one| has_copy_label(one)).cloned().collect()
}

/// The events that say of an operator that it is not copied.
fn events(api: &ApiServer, version: &Object) -> Vec<Arc<Object>> {
    let all = api.all("", "Event").filter(|event| event["reason"] == DISABLED);
    all.filter(|event| event.text(&["involvedObject", "uid"]) == version.uid()).cloned().collect()
}

fn delete_events(client: &mut Client<'_>, version: &Object) -> Result<(), ApiError> {
    events(client.api, version).iter().try_for_each(|event| client.delete(event, Propagation::Background))
}

impl Controller for Copies {
    fn name(&self) -> &'static str {
        COPIES
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let result = self.look(request, api);
        self.retries.outcome(request, result)
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }
}

/// Takes away copies that have no original, and wakes the originals of the others.
pub struct Copied {
    caller: Caller,
    retries: Retries,
    requeues: Vec<Requeue>,
    /// The namespace of the original of each copy that was deleted.
    deleted: BTreeMap<ObjectName, String>,
}

impl Copied {
    /// The queue of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self {
            caller: options.olm_operator(),
            retries: Retries::default(),
            requeues: Vec::new(),
            deleted: BTreeMap::new(),
        }
    }

    fn look(&mut self, request: &ObjectName, api: &mut ApiServer) -> Result<(), LookError> {
        if let Some(origin) = self.deleted.remove(request) {
            self.requeues.push(Requeue::now(COPIES, ObjectName::namespaced(origin, &*request.name)));
        }
        let Some(copy) = api.find(GROUP, CLUSTER_SERVICE_VERSION, request).cloned() else { return Ok(()) };
        if !has_copy_label(&copy) || !is_copied(&copy) {
            return Ok(());
        }
        if is_dangling(api, &copy) {
            let deleted = Client::new(api, &self.caller).delete(&copy, Propagation::Background);
            deleted.map_err(|error| error.message)?;
        }
        let origin = copy.label(COPIED_FROM).unwrap_or_default();
        self.requeues.push(Requeue::now(COPIES, ObjectName::namespaced(origin, copy.name())));
        Ok(())
    }
}

/// Whether nothing wants a copy any more.
fn is_dangling(api: &ApiServer, copy: &Object) -> bool {
    let Some(origin) = copy.annotation(OPERATOR_NAMESPACE) else { return true };
    let Some(parent) = original(api, origin, copy.name()) else { return true };
    let conflicts = phase(&parent) == "Failed" && reason(&parent) == "InterOperatorGroupOwnerConflict";
    let targets = Namespaces::of(parent.annotation(TARGET_NAMESPACES).unwrap_or_default().split(','));
    conflicts || !targets.contain(copy.namespace()) || parent.namespace() == copy.namespace()
}

impl Controller for Copied {
    fn name(&self) -> &'static str {
        COPIED
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, CLUSTER_SERVICE_VERSION)]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let origin = |object: &Arc<Object>| object.label(COPIED_FROM).map(str::to_owned);
        let (before, after) =
            (change.before.as_ref().and_then(origin), change.after.as_ref().and_then(origin));
        if after.is_none()
            && let Some(before) = &before
        {
            self.deleted.insert(change.key.name.clone(), before.clone());
        }
        requests.extend((before.is_some() || after.is_some()).then(|| change.key.name.clone()));
    }

    fn start_over(&mut self) {
        self.deleted.clear();
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let result = self.look(request, api);
        self.retries.outcome(request, result)
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
