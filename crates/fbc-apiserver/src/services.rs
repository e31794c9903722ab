//! Services in the cluster that answer requests, reached through the proxy of the API server and at ports of their pods.
//!
//! Source: `kubernetes/kubernetes:pkg/registry/core/service/storage/storage.go` (`ResourceLocation`),
//! `kubernetes/apimachinery:pkg/util/net/port_split.go`.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use fbc_cluster::api::{Caller, WriteOptions};
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::answer::{Answer, Content};
use crate::port_forward::pod::ForwardedPod;
use crate::served_resource::ServedResource;
use crate::service::{Forward, Handler, Service, path_behind_proxy};

/// The name of a service in a path: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`.
#[derive(Debug, PartialEq, Eq)]
struct Named<'p> {
    scheme: &'p str,
    name: &'p str,
    port: &'p str,
}

impl<'p> Named<'p> {
    fn parse(text: &'p str) -> Option<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let named = match parts[..] {
            [name] => Self { scheme: "", name, port: "" },
            [name, port] => Self { scheme: "", name, port },
            [scheme, name, port] => Self { scheme, name, port },
            _ => return None,
        };
        let is_valid = !named.name.is_empty() && ["", "http", "https"].contains(&named.scheme);
        is_valid.then_some(named)
    }

    /// The name of the port that is meant.
    fn port_of<'s>(&'s self, service: &'s Object) -> Result<&'s str, ApiError> {
        let Ok(number) = self.port.parse::<i64>() else { return Ok(self.port) };
        let ports = service.list(&["spec", "ports"]);
        let port = ports.iter().find(|port| port.number(&["port"]) == Some(number));
        port.map(|port| port.text(&["name"]))
            .ok_or_else(|| unavailable(format!("no service port {number} found for service {:?}", self.name)))
    }
}

fn unavailable(text: String) -> ApiError {
    ApiError::other(Reason::ServiceUnavailable, text)
}

/// The Service by which clients find what answers.
fn service_object(service: &dyn Service) -> Option<Value> {
    service.objects().into_iter().find(|object| object.kind() == "Service")
}

/// The port at which a pod of a service answers, and where that is on this machine.
fn port_of_pod(service: &dyn Service, pod: &Object) -> Option<(u16, SocketAddr)> {
    let address = service.listener()?;
    let object = service_object(service)?;
    let labels = object.at(&["spec", "selector"])?.as_object()?;
    let is_of_pod = object.namespace() == pod.namespace()
        && labels.iter().all(|(name, value)| pod.at(&["metadata", "labels", name]) == Some(value));
    let is_meant = |port: &&Value| port.text(&["name"]) == service.port();
    let port = object.list(&["spec", "ports"]).iter().find(is_meant)?.number(&["targetPort"])?;
    Some((u16::try_from(port).ok().filter(|_| is_of_pod)?, address))
}

impl Actor<'_> {
    /// Adds a service that answers requests.
    ///
    /// # Errors
    /// An object by which clients find it is refused.
    pub fn add_service(&mut self, service: Box<dyn Service>) -> Result<(), ApiError> {
        self.add_objects(service.objects())?;
        self.services.push(service);
        Ok(())
    }

    /// Adds objects, in namespaces that come with them. What is there already stays as it is.
    ///
    /// # Errors
    /// An object is refused, by a policy of the scenario for instance.
    pub fn add_objects(&mut self, objects: Vec<Value>) -> Result<(), ApiError> {
        let caller = Caller::administrator("fbc");
        for object in objects {
            let namespace = json!({
                "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": object.namespace()},
            });
            for object in [namespace, object] {
                match self.cluster.api.create(&caller, object, WriteOptions::default()) {
                    Err(error) if !error.is_already_exists() => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// What answers a request for a path of a service.
    pub(crate) fn reach(&mut self, name: &str, path: &str) -> Option<Handler> {
        let is_meant = |service: &&mut Box<dyn Service>| {
            service_object(&***service).is_some_and(|object| object.name() == name)
        };
        let service = self.services.iter_mut().find(is_meant)?;
        Some(service.handler(&self.cluster.api, path))
    }

    /// Lets a client reach those ports of a pod at which something answers.
    pub(crate) fn port_forward(
        &self,
        request: &crate::request::Request,
        pod: &Object,
    ) -> Result<Answer, ApiError> {
        if pod.text(&["status", "phase"]) != "Running" {
            return Err(ApiError::bad_request(format!("pod {} is not running", pod.name())));
        }
        let ports: BTreeMap<u16, SocketAddr> =
            self.services.iter().filter_map(|service| port_of_pod(&**service, pod)).collect();
        if ports.is_empty() {
            let text = format!("pod {:?} is simulated: nothing listens on its ports", pod.name());
            return Err(unavailable(text));
        }
        let forwarded = ForwardedPod {
            name: format!("{}_{}", pod.name(), pod.namespace()),
            uid: pod.text(&["metadata", "uid"]).to_owned(),
            ports,
            query: request.query.clone(),
        };
        Ok(Answer::new(101, Content::PortForward(forwarded)))
    }

    /// Passes a request on to a service.
    pub(crate) fn proxy_to_service(
        &mut self,
        request: &crate::request::Request,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let text = resource.place.name.as_str();
        let named = Named::parse(text)
            .ok_or_else(|| ApiError::bad_request(format!("invalid service request {text:?}")))?;
        let namespace = resource.place.namespace.as_str();
        let found = self.cluster.api.store().get(resource.id, &ObjectName::namespaced(namespace, named.name));
        let object = found.cloned().ok_or_else(|| ApiError::not_found("", "services", named.name))?;
        let port = named.port_of(&object)?;
        let is_meant = |service: &&mut Box<dyn Service>| {
            let is_named = |object: Value| object.namespace() == namespace && object.name() == named.name;
            service.port() == port && service_object(&***service).is_some_and(is_named)
        };
        let Some(service) = self.services.iter_mut().find(is_meant) else {
            return Err(unavailable(format!("no endpoints available for service {text:?}")));
        };
        let handler = match (named.scheme == "https", service.is_encrypted()) {
            (true, false) => {
                let why = "http: server gave HTTP response to HTTPS client";
                return Err(unavailable(format!("error trying to reach service: {why}")));
            }
            (false, true) => Handler::https_only(),
            _ => service.handler(&self.cluster.api, path_behind_proxy(&request.path)),
        };
        Ok(Answer::new(200, Content::Forward(Forward::new(request, handler)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_named_with_scheme_and_port() {
        let named = |scheme, name, port| Some(Named { scheme, name, port });
        for (text, expected) in [
            ("a", named("", "a", "")),
            ("a:443", named("", "a", "443")),
            ("https:a:", named("https", "a", "")),
            ("https:a:web", named("https", "a", "web")),
            ("ftp:a:1", None),
            (":1", None),
            ("a:b:c:d", None),
        ] {
            assert_eq!(Named::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn the_path_of_the_service_is_kept_as_it_is() {
        for (path, expected) in [
            ("/api/v1/namespaces/a/services/b/proxy", "/"),
            ("/api/v1/namespaces/a/services/b/proxy/", "/"),
            ("/api/v1/namespaces/a/services/b/proxy/c%2Fd/proxy", "/c%2Fd/proxy"),
            ("/api/v1/namespaces/proxy/services/proxy/proxy/x", "/x"),
        ] {
            assert_eq!(path_behind_proxy(path), expected);
        }
    }
}
