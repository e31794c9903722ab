//! Fields of a wrong type.

use fbc_model::load::{FaultPlace, LoadFaultKind};

use crate::context::Context;
use crate::finding::Findings;
use crate::fix::Fix;
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC009",
    name: "field-type",
    since: "0.1.0",
    summary: "A field of a blob has the wrong type",
    explanation: "\
The fields of `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations` have fixed types. A
number, boolean or list where text is due is refused, and so is text that should be base64 and is not.

YAML 1.1 reads `4.19`, `1_000`, `on`, `yes` and the like as numbers and booleans: put texts in quotes.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "addMeta")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case { title: "text", files: "schema: olm.package\nname: foo\ndescription: '3'\n", findings: &[] },
        Case {
            title: "a number for text",
            files: "schema: olm.package\nname: foo\ndescription: 3\n",
            findings: &["3:14 `description` must be text, found a number"],
        },
        Case {
            title: "text for a list",
            files: "schema: olm.channel\npackage: foo\nname: stable\nentries:\n- name: foo.v2\n  skips: foo.v1\n",
            findings: &["6:10 `entries[0].skips` must be a list of texts, found text"],
        },
        Case {
            title: "no base64",
            files: "schema: olm.package\nname: foo\nicon: {base64data: '*', mediatype: image/png}\n",
            findings: &["3:20 `icon.base64data` is not base64: byte 0 of it cannot stand there"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::FieldType) {
        let field = match &fault.place {
            FaultPlace::Pointer(pointer) => go_words::path(pointer),
            _ => String::new(),
        };
        let is_quotable = fault.message.ends_with("type string")
            && ["cannot unmarshal number", "cannot unmarshal bool"]
                .iter()
                .any(|kind| fault.message.contains(kind));
        let fix = match (&fault.place, fault.origin) {
            (FaultPlace::Pointer(pointer), Some(origin)) if is_quotable => {
                Some(Fix::safe("put the value in quotes").quote(origin, pointer.clone()))
            }
            _ => None,
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("`{field}` {}", go_words::explain(&fault.message)))
                .label("wrong type")
                .fix_if(fix)
                .help(go_words::help(&fault.message)),
        );
    }
}
