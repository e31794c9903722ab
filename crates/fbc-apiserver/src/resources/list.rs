//! Lists, in pieces and at versions.
//!
//! Sources: `kubernetes/apiserver:pkg/endpoints/handlers/get.go`, `pkg/storage/etcd3/store.go` (`GetList`).

use std::sync::Arc;

use fbc_cluster::api::ListOptions;
use fbc_cluster::error::{ApiError, Cause, CauseReason, Reason};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::served_twice;
use serde_json::json;

use super::{caller, fields, snapshot};
use crate::actor::{Actor, Identity};
use crate::answer::{Answer, Content};
use crate::present::{Listed, Presentation};
use crate::request::{ListQuery, Match, Query, Request};
use crate::served_resource::ServedResource;

impl Actor<'_> {
    pub(super) fn list_or_watch(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let mut list = ListQuery::read(query)?;
        list.watch |= resource.place.is_watch;
        let presentation = self.presentation(request, query, resource)?;
        let verb = if list.watch { "watch" } else { "list" };
        let mut name = resource.name();
        if let Some(single) = list.single_name().filter(|_| name.name.is_empty()) {
            single.clone_into(&mut name.name);
        }
        let caller = caller(identity, request, query);
        self.cluster.api.check_access(&caller, verb, &resource.kind, "", &name)?;
        let definition = self.cluster.api.definition(resource.id);
        let version = definition.and_then(|definition| definition.version(&resource.place.version));
        let selectable = version.map(|version| version.selectable_fields.as_slice()).unwrap_or_default();
        fields::check(&resource.kind, &resource.api_version(), &list.field_text, selectable)?;
        if list.watch {
            self.watch(&list, resource, presentation)
        } else {
            self.list(&list, resource, presentation)
        }
    }

    fn list(
        &mut self,
        list: &ListQuery,
        resource: &ServedResource,
        presentation: Presentation,
    ) -> Result<Answer, ApiError> {
        let api = &self.cluster.api;
        let options = list_options(list, resource);
        let present = api.store().revision();
        let (revision, start) = match list.continuation.as_str() {
            "" => (self.wanted_revision(list)?, None),
            token => {
                let (revision, start) = snapshot::read_token(token)?;
                (revision, Some(start))
            }
        };
        let mut items: Vec<Arc<Object>> = if revision == present {
            api.selected(resource.id, &options).cloned().collect()
        } else {
            snapshot::at(api, resource.id, &options, revision)?
        };
        if let Some(start) = start {
            let done = items.partition_point(|object| place_of(object) <= (&start.namespace, &start.name));
            items.drain(..done);
        }
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if list.limit > 0 && items.len() > list.limit {
            let left = items.len() - list.limit;
            items.truncate(list.limit);
            let last = items.last().map(|object| object.object_name()).unwrap_or_default();
            metadata["continue"] = snapshot::token(revision, &last).into();
            if list.labels.is_everything() && list.field_text.is_empty() {
                metadata["remainingItemCount"] = left.into();
            }
        }
        api.all_in_version(resource.id, &mut items, &resource.api_version())?;
        let listed = Listed {
            api_version: resource.api_version(),
            list_kind: api.definition(resource.id).map_or_else(
                || format!("{}List", resource.kind.kind),
                |definition| definition.list_kind.clone(),
            ),
            is_typed: api.definition(resource.id).is_none(),
            metadata,
            items,
        };
        let answer = Answer::new(200, Content::List(listed, presentation));
        Ok(answer.with_warnings(self.deprecation(resource)))
    }

    /// The version that a list shows: the present one, unless exactly another one is asked for.
    fn wanted_revision(&self, list: &ListQuery) -> Result<u64, ApiError> {
        let present = self.cluster.api.store().revision();
        let Some(wanted) = list.resource_version else { return Ok(present) };
        self.check_not_in_future(wanted)?;
        let is_exact = list.resource_version_match == Match::Exact
            || (list.resource_version_match == Match::Unset && list.limit > 0 && wanted > 0);
        Ok(if is_exact { wanted } else { present })
    }

    /// Refuses a version that has not come yet.
    pub(super) fn check_not_in_future(&self, wanted: u64) -> Result<(), ApiError> {
        let present = self.cluster.api.store().revision();
        if wanted <= present {
            return Ok(());
        }
        let text = format!("Timeout: Too large resource version: {wanted}, current: {present}");
        let mut error = ApiError::other(Reason::Timeout, text);
        let cause = Cause::new(CauseReason::TooLargeVersion, "Too large resource version");
        error.details.causes = vec![cause];
        Err(error)
    }
}

fn place_of(object: &Object) -> (&String, &String) {
    static EMPTY: String = String::new();
    let text = |field: &str| match object.at(&["metadata", field]) {
        Some(serde_json::Value::String(text)) => text,
        _ => &EMPTY,
    };
    (text("namespace"), text("name"))
}

/// Which objects a list asks for.
pub(super) fn list_options(list: &ListQuery, resource: &ServedResource) -> ListOptions {
    let ObjectName { namespace, .. } = resource.name();
    ListOptions {
        namespace: Some(namespace).filter(|namespace| !namespace.is_empty()),
        labels: list.labels.clone(),
        fields: list
            .fields
            .clone()
            .renamed(|field| served_twice::stored_field(&resource.kind, field).to_owned()),
    }
}
