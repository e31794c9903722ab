//! Bundles without a cluster service version.

use fbc_bundle::contents::MANIFESTS;
use fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND005",
    name: "missing-csv",
    since: "0.1.0",
    summary: "A bundle has no ClusterServiceVersion",
    explanation: "\
The ClusterServiceVersion describes the operator: its name and version, its deployments, permissions and
custom resources. It is a file of `manifests` like the others, known by its `kind`; file names do not count.
Without it there is no bundle.",
    sources: &[
        Source::Code("operator-framework/api:pkg/manifests/bundleloader.go", "LoadBundle"),
        Source::Code("operator-framework/operator-registry:pkg/registry/parse.go", "addManifests"),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("missing_csv.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    if context.csv.is_some() {
        return;
    }
    let place = Place { path: MANIFESTS.into(), origin: None, spot: Spot::File };
    let finding = Finding::new(&RULE, "no file in `manifests` is a ClusterServiceVersion").at(place);
    let similar = context.objects.iter().find(|object| {
        !object.kind.is_empty() && names::meant(object.kind, [CLUSTER_SERVICE_VERSION]).is_some()
    });
    let help = match similar {
        Some(object) => {
            let path =
                context.contents.files.get(object.origin.file as usize).map(|file| file.path.display());
            let path = path.map(|path| path.to_string()).unwrap_or_default();
            format!("did you mean the {} in {path}?", quote(object.kind))
        }
        None => "add the ClusterServiceVersion of the operator to `manifests`".to_owned(),
    };
    findings.push(finding.about(context.subject()).help(help));
}
