//! What pods and templates of pods have in common: containers, volumes, tolerations.

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

use super::Page;
use super::page::{number, scalar};
use crate::age::rfc_1123;
use crate::print::{NONE, none_if_empty};

/// The template of a workload's pods.
pub(super) fn pod_template(page: &mut Page, template: &Value) {
    let spec = &template["spec"];
    page.line(0, "Pod Template:");
    page.labels(1, "Labels", template.at(&["metadata", "labels"]));
    let annotations = template.at(&["metadata", "annotations"]);
    if annotations.and_then(Value::as_object).is_some_and(|annotations| !annotations.is_empty()) {
        page.annotations(1, "Annotations", annotations);
    }
    if !spec.text(&["serviceAccountName"]).is_empty() {
        page.entry(1, "Service Account", spec.text(&["serviceAccountName"]));
    }
    if !spec.list(&["initContainers"]).is_empty() {
        containers(page, "Init Containers", spec.list(&["initContainers"]), None, true);
    }
    containers(page, "Containers", spec.list(&["containers"]), None, true);
    volumes(page, spec.list(&["volumes"]), true);
    if !spec.text(&["priorityClassName"]).is_empty() {
        page.entry(1, "Priority Class Name", spec.text(&["priorityClassName"]));
    }
    page.labels(1, "Node-Selectors", spec.get("nodeSelector"));
    tolerations(page, 1, spec.list(&["tolerations"]));
}

/// Containers with what is known of them; those of templates stand one level deeper and have no state.
pub(super) fn containers(
    page: &mut Page,
    title: &str,
    list: &[Value],
    statuses: Option<&[Value]>,
    template: bool,
) {
    let indent = usize::from(template);
    if list.is_empty() {
        page.line(indent, format!("{title}: {NONE}"));
        return;
    }
    page.line(indent, format!("{title}:"));
    for container in list {
        let name = container.text(&["name"]);
        let status = statuses.and_then(|statuses| statuses.iter().find(|status| status["name"] == name));
        page.line(1, format!("{}{name}:", if template { " " } else { "" }));
        if let Some(status) = status {
            page.entry(2, "Container ID", status.text(&["containerID"]));
        }
        page.entry(2, "Image", container.text(&["image"]));
        if let Some(status) = status {
            page.entry(2, "Image ID", status.text(&["imageID"]));
        }
        ports(page, container);
        for (field, title) in [("command", "Command"), ("args", "Args")] {
            let words = container.list(&[field]);
            if !words.is_empty() {
                page.line(2, format!("{title}:"));
                words
                    .iter()
                    .filter_map(Value::as_str)
                    .flat_map(str::lines)
                    .for_each(|word| page.line(3, word));
            }
        }
        if let Some(status) = status {
            state(page, "State", &status["state"]);
            if status.at(&["lastState", "terminated"]).is_some() {
                state(page, "Last State", &status["lastState"]);
            }
            page.entry(2, "Ready", if status["ready"] == true { "True" } else { "False" });
            page.entry(2, "Restart Count", number(status, &["restartCount"]));
        }
        for (field, title) in [("limits", "Limits"), ("requests", "Requests")] {
            let amounts = container.at(&["resources", field]).and_then(Value::as_object);
            if let Some(amounts) = amounts.filter(|amounts| !amounts.is_empty()) {
                page.line(2, format!("{title}:"));
                amounts.iter().for_each(|(name, amount)| page.entry(3, name, scalar(Some(amount), "")));
            }
        }
        environment(page, container.list(&["env"]));
        mounts(page, container.list(&["volumeMounts"]));
    }
}

fn ports(page: &mut Page, container: &Value) {
    let list = container.list(&["ports"]);
    let text = |field: &str| {
        let port = |port: &Value| {
            let name = port.text(&["name"]);
            let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
            format!("{}/{}{name}", number(port, &[field]), scalar(port.at(&["protocol"]), "TCP"))
        };
        list.iter().map(port).collect::<Vec<_>>().join(", ")
    };
    let many = if list.len() > 1 { "s" } else { "" };
    page.entry(2, &format!("Port{many}"), none_if_empty(text("containerPort")));
    page.entry(2, &format!("Host Port{many}"), none_if_empty(text("hostPort")));
}

fn state(page: &mut Page, title: &str, state: &Value) {
    if let Some(running) = state.at(&["running"]).filter(|running| running.is_object()) {
        page.entry(2, title, "Running");
        page.entry(3, "Started", rfc_1123(running.text(&["startedAt"])));
    } else if let Some(terminated) = state.at(&["terminated"]).filter(|terminated| terminated.is_object()) {
        page.entry(2, title, "Terminated");
        for (field, title) in [("reason", "Reason"), ("message", "Message")] {
            if !terminated.text(&[field]).is_empty() {
                page.entry(3, title, terminated.text(&[field]));
            }
        }
        page.entry(3, "Exit Code", number(terminated, &["exitCode"]));
        if number(terminated, &["signal"]) > 0 {
            page.entry(3, "Signal", number(terminated, &["signal"]));
        }
        page.entry(3, "Started", rfc_1123(terminated.text(&["startedAt"])));
        page.entry(3, "Finished", rfc_1123(terminated.text(&["finishedAt"])));
    } else {
        page.entry(2, title, "Waiting");
        let reason = state.text(&["waiting", "reason"]);
        if !reason.is_empty() {
            page.entry(3, "Reason", reason);
        }
    }
}

fn environment(page: &mut Page, variables: &[Value]) {
    page.line(
        2,
        if variables.is_empty() { format!("Environment:\t{NONE}") } else { "Environment:".to_owned() },
    );
    for variable in variables {
        let name = variable.text(&["name"]);
        let source = &variable["valueFrom"];
        let key = |kind: &str, of: &str| {
            let source = &source[kind];
            let optional = source["optional"] == true;
            let (key, name) = (source.text(&["key"]), source.text(&["name"]));
            format!("<set to the key '{key}' {of} '{name}'>\tOptional: {optional}")
        };
        let value = if source.get("secretKeyRef").is_some() {
            key("secretKeyRef", "in secret")
        } else if source.get("configMapKeyRef").is_some() {
            key("configMapKeyRef", "of config map")
        } else if let Some(field) = source.get("fieldRef") {
            format!(" ({}:{})", scalar(field.get("apiVersion"), "v1"), field.text(&["fieldPath"]))
        } else {
            variable.text(&["value"]).replace('\n', "\n      \t")
        };
        page.entry(3, name, value);
    }
}

fn mounts(page: &mut Page, mounts: &[Value]) {
    page.line(2, if mounts.is_empty() { format!("Mounts:\t{NONE}") } else { "Mounts:".to_owned() });
    let mut mounts: Vec<&Value> = mounts.iter().collect();
    mounts.sort_by(|a, b| a.text(&["mountPath"]).cmp(b.text(&["mountPath"])));
    for mount in mounts {
        let access = if mount["readOnly"] == true { "ro" } else { "rw" };
        let part = mount.text(&["subPath"]);
        let part = if part.is_empty() { String::new() } else { format!(",path={part:?}") };
        page.line(
            3,
            format!("{} from {} ({access}{part})", mount.text(&["mountPath"]), mount.text(&["name"])),
        );
    }
}

/// Volumes and where they come from.
pub(super) fn volumes(page: &mut Page, volumes: &[Value], template: bool) {
    let indent = usize::from(template);
    if volumes.is_empty() {
        page.entry(indent, "Volumes", NONE);
        return;
    }
    page.line(indent, "Volumes:");
    for volume in volumes {
        page.line(1, format!("{}{}:", if template { " " } else { "" }, volume.text(&["name"])));
        let source = volume.as_object().into_iter().flatten().find(|(key, _)| *key != "name");
        let Some((kind, source)) = source else { continue };
        let mut entry = |title: &str, value: String| page.entry(2, title, value);
        let optional = |source: &Value| (source["optional"] == true).to_string();
        match kind.as_str() {
            "configMap" => {
                entry("Type", "ConfigMap (a volume populated by a ConfigMap)".to_owned());
                entry("Name", source.text(&["name"]).to_owned());
                entry("Optional", optional(source));
            }
            "secret" => {
                entry("Type", "Secret (a volume populated by a Secret)".to_owned());
                entry("SecretName", source.text(&["secretName"]).to_owned());
                entry("Optional", optional(source));
            }
            "emptyDir" => {
                entry("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)".to_owned());
                entry("Medium", source.text(&["medium"]).to_owned());
                entry("SizeLimit", scalar(source.get("sizeLimit"), "<unset>"));
            }
            "hostPath" => {
                entry("Type", "HostPath (bare host directory volume)".to_owned());
                entry("Path", source.text(&["path"]).to_owned());
                entry("HostPathType", source.text(&["type"]).to_owned());
            }
            "persistentVolumeClaim" => {
                let text =
                    "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)";
                entry("Type", text.to_owned());
                entry("ClaimName", source.text(&["claimName"]).to_owned());
                entry("ReadOnly", (source["readOnly"] == true).to_string());
            }
            "projected" => projected(&mut entry, source.list(&["sources"])),
            other => entry("Type", other.to_owned()),
        }
    }
}

fn projected(entry: &mut impl FnMut(&str, String), sources: &[Value]) {
    entry("Type", "Projected (a volume that contains injected data from multiple sources)".to_owned());
    for source in sources {
        if let Some(secret) = source.get("secret") {
            entry("SecretName", secret.text(&["name"]).to_owned());
            entry("Optional", (secret["optional"] == true).to_string());
        } else if let Some(map) = source.get("configMap") {
            entry("ConfigMapName", map.text(&["name"]).to_owned());
            entry("Optional", (map["optional"] == true).to_string());
        } else if source.get("downwardAPI").is_some() {
            entry("DownwardAPI", "true".to_owned());
        } else if let Some(token) = source.get("serviceAccountToken") {
            entry("TokenExpirationSeconds", number(token, &["expirationSeconds"]).to_string());
        }
    }
}

/// Tolerations sorted by key.
pub(super) fn tolerations(page: &mut Page, level: usize, tolerations: &[Value]) {
    let mut tolerations: Vec<&Value> = tolerations.iter().collect();
    tolerations.sort_by(|a, b| a.text(&["key"]).cmp(b.text(&["key"])));
    let text = |toleration: &Value| {
        let (key, value, effect) =
            (toleration.text(&["key"]), toleration.text(&["value"]), toleration.text(&["effect"]));
        let mut text = key.to_owned();
        for (sign, part) in [('=', value), (':', effect)] {
            if !part.is_empty() {
                text.push(sign);
                text.push_str(part);
            }
        }
        if toleration["operator"] == "Exists" && value.is_empty() {
            text.push_str(if text.is_empty() { "op=Exists" } else { " op=Exists" });
        }
        if let Some(seconds) = toleration.number(&["tolerationSeconds"]) {
            text.push_str(&format!(" for {seconds}s"));
        }
        text
    };
    page.entries(level, "Tolerations", tolerations.into_iter().map(text));
}
