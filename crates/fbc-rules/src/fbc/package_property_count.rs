//! Bundles without the property `olm.package`, or with several.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::{Bundle, Property};
use fbc_version::Version;
use fbc_yaml::edit::document;

use super::opm::{self, PACKAGE_PROPERTY_TYPE};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC024",
    name: "package-property-count",
    since: "0.1.0",
    summary: "A bundle does not have exactly one property `olm.package`",
    explanation: "\
The property `olm.package` says of which package and version a bundle is:

    properties:
    - type: olm.package
      value:
        packageName: foo
        version: 1.0.0

Every bundle has exactly one.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-33", "4.1.4.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("package_property_count.cases"),
};

/// The property with its type put right, or with the version that the name of the bundle tells.
fn missing(bundle: &Bundle) -> Option<Fix> {
    let kinds = bundle.properties.iter().map(|property| property.kind.as_str());
    if let Some(kind) = names::meant(PACKAGE_PROPERTY_TYPE, kinds.clone()) {
        let index = bundle.properties.iter().position(|property| property.kind == kind)?;
        let fix = Fix::safe(format!("write `{PACKAGE_PROPERTY_TYPE}` in place of `{kind}`"));
        return Some(fix.set(bundle.origin, format!("/properties/{index}/type"), PACKAGE_PROPERTY_TYPE));
    }
    let version = bundle.name.strip_prefix(bundle.package.as_str())?.strip_prefix('.')?;
    let version = version.strip_prefix('v').unwrap_or(version);
    Version::parse(version).ok()?;
    let property = document(|builder| {
        let (mark, kind) = (builder.open(), builder.string(PACKAGE_PROPERTY_TYPE));
        builder.push_member("type", kind);
        let value = builder.open();
        for (key, text) in [("packageName", bundle.package.as_str()), ("version", version)] {
            let text = builder.string(text);
            builder.push_member(key, text);
        }
        let value = builder.close_object(value);
        builder.push_member("value", value);
        builder.close_object(mark)
    });
    let fix = Fix::risky(format!("add the property `{PACKAGE_PROPERTY_TYPE}` with version {version}"));
    Some(fix.append(bundle.origin, "/properties", property))
}

/// The properties behind the first, taken out.
fn superfluous(bundle: &Bundle) -> Option<Fix> {
    let is_package = |(_, property): &(usize, &Property)| property.kind == PACKAGE_PROPERTY_TYPE;
    let mut all = bundle.properties.iter().enumerate().filter(is_package);
    let (_, first) = all.next()?;
    let others: Vec<(usize, &Property)> = all.collect();
    let is_safe = others.iter().all(|(_, other)| *other == first);
    let fix = Fix::safe_if(is_safe, "keep the first of them");
    let remove =
        |fix: Fix, (index, _): &(usize, &Property)| fix.remove(bundle.origin, format!("/properties/{index}"));
    Some(others.iter().rev().fold(fix, remove))
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let bundle = item.bundle;
        let is_package = |kind: &str| kind == PACKAGE_PROPERTY_TYPE;
        let count = bundle.properties.iter().filter(|property| is_package(&property.kind)).count();
        if count == 1 {
            continue;
        }
        let name = quote(&bundle.name);
        let (message, pointer, help) = if count == 0 {
            let question =
                names::meant(PACKAGE_PROPERTY_TYPE, bundle.properties.iter().map(|p| p.kind.as_str()));
            let help = match question {
                Some(kind) => format!("did you mean \"olm.package\" by {}?", quote(kind)),
                None => "add the property with `packageName` and `version`".to_owned(),
            };
            (format!("bundle {name} has no property \"olm.package\""), "/properties".to_owned(), help)
        } else {
            let last =
                bundle.properties.iter().rposition(|property| is_package(&property.kind)).unwrap_or_default();
            let help = "keep the one with the right version".to_owned();
            (
                format!("bundle {name} has {count} properties \"olm.package\""),
                format!("/properties/{last}"),
                help,
            )
        };
        let fix = if count == 0 { missing(item.bundle) } else { superfluous(item.bundle) };
        let text = format!(
            "package {} bundle {name} must have exactly 1 \"olm.package\" property, found {count}",
            quote(&bundle.package)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(bundle.origin, pointer))
                .about(item.subject())
                .fix_if(fix)
                .label(if count == 0 { "no such property" } else { "one too many" })
                .help(help)
                .opm(item.conversion(5, 0, text)),
        );
    }
}
