use serde_json::json;

use super::*;

const SERVER: u32 = 36;

fn details(level: Level, version: Option<u32>, spec: Value) -> String {
    violations(&Standard { level, version }, &json!({"metadata": {}, "spec": spec}), SERVER).details()
}

#[test]
fn levels_refuse_what_they_should() {
    use Level::{Baseline, Privileged, Restricted};
    let privileged = json!({"containers": [{"name": "c", "securityContext": {"privileged": true}}]});
    assert_eq!(details(Privileged, None, privileged.clone()), "");
    assert_eq!(
        details(Baseline, None, privileged.clone()),
        "privileged (container \"c\" must not set securityContext.privileged=true)"
    );
    assert_eq!(
        details(Restricted, None, privileged),
        "privileged (container \"c\" must not set securityContext.privileged=true), allowPrivilegeEscalation != false \
         (container \"c\" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \
         \"c\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"c\" must set \
         securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" must set \
         securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"
    );
    let good = json!({
        "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [{"name": "c", "securityContext": {
            "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        }}],
        "volumes": [{"name": "v", "emptyDir": {}}],
    });
    assert_eq!(details(Restricted, None, good), "");
    let of_host = json!({
        "hostNetwork": true, "hostPID": true, "containers": [
            {"name": "a", "ports": [{"hostPort": 80}]}, {"name": "b", "ports": [{"hostPort": 80}, {"hostPort": 443}]},
        ],
        "volumes": [{"name": "v", "hostPath": {"path": "/"}}],
    });
    assert_eq!(
        details(Baseline, None, of_host),
        "host namespaces (hostNetwork=true, hostPID=true), hostPath volumes (volume \"v\"), hostPort (containers \"a\", \
         \"b\" use hostPorts 443, 80)"
    );
}

#[test]
fn versions_have_the_checks_of_their_time() {
    let reserved = json!({"securityContext": {"sysctls": [{"name": "net.ipv4.ip_local_reserved_ports"}]}});
    assert_eq!(
        details(Level::Baseline, Some(26), reserved.clone()),
        "forbidden sysctls (net.ipv4.ip_local_reserved_ports)"
    );
    assert_eq!(details(Level::Baseline, Some(27), reserved.clone()), "");
    assert_eq!(details(Level::Baseline, None, reserved), "");
    let windows = json!({"os": {"name": "windows"}, "containers": [{"name": "c"}]});
    let found = details(Level::Restricted, Some(25), windows);
    assert!(!found.contains("allowPrivilegeEscalation") && found.contains("runAsNonRoot"), "{found}");
    let host = json!({"containers": [{"name": "c", "livenessProbe": {"httpGet": {"host": "1.2.3.4"}}}]});
    assert_eq!(details(Level::Baseline, Some(33), host.clone()), "");
    assert_eq!(
        details(Level::Baseline, None, host),
        "probe or lifecycle host (container \"c\" uses probe or lifecycle host \"1.2.3.4\")"
    );
}

#[test]
fn labels_say_the_policy() {
    let of = |labels: Value| Policy::of(&json!({"metadata": {"labels": labels}}));
    let (policy, errors) = of(json!({"pod-security.kubernetes.io/enforce": "baseline",
        "pod-security.kubernetes.io/enforce-version": "v1.30"}));
    assert!(errors.is_empty());
    assert_eq!(policy.enforce.to_string(), "baseline:v1.30");
    assert_eq!(policy.warn.to_string(), "baseline:v1.30");
    let (policy, errors) =
        of(json!({"pod-security.kubernetes.io/enforce": "x", "pod-security.kubernetes.io/warn": "y",
        "pod-security.kubernetes.io/audit-version": "1.2"}));
    assert_eq!((policy.enforce.level, policy.warn.level), (Level::Restricted, Level::Privileged));
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"x\": must be one of privileged, \
             baseline, restricted",
            "metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: \"1.2\": must be \"latest\" or \
             \"v1.x\"",
            "metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: \"y\": must be one of privileged, baseline, \
             restricted",
        ]
    );
}

#[test]
fn pods_that_are_there_already_are_told_of() {
    let pod = |name: &str| json!({"metadata": {"name": name}, "spec": {"hostNetwork": true, "containers": [{"name": "c"}]}});
    let pods = [pod("b"), pod("a")];
    let baseline = Standard { level: Level::Baseline, version: None };
    let warnings = namespace_warnings("n", &Standard::default(), &baseline, pods.iter(), SERVER);
    assert_eq!(
        warnings,
        [
            "existing pods in namespace \"n\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "a (and 1 other pod): host namespaces",
        ]
    );
    assert!(namespace_warnings("n", &baseline, &Standard::default(), pods.iter(), SERVER).is_empty());
}
