//! Custom resource definitions that a cluster refuses.

use fbc_go::text::quote;
use fbc_lint::bundle::{BundleContext, Object};
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::{Kind, Node};

use super::names;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND016",
    name: "invalid-crd",
    since: "0.1.0",
    summary: "A CustomResourceDefinition is incomplete or contradicts itself",
    explanation: "\
A definition must have `apiVersion: apiextensions.k8s.io/v1`, a group, a kind and a plural name, a scope, and
versions of which exactly one is stored. Its name is the plural name, a dot, and the group. In `v1` each version
has a schema. A cluster refuses the definition otherwise, and with it the bundle. Definitions of `v1beta1` are
gone from Kubernetes 1.22; see BND213.",
    sources: &[
        Source::Code("operator-framework/api:pkg/validation/internal/crd.go", "validateInternalCRD"),
        Source::Code(
            "kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go",
            "ValidateCustomResourceDefinition",
        ),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("invalid_crd.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for object in context.custom_resource_definitions() {
        if let Some(message) = wrong_api_version(object) {
            findings.push(
                context
                    .finding(&RULE, object.origin, "/apiVersion", message)
                    .help("write `apiVersion: apiextensions.k8s.io/v1`"),
            );
            continue;
        }
        for (pointer, message, help) in faults(object) {
            let fix = name_of(object)
                .filter(|_| pointer == "/metadata/name")
                .map(|name| Fix::safe(format!("write `name: {name}`")).set(object.origin, pointer, &name));
            findings.push(context.finding(&RULE, object.origin, pointer, message).help(help).fix_if(fix));
        }
    }
}

/// The name that a definition must have.
fn name_of(object: &Object<'_>) -> Option<String> {
    let spec = object.node.get("spec")?;
    Some(format!("{}.{}", spec.get("names")?.get_str("plural")?, spec.get_str("group")?))
}

fn wrong_api_version(object: &Object<'_>) -> Option<String> {
    let api_version = object.node.get_str("apiVersion").unwrap_or_default();
    let is_known = object.group == "apiextensions.k8s.io" && matches!(object.version, "v1" | "v1beta1");
    (!is_known).then(|| format!("{} is not a version of CustomResourceDefinitions", quote(api_version)))
}

/// A pointer, what is wrong there, and what to do.
type Fault = (&'static str, String, String);

fn faults(object: &Object<'_>) -> Vec<Fault> {
    let name = quote(object.name);
    let Some(spec) = object.node.get("spec").filter(|spec| spec.kind() == Kind::Object) else {
        return vec![("/spec", format!("{name} has no `spec`"), "generate the definition again".to_owned())];
    };
    let mut found = Vec::new();
    let names = spec.get("names");
    let text = |key: &str| names.and_then(|names| names.get_str(key)).unwrap_or_default();
    let group = spec.get_str("group").unwrap_or_default();
    let scope = spec.get_str("scope").unwrap_or_default();
    let mut missing = |pointer: &'static str, help: &str| {
        let shown = pointer.trim_start_matches('/').replace('/', ".");
        found.push((pointer, format!("{name} has no `{shown}`"), help.to_owned()));
    };
    if group.is_empty() {
        missing("/spec/group", "name the group, such as `example.com`");
    }
    if text("kind").is_empty() {
        missing("/spec/names/kind", "name the kind, such as `kind: Foo`");
    }
    if text("plural").is_empty() {
        missing("/spec/names/plural", "name the plural, such as `plural: foos`");
    }
    // `v1beta1` has a default.
    if scope.is_empty() && object.version == "v1" {
        missing("/spec/scope", "write `scope: Namespaced` or `scope: Cluster`");
    } else if !matches!(scope, "" | "Namespaced" | "Cluster") {
        let message = format!("{} is not a scope", quote(scope));
        found.push(("/spec/scope", message, "write `scope: Namespaced` or `scope: Cluster`".to_owned()));
    }
    let expected = format!("{}.{group}", text("plural"));
    if !group.is_empty() && !text("plural").is_empty() && object.name != expected {
        let message = format!("the definition is named {name}, but it must be {}", quote(&expected));
        found.push(("/metadata/name", message, format!("write `name: {expected}`")));
    }
    found.extend(version_faults(object, spec));
    found
}

fn version_faults(object: &Object<'_>, spec: Node<'_>) -> Vec<Fault> {
    let name = quote(object.name);
    let versions: Vec<Node<'_>> = spec.get("versions").into_iter().flat_map(Node::items).collect();
    if versions.is_empty() {
        let has_single =
            object.version == "v1beta1" && spec.get_str("version").is_some_and(|text| !text.is_empty());
        let message = format!("{name} has no versions");
        let help = "list at least one version, with `served: true` and `storage: true`".to_owned();
        return if has_single { Vec::new() } else { vec![("/spec/versions", message, help)] };
    }
    let mut found = Vec::new();
    let is_stored = |version: &&Node<'_>| version.get("storage").and_then(Node::as_bool) == Some(true);
    let stored = versions.iter().filter(is_stored).count();
    if stored != 1 {
        let message = match stored {
            0 => format!("no version of {name} is stored"),
            _ => format!("{stored} versions of {name} are stored, not one"),
        };
        found.push(("/spec/versions", message, "set `storage: true` on exactly one version".to_owned()));
    }
    let without_schema: Vec<&str> = versions
        .iter()
        .filter(|version| version.get("schema").is_none_or(Node::is_null))
        .map(|version| version.get_str("name").unwrap_or_default())
        .collect();
    if object.version == "v1" && !without_schema.is_empty() {
        let message = format!("versions of {name} have no schema: {}", without_schema.join(", "));
        let help = "give each version a `schema.openAPIV3Schema`".to_owned();
        found.push(("/spec/versions", message, help));
    }
    if let Some(version) =
        versions.iter().find(|version| !version.get_str("name").is_some_and(names::is_dns_label))
    {
        let shown = quote(version.get_str("name").unwrap_or_default());
        let message = format!("{name} has a version named {shown}");
        found.push(("/spec/versions", message, "name versions such as `v1` or `v1beta1`".to_owned()));
    }
    found
}
