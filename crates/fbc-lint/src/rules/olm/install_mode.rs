//! Bundles that cannot watch all namespaces.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM002",
    name: "all-namespaces",
    since: "0.1.0",
    summary: "A bundle does not support the install mode AllNamespaces, which OLM v1 needs",
    explanation: "\
OLM v1 installs an operator once for the cluster, and so refuses a bundle whose install modes do not include
`AllNamespaces`: `unsupported bundle: bundle does not support AllNamespaces install mode`. With the technology
preview of own and single namespaces, clusters take `OwnNamespace` and `SingleNamespace` too; nothing takes
`MultiNamespace` alone.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/applier/provider.go",
            "",
        ),
        Source::Statement("D-EXT-2", "5.1.1"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "all namespaces",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
",
            findings: &[],
        },
        Case {
            title: "its own namespace",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: false}
    - {type: OwnNamespace, supported: true}
",
            findings: &["8:5 bundle \"foo.v1\" supports the install mode OwnNamespace, not AllNamespaces"],
        },
        Case {
            title: "nothing that OLM v1 knows",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    installModes:
    - {type: MultiNamespace, supported: true}
",
            findings: &["8:5 bundle \"foo.v1\" supports the install mode MultiNamespace, not AllNamespaces"],
        },
        Case {
            title: "none",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value: {}
",
            findings: &["6:10 bundle \"foo.v1\" supports no install mode at all"],
        },
    ],
};

/// Modes that a technology preview takes.
const PREVIEWED: [&str; 2] = ["OwnNamespace", "SingleNamespace"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(description) = context.manifests(item.number).and_then(|facts| facts.description.as_ref())
        else {
            continue;
        };
        let modes = description.install_modes.as_deref().unwrap_or_default();
        if modes.iter().any(|mode| mode == "AllNamespaces") {
            continue;
        }
        let name = quote(&item.bundle.name);
        let supported = match modes {
            [] => "no install mode at all".to_owned(),
            modes => format!("the install mode {}, not AllNamespaces", modes.join(", ")),
        };
        let mut finding = Finding::new(&RULE, format!("bundle {name} supports {supported}"))
            .at(context.value(item.bundle.origin, description.install_modes_place()))
            .about(item.subject())
            .label("AllNamespaces is asked for")
            .help("support AllNamespaces in a new version of the operator");
        if modes.iter().any(|mode| PREVIEWED.contains(&mode.as_str())) {
            finding =
                finding.note("clusters with the technology preview of own and single namespaces take it");
        }
        findings.push(finding);
    }
}
