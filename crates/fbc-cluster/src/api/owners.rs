//! Who owns what: the fields of an object by their managers, and an object by its owner references.

use serde_json::Value;

use super::{ApiServer, Caller, Subresource};
use crate::apply::{Write as OwnedWrite, ignored_fields, record_update};
use crate::error::ApiError;
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields};

impl ApiServer {
    /// Keeps each owner reference once, and warns of those that are there again.
    ///
    /// Source: `kubernetes/apiserver:pkg/endpoints/handlers/rest.go` (`dedupOwnerReferencesAndAddWarning`).
    pub(super) fn keep_owners_once(&self, object: &mut Object, is_after_admission: bool) {
        let references = object.list(&["metadata", "ownerReferences"]);
        if references.len() < 2 {
            return;
        }
        let mut kept: Vec<Value> = Vec::with_capacity(references.len());
        let mut again: Vec<&str> = Vec::new();
        for reference in references {
            if kept.contains(reference) {
                again.push(reference.text(&["uid"]));
            } else {
                kept.push(reference.clone());
            }
        }
        if again.is_empty() {
            return;
        }
        let when = if is_after_admission { " after mutating admission happens" } else { "" };
        self.warnings.add(vec![format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and \
             may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            again.join(", ")
        )]);
        object.set(&["metadata", "ownerReferences"], kept);
    }

    /// Writes down which manager owns which fields, before anything but the client has a say: what admission and the
    /// strategy of the kind add belongs to nobody. `sent` is what the client sent where mutators changed it. True if that
    /// shows that the object is not as before.
    ///
    /// Source: `kubernetes/apiserver:pkg/endpoints/handlers/{create,update,patch}.go`.
    #[expect(clippy::too_many_arguments, reason = "the parts of one request")]
    pub(super) fn record_managers_of_sent(
        &self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        before: Option<&Object>,
        object: &mut Object,
        sent: Option<Object>,
        subresource: Subresource,
    ) -> Result<bool, ApiError> {
        let Some(mut sent) = sent else {
            return Ok(self.record_managers(caller, id, kind, before, object, subresource));
        };
        if kind.has_status {
            sent.remove(&["status"]);
        }
        self.complete(id, kind, &mut sent, subresource)?;
        let is_other = self.record_managers(caller, id, kind, before, &mut sent, subresource);
        match sent.remove(&["metadata", "managedFields"]) {
            Some(managers) => object.set(&["metadata", "managedFields"], managers),
            None => drop(object.remove(&["metadata", "managedFields"])),
        }
        Ok(is_other)
    }

    /// Writes down which manager owns which fields. True if that shows that the object is not as before.
    fn record_managers(
        &self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        before: Option<&Object>,
        object: &mut Object,
        subresource: Subresource,
    ) -> bool {
        // Nobody asks who owns the fields of an event, and the answer would be most of what an event holds: in a large
        // cluster a fifth of all memory and time.
        if kind.kind == "Event" {
            object.remove(&["metadata", "managedFields"]);
            return false;
        }
        let write = OwnedWrite {
            manager: &caller.manager,
            subresource: subresource.name(),
            time: self.now,
            ignored: ignored_fields(kind.has_status, subresource.name()),
        };
        let api_version = object.api_version().to_owned();
        record_update(before, object, &write, self.model(id).shape(&api_version))
    }
}
