//! The inline configuration of an extension, `spec.config.inline`, and what is wrong with it.
//!
//! Sources: `operator-framework/operator-controller:internal/operator-controller/config/config.go`,
//! `…/rukpak/bundle/registryv1.go` and `…/registryv1bundleconfig.json`; for what a failed check says
//! `santhosh-tekuri/jsonschema:validator.go`. Where the reference reports the fields of an object in
//! random order, ours is that of their names.

use fbc_go::text::quote;
use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::{Omit, Special, Type, types};
use fbc_yaml::{Document, Kind, Node};
use serde_json::Value;

use super::dns::has_label_form;
use super::{Gates, Operator};
use crate::kubernetes::{KeyOrder, convert};

/// The longest name of a namespace.
const LONGEST_NAMESPACE: usize = 63;

/// The form of a namespace's name.
const NAMESPACE_PATTERN: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

const WATCH_NAMESPACE: &str = "watchNamespace";
const DEPLOYMENT_CONFIGURATION: &str = "deploymentConfig";

/// What `deploymentConfig` may hold: the Go type of OLM's older generation without its selector.
const DEPLOYMENT: Named = Named::new("operators", "SubscriptionConfig");

/// A configuration as a user wrote it.
#[derive(Clone, Debug)]
pub struct Configuration {
    value: std::sync::Arc<Document>,
    /// `deploymentConfig` as its Go type has it.
    deployment: Option<Value>,
}

/// What a bundle lets be configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules<'i> {
    watch: Option<WatchRule>,
    install_namespace: &'i str,
    allows_deployment: bool,
}

/// What `watchNamespace` must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WatchRule {
    is_required: bool,
    format: Option<NamespaceFormat>,
}

/// How the watched namespace relates to that of the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamespaceFormat {
    Own,
    Other,
}

impl<'i> Rules<'i> {
    /// The rules that follow from the install modes of an operator.
    #[must_use]
    pub fn from_operator(operator: &Operator<'_>, install_namespace: &'i str, gates: Gates) -> Self {
        let modes = operator.install_modes();
        let format = match (modes.contains("OwnNamespace"), modes.contains("SingleNamespace")) {
            (false, false) => {
                return Self {
                    watch: None,
                    install_namespace,
                    allows_deployment: gates.deployment_configuration,
                };
            }
            (true, false) => Some(NamespaceFormat::Own),
            (false, true) => Some(NamespaceFormat::Other),
            (true, true) => None,
        };
        let is_required = !modes.contains("AllNamespaces");
        Self {
            watch: Some(WatchRule { is_required, format }),
            install_namespace,
            allows_deployment: gates.deployment_configuration,
        }
    }
}

/// Why a configuration is refused, in the words of the reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid ClusterExtension configuration: invalid configuration: {}", listed(faults))]
pub struct InvalidConfiguration {
    /// What is wrong, one text each.
    pub faults: Vec<String>,
}

fn listed(faults: &[String]) -> String {
    match faults {
        [one] => one.clone(),
        many => format!("multiple errors found:\n  - {}", many.join("\n  - ")),
    }
}

impl Configuration {
    /// The configuration that a document holds.
    #[must_use]
    pub fn new(value: Document) -> Self {
        let deployment = value
            .root()
            .get(DEPLOYMENT_CONFIGURATION)
            .filter(|deployment| !deployment.is_null())
            .and_then(|deployment| convert(deployment, DEPLOYMENT, KeyOrder::Sorted).ok())
            .map(|deployment| deployment.root().to_json());
        Self { value: std::sync::Arc::new(value), deployment }
    }

    /// The namespace to watch, if it is set.
    #[must_use]
    pub fn watch_namespace(&self) -> Option<&str> {
        self.value.root().get_str(WATCH_NAMESPACE)
    }

    /// What is configured for deployments.
    pub(super) fn deployment(&self) -> Option<&Value> {
        self.deployment.as_ref()
    }

    /// Checks the configuration.
    ///
    /// # Errors
    /// [`InvalidConfiguration`]
    pub fn check(&self, rules: &Rules<'_>) -> Result<(), InvalidConfiguration> {
        let faults = faults(self.value.root(), rules);
        if faults.is_empty() { Ok(()) } else { Err(InvalidConfiguration { faults }) }
    }
}

fn faults(root: Node<'_>, rules: &Rules<'_>) -> Vec<String> {
    if root.kind() != Kind::Object {
        return vec![format!("invalid type: got {}, want object", type_name(root))];
    }
    let mut faults = Vec::new();
    if rules.watch.is_some_and(|watch| watch.is_required) && root.get(WATCH_NAMESPACE).is_none() {
        faults.push(format!("required field {} is missing", quote(WATCH_NAMESPACE)));
    }
    let mut unknown = None;
    for (name, value) in root.members() {
        match (name, rules.watch) {
            (WATCH_NAMESPACE, Some(watch)) => {
                faults.extend(watch_faults(value, watch, rules.install_namespace))
            }
            (DEPLOYMENT_CONFIGURATION, _) if rules.allows_deployment => {
                let mut found = Vec::new();
                deployment_faults(value, &mut found);
                faults.append(&mut found);
            }
            // Of several unknown fields the reference names one.
            _ => unknown = unknown.or(Some(name)),
        }
    }
    faults.extend(unknown.map(|name| format!("unknown field {}", quote(name))));
    faults
}

/// What is wrong with `watchNamespace`. An optional one may be null, which makes each fault come with
/// the news that it is not.
fn watch_faults(value: Node<'_>, rule: WatchRule, install_namespace: &str) -> Vec<String> {
    let name = quote(WATCH_NAMESPACE);
    let mut faults = name_faults(value, rule.format, install_namespace);
    if rule.is_required || faults.is_empty() {
        return faults;
    }
    if value.is_null() {
        return Vec::new();
    }
    if faults.len() > 1 {
        faults.insert(0, "validation failed".to_owned());
    }
    let mut all = vec![
        format!("invalid value for field {name}"),
        format!("invalid type for field {name}: got {}, want null", type_name(value)),
    ];
    all.append(&mut faults);
    all
}

fn name_faults(value: Node<'_>, format: Option<NamespaceFormat>, install_namespace: &str) -> Vec<String> {
    let name = quote(WATCH_NAMESPACE);
    let Some(text) = value.as_str() else { return vec![type_fault(WATCH_NAMESPACE, value, "string")] };
    let fault = match format {
        Some(NamespaceFormat::Own) if text != install_namespace => Some((
            "ownNamespaceInstallMode",
            format!(
                "invalid value {}: must be {} (the namespace where the operator is installed) because this operator \
                 only supports OwnNamespace install mode",
                quote(text),
                quote(install_namespace)
            ),
        )),
        Some(NamespaceFormat::Other) if text == install_namespace => Some((
            "singleNamespaceInstallMode",
            format!(
                "invalid value {}: must be different from {} (the install namespace) because this operator uses \
                 SingleNamespace install mode to watch a different namespace",
                quote(text),
                quote(install_namespace)
            ),
        )),
        _ => None,
    };
    if let Some((mode, reason)) = fault {
        let shown = text.replace('\\', "\\\\").replace('\'', "\\'");
        return vec![format!("invalid format for field {name}: '{shown}' is not valid {mode}: {reason}")];
    }
    let mut faults = Vec::new();
    let length = text.chars().count();
    if length < 1 {
        faults.push(format!("field {name} must have minimum length of 1 (len={length})"));
    }
    if length > LONGEST_NAMESPACE {
        faults.push(format!("field {name} must have maximum length of {LONGEST_NAMESPACE} (len={length})"));
    }
    if !has_label_form(text) {
        faults.push(format!("field {name} must match pattern {}", quote(NAMESPACE_PATTERN)));
    }
    faults
}

/// What is wrong with `deploymentConfig`: its own fields are known, those of its parts need not be.
fn deployment_faults(value: Node<'_>, faults: &mut Vec<String>) {
    if value.kind() != Kind::Object {
        faults.push(type_fault(DEPLOYMENT_CONFIGURATION, value, "object"));
        return;
    }
    let mut unknown = None;
    for (name, value) in value.members() {
        match DEPLOYMENT.get().fields.iter().find(|field| field.name == name) {
            Some(field) => {
                shape_faults(value, &field.of, &format!("{DEPLOYMENT_CONFIGURATION}.{name}"), faults)
            }
            None => unknown = unknown.or(Some(name)),
        }
    }
    faults.extend(unknown.map(|name| format!("unknown field {}", quote(name))));
}

/// Compares a value with the schema that the Kubernetes API publishes for a type.
fn shape_faults(value: Node<'_>, shape: &Type, path: &str, faults: &mut Vec<String>) {
    let wanted = match shape {
        Type::Optional(inner) => return shape_faults(value, inner, path, faults),
        Type::Text(_)
        | Type::Time
        | Type::MicroTime
        | Type::Duration
        | Type::Bytes
        | Type::Special(Special::OperatorVersion | Special::OperatorRelease) => "string",
        Type::Flag => "boolean",
        Type::Whole(_) => "integer",
        Type::Float => "number",
        Type::List(_) => "array",
        Type::Map(_) | Type::Struct(_) => "object",
        // The published schemas allow texts and numbers.
        Type::Quantity | Type::IntOrText if matches!(value.kind(), Kind::String | Kind::Number) => return,
        Type::Quantity | Type::IntOrText => "string or number",
        Type::Any | Type::Raw | Type::Fields | Type::Special(_) => return,
    };
    let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let found = match (type_name(value), wanted) {
        ("number", "integer") if is_whole => "integer",
        (found, _) => found,
    };
    if found != wanted {
        faults.push(type_fault(path, value, wanted));
        return;
    }
    match shape {
        Type::List(item) => {
            for (index, value) in value.items().enumerate() {
                shape_faults(value, item, &format!("{path}.{index}"), faults);
            }
        }
        Type::Map(item) => {
            for (key, value) in value.members() {
                shape_faults(value, item, &format!("{path}.{key}"), faults);
            }
        }
        Type::Struct(of) => {
            let of = types().get(*of);
            let required =
                of.fields.iter().find(|field| field.omit == Omit::Never && value.get(field.name).is_none());
            faults.extend(required.map(|field| format!("required field {} is missing", quote(field.name))));
            for (name, value) in value.members() {
                if let Some(field) = of.fields.iter().find(|field| field.name == name) {
                    shape_faults(value, &field.of, &format!("{path}.{name}"), faults);
                }
            }
        }
        _ => {}
    }
}

/// A value of the wrong type; null counts as no value.
fn type_fault(path: &str, value: Node<'_>, wanted: &str) -> String {
    if value.is_null() {
        return format!("required field {} is missing", quote(path));
    }
    format!("invalid type for field {}: got {}, want {wanted}", quote(path), type_name(value))
}

/// The type of a value in the words of JSON Schema.
fn type_name(value: Node<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool => "boolean",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}
