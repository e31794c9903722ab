//! What a hub shows of a package, and is not there.

use fbc_go::text::quote;
use fbc_graph::ChannelAnalysis;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::render::CSV_METADATA;
use fbc_model::{Bundle, bundle_object, go_type};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC246",
    name: "hub-entry",
    since: "0.1.0",
    summary: "A package has no icon or no description for the hub",
    explanation: "\
The hub of the console and operatorhub.io show a tile for each package: its icon, and the description of the newest bundle
of its default channel. `olm.csv.metadata` holds no icon, so it must be in the `olm.package` blob; where the catalog holds
manifests (`olm.bundle.object`), the icon of the ClusterServiceVersion counts too.",
    sources: &[
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/hooks/useOperatorCatalogItems.tsx",
            "longDescription",
        ),
        Source::Code("operator-framework/operator-registry:pkg/api/model_to_api.go", "csvMetadataToCsv"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("hub_entry.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for view in context.packages.values() {
        let shown = shown_bundle(view).map(Shown::from_bundle).unwrap_or_default();
        let package = view.package;
        let icon = package.icon.is_some() || shown.has_icon;
        let description = !package.description.is_empty() || shown.has_description;
        for (what, _) in [("icon", icon), ("description", description)].into_iter().filter(|(_, has)| !has) {
            findings.push(
                Finding::new(&RULE, format!("the hub has no {what} for package {}", quote(&package.name)))
                    .at(context.value(package.origin, "/name"))
                    .about(Subject::package(&package.name))
                    .help(format!("add `{what}` to the `olm.package` blob")),
            );
        }
    }
}

/// The head of the default channel.
fn shown_bundle<'c>(view: &PackageView<'c>) -> Option<&'c Bundle> {
    let channel = view.channels.iter().find(|channel| channel.name == view.package.default_channel)?;
    let head = ChannelAnalysis::from_entries(channel.entries()).head()?;
    view.bundle_by_name.get(channel.entries().get(head)?.name.as_str()).copied()
}

/// What a bundle has for the hub.
#[derive(Default)]
struct Shown {
    has_icon: bool,
    has_description: bool,
}

impl Shown {
    fn from_bundle(bundle: &Bundle) -> Self {
        if let Some(version) = bundle_object::cluster_service_version(bundle) {
            let spec = go_type::field(version.root(), "spec");
            let has = |key: &str| spec.and_then(|spec| spec.get(key)).is_some_and(|value| !value.is_empty());
            let text = spec.and_then(|spec| spec.get_str("description")).unwrap_or_default();
            return Self { has_icon: has("icon"), has_description: !text.is_empty() };
        }
        let has_description = bundle.property_values(CSV_METADATA).any(|metadata| {
            let annotated = metadata.get("annotations").and_then(|all| all.get_str("description"));
            let texts = [metadata.get_str("description"), annotated];
            texts.into_iter().flatten().any(|text| !text.is_empty())
        });
        Self { has_icon: false, has_description }
    }
}
