//! Creating objects.

use std::sync::Arc;

use super::lifecycle::write_in_preferred_version;
use super::service_addresses::is_service;
use super::{ApiServer, Caller, Subresource, WriteOptions, certificate_requests};
use crate::access::writes::Write;
use crate::admission::request::Request;
use crate::apply::{Operation, restore_owners, take_owners};
use crate::error::{ApiError, FieldError, Reason};
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::random::Random;
use crate::served_twice;

/// How often the API server thinks up another name where the one that it thought of is taken.
///
/// Source: `kubernetes/apiserver:pkg/registry/generic/registry/store.go` (`maxNameGenerationCreateAttempts`).
const MOST_GENERATED_NAMES: usize = 8;

impl ApiServer {
    /// Creates what the server makes itself when it starts. Their uids come from elsewhere, so that the names of other
    /// objects do not depend on these.
    pub(crate) fn bootstrap(&mut self, seed: u64, objects: impl IntoIterator<Item = Object>) {
        let random = std::mem::replace(&mut self.random, Random::of(seed, "bootstrap"));
        for object in objects {
            // A server that has just started refuses none of these; a test holds that.
            let _ = self.create(&Caller::administrator("kube-apiserver"), object, WriteOptions::default());
        }
        self.random = random;
    }

    /// Stores a new object and answers with what was stored.
    pub fn create(
        &mut self,
        caller: &Caller,
        object: Object,
        options: WriteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let object = served_twice::stored(object);
        let (id, kind) = self.kind_of(&object)?;
        // The name is in the body of the request, which nobody looks at before it is allowed.
        self.authorize(caller, "create", &kind, "", &ObjectName::namespaced(object.namespace(), ""))?;
        self.create_authorized(caller, id, &kind, object, Operation::Update, options)
    }

    /// Creates without asking whether the caller may: for writes that were allowed under another verb.
    pub(super) fn create_authorized(
        &mut self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        mut object: Object,
        operation: Operation,
        options: WriteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let owners = take_owners(&mut object);
        self.settle_namespace(kind, &mut object)?;
        self.check_fields(id, kind, &object, options)?;
        if operation == Operation::Update {
            self.keep_owners_once(&mut object, false);
        }
        let sent = self.mutate(kind, &mut object)?;
        self.check_namespace(kind, &object)?;
        self.check_definition(id, kind, &object)?;
        self.begin(id, kind, &mut object)?;
        self.complete(id, kind, &mut object, Subresource::None)?;
        restore_owners(&mut object, owners);
        if operation == Operation::Update {
            self.record_managers_of_sent(caller, id, kind, None, &mut object, sent, Subresource::None)?;
        }
        let owners = take_owners(&mut object);
        self.admit_built_in(kind, None, &mut object)?;
        let request = Request {
            user: &caller.user,
            kind,
            operation: "CREATE",
            subresource: "",
            before: None,
            object: None,
            dry_run: options.dry_run,
            options: options.seen(caller),
        };
        if self.has_mutating_admission() {
            let snapshot = object.clone();
            self.ask_mutating_admission(&Request { object: Some(&snapshot), ..request }, id, &mut object)?;
        }
        self.keep_owners_once(&mut object, true);
        Self::prepare_built_in(kind, &mut object);
        certificate_requests::begin(kind, &caller.user, &mut object);
        self.admit(
            id,
            &Write {
                user: &caller.user,
                kind,
                subresource: Subresource::None,
                name_in_path: if operation == Operation::Apply { object.name() } else { "" },
                before: None,
                object: &object,
            },
        )?;
        self.check_limit_ranges(kind, None, &object)?;
        self.check_pod_security(kind, None, &object, Subresource::None)?;
        self.ask_validators(kind, None, &object)?;
        self.ask_admission(&Request { object: Some(&object), ..request })?;
        self.check_quotas(id, kind, None, &object)?;
        let name = object.object_name();
        // The store itself looks at it, and nothing gets there that is only tried out.
        let version = object.text(&["metadata", "resourceVersion"]).parse::<u64>();
        if version.is_ok_and(|version| version != 0) && !options.dry_run {
            let text = "resourceVersion should not be set on objects to be created";
            return Err(ApiError::other(Reason::Unknown, text));
        }
        if let Some(present) = self.store.get(id, &name) {
            let mut error = ApiError::already_exists(&kind.group, &kind.plural, &name.name);
            if present.is_terminating() {
                error.message = format!("object is being deleted: {}", error.message);
            }
            return Err(error);
        }
        restore_owners(&mut object, owners);
        if is_service(kind) {
            self.addresses.allocate(None, &mut object, options.dry_run)?;
        }
        write_in_preferred_version(kind, &mut object);
        if options.dry_run {
            return Ok(Arc::new(object));
        }
        let memory = self.afford_or_revert((id, kind), Subresource::None, None, &object)?;
        let stored = self.store.put_sized(id, object, memory);
        self.after_write(kind, &stored);
        Ok(stored)
    }

    /// Sets what only the API server sets in new objects.
    fn begin(&mut self, id: KindId, kind: &Kind, object: &mut Object) -> Result<(), ApiError> {
        if object.name().is_empty() {
            let prefix = object.text(&["metadata", "generateName"]).to_owned();
            if prefix.is_empty() {
                let cause = FieldError::required("metadata.name", "name or generateName is required");
                return Err(ApiError::invalid(&kind.group, &kind.kind, "", vec![cause]));
            }
            let mut name = ObjectName::namespaced(object.namespace(), "");
            for _ in 0..MOST_GENERATED_NAMES {
                name.name = format!("{prefix}{}", self.random.suffix());
                if self.store.get(id, &name).is_none() {
                    break;
                }
            }
            object.set(&["metadata", "name"], name.name);
        }
        for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
            object.remove(&["metadata", field]);
        }
        object.set(&["metadata", "uid"], self.random.uuid());
        object.set(&["metadata", "creationTimestamp"], self.now.to_string());
        if kind.has_generation {
            object.set(&["metadata", "generation"], 1);
        } else {
            object.remove(&["metadata", "generation"]);
        }
        // A kubelet that registers its node says how the node is in the same request.
        if kind.has_status && !(kind.group.is_empty() && kind.kind == "Node") {
            object.remove(&["status"]);
        }
        self.begin_built_in(kind, object);
        Ok(())
    }
}
