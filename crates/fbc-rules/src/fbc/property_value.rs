//! Values of properties that do not have the form of their type.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::go_type::{self, GoType};
use fbc_model::{Value, bundle_object, go_types};

use super::{go_words, opm};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC023",
    name: "property-value",
    since: "0.1.0",
    summary: "The value of a property does not have the form of its type",
    explanation: "\
Every property of a bundle has a `value`, and opm knows the form of these types:

- `olm.package`: `{packageName, version, release}`, all texts
- `olm.package.required`: `{packageName, versionRange}`
- `olm.gvk` and `olm.gvk.required`: `{group, kind, version}`
- `olm.bundle.object`: `{data}`, base64
- `olm.csv.metadata`: what a console shows of the ClusterServiceVersion
- `olm.channel`: `{channelName}`

A version without quotes, such as `1.0`, is a number to YAML. Properties of other types may have any
value, but they must have one.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/property/property.go", "Parse")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("property_value.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for (index, property) in item.bundle.properties.iter().enumerate() {
            let (message, pointer) = match property.value.as_ref().map(Value::node) {
                None => ("unexpected end of JSON input".to_owned(), String::new()),
                Some(value) => {
                    match go_types::of_property(&property.kind)
                        .map(|of| go_type::check(value, &GoType::Struct(of)))
                    {
                        Some(Err(error)) => (error.message, error.pointer),
                        _ => continue,
                    }
                }
            };
            if property.kind == bundle_object::PROPERTY_TYPE {
                // Loading refuses it already.
                continue;
            }
            let name = quote(&item.bundle.name);
            let field = if pointer.is_empty() { "value".to_owned() } else { go_words::path(&pointer) };
            let is_quotable = message.ends_with("type string")
                && ["cannot unmarshal number", "cannot unmarshal bool"]
                    .iter()
                    .any(|kind| message.contains(kind));
            let is_version = property.kind == "olm.package" && pointer == "/version";
            let fix = is_quotable.then(|| {
                let place = format!("/properties/{index}/value{pointer}");
                match is_version {
                    true => Fix::safe("write a version of three numbers").version(item.bundle.origin, place),
                    false => Fix::safe("put the value in quotes").quote(item.bundle.origin, place),
                }
            });
            let text = format!(
                "parse properties for bundle {name}: parse property[{index}] of type {}: {message}",
                quote(&property.kind)
            );
            findings.push(
                Finding::new(
                    &RULE,
                    format!(
                        "property {} of bundle {name}: `{field}` {}",
                        quote(&property.kind),
                        go_words::explain(&message)
                    ),
                )
                .at(context.value(item.bundle.origin, format!("/properties/{index}/value{pointer}")))
                .about(item.subject())
                .label("wrong form")
                .fix_if(fix)
                .help(go_words::help(&message))
                .opm(item.conversion(4, index, text)),
            );
        }
    }
}
