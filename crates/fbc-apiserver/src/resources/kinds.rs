//! The kind that a path means, and its subresources.

use fbc_cluster::api::ApiServer;
use fbc_cluster::kind::{Kind, KindId};

use crate::actor::Actor;
use crate::request::Resource;
use crate::served_resource::ServedResource;

impl Actor<'_> {
    /// The kind that a path means, if it is served there.
    pub(crate) fn served(&self, place: Resource) -> Option<ServedResource> {
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
        Some(ServedResource { id: api.stored_as(id), kind: api.registry().shared(id)?, place })
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
                add("ephemeralcontainers", own, Self::CHANGE);
                add("eviction", ("policy", "v1", "Eviction"), &["create"]);
                add("exec", ("", "v1", "PodExecOptions"), &["create", "get"]);
                add("log", own, &["get"]);
                add("portforward", ("", "v1", "PodPortForwardOptions"), &["create", "get"]);
                add("proxy", ("", "v1", "PodProxyOptions"), Self::CONNECT);
                add("resize", own, Self::CHANGE);
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
