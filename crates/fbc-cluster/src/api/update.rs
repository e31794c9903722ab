//! Changing objects that exist.

use std::sync::Arc;

use serde_json::Value;

use super::lifecycle::write_in_preferred_version;
use super::service_addresses::{is_service, keep_allocated};
use super::{ApiServer, Caller, Subresource, WriteOptions, certificate_requests};
use crate::access::writes::Write;
use crate::admission::request::Request;
use crate::apply::{Operation, restore_owners, same_owners, take_owners};
use crate::error::ApiError;
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::served_twice;
use crate::validation::{Counts, Strategy, strategy_of};

impl ApiServer {
    /// Replaces an object, or its status. A resource version in it must be the present one.
    pub fn update(
        &mut self,
        caller: &Caller,
        object: Object,
        subresource: Subresource,
        options: WriteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let mut object = served_twice::stored(object);
        let (id, kind) = self.kind_of(&object)?;
        if !kind.namespaced {
            object.remove(&["metadata", "namespace"]);
        }
        let name = object.object_name();
        self.authorize(caller, "update", &kind, subresource.name(), &name)?;
        let found = self.store.get(id, &name).cloned();
        let makes_it = subresource == Subresource::None && self.model(id).strategy().puts_create;
        if found.is_none() && !makes_it {
            return Err(ApiError::not_found(&kind.group, &kind.plural, &name.name));
        }
        let present = found.as_deref().map(|before| before.uid()).unwrap_or_default();
        if !object.uid().is_empty() && object.uid() != present {
            return Err(uid_mismatch(&kind, &name, object.uid(), present));
        }
        let Some(before) = found else {
            self.authorize(caller, "create", &kind, "", &name)?;
            object.remove(&["metadata", "resourceVersion"]);
            return self.create_authorized(caller, id, &kind, object, Operation::Update, options);
        };
        self.check_fields(id, &kind, &object, options)?;
        self.keep_owners_once(&mut object, false);
        self.replace(caller, id, &kind, &before, object, subresource, Operation::Update, options)
    }

    /// Puts a new state in the place of an old one, whichever request it comes from.
    #[expect(clippy::too_many_arguments, reason = "the parts of one request")]
    pub(super) fn replace(
        &mut self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        before: &Arc<Object>,
        mut object: Object,
        subresource: Subresource,
        operation: Operation,
        options: WriteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let owners = take_owners(&mut object);
        let wanted = object.text(&["metadata", "resourceVersion"]);
        if wanted != "0" && !wanted.is_empty() && wanted != before.text(&["metadata", "resourceVersion"]) {
            let cause =
                "the object has been modified; please apply your changes to the latest version and try again";
            return Err(ApiError::conflict(&kind.group, &kind.plural, before.name(), cause));
        }
        let mut sent = None;
        if subresource == Subresource::None {
            sent = self.mutate(kind, &mut object)?;
        }
        for object in [Some(&mut object), sent.as_mut()].into_iter().flatten() {
            keep_what_is_not_meant(kind, self.model(id).strategy(), before, object, subresource);
        }
        if subresource == Subresource::Binding {
            self.copy_topology(&mut object);
        }
        if subresource == Subresource::None {
            self.follow_built_in(kind, before, &mut object);
        }
        if subresource == Subresource::None && is_service(kind) {
            keep_allocated(before, &mut object);
        }
        self.complete(id, kind, &mut object, subresource)?;
        restore_owners(&mut object, owners);
        let is_other = operation == Operation::Update
            && self.record_managers_of_sent(caller, id, kind, Some(before), &mut object, sent, subresource)?
            // What is allocated may yet make an object what it was.
            && subresource != Subresource::None;
        let owners = take_owners(&mut object);
        if subresource == Subresource::None {
            self.admit_built_in(kind, Some(before), &mut object)?;
        }
        let request = Request {
            user: &caller.user,
            kind,
            operation: "UPDATE",
            subresource: subresource.name(),
            before: Some(before),
            object: None,
            dry_run: options.dry_run,
            options: options.seen(caller),
        };
        if self.has_mutating_admission() {
            let snapshot = object.clone();
            self.ask_mutating_admission(&Request { object: Some(&snapshot), ..request }, id, &mut object)?;
        }
        self.keep_owners_once(&mut object, true);
        certificate_requests::follow(kind, before, &mut object, subresource, self.now);
        if kind.has_generation
            && subresource.is_about_wishes()
            && self.model(id).strategy().counts.is_other(before, &object)
        {
            object.set(&["metadata", "generation"], before.generation() + 1);
        }
        self.admit(
            id,
            &Write {
                user: &caller.user,
                kind,
                subresource,
                name_in_path: before.name(),
                before: Some(before),
                object: &object,
            },
        )?;
        if subresource == Subresource::None {
            self.check_limit_ranges(kind, Some(before), &object)?;
            self.check_growth(kind, before, &object)?;
        }
        self.check_pod_security(kind, Some(before), &object, subresource)?;
        if subresource == Subresource::None {
            self.ask_validators(kind, Some(before), &object)?;
        }
        self.ask_admission(&Request { object: Some(&object), ..request })?;
        if subresource == Subresource::None {
            self.check_quotas(id, kind, Some(before), &object)?;
        }
        restore_owners(&mut object, owners);
        if subresource == Subresource::None && is_service(kind) {
            self.addresses.allocate(Some(before), &mut object, options.dry_run)?;
        }
        write_in_preferred_version(kind, &mut object);
        if !is_other && says_the_same(before, &object) {
            return Ok(Arc::clone(before));
        }
        if options.dry_run {
            return Ok(Arc::new(object));
        }
        let is_over = object.is_terminating()
            && object.finalizers().next().is_none()
            && object.number(&["metadata", "deletionGracePeriodSeconds"]).unwrap_or_default() == 0
            && object.list(&["spec", "finalizers"]).is_empty();
        if is_over {
            if subresource == Subresource::None && is_service(kind) {
                self.addresses.revert(Some(before), &object);
            }
            // Watches see no last change of an object whose last finalizer goes, only its removal.
            self.remove_now(id, kind, &object.object_name());
            return Ok(Arc::new(object));
        }
        let memory = self.afford_or_revert((id, kind), subresource, Some(before), &object)?;
        let stored = self.store.put_sized(id, object, memory);
        self.after_write(kind, &stored);
        Ok(stored)
    }
}

/// The refusal of a replacement of another object than the one that is there.
///
/// Source: `kubernetes/apiserver:pkg/storage/{interfaces,errors}.go`, `pkg/registry/rest/update.go` (`Preconditions`).
fn uid_mismatch(kind: &Kind, name: &ObjectName, wanted: &str, present: &str) -> ApiError {
    let key = storage_key(kind, name);
    let cause = format!(
        "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
         UID in precondition: {wanted}, UID in object meta: {present}"
    );
    ApiError::conflict(&kind.group, &kind.plural, &name.name, &cause)
}

/// Where an API server keeps an object: `/registry/configmaps/default/a`.
///
/// Source: `kubernetes/kubernetes:pkg/kubeapiserver/default_storage_factory_builder.go`.
fn storage_key(kind: &Kind, name: &ObjectName) -> String {
    let resource = match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "replicationcontrollers") => "controllers".to_owned(),
        ("", "endpoints") => "services/endpoints".to_owned(),
        ("", "services") => "services/specs".to_owned(),
        ("", "nodes") => "minions".to_owned(),
        ("networking.k8s.io", "ingresses") => "ingress".to_owned(),
        (group, plural) => match strategy_of(kind) {
            Some(_) if !OWN_SERVERS.contains(&group) => plural.to_owned(),
            _ => format!("{group}/{plural}"),
        },
    };
    let namespace = if name.namespace.is_empty() { String::new() } else { format!("{}/", name.namespace) };
    format!("/registry/{resource}/{namespace}{}", name.name)
}

/// Groups of built-in kinds whose API servers keep them under the name of the group.
const OWN_SERVERS: [&str; 2] = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

/// Takes over from the old state what this request cannot change.
fn keep_what_is_not_meant(
    kind: &Kind,
    strategy: &Strategy,
    before: &Object,
    object: &mut Object,
    subresource: Subresource,
) {
    match subresource {
        Subresource::Status => {
            take_over(object, before, &["metadata", "status"]);
            // Deployments number their revisions along with their status
            // (`kubernetes/kubernetes:pkg/registry/apps/deployment/strategy.go`).
            let numbers_revisions = kind.group == "apps" && kind.kind == "Deployment";
            let kept =
                if numbers_revisions { &["managedFields", "annotations"][..] } else { &["managedFields"] };
            if let (Some(metadata), Some(old)) = (object.get_mut("metadata"), before.get("metadata")) {
                take_over(metadata, old, kept);
            }
        }
        Subresource::Scale => {
            let replicas = object.remove(&["spec", "replicas"]);
            *object = without_owners(before, &[]);
            restore(object, &["spec", "replicas"], replicas);
        }
        Subresource::Binding => {
            let (node, status) = (object.remove(&["spec", "nodeName"]), object.remove(&["status"]));
            *object = without_owners(before, &["status"]);
            restore(object, &["spec", "nodeName"], node);
            restore(object, &["status"], status);
        }
        Subresource::EphemeralContainers => {
            let containers = object.remove(&["spec", "ephemeralContainers"]);
            *object = without_owners(before, &[]);
            restore(object, &["spec", "ephemeralContainers"], containers);
        }
        Subresource::Resize => {
            let sent = std::mem::replace(object, without_owners(before, &[]));
            for list in ["initContainers", "containers"] {
                take_sizes(object, &sent, list);
            }
        }
        Subresource::Finalize => {
            let finalizers = object.remove(&["spec", "finalizers"]);
            *object = without_owners(before, &[]);
            restore(object, &["spec", "finalizers"], finalizers);
        }
        Subresource::Approval => {
            let conditions = object.remove(&["status", "conditions"]);
            *object = without_owners(before, &[]);
            restore(object, &["status", "conditions"], conditions);
        }
        Subresource::None => {
            if kind.has_status {
                restore(object, &["status"], before.at(&["status"]).cloned());
            }
            for path in &strategy.keeps {
                restore(object, path, before.at(path).cloned());
            }
        }
    }
    if subresource != Subresource::None {
        // All metadata are the old ones.
        return;
    }
    // Another uid is refused.
    if object.uid().is_empty() {
        object.set(&["metadata", "uid"], before.uid());
    }
    const SET_BY_THE_SERVER: [&str; 5] = [
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
    ];
    for field in SET_BY_THE_SERVER {
        let path = ["metadata", field];
        restore(object, &path, before.at(&path).cloned());
    }
}

/// Takes over what containers ask for.
///
/// Source: `kubernetes/kubernetes:pkg/registry/core/pod/strategy.go` (`dropNonResizeUpdates`).
fn take_sizes(pod: &mut Object, sent: &Object, list: &str) {
    let Some(Value::Array(containers)) = pod.get_mut("spec").and_then(|spec| spec.get_mut(list)) else {
        return;
    };
    for (container, sent) in containers.iter_mut().zip(sent.list(&["spec", list])) {
        if container["name"] == sent["name"] {
            for field in ["resources", "resizePolicy"] {
                restore(container, &[field], sent.get(field).cloned());
            }
        }
    }
}

/// Makes an object equal to another but for some of its members; what is equal already is not copied.
fn take_over(object: &mut Value, other: &Value, except: &[&str]) {
    let (Value::Object(members), Value::Object(others)) = (object, other) else { return };
    members.retain(|name, _| except.contains(&name.as_str()) || others.contains_key(name));
    for (name, value) in others.iter().filter(|(name, _)| !except.contains(&name.as_str())) {
        if members.get(name) != Some(value) {
            members.insert(name.clone(), value.clone());
        }
    }
}

/// A copy of a stored object without its owners, and without some fields.
fn without_owners(object: &Object, except: &[&str]) -> Object {
    let copied = fields(object, |field| !except.contains(&field)).map(|(field, value)| {
        let value = match field.as_str() {
            "metadata" => {
                let kept = fields(value, |field| field != "managedFields");
                Value::Object(kept.map(|(field, value)| (field.clone(), value.clone())).collect())
            }
            _ => value.clone(),
        };
        (field.clone(), value)
    });
    Value::Object(copied.collect())
}

fn restore(object: &mut Object, path: &[&str], value: Option<Value>) {
    match value {
        Some(value) => object.set(path, value),
        None => {
            object.remove(path);
        }
    }
}

impl Counts {
    /// True if the generation counts what changed.
    fn is_other(self, before: &Object, after: &Object) -> bool {
        let differs = |field| before["metadata"][field] != after["metadata"][field];
        match self {
            Self::Wishes => wants_something_else(before, after),
            Self::Annotations => wants_something_else(before, after) || differs("annotations"),
            Self::Labels => wants_something_else(before, after) || differs("labels"),
            Self::Nothing => false,
        }
    }
}

/// True if anything but metadata and status differs.
fn wants_something_else(before: &Object, after: &Object) -> bool {
    let is_wish = |field: &str| !["metadata", "status", "apiVersion", "kind"].contains(&field);
    !fields(before, is_wish).eq(fields(after, is_wish))
}

/// True if nothing differs but when managers wrote.
fn says_the_same(before: &Object, after: &Object) -> bool {
    fields(before, |field| field != "metadata").eq(fields(after, |field| field != "metadata")) && {
        let is_plain = |field: &str| field != "managedFields";
        fields(&before["metadata"], is_plain).eq(fields(&after["metadata"], is_plain))
            && same_owners(before, after)
    }
}

/// Some fields of an object with their values.
fn fields(object: &Value, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten().filter(move |(field, _)| is_meant(field))
}
