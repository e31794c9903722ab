//! What operator-controller finds wrong with a bundle.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/validators/validator.go`. All
//! validators run; each has an order of its own for what it finds.

use std::collections::{BTreeMap, BTreeSet};

use fbc_go::text::quote;
use fbc_yaml::Node;

use super::dns::subdomain_errors;
use super::install_modes::listed;
use super::kinds::is_supported;
use super::{Bundle, Object, Webhook, WebhookKind};

/// API groups that webhooks must not intercept.
const FORBIDDEN_GROUPS: [&str; 2] = ["olm.operatorframework.io", "*"];

/// The API group of webhook configurations.
const ADMISSION_GROUP: &str = "admissionregistration.k8s.io";

/// Resources of that group that webhooks must not intercept.
const FORBIDDEN_ADMISSION_RESOURCES: [&str; 5] = [
    "*",
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
];

type Validator = fn(&Bundle) -> Vec<String>;

/// The validators of today, in the order of their messages.
const LATEST: [Validator; 13] = [
    unique_deployments,
    deployment_names,
    unique_definitions,
    owned_definitions_exist,
    package_name,
    conversion_needs_all_namespaces,
    webhook_deployments_exist,
    unique_webhooks,
    webhook_names,
    one_conversion_for_a_definition,
    conversions_of_owned_definitions,
    webhook_rules,
    supported_kinds,
];

/// The validators of 4.19.
const OCP_4_19: [Validator; 4] =
    [unique_deployments, unique_definitions, owned_definitions_exist, package_name];

/// What is wrong with a bundle.
pub(super) fn latest(bundle: &Bundle) -> Vec<String> {
    LATEST.iter().flat_map(|validator| validator(bundle)).collect()
}

/// What is wrong with a bundle in 4.19.
pub(super) fn ocp_4_19(bundle: &Bundle) -> Vec<String> {
    OCP_4_19.iter().flat_map(|validator| validator(bundle)).collect()
}

/// What comes more than once.
fn repeated<T: Ord + Copy>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut seen = BTreeSet::new();
    items.filter(|item| !seen.insert(*item)).collect()
}

fn unique_deployments(bundle: &Bundle) -> Vec<String> {
    repeated(bundle.operator().deployments().map(|deployment| deployment.name))
        .into_iter()
        .map(|name| format!("cluster service version contains duplicate strategy deployment spec '{name}'"))
        .collect()
}

fn deployment_names(bundle: &Bundle) -> Vec<String> {
    let names: BTreeSet<&str> = bundle.operator().deployments().map(|deployment| deployment.name).collect();
    names
        .into_iter()
        .map(|name| (name, subdomain_errors(name)))
        .filter(|(_, errors)| !errors.is_empty())
        .map(|(name, errors)| {
            format!(
                "invalid cluster service version strategy deployment name '{name}': {}",
                errors.join(", ")
            )
        })
        .collect()
}

fn unique_definitions(bundle: &Bundle) -> Vec<String> {
    repeated(bundle.definition_names())
        .into_iter()
        .map(|name| format!("bundle contains duplicate custom resource definition '{name}'"))
        .collect()
}

fn owned_definitions_exist(bundle: &Bundle) -> Vec<String> {
    let present: BTreeSet<&str> = bundle.definition_names().collect();
    let owned: BTreeSet<&str> = bundle.operator().owned_definitions().collect();
    owned
        .difference(&present)
        .map(|name| {
            format!(
                "cluster service definition references owned custom resource definition '{name}' not found in bundle"
            )
        })
        .collect()
}

fn package_name(bundle: &Bundle) -> Vec<String> {
    if bundle.package.is_empty() { vec!["package name is empty".to_owned()] } else { Vec::new() }
}

fn conversion_needs_all_namespaces(bundle: &Bundle) -> Vec<String> {
    let modes = bundle.operator().install_modes();
    if modes.iter().eq(&["AllNamespaces"]) {
        return Vec::new();
    }
    let webhooks = bundle.operator().webhooks_of(WebhookKind::Conversion);
    webhooks
        .map(|webhook| {
            format!(
                "bundle contains conversion webhook {} and supports install modes {} - conversion webhooks are only \
                 supported for bundles that only support AllNamespaces install mode",
                quote(webhook.name),
                listed(&modes)
            )
        })
        .collect()
}

fn webhook_deployments_exist(bundle: &Bundle) -> Vec<String> {
    let present: BTreeSet<&str> = bundle.operator().deployments().map(|deployment| deployment.name).collect();
    let mut lost: Vec<Webhook<'_>> =
        bundle.operator().webhooks().filter(|webhook| !present.contains(webhook.deployment)).collect();
    lost.sort_by_key(|webhook| (webhook.deployment, webhook.kind, webhook.name));
    lost.into_iter()
        .map(|Webhook { kind, name, deployment, .. }| {
            format!("webhook of type '{kind}' with name '{name}' references non-existent deployment '{deployment}'")
        })
        .collect()
}

fn unique_webhooks(bundle: &Bundle) -> Vec<String> {
    repeated(bundle.operator().webhooks().map(|webhook| (webhook.kind, webhook.name)))
        .into_iter()
        .map(|(kind, name)| format!("duplicate webhook '{name}' of type '{kind}'"))
        .collect()
}

fn webhook_names(bundle: &Bundle) -> Vec<String> {
    let names: BTreeSet<(&str, &str)> =
        bundle.operator().webhooks().map(|webhook| (webhook.kind, webhook.name)).collect();
    names
        .into_iter()
        .map(|(kind, name)| (kind, name, subdomain_errors(name)))
        .filter(|(_, _, errors)| !errors.is_empty())
        .map(|(kind, name, errors)| {
            format!("webhook of type '{kind}' has invalid name '{name}': {}", errors.join(","))
        })
        .collect()
}

fn one_conversion_for_a_definition(bundle: &Bundle) -> Vec<String> {
    let mut webhooks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for webhook in bundle.operator().webhooks_of(WebhookKind::Conversion) {
        for definition in webhook.converted_definitions() {
            webhooks.entry(definition).or_default().push(webhook.name);
        }
    }
    webhooks
        .into_iter()
        .filter(|(_, names)| names.len() > 1)
        .map(|(definition, mut names)| {
            names.sort_unstable();
            let names = names.join(",");
            format!("conversion webhooks [{names}] reference same custom resource definition '{definition}'")
        })
        .collect()
}

fn conversions_of_owned_definitions(bundle: &Bundle) -> Vec<String> {
    let owned: BTreeSet<&str> = bundle.operator().owned_definitions().collect();
    let mut foreign: Vec<(&str, &str)> = Vec::new();
    for webhook in bundle.operator().webhooks_of(WebhookKind::Conversion) {
        let converted = webhook.converted_definitions().filter(|definition| !owned.contains(definition));
        foreign.extend(converted.map(|definition| (webhook.name, definition)));
    }
    foreign.sort_unstable();
    foreign
        .into_iter()
        .map(|(name, definition)| {
            format!(
                "conversion webhook '{name}' references custom resource definition '{definition}' not owned bundle"
            )
        })
        .collect()
}

fn webhook_rules(bundle: &Bundle) -> Vec<String> {
    let mut errors = Vec::new();
    let is_conversion = |webhook: &Webhook<'_>| webhook.kind == WebhookKind::Conversion.name();
    for webhook in bundle.operator().webhooks().filter(|webhook| !is_conversion(webhook)) {
        let start = format!(
            "webhook {} contains forbidden rule: admission webhook rules cannot reference",
            quote(webhook.name)
        );
        for rule in webhook.node.get("rules").into_iter().flat_map(Node::items) {
            for group in texts(rule, "apiGroups") {
                if FORBIDDEN_GROUPS.contains(&group) {
                    errors.push(format!("{start} API group {}", quote(group)));
                }
                let resources = texts(rule, "resources").filter(|resource| {
                    group == ADMISSION_GROUP
                        && FORBIDDEN_ADMISSION_RESOURCES.contains(&resource.to_lowercase().as_str())
                });
                errors.extend(resources.map(|resource| {
                    format!("{start} resource {} for API group {}", quote(resource), quote(group))
                }));
            }
        }
    }
    errors
}

fn texts<'d>(node: Node<'d>, key: &str) -> impl Iterator<Item = &'d str> {
    node.get(key).into_iter().flat_map(Node::items).map(|item| item.as_str().unwrap_or_default())
}

fn supported_kinds(bundle: &Bundle) -> Vec<String> {
    bundle
        .extras
        .iter()
        .map(|extra| Object::new(extra.object.clone()))
        .filter(|object| !is_supported(&object.kind))
        .map(|object| {
            format!("unsupported resource {} with kind {}", quote(&object.name), quote(&object.kind))
        })
        .collect()
}
