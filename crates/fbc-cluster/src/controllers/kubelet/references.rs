//! What pods refer to: config maps and secrets that must be there before a container can start.
//!
//! Volumes are mounted first, and then containers made; what is missing is told by an event each time, and looked for
//! again. Sources: `kubernetes/kubernetes:pkg/kubelet/kubelet_pods.go` (`makeEnvironmentVariables`),
//! `pkg/volume/{configmap,secret,projected}`, `pkg/volume/util/operationexecutor/operation_generator.go`.

use serde_json::Value;

use crate::api::ApiServer;
use crate::object::{Object, ObjectFields, ObjectName};

/// Something that keeps a pod from starting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// Why the containers wait.
    pub(super) waiting: &'static str,
    /// The container that waits with this message; all of them without a message if it is none of them.
    pub(super) container: Option<String>,
    /// What is missing.
    pub(super) message: String,
    /// Reason and message of the event that says so.
    pub(super) event: (&'static str, String),
}

/// The first thing that a pod refers to and that is not there.
pub(super) fn missing(api: &ApiServer, pod: &Object) -> Option<Missing> {
    let lookup = Lookup { api, namespace: pod.namespace() };
    let volumes = pod.list(&["spec", "volumes"]);
    if let Some((volume, message)) = volumes.iter().find_map(|volume| Some((volume, lookup.volume(volume)?)))
    {
        let name = volume.text(&["name"]);
        let text = format!("MountVolume.SetUp failed for volume {name:?} : {message}");
        return Some(Missing {
            waiting: "ContainerCreating",
            container: None,
            message,
            event: ("FailedMount", text),
        });
    }
    let containers = pod.list(&["spec", "containers"]).iter();
    let (container, message) = containers
        .map(|container| (container, lookup.environment(container)))
        .find_map(|(container, found)| Some((container, found?)))?;
    Some(Missing {
        waiting: "CreateContainerConfigError",
        container: Some(container.text(&["name"]).to_owned()),
        event: ("Failed", format!("Error: {message}")),
        message,
    })
}

/// The config maps and secrets of a namespace.
struct Lookup<'a> {
    api: &'a ApiServer,
    namespace: &'a str,
}

impl Lookup<'_> {
    /// What a volume lacks.
    fn volume(&self, volume: &Value) -> Option<String> {
        let own = [("ConfigMap", "configMap", "name"), ("Secret", "secret", "secretName")];
        for (kind, field, name) in own {
            if let Some(source) = volume.get(field) {
                return self.file_source(kind, source, name);
            }
        }
        let sources = volume.list(&["projected", "sources"]).iter();
        let mut parts = sources.flat_map(|source| {
            [("ConfigMap", "configMap"), ("Secret", "secret")]
                .map(|(kind, field)| source.get(field).map(|source| (kind, source)))
        });
        parts.find_map(|part| part.and_then(|(kind, source)| self.file_source(kind, source, "name")))
    }

    /// What a source of files lacks: the object, or one of the keys that it names.
    fn file_source(&self, kind: &str, source: &Value, name: &str) -> Option<String> {
        if source["optional"] == true {
            return None;
        }
        let name = source.text(&[name]);
        let Some(object) = self.find(kind, name) else { return Some(not_found(kind, name)) };
        let items = source.list(&["items"]).iter().map(|item| item.text(&["key"]));
        let key = items.into_iter().find(|key| !has_key(object, key))?;
        Some(format!("{} references non-existent {} key: {key}", kind.to_lowercase(), key_word(kind)))
    }

    /// What the environment of a container lacks.
    fn environment(&self, container: &Value) -> Option<String> {
        let whole = container.list(&["envFrom"]).iter().find_map(|source| {
            [("ConfigMap", "configMapRef"), ("Secret", "secretRef")].into_iter().find_map(|(kind, field)| {
                let source = source.get(field).filter(|source| source["optional"] != true)?;
                let name = source.text(&["name"]);
                self.find(kind, name).is_none().then(|| not_found(kind, name))
            })
        });
        whole.or_else(|| container.list(&["env"]).iter().find_map(|variable| self.variable(variable)))
    }

    fn variable(&self, variable: &Value) -> Option<String> {
        [("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")].into_iter().find_map(
            |(kind, field)| {
                let source =
                    variable.at(&["valueFrom", field]).filter(|source| source["optional"] != true)?;
                let (name, key) = (source.text(&["name"]), source.text(&["key"]));
                let Some(object) = self.find(kind, name) else { return Some(not_found(kind, name)) };
                let text = || format!("couldn't find key {key} in {kind} {}/{name}", self.namespace);
                (!has_key(object, key)).then(text)
            },
        )
    }

    fn find(&self, kind: &str, name: &str) -> Option<&Object> {
        self.api.find("", kind, &ObjectName::namespaced(self.namespace, name)).map(|object| &**object)
    }
}

fn not_found(kind: &str, name: &str) -> String {
    format!("{} {name:?} not found", kind.to_lowercase())
}

/// What the kubelet calls a key of this kind.
fn key_word(kind: &str) -> &'static str {
    if kind == "ConfigMap" { "config" } else { "secret" }
}

fn has_key(object: &Object, key: &str) -> bool {
    ["data", "binaryData"].iter().any(|field| object.at(&[field, key]).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{Caller, WriteOptions};
    use crate::control_plane;
    use crate::time::Moment;

    #[test]
    fn what_is_missing_is_named() {
        let mut api = control_plane::api_server(&["demo"], 1, Moment::START);
        let caller = Caller::administrator("test");
        for (kind, name) in [("ConfigMap", "settings"), ("Secret", "token")] {
            let object = json!({
                "apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "demo"},
                "data": {"key": "dmFsdWU="},
            });
            api.create(&caller, object, WriteOptions::default()).unwrap();
        }
        let env = |source: Value| json!({"containers": [{"name": "main", "env": [{"name": "A", "valueFrom": source}]}]});
        let volume = |source: Value| json!({"containers": [{"name": "main"}], "volumes": [source]});
        let reference = |name: &str, key: &str| json!({"name": name, "key": key});
        for (spec, waiting, message) in [
            (env(json!({"configMapKeyRef": reference("settings", "key")})), "", ""),
            (
                env(json!({"configMapKeyRef": reference("settings", "other")})),
                "CreateContainerConfigError",
                "couldn't find key other in ConfigMap demo/settings",
            ),
            (
                env(json!({"secretKeyRef": reference("none", "key")})),
                "CreateContainerConfigError",
                "secret \"none\" not found",
            ),
            (env(json!({"secretKeyRef": {"name": "none", "key": "key", "optional": true}})), "", ""),
            (
                json!({"containers": [{"name": "main", "envFrom": [{"configMapRef": {"name": "none"}}]}]}),
                "CreateContainerConfigError",
                "configmap \"none\" not found",
            ),
            (volume(json!({"name": "v", "secret": {"secretName": "token"}})), "", ""),
            (
                volume(json!({"name": "v", "configMap": {"name": "none"}})),
                "ContainerCreating",
                "configmap \"none\" not found",
            ),
            (
                volume(
                    json!({"name": "v", "secret": {"secretName": "token", "items": [{"key": "no", "path": "p"}]}}),
                ),
                "ContainerCreating",
                "secret references non-existent secret key: no",
            ),
            (
                volume(json!({"name": "v", "projected": {"sources": [{"secret": {"name": "none"}}]}})),
                "ContainerCreating",
                "secret \"none\" not found",
            ),
        ] {
            let pod = json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "demo"}, "spec": spec,
            });
            let found = missing(&api, &pod);
            let (seen, text) = found.as_ref().map_or(("", ""), |found| (found.waiting, &found.message));
            assert_eq!((seen, text), (waiting, message), "{pod}");
        }
    }
}
