//! What limit ranges and quotas allow in a namespace.

use super::ApiServer;
use crate::admission::limit_ranges;
use crate::admission::quotas::{self, Counted};
use crate::error::ApiError;
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields};

impl ApiServer {
    /// Checks a new pod or a claim against the limit ranges of its namespace.
    pub(super) fn check_limit_ranges(
        &self,
        kind: &Kind,
        before: Option<&Object>,
        object: &Object,
    ) -> Result<(), ApiError> {
        match (kind.group.as_str(), kind.kind.as_str(), before) {
            ("", "Pod", None) | ("", "PersistentVolumeClaim", _) => {
                limit_ranges::check(object, &kind.plural, &self.inside("LimitRange", object.namespace()))
            }
            _ => Ok(()),
        }
    }

    /// Checks a new object, or a changed service or claim, against the quotas of its namespace.
    pub(super) fn check_quotas(
        &self,
        id: KindId,
        kind: &Kind,
        before: Option<&Object>,
        object: &Object,
    ) -> Result<(), ApiError> {
        let can_grow =
            matches!((kind.group.as_str(), kind.kind.as_str()), ("", "Service" | "PersistentVolumeClaim"));
        if object.namespace().is_empty() || before.is_some() && !can_grow {
            return Ok(());
        }
        let counted: Vec<Counted<'_>> = self
            .inside("ResourceQuota", object.namespace())
            .into_iter()
            .filter(|quota| quotas::counts(quota, &kind.plural, object))
            .map(|quota| {
                let present = self.store.in_namespace(id, object.namespace()).map(|object| &**object);
                Counted { quota, used: quotas::used(quota, &kind.group, &kind.plural, present) }
            })
            .collect();
        if counted.is_empty() {
            return Ok(());
        }
        quotas::check(kind, before, object, &counted)
    }

    /// The objects of a kind of the core in a namespace.
    pub(super) fn inside<'s>(&'s self, kind: &str, namespace: &'s str) -> Vec<&'s Object> {
        let objects = self.kind_id("", kind).map(|id| self.store.in_namespace(id, namespace));
        objects.into_iter().flatten().map(|object| &**object).collect()
    }
}
