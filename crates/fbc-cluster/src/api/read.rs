//! Reading objects as a client does: with rights.

use std::sync::Arc;

use super::{ApiServer, Caller};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::{FieldSelector, LabelSelector};

/// Which objects to list.
#[derive(Debug, Clone, Default)]
pub struct ListOptions {
    /// The namespace; none for all.
    pub namespace: Option<String>,
    /// By labels.
    pub labels: LabelSelector,
    /// By fields.
    pub fields: FieldSelector,
}

impl ApiServer {
    /// One object.
    pub fn get(&self, caller: &Caller, id: KindId, name: &ObjectName) -> Result<Arc<Object>, ApiError> {
        let kind = self.kind(id)?;
        self.authorize(caller, "get", &kind, "", name)?;
        if let Some(aggregated) = self.aggregated(id) {
            let found = aggregated.get(name);
            return found.ok_or_else(|| ApiError::not_found(&kind.group, &kind.plural, &name.name));
        }
        self.existing(id, &kind, name)
    }

    /// The objects that are asked for, by namespace and name.
    pub fn list(
        &self,
        caller: &Caller,
        id: KindId,
        options: &ListOptions,
    ) -> Result<Vec<Arc<Object>>, ApiError> {
        let kind = self.kind(id)?;
        let namespace = options.namespace.as_deref().unwrap_or_default();
        self.authorize(caller, "list", &kind, "", &ObjectName::namespaced(namespace, ""))?;
        if let Some(aggregated) = self.aggregated(id) {
            return Ok(aggregated.list(options));
        }
        Ok(self.listed(id, options).cloned().collect())
    }

    /// The objects that are asked for, without questions about rights.
    pub(super) fn listed<'s>(
        &'s self,
        id: KindId,
        options: &'s ListOptions,
    ) -> Box<dyn Iterator<Item = &'s Arc<Object>> + 's> {
        let namespace = options.namespace.as_deref().unwrap_or_default();
        let fits = move |object: &&Arc<Object>| {
            (namespace.is_empty() || object.namespace() == namespace)
                && options.labels.matches_object(object)
                && options.fields.matches(object)
        };
        match options.labels.required_label() {
            Some((key, value)) => Box::new(self.store.with_label(id, key, value).filter(fits)),
            None if namespace.is_empty() => Box::new(self.store.of_kind(id).filter(fits)),
            None => Box::new(self.store.in_namespace(id, namespace).filter(fits)),
        }
    }
}
