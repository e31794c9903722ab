//! What the API server warns of in pods and their templates.
//!
//! Sources: `kubernetes/kubernetes:pkg/api/pod/warnings.go`, `pkg/api/node/util.go`,
//! `pkg/api/persistentvolumeclaim/util.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::quantity::Quantity;
use serde_json::{Map, Value};

use crate::object::ObjectFields;

/// Labels of nodes that were given other names.
const FORMER_LABELS: [(&str, &str, &str); 5] = [
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    ("failure-domain.beta.kubernetes.io/region", "v1.17", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "v1.17", "topology.kubernetes.io/zone"),
    ("beta.kubernetes.io/instance-type", "v1.17", "node.kubernetes.io/instance-type"),
];

/// Annotations of pods that nothing reads any more.
const FORMER_ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

/// Kinds of volumes in pods that nothing mounts any more, or that nobody should use.
const FORMER_VOLUMES: [(&str, &str); 8] = [
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
];

const FORMER_SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const FORMER_SECCOMP_OF: &str = "container.seccomp.security.alpha.kubernetes.io/";
const FORMER_APPARMOR_OF: &str = "container.apparmor.security.beta.kubernetes.io/";

/// The warnings about a pod, or about a template at a place such as `spec.template`.
pub(super) fn pod_warnings(pod: &Value, place: &str) -> Vec<String> {
    let dot = if place.is_empty() { String::new() } else { format!("{place}.") };
    let (spec, place_of_spec) = (&pod["spec"], format!("{dot}spec"));
    let annotation = |name: &str| pod.at(&["metadata", "annotations", name]).is_some();
    let place_of = |name: &str| format!("{dot}metadata.annotations[{name}]");
    let mut found = placement(spec, &place_of_spec);
    for (name, text) in FORMER_ANNOTATIONS.iter().filter(|(name, _)| annotation(name)) {
        found.push(format!("{}: {text}", place_of(name)));
    }
    found.extend(volumes(spec, &place_of_spec));
    found.extend(lists(spec, &place_of_spec));
    found.extend(fractions(spec.at(&["overhead"]), &format!("{place_of_spec}.overhead")));
    let seccomp = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
    if spec.given(&["securityContext", "seccompProfile"]).is_none() && annotation(FORMER_SECCOMP) {
        found.push(format!("{}: {seccomp}", place_of(FORMER_SECCOMP)));
    }
    let has_apparmor = spec.given(&["securityContext", "appArmorProfile"]).is_some();
    for (container, place) in containers(spec, &place_of_spec) {
        let own = |field: &str| container.given(&["securityContext", field]).is_some();
        let name = format!("{FORMER_SECCOMP_OF}{}", container.text(&["name"]));
        if !own("seccompProfile") && annotation(&name) {
            found.push(format!("{}: {seccomp}", place_of(&name)));
        }
        let name = format!("{FORMER_APPARMOR_OF}{}", container.text(&["name"]));
        if !dot.is_empty() && !has_apparmor && !own("appArmorProfile") && annotation(&name) {
            let text = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
            found.push(format!("{}: {text}", place_of(&name)));
        }
        for part in ["limits", "requests"] {
            found.extend(fractions(container.at(&["resources", part]), &format!("{place}.resources.{part}")));
        }
        found.extend(hidden_variables(container, &place));
    }
    found.extend(ports(spec, &place_of_spec));
    if spec.number(&["terminationGracePeriodSeconds"]).is_some_and(|seconds| seconds < 0) {
        found.push(format!(
            "{place_of_spec}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated \
             as 1"
        ));
    }
    found.extend(affinity_between_pods(spec, &place_of_spec));
    found
}

/// Containers of every kind with their places, in the order in which the API server goes through them.
fn containers<'s>(spec: &'s Value, place: &str) -> Vec<(&'s Value, String)> {
    let of = |list: &'static str| {
        let place = format!("{place}.{list}");
        spec.list(&[list]).iter().enumerate().map(move |(index, one)| (one, format!("{place}[{index}]")))
    };
    of("initContainers").chain(of("containers")).chain(of("ephemeralContainers")).collect()
}

fn former_label(key: &str) -> Option<String> {
    let (_, since, name) = FORMER_LABELS.iter().find(|(label, ..)| *label == key)?;
    Some(format!("deprecated since {since}; use {name:?} instead"))
}

/// The warnings about a term of a selector of nodes.
pub(super) fn node_terms(term: &Value, place: &str) -> Vec<String> {
    let expressions = term.list(&["matchExpressions"]).iter().enumerate();
    let warned = expressions.filter_map(|(index, expression)| {
        let key = expression.text(&["key"]);
        Some(format!("{place}.matchExpressions[{index}].key: {key} is {}", former_label(key)?))
    });
    warned.collect()
}

fn placement(spec: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for key in spec.at(&["nodeSelector"]).and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        found.extend(former_label(key).map(|text| format!("{place}.nodeSelector[{key}]: {text}")));
    }
    let affinity = ["affinity", "nodeAffinity"];
    let required =
        [affinity[0], affinity[1], "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
    for (index, term) in spec.list(&required).iter().enumerate() {
        found.extend(node_terms(term, &format!("{place}.{}[{index}]", required.join("."))));
    }
    let preferred = [affinity[0], affinity[1], "preferredDuringSchedulingIgnoredDuringExecution"];
    for (index, term) in spec.list(&preferred).iter().enumerate() {
        let place = format!("{place}.{}[{index}].preference", preferred.join("."));
        found.extend(node_terms(&term["preference"], &place));
    }
    for (index, constraint) in spec.list(&["topologySpreadConstraints"]).iter().enumerate() {
        let place = format!("{place}.topologySpreadConstraints[{index}]");
        let key = constraint.text(&["topologyKey"]);
        found.extend(former_label(key).map(|text| format!("{place}.topologyKey: {key} is {text}")));
        if constraint.given(&["labelSelector"]).is_none() {
            found.push(format!("{place}.labelSelector: a null labelSelector results in matching no pod"));
        }
    }
    found
}

fn affinity_between_pods(spec: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for kind in ["podAffinity", "podAntiAffinity"] {
        for (rule, inner) in [
            ("requiredDuringSchedulingIgnoredDuringExecution", None),
            ("preferredDuringSchedulingIgnoredDuringExecution", Some("podAffinityTerm")),
        ] {
            for (index, term) in spec.list(&["affinity", kind, rule]).iter().enumerate() {
                let below = inner.map(|inner| format!(".{inner}")).unwrap_or_default();
                let term = inner.map_or(term, |inner| &term[inner]);
                if term.given(&["labelSelector"]).is_none() {
                    found.push(format!(
                        "{place}.affinity.{kind}.{rule}[{index}]{below}.labelSelector: a null labelSelector results in \
                         matching no pod"
                    ));
                }
            }
        }
    }
    found
}

fn volumes(spec: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut tokens: BTreeSet<&str> = BTreeSet::new();
    for (index, volume) in spec.list(&["volumes"]).iter().enumerate() {
        let place = format!("{place}.volumes[{index}]");
        for (field, text) in
            FORMER_VOLUMES.iter().chain([&("rbd", "deprecated in v1.28, non-functional in v1.31+")])
        {
            if volume.given(&[field]).is_some() {
                found.push(format!("{place}.{field}: {text}"));
            }
        }
        if let Some(claim) = volume.given(&["ephemeral", "volumeClaimTemplate", "spec"]) {
            found.extend(claim_warnings(claim, &format!("{place}.ephemeral.volumeClaimTemplate.spec")));
        }
        let sources = volume.list(&["projected", "sources"]).iter();
        tokens.extend(sources.filter_map(|source| source.at(&["serviceAccountToken", "path"])?.as_str()));
    }
    for (index, volume) in spec.list(&["volumes"]).iter().enumerate() {
        let place = format!("{place}.volumes[{index}].projected.sources");
        for source in volume.list(&["projected", "sources"]) {
            let mut warn = |place: String, path: &str| {
                if tokens.contains(path) {
                    found.push(format!("{place}: has duplicated path with ServiceAccountToken {path:?}"));
                }
            };
            for (field, name) in
                [("configMap", "configMap"), ("secret", "secrets"), ("downwardAPI", "downwardAPI")]
            {
                for (index, item) in source.list(&[field, "items"]).iter().enumerate() {
                    warn(format!("{place}.{name}[{index}]"), item.text(&["path"]));
                }
            }
            if let Some(bundle) = source.given(&["clusterTrustBundle"]) {
                warn(format!("{place}.ClusterTrustBundle"), bundle.text(&["path"]));
            }
        }
    }
    found
}

/// Members of lists that are there twice.
fn lists(spec: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (list, key, what) in [("hostAliases", "ip", "ip"), ("imagePullSecrets", "name", "name")] {
        let mut seen = BTreeSet::new();
        for (index, item) in spec.list(&[list]).iter().enumerate() {
            let value = item.text(&[key]);
            if !seen.insert(value) {
                found.push(format!("{place}.{list}[{index}].{key}: duplicate {what} {value:?}"));
            }
        }
    }
    for (index, item) in spec.list(&["imagePullSecrets"]).iter().enumerate() {
        if item.text(&["name"]).is_empty() {
            found.push(format!("{place}.imagePullSecrets[{index}].name: invalid empty name \"\""));
        }
    }
    found
}

/// Amounts of bytes that are no whole ones.
fn fractions(amounts: Option<&Value>, place: &str) -> Vec<String> {
    let of = |resource: &str| fraction(amounts?.get(resource)?, &format!("{place}[{resource}]"));
    ["memory", "ephemeral-storage"].into_iter().filter_map(of).collect()
}

fn fraction(amount: &Value, place: &str) -> Option<String> {
    let quantity = Quantity::from_json(amount)?;
    let is_whole = quantity.thousandths() % 1000 == 0;
    (!is_whole).then(|| {
        let text = quantity.to_string();
        format!("{place}: fractional byte value {text:?} is invalid, must be an integer")
    })
}

/// The warnings about a claim for storage, in a pod or alone.
pub(super) fn claim_warnings(spec: &Value, place: &str) -> Vec<String> {
    let of = |part: &str| {
        let amount = spec.at(&["resources", part, "storage"])?;
        fraction(amount, &format!("{place}.resources.{part}[storage]"))
    };
    ["requests", "limits"].into_iter().filter_map(of).collect()
}

fn hidden_variables(container: &Value, place: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (index, variable) in container.list(&["env"]).iter().enumerate() {
        let (name, value) = (variable.text(&["name"]), variable.text(&["value"]));
        if seen.insert(name) {
            continue;
        }
        // `X=$(X)more` builds on what was there.
        let reference = format!("$({name})");
        let builds_on = value != reference && value.contains(&reference);
        if variable.given(&["valueFrom"]).is_some() || !builds_on {
            found.push(format!(
                "{place}.env[{index}]: hides previous definition of {name:?}, which may be dropped when using apply"
            ));
        }
    }
    found
}

fn ports(spec: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut known: BTreeMap<(i64, &str), Vec<(String, &Value)>> = BTreeMap::new();
    for (container, place) in containers(spec, place) {
        for (index, port) in container.list(&["ports"]).iter().enumerate() {
            let place = format!("{place}.ports[{index}]");
            let of_host = |port: &Value| port.number(&["hostPort"]).unwrap_or_default();
            let (own_port, own_ip) = (of_host(port), port.text(&["hostIP"]));
            let key = (port.number(&["containerPort"]).unwrap_or_default(), port.text(&["protocol"]));
            let others = known.entry(key).or_default();
            for (other_place, other) in others.iter() {
                let (other_port, other_ip) = (of_host(other), other.text(&["hostIP"]));
                let what = if (own_ip, own_port) == (other_ip, other_port) {
                    "duplicate"
                } else if own_port == 0 || other_port == 0 {
                    "overlapping"
                } else if own_port == other_port && own_ip.is_empty() != other_ip.is_empty() {
                    "dangerously ambiguous"
                } else {
                    continue;
                };
                found.push(format!("{place}: {what} port definition with {other_place}"));
            }
            others.push((place, port));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pods_are_warned_of() {
        for (spec, expected) in [
            (
                json!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}}),
                "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead",
            ),
            (
                json!({"imagePullSecrets": [{"name": "a"}, {"name": "a"}]}),
                "spec.imagePullSecrets[1].name: duplicate name \"a\"",
            ),
            (
                json!({"volumes": [{"name": "v", "gitRepo": {}}]}),
                "spec.volumes[0].gitRepo: deprecated in v1.11",
            ),
            (
                json!({"containers": [{"resources": {"limits": {"memory": "100m"}}}]}),
                "spec.containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, must be an integer",
            ),
            (
                json!({"containers": [
                   {"ports": [{"containerPort": 80, "protocol": "TCP"}]}, {"ports": [{"containerPort": 80, "protocol": "TCP"}]},
                ]}),
                "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]",
            ),
            (
                json!({"containers": [{"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)"}]}]}),
                "spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply",
            ),
            (
                json!({"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}}}),
                "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a \
              null labelSelector results in matching no pod",
            ),
        ] {
            assert_eq!(pod_warnings(&json!({"spec": spec}), ""), [expected]);
        }
        assert!(pod_warnings(&json!({"spec": {"containers": [{"name": "c", "image": "x"}]}}), "").is_empty());
    }
}
