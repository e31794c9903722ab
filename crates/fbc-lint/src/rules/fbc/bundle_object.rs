//! Manifests in bundles that cannot be read.

use fbc_model::load::{FaultPlace, LoadFaultKind};

use crate::context::Context;
use crate::finding::Findings;
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC010",
    name: "bundle-object",
    since: "0.1.0",
    summary: "A manifest in a bundle cannot be read",
    explanation: "\
A property `olm.bundle.object` holds a manifest of the bundle: `value.data` is its JSON or YAML in
base64. This one is not base64, or what it holds is not YAML.

Render the bundle image again rather than fixing the data by hand.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/load.go",
        "readBundleObjects",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a manifest",
            files: "schema: olm.bundle\nname: foo.v1\nproperties:\n- {type: olm.bundle.object, value: {data: e30=}}\n",
            findings: &[],
        },
        Case {
            title: "no base64",
            files: "schema: olm.bundle\nname: foo.v1\nproperties:\n- {type: olm.bundle.object, value: {data: '*'}}\n",
            findings: &["4:43 `properties[0].value.data` is not base64: byte 0 of it cannot stand there"],
        },
        Case {
            title: "no YAML",
            files: "schema: olm.bundle\nname: foo.v1\nproperties:\n- {type: olm.bundle.object, value: {data: 'YTogYjogYw=='}}\n",
            findings: &[
                "4:43 `properties[0].value.data` holds no manifest: yaml: mapping values are not allowed in this context",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::BundleObject) {
        let field = match &fault.place {
            FaultPlace::Pointer(pointer) => go_words::path(pointer),
            _ => String::new(),
        };
        let explanation = match fault.message.split_once(" to JSON: ") {
            Some((_, reason)) => format!("holds no manifest: {reason}"),
            None => go_words::explain(&fault.message),
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("`{field}` {explanation}"))
                .label("no manifest")
                .help("render the bundle image again"),
        );
    }
}
