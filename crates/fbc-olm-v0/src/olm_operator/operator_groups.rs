//! The controller of OperatorGroups: which namespaces they select, what they tell their operators, which APIs they have.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operatorgroup.go`
//! (`syncOperatorGroups`), `pkg/lib/scoped/syncer.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Propagation};
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::store::Change;
use fbc_cluster::time::Milliseconds;
use serde_json::{Value, json};

use super::csv::object::{is_copied, original, originals, phase as phase_of, reason};
use super::csv::{object, phase};
use super::group_status::{count_groups, sync_account};
use super::owners::{is_labelled_by, is_managed};
use super::{CLUSTER_SERVICE_VERSIONS, NAMESPACES, OPERATOR_GROUPS, RESYNC, apis, cluster_roles};
use crate::Options;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{
    GROUP, OPERATOR_GROUP, OPERATOR_GROUP_ANNOTATION, OPERATOR_NAMESPACE, PROVIDED_APIS, RBAC,
    TARGET_NAMESPACES,
};
use crate::retries::Retries;

/// The controller.
pub struct OperatorGroups {
    caller: Caller,
    retries: Retries,
    requeues: Vec<Requeue>,
    deleted: BTreeMap<ObjectName, Arc<Object>>,
}

impl OperatorGroups {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self {
            caller: options.olm_operator(),
            retries: Retries::default(),
            requeues: Vec::new(),
            deleted: BTreeMap::new(),
        }
    }

    fn look(&mut self, found: &Arc<Object>, api: &mut ApiServer) -> Result<(), LookError> {
        let caller = self.caller.clone();
        let mut client = Client::new(api, &caller);
        count_groups(&mut client, found);
        let Some(group) = client.api.find(GROUP, OPERATOR_GROUP, &found.object_name()).cloned() else {
            return Ok(());
        };
        let group = sync_account(&mut client, group)?;
        // The reference compares where the references lie, so that any counts as a new one.
        let names_account = |group: &Object| group.given(&["status", "serviceAccountRef"]).is_some();
        if names_account(&group) || names_account(found) {
            self.start_again(&mut client, &group)?;
        }
        let wanted = targets(client.api, &group)?;
        let current: BTreeSet<String> = namespaces_of(&group).into_iter().collect();
        if wanted != current {
            return self.retarget(&mut client, &group, &wanted, &current);
        }
        self.annotate_versions(&mut client, &group)?;
        self.settle_apis(&mut client, &group)
    }

    /// Writes a changed set of namespaces: the whole status becomes new.
    fn retarget(
        &mut self,
        client: &mut Client<'_>,
        group: &Object,
        wanted: &BTreeSet<String>,
        current: &BTreeSet<String>,
    ) -> Result<(), LookError> {
        let mut status = json!({"lastUpdated": client.api.now().to_string()});
        if !wanted.is_empty() {
            status.set(&["namespaces"], json!(wanted));
        }
        if let Some(conditions) = group.at(&["status", "conditions"]) {
            status.set(&["conditions"], conditions.clone());
        }
        match client.update_status(group, status) {
            Err(error) if !error.is_not_found() => return Err(error.message.into()),
            _ => {}
        }
        let changed = wanted.symmetric_difference(current).filter(|namespace| !namespace.is_empty());
        self.requeues.extend(changed.map(|name| Requeue::now(NAMESPACES, ObjectName::cluster(name))));
        Ok(())
    }

    /// Puts operators whose installation was given up back to their beginning, as the account is another one.
    fn start_again(&mut self, client: &mut Client<'_>, group: &Object) -> Result<(), LookError> {
        for version in originals(client.api, "") {
            let is_member = version.annotation(OPERATOR_GROUP_ANNOTATION) == Some(group.name());
            if !is_member || reason(&version) != "InstallComponentFailedNoRetry" {
                continue;
            }
            let mut object = Object::clone(&version);
            let message = "Cluster resources changed state";
            phase::set(&mut object, client.api.now(), "Pending", "DetectedClusterChange", message);
            object::update_status(client, &object).map_err(|error| error.message)?;
            self.requeue(&version);
        }
        Ok(())
    }

    fn requeue(&mut self, version: &Object) {
        self.requeues.push(Requeue::now(CLUSTER_SERVICE_VERSIONS, version.object_name()));
    }

    /// Tells the operators of the namespace of their group, and wakes them.
    fn annotate_versions(&mut self, client: &mut Client<'_>, group: &Object) -> Result<(), LookError> {
        let mut errors = Vec::new();
        for version in originals(client.api, group.namespace()) {
            if is_copied(&version) {
                continue;
            }
            let before =
                apis::Namespaces::of(version.annotation(TARGET_NAMESPACES).unwrap_or_default().split(','));
            if annotations_differ(&version, group) {
                let mut object = Object::clone(&version);
                set_annotations(&mut object, group);
                match object::update(client, object) {
                    Err(error) if !error.is_not_found() => {
                        errors.push(error.message);
                        continue;
                    }
                    _ => {}
                }
            }
            // Those of all namespaces are woken by nothing but their own change.
            let after = apis::Namespaces::of_group(group);
            if before.are_all() || after.are_all() {
                continue;
            }
            let names: BTreeSet<&str> = before.names().chain(after.names()).collect();
            self.requeues.extend(names.into_iter().map(|namespace| {
                Requeue::now(CLUSTER_SERVICE_VERSIONS, ObjectName::namespaced(namespace, version.name()))
            }));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.join(", ").into()) }
    }

    /// Keeps cluster roles and the annotation in step with the APIs of the operators, and wakes all who provide one of them.
    fn settle_apis(&mut self, client: &mut Client<'_>, group: &Object) -> Result<(), LookError> {
        let annotated = apis::of_group(group);
        let mut provided: BTreeMap<String, Arc<Object>> = BTreeMap::new();
        for version in
            originals(client.api, group.namespace()).into_iter().filter(|version| !is_copied(version))
        {
            for api in apis::provided(&version).unwrap_or_default() {
                provided.insert(api, Arc::clone(&version));
            }
        }
        let all: apis::Apis = annotated.iter().chain(provided.keys()).cloned().collect();
        cluster_roles::ensure_for_group(client, group, &all)?;
        for version in originals(client.api, "").into_iter().filter(|version| !is_copied(version)) {
            if apis::provided(&version).is_some_and(|apis| !apis.is_disjoint(&all)) {
                self.requeue(&version);
            }
        }
        prune(client, group, &annotated, &provided);
        Ok(())
    }
}

/// Takes APIs out of the annotation that no operator provides any more.
fn prune(
    client: &mut Client<'_>,
    group: &Object,
    annotated: &apis::Apis,
    provided: &BTreeMap<String, Arc<Object>>,
) {
    if group.at(&["spec", "staticProvidedAPIs"]) == Some(&Value::Bool(true)) {
        return;
    }
    let is_coming = |version: &Arc<Object>| {
        original(client.api, version.namespace(), version.name()).is_some()
            && !version.is_terminating()
            && ["", "Pending"].contains(&phase_of(version))
    };
    if provided.iter().any(|(api, version)| !annotated.contains(api) && is_coming(version)) {
        return;
    }
    let left: apis::Apis = annotated.iter().filter(|api| provided.contains_key(*api)).cloned().collect();
    if left.len() == annotated.len() {
        return;
    }
    let Some(found) = client.api.find(GROUP, OPERATOR_GROUP, &group.object_name()) else { return };
    let mut object = Object::clone(found);
    object.set(&["metadata", "annotations", PROVIDED_APIS], apis::text(&left));
    // The reference only notes a refusal in its log.
    let _ = client.update(object);
}

/// The namespaces that a group selects: an empty one for all. Shows V0-079.
///
/// # Errors
/// All namespaces are named among others, or the selector is not valid.
pub fn targets(api: &ApiServer, group: &Object) -> Result<BTreeSet<String>, LookError> {
    let named = group.list(&["spec", "targetNamespaces"]);
    let names = named.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
    if names.iter().any(String::is_empty) {
        return fail(format!("TargetNamespaces cannot contain NamespaceAll: [{}]", names.join(" ")));
    }
    if !names.is_empty() {
        return Ok(names.into_iter().collect());
    }
    let Some(selector) = group.given(&["spec", "selector"]) else { return Ok([String::new()].into()) };
    let selector = LabelSelector::of_object(Some(selector)).map_err(|error| error.to_string())?;
    if selector.is_everything() {
        return Ok([String::new()].into());
    }
    let all = api.all("", "Namespace").filter(|namespace| selector.matches_object(namespace));
    Ok(all.map(|namespace| namespace.name().to_owned()).collect())
}

fn namespaces_of(group: &Object) -> Vec<String> {
    let all = group.list(&["status", "namespaces"]).iter();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The namespaces of a group as annotations have them: sorted, an empty text for all.
fn target_text(group: &Object) -> String {
    let mut namespaces = namespaces_of(group);
    namespaces.sort_unstable();
    namespaces.join(",")
}

/// Whether a ClusterServiceVersion says of its group what is not so.
pub fn annotations_differ(version: &Object, group: &Object) -> bool {
    version.annotation(OPERATOR_NAMESPACE) != Some(group.namespace())
        || version.annotation(OPERATOR_GROUP_ANNOTATION) != Some(group.name())
        || version.annotation(TARGET_NAMESPACES) != Some(&*target_text(group))
}

/// Writes a group into the annotations of a ClusterServiceVersion.
pub fn set_annotations(version: &mut Object, group: &Object) {
    version.set(&["metadata", "annotations", OPERATOR_NAMESPACE], group.namespace());
    version.set(&["metadata", "annotations", OPERATOR_GROUP_ANNOTATION], group.name());
    if !group.list(&["status", "namespaces"]).is_empty() {
        version.set(&["metadata", "annotations", TARGET_NAMESPACES], target_text(group));
    }
}

/// The group that a ClusterServiceVersion says it belongs to, if that is so.
pub fn member_group(api: &ApiServer, version: &Object) -> Option<Arc<Object>> {
    let name = version.annotation(OPERATOR_GROUP_ANNOTATION)?;
    let name = ObjectName::namespaced(version.namespace(), name);
    let group = api.find(GROUP, OPERATOR_GROUP, &name)?;
    (!annotations_differ(version, group)).then(|| Arc::clone(group))
}

impl Controller for OperatorGroups {
    fn name(&self) -> &'static str {
        OPERATOR_GROUPS
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, OPERATOR_GROUP), ("", "Namespace")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind == (GROUP, OPERATOR_GROUP) {
            if let (Some(before), None) = (&change.before, &change.after) {
                self.deleted.insert(name.clone(), Arc::clone(before));
            }
            requests.push(name.clone());
            return;
        }
        // A change of labels wakes nobody (V0-145).
        if change.before.is_some() && change.after.is_some() {
            return;
        }
        let all = api.all(GROUP, OPERATOR_GROUP);
        let concerned = all.filter(|group| apis::Namespaces::of_group(group).contain(&name.name));
        requests.extend(concerned.map(|group| group.object_name()));
    }

    fn start_over(&mut self) {
        self.deleted.clear();
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if let Some(deleted) = self.deleted.remove(request) {
            let mut client = Client::new(api, &self.caller);
            let roles: Vec<_> = client
                .api
                .all(RBAC, "ClusterRole")
                .filter(|role| is_managed(role) && is_labelled_by(role, &deleted))
                .cloned()
                .collect();
            for role in roles {
                // The reference only notes a refusal in its log.
                let _ = client.delete(&role, Propagation::Background);
            }
            let namespaces = namespaces_of(&deleted).into_iter();
            self.requeues.extend(namespaces.map(|name| Requeue::now(NAMESPACES, ObjectName::cluster(name))));
        }
        let Some(found) = api.find(GROUP, OPERATOR_GROUP, request).cloned() else {
            return self.retries.outcome(request, Ok(()));
        };
        let result = self.look(&found, api);
        self.retries.outcome(request, result)
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
