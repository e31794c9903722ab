//! A server for tests: objects in a map, no validation, no controllers.

use std::collections::BTreeMap;

use fbc_cluster::error::ApiError;
use fbc_cluster::kind::{GroupVersionKind, Kind, KindId, Registry};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{AccessQuestion, Answer, Applied, ApplyMode, Change, DeleteOptions, Request, Server};
use crate::command_line::PatchType;

/// Objects in a map.
pub(super) struct Memory {
    pub(super) now: Moment,
    kinds: Registry,
    columns: BTreeMap<KindId, Vec<Value>>,
    pub(super) objects: BTreeMap<(KindId, ObjectName), Object>,
    uids: u32,
    /// A user who may do nothing.
    pub(super) nobody: &'static str,
}

/// Group, version, kind, plural, short name, namespaced, category.
const KINDS: [(&str, &str, &str, &str, &str, bool, &str); 23] = [
    ("", "v1", "Pod", "pods", "po", true, "all"),
    ("", "v1", "Service", "services", "svc", true, "all"),
    ("apps", "v1", "DaemonSet", "daemonsets", "ds", true, "all"),
    ("apps", "v1", "Deployment", "deployments", "deploy", true, "all"),
    ("apps", "v1", "ReplicaSet", "replicasets", "rs", true, "all"),
    ("apps", "v1", "StatefulSet", "statefulsets", "sts", true, "all"),
    ("batch", "v1", "Job", "jobs", "", true, "all"),
    ("", "v1", "Node", "nodes", "no", false, ""),
    ("", "v1", "Namespace", "namespaces", "ns", false, ""),
    ("", "v1", "ConfigMap", "configmaps", "cm", true, ""),
    ("", "v1", "Secret", "secrets", "", true, ""),
    ("", "v1", "Event", "events", "ev", true, ""),
    ("", "v1", "ServiceAccount", "serviceaccounts", "sa", true, ""),
    ("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", true, ""),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles", "", true, ""),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "", true, ""),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "", false, ""),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", "", false, ""),
    ("coordination.k8s.io", "v1", "Lease", "leases", "", true, ""),
    ("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", false, ""),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", "crd", false, ""),
    ("config.openshift.io", "v1", "ClusterVersion", "clusterversions", "", false, ""),
    ("example.com", "v1", "Widget", "widgets", "wd", true, ""),
];

impl Memory {
    pub(super) fn new() -> Self {
        let mut memory = Self {
            now: Moment::START,
            kinds: Registry::default(),
            columns: BTreeMap::new(),
            objects: BTreeMap::new(),
            uids: 0,
            nobody: "nobody",
        };
        for (group, version, kind, plural, short, namespaced, category) in KINDS {
            let words = |word: &str| if word.is_empty() { Vec::new() } else { vec![word.to_owned()] };
            let mut short_names = words(short);
            short_names.extend((short == "crd").then(|| "crds".to_owned()));
            memory.kinds.register(Kind {
                group: group.into(),
                versions: vec![version.into()],
                kind: kind.into(),
                plural: plural.into(),
                singular: kind.to_lowercase(),
                short_names,
                categories: words(category),
                namespaced,
                has_status: true,
                has_generation: true,
            });
        }
        memory
    }

    pub(super) fn with_columns(mut self, group: &str, kind: &str, columns: Value) -> Self {
        let id = self.kinds.find(group, kind).unwrap().0;
        self.columns.insert(id, columns.as_array().unwrap().clone());
        self
    }

    pub(super) fn with(mut self, objects: impl IntoIterator<Item = Value>) -> Self {
        for object in objects {
            self.store(object).unwrap();
        }
        self
    }

    fn store(&mut self, mut object: Object) -> Answer<Object> {
        let name = GroupVersionKind::of(object.api_version(), object.kind());
        let (id, _) = self.kinds.served(&name).ok_or_else(|| ApiError::bad_request("no such kind"))?;
        if object.uid().is_empty() {
            self.uids += 1;
            object.set(&["metadata", "uid"], format!("uid-{}", self.uids));
        }
        self.objects.insert((id, object.object_name()), object.clone());
        Ok(object)
    }

    fn allow(&self, request: &Request, verb: &str, kind: KindId) -> Answer<()> {
        let kind = self.kinds.get(kind).unwrap();
        if request.user != self.nobody {
            return Ok(());
        }
        let cause = format!("User {:?} cannot {verb} resource {:?}", request.user, kind.plural);
        Err(ApiError::forbidden(&kind.group, &kind.plural, "", &cause).into())
    }

    fn missing(&self, kind: KindId, name: &ObjectName) -> ApiError {
        let kind = self.kinds.get(kind).unwrap();
        ApiError::not_found(&kind.group, &kind.plural, &name.name)
    }
}

impl Server for Memory {
    fn now(&self) -> Moment {
        self.now
    }

    fn kinds(&self) -> &Registry {
        &self.kinds
    }

    fn printer_columns(&self, kind: KindId) -> Vec<Value> {
        self.columns.get(&kind).cloned().unwrap_or_default()
    }

    fn get(&self, request: &Request, kind: KindId, name: &ObjectName) -> Answer<Object> {
        self.allow(request, "get", kind)?;
        self.objects.get(&(kind, name.clone())).cloned().ok_or_else(|| self.missing(kind, name).into())
    }

    fn list(&self, request: &Request, kind: KindId, namespace: Option<&str>) -> Answer<Vec<Object>> {
        self.allow(request, "list", kind)?;
        let in_scope = |name: &ObjectName| namespace.is_none_or(|namespace| name.namespace == namespace);
        let found = self.objects.iter().filter(|((of, name), _)| *of == kind && in_scope(name));
        Ok(found.map(|(_, object)| object.clone()).collect())
    }

    fn create(&mut self, request: &Request, object: Object) -> Answer<Object> {
        let (id, kind) =
            self.kinds.served(&GroupVersionKind::of(object.api_version(), object.kind())).unwrap();
        if self.objects.contains_key(&(id, object.object_name())) {
            return Err(ApiError::already_exists(&kind.group, &kind.plural, object.name()).into());
        }
        if request.dry_run { Ok(object) } else { self.store(object) }
    }

    fn update(&mut self, _: &Request, object: Object) -> Answer<Object> {
        self.store(object)
    }

    fn patch(
        &mut self,
        request: &Request,
        kind: KindId,
        name: &ObjectName,
        patch: (PatchType, &Value),
        _: Option<&str>,
    ) -> Answer<Object> {
        let mut object = self.get(request, kind, name)?;
        match patch {
            (PatchType::Json, operations) => {
                for operation in operations.as_array().unwrap() {
                    *object.pointer_mut(operation.text(&["path"])).unwrap() = operation["value"].clone();
                }
            }
            (_, patch) => merge(&mut object, patch),
        }
        if request.dry_run { Ok(object) } else { self.store(object) }
    }

    fn apply(&mut self, request: &Request, object: Object, mode: ApplyMode) -> Answer<Applied> {
        let id = self.kinds.served(&GroupVersionKind::of(object.api_version(), object.kind())).unwrap().0;
        if request.dry_run {
            return Ok(Applied { object, change: Change::Created, warnings: Vec::new() });
        }
        let applied = |object, change| Applied { object, change, warnings: Vec::new() };
        let Ok(before) = self.get(request, id, &object.object_name()) else {
            return Ok(applied(self.store(object)?, Change::Created));
        };
        if object.annotation("conflict").is_some() && mode == (ApplyMode::ServerSide { force: false }) {
            let mut error = ApiError::conflict("", "", "", "");
            error.message = "Apply failed with 1 conflict: conflict with \"a\": .data.x".into();
            return Err(error.into());
        }
        let mut after = before.clone();
        merge(&mut after, &object);
        let change = if after == before { Change::Unchanged } else { Change::Configured };
        Ok(applied(self.store(after)?, change))
    }

    fn delete(&mut self, request: &Request, kind: KindId, name: &ObjectName, _: DeleteOptions) -> Answer<()> {
        self.allow(request, "delete", kind)?;
        let key = (kind, name.clone());
        let object = self.objects.get_mut(&key).ok_or_else(|| ApiError::not_found("", "", ""));
        let Ok(object) = object else { return Err(self.missing(kind, name).into()) };
        if object.finalizers().next().is_some() {
            object.set(&["metadata", "deletionTimestamp"], "2026-01-01T00:00:00Z");
        } else {
            self.objects.remove(&key);
        }
        Ok(())
    }

    fn evict(&mut self, request: &Request, name: &ObjectName, _: Option<u64>) -> Answer<()> {
        let pods = self.kinds.find("", "Pod").unwrap().0;
        self.delete(request, pods, name, DeleteOptions::default())
    }

    fn can_i(&self, request: &Request, _: &AccessQuestion) -> bool {
        request.user != self.nobody
    }
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    for (key, value) in members {
        if value.is_null() {
            target.remove(&[key]);
        } else {
            merge(target.place(&[key]), value);
        }
    }
}
