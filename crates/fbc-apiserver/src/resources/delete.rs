//! Deleting objects.
//!
//! Source: `kubernetes/apiserver:pkg/endpoints/handlers/delete.go`.

use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::list::list_options;
use super::{caller, fields};
use crate::actor::{Actor, Identity};
use crate::answer::{Answer, Content};
use crate::later::{Deletion, Later, Work};
use crate::present::Listed;
use crate::request::{BodyFormat, ListQuery, Query, Request, decode_body, delete_options};
use crate::served_resource::ServedResource;

/// Kinds of the core group of which a deletion answers with the last state; others answer with a `Status`.
const RETURNED: [&str; 7] = [
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ResourceQuota",
    "Service",
    "ServiceAccount",
];

impl Actor<'_> {
    pub(super) fn delete(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, resource)?;
        let caller = caller(identity, request, query);
        let name = resource.name();
        self.cluster.api.check_access(&caller, "delete", &resource.kind, "", &name)?;
        let options = delete_options(query, &body_of(request)?)?;
        let last = self.cluster.api.delete(&caller, resource.id, &name, &options)?;
        let is_gone = options.dry_run || self.cluster.api.store().get(resource.id, &name).is_none();
        let is_returned = resource.kind.group.is_empty() && RETURNED.contains(&resource.kind.kind.as_str());
        if !is_gone || is_returned {
            return Ok(self.object(200, resource, &last, presentation));
        }
        let mut details = json!({"name": name.name, "kind": resource.kind.plural, "uid": last.uid()});
        if !resource.kind.group.is_empty() {
            details["group"] = resource.kind.group.as_str().into();
        }
        Ok(Answer::json(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details,
        })))
    }

    pub(super) fn delete_collection(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, resource)?;
        let caller = caller(identity, request, query);
        self.cluster.api.check_access(&caller, "deletecollection", &resource.kind, "", &resource.name())?;
        let list = ListQuery::read(query)?;
        fields::check(&resource.kind, &resource.api_version(), &list.field_text, &[])?;
        let options = delete_options(query, &body_of(request)?)?;
        let selected = list_options(&list, resource);
        let names = self.cluster.api.deleted_with(&caller, resource.id, &selected)?;
        let deletion = Deletion {
            caller,
            resource: resource.clone(),
            names: names.into(),
            options,
            presentation,
            gone: Vec::new(),
        };
        Ok(Answer::new(200, Content::Later(Later(Work::Deletion(Box::new(deletion))))))
    }

    /// The answer to the deletion of many objects.
    pub(crate) fn deleted(&self, deletion: &Deletion) -> Answer {
        let Deletion { resource, gone, presentation, .. } = deletion;
        let api = &self.cluster.api;
        let listed = Listed {
            api_version: resource.api_version(),
            list_kind: format!("{}List", resource.kind.kind),
            is_typed: api.definition(resource.id).is_none(),
            metadata: json!({"resourceVersion": api.store().revision().to_string()}),
            items: gone
                .iter()
                .map(|item| api.in_version(resource.id, item, &resource.api_version()))
                .collect(),
        };
        Answer::new(200, Content::List(listed, presentation.clone()))
    }
}

/// The options in the body of a deletion, if there is one.
fn body_of(request: &Request) -> Result<Value, ApiError> {
    if request.body.is_empty() {
        return Ok(Value::Null);
    }
    let format = BodyFormat::of_object(&request.content_type)?;
    let (value, _) = decode_body(&request.body, format)?;
    if value.is_object() && !["", "DeleteOptions"].contains(&value.kind()) {
        return Err(ApiError::bad_request(format!(
            "decoded object cannot be converted to DeleteOptions: it is a {}",
            value.kind()
        )));
    }
    Ok(value)
}
