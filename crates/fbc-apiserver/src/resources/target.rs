//! The kind that a path means, and its subresources.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::kind::{Kind, KindId};
use fbc_cluster::object::ObjectName;

use crate::actor::Actor;
use crate::request::Resource;

/// A kind, and the place in a path that means it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) id: KindId,
    pub(crate) kind: Arc<Kind>,
    pub(crate) place: Resource,
}

impl Target {
    /// Namespace and name; objects of the whole cluster have no namespace, whatever the path says.
    pub(crate) fn name(&self) -> ObjectName {
        let namespace = if self.kind.namespaced { self.place.namespace.as_str() } else { "" };
        ObjectName::namespaced(namespace, self.place.name.as_str())
    }

    /// `apps/v1`, or `v1` in the core group.
    pub(crate) fn api_version(&self) -> String {
        let Resource { group, version, .. } = &self.place;
        if group.is_empty() { version.clone() } else { format!("{group}/{version}") }
    }
}

impl Actor<'_> {
    /// The kind that a path means, if it is served there.
    pub(crate) fn target(&self, place: Resource) -> Option<Target> {
        let api = &self.cluster.api;
        let (id, kind) = api.registry().iter().find(|(id, kind)| {
            kind.plural == place.resource
                && kind.group == place.group
                && kind.versions.contains(&place.version)
                && self.is_served(*id, kind)
        })?;
        let in_namespace = !place.namespace.is_empty() && place.resource != "namespaces";
        if in_namespace && !kind.namespaced {
            return None;
        }
        Some(Target { id, kind: api.registry().shared(id)?, place })
    }

    /// Whether a kind is shown: those of OpenShift that no definition brings only on OpenShift.
    pub(crate) fn is_served(&self, id: KindId, kind: &Kind) -> bool {
        self.settings.openshift
            || !kind.group.ends_with(".openshift.io")
            || self.cluster.api.definition(id).is_some()
    }
}

/// A subresource as discovery tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) name: &'static str,
    /// Group, version and kind of what it takes; empty for that of the object itself.
    pub(crate) kind: (&'static str, &'static str, &'static str),
    pub(crate) verbs: &'static [&'static str],
}

/// What subresources a kind has.
pub(crate) struct Subresources;

impl Subresources {
    const CHANGE: &'static [&'static str] = &["get", "patch", "update"];
    const CONNECT: &'static [&'static str] = &["create", "delete", "get", "patch", "update"];

    /// All of them, as discovery lists them.
    pub(crate) fn of(api: &ApiServer, id: KindId, kind: &Kind, version: &str) -> Vec<Described> {
        let own = ("", "", "");
        let mut found = Vec::new();
        let mut add = |name, kind, verbs| found.push(Described { name, kind, verbs });
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "Pod") => {
                add("attach", ("", "v1", "PodAttachOptions"), &["create", "get"]);
                add("binding", ("", "v1", "Binding"), &["create"]);
                add("ephemeralcontainers", own, &["get"]);
                add("eviction", ("policy", "v1", "Eviction"), &["create"]);
                add("exec", ("", "v1", "PodExecOptions"), &["create", "get"]);
                add("log", own, &["get"]);
                add("portforward", ("", "v1", "PodPortForwardOptions"), &["create", "get"]);
                add("proxy", ("", "v1", "PodProxyOptions"), Self::CONNECT);
                add("resize", own, &["get"]);
            }
            ("", "Service") => add("proxy", ("", "v1", "ServiceProxyOptions"), Self::CONNECT),
            ("", "ServiceAccount") => {
                add("token", ("authentication.k8s.io", "v1", "TokenRequest"), &["create"])
            }
            ("", "Namespace") => add("finalize", own, &["update"]),
            ("certificates.k8s.io", "CertificateSigningRequest") => add("approval", own, Self::CHANGE),
            _ => {}
        }
        if Self::has_scale(api, id, kind, version) {
            add("scale", ("autoscaling", "v1", "Scale"), Self::CHANGE);
        }
        let definition = api.definition(id);
        let of_version = definition.and_then(|definition| definition.version(version));
        if of_version.map_or(kind.has_status, |version| version.has_status) {
            add("status", own, Self::CHANGE);
        }
        found
    }

    /// True for kinds whose number of replicas can be set apart from the rest.
    pub(crate) fn has_scale(api: &ApiServer, id: KindId, kind: &Kind, version: &str) -> bool {
        match api.definition(id) {
            Some(definition) => definition.version(version).is_some_and(|version| version.scale.is_some()),
            None => matches!(
                (kind.group.as_str(), kind.kind.as_str()),
                ("apps", "Deployment" | "ReplicaSet" | "StatefulSet") | ("", "ReplicationController")
            ),
        }
    }
}
