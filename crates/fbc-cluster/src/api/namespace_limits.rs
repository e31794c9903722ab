//! What limit ranges and quotas allow in a namespace.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::ApiServer;
use crate::admission::amounts::{Amounts, take};
use crate::admission::limit_ranges;
use crate::admission::quotas::{self, Counted};
use crate::error::ApiError;
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields};
use crate::pod_resources::Resources as _;

/// What is used of a quota, at a version of the store.
pub(super) struct QuotaUse {
    /// `spec` of the quota.
    asks: Value,
    revision: u64,
    used: Amounts,
}

/// By the uid of the quota and the kind that is counted.
pub(super) type QuotaUses = RefCell<BTreeMap<(String, KindId), QuotaUse>>;

/// So many are remembered; others are counted anew.
const MOST_KNOWN_USES: usize = 1000;

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
            .map(|quota| Counted { quota, used: self.used(id, kind, quota) })
            .collect();
        if counted.is_empty() {
            return Ok(());
        }
        quotas::check(kind, before, object, &counted)
    }

    /// What the objects of a kind use of a quota. It is kept up with their changes, so that the last of thousands of pods costs no
    /// more than the first.
    pub(crate) fn used(&self, id: KindId, kind: &Kind, quota: &Object) -> Amounts {
        let key = (quota.uid().to_owned(), id);
        let mut known = self.quota_uses.borrow_mut();
        let use_of = known.remove(&key).filter(|known| known.asks == quota["spec"]);
        let caught_up = use_of.and_then(|mut known| {
            let namespace = quota.namespace();
            let changes = self.store.changes_since(known.revision)?;
            for change in
                changes.filter(|change| change.key.kind == id && change.key.name.namespace == namespace)
            {
                let of = |object: &Option<Arc<Object>>| {
                    let objects = object.iter().map(|object| &**object);
                    quotas::used(quota, &kind.group, &kind.plural, objects)
                };
                let (before, after) = (of(&change.before), of(&change.after));
                known.used.add(&after);
                take(&mut known.used, &before);
            }
            Some(known)
        });
        let mut known_use = caught_up.unwrap_or_else(|| {
            let present = self.store.in_namespace(id, quota.namespace()).map(|object| &**object);
            let used = quotas::used(quota, &kind.group, &kind.plural, present);
            QuotaUse { asks: quota["spec"].clone(), revision: 0, used }
        });
        known_use.revision = self.store.revision();
        let used = known_use.used.clone();
        if known.len() >= MOST_KNOWN_USES {
            known.clear();
        }
        known.insert(key, known_use);
        used
    }

    /// The objects of a kind of the core in a namespace.
    pub(super) fn inside<'s>(&'s self, kind: &str, namespace: &'s str) -> Vec<&'s Object> {
        let objects = self.kind_id("", kind).map(|id| self.store.in_namespace(id, namespace));
        objects.into_iter().flatten().map(|object| &**object).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{Caller, DeleteOptions, WriteOptions};
    use crate::control_plane;
    use crate::object::ObjectName;
    use crate::time::Moment;

    /// What is kept up with changes is what counting all pods anew gives.
    #[test]
    fn use_of_quotas_adds_up() {
        let mut api = control_plane::api_server(&[], 1, Moment::START);
        let caller = Caller::administrator("test");
        let account = json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "default"},
        });
        api.create(&caller, account, WriteOptions::default()).unwrap();
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"},
            "spec": {"hard": {"pods": "100", "requests.cpu": "50", "count/pods": "100"}},
        });
        let quota = api.create(&caller, quota, WriteOptions::default()).unwrap();
        let (id, kind) = api.registry().find("", "Pod").map(|(id, kind)| (id, kind.clone())).unwrap();
        for step in 0..120_u64 {
            let name = format!("pod-{}", step * 7 % 20);
            let pod = json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
                "spec": {"containers": [{
                    "name": "c", "image": "x", "resources": {"requests": {"cpu": format!("{}m", 100 + step % 3)}},
                }]},
            });
            if api.create(&caller, pod, WriteOptions::default()).is_err() {
                let name = ObjectName::namespaced("default", name);
                api.delete(&caller, id, &name, &DeleteOptions::default()).unwrap();
            }
            let present = api.store.in_namespace(id, "default").map(|object| &**object);
            let all = quotas::used(&quota, &kind.group, &kind.plural, present);
            let mut used = api.used(id, &kind, &quota);
            used.retain(|_, amount| amount.sign() > 0);
            assert_eq!(used, all, "step {step}");
        }
    }
}
