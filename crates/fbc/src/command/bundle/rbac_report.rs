//! What an operator may do, in words.

use std::io::{self, Write};

use fbc_bundle::permissions::operator_rights::{
    Change, Danger, DangerousRight, Difference, Rights, dangerous,
};
use fbc_kubernetes::rbac::Rule;
use serde_json::{Value, json};

/// Writes a value with indentation.
pub(super) fn write_json(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    fbc_app::output::json_document::write(out, value)
}

/// Writes rights as text, the dangerous ones first.
pub(super) fn write_rights(rights: &Rights, out: &mut dyn Write) -> io::Result<()> {
    let dangerous = dangerous(rights);
    writeln!(out, "Dangerous rights")?;
    if dangerous.is_empty() {
        writeln!(out, "  none")?;
    }
    let mut last = None;
    for DangerousRight { danger, account, namespace, rule, .. } in &dangerous {
        if last != Some(*danger) {
            writeln!(out, "  {}", reason(*danger))?;
        }
        last = Some(*danger);
        writeln!(out, "    {account}, {}: {}", scope(namespace), in_words(rule))?;
    }
    for ((account, namespace), rules) in rights {
        writeln!(out, "\nService account {account}, {}", scope(namespace))?;
        for rule in rules {
            writeln!(out, "  {}", in_words(rule))?;
        }
    }
    if rights.is_empty() {
        writeln!(out, "\nThe operator has no rights of its own.")?;
    }
    Ok(())
}

/// Rights as JSON.
pub(super) fn rights_json(rights: &Rights) -> Value {
    let dangerous: Vec<Value> = dangerous(rights)
        .iter()
        .map(|right| {
            let (danger, reason) = (name(right.danger), reason(right.danger));
            let mut value = row(&right.account, &right.namespace, &right.rule);
            value["danger"] = json!(danger);
            value["reason"] = json!(reason);
            value
        })
        .collect();
    let rights: Vec<Value> = rights
        .iter()
        .flat_map(|((account, namespace), rules)| rules.iter().map(move |rule| row(account, namespace, rule)))
        .collect();
    json!({ "dangerous": dangerous, "rights": rights })
}

fn row(account: &str, namespace: &str, rule: &Rule) -> Value {
    json!({ "serviceAccount": account, "namespace": namespace, "rule": rule.to_json() })
}

/// Writes what changes between two versions.
pub(super) fn write_differences(differences: &[Difference], out: &mut dyn Write) -> io::Result<()> {
    if differences.is_empty() {
        return writeln!(out, "The operator may do the same in both bundles.");
    }
    let mut last = None;
    for Difference { change, account, namespace, rule } in differences {
        if last != Some(*change) {
            writeln!(out, "{}", heading(*change))?;
        }
        last = Some(*change);
        writeln!(out, "  {account}, {}: {}", scope(namespace), in_words(rule))?;
    }
    Ok(())
}

/// What changes as JSON.
pub(super) fn differences_json(differences: &[Difference]) -> Value {
    let list = differences.iter().map(|found| {
        let mut value = row(&found.account, &found.namespace, &found.rule);
        value["change"] = json!(match found.change {
            Change::Added => "added",
            Change::Widened => "widened",
            Change::Narrowed => "narrowed",
            Change::Removed => "removed",
        });
        value
    });
    json!({"differences": list.collect::<Vec<_>>()})
}

fn heading(change: Change) -> &'static str {
    match change {
        Change::Added => "New rights",
        Change::Widened => "More rights on what it had rights on",
        Change::Narrowed => "Fewer rights on what it keeps rights on",
        Change::Removed => "Rights that are gone",
    }
}

fn scope(namespace: &str) -> String {
    if namespace.is_empty() { "whole cluster".to_owned() } else { format!("namespace {namespace}") }
}

/// A rule as a phrase: `get, list pods, pods/log`.
fn in_words(rule: &Rule) -> String {
    let mut parts = Vec::new();
    let verbs = rule.verbs.join(", ");
    for group in &rule.api_groups {
        let resources: Vec<String> = rule
            .resources
            .iter()
            .map(|resource| if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") })
            .collect();
        parts.push(format!("{verbs} {}", resources.join(", ")));
    }
    if !rule.non_resource_urls.is_empty() {
        parts.push(format!("{verbs} {}", rule.non_resource_urls.join(", ")));
    }
    let names = match rule.resource_names.as_slice() {
        [] => String::new(),
        names => format!(" (only {})", names.join(", ")),
    };
    format!("{}{names}", parts.join("; "))
}

fn name(danger: Danger) -> &'static str {
    match danger {
        Danger::Everything => "everything",
        Danger::Escalate => "escalate",
        Danger::Bind => "bind",
        Danger::Impersonate => "impersonate",
        Danger::Tokens => "tokens",
        Danger::Certificates => "certificates",
        Danger::NodeProxy => "nodes-proxy",
        Danger::PodExec => "pods-exec",
        Danger::ReadSecrets => "secrets",
        Danger::SecurityContexts => "security-contexts",
        Danger::Webhooks => "webhooks",
        Danger::Roles => "roles",
        Danger::Definitions => "definitions",
        Danger::MakePods => "pods",
        Danger::Nodes => "nodes",
        Danger::Wildcard => "wildcard",
    }
}

fn reason(danger: Danger) -> &'static str {
    match danger {
        Danger::Everything => "everything: it is a cluster administrator where this holds",
        Danger::Escalate => "escalate: it can put any right into a role",
        Danger::Bind => "bind: it can give itself any role",
        Danger::Impersonate => "impersonate: it can act as somebody else",
        Danger::Tokens => "tokens: it can act as any service account",
        Danger::Certificates => "certificates: it can issue identities",
        Danger::NodeProxy => {
            "nodes/proxy: it can reach kubelets past all admission, and run commands in their pods"
        }
        Danger::PodExec => "pods/exec: it can run commands in pods of others",
        Danger::ReadSecrets => "secrets: it can read passwords and tokens",
        Danger::SecurityContexts => "security contexts: it can lift limits of pods",
        Danger::Webhooks => "webhooks: it can see and change what others ask of the API",
        Danger::Roles => "roles: it can hand its rights to others",
        Danger::Definitions => "definitions: it can change or delete APIs with all their objects",
        Danger::MakePods => {
            "pods: it can use every service account and secret of the namespaces where it makes pods"
        }
        Danger::Nodes => "nodes: it can move workloads and change nodes",
        Danger::Wildcard => "wildcard: it gets rights on what does not exist yet",
    }
}
