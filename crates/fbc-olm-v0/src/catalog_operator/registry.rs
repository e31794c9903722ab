//! What serves a catalog: nothing of ours where it has an address, a pod with a service where it has an image.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/reconciler/grpc.go`,
//! `grpc_address.go`, `helpers.go`.

use fbc_bundle::kubernetes::TypeMismatch;
use fbc_cluster::api::ApiServer;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::{duration, registry_objects, registry_pod};
use crate::Options;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{CATALOG_SOURCE_LABEL, CATALOG_SOURCE_UPDATE, MANAGED};
use crate::options::Target;

/// How often a catalog is polled whose interval cannot be read; no look is further apart.
const DEFAULT_POLL: Milliseconds = 15 * MINUTE;
/// When an update pod is looked at again that is not ready.
const NOT_READY: Milliseconds = 30 * SECOND;

/// Knows how registries are set up.
pub(super) struct Registry {
    options: Options,
}

/// What came of setting up a registry.
pub(super) enum Ensured {
    /// It is as it has to be.
    Done,
    /// An update pod is not ready; look again after a while.
    NotReady(Milliseconds),
}

/// The ConfigMap that a catalog is in, if it is in one.
pub(super) fn config_map(catalog: &Object) -> Option<&str> {
    let kind = catalog.text(&["spec", "sourceType"]);
    ["internal", "configmap"].contains(&kind).then(|| catalog.text(&["spec", "configMap"]))
}

/// Whether newer images are looked for.
pub(super) fn polls(catalog: &Object) -> bool {
    catalog.given(&["spec", "updateStrategy", "registryPoll"]).is_some() && has_image(catalog)
}

fn has_image(catalog: &Object) -> bool {
    catalog.text(&["spec", "sourceType"]) == "grpc" && !catalog.text(&["spec", "image"]).is_empty()
}

/// How often newer images are looked for, or what is wrong with the text that says so.
fn interval(catalog: &Object) -> Result<Milliseconds, LookError> {
    let text = catalog.text(&["spec", "updateStrategy", "registryPoll", "interval"]);
    duration::parse(text)
}

/// Shows V0-018.
pub(super) fn interval_error(catalog: &Object) -> Option<String> {
    interval(catalog).err().map(|error| {
        format!(
            "error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: {error}"
        )
    })
}

/// When the next poll is due: an interval after the last one, or after the creation.
///
/// Shows V0-014.
fn due(catalog: &Object, status: &Value) -> Moment {
    let last = [status.text(&["latestImageRegistryPoll"]), catalog.text(&["metadata", "creationTimestamp"])];
    let last = last.into_iter().find_map(Moment::parse).unwrap_or(Moment::START);
    last + interval(catalog).unwrap_or(DEFAULT_POLL)
}

/// When a catalog that is polled is looked at again.
pub(super) fn next_look(catalog: &Object, status: &Value, now: Moment) -> Milliseconds {
    let interval = interval(catalog).unwrap_or(DEFAULT_POLL);
    // Times are whole seconds, and a poll is due after its moment.
    if interval <= DEFAULT_POLL {
        interval
    } else {
        (due(catalog, status) + SECOND).since(now).min(DEFAULT_POLL)
    }
}

/// Where clients reach the registry.
pub(super) fn address(catalog: &Object, status: &Value) -> String {
    let given = catalog.text(&["spec", "address"]);
    if !given.is_empty() {
        return given.to_owned();
    }
    let service = &status["registryService"];
    let [name, namespace, port] =
        ["serviceName", "serviceNamespace", "port"].map(|field| service.text(&[field]));
    format!("{name}.{namespace}.svc:{port}")
}

/// The name of the service of a catalog.
pub(super) fn service_name(catalog: &str) -> String {
    catalog.replace('.', "-")
}

/// A reference to the catalog.
pub(super) fn owner(catalog: &Object, is_controller: bool, blocks: bool) -> Value {
    json!({
        "apiVersion": catalog.api_version(), "kind": catalog.kind(), "name": catalog.name(), "uid": catalog.uid(),
        "controller": is_controller, "blockOwnerDeletion": blocks,
    })
}

impl Registry {
    pub(super) fn new(options: &Options) -> Self {
        Self { options: options.clone() }
    }

    /// Whether everything is there that serves a catalog. Nobody asks whether it answers.
    ///
    /// Shows V0-011 and V0-020.
    ///
    /// # Errors
    /// What it is made of cannot be looked at.
    pub(super) fn is_healthy(&self, catalog: &Object, api: &ApiServer) -> Result<bool, LookError> {
        if let Some(name) = config_map(catalog) {
            let namespace = catalog.namespace();
            return match api.find("", "ConfigMap", &ObjectName::namespaced(namespace, name)) {
                Some(_) => Ok(true),
                None => fail(format!(
                    "unable to find configmap {namespace}/{name}: configmaps {name:?} not found"
                )),
            };
        }
        if !has_image(catalog) {
            if catalog.text(&["spec", "address"]).is_empty() {
                return fail(format!("could not get reconciler for catalog: {}", catalog.name()));
            }
            return Ok(true);
        }
        let name = |name: &str| ObjectName::namespaced(catalog.namespace(), name);
        let Some(account) = api.find("", "ServiceAccount", &name(catalog.name())) else { return Ok(false) };
        let policies = self.policies(catalog);
        let is_there = |policy: &Value| {
            let found = api.find("networking.k8s.io", "NetworkPolicy", &name(policy.name()));
            found.is_some_and(|found| found["spec"] == policy["spec"])
        };
        if !policies.iter().all(is_there) {
            return Ok(false);
        }
        let service = api.find("", "Service", &name(&service_name(catalog.name())));
        let pod = self.pod(catalog, account, api).map_err(|error| error.to_string())?;
        let pods = registry_objects::current(catalog, &pod, api);
        Ok(service.is_some() && pods.iter().any(|pod| !registry_objects::is_dead(pod)))
    }

    /// Sets up what serves a catalog.
    ///
    /// # Errors
    /// What keeps it from being set up.
    pub(super) fn ensure(
        &self,
        catalog: &Object,
        status: &mut Value,
        client: &mut Client<'_>,
    ) -> Result<Ensured, LookError> {
        if !has_image(catalog) {
            if status.get("registryService").is_none() {
                status["registryService"] =
                    json!({"createdAt": client.api.now().to_string(), "protocol": "grpc"});
            }
            return Ok(Ensured::Done);
        }
        let wrapped = |what: String| move |error: ApiError| format!("{what}: {}", error.message);
        let name = catalog.name();
        for policy in self.policies(catalog) {
            registry_objects::ensure_policy(&policy, client).map_err(wrapped(format!(
                "error ensuring grpc server network policy for catalog source {name}"
            )))?;
        }
        let account = registry_objects::ensure_account(catalog, client)
            .map_err(wrapped(format!("error ensuring service account: {name}")))?;
        let pod = self.pod(catalog, &account, client.api).map_err(|error| error.to_string())?;
        let service = registry_objects::service(catalog).map_err(|error| error.to_string())?;
        let registered = &status["registryService"];
        let is_valid = registered.text(&["serviceName"]) == service.name()
            && registered.text(&["serviceNamespace"]) == service.namespace()
            && registered.text(&["port"]) == "50051"
            && registered.text(&["protocol"]) == "grpc";
        let is_replaced = !is_valid || registry_objects::current(catalog, &pod, client.api).is_empty();
        // The name is empty, since the pod has only the beginning of one.
        registry_objects::ensure_pod(catalog, &pod, is_replaced, client)
            .map_err(|error| LookError::from(format!("error ensuring pod: : {error}")))?;
        if polls(catalog)
            && let Some(wait) = Self::ensure_update(catalog, &pod, status, client).map_err(|error| {
                LookError::from(format!("error ensuring updated catalog source pod: : {error}"))
            })?
        {
            return Ok(Ensured::NotReady(wait));
        }
        registry_objects::ensure_service(&service, !is_valid, client)
            .map_err(wrapped(format!("error ensuring service: {}", service.name())))?;
        if is_replaced {
            status["registryService"] = json!({
                "createdAt": client.api.now().to_string(), "protocol": "grpc", "serviceName": service.name(),
                "serviceNamespace": service.namespace(), "port": "50051",
            });
        }
        Ok(Ensured::Done)
    }

    /// Makes the ConfigMap of a catalog its own. True if the catalog has seen another state of it.
    ///
    /// # Errors
    /// It is not there, or cannot be written.
    pub(super) fn own_config_map(
        &self,
        catalog: &Object,
        name: &str,
        status: &mut Value,
        client: &mut Client<'_>,
    ) -> Result<bool, LookError> {
        let Some(map) = client.get("", "ConfigMap", catalog.namespace(), name) else {
            return fail(format!("failed to get catalog config map {name}: configmaps {name:?} not found"));
        };
        let mut map = map;
        if !map.owner_references().iter().any(|owner| owner.text(&["uid"]) == catalog.uid()) {
            let mut owned = Object::clone(&map);
            let mut owners = map.owner_references().to_vec();
            owners.push(owner(catalog, false, false));
            owned.set(&["metadata", "ownerReferences"], owners);
            map = client.update(owned).map_err(|error| {
                format!("unable to write owner onto catalog source configmap - {}", error.message)
            })?;
        }
        let version = map.text(&["metadata", "resourceVersion"]);
        let seen = &status["configMapReference"];
        if seen.text(&["uid"]) == map.uid() && seen.text(&["resourceVersion"]) == version {
            return Ok(false);
        }
        status["configMapReference"] = json!({
            "name": name, "namespace": map.namespace(), "uid": map.uid(), "resourceVersion": version,
            "lastUpdateTime": client.api.now().to_string(),
        });
        Ok(true)
    }

    fn pod(&self, catalog: &Object, account: &Object, api: &ApiServer) -> Result<Value, TypeMismatch> {
        let namespace = api.find("", "Namespace", &ObjectName::cluster(catalog.namespace()));
        let enforced = namespace.and_then(|namespace| namespace.label("pod-security.kubernetes.io/enforce"));
        let mut pod = registry_pod::pod(&self.options, catalog, account, enforced == Some("restricted"))?;
        pod.set(&["metadata", "ownerReferences"], json!([owner(catalog, true, false)]));
        Ok(pod)
    }

    /// The rules of the network; older releases have none.
    fn policies(&self, catalog: &Object) -> Vec<Value> {
        if self.options.target < Target::Ocp420 {
            return Vec::new();
        }
        let policy = |suffix: &str, spec: Value| {
            json!({
                "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
                "metadata": {
                    "name": format!("{}-{suffix}", catalog.name()), "namespace": catalog.namespace(),
                    "labels": registry_objects::labels(catalog), "ownerReferences": [owner(catalog, false, false)],
                },
                "spec": spec,
            })
        };
        let ports = ["TCP", "UDP"];
        let names: Vec<Value> = [53, 5353]
            .iter()
            .flat_map(|port| ports.map(|protocol| json!({"protocol": protocol, "port": port})))
            .collect();
        let everywhere = json!([{}, {"ports": names}]);
        let both = json!(["Ingress", "Egress"]);
        vec![
            policy(
                "grpc-server",
                json!({
                    "podSelector": {"matchLabels": registry_objects::labels(catalog)},
                    "ingress": [{"ports": [{"protocol": "TCP", "port": 50051}]}], "policyTypes": both,
                }),
            ),
            policy(
                "unpack-bundles",
                json!({
                    "podSelector": {"matchExpressions": [
                        {"key": crate::names::BUNDLE_UNPACK_REF, "operator": "Exists"},
                        {"key": MANAGED, "operator": "In", "values": ["true"]},
                    ]},
                    "egress": everywhere, "policyTypes": both,
                }),
            ),
        ]
    }

    /// Looks for a newer image: a pod beside the serving one takes its place if its image is another one.
    ///
    /// Shows V0-015 to V0-017.
    fn ensure_update(
        catalog: &Object,
        pod: &Value,
        status: &mut Value,
        client: &mut Client<'_>,
    ) -> Result<Option<Milliseconds>, LookError> {
        let serving = registry_objects::pods(catalog, CATALOG_SOURCE_LABEL, client.api);
        let updates = registry_objects::pods(catalog, CATALOG_SOURCE_UPDATE, client.api);
        if updates.is_empty() && due(catalog, status) < client.api.now() {
            let mut update = pod.clone();
            update.set(&["metadata", "labels", CATALOG_SOURCE_LABEL], "");
            update.set(&["metadata", "labels", CATALOG_SOURCE_UPDATE], catalog.name());
            client.create(update).map_err(|error| {
                LookError::from(format!("creating update catalog source pod: {}", error.message))
            })?;
            status["latestImageRegistryPoll"] = client.api.now().to_string().into();
            return Ok(Some(NOT_READY));
        }
        for update in &updates {
            let phase = update.text(&["status", "phase"]);
            if ["Failed", "Unknown"].contains(&phase) || registry_objects::is_crashing(update) {
                registry_objects::delete_pod(update, 1, client).map_err(|error| error.message)?;
                let name = update.name();
                return fail(format!("update pod {name} in a {phase} state: deleted update pod"));
            }
            if update.condition_status("Ready") != "True" {
                return Ok(Some(NOT_READY));
            }
        }
        for update in &updates {
            let is_other = serving.iter().any(|pod| {
                let images = [registry_objects::image_id(update), registry_objects::image_id(pod)];
                images.iter().all(|image| !image.is_empty()) && images[0] != images[1]
            });
            if !is_other {
                registry_objects::delete_pod(update, 1, client).map_err(|error| error.message)?;
                continue;
            }
            registry_objects::promote(update, catalog.name(), client).map_err(|error| {
                format!("detected imageID change: error during update: {}", error.message)
            })?;
            for pod in &serving {
                registry_objects::delete_pod(pod, 1, client).map_err(|error| error.message)?;
            }
            return Ok(None);
        }
        Ok(None)
    }
}
