//! Bundles that come by image: a Job puts their manifests into a ConfigMap, from where steps take them.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/bundle/bundle_unpacker.go`.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Propagation};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use fbc_resolve_v0::SourceKey;
use fbc_resolve_v0::property::annotation_of;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::changes::Lookup;
use super::duration;
use super::ensure::is_part;
use super::references::Reference;
use super::registry_pod::{pull_policy, restrict};
use super::steps::{BundleToInstall, StepsError};
use crate::client::Client;
use crate::extraction;
use crate::look_error::LookError;
use crate::names::{
    BUNDLE_UNPACK_REF, CATALOG_SOURCE, GROUP, MANAGED, RBAC, UNPACK_MIN_RETRY_INTERVAL, UNPACK_TIMEOUT,
};
use crate::options::{Options, Target};

/// Names and labels are no longer than this.
const LONGEST: usize = 63;
/// So many Jobs of a bundle are kept.
const KEPT_JOBS: usize = 5;
/// What is said of images that cannot be pulled.
const CAUSES: &str = "Common causes: Missing ICSP (ppc64le/s390x/arm64), auth failure, invalid image.";
/// What is said to who cannot wait.
const BY_HAND: &str = "Manual retry: in the CatalogSource namespace, run `kubectl get jobs -l \
                       operatorframework.io/bundle-unpack-ref` and delete the specific failing job.";

/// How bundles of a namespace are unpacked.
pub(super) struct Unpacker<'u> {
    pub(super) options: &'u Options,
    /// Of the annotation, if it is there: 0 for none.
    timeout: Option<Milliseconds>,
    retry: Milliseconds,
}

/// How far a bundle is.
pub(super) enum Progress {
    /// It is waited for, with what Subscriptions say.
    Pending(String),
    /// The Job failed: reason and message.
    Failed(String, String),
    /// What its steps are.
    Done(Vec<Value>),
}

impl<'u> Unpacker<'u> {
    /// Reads the annotations of the group.
    ///
    /// # Errors
    /// One of them is not a duration.
    pub(super) fn new(options: &'u Options, group: &Object) -> Result<Self, LookError> {
        let read = |key: &str, what: &str| -> Result<Option<Milliseconds>, LookError> {
            let Some(text) = group.annotation(key) else { return Ok(None) };
            let read = duration::parse(text).map_err(|error| {
                format!("failed to parse unpack {what} annotation({key}: {text}): {error}")
            })?;
            Ok(Some(read))
        };
        let timeout = read(UNPACK_TIMEOUT, "timeout")?;
        let retry = read(UNPACK_MIN_RETRY_INTERVAL, "retry")?.unwrap_or_default();
        Ok(Self { options, timeout, retry })
    }

    /// Unpacks a bundle as far as it goes.
    pub(super) fn unpack(
        &self,
        lookup: &Lookup,
        namespace: &str,
        client: &mut Client<'_>,
    ) -> Result<Progress, StepsError> {
        let retried = |error: ApiError| StepsError::Retried(error.message);
        let operator = &lookup.operator;
        let image = operator.entry.bundle.image.as_str();
        let SourceKey { namespace: of_catalog, name: catalog } = &operator.catalog;
        let Some(source) = client.get(GROUP, CATALOG_SOURCE, of_catalog, catalog) else {
            return Ok(Progress::Pending(String::new()));
        };
        let name = name_of(image);
        let map = self.map(&source, &name, client).map_err(retried)?;
        self.accounts(&map, client).map_err(retried)?;
        let Some(job) = self.job(&source, &map, image, client).map_err(retried)? else {
            return Ok(Progress::Pending(String::new()));
        };
        if let Some(failed) = true_condition(&job, "Failed") {
            let text = |field: &str| failed.text(&[field]).to_owned();
            return Ok(Progress::Failed(text("reason"), text("message")));
        }
        if true_condition(&job, "Complete").is_none() {
            return Ok(Progress::Pending(self.pending_message(&job, client.api)));
        }
        let map = client.get("", "ConfigMap", of_catalog, &name).unwrap_or(map);
        let objects = extraction::manifests(&map);
        if objects.is_empty() {
            return Ok(Progress::Pending(String::new()));
        }
        let properties = annotation_of(operator.entry.bundle.annotated_properties());
        let bundle = BundleToInstall {
            name: operator.entry.name(),
            namespace,
            replaces: &operator.replaces,
            properties: &properties,
            catalog: &operator.catalog,
            objects,
        };
        let mut steps = bundle.steps().map_err(|error| match error {
            StepsError::Retried(text) => {
                StepsError::Retried(format!("failed to turn bundle into steps: {text}"))
            }
            fatal @ StepsError::Fatal(_) => fatal,
        })?;
        let reference = Reference {
            name,
            catalog: operator.catalog.clone(),
            replaces: operator.replaces.clone(),
            properties,
        };
        for step in &mut steps {
            step.set(&["resource", "manifest"], reference.text());
        }
        Ok(Progress::Done(steps))
    }

    fn map(&self, source: &Object, name: &str, client: &mut Client<'_>) -> Result<Arc<Object>, ApiError> {
        if let Some(map) = client.get("", "ConfigMap", source.namespace(), name) {
            return Ok(map);
        }
        let mut map = extraction::empty(source.namespace(), name);
        own(&mut map, source);
        client.create(map)
    }

    /// Who unpacks, and what it may do.
    fn accounts(&self, map: &Object, client: &mut Client<'_>) -> Result<(), ApiError> {
        let (name, namespace) = (map.name(), map.namespace());
        let has_account = self.options.target > Target::Ocp421;
        let account = if has_account { name } else { "default" };
        let head = |api_version: &str, kind: &str| {
            let mut object = json!({
                "apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace},
            });
            own(&mut object, map);
            object
        };
        let rbac = format!("{RBAC}/v1");
        let mut role = head(&rbac, "Role");
        role["rules"] = json!([{
            "apiGroups": [""], "verbs": ["create", "get", "update"], "resources": ["configmaps"], "resourceNames": [name],
        }]);
        let mut binding = head(&rbac, "RoleBinding");
        binding["subjects"] = json!([{"kind": "ServiceAccount", "name": account, "namespace": namespace}]);
        binding["roleRef"] = json!({"apiGroup": RBAC, "kind": "Role", "name": name});
        let account = has_account.then(|| head("v1", "ServiceAccount"));
        for object in [Some(role), account, Some(binding)].into_iter().flatten() {
            let group = if object.kind() == "ServiceAccount" { "" } else { RBAC };
            if client.get(group, object.kind(), namespace, name).is_none() {
                client.create(object)?;
            }
        }
        Ok(())
    }

    /// The Job, if it is the one that is wanted; another one is deleted.
    ///
    /// Shows V0-057 and V0-140.
    fn job(
        &self,
        source: &Object,
        map: &Object,
        image: &str,
        client: &mut Client<'_>,
    ) -> Result<Option<Arc<Object>>, ApiError> {
        let mut wanted = self.wanted_job(source, map, image);
        let Some(id) = client.api.kind_id("batch", "Job") else { return Ok(None) };
        let of_bundle = client.api.store().with_label_in(id, map.namespace(), BUNDLE_UNPACK_REF, map.name());
        let mut jobs: Vec<Arc<Object>> = of_bundle.cloned().collect();
        // Those that did not fail come first, then the latest.
        jobs.sort_by_cached_key(|job| {
            let failed = true_condition(job, "Failed");
            let time = failed.map_or(job.text(&["metadata", "creationTimestamp"]), |one| {
                one.text(&["lastTransitionTime"])
            });
            (failed.is_some(), std::cmp::Reverse(time.to_owned()))
        });
        let Some(job) = jobs.first().cloned() else { return client.create(wanted).map(Some) };
        if self.retry > 0
            && let Some(failed) = true_condition(&job, "Failed")
        {
            let since = Moment::parse(failed.text(&["lastTransitionTime"])).unwrap_or(Moment::START);
            if client.api.now() > since + self.retry {
                wanted.remove(&["metadata", "name"]);
                let base: String = map.name().chars().take(LONGEST - 5).collect();
                wanted.set(&["metadata", "generateName"], base);
                return client.create(wanted).map(Some);
            }
            for old in jobs.iter().skip(KEPT_JOBS) {
                client.delete(old, Propagation::Orphan)?;
            }
        }
        let is_owned = job.owner_references().iter().any(|owner| owner.text(&["uid"]) == map.uid());
        if is_owned && is_part(&wanted["spec"], &job["spec"]) {
            return Ok(Some(job));
        }
        client.delete(&job, Propagation::Orphan)?;
        Ok(None)
    }

    fn wanted_job(&self, source: &Object, map: &Object, image: &str) -> Value {
        let name = map.name();
        let has_account = self.options.target > Target::Ocp421;
        let is_read_only = self.options.target >= Target::Ocp420;
        let container = |of: Value| {
            let mut container = json!({
                "resources": {"requests": {"cpu": "10m", "memory": "50Mi"}},
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "securityContext": {
                    "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]},
                },
            });
            if is_read_only {
                container.set(&["securityContext", "readOnlyRootFilesystem"], true);
            }
            for (field, value) in of.as_object().into_iter().flatten() {
                container[field] = value.clone();
            }
            container
        };
        let util = json!({"name": "util", "mountPath": "/util"});
        let bundle = json!({"name": "bundle", "mountPath": "/bundle"});
        let labels = json!({MANAGED: "true", BUNDLE_UNPACK_REF: name});
        let mut template = json!({
            "restartPolicy": "Never",
            "initContainers": [
                container(json!({
                    "name": "util", "image": self.options.util_image,
                    "command": ["/bin/cp", "-Rv", "/bin/cpb", "/util/cpb"], "volumeMounts": [util],
                })),
                container(json!({
                    "name": "pull", "image": image, "imagePullPolicy": pull_policy(image),
                    "command": ["/util/cpb", "/bundle"], "volumeMounts": [bundle, util],
                })),
            ],
            "containers": [container(json!({
                "name": "extract", "image": self.options.opm_image,
                "command": ["opm", "alpha", "bundle", "extract", "-m", "/bundle/", "-n", map.namespace(), "-c", name, "-z"],
                "env": [{"name": "CONTAINER_IMAGE", "value": image}], "volumeMounts": [bundle],
            }))],
            "volumes": [{"name": "bundle", "emptyDir": {}}, {"name": "util", "emptyDir": {}}],
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "tolerations": tolerations(),
        });
        restrict(&mut template, self.options.sets_workload_user);
        if has_account {
            template["serviceAccountName"] = name.into();
        }
        let secrets: Vec<Value> =
            source.list(&["spec", "secrets"]).iter().map(|secret| json!({"name": secret})).collect();
        if !secrets.is_empty() {
            template["imagePullSecrets"] = Value::Array(secrets);
        }
        let mut job = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": map.namespace(), "labels": labels},
            "spec": {
                "backoffLimit": 3,
                "template": {"metadata": {"name": name, "labels": labels}, "spec": template},
            },
        });
        own(&mut job, map);
        job.set(&["metadata", "labels", BUNDLE_UNPACK_REF], name);
        let timeout = self.timeout.unwrap_or(self.options.unpack_timeout);
        if timeout > 0 {
            job.set(&["spec", "activeDeadlineSeconds"], timeout / SECOND);
        }
        if is_main(self.options) {
            job.set(&["spec", "ttlSecondsAfterFinished"], 300);
        }
        job
    }

    /// What is said while the image cannot be pulled.
    ///
    /// Shows V0-161.
    fn pending_message(&self, job: &Object, api: &ApiServer) -> String {
        let Some(id) = api.kind_id("", "Pod") else { return String::new() };
        let mut pods = api.store().with_label_in(id, job.namespace(), "job-name", job.name());
        let is_pull_error = |status: &Value| {
            ["ImagePullBackOff", "ErrImagePull"].contains(&status.text(&["state", "waiting", "reason"]))
        };
        let fails = pods.any(|pod| {
            let statuses = pod.list(&["status", "initContainerStatuses"]);
            pod.text(&["status", "phase"]) == "Pending" && statuses.iter().any(is_pull_error)
        });
        if !fails || !is_main(self.options) {
            return String::new();
        }
        format!(
            "Bundle image pull failed. {CAUSES} Job will retry until timeout (~10 min), then auto-cleanup and retry in ~5 min. \
             {BY_HAND}"
        )
    }

    /// What Subscriptions say of a Job that failed.
    ///
    /// Shows V0-055 and V0-056.
    pub(super) fn failure_message(&self, reason: &str, message: &str) -> String {
        if is_main(self.options) {
            let guidance = format!("Auto-retry in ~5 min after job cleanup (TTL). {CAUSES} {BY_HAND}");
            format!("Bundle unpacking failed - {reason}: {message}. {guidance}")
        } else {
            format!("bundle unpacking failed. Reason: {reason}, and Message: {message}")
        }
    }
}

/// Whether OLM is newer than 4.22: Jobs that failed go by themselves, and events tell of them.
pub(super) fn is_main(options: &Options) -> bool {
    options.target >= Target::Ocp50
}

fn tolerations() -> Value {
    let mut all: Vec<Value> = ["amd64", "arm64", "ppc64le", "s390x"]
        .iter()
        .map(|arch| json!({"key": "kubernetes.io/arch", "value": arch, "operator": "Equal"}))
        .collect();
    all.push(json!({"key": "node-role.kubernetes.io/master", "operator": "Exists", "effect": "NoSchedule"}));
    for key in ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"] {
        all.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 120}));
    }
    Value::Array(all)
}

/// Puts an owner into an object that OLM makes.
fn own(object: &mut Value, owner: &Object) {
    object.set(&["metadata", "labels", MANAGED], "true");
    object.set(
        &["metadata", "ownerReferences"],
        json!([{
            "apiVersion": owner.api_version(), "kind": owner.kind(), "name": owner.name(), "uid": owner.uid(),
            "controller": false, "blockOwnerDeletion": false,
        }]),
    );
}

fn true_condition<'j>(job: &'j Object, of: &str) -> Option<&'j Value> {
    job.condition(of).filter(|condition| condition["status"] == "True")
}

/// The name of everything that belongs to the unpacking of an image.
fn name_of(image: &str) -> String {
    let digest = Sha256::digest(image);
    let text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    text.chars().take(LONGEST).collect()
}
