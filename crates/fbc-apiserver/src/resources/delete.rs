//! Deleting objects.
//!
//! Source: `kubernetes/apiserver:pkg/endpoints/handlers/delete.go`.

use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::list::list_options;
use super::{Target, caller, fields};
use crate::actor::{Actor, Deletion, Identity, Later, Work};
use crate::answer::{Answer, Content};
use crate::present::Listed;
use crate::request::{BodyFormat, ListQuery, Query, Request, decode_body, delete_options};

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
        target: &Target,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, target)?;
        let caller = caller(identity, request, query);
        let name = target.name();
        self.cluster.api.check_access(&caller, "delete", target.id, "", &name)?;
        let options = delete_options(query, &body_of(request)?)?;
        let last = self.cluster.api.delete(&caller, target.id, &name, &options)?;
        let is_gone = options.dry_run || self.cluster.api.store().get(target.id, &name).is_none();
        let is_returned = target.kind.group.is_empty() && RETURNED.contains(&target.kind.kind.as_str());
        if !is_gone || is_returned {
            return Ok(self.object(200, target, &last, presentation));
        }
        let mut details = json!({"name": name.name, "kind": target.kind.plural, "uid": last.uid()});
        if !target.kind.group.is_empty() {
            details["group"] = target.kind.group.as_str().into();
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
        target: &Target,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, target)?;
        let caller = caller(identity, request, query);
        self.cluster.api.check_access(&caller, "deletecollection", target.id, "", &target.name())?;
        let list = ListQuery::read(query)?;
        fields::check(&target.kind, &target.api_version(), &list.field_text, &[])?;
        let options = delete_options(query, &body_of(request)?)?;
        let selected = list_options(&list, target);
        let names = self.cluster.api.deleted_with(&caller, target.id, &selected)?;
        let deletion = Deletion {
            caller,
            target: target.clone(),
            names: names.into(),
            options,
            presentation,
            gone: Vec::new(),
        };
        Ok(Answer::new(200, Content::Later(Later(Work::Deletion(Box::new(deletion))))))
    }

    /// The answer to the deletion of many objects.
    pub(crate) fn deleted(&self, deletion: &Deletion) -> Answer {
        let Deletion { target, gone, presentation, .. } = deletion;
        let api = &self.cluster.api;
        let listed = Listed {
            api_version: target.api_version(),
            list_kind: format!("{}List", target.kind.kind),
            is_typed: api.definition(target.id).is_none(),
            metadata: json!({"resourceVersion": api.store().revision().to_string()}),
            items: gone.iter().map(|item| api.in_version(target.id, item, &target.place.version)).collect(),
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
