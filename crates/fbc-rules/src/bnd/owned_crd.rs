//! Owned custom resources that the bundle does not define.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::crd;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND013",
    name: "owned-crd",
    since: "0.1.0",
    summary: "A custom resource that the operator owns is not defined in the bundle",
    explanation: "\
Each entry of `spec.customresourcedefinitions.owned` must be defined by a CustomResourceDefinition in `manifests`:
with the group that stands behind the first dot of `name`, with `kind`, and with `version` among its versions.
OLM installs no bundle that lacks one, and opm does not render it.",
    sources: &[
        Source::Code("operator-framework/api:pkg/validation/internal/bundle.go", "validateOwnedCRDs"),
        Source::Code(
            "operator-framework/operator-registry:pkg/registry/bundle.go",
            "AllProvidedAPIsInBundle",
        ),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("owned_crd.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let defined = crd::defined(context);
    for (number, owned) in csv.custom_resources("owned") {
        if defined.iter().any(|defined| defined.is(&owned)) {
            continue;
        }
        let name = quote(owned.name);
        let of_name = || defined.iter().filter(|defined| defined.object.name == owned.name);
        let origin = csv.origin();
        let place = format!("/spec/customresourcedefinitions/owned/{number}");
        let remove = || Fix::risky("remove it from `owned`").remove(origin, place.clone());
        let (field, message, help, fix) = if owned.group().is_none() {
            (
                "name",
                format!("the name {name} of an owned custom resource is not `plural.group`"),
                "write the name of the CustomResourceDefinition, such as `foos.example.com`".to_owned(),
                None,
            )
        } else if let Some(other) = of_name().find(|defined| defined.kind != owned.kind) {
            (
                "kind",
                format!(
                    "owned custom resource {name} has the kind {}, not {}",
                    quote(other.kind),
                    quote(owned.kind)
                ),
                format!("write `kind: {}`", other.kind),
                Some(Fix::safe(format!("write `kind: {}`", other.kind)).set(
                    origin,
                    format!("{place}/kind"),
                    other.kind,
                )),
            )
        } else if of_name().next().is_some() {
            let versions: Vec<&str> = of_name().map(|defined| defined.version).collect();
            (
                "version",
                format!("owned custom resource {name} has no version {} in the bundle", quote(owned.version)),
                format!("the definition has {}", versions.join(", ")),
                match versions.as_slice() {
                    [only] => Some(Fix::risky(format!("write `version: {only}`")).set(
                        origin,
                        format!("{place}/version"),
                        only,
                    )),
                    _ => Some(remove()),
                },
            )
        } else {
            let names = defined.iter().map(|defined| defined.object.name);
            let meant = names::meant(owned.name, names.clone());
            let question = names::did_you_mean(owned.name, names);
            (
                "name",
                format!("owned custom resource {name} is not defined in the bundle"),
                format!(
                    "{question}add its CustomResourceDefinition to `manifests`, or remove it from `owned`"
                ),
                Some(meant.map_or_else(remove, |meant| {
                    Fix::risky(format!("write `name: {meant}`")).set(origin, format!("{place}/name"), meant)
                })),
            )
        };
        let pointer = format!("/spec/customresourcedefinitions/owned/{number}/{field}");
        findings.push(context.finding(&RULE, origin, pointer, message).help(help).fix_if(fix));
    }
}
