//! What each verb does with the objects of the cluster.

mod delete;
mod fields;
mod kinds;
mod list;
mod snapshot;
mod subresource;
mod token;
mod watch;
mod write;

use std::sync::Arc;

use fbc_cluster::api::Caller;
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::Object;
use http::Method;

pub(crate) use kinds::Subresources;

use crate::actor::{Actor, Identity};
use crate::answer::{Answer, Content};
use crate::present::{Accepted, Presentation, TableShape, accepted};
use crate::request::{Place, Query, Request, place};
use crate::served_resource::ServedResource;

/// The warning about a kind that another one has taken the place of, since 1.33.
///
/// Source: `kubernetes/api:core/v1/zz_generated.prerelease-lifecycle.go`.
const FORMER_ENDPOINTS: &str = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

/// The text of a path that nobody serves.
const NOT_FOUND: &str = "404 page not found\n";

/// A path that nobody serves.
pub(crate) fn not_found() -> Answer {
    Answer::new(404, Content::Text(NOT_FOUND.to_owned()))
}

/// The refusal of a method that a path does not have.
pub(crate) fn method_not_allowed() -> ApiError {
    ApiError::other(
        Reason::MethodNotAllowed,
        "the server does not allow this method on the requested resource",
    )
}

impl Actor<'_> {
    /// Answers a request of somebody who is known.
    pub(crate) fn respond(&mut self, request: &Request, identity: &Identity) -> Result<Answer, ApiError> {
        let query = Query::read(&request.query);
        match place(&request.path) {
            Place::Resource(resource) => {
                if let Some(answer) = self.review(request, identity, &resource)? {
                    return Ok(answer);
                }
                match self.served(resource) {
                    Some(resource) => self.resource(request, &query, identity, &resource),
                    None => {
                        self.check_path(identity, &request.method.as_str().to_lowercase(), &request.path)?;
                        Ok(not_found())
                    }
                }
            }
            Place::Discovery(segments) => {
                self.check_path(identity, &request.method.as_str().to_lowercase(), &request.path)?;
                self.discover(request, &segments)
            }
            Place::Other(path) => {
                self.check_path(identity, &request.method.as_str().to_lowercase(), &path)?;
                self.non_resource(request, &query, &path)
            }
        }
    }

    fn resource(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        if !resource.place.subresource.is_empty() {
            return self.subresource(request, query, identity, resource);
        }
        let is_collection = resource.place.name.is_empty();
        let needs_namespace = resource.kind.namespaced && resource.place.namespace.is_empty();
        match (&request.method, is_collection) {
            (&Method::GET | &Method::HEAD, false) if !resource.place.is_watch => {
                self.get(request, query, identity, resource)
            }
            (&Method::GET | &Method::HEAD, _) => self.list_or_watch(request, query, identity, resource),
            (&Method::POST, true) if !needs_namespace => self.create(request, query, identity, resource),
            (&Method::PUT, false) if !needs_namespace => self.update(request, query, identity, resource),
            (&Method::PATCH, false) if !needs_namespace => self.patch(request, query, identity, resource),
            (&Method::DELETE, false) if !needs_namespace => self.delete(request, query, identity, resource),
            (&Method::DELETE, true) => self.delete_collection(request, query, identity, resource),
            _ => Err(method_not_allowed()),
        }
    }

    fn get(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, resource)?;
        let caller = caller(identity, request, query);
        self.cluster.api.check_access(&caller, "get", &resource.kind, "", &resource.name())?;
        let object = self.cluster.api.get(&caller, resource.id, &resource.name())?;
        Ok(self.object(200, resource, &object, presentation).with_warnings(self.deprecation(resource)))
    }

    /// An answer with an object in the version of the path.
    pub(crate) fn object(
        &self,
        code: u16,
        resource: &ServedResource,
        object: &Arc<Object>,
        presentation: Presentation,
    ) -> Answer {
        let object = self.cluster.api.in_version(resource.id, object, &resource.api_version());
        Answer::new(code, Content::Object(object, presentation))
    }

    /// How the client wants to see the objects of a kind.
    pub(crate) fn presentation(
        &self,
        request: &Request,
        query: &Query,
        resource: &ServedResource,
    ) -> Result<Presentation, ApiError> {
        Ok(match accepted(&request.accept)? {
            Accepted::Whole(format) => Presentation::Whole(format),
            Accepted::Metadata(format, version) => Presentation::Metadata(format, version),
            Accepted::Table(version) => {
                let definition = self.cluster.api.definition(resource.id);
                let of_version =
                    definition.and_then(|definition| definition.version(&resource.place.version));
                let columns = of_version.map(|version| version.columns.as_slice()).unwrap_or_default();
                let include = query.text("includeObject");
                let now = self.cluster.now();
                Presentation::Table(Arc::new(TableShape::new(&resource.kind, columns, version, include, now)))
            }
            Accepted::Discovery(_) => Presentation::Whole(crate::present::TextFormat::Json),
        })
    }

    /// The warning of a version that is to go.
    pub(crate) fn deprecation(&self, resource: &ServedResource) -> Vec<String> {
        if resource.kind.group.is_empty() && resource.kind.kind == "Endpoints" {
            let is_former = self.cluster.api.kubernetes().minor >= 33;
            return is_former.then(|| FORMER_ENDPOINTS.to_owned()).into_iter().collect();
        }
        let definition = self.cluster.api.definition(resource.id);
        let version = definition.and_then(|definition| definition.version(&resource.place.version));
        let Some(warning) = version.and_then(|version| version.deprecation_warning.clone()) else {
            return Vec::new();
        };
        let (group, version, kind) = (&resource.kind.group, &resource.place.version, &resource.kind.kind);
        vec![if warning.is_empty() { format!("{group}/{version} {kind} is deprecated") } else { warning }]
    }
}

/// Who writes, and the name under which its writes are recorded.
///
/// Source: `kubernetes/apiserver:pkg/endpoints/handlers/create.go` (`managerOrUserAgent`).
pub(crate) fn caller(identity: &Identity, request: &Request, query: &Query) -> Caller {
    let manager = match query.text("fieldManager") {
        "" => {
            let program = request.user_agent.split('/').next().unwrap_or_default();
            let printable = program.chars().filter(|character| !character.is_control());
            let name: String = printable.take(128).collect();
            if name.is_empty() { "unknown".to_owned() } else { name }
        }
        manager => manager.to_owned(),
    };
    Caller { user: identity.user.clone(), manager, impersonator: identity.impersonator.clone() }
}
