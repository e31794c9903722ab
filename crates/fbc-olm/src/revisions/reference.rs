//! How revisions name objects in texts.

use std::fmt;

use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};

/// An object by kind and name, `apps/v1, Kind=Deployment a/web`.
///
/// Source: `package-operator/boxcutter:machinery/types/types.go`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectReference {
    kind: GroupVersionKind,
    name: ObjectName,
}

impl ObjectReference {
    pub(super) fn of(object: &Object) -> Self {
        let kind = GroupVersionKind::of(object.api_version(), object.kind());
        Self { kind, name: object.object_name() }
    }
}

impl fmt::Display for ObjectReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (GroupVersionKind { group, version, kind }, ObjectName { namespace, name }) =
            (&self.kind, &self.name);
        write!(formatter, "{group}/{version}, Kind={kind} {namespace}/{name}")
    }
}

/// An object as conditions and reports name it: `Object Deployment.apps/v1 a/web`.
pub(super) fn title(object: &Object) -> String {
    let (kind, version) = (object.kind(), object.api_version());
    format!("Object {kind}.{version} {}/{}", object.namespace(), object.name())
}
